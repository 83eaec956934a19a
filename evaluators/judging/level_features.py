"""Features of a level's text that designers' levels share and generated ones lack: one number each.

They measure form (frames, straight walls, open rooms, what stands beside what), order (how predictable a level is), and
what can be reached. None says that more is better: a judge compares them with the same numbers of the game's own
levels (`level_reference`). All work on three layers of a level: what stops the avatar, bare ground, and the things on
it. After Smith and Whitehead (2010), Canossa and Smith (Towards a Procedural Evaluation Technique: Metrics for Level
Design, 2015) and Lucas and Volz (Tile Pattern KL-Divergence for Analysing and Evolving Game Levels, 2019).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.engine.lazy import cached_property
from pcg.evaluators.level_grid import GATE, Grid, Mask, distances, edge_of
from pcg.evaluators.metrics.text import LevelText

FAR = 30.0
"""Cells from which on a danger is as far away as none at all."""
MANY = 60
"""Most things of a kind that are looked at pair by pair."""
FEW = 4
"""Fewest things that can make a figure."""
MOSTLY = 0.4
"""Share of a level's cells from which on a tile that may fill it counts as its ground."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One number about a level's text."""

    name: str
    part: str
    """The part of the judgement that it belongs to."""
    more: str
    """Words for a level that has more of it than its kin, as in "more dead ends"."""
    less: str
    """Words for one that has less."""
    compute: Callable[[LevelView], float | None]
    """None where the level has nothing to measure it by."""


class LevelView:
    """A level as the features see it; what several of them need is worked out once.

    Args:
        level: the level as its metrics see it.
    """

    def __init__(self, level: LevelText) -> None:
        self.level = level
        self.grid: Grid = level.grid
        self.tables = level.tables
        palette = level.tables.palette
        self.tile_kinds = kinds_of_tiles(level)
        self.size = self.grid.size
        self._access = palette.access

    @cached_property
    def kinds(self) -> NDArray[np.int8]:
        """SOLID, BARE or THING for each cell, shape (height, width)."""
        return self.tile_kinds[self.grid]

    @cached_property
    def solid(self) -> Mask:
        """Cells that stop the avatar for good."""
        found: Mask = self.kinds == SOLID
        return found

    @cached_property
    def around_solid(self) -> Mask:
        """The same with the edge of the screen as a wall, shape (height + 2, width + 2)."""
        return np.pad(self.solid, 1, constant_values=True)

    @cached_property
    def things(self) -> Mask:
        """Cells with something on the ground that is no wall and no avatar."""
        found: Mask = self.kinds == THING
        return found

    @cached_property
    def kinds_of_things(self) -> list[NDArray[np.int64]]:
        """Cells (row, column) of the things of each kind, shape (things, 2) each."""
        tiles = np.where(self.things, self.grid, -1)
        return [np.argwhere(tiles == t) for t in np.unique(tiles).tolist() if t >= 0]

    @cached_property
    def solid_beside(self) -> NDArray[np.int8]:
        """Number of the four neighbours that are solid, the edge of the screen included."""
        s = self.around_solid.astype(np.int8)
        return s[:-2, 1:-1] + s[2:, 1:-1] + s[1:-1, :-2] + s[1:-1, 2:]

    @cached_property
    def edge(self) -> Mask:
        """Cells along the edge of the level."""
        return edge_of(self.grid.shape)

    @cached_property
    def open_steps(self) -> NDArray[np.int32] | None:
        """Steps from the avatar with gates and breakable things taken as open, -1 where walls shut it out."""
        if self.level.start is None:
            return None
        return distances(self.tables.palette, self.grid, self.level.start, mask=self._access[self.grid] <= GATE)

    @cached_property
    def targets(self) -> Mask:
        """Cells with goals, things to take and things that are needed."""
        found: Mask = self.tables.targets[self.grid]
        return found


SOLID, BARE, THING = 1, 0, 2
"""Layers of a level: what stops the avatar, ground (and the avatar's place), and everything else."""


def kinds_of_tiles(level: LevelText) -> NDArray[np.int8]:
    """Return SOLID, BARE or THING for each tile; what fills most of a level is its ground."""
    palette = level.tables.palette
    kinds = np.full(len(palette.tiles), THING, np.int8)
    kinds[level.tables.solid] = SOLID
    kinds[level.tables.bare] = BARE
    kinds[palette.is_avatar] = BARE
    kinds[level.tables.filling & (level.tile_counts > MOSTLY * level.grid.size)] = BARE
    return kinds


def _share(cells: Mask, among: Mask) -> float | None:
    total = int(np.count_nonzero(among))
    return int(np.count_nonzero(cells & among)) / total if total else None


# -- form --------------------------------------------------------------------------------------------------------------


def _frame(view: LevelView) -> float | None:
    return _share(view.solid, view.edge)


def _walls(view: LevelView) -> float | None:
    return _share(view.solid, ~view.edge)


def _straight(view: LevelView) -> float | None:
    s = view.around_solid
    across, down = s[1:-1, :-2] & s[1:-1, 2:], s[:-2, 1:-1] & s[2:, 1:-1]
    return _share(across | down, view.solid & ~view.edge)


def _single(view: LevelView) -> float | None:
    return _share(view.solid_beside == 0, view.solid & ~view.edge)


def _pieces(view: LevelView) -> float:
    """Connected walls, the frame with all that hangs on it as one, for each ten cells of the longer way around."""
    return float(ndimage.label(view.solid)[1]) / math.sqrt(view.size)


def _runs(view: LevelView) -> float | None:
    """Mean logarithm of the length of the straight walls inside that cells are part of."""
    inner = view.solid & ~view.edge
    if not inner.any():
        return None
    longest = np.maximum(_run_lengths(view.solid), _run_lengths(view.solid.T).T)
    return float(np.log(longest[inner]).mean())


def _run_lengths(cells: Mask) -> NDArray[np.int64]:
    """Length of the run along its row that each cell is part of, 0 where there is none."""
    height, width = cells.shape
    flat = np.pad(cells, ((0, 0), (0, 1))).ravel()
    ends = np.flatnonzero(np.diff(flat.astype(np.int8), prepend=0, append=0))
    found = np.zeros(flat.size, np.int64)
    lengths = ends[1::2] - ends[::2]
    found[flat] = np.repeat(lengths, lengths)
    return found.reshape(height, width + 1)[:, :width]


def _thick(view: LevelView) -> float | None:
    """Share of the walls inside that are part of a block of two by two."""
    s = view.solid
    blocks = s[:-1, :-1] & s[1:, :-1] & s[:-1, 1:] & s[1:, 1:]
    part = np.zeros(s.shape, bool)
    for rows in (slice(None, -1), slice(1, None)):
        for columns in (slice(None, -1), slice(1, None)):
            part[rows, columns] |= blocks
    return _share(part, s & ~view.edge)


def _attached(view: LevelView) -> float | None:
    """Share of the walls inside that hang together with the edge of the level."""
    labels = ndimage.label(view.solid)[0]
    at_edge = np.unique(labels[view.edge])
    return _share(np.isin(labels, at_edge[at_edge > 0]), view.solid & ~view.edge)


def _outline(view: LevelView) -> tuple[int, int, int]:
    """Windows of two by two with walls and room: those at a corner, those where walls touch by their corners alone,
    and all.
    """
    s = view.solid.astype(np.int8)
    walls = s[:-1, :-1] + s[1:, :-1] + s[:-1, 1:] + s[1:, 1:]
    touching = (walls == 2) & (s[:-1, :-1] == s[1:, 1:])
    corners = (walls == 1) | (walls == 3)
    return int(corners.sum()), int(touching.sum()), int(((walls > 0) & (walls < 4)).sum())


def _corners(view: LevelView) -> float | None:
    corners, _, all_windows = _outline(view)
    return corners / all_windows if all_windows else None


def _touching(view: LevelView) -> float | None:
    _, touching, all_windows = _outline(view)
    return touching / all_windows if all_windows else None


def _boxes(view: LevelView) -> float | None:
    """Share of the boxes around pieces of wall inside that is wall: 1 for straight walls and blocks."""
    labels, count = ndimage.label(view.solid[1:-1, 1:-1])
    if not count:
        return None
    boxes = ndimage.find_objects(labels)
    area: int = sum((b[0].stop - b[0].start) * (b[1].stop - b[1].start) for b in boxes)
    return float(np.count_nonzero(labels)) / area


def _open(view: LevelView) -> float | None:
    """Share of the ground around which all eight cells are ground too."""
    s = view.around_solid
    rows = s[:-2] | s[1:-1] | s[2:]
    near = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return _share(~near, ~view.solid)


def _corridors(view: LevelView) -> float | None:
    s = view.around_solid
    across = s[1:-1, :-2] & s[1:-1, 2:] & ~s[:-2, 1:-1] & ~s[2:, 1:-1]
    down = s[:-2, 1:-1] & s[2:, 1:-1] & ~s[1:-1, :-2] & ~s[1:-1, 2:]
    return _share(across | down, ~view.solid)


def _dead_ends(view: LevelView) -> float | None:
    return _share(view.solid_beside >= 3, ~view.solid)


def _mirror(cells: Mask) -> float | None:
    """Likeness of a layer and its mirror image, corrected for the likeness that chance gives (as in kappa)."""
    share = float(cells.mean())
    chance = share * share + (1.0 - share) * (1.0 - share)
    same = float((cells == cells[:, ::-1]).mean())
    return (same - chance) / (1.0 - chance) if chance < 1.0 else None


def _symmetry_across(view: LevelView) -> float | None:
    return _mirror(view.solid[1:-1, 1:-1]) if min(view.grid.shape) > 2 else None


def _symmetry_down(view: LevelView) -> float | None:
    return _mirror(view.solid[1:-1, 1:-1].T) if min(view.grid.shape) > 2 else None


def _doors(view: LevelView) -> float | None:
    """Share of the doors that stand in a wall, with floor on two opposite sides."""
    gates = view._access[view.grid] == GATE
    s = view.around_solid | np.pad(gates, 1)
    g = ~view.around_solid
    across = s[1:-1, :-2] & s[1:-1, 2:] & (g[:-2, 1:-1] | g[2:, 1:-1])
    down = s[:-2, 1:-1] & s[2:, 1:-1] & (g[1:-1, :-2] | g[1:-1, 2:])
    return _share(across | down, gates)


def _groups(view: LevelView) -> float | None:
    """Share of the things beside which there is one of the same kind."""
    grid = np.pad(view.grid, 1, constant_values=-1)
    here = grid[1:-1, 1:-1]
    alike = (grid[:-2, 1:-1] == here) | (grid[2:, 1:-1] == here) | (grid[1:-1, :-2] == here) | (grid[1:-1, 2:] == here)
    return _share(alike, view.things)


def _spacing(view: LevelView) -> float | None:
    """Mean distance of things from the next of their kind, as a multiple of what chance gives (Clark and Evans 1954),
    on a logarithmic scale; at most `MANY` of a kind count.
    """
    ratios, weights = [], []
    for cells in view.kinds_of_things:
        if 2 <= len(cells) <= MANY:
            apart = np.abs(cells[:, None, :] - cells[None, :, :]).sum(axis=2)
            np.fill_diagonal(apart, np.iinfo(apart.dtype).max)
            # half the root of the area for each, in rows plus columns 4/pi as far as the crow flies
            expected = 0.64 * math.sqrt(view.size / len(cells))
            ratios.append(math.log(float(apart.min(axis=1).mean()) / expected))
            weights.append(math.sqrt(len(cells)))
    return float(np.average(ratios, weights=weights)) if ratios else None


def _aligned(view: LevelView) -> float | None:
    """Share of pairs of things of a kind that stand in one row or column, as a multiple of what chance gives."""
    height, width = view.grid.shape
    found = total = 0
    for cells in view.kinds_of_things:
        if 2 <= len(cells) <= MANY:
            same = (cells[:, None, :] == cells[None, :, :]).any(axis=2)
            found += int(same.sum()) - len(cells)
            total += len(cells) * (len(cells) - 1)
    return math.log((found + 0.5) / (total + 1.0) * height * width / (height + width)) if total else None


def _figure(view: LevelView) -> float | None:
    """Largest share of the things that have a counterpart of their kind across one upright or level line, which may lie
    anywhere: part of a level can be a figure.
    """
    cells = np.argwhere(view.things)
    if not FEW <= len(cells) <= 4 * MANY:
        return None
    kinds = view.grid[view.things]
    alike = np.triu(kinds[:, None] == kinds, 1)
    most = 0
    for along, across in (cells.T, cells.T[::-1]):
        one, other = np.nonzero(alike & (along[:, None] == along))
        if one.size:
            most = max(most, int(np.bincount(across[one] + across[other]).max()))
    return 2.0 * most / len(cells)


def _uneven(view: LevelView) -> float | None:
    """Standard deviation of the share of walls between the nine parts of a level."""
    height, width = view.grid.shape
    if min(height, width) < 5:
        return None
    inner = view.solid[1:-1, 1:-1]
    rows, columns = np.array_split(np.arange(inner.shape[0]), 3), np.array_split(np.arange(inner.shape[1]), 3)
    return float(np.std([inner[np.ix_(r, c)].mean() for r in rows for c in columns]))


def _start_at_edge(view: LevelView) -> float | None:
    """Distance of the avatar from the nearest edge as a share of the largest there is."""
    if view.level.start is None:
        return None
    (y, x), (height, width) = view.level.start, view.grid.shape
    return float(min(y, x, height - 1 - y, width - 1 - x) / max(1.0, (min(height, width) - 1) / 2))


def _balance(view: LevelView) -> float | None:
    return view.tables.balance(view.grid)


def _by_walls(view: LevelView) -> float | None:
    """Mean share of the four sides of things that are walls."""
    return float(view.solid_beside[view.things].mean()) / 4.0 if view.things.any() else None


def _likeness_across(view: LevelView) -> float | None:
    """Share of what stands inside whose mirror image left to right is the same, walls and things alike."""
    return view.level.symmetries[0]


def _likeness_down(view: LevelView) -> float | None:
    return view.level.symmetries[1]


def _repeats(view: LevelView) -> float | None:
    """Share of the rows and columns inside that are like the one before."""
    inner = view.grid[1:-1, 1:-1]
    if min(inner.shape) < 2:
        return None
    rows, columns = (inner[1:] == inner[:-1]).all(axis=1), (inner[:, 1:] == inner[:, :-1]).all(axis=0)
    return float(np.concatenate([rows, columns]).mean())


# -- order -------------------------------------------------------------------------------------------------------------


def _changes(view: LevelView) -> float | None:
    """Share of neighbouring cells that differ."""
    grid = view.grid
    pairs = grid[:, 1:].size + grid[1:].size
    if not pairs:
        return None
    return (np.count_nonzero(grid[:, 1:] != grid[:, :-1]) + np.count_nonzero(grid[1:] != grid[:-1])) / pairs


def _surprise(view: LevelView) -> float | None:
    """Entropy of a cell when those to the left, above and between are known, in bits (of blocks of four cells)."""
    grid = view.grid.astype(np.int64)
    if min(grid.shape) < 2:
        return None
    tiles = len(view.tile_kinds) + 1
    corner = (grid[:-1, :-1] * tiles + grid[:-1, 1:]) * tiles + grid[1:, :-1]
    return _entropy(corner * tiles + grid[1:, 1:]) - _entropy(corner)


def _entropy(codes: NDArray[np.int64]) -> float:
    counts = np.unique(codes, return_counts=True)[1] / codes.size
    return -float(counts @ np.log2(counts))


def _kinds(view: LevelView) -> float:
    return float(np.count_nonzero(view.level.tile_counts))


def _crowd(view: LevelView) -> float | None:
    return _share(view.things, ~view.edge)


def _speckles(view: LevelView) -> float | None:
    """Share of the cells that differ from all four neighbours."""
    grid = np.pad(view.grid, 1, constant_values=-1)
    here = grid[1:-1, 1:-1]
    alone = (grid[:-2, 1:-1] != here) & (grid[2:, 1:-1] != here) & (grid[1:-1, :-2] != here) & (grid[1:-1, 2:] != here)
    return float(alone.mean())


# -- purpose -----------------------------------------------------------------------------------------------------------


def _reachable(view: LevelView) -> float | None:
    steps = view.open_steps
    return None if steps is None else _share(steps >= 0, ~view.solid)


def _targets(view: LevelView) -> float | None:
    steps = view.open_steps
    return None if steps is None else _share(steps >= 0, view.targets)


def _far(view: LevelView) -> float | None:
    """Mean steps to what must be reached, in sides of a square of the level's size."""
    steps = view.open_steps
    if steps is None:
        return None
    found = steps[view.targets & (steps >= 0)]
    return float(found.mean()) / math.sqrt(view.size) if found.size else None


def _winding(view: LevelView) -> float | None:
    steps, start = view.open_steps, view.level.start
    if steps is None or start is None:
        return None
    rows, columns = np.nonzero(view.targets & (steps > 0))
    straight = int(np.abs(rows - start[0]).sum() + np.abs(columns - start[1]).sum())
    return math.log(max(1.0, int(steps[rows, columns].sum()) / straight)) if straight else None


# -- the beginning -----------------------------------------------------------------------------------------------------


def _danger(view: LevelView) -> float | None:
    """Logarithm of the distance from the avatar to the nearest danger, in rows and columns."""
    start = view.level.start
    if start is None:
        return None
    tables = view.tables
    rows, columns = np.nonzero((tables.group_tiles("enemies") + tables.hazards)[view.grid] > 0)
    if not rows.size:
        return math.log1p(FAR)
    return math.log1p(min(FAR, float((np.abs(rows - start[0]) + np.abs(columns - start[1])).min())))


def _room(view: LevelView) -> float | None:
    """Share of the cells within three steps of the avatar that it can get to."""
    steps = view.open_steps
    return None if steps is None else float(np.count_nonzero((steps >= 0) & (steps <= 3))) / 25.0


def _height(view: LevelView) -> float:
    return math.log(view.grid.shape[0])


def _width(view: LevelView) -> float:
    return math.log(view.grid.shape[1])


FEATURES: Mapping[str, Feature] = {
    f.name: f
    for f in (
        Feature("frame", "composition", "a more complete frame", "a less complete frame", _frame),
        Feature("walls", "composition", "more walls", "fewer walls", _walls),
        Feature("straight", "composition", "straighter walls", "more ragged walls", _straight),
        Feature("single", "composition", "more single blocks", "fewer single blocks", _single),
        Feature("pieces", "composition", "more separate pieces of wall", "fewer separate pieces of wall", _pieces),
        Feature("runs", "composition", "longer walls", "shorter walls", _runs),
        Feature("thick", "composition", "thicker walls", "thinner walls", _thick),
        Feature("attached", "composition", "fewer walls that stand free", "more walls that stand free", _attached),
        Feature("corners", "composition", "more corners in the walls", "fewer corners in the walls", _corners),
        Feature("touching", "composition", "more walls that touch by a corner alone",
                "fewer walls that touch by a corner alone", _touching),
        Feature("boxes", "composition", "walls that are straighter or fuller", "walls with more nooks", _boxes),
        Feature("open", "composition", "larger open rooms", "less open room", _open),
        Feature("corridors", "composition", "more corridors", "fewer corridors", _corridors),
        Feature("dead_ends", "composition", "more dead ends", "fewer dead ends", _dead_ends),
        Feature("symmetry_across", "composition", "more symmetry left to right", "less symmetry left to right",
                _symmetry_across),
        Feature("symmetry_down", "composition", "more symmetry top to bottom", "less symmetry top to bottom",
                _symmetry_down),
        Feature("mirrored_across", "composition", "more of it mirrored left to right",
                "less of it mirrored left to right", _likeness_across),
        Feature("mirrored_down", "composition", "more of it mirrored top to bottom",
                "less of it mirrored top to bottom", _likeness_down),
        Feature("doors", "composition", "more doors in walls", "doors that stand free or lead nowhere", _doors),
        Feature("groups", "composition", "things in larger groups", "things more scattered", _groups),
        Feature("by_walls", "composition", "more things beside walls", "fewer things beside walls", _by_walls),
        Feature("spacing", "composition", "things of a kind more evenly spread", "things of a kind closer together",
                _spacing),
        Feature("aligned", "composition", "more things in line", "fewer things in line", _aligned),
        Feature("figure", "composition", "more things in a symmetric figure", "fewer things in a symmetric figure",
                _figure),
        Feature("uneven", "composition", "walls gathered in parts of it", "walls spread more evenly", _uneven),
        Feature("balance", "composition", "more balance", "less balance", _balance),
        Feature("start_at_edge", "pacing", "a start farther from the edge", "a start nearer the edge", _start_at_edge),
        Feature("changes", "clarity", "more restless tiles", "more uniform tiles", _changes),
        Feature("surprise", "clarity", "less regular patterns", "more monotonous patterns", _surprise),
        Feature("repeats", "clarity", "more repeated rows", "fewer repeated rows", _repeats),
        Feature("kinds", "clarity", "more kinds of tiles", "fewer kinds of tiles", _kinds),
        Feature("crowd", "clarity", "more crowded ground", "emptier ground", _crowd),
        Feature("speckles", "clarity", "more single tiles that match nothing beside them", "fewer single tiles",
                _speckles),
        Feature("reachable", "purpose", "more room within reach", "more room that is walled off", _reachable),
        Feature("targets", "purpose", "more of what counts within reach", "less of what counts within reach", _targets),
        Feature("far", "purpose", "what counts farther away", "what counts nearer the start", _far),
        Feature("winding", "purpose", "more winding ways", "straighter ways", _winding),
        Feature("danger", "pacing", "danger farther from the start", "danger nearer the start", _danger),
        Feature("room", "pacing", "more room at the start", "less room at the start", _room),
        Feature("height", "conventions", "more rows", "fewer rows", _height),
        Feature("width", "conventions", "more columns", "fewer columns", _width),
    )
}  # fmt: skip
"""All features of a level's text, in the order of their parts."""


NEVER_TOO_MUCH = frozenset({"reachable", "targets", "doors"})
"""Features of which more than usual is no fault."""


def measure_features(view: LevelView, wanted: Collection[str] | None = None) -> NDArray[np.float64]:
    """Return the features in the order of `FEATURES`, shape (features,); NaN where one is not defined.

    Args:
        view: the level.
        wanted: features that are measured, the others are NaN; None for all.
    """
    values = [feature.compute(view) if wanted is None or name in wanted else None for name, feature in FEATURES.items()]
    return np.array([math.nan if value is None else value for value in values], np.float64)
