"""Constructive completion of a level that a person has begun: locked cells stay, the rest is built around them.

The constructive tools (`wall_layout`, `object_placement`, `repair`) work on a level that does not let go of its locked
cells, so the result is laid out with the person's part in mind and not pasted over it. Other ways to complete a level
take the same arguments; `complete` here is the one that works for every game and never fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.targets import Target, sprites_of
from pcg.generators.levels.constructive.generator import draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.level_conventions import repair_frame
from pcg.generators.levels.object_counts import Counts, draw_counts
from pcg.generators.levels.object_placement import in_formation, place_avatar, place_object
from pcg.generators.levels.repair.by_rules import repair, repair_object_counts, repair_reachability
from pcg.generators.levels.wall_layout import STYLES, join_regions, lay_lanes, place_filler

TRIES = 4
"""Levels built for each one wanted; the soundest are kept."""
MENDS = 4
"""Times that objects which found no place are tried again."""


class LockedLevelBuilder(LevelBuilder):
    """A level builder whose locked cells keep their tiles, whatever builders do.

    Args:
        context: of the game.
        grid: tiles, shape (height, width); those of locked cells count.
        locked: bools of the same shape.
    """

    def __init__(self, context: LevelContext, grid: Grid, locked: NDArray[np.bool_]) -> None:
        super().__init__(context, grid.copy())
        self.locked = locked
        self._kept = grid.copy()

    def put(self, cell: tuple[int, int], tile: int) -> None:
        """Set a cell, unless it is locked."""
        if not self.locked[cell]:
            super().put(cell, tile)

    def invalidate(self) -> None:
        """Builders that wrote to the grid directly call this: locked cells come back."""
        self.grid[self.locked] = self._kept[self.locked]
        super().invalidate()

    def free(self) -> NDArray[np.bool_]:
        """Bare cells that may be built on."""
        return super().free() & ~self.locked


def complete(
    context: LevelContext,
    partial: str,
    locked: NDArray[np.bool_],
    rng: np.random.Generator,
    targets: Sequence[Target] = (),
    count: int = 1,
) -> list[str]:
    """Up to `count` different levels that agree with `partial` on its locked cells.

    Args:
        context: of the game.
        partial: level text; cells that are not locked may hold anything.
        locked: bools, shape (height, width) of the text.
        rng: decides everything that is not locked.
        targets: of the levels that are sound, those come first that nearly have the numbers of sprites wanted; other
            targets are for the evaluation to judge.
        count: levels wanted; fewer come back when there are no more.

    Raises:
        PcgError: when the text is no level of the game or `locked` has another shape.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> locked = np.array([[char == "w" for char in row] for row in game.levels[0].split()])
    >>> made = complete(LevelContext.of(game), game.levels[0].strip(), locked, np.random.default_rng(1), count=2)
    >>> len(made)
    2
    """
    grid = context.palette.parse(partial)
    if locked.shape != grid.shape:
        raise PcgError(f"locked cells of shape {locked.shape} for a level of {grid.shape}: expected the same")
    built: dict[str, tuple[float, float]] = {}
    for _ in range(TRIES * count):
        builder = _build(context, grid, locked, rng)
        built.setdefault(builder.text(), (_soundness(builder), _satisfaction(builder, targets)))
        if sum(value == (1.0, 1.0) for value in built.values()) == count:
            break
    return sorted(built, key=lambda text: built[text], reverse=True)[:count]


def _satisfaction(builder: LevelBuilder, targets: Sequence[Target]) -> float:
    """Return the degree to which a level has the numbers of sprites wanted, in [0, 1]."""
    counts = builder.palette.count_types(builder.grid)
    found = []
    for target in targets:
        types = sprites_of(target.name, builder.context.analysis)
        if types is not None:
            found.append(target.satisfaction(sum(counts.get(t, 0) for t in types)))
    return sum(found) / len(found) if found else 1.0


def _soundness(builder: LevelBuilder) -> float:
    """Share of what winning needs that is there, at most 1."""
    return float(builder.context.requirements.satisfaction(builder.palette.count_types(builder.grid)))


def _build(context: LevelContext, grid: Grid, locked: NDArray[np.bool_], rng: np.random.Generator) -> LevelBuilder:
    """One level around the locked cells."""
    blank = LevelBuilder.blank(context, grid.shape[1], grid.shape[0]).grid
    builder = LockedLevelBuilder(context, np.where(locked, grid, blank).astype(np.int16), locked)
    if context.lanes:
        lay_lanes(builder, rng)
    share = min(0.6, context.wall_share * rng.uniform(0.7, 1.3))
    if context.walls and share > 0:
        STYLES["caves" if rng.random() < 0.2 else draw_style(context, rng)](builder, rng, share)
        # A person's walls may cut the open space in two, which a layout by itself never does.
        if not context.has_portals:
            join_regions(builder, rng)
    place_filler(builder, rng)
    builder.invalidate()
    _place_objects(builder, rng)
    repair_reachability(builder, rng)
    if _avatar_locked(builder):
        # Repair would move an avatar that stands in an unusual place, and cannot.
        repair_frame(builder)
        repair_object_counts(builder, rng)
        repair_reachability(builder, rng)
    else:
        repair(builder, rng)
    for _ in range(MENDS):
        # An object may have been meant for a locked cell, a door for a locked wall say.
        if _soundness(builder) >= 1:
            break
        repair_object_counts(builder, rng)
        repair_reachability(builder, rng)
    return builder


def _place_objects(builder: LockedLevelBuilder, rng: np.random.Generator) -> None:
    """The avatar and the objects that are not there yet."""
    if builder.avatar is None:
        place_avatar(builder, rng)
    top, left, bottom, right = builder.inside()
    wanted: Counts = draw_counts(builder.context, rng, (bottom - top) * (right - left))
    present = np.bincount(builder.grid.ravel(), minlength=len(builder.palette.tiles))
    for tile in sorted(wanted, key=lambda t: (not in_formation(builder, t), t)):
        for _ in range(wanted[tile] - int(present[tile])):
            if not place_object(builder, rng, tile):
                break


def _avatar_locked(builder: LockedLevelBuilder) -> bool:
    """Return whether an avatar stands on a locked cell."""
    return bool((np.isin(builder.grid, builder.palette.avatars) & builder.locked).any())
