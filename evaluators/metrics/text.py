"""Measures of a level's text: how dense, straight, mild, symmetric, balanced and winding it is.

They run for every candidate of a search, so each is a few array operations; the distances from the avatar are looked
up once for all. What is measured lies inside the frame, where a game's levels have one: walls that every level has say
nothing about any.

Definitions (also in docs/metrics.md) follow Smith and Whitehead (2010: linearity, leniency), Horn et al. (2014:
density), Liapis, Yannakakis and Togelius (2013: reach), Ngo, Teo and Byrne (2003: symmetry, balance) and Bullitt et al.
(2003: tortuosity), with what platforms, enemies and goals are read from the rules of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.level_grid import BLOCKED, FREE, PUSH, Grid, Palette, avatar_cells, distances
from pcg.evaluators.metrics.registry import TEXT, measure, metric
from pcg.evaluators.metrics.sources import CHANNELS, HORN, KHALIFA, LIAPIS, NGO, SMITH
from pcg.evaluators.pushing.difficulty import Difficulty
from pcg.evaluators.pushing.rules import difficulty_of
from pcg.evaluators.requirements import Requirements

PER_ROOM = 10.0
"""Cells to walk on for one danger at which `leniency` is one half."""

Steps = NDArray[np.int32]
Cell = tuple[int, int]


class LevelText:
    """A level as the metrics of the stage "text" see it. What several of them need is looked up once.

    Attributes:
        tables: what is known of the game.
        grid: tile numbers, shape (height, width).
    """

    def __init__(self, tables: TextMetrics, grid: Grid) -> None:
        self.tables = tables
        self.grid = grid

    @property
    def text(self) -> str:
        """The level text, rows joined by newlines."""
        return self.tables.palette.text(self.grid)

    def count(self, name: str) -> int:
        """Return how many sprites of a type, or of a branch of the sprite tree, the level starts with.

        Raises:
            PcgError: for a type the game does not have.
        """
        definition = self.tables.analysis.definition
        if name not in definition.type_index:
            raise PcgError(f"no sprite type `{name}`" + did_you_mean(name, definition.type_index))
        branch = definition.type_index[name]
        return sum(n for t, n in self.sprites.items() if branch in definition.types[t].path)

    @cached_property
    def sprites(self) -> Mapping[int, int]:
        """Sprites of each type that the level starts with; types without any are left out."""
        return self.tables.palette.count_types(self.grid)

    @cached_property
    def tile_counts(self) -> NDArray[np.int64]:
        """Cells of each tile, shape (tiles,)."""
        return np.bincount(self.grid.ravel(), minlength=len(self.tables.palette.tiles))

    @cached_property
    def start(self) -> Cell | None:
        """(row, column) where the avatar starts, None without one."""
        starts = avatar_cells(self.tables.palette, self.grid)
        return starts[0] if starts else None

    @cached_property
    def steps(self) -> Steps | None:
        """Steps from the avatar to every cell, -1 where it cannot get to, shape (height, width); None without one."""
        return None if self.start is None else self.tables.steps(self.grid, self.start)

    @cached_property
    def pushing(self) -> Difficulty | None:
        """Measures as a pushing puzzle; None for a level that is none, or that is not solved by few positions."""
        return difficulty_of(self.tables.analysis.definition, self.text)

    @cached_property
    def symmetries(self) -> tuple[float, float, float]:
        """Symmetry left to right, top to bottom, and in both."""
        return self.tables.symmetry(self.grid)


class TextMetrics:
    r"""Measures texts of one game's levels.

    Args:
        palette: the tiles of the game.
        required: what its levels must hold; what is needed to win must be reached.
        frame: the tile along the top, right, bottom and left edge, None where there is none.
        groups: by name the types that make up each group of sprites to be counted.

    >>> import pcg
    >>> from pcg.evaluators.fitness import LevelEvaluator
    >>> measure = LevelEvaluator(pcg.load("boxes")).text
    >>> measure.symmetry(measure.palette.parse("wwwww\nwo.ow\nw.A.w\nwwwww"))
    (1.0, 0.0, 0.0)
    """

    def __init__(
        self,
        palette: Palette,
        required: Requirements,
        frame: Sequence[int | None],
        groups: Mapping[str, frozenset[int]],
    ) -> None:
        analysis = palette.analysis
        self.palette = palette
        self.analysis = analysis
        self.required = required
        self._frame = tuple(int(side is not None) for side in frame)
        self._walkable = palette.access <= PUSH
        self.solid = palette.access == BLOCKED
        self.bare = np.zeros(len(palette.tiles), bool)
        self.bare[list(palette.grounds)] = True
        hazards = [t for t in analysis.concrete if analysis.has(t, "hazard")]
        self.hazards = palette.type_counts[:, hazards].sum(axis=1)
        self._kinds = _families(analysis, required)
        self._groups: dict[str, NDArray[np.int64]] = {
            name: palette.type_counts[:, sorted(types)].sum(axis=1) for name, types in groups.items()
        }
        self.targets = self._target_tiles(required)
        # For symmetry one ground is like another, and so is the place where the avatar starts: there is only one.
        self._looks = np.arange(len(palette.tiles), dtype=np.int16) + 1
        self._looks[self.bare] = 0
        self._looks[[i for i, t in enumerate(palette.tiles) if any(c in analysis.avatars for c in t.types)]] = 0
        self.filling = may_fill(palette)

    def _target_tiles(self, required: Requirements) -> NDArray[np.bool_]:
        needed = {need.other for need in required.needs}
        analysis = self.analysis
        return np.array([
            any(t in needed or analysis.has(t, "collectable") or analysis.has(t, "goal")
                for t in tile.content if not analysis.has(t, "avatar"))
            for tile in self.palette.tiles
        ])  # fmt: skip

    def measure(self, grid: Grid, names: Iterable[str] | None = None) -> dict[str, float]:
        """Return the metrics of a level that are defined for it, those of users included.

        Args:
            grid: the level as tile numbers.
            names: only these; None for all.
        """
        return measure(TEXT, self.level(grid), names)

    def level(self, grid: Grid) -> LevelText:
        """The level as its metrics see it."""
        return LevelText(self, grid)

    def steps(self, grid: Grid, start: Cell) -> Steps:
        """Steps from the avatar's start to every cell it can get to, -1 elsewhere."""
        mobility = self.analysis.mobility
        if mobility in ("freely", "platform"):
            return distances(self.palette, grid, start)
        line = np.zeros(grid.shape, bool)
        row = slice(None) if mobility == "vertical" else start[0]
        column = slice(None) if mobility == "horizontal" else start[1]
        line[row, column] = True
        steps = distances(self.palette, grid, start, mask=line & self._walkable[grid])
        steps[~line] = -1
        return steps

    def group_size(self, name: str, counts: NDArray[np.int64]) -> int:
        """Sprites of a group.

        Args:
            name: one of the groups.
            counts: cells of each tile, shape (tiles,).
        """
        return int(counts @ self._groups[name])

    def group_tiles(self, name: str) -> NDArray[np.int64]:
        """Return how many sprites of a group each tile creates, shape (tiles,)."""
        return self._groups[name]

    @property
    def families(self) -> tuple[frozenset[int], ...]:
        """The game's kinds of sprites that levels can show, as types."""
        return self._kinds

    def kinds(self, counts: Mapping[int, int]) -> float:
        """Share of the game's kinds of sprites that occur.

        Args:
            counts: sprites of each type; those that are missing do not occur.
        """
        if not self._kinds:
            return 1.0
        return sum(any(counts.get(t) for t in family) for family in self._kinds) / len(self._kinds)

    # -- amounts -------------------------------------------------------------------------------------------------------

    def inside(self, grid: Grid) -> Grid:
        """The part inside the frame (all of it where there would be nothing left)."""
        top, right, bottom, left = self._frame
        inner = grid[top : grid.shape[0] - bottom, left : grid.shape[1] - right]
        return inner if inner.size else grid

    def cover(self, grid: Grid) -> float:
        """Share of the cells inside the frame that are not bare, in [0, 1].

        Bare are the grounds, and a tile to walk through that makes up most of the level (earth to dig, pellets
        everywhere).
        """
        top, right, bottom, left = self._frame
        inner = grid[top : grid.shape[0] - bottom, left : grid.shape[1] - right]
        if not inner.size:
            return 0.0
        counts = np.bincount(inner.ravel(), minlength=len(self.palette.tiles))
        bare = self.bare | (self.filling & (counts > 0.4 * inner.size))
        return 1.0 - int(counts[bare].sum()) / inner.size

    def density(self, grid: Grid) -> float:
        """Share of the cells inside the frame that stop the avatar for good, in [0, 1]."""
        return float(self.solid[self.inside(grid)].mean())

    def leniency(self, grid: Grid) -> float:
        """Mildness of a level, in (0, 1]: 2^(-10 d), d the dangers for each cell to walk on.

        An enemy counts 1, a hazard that stands still one half.
        """
        counts = np.bincount(grid.ravel(), minlength=len(self.palette.tiles))
        dangers = float(counts @ self._groups["enemies"]) + 0.5 * float(counts @ self.hazards)
        room = int(counts[self._walkable].sum())
        return float(2.0 ** (-PER_ROOM * dangers / max(1, room)))

    # -- shape ---------------------------------------------------------------------------------------------------------

    def linearity(self, grid: Grid, steps: Steps) -> float:
        """The fit of a straight line to the cells to stand on, in [0, 1].

        1 minus the mean distance of the cells from the line of least squares, measured in rows, as a share of half the
        longer side of the level. Where the avatar falls, cells to stand on are those above something solid, and the
        line runs from left to right; elsewhere they are all within reach (all there are, for an avatar that keeps to a
        line of its own), and the line may also run from top to bottom (distances then are columns).
        """
        walkable = self._walkable[grid]
        falls = self.analysis.mobility == "platform"
        standing = walkable.copy()
        if falls:
            standing[:-1] &= self.solid[grid[1:]]
        elif self.analysis.mobility == "freely":
            standing &= steps >= 0
        rows, columns = np.nonzero(standing)
        if len(rows) < 2:
            return 1.0
        off = _off_line(columns, rows)
        if not falls:
            off = min(off, _off_line(rows, columns))
        longest = max(int(side) for side in self.inside(grid).shape)
        return max(0.0, 1.0 - off / (longest / 2))

    def symmetry(self, grid: Grid) -> tuple[float, float, float]:
        """Symmetry left to right, top to bottom, and in both: shares in [0, 1].

        Of the cells off the axis of which the cell or a mirror image holds something, the share where all are the same;
        1 where nothing stands. Grounds and the avatar's place count as nothing.
        """
        looks = self._looks[self.inside(grid)]
        across, down = looks[:, ::-1], looks[::-1]
        turned = across[::-1]
        height, width = looks.shape
        off_x = np.ones(looks.shape, bool)
        off_y = np.ones(looks.shape, bool)
        if width % 2:
            off_x[:, width // 2] = False
        if height % 2:
            off_y[height // 2] = False
        some_x, some_y = (looks | across) != 0, (looks | down) != 0
        same_x, same_y = looks == across, looks == down
        some_both, same_both = some_x | some_y | (turned != 0), same_x & same_y & (looks == turned)
        return (
            _share(same_x, some_x & off_x),
            _share(same_y, some_y & off_y),
            _share(same_both, some_both & (off_x | off_y)),
        )

    def balance(self, grid: Grid) -> float:
        """Balance of what stands in a level, in [0, 1]: 1 minus the mean of two imbalances.

        Each cell that is not bare weighs as much as it is far from the axis; the imbalance of two halves is the
        difference of their weights as a share of the larger.
        """
        inner = self.inside(grid)
        filled = ~self.bare[inner]
        height, width = filled.shape
        arms_x = np.arange(width) - (width - 1) / 2
        arms_y = np.arange(height) - (height - 1) / 2
        return 1.0 - (_imbalance(filled.sum(axis=0), arms_x) + _imbalance(filled.sum(axis=1), arms_y)) / 2

    # -- ways ----------------------------------------------------------------------------------------------------------

    def reachable(self, grid: Grid, steps: Steps) -> float:
        """Share of the cells to walk on that the avatar can get to, in [0, 1]."""
        walkable = self._walkable[grid]
        return float((steps[walkable] >= 0).sum()) / max(1, int(walkable.sum()))

    def tortuosity(self, grid: Grid, steps: Steps, start: Cell) -> float | None:
        """Steps to what must be reached over the steps there would be without obstacles, at least 1.

        Summed over all goals, things to collect and things needed that are within reach and not where the avatar
        starts; None when there are none. Portals can be shorter than the straight way; that counts as 1.
        """
        rows, columns = np.nonzero(self.targets[grid] & (steps > 0))
        straight = int(np.abs(rows - start[0]).sum() + np.abs(columns - start[1]).sum())
        return max(1.0, int(steps[rows, columns].sum()) / straight) if straight else None


def _families(analysis: GameAnalysis, required: Requirements) -> tuple[frozenset[int], ...]:
    """Kinds of sprites a level can show: types that can be placed, those of one class under one parent together."""
    families: dict[tuple[int | None, str | None], set[int]] = {}
    for t in required.placeable:
        if analysis.has(t, "background") or analysis.has(t, "avatar"):
            continue
        sprite = analysis.definition.types[t]
        parent = sprite.path[-2] if len(sprite.path) > 1 else None
        key = (t, None) if parent is None else (parent, sprite.class_name)
        families.setdefault(key, set()).add(t)
    return tuple(frozenset(f) for f in families.values())


def may_fill(palette: Palette) -> NDArray[np.bool_]:
    """Per tile whether it counts as bare where it makes up most of a level: something to walk through that stays."""
    analysis = palette.analysis
    still = [
        bool(t.content) and not any(analysis.has(c, "mover") or analysis.has(c, "goal") for c in t.content)
        for t in palette.tiles
    ]
    found: NDArray[np.bool_] = np.array(still) & (palette.access == FREE)
    return found


def _off_line(along: NDArray[np.int64], across: NDArray[np.int64]) -> float:
    """Mean distance of points from the line of least squares through them, measured in `across`."""
    x, y = along - along.mean(), across - across.mean()
    spread = float(x @ x)
    slope = float(x @ y) / spread if spread else 0.0
    return float(np.abs(y - slope * x).mean())


def _share(same: NDArray[np.bool_], counted: NDArray[np.bool_]) -> float:
    total = int(counted.sum())
    return int((same & counted).sum()) / total if total else 1.0


def _imbalance(weights: NDArray[np.int64], arms: NDArray[np.float64]) -> float:
    moments = weights * arms
    first, second = -float(moments[arms < 0].sum()), float(moments[arms > 0].sum())
    return abs(first - second) / max(first, second) if first or second else 0.0


# -- the metrics -------------------------------------------------------------------------------------------------------


@metric("width", "columns of the level", 1, None, unit="cells", whole=True)
def _width(level: LevelText) -> float:
    return int(level.grid.shape[1])


@metric("height", "rows of the level", 1, None, unit="cells", whole=True)
def _height(level: LevelText) -> float:
    return int(level.grid.shape[0])


@metric("enemies", "harmful sprites that move, or bring forth what harms", unit="sprites", source=SMITH, whole=True)
def _enemies(level: LevelText) -> float:
    return level.tables.group_size("enemies", level.tile_counts)


@metric("goals", "sprites counted by an ending that wins", unit="sprites", source=KHALIFA, whole=True)
def _goals(level: LevelText) -> float:
    return level.tables.group_size("goals", level.tile_counts)


@metric("collectables", "sprites that the avatar takes by touching them", unit="sprites", source=KHALIFA, whole=True)
def _collectables(level: LevelText) -> float:
    return level.tables.group_size("collectables", level.tile_counts)


@metric("walls", "sprites that stop the avatar and that nothing removes", unit="sprites", source=KHALIFA, whole=True)
def _walls(level: LevelText) -> float:
    return level.tables.group_size("walls", level.tile_counts)


@metric("cover", "share of the cells inside the frame that are not bare", 0, 1, source=KHALIFA)
def _cover(level: LevelText) -> float:
    return level.tables.cover(level.grid)


@metric("kinds", "share of the game's kinds of sprites that occur", 0, 1, source=KHALIFA)
def _kinds(level: LevelText) -> float:
    return level.tables.kinds(level.sprites)


@metric("density", "share of the cells inside the frame that stop the avatar for good", 0, 1, source=HORN)
def _density(level: LevelText) -> float:
    return level.tables.density(level.grid)


@metric("linearity", "how well a straight line fits the way from left to right", 0, 1, source=SMITH)
def _linearity(level: LevelText) -> float | None:
    return None if level.steps is None else level.tables.linearity(level.grid, level.steps)


@metric("leniency", "1 without dangers, one half where there is one for ten cells to walk on", 0, 1, source=SMITH)
def _leniency(level: LevelText) -> float:
    return level.tables.leniency(level.grid)


@metric(
    "symmetry_horizontal", "share of what stands there whose mirror image left to right is the same", 0, 1, source=NGO
)
def _symmetry_horizontal(level: LevelText) -> float:
    return level.symmetries[0]


@metric(
    "symmetry_vertical", "share of what stands there whose mirror image top to bottom is the same", 0, 1, source=NGO
)
def _symmetry_vertical(level: LevelText) -> float:
    return level.symmetries[1]


@metric("symmetry_both", "share of what stands there that is the same in both mirror images", 0, 1, source=NGO)
def _symmetry_both(level: LevelText) -> float:
    return level.symmetries[2]


@metric("symmetry", "the larger of the horizontal and the vertical symmetry", 0, 1, source=NGO)
def _symmetry(level: LevelText) -> float:
    return max(level.symmetries[:2])


@metric("balance", "how evenly what stands there weighs on left and right, top and bottom", 0, 1, source=NGO)
def _balance(level: LevelText) -> float:
    return level.tables.balance(level.grid)


@metric(
    "tortuosity", "way to what must be reached, as a multiple of the way without obstacles", 1, None, source=CHANNELS
)
def _tortuosity(level: LevelText) -> float | None:
    if level.steps is None or level.start is None:
        return None
    return level.tables.tortuosity(level.grid, level.steps, level.start)


@metric("reachable", "share of the cells to walk on that the avatar can get to", 0, 1, source=LIAPIS)
def _reachable(level: LevelText) -> float | None:
    return None if level.steps is None else level.tables.reachable(level.grid, level.steps)
