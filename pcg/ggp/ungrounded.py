"""Play of rule sheets that cannot be grounded: flat Monte-Carlo over states that are computed by resolution.

The compiled agents need a propositional network. Where there is none, the player tries its own legal moves in turn,
with one random playout each, and takes the best mean, the first one when equal.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pcg.engine.gdl.game import SheetState

_LONGEST = 1000
"""Ticks of a playout; one that reaches no end counts as nothing won."""


def best_mean(state: SheetState, role: int, draw: random.Random, until: float, first: list[str]) -> str:
    """The move with the best mean of random playouts.

    Args:
        state: the position; not changed.
        role: number of the role to move for.
        draw: where random moves come from.
        until: by `time.monotonic`, when to stop.
        first: gets the best move known after every playout.
    """
    game = state.game
    legal = state.legal(role)
    totals, visits = [0.0] * len(legal), [0] * len(legal)
    first.append(legal[0])
    number = 0
    while time.monotonic() < until:
        own = number % len(legal)
        number += 1
        play, moves = state.copy(), [draw.choice(state.legal(other)) for other in range(len(game.roles))]
        moves[role] = legal[own]
        for _ in range(_LONGEST):
            play.advance(moves)
            if play.is_over or time.monotonic() >= until:
                break
            moves = [draw.choice(play.legal(other)) for other in range(len(game.roles))]
        if not play.is_over and time.monotonic() >= until:
            break  # cut short: it says nothing
        totals[own] += max((0, *play.goals[game.roles[role]])) if play.is_terminal else 0
        visits[own] += 1
        means = [total / count if count else -1.0 for total, count in zip(totals, visits, strict=True)]
        first[0] = legal[means.index(max(means))]
    return first[0]
