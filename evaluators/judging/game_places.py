"""Places where sprites should not be: outside the map, and inside what stops others.

Movers that leave the map or walk through walls are the surest sign of rules that nobody has thought through. A rule for
a meeting is taken at its word: who is teleported, pushed or killed by a wall is where the rules want it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from pcg.engine.state import State
from pcg.engine.vgdl.ontology import SPRITE_CLASSES
from pcg.evaluators.judging.game_kinds import GameKinds

_MOVERS = ("avatar", "chaser", "wanderer", "missile", "walker", "shot")
_MINDED = ("chaser", "wanderer", "walker")
"""Kinds that find their way; what only flies on may leave the map unseen."""
_LOOKS = 8
"""Moments of a play that are looked at."""


@dataclass(frozen=True)
class Astray:
    """Counts of sprites by where they are, over the moments of some plays.

    Attributes:
        movers: all that get about, avatars not included.
        outside: of them those that have left the map.
        inside: of them those in a cell with something solid that no rule lets them meet.
        minded: of the movers those that find their way: chasers, wanderers, walkers.
        minded_lost: of them those outside or inside.
        avatars: avatars.
        avatars_lost: of them those outside, or inside of something solid.
        goals_gone: sprites that have to go for a win, a cell or more outside the map, where nothing gets at them.
    """

    movers: int = 0
    outside: int = 0
    inside: int = 0
    minded: int = 0
    minded_lost: int = 0
    avatars: int = 0
    avatars_lost: int = 0
    goals_gone: int = 0

    def __add__(self, other: Astray) -> Astray:
        return Astray(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def movers_share(self) -> float:
        """Share of the movers that are where they should not be."""
        return (self.outside + self.inside) / self.movers if self.movers else 0.0

    @property
    def minded_share(self) -> float:
        """Share of the movers that find their way that are where they should not be."""
        return self.minded_lost / self.minded if self.minded else 0.0

    @property
    def avatars_share(self) -> float:
        """Share of the moments in which the avatar is where it should not be."""
        return self.avatars_lost / self.avatars if self.avatars else 0.0


def solids(kinds: GameKinds, avatars: bool) -> frozenset[int]:
    """Types that stand still and, by the rules, stop most kinds of avatars, or else most of what moves and is none; and
    the frame of the levels where it stops anything.
    """
    analysis = kinds.analysis
    standing = set(kinds.of("frame", "static")) - analysis.moved
    frame = set(kinds.of("frame"))
    group = [t for t in kinds.of(*_MOVERS) if (kinds.kinds[t] == "avatar") == avatars]
    found = set()
    for wall in standing:
        stopped = {
            a for (a, b), listed in analysis.meetings.items() if b == wall and any(c.kind == "block" for c in listed)
        }
        if 2 * len(stopped & set(group)) > len(group) or (wall in frame and stopped):
            found.add(wall)
    return frozenset(found)


def homes(kinds: GameKinds) -> frozenset[tuple[int, int]]:
    """Pairs of types that levels put in one cell: the second is where the first belongs."""
    index = kinds.definition.type_index
    listed = [[index[name] for name in names if name in index] for names in kinds.definition.mapping.values()]
    return frozenset((a, b) for types in listed for a in types for b in types if a != b)


def astray(kinds: GameKinds, state: State, actions: Sequence[str]) -> Astray:
    """Count sprites that are where they should not be at some moments of a play.

    Args:
        kinds: of the game's sprites.
        state: before the first tick; it is played on. Where sprites may multiply its context has a limit
            (`Context.limit`).
        actions: of the play.
    """
    every = max(1, len(actions) // _LOOKS)
    found = Astray()
    solid, home = (solids(kinds, True), solids(kinds, False)), homes(kinds)
    for k, action in enumerate(actions):
        if state.is_over:
            break
        state.advance(action)
        if (k + 1) % every == 0 and not state.is_over:
            found += _look(kinds, solid, home, state)
    return found


def _look(
    kinds: GameKinds, solid: tuple[frozenset[int], frozenset[int]], home: frozenset[tuple[int, int]], state: State
) -> Astray:
    context = state.context
    block = context.level.block_size
    width, height = context.level.width * block, context.level.height * block
    ruled = kinds.analysis.meetings
    wanted = {t for ending in kinds.analysis.wins if ending.kind == "vanish" for t in ending.types}
    for_avatars, for_others = solid
    walls: dict[tuple[int, int], int] = {}
    movers = []
    for t, r in state.records():
        kind = kinds.kinds.get(t, "static")
        if t in for_avatars or t in for_others:
            walls[int(r["x"]) // block, int(r["y"]) // block] = t
        elif kind in _MOVERS or t in wanted:
            movers.append((t, kind, int(r["x"]), int(r["y"]), int(r["w"]), int(r["h"])))
    counts = dict.fromkeys(_FIELDS, 0)
    blows = {t for t in kinds.of("shot") if not _flies(kinds, t)}
    for t, kind, x, y, w, h in movers:
        avatar = kind == "avatar"
        wall = walls.get(((x + w // 2) // block, (y + h // 2) // block))
        outside = x + w <= 0 or y + h <= 0 or x >= width or y >= height
        far = x + w <= -block or y + h <= -block or x >= width + block or y >= height + block
        counts["goals_gone"] += far and t in wanted
        if kind not in _MOVERS or t in blows:
            continue
        inside = False
        if not outside and wall is not None and wall in (for_avatars if avatar else for_others):
            inside = (t, wall) not in home and not ruled.get((t, wall)) and not ruled.get((wall, t))
        if avatar:
            counts["avatars"] += 1
            counts["avatars_lost"] += outside or inside
            continue
        counts["movers"] += 1
        counts["outside"] += outside
        counts["inside"] += inside
        if kind in _MINDED:
            counts["minded"] += 1
            counts["minded_lost"] += outside or inside
    return Astray(**counts)


def _flies(kinds: GameKinds, type_id: int) -> bool:
    """Return True for a shot that moves; a blow of a sword goes nowhere, into a wall no more than elsewhere."""
    spec = SPRITE_CLASSES.get(str(kinds.definition.types[type_id].class_name))
    return spec is None or spec.moves


_FIELDS = tuple(field.name for field in fields(Astray))
