"""Measures of one play: how long, how varied, how far about, how dangerous, and which rules of the game it uses.

A recorded play is followed once (`follow`), and every measure is read off what was seen on the way. They describe what
happened; whether that is good is for a fitness function to say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcg.engine.coverage import Rule, Watch, rules_of
from pcg.engine.kernel.features import all_features
from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.kernel.runtime import invoke5
from pcg.engine.state import State
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.mechanics import mechanics
from pcg.evaluators.metrics.registry import PLAY, measure, metric
from pcg.evaluators.metrics.sources import CHARITY, KHALIFA, LIAPIS, SHANNON, SURVIVAL

HALF = 3
"""Number of different events at which `variety` is one half."""

NEAR = 2.0
"""Danger this many cells away (rows plus columns) has come near."""

Cell = tuple[int, int]


@dataclass(frozen=True)
class Trace:
    """The trace of a play, before its first tick and after each; all tuples but `mechanics` are of one length."""

    cells: tuple[Cell | None, ...]
    """(row, column) of the centre of the avatar, None while there is none."""
    dangers: tuple[float, ...]
    """Distance of the nearest harmful sprite in rows plus columns, infinite without one."""
    mechanics: tuple[str, ...]
    """Names of the rules that took effect, in the order of the game's text."""
    scores: tuple[float, ...] = ()
    """Scores, as long as `cells`."""


@dataclass(frozen=True)
class WonPlay:
    """The winning play of a level, as the metrics of the stage "play" see it."""

    trace: Trace
    """The trace of it."""
    actions: Sequence[str]
    """Actions, one name per tick."""
    events: Mapping[tuple[int, int], int]
    """Counts of meetings of types with an effect (`Playout.events`)."""
    available: int
    """Number of actions the avatar starts with, NIL included."""
    cells: int
    """Number of cells it could have visited."""
    score: float
    """At the end of the play."""
    rules: int
    """Number of rules of the game, as `mechanics` counts them."""


class PlayMetrics:
    """Measures plays of one game.

    >>> import pcg
    >>> from pcg.evaluators.analysis import analyse
    >>> game = pcg.load("boxes")
    >>> trace = PlayMetrics(analyse(game.definition)).follow(game.start(0, seed=1), ["LEFT", "NIL", "RIGHT"])
    >>> len(trace.cells)
    4
    """

    def __init__(self, analysis: GameAnalysis) -> None:
        definition = analysis.definition
        self.mechanics = mechanics(definition)
        self._rules: tuple[Rule, ...] = rules_of(definition)
        self._first = len(definition.types)
        self._harmful = np.array([analysis.has(t, "harmful") for t in range(len(definition.types))], bool)

    def follow(self, start: State, actions: Sequence[str]) -> Trace:
        """Play recorded actions and note what is seen.

        Args:
            start: where the play begins; not changed.
            actions: one name per tick.
        """
        state, before = start.copy(), start.copy()
        watch = Watch(state, self._rules)
        features = np.zeros(2 * len(self._harmful), np.float64)
        cells = [_cell(state)]
        dangers = [self._danger(state, features)]
        scores = [float(state.score)]
        for action in actions:
            state.advance(action)
            watch.tick(before, state, (ACTION_ID[action], 0))
            before = state.copy()
            cells.append(_cell(state))
            dangers.append(self._danger(state, features))
            scores.append(float(state.score))
        used = watch.coverage(state).used
        fired = tuple(m.name for m in self.mechanics if self._first + m.effect in used)
        return Trace(tuple(cells), tuple(dangers), fired, tuple(scores))

    def _danger(self, state: State, features: NDArray[np.float64]) -> float:
        invoke5(all_features.address, state.context.address, state.address, 0, int(features.ctypes.data), len(features))
        near = features[1::2][self._harmful]
        near = near[near >= 0.0]
        return float(near.min()) if near.size else math.inf

    def measure(
        self, trace: Trace, actions: Sequence[str], events: Mapping[tuple[int, int], int], available: int, cells: int,
        score: float = 0.0,
    ) -> dict[str, float]:  # fmt: skip
        """Return all metrics of a play, those of users included.

        Args:
            trace: what was seen on following it.
            actions: what was played.
            events: how often types met with an effect (`Playout.events`).
            available: number of actions the avatar starts with, NIL included.
            cells: number of cells it could have visited.
            score: at the end of the play.
        """
        return measure(PLAY, WonPlay(trace, actions, events, available, cells, score, len(self.mechanics)))


