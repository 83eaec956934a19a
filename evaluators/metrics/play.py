"""Measures of one play: how varied it is, and how much of the level it visits.

They describe what happened; whether that is good is for a fitness function to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pcg.engine.state import State

HALF = 3
"""Number of different events at which `variety` is one half."""


def variety(events: Mapping[tuple[int, int], int]) -> float:
    """Variety of what happened, in [0, 1): 1 - 2^(-u/3) for u different pairs of types that met with an effect.

    Spec 04 section 2.4 counts the same pairs but squashes them so hard that three are as good as ten.

    >>> variety({(3, 1): 12, (4, 1): 1, (5, 2): 1})
    0.5
    """
    return float(1.0 - 2.0 ** (-len(events) / HALF))


def path_coverage(start: State, actions: Sequence[Any], cells: int) -> float:
    """Share of `cells` on which the avatar's centre is found at some time of a play, in [0, 1].

    Args:
        start: where the play begins; not changed.
        actions: the play, one per tick.
        cells: number of cells it could have visited.
    """
    state = start.copy()
    size = state.block_size
    visited = set()
    for action in (None, *actions):
        if action is not None:
            state.advance(action)
        avatar = state.avatar
        if avatar is not None:
            visited.add(((avatar.y + avatar.h // 2) // size, (avatar.x + avatar.w // 2) // size))
    return min(1.0, len(visited) / cells) if cells > 0 else 0.0


def final_state(start: State, actions: Sequence[Any]) -> State:
    """The state at the end of a play."""
    state = start.copy()
    for action in actions:
        state.advance(action)
    return state


def type_counts(state: State) -> dict[int, int]:
    """Sprites of each type in a state, disabled ones left out as terminations do."""
    counts: dict[int, int] = {}
    for sprite in state.sprites():
        if not sprite.disabled:
            counts[sprite.type] = counts.get(sprite.type, 0) + 1
    return counts
