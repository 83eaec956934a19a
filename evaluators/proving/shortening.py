"""Shorter wins: what a search did without need is taken out of its play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.kernel.runtime import invoke4
from pcg.engine.state import State
from pcg.evaluators.proving import kernel

_LONGEST = 64
"""Actions that are taken out at a time, at most."""


def shorten(start: State, actions: Sequence[str], calls: int) -> tuple[tuple[str, ...], int]:
    """Take out of a win what it does not need: runs of actions, long ones first, without which it still is a win.

    Delta debugging of plays (after Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, 2002).

    Args:
        start: where the play begins; not changed.
        actions: that win.
        calls: ticks that may be simulated.

    Returns:
        Actions that win from `start`, no more than were given, and the ticks simulated.
    """
    kept = list(actions)
    spent = 0
    size = _LONGEST
    while size > len(kept) // 2 and size > 1:
        size //= 2
    while size >= 1:
        at, before = 0, start.copy()
        while at < len(kept):
            if spent + len(kept) > calls:
                return tuple(kept), spent
            ticks = _ticks_to_win(before, kept[at + size :])
            spent += abs(ticks)
            if ticks > 0:
                kept = [*kept[:at], *kept[at + size : at + size + ticks]]
                continue
            for action in kept[at : at + size]:
                before.advance(action)
            spent += size
            at += size
        size //= 2
    return tuple(kept), spent


def _ticks_to_win(state: State, actions: Sequence[str]) -> int:
    """Ticks of a play until it is won, negative for one that is not won."""
    codes = np.array([ACTION_ID[action.removeprefix("ACTION_")] for action in actions], dtype=np.int64)
    played = state.copy()
    ticks = invoke4(kernel.ticks_to_win.address, played.model.address, played.address, codes.ctypes.data, len(codes))
    if ticks or not actions:
        return int(ticks)
    played = state.copy()  # tick by tick, which makes room
    for tick, action in enumerate(actions, 1):
        played.advance(action)
        if played.is_over:
            return tick if played.winner == 1 else -tick
    return -len(actions)
