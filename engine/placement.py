"""Placements of a level: the sprites that the level keeps, those that can move, and their cells.

The sprites that a level creates do not depend on rules, and which of them stay in the level for good depends on very
little of the rules. So the sprite set of a game remembers its last levels, and a level that was seen under other rules
is ready at once (`vgdl.rule_compiler`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pcg.engine.kernel import layout as L
from pcg.engine.vgdl.definition import GameDefinition, Level
from pcg.engine.vgdl.facts import set_of
from pcg.engine.vgdl.lru_cache import Recent
from pcg.engine.vgdl.sprite_tables import SpriteTables

_SPLITS_KEPT = 64
_MAX_COUNTER = 10_000


class Placement:
    """The sprites of a level for one division into fixed and moving ones. Arrays are not to be changed.

    Attributes:
        level_sprites: SPRITE records of those that never move, by type; those that can die come first.
        level_start: int32[types, 2], first of `level_sprites` of a type, and how many.
        level_corners: int32[2, n_level], their x and their y, pixels.
        n_level, n_mortal: how many there are, and how many of them can die.
        cell_start, cell_items, cell_mask, level_mates: them by cell (`kernel.layout.CONTEXT`).
        moving: int64[n, 4], type, x, y and id of the others, in order of creation.
        avatars: places in `moving` of the players' avatars, in the order of the players.
    """

    def __init__(
        self,
        definition: GameDefinition,
        level: Level,
        placed: Any,
        templates: Any,
        avatars: Any,
        fixed: int,
        mortal: int,
    ) -> None:
        types = placed[:, 0]
        count = len(definition.types)
        stays = np.array([fixed >> t & 1 for t in range(count)], np.bool_)[types]
        here = placed[stays]
        dies = np.array([mortal >> t & 1 for t in range(count)], np.bool_)[here[:, 0]]
        here = here[np.lexsort((here[:, 3], here[:, 0], ~dies))]
        size = level.block_size
        self.n_level, self.n_mortal = len(here), int(dies.sum())
        self.level_start = np.zeros((count, 2), np.int32)
        self.level_start[:, 1] = np.bincount(here[:, 0], minlength=count)
        order = np.arange(len(here))
        self.level_start[here[::-1, 0], 0] = order[::-1]
        self.level_sprites = np.zeros(max(1, len(here)), L.SPRITE)
        if len(here):
            records = self.level_sprites
            records[:] = templates[here[:, 0]]
            records["id"], records["slot"], records["level"], records["next"] = here[:, 3], -1, order, -1
            records["x"] = records["lx"] = here[:, 1] * size
            records["y"] = records["ly"] = here[:, 2] * size
        self.level_corners = np.ascontiguousarray(here[:, 1:3].T * size, dtype=np.int32)
        self._sort_by_cell(level, here)
        self.moving = np.ascontiguousarray(placed[~stays])
        self.moving[:, 1:3] *= size
        # reference/language 2.1.9: the draw order backwards, its first entry never looked at, then all reversed
        kinds = self.moving[:, 0]
        found = [int(k) for t in reversed(definition.draw_order[1:]) if avatars[t] for k in np.flatnonzero(kinds == t)]
        self.avatars = list(reversed(found))[: definition.players]

    def _sort_by_cell(self, level: Level, here: Any) -> None:
        """Level sprites by cell: int32[cells + 1] starts, their numbers in order, int64[cells] masks of their types."""
        cells = level.width * level.height
        cell = here[:, 2] * level.width + here[:, 1]
        order = np.argsort(cell, kind="stable")
        self.cell_start = np.zeros(cells + 1, np.int32)
        np.cumsum(np.bincount(cell, minlength=cells)[:cells], out=self.cell_start[1:])
        mask = np.zeros(cells, np.uint64)
        np.bitwise_or.at(mask, cell, np.left_shift(np.uint64(1), (here[:, 0] & 63).astype(np.uint64)))
        self.cell_items = np.ascontiguousarray(order if len(order) else np.zeros(1), dtype=np.int32)
        self.cell_mask = mask.view(np.int64)
        self.level_mates = np.full(max(1, len(here)), -1, np.int64)
        if len(here):
            self._look_around(level, here[:, 0] & 63, cell)

    def _look_around(self, level: Level, kinds: Any, cell: Any) -> None:
        """Note the neighbours of each level sprite that lies in one cell; those of larger ones are looked up."""
        records, size = self.level_sprites, level.block_size
        single = (records["w"] > 0) & (records["w"] <= size) & (records["h"] > 0) & (records["h"] <= size)
        records["near"] = np.where(single, self.cell_mask[cell], records["near"])
        # a sprite is its own neighbour, but no mate
        _, place, counts = np.unique(cell * 64 + kinds, return_inverse=True, return_counts=True)
        own = np.where(counts[place] > 1, 0, np.left_shift(np.uint64(1), kinds.astype(np.uint64)).view(np.int64))
        self.level_mates[:] = np.where(single, self.cell_mask[cell] & ~own, -1)


class LevelPlan:
    """Sprites that a sprite set creates on a level (reference/language 2.1.4, 2.1.5, 2.1.7).

    Attributes:
        placed: int64[n, 4], type, column, row and id, in order of creation.
        present: the types that the level names, as a set.
        next_id: the next sprite's id.
        counter: the sprite counter.
        paths: the path-finder's table, once it was needed.
    """

    def __init__(self, typed: SpriteTables, level: Level) -> None:
        definition = typed.definition
        self.level = level
        self.present = set_of({t for t, _, _ in level.placements})
        self.paths: Any = None
        self._splits: Recent[tuple[int, int], Placement] = Recent(_SPLITS_KEPT)
        avatar = [bool(bits & L.T_AVATAR) for bits in typed.types["bits"].tolist()]
        singles = [
            [definition.types[u].subtypes for u in t.path if definition.types[u].singleton] for t in definition.types
        ]
        counts = [0] * len(definition.types)
        placed: list[tuple[int, int, int, int]] = []
        next_id = avatars = counter = 0
        for t, column, row in level.placements:
            if counter > _MAX_COUNTER or any(sum(counts[v] for v in subtypes) > 0 for subtypes in singles[t]):
                continue
            sprite_id, next_id, counter = next_id, next_id + 1, counter + 1
            if avatar[t]:
                avatars += 1
                if avatars > definition.players:
                    # a surplus avatar is created and taken out again: it has used an id, and still counts
                    continue
            counts[t] += 1
            placed.append((t, column, row, sprite_id))
        self.placed = np.array(placed, np.int64).reshape(-1, 4)
        self.next_id, self.counter = next_id, counter

    def split(self, typed: SpriteTables, fixed: int, killed: int) -> Placement:
        """The placement when the types `fixed` stay in the level, and rules can kill the types `killed`."""
        fixed &= self.present
        mortal = killed & fixed
        found = self._splits.get((fixed, mortal))
        if found is None:
            templates = typed.sized(self.level.block_size)[2]
            avatars = typed.types["bits"] & L.T_AVATAR_CLASS
            made = Placement(typed.definition, self.level, self.placed, templates, avatars, fixed, mortal)
            found = self._splits.put((fixed, mortal), made)
        return found


def plan_of(typed: SpriteTables, level: Level) -> LevelPlan:
    """The plan of a level for a sprite set; the last ones are kept."""
    plans: Recent[tuple[tuple[str, ...], int], LevelPlan] = typed.plans
    key = (level.rows, level.block_size)
    found = plans.get(key)
    if found is None or (found.level is not level and found.level.placements != level.placements):
        found = plans.put(key, LevelPlan(typed, level))
    return found
