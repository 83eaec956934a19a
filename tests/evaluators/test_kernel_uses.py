"""Uses of the evaluators' kernels that no other test of the slices of `make check` has (see tests/engine)."""

from __future__ import annotations

import pytest

import pcg
from pcg.engine.boards import MnkGame
from pcg.evaluators.agents import make_agent
from pcg.evaluators.judging.board_play import Sampler, SamplingPlayers
from pcg.evaluators.judging.line_play import TYPICAL, LinePlayers
from pcg.evaluators.metrics.likeness import level_distance

pytestmark = pytest.mark.kernel


def test_novices_play_board_games() -> None:
    game = MnkGame(3, 3, 3)
    assert LinePlayers(game).play(TYPICAL, TYPICAL, 3, seed=1).shape[0] == 3
    assert SamplingPlayers(game).play(Sampler(), Sampler(), 1, seed=1).shape[0] == 1


def test_levels_are_compared() -> None:
    same, other = "wwwww\nwA..w\nw...w\nwwwww", "wwwww\nwAbbw\nwbw.w\nwwwww"
    assert level_distance(same, same) == 0.0 < level_distance(same, other)


def test_goals_are_a_heuristic() -> None:
    state = pcg.load("boxes").start(level=0, seed=1)
    assert make_agent("onestep:heuristic=goals", seed=1, budget=10).act(state) in state.actions
