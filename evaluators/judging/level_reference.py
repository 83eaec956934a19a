"""The levels of a game as the reference of a judge: their patterns, counts and places, each level left out in turn.

A level is compared with all of the game's own levels but the one it is most like. So a level of the game is not judged
by itself, a copy with a tile changed fares no better than the original, and every level is judged by equally many.
How like its kin a level is has a scale of its own: how like each other the game's own levels are (likelihood would
reward bare ground; being as likely as the others is what is asked for).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.evaluators.judging.level_counterparts import Counterparts
from pcg.evaluators.judging.level_features import THING, LevelView, measure_features
from pcg.evaluators.judging.level_habits import BrokenHabit, Habits, standing
from pcg.evaluators.judging.level_sights import Sights
from pcg.evaluators.level_grid import Grid

LIKENESSES = (
    "windows",
    "blocks",
    "pairs",
    "surroundings",
    "counts",
    "exact",
    "beyond",
    "places",
    "ways",
    "forms",
    "foreign",
    "roles",
    "habits",
)
"""Names of the comparisons of `GameReference.likeness`, in order."""
DISTANCES = frozenset({"counts", "exact", "beyond", "ways", "foreign", "roles", "habits"})
"""Those that are distances: nearer to the others than these to each other is no fault."""
ROLES = ("enemies", "goals", "collectables")
"""Groups of sprites whose numbers are compared whichever of their kinds they are of: a bat is as good as a slime."""
COPY = 0.7
"""Share of windows that two levels have in common from which on one is a version of the other."""
SIDES = 6
"""Surroundings of a cell, as `surroundings` tells them."""
ZONES = 12
"""Places in a level: edge or not of each of three bands down and, inside, three across."""


def window_codes(grid: Grid, height: int, width: int) -> NDArray[np.int64]:
    """Return a code for each window of a level, equal for equal windows, shape (windows,)."""
    rows, columns = grid.shape[0] - height + 1, grid.shape[1] - width + 1
    if rows < 1 or columns < 1:
        return np.zeros(0, np.int64)
    codes = np.zeros((rows, columns), np.uint64)
    k = 0
    for dy in range(height):
        for dx in range(width):
            codes += (grid[dy : dy + rows, dx : dx + columns].astype(np.uint64) + np.uint64(1)) * np.uint64(_MIX[k])
            k += 1
    return codes.ravel().view(np.int64)


_MIX = np.random.Generator(np.random.PCG64(7)).integers(1, 2**63, 16, dtype=np.int64).astype(np.uint64) | np.uint64(1)


class _Windows:
    """Counts of windows of one shape in each of the levels."""

    def __init__(self, levels: Sequence[NDArray[np.int64]]) -> None:
        every = np.unique(np.concatenate(levels)) if levels else np.zeros(0, np.int64)
        self.known = every
        self.counts = np.zeros((len(levels), len(every)), np.int64)
        for k, codes in enumerate(levels):
            found, number = np.unique(codes, return_counts=True)
            self.counts[k, np.searchsorted(every, found)] = number
        self.total = self.counts.sum(axis=0)

    def of(self, codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the column of each code, and whether there is one."""
        if not len(self.known):
            return np.zeros(len(codes), np.int64), np.zeros(len(codes), bool)
        at = np.minimum(np.searchsorted(self.known, codes), len(self.known) - 1)
        return at, self.known[at] == codes

    def without(self, codes: NDArray[np.int64], left_out: int | None) -> NDArray[np.int64]:
        """Return how often each code occurs in the levels but the one left out."""
        at, known = self.of(codes)
        if not len(self.known):
            return at
        counts = self.total if left_out is None else self.total - self.counts[left_out]
        found: NDArray[np.int64] = np.where(known, counts[at], 0)
        return found

    def common(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of windows that codes have in common with each level, shape (levels,), in [0, 1]."""
        own, number = np.unique(codes, return_counts=True)
        at, known = self.of(own)
        if not len(self.known):
            return np.zeros(len(self.counts))
        shared = np.minimum(self.counts[:, at[known]], number[known]).sum(axis=1)
        most = np.maximum(self.counts.sum(axis=1), max(1, len(codes)))
        found: NDArray[np.float64] = shared / most
        return found


class LevelProfile:
    """The numbers of one level that are compared."""

    def __init__(self, view: LevelView, tiles: int, wanted: Collection[str] | None = None) -> None:
        grid = view.grid
        self.view = view
        self.features = measure_features(view, wanted)
        self.nine = window_codes(grid, 3, 3)
        self.four = window_codes(grid, 2, 2)
        self.pairs = np.concatenate([window_codes(grid, 1, 2), ~window_codes(grid, 2, 1)])
        self.counts = np.bincount(grid.ravel(), minlength=tiles)
        self.roles = np.array([view.tables.group_tiles(name)[grid].sum() for name in ROLES])
        self.forms = wall_forms(view)
        self.standing = standing(view)
        self.ways = np.full(tiles, math.nan)
        if view.level.start is not None:
            y, x = view.level.start
            rows, columns = np.indices(grid.shape)
            far = np.abs(rows - y) + np.abs(columns - x)
            nearest = np.full(tiles, np.iinfo(np.int64).max)
            np.minimum.at(nearest, grid.ravel(), far.ravel())
            things = (view.tile_kinds == THING) & (self.counts > 0)
            self.ways[things] = np.log2(1.0 + nearest[things])
        flat = grid.ravel().astype(np.int64)
        at = flat * ZONES + zones(grid.shape).ravel()
        self.zones = np.bincount(at, minlength=tiles * ZONES).reshape(tiles, ZONES)
        # of each tile: how many of its sides are walls, and whether these are opposite
        at = flat * SIDES + surroundings(view).ravel()
        self.sides = np.bincount(at, minlength=tiles * SIDES).reshape(tiles, SIDES)


def wall_forms(view: LevelView) -> NDArray[np.int64]:
    """Return the forms of walls in all windows of three by three, turned and mirrored ones alike, that hold both walls
    and room.
    """
    s = view.solid.astype(np.int64)
    rows, columns = s.shape[0] - 2, s.shape[1] - 2
    if rows < 1 or columns < 1:
        return np.zeros(0, np.int64)
    codes = np.zeros((rows, columns), np.int64)
    for k in range(9):
        codes |= s[k // 3 : k // 3 + rows, k % 3 : k % 3 + columns] << k
    found = _FORMS[codes.ravel()]
    return found[(found > 0) & (found < 511)]


def _canonical_forms() -> NDArray[np.int64]:
    """Smallest code among the eight symmetric images of each window of three by three."""
    cells = (np.arange(512)[:, None] >> np.arange(9)) & 1
    square = np.arange(9).reshape(3, 3)
    images = [np.rot90(m, k).ravel() for m in (square, square.T) for k in range(4)]
    codes: NDArray[np.int64] = np.min([(cells[:, m] << np.arange(9)).sum(axis=1) for m in images], axis=0)
    return codes


_FORMS = _canonical_forms()


def zones(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the zone of each cell: nine inside, and the edge above, beside and below."""
    height, width = shape
    down = np.minimum(2, 3 * np.arange(height) // height)
    across = np.minimum(2, 3 * np.arange(width) // width)
    across = np.minimum(across, across[::-1])  # left and right alike: levels are drawn both ways
    found = 3 * down[:, None] + across[None, :]
    found[0], found[-1] = 9, 11
    found[1:-1, 0] = found[1:-1, -1] = 10
    return found.astype(np.int64)


def surroundings(view: LevelView) -> NDArray[np.int64]:
    """Return how walls stand around each cell: none, one, two at a corner, two opposite, three, four."""
    s = view.around_solid
    n = view.solid_beside.astype(np.int64)
    opposite = (s[1:-1, :-2] & s[1:-1, 2:]) | (s[:-2, 1:-1] & s[2:, 1:-1])
    return np.where(n >= 3, n + 1, np.where((n == 2) & opposite, 3, n))


class GameReference:
    """Own levels of a game, to compare others with.

    Args:
        levels: views of them; none will do.
        tiles: number of tiles of the game.
        wanted: features that are measured; None for all.
    """

    def __init__(self, levels: Sequence[LevelView], tiles: int, wanted: Collection[str] | None = None) -> None:
        self.tiles = tiles
        self._wanted = wanted
        self.levels = [self.profile(view) for view in levels]
        self.nine = _Windows([one.nine for one in self.levels])
        self.forms = _Windows([one.forms for one in self.levels])
        self.ways = np.array([one.ways for one in self.levels], np.float64).reshape(len(self.levels), tiles)
        self.four = _Windows([one.four for one in self.levels])
        self.pairs = _Windows([one.pairs for one in self.levels])
        self.counts = np.array([one.counts for one in self.levels], np.float64).reshape(len(self.levels), tiles)
        self.roles = np.array([one.roles for one in self.levels], np.float64).reshape(len(self.levels), len(ROLES))
        self.zones = sum((one.zones for one in self.levels), np.zeros((tiles, ZONES), np.int64))
        self.sights = Sights(levels)
        self.counterparts = Counterparts(levels)
        self.habits = Habits([one.standing for one in self.levels], tiles)
        self.sides = sum((one.sides for one in self.levels), np.zeros((tiles, SIDES), np.int64))

    def __len__(self) -> int:
        return len(self.levels)

    def profile(self, view: LevelView) -> LevelProfile:
        """Return what is compared of a level."""
        return LevelProfile(view, self.tiles, self._wanted)

    def nearest(self, level: LevelProfile) -> int | None:
        """Return the index of the level that one is not compared with; None where there is just one, and that unlike
        it.
        """
        if not self.levels:
            return None
        common = self.nine.common(level.nine)
        # a text of another size can share few windows and still be the same level
        best = int(common.argmax())
        if len(self.levels) == 1 and common[best] < COPY:
            return None
        return best

    def others(self, left_out: int | None) -> list[int]:
        """Return the indices of the levels that remain."""
        return [k for k in range(len(self.levels)) if k != left_out]

    def likeness(self, level: LevelProfile, left_out: int | None) -> NDArray[np.float64]:
        """Return comparisons of a level with the others, in the order of `LIKENESSES`; NaN for what is not defined."""
        others = self.others(left_out)
        if not others:
            return np.full(len(LIKENESSES), math.nan)
        nine = self.nine.without(level.nine, left_out)
        values = [
            float((nine > 0).mean()) if nine.size else math.nan,
            _log_likelihood(self.four.without(level.four, left_out)),
            _log_likelihood(self.pairs.without(level.pairs, left_out)),
            self._profile(level.sides, self.sides, left_out, "sides"),
            self._counts(level, others),
            self._exact(level, others),
            float(np.maximum(0.0, _off_range(level.counts, self.counts[others])).sum()),
            self._profile(level.zones, self.zones, left_out, "zones"),
            self._ways(level, others),
            _log_likelihood(self.forms.without(level.forms, left_out)),
            self._foreign(level, others),
            float(np.maximum(0.0, _off_range(level.roles, self.roles[others])).sum()),
            self.habits.faults(level.standing, others)
            + self.sights.faults(level.view, others)
            + self.counterparts.faults(level.counts, others),
        ]
        return np.array(values, np.float64)

    def _profile(self, own: NDArray[np.int64], total: NDArray[np.int64], left_out: int | None, name: str) -> float:
        """Mean over tiles of the mean log-likelihood of where they stand, against that of their likeliest place."""
        known = total if left_out is None else total - getattr(self.levels[left_out], name)
        prior = known.sum(axis=0) / max(1, known.sum())
        chance = (known + 2.0 * prior + 0.1) / (known.sum(axis=1, keepdims=True) + 2.0 + 0.1 * len(prior))
        used = (own.sum(axis=1) > 0) & (known.sum(axis=1) > 0)
        if not used.any():
            return math.nan
        likely = (own * np.log(chance)).sum(axis=1)[used] / own.sum(axis=1)[used]
        return float(likely.mean())

    def _counts(self, level: LevelProfile, others: Sequence[int]) -> float:
        """Mean over tiles of how far their number is from those of the others, in standard deviations."""
        known = np.log2(self.counts[others] + 0.5)
        used = (self.counts[others].max(axis=0) > 0) | (level.counts > 0)
        if not used.any():
            return math.nan
        mean, n = known.mean(axis=0), len(others)
        spread = np.sqrt((((known - mean) ** 2).sum(axis=0) + SPREAD**2) / n)
        off = np.abs(np.log2(level.counts + 0.5) - mean) / spread
        return float(np.log1p(off * off)[used].mean())

    def _exact(self, level: LevelProfile, others: Sequence[int]) -> float:
        """Return by how much the numbers of tiles that all others have equally often are off, summed over these."""
        known = self.counts[others]
        same = (known == known[0]).all(axis=0) & (known[0] > 0)
        if len(others) < 2 or not same.any():
            return math.nan
        return float(np.minimum(3.0, np.abs(level.counts - known[0]))[same].sum())

    def _ways(self, level: LevelProfile, others: Sequence[int]) -> float:
        """Mean over tiles of how much nearer or farther from the avatar they are than in the others, in octaves."""
        known = self.ways[others]
        there = np.isfinite(known)
        number = there.sum(axis=0)
        used = (number > 0) & np.isfinite(level.ways)
        if not used.any():
            return math.nan
        mean = np.where(there, known, 0.0).sum(axis=0)[used] / number[used]
        return float(np.abs(level.ways[used] - mean).mean())

    def _foreign(self, level: LevelProfile, others: Sequence[int]) -> float:
        """Share of the tiles of either that only one of them uses: what is missing counts when all others have it."""
        has = self.counts[others] > 0
        extra = (level.counts > 0) & ~has.any(axis=0)
        missing = (level.counts == 0) & has.all(axis=0)
        used = (level.counts > 0) | has.any(axis=0)
        return float((extra | missing).sum() / max(1, used.sum()))

    def strangest_count(self, level: LevelProfile) -> tuple[int, int, int, int] | None:
        """Return the tile whose number is farthest from those of the other levels, its number, and their least and
        greatest; None where all are within these.
        """
        others = self.others(self.nearest(level))
        return _strangest(level.counts, self.counts[others]) if others else None

    def strangest_role(self, level: LevelProfile) -> tuple[str, int, int, int] | None:
        """Return the same of the roles of sprites, with the role's name."""
        others = self.others(self.nearest(level))
        found = _strangest(level.roles, self.roles[others]) if others else None
        return found and (ROLES[found[0]], *found[1:])

    def worst_habit(self, level: LevelProfile) -> BrokenHabit | None:
        """Return the kind of things without counterparts, else the habit of the other levels that most things of a
        level break; None where none is broken.
        """
        others = self.others(self.nearest(level))
        lone = self.counterparts.worst(level.counts, others)
        if lone is not None:
            return lone  # one thing too many is as wrong as several that stand otherwise
        found = [self.habits.worst(level.standing, others), self.sights.worst(level.view, others)]
        return max((one for one in found if one is not None), key=lambda one: one.number, default=None)

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Features of the levels, shape (levels, features)."""
        return np.array([one.features for one in self.levels])

    @cached_property
    def own_likeness(self) -> NDArray[np.float64]:
        """Likeness of each level to the others, shape (levels, likenesses)."""
        return np.array([self.likeness(one, k) for k, one in enumerate(self.levels)]).reshape(-1, len(LIKENESSES))


SPREAD = 1.0
"""Standard deviation of the logarithm (to base 2) of counts that is assumed with the weight of one level."""


def _off_range(number: NDArray[np.int64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how many octaves each number is beyond the least and greatest of the others, negative inside of these.

    Args:
        number: shape (n,).
        others: of the others, shape (levels, n).
    """
    own, low, high = number + 0.5, others.min(axis=0) + 0.5, others.max(axis=0) + 0.5
    found: NDArray[np.float64] = np.maximum(np.log2(low / own), np.log2(own / high))
    return found


def _strangest(number: NDArray[np.int64], others: NDArray[np.float64]) -> tuple[int, int, int, int] | None:
    """Return the place of the number that is farthest beyond those of the others, the number, and their least and
    greatest; None where all are within these.
    """
    off = _off_range(number, others)
    worst = int(off.argmax())
    if off[worst] <= 0.0:
        return None
    return worst, int(number[worst]), int(others[:, worst].min()), int(others[:, worst].max())


def _log_likelihood(counts: NDArray[np.int64]) -> float:
    """Mean logarithm of how often windows occur, unseen ones as a third."""
    return float(np.log(counts + 1.0 / 3.0).mean()) if counts.size else math.nan
