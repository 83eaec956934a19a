"""Uses of the evaluators' kernels that no other test of the slices of `make check` has (see tests/engine)."""

from __future__ import annotations

import numpy as np
import pytest

import pcg
from pcg.engine.boards import MnkGame
from pcg.engine.kernel.features import all_features, distances_of_types, model_features
from pcg.engine.kernel.runtime import invoke5, invoke6
from pcg.evaluators.agents import make_agent
from pcg.evaluators.judging.board_play import Sampler, SamplingPlayers
from pcg.evaluators.judging.line_play import TYPICAL, LinePlayers
from pcg.evaluators.level_grid import steps_over
from pcg.evaluators.metrics.likeness import level_distance
from pcg.evaluators.metrics.patterns import PatternStatistics, originality
from pcg.evaluators.metrics.skeletons import skeleton_distance

pytestmark = pytest.mark.kernel


def test_novices_play_board_games() -> None:
    game = MnkGame(3, 3, 3)
    assert LinePlayers(game).play(TYPICAL, TYPICAL, 3, seed=1).shape[0] == 3
    assert SamplingPlayers(game).play(Sampler(), Sampler(), 1, seed=1).shape[0] == 1


def test_levels_are_compared() -> None:
    same, other = "wwwww\nwA..w\nw...w\nwwwww", "wwwww\nwAbbw\nwbw.w\nwwwww"
    assert level_distance(same, same) == 0.0 < level_distance(same, other)


def test_patterns_and_walls_of_levels_are_compared() -> None:
    level = np.array([[1, 1, 1, 1], [1, 0, 2, 1], [1, 0, 0, 1], [1, 1, 1, 1]], np.int16)
    assert PatternStatistics([level]).divergence(level) == 0.0 < PatternStatistics([level.T]).divergence(level)
    assert originality(level, [np.roll(level[:, ::-1], 1, axis=0)]) == 0.0 < originality(level, [level + 1])
    walls = level == 1
    assert skeleton_distance(walls, walls[::-1]) == 0.0 < skeleton_distance(walls, ~walls)


def test_goals_are_a_heuristic() -> None:
    state = pcg.load("boxes").start(level=0, seed=1)
    assert make_agent("onestep:heuristic=goals", seed=1, budget=10).act(state) in state.actions


def test_steps_and_distances_are_counted() -> None:
    passing = np.array([[True, True, False, True]])
    assert steps_over(passing, passing, (0, 0)).tolist() == [[0, 1, -1, -1]]
    state = pcg.load("hunt").start(level=0, seed=1)
    features = np.full(2 * len(state.game.definition.types), -7.0)
    invoke5(all_features.address, state.context.address, state.address, 0, int(features.ctypes.data), len(features))
    assert (features != -7.0).all() and features[1::2].max() > 0.0


def test_distances_of_chosen_types_are_those_of_all_types() -> None:
    state = pcg.load("hunt").start(level=0, seed=1)
    types = len(state.game.definition.types)
    whole, some = np.full((types, 2), -7.0), np.full((types, 2), -7.0)
    chosen = np.arange(1, types, 2, dtype=np.int64)
    given = (state.context.address, state.address, 0)
    invoke5(model_features.address, *given, int(whole.ctypes.data), whole.size)
    place = int(some.ctypes.data), int(chosen.ctypes.data), len(chosen)
    assert invoke6(distances_of_types.address, *given, *place) == types
    assert (some[chosen, 1] == whole[chosen, 1]).all() and whole[chosen, 1].max() > 0.0
    some[chosen, 1] = -7.0
    assert (some == -7.0).all()
