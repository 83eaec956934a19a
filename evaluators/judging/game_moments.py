"""Moments of a play: what a player could have done at some of them, and what would have become of it.

From moments spread over a recorded play every action is tried and followed by chance for some ticks, with the same
random numbers for all. The spread of the values of actions tells decisions that matter; ends by death tell near misses;
the values over time tell how long the end is open, falls that are made good, and changes of the lead: uncertainty,
drama and lead change as Browne and Maire measure them in board games (Evolutionary Game Design, 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pcg.engine.state import Outcome, State
from pcg.evaluators.judging.game_plays import GamePlay, GamePlays

MOMENTS = 10
"""Moments of a play that are looked at."""
FUTURES = 4
"""Futures of each action."""
AHEAD = 24
"""Ticks of a future."""
MATTERS = 0.08
"""Difference of values from which on it matters what is done."""


@dataclass(frozen=True)
class Moments:
    """Measures of the moments of a play, all in [0, 1].

    Attributes:
        decisions: share of the moments in which it matters what is done.
        risk: share of the moments in which some future of a few ticks is lost.
        narrow: share of the moments in which some actions lead to a loss and others do not: near misses.
        open: share of the play until the outcome is foreseen for good.
        falls: largest fall of the value that is made good later.
        changes: changes between rising and falling values, as a share of the most there can be.
    """

    decisions: float = 0.0
    risk: float = 0.0
    narrow: float = 0.0
    open: float = 0.0
    falls: float = 0.0
    changes: float = 0.0


def moments(plays: GamePlays, play: GamePlay, seed: int) -> Moments:
    """Look at moments of a play.

    Args:
        plays: of the game.
        play: of a capable player.
        seed: of the futures.
    """
    rng = np.random.default_rng([seed, play.level])
    start = plays.game.start(plays.levels[play.level], play.seed)
    before = start.model.type_counts(start.address)
    at = sorted({int(k) for k in np.linspace(0, max(0, len(play.actions) - 2), MOMENTS)})
    scale = max(1.0, abs(play.score))
    values, spreads, deaths = [], [], []
    state = start
    for k in range(len(play.actions)):
        if state.is_over or k > at[-1]:
            break
        if k in at:
            means, lost = _look(plays, state, before, scale, rng)
            if means:
                values.append(math.fsum(means) / len(means))
                spreads.append(max(means) - min(means))
                deaths.append(lost)
        state.advance(play.actions[k])
    if not values:
        return Moments()
    n = len(values)
    sure = next((k for k in range(n) if all(v > 0.85 or v < 0.15 for v in values[k:])), n)
    rising = np.sign(np.round(np.diff(values), 3))
    turns = [a for a in rising if a]
    return Moments(
        decisions=sum(s > MATTERS for s in spreads) / n,
        risk=sum(max(d) > 0.0 for d in deaths) / n,
        narrow=sum(max(d) - min(d) >= 0.5 for d in deaths) / n,
        open=sure / n,
        falls=min(1.0, max((max(values[:k]) - v for k, v in enumerate(values) if k), default=0.0)) if play.won else 0.0,
        changes=sum(a != b for a, b in pairwise(turns)) / max(1, n - 2),
    )


def _look(
    plays: GamePlays, state: State, before: Sequence[int], scale: float, rng: np.random.Generator
) -> tuple[list[float], list[float]]:
    """Mean value of each action's futures, and the share of them that are lost."""
    names = ("NIL", *state.actions)
    draws = rng.integers(len(names), size=(FUTURES, AHEAD)).tolist()
    seeds = [int(s) for s in rng.integers(1 << 31, size=FUTURES)]
    now = float(state.score)
    means, lost = [], []
    for action in names:
        total = dead = 0.0
        for draw, seed in zip(draws, seeds, strict=True):
            future = state.copy()
            if state.model.stochastic:
                future.reseed(seed)
            future.advance(action)
            for k in draw:
                if future.is_over:
                    break
                future.advance(names[k])
            if future.winner == Outcome.PLAYER_WINS:
                total += 1.0
            elif future.winner == Outcome.PLAYER_LOSES:
                dead += 1.0
            else:
                after = future.model.type_counts(future.address)
                near = plays.progress(before, after, 0, False)
                gain = max(-1.0, min(1.0, (float(future.score) - now) / scale))
                total += 0.4 + 0.2 * near + 0.15 * gain
        means.append(total / FUTURES)
        lost.append(dead / FUTURES)
    return means, lost
