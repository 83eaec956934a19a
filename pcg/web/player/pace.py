"""Pace of a game for a person: ticks per second, or by turn, where nothing happens without a key.

A game goes by turn when its rules say that nothing in it moves or comes about by itself and the avatar stays where it
is when no key is pressed; everything else runs on.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, analyse

TICKS_PER_SECOND = 20.0
TURNS_PER_SECOND = 12.0
"""Turns per second while a key is held."""
FASTEST = 60.0
SLOWEST = 0.5

_STAYING_AVATARS = frozenset({"MovingAvatar", "HorizontalAvatar", "VerticalAvatar", "OrientedAvatar", "ShootAvatar",
                              "NullAvatar", "ShootOnlyAvatar"})  # fmt: skip
"""Avatar classes that stand still until a key is pressed."""


@dataclass(frozen=True, slots=True)
class Pace:
    """`ticks_per_second` of a running game, or `by_turn` the most turns a second while a key is held.

    Raises:
        PcgError: for a number outside 0.5 to 60.
    """

    ticks_per_second: float = TICKS_PER_SECOND
    by_turn: bool = False

    def __post_init__(self) -> None:
        if not SLOWEST <= self.ticks_per_second <= FASTEST:
            raise PcgError(f"{self.ticks_per_second:g} ticks a second: expected {SLOWEST:g} to {FASTEST:g}")


def natural_pace(game: Game) -> Pace:
    """The pace at which a game is played unless someone asks for another.

    >>> import pcg
    >>> natural_pace(pcg.load("boxes")).by_turn, natural_pace(pcg.load("invaders")).by_turn
    (True, False)
    """
    return Pace(TURNS_PER_SECOND, True) if _waits(analysis_of(game)) else Pace()


_analyses: WeakKeyDictionary[Game, GameAnalysis] = WeakKeyDictionary()


def analysis_of(game: Game) -> GameAnalysis:
    """Return the analysis of a game's rules, made once per game object: hundreds of plays begin with it."""
    found = _analyses.get(game)
    if found is None:
        found = _analyses[game] = analyse(game.definition)
    return found


def _waits(analysis: GameAnalysis) -> bool:
    """Return True if the game stands still while nobody presses a key."""
    types = analysis.definition.types
    for t in analysis.concrete:
        kind = types[t]
        if analysis.has(t, "avatar"):
            if kind.class_name not in _STAYING_AVATARS:
                return False
        elif analysis.has(t, "mover") or analysis.has(t, "spawner"):
            return False
        if kind.params.get("physicstype", 0) != 0:
            return False
    timed = bool(analysis.definition.time_effects)
    return not timed and not any(ending.kind == "timeout" for ending in analysis.endings)