def variety(events: Mapping[tuple[int, int], int]) -> float:
    """Variety of what happened, in [0, 1): 1 - 2^(-u/3) for u different pairs of types that met with an effect.

    reference/generators 12.4 counts the same pairs but squashes them so hard that three are as good as ten.

    >>> variety({(3, 1): 12, (4, 1): 1, (5, 2): 1})
    0.5
    """
    return float(1.0 - 2.0 ** (-len(events) / HALF))


def action_entropy(actions: Sequence[str], available: int) -> float:
    """Shannon entropy of the actions of a play as a share of the largest possible, in [0, 1].

    Args:
        actions: of the play.
        available: number of actions there were to choose from; at least as many as were used.

    >>> action_entropy(["UP", "UP", "LEFT", "LEFT"], 4)
    0.5
    """
    counts = Counter(actions)
    most = max(available, len(counts))
    if len(counts) < 2:
        return 0.0
    shares = [n / len(actions) for n in counts.values()]
    return min(1.0, -math.fsum(p * math.log2(p) for p in shares) / math.log2(most))


def coverage(trace: Trace, cells: int) -> float:
    """Share of `cells` on which the avatar is found at some time of a play, in [0, 1]."""
    visited = {cell for cell in trace.cells if cell is not None}
    return min(1.0, len(visited) / cells) if cells > 0 else 0.0


def first_danger(trace: Trace) -> int:
    """Ticks until something harmful is first within `NEAR` cells of the avatar; all of the play's if it never is."""
    return next((k for k, distance in enumerate(trace.dangers) if distance <= NEAR), len(trace.dangers) - 1)


@metric("solution_length", "ticks of the winning play", 0, None, stage=PLAY, unit="ticks", source=KHALIFA, whole=True)
def _solution_length(play: WonPlay) -> float:
    return len(play.actions)


@metric("score", "score of the winning play", -math.inf, None, stage=PLAY, unit="points")
def _score(play: WonPlay) -> float:
    return play.score


@metric("action_entropy", "how evenly the winning play uses the avatar's actions", 0, 1, stage=PLAY, source=SHANNON)
def _action_entropy(play: WonPlay) -> float:
    return action_entropy(play.actions, play.available)


@metric("coverage", "share of the cells within reach that the winning play visits", 0, 1, stage=PLAY, source=LIAPIS)
def _coverage(play: WonPlay) -> float:
    return coverage(play.trace, play.cells)


@metric(
    "pairs", "different pairs of types that meet with an effect, avatar or shot taking part", stage=PLAY, unit="pairs",
    source=KHALIFA, whole=True,
)  # fmt: skip
def _pairs(play: WonPlay) -> float:
    return len(play.events)


@metric("variety", "the same on a scale that nears 1: one half at three pairs", 0, 1, stage=PLAY, source=KHALIFA)
def _variety(play: WonPlay) -> float:
    return variety(play.events)


@metric(
    "mechanics", "rules of the game that take effect in the winning play", stage=PLAY, unit="rules", source=CHARITY,
    whole=True,
)  # fmt: skip
def _mechanics(play: WonPlay) -> float:
    return len(play.trace.mechanics)


@metric(
    "mechanics_share", "share of the game's rules that take effect in the winning play", 0, 1, stage=PLAY,
    source=CHARITY,
)  # fmt: skip
def _mechanics_share(play: WonPlay) -> float:
    return len(play.trace.mechanics) / play.rules if play.rules else 0.0


@metric(
    "first_danger", "tick at which danger first comes within two cells; the play's length when it never does",
    stage=PLAY, unit="ticks", source=SURVIVAL, whole=True,
)  # fmt: skip
def _first_danger(play: WonPlay) -> float:
    return first_danger(play.trace)


def _cell(state: State) -> Cell | None:
    slot = int(state.header.avatar0)
    if slot < 0:
        return None
    avatar = state.context.moving(state.address)[slot]
    size = state.block_size
    return (int(avatar["y"]) + int(avatar["h"]) // 2) // size, (int(avatar["x"]) + int(avatar["w"]) // 2) // size
