"""Outcomes of players, events of a tick, and the categories that observations sort sprites into."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

CATEGORIES = ("avatar", "resource", "portal", "npc", "static", "from-avatar", "movable")
"""Observation categories, index = the reference's category number (reference/state 6.5)."""


class Outcome(IntEnum):
    """Outcome of a player; the values are the reference's result keys (reference/loop 3.10)."""

    NO_WINNER = -1
    PLAYER_LOSES = 0
    PLAYER_WINS = 1


@dataclass(frozen=True, slots=True)
class Event:
    """A collision in which the avatar, or something it made, took part (reference/state 6.4). Types are type ids."""

    tick: int
    from_avatar: bool
    active: int
    passive: int
    active_id: int
    passive_id: int
    x: int
    y: int
