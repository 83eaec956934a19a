"""Places where sprites should not be: outside the map, and inside what stops others.

Movers that leave the map or walk through walls are the surest sign of rules that nobody has thought through. A rule for
a meeting is taken at its word: who is teleported, pushed or killed by a wall is where the rules want it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pcg.engine.arrays import StateArrays
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
    lookout = _Lookout(kinds, state)
    for k, action in enumerate(actions):
        if state.is_over:
            break
        state.advance(action)
        if (k + 1) % every == 0 and not state.is_over:
            lookout.look(state)
    return Astray(*lookout.counts.tolist())


class _Lookout:
    """Counts over moments of the plays of one level.

    Args:
        kinds: of the game's sprites.
        state: of a play of the level.
    """

    def __init__(self, kinds: GameKinds, state: State) -> None:
        context, types = state.context, len(kinds.definition.types)
        self.block = context.level.block_size
        self.columns, self.rows = context.level.width, context.level.height
        self.counts = np.zeros(len(fields(Astray)), np.int64)
        self._ruled = kinds.analysis.meetings
        self._home = homes(kinds)

        def flags(chosen: Iterable[int]) -> NDArray[np.bool_]:
            found = np.zeros(types, np.bool_)
            found[list(chosen)] = True
            return found

        def of(*names: str) -> NDArray[np.bool_]:
            return flags(t for t, kind in kinds.kinds.items() if kind in names)

        self._stops_avatars, self._stops_others = (flags(solids(kinds, avatars)) for avatars in (True, False))
        self._solid = self._stops_avatars | self._stops_others
        blows = flags(t for t in kinds.of("shot") if not _flies(kinds, t))
        self._movers = of(*_MOVERS) & ~blows & ~self._solid
        self._avatars, self._minded = of("avatar"), of(*_MINDED)
        wanted = flags({t for ending in kinds.analysis.wins if ending.kind == "vanish" for t in ending.types})
        self._wanted = wanted & ~self._solid

    def look(self, state: State) -> None:
        """Count the sprites of a state."""
        arrays, block = StateArrays(state), self.block
        moving, level = arrays.moving, arrays.level
        moving = moving[moving["id"] >= 0]
        level = level[arrays.alive & (self._solid | self._movers | self._wanted)[level["type"]]]
        kind, identity, x, y, w, h = (
            np.concatenate([moving[name], level[name]]).astype(np.int64) for name in ("type", "id", "x", "y", "w", "h")
        )
        walls = np.full((self.rows, self.columns), -1)
        columns, rows = x // block, y // block
        within = (columns >= 0) & (rows >= 0) & (columns < self.columns) & (rows < self.rows)
        standing = np.flatnonzero(self._solid[kind] & within)
        # of several in a cell the last one counts
        standing = standing[np.lexsort((identity[standing], kind[standing]))]
        walls[rows[standing], columns[standing]] = kind[standing]

        width, height = self.columns * block, self.rows * block
        outside = (x + w <= 0) | (y + h <= 0) | (x >= width) | (y >= height)
        far = (x + w <= -block) | (y + h <= -block) | (x >= width + block) | (y >= height + block)
        counted = self._movers[kind]
        inside = np.zeros(len(kind), np.bool_)
        columns, rows = (x + w // 2) // block, (y + h // 2) // block
        within = (columns >= 0) & (rows >= 0) & (columns < self.columns) & (rows < self.rows)
        for k in np.flatnonzero(counted & ~outside & within).tolist():
            wall, t = int(walls[rows[k], columns[k]]), int(kind[k])
            if wall >= 0 and (self._stops_avatars if self._avatars[t] else self._stops_others)[wall]:
                pair, back = (t, wall), (wall, t)
                inside[k] = pair not in self._home and not self._ruled.get(pair) and not self._ruled.get(back)
        avatars = counted & self._avatars[kind]
        movers = counted & ~avatars
        minded = movers & self._minded[kind]
        lost = outside | inside
        groups = (
            movers, movers & outside, movers & inside, minded, minded & lost, avatars, avatars & lost,
            far & self._wanted[kind],
        )  # fmt: skip
        self.counts += [np.count_nonzero(group) for group in groups]


def _flies(kinds: GameKinds, type_id: int) -> bool:
    """Return True for a shot that moves; a blow of a sword goes nowhere, into a wall no more than elsewhere."""
    spec = SPRITE_CLASSES.get(str(kinds.definition.types[type_id].class_name))
    return spec is None or spec.moves
