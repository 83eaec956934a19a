"""Changes of contents of a PCG Benchmark problem, whatever the problem is.

A content is a vector of leaves (`Layout`). What a leaf means is unknown; what can be told from the space alone is which
leaves are of one kind (those of one array, or of one entry of equal records), and whether they lie in a grid. So a
change redraws, copies, exchanges or shifts leaves of one kind, draws on a grid, or makes again what led from one good
content to another. Which changes are of use differs from problem to problem and is learned: each is drawn in proportion
to the share of its contents that were kept (probability matching, as in adaptive operator selection: Fialho et al.
2010).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pcg.integrations.pcg_benchmark.contents import Layout, Vector

FLOOR = 0.15
"""Least weight of a change, as a share of the largest one."""
MEMORY = 0.995
"""Factor by which earlier outcomes of a change count less with each new one."""
COUNTS = (1, 2, 3, 5, 9)
"""Numbers of changes that are made at once."""
STEPS = 400
"""Steps that are remembered."""
SMALL = 4
"""Leaves that a step changes at most."""
ELSEWHERE = 0.5
"""Share of steps that are made at other places of the kinds than they were made at."""
RARE = 8
"""Values that fill less than one of so many cells of a grid are rare: things rather than ground."""

Change = Callable[[Layout, np.random.Generator, Vector, Vector], None]
"""Changes a vector in place; the second vector is another content, whose parts may be copied."""


class Steps:
    """Small differences between good contents, to be made again in others.

    Where a content is good only if several leaves fit each other (the flags of two rooms that say that there is a door
    between them), changes of single leaves hardly ever lead from one good content to another. What has done so once
    often does so again: in other contents, in the other direction, and at other places of the same kinds. Of whole
    numbers the binary digits that differ are flipped, so that a step is its own way back; others change by as much.
    """

    def __init__(self, layout: Layout, rng: np.random.Generator) -> None:
        self._rng = rng  # of its own: what is remembered changes nothing where no step is made
        self._whole, self._low = layout.whole, layout.low
        self._place = np.zeros(len(layout), np.intp)  # of each leaf among those of its kind
        for kind in layout.kinds:
            self._place[kind] = np.arange(len(kind))
        self._made: list[tuple[NDArray[np.intp], Vector]] = []  # leaves, and how they changed

    def __len__(self) -> int:
        return len(self._made)

    def learn(self, good: Vector, also_good: Vector) -> None:
        """Remember how two good contents differ, if they do so in few leaves."""
        leaves = np.flatnonzero(good != also_good)
        if not 0 < len(leaves) <= SMALL:
            return
        before, after, low = good[leaves], also_good[leaves], self._low[leaves]
        digits = (before - low).astype(np.int64) ^ (after - low).astype(np.int64)
        step = leaves, np.where(self._whole[leaves], digits, after - before)
        if len(self._made) < STEPS:
            self._made.append(step)
        else:
            self._made[int(self._rng.integers(STEPS))] = step

    def again(self, layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
        """Make a step of those that are remembered."""
        if not self._made:
            return
        leaves, change = self._made[int(rng.integers(len(self._made)))]
        if rng.random() < ELSEWHERE:
            kinds = [layout.kinds[kind] for kind in layout.kind_of[leaves].tolist()]
            shift = int(rng.integers(min(len(kind) for kind in kinds)))
            moved = (self._place[leaves] + shift).tolist()
            leaves = np.array([kind[place % len(kind)] for kind, place in zip(kinds, moved, strict=True)])
        low = self._low[leaves]
        flipped = low + ((vector[leaves] - low).astype(np.int64) ^ change.astype(np.int64))
        vector[leaves] = np.where(self._whole[leaves], flipped, vector[leaves] + change)


class Operators:
    """Changes for the contents of a layout, how many to make at once, and how often each was of use.

    Args:
        layout: of the contents.
        steps: those that are made again; without it none are.
    """

    def __init__(self, layout: Layout, steps: Steps | None = None) -> None:
        self.layout = layout
        again = () if steps is None else (steps.again,)
        self.changes: Sequence[Change] = (*ON_LEAVES, *(ON_GRIDS if layout.grid is not None else ()), *again)
        self._kinds = _Shares(len(self.changes))
        self._counts = _Shares(len(COUNTS))

    def vary(self, rng: np.random.Generator, parent: Vector, other: Vector) -> tuple[Vector, list[int]]:
        """Return a changed copy of a parent, and what `learn` is to be told of it: which count, and which changes."""
        vector = parent.copy()
        used = [self._counts.draw(rng)]
        for _ in range(COUNTS[used[0]]):
            used.append(self._kinds.draw(rng))
            self.changes[used[-1]](self.layout, rng, vector, other)
        return self.layout.inside(vector), used

    def learn(self, used: Sequence[int], of_use: bool) -> None:
        """Take note of whether a content that some changes made was kept."""
        for place, k in enumerate(used):
            (self._kinds if place else self._counts).learn(k, of_use)


class _Shares:
    """Alternatives that are drawn in proportion to how often each was of use lately."""

    def __init__(self, count: int) -> None:
        # lists: the alternatives are few, and arrays cost more than what is in them
        self._good = [1.0] * count
        self._tried = [2.0] * count
        self._bounds: list[float] = []  # sums of shares, until something is learned

    def draw(self, rng: np.random.Generator) -> int:
        if not self._bounds:
            shares = [good / tried for good, tried in zip(self._good, self._tried, strict=True)]
            least = FLOOR * max(shares)
            self._bounds = list(accumulate(share if share > least else least for share in shares))
        return bisect_left(self._bounds, rng.random() * self._bounds[-1])

    def learn(self, k: int, of_use: bool) -> None:
        self._bounds = []
        self._good[k] = MEMORY * self._good[k] + of_use
        self._tried[k] = MEMORY * self._tried[k] + 1.0


# --- changes of leaves ------------------------------------------------------------------------------------------------


def _kin(layout: Layout, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the leaves of one kind; a kind is drawn as often as it has leaves or as any other, by half."""
    if rng.random() < 0.5:
        return layout.kinds[int(rng.integers(len(layout.kinds)))]
    return layout.kinds[int(layout.kind_of[int(rng.integers(len(layout)))])]


def _any(rng: np.random.Generator, kin: NDArray[np.intp]) -> int:
    """Return a leaf: what `rng.choice` draws, in a quarter of its time."""
    return int(kin[int(rng.integers(len(kin)))])


def _redraw(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    at = _any(rng, _kin(layout, rng))
    vector[at] = layout.draw(rng, at)


def _step(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    at = _any(rng, _kin(layout, rng))
    if layout.whole[at]:
        vector[at] += 1.0 if rng.random() < 0.5 else -1.0
    else:
        vector[at] += 0.1 * rng.normal() * (layout.high[at] - layout.low[at])


def _toggle(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Toggle a binary digit of a whole number: some numbers are sets of flags."""
    at = _any(rng, _kin(layout, rng))
    span = int(layout.high[at] - layout.low[at])
    if layout.whole[at] and span > 1:
        digit = int(rng.integers((span - 1).bit_length()))
        vector[at] = layout.low[at] + (int(vector[at] - layout.low[at]) ^ 1 << digit)


def _copy(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    kin = _kin(layout, rng)
    vector[_any(rng, kin)] = vector[_any(rng, kin)]


def _exchange(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    kin = _kin(layout, rng)
    one, two = _any(rng, kin), _any(rng, kin)
    vector[one], vector[two] = vector[two], vector[one]


def _stretch(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Take a stretch of another content."""
    at = int(rng.integers(len(vector)))
    end = at + 1 + int(rng.integers(max(1, len(vector) // 3)))
    vector[at:end] = other[at:end]


def _shift(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Move a stretch of one kind by a place, the last coming first: an insertion, or a deletion."""
    kin = _kin(layout, rng)
    one, two = sorted((int(rng.integers(len(kin))), int(rng.integers(len(kin)))))
    part = kin[one : two + 1]
    vector[part] = np.roll(vector[part], 1 if rng.random() < 0.5 else -1)


def _fill(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Give a stretch of one kind the value of one of its leaves."""
    kin = _kin(layout, rng)
    at = int(rng.integers(len(kin)))
    vector[kin[at : at + 2 + int(rng.integers(max(1, len(kin) // 3)))]] = vector[_any(rng, kin)]


def _reflect(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Turn the values of all leaves of one kind round within their range."""
    kin = _kin(layout, rng)
    top = np.where(layout.whole[kin], layout.high[kin] - 1.0, layout.high[kin])
    vector[kin] = layout.low[kin] + top - vector[kin]


def _permute(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Shuffle the values of a kind."""
    kin = _kin(layout, rng)
    vector[kin] = rng.permutation(vector[kin])


def _rename(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Exchange two values wherever they stand in a kind."""
    kin = _kin(layout, rng)
    one, two = vector[_any(rng, kin)], layout.draw(rng, _any(rng, kin))
    values = vector[kin]
    vector[kin] = np.where(values == one, two, np.where(values == two, one, values))


ON_LEAVES: Sequence[Change] = (
    _redraw, _step, _toggle, _copy, _exchange, _stretch, _shift, _fill, _reflect, _permute, _rename,
)  # fmt: skip


# --- changes of grids -------------------------------------------------------------------------------------------------


def _rare_cell(rng: np.random.Generator, vector: Vector) -> int:
    """Return a cell whose value is rare, any cell where none is."""
    codes = vector.astype(np.intp)  # a grid's numbers are whole; changes before may have led out of their range
    codes -= codes.min()
    rare = np.flatnonzero(np.bincount(codes)[codes] <= max(1, len(vector) // RARE))
    return int(rare[int(rng.integers(len(rare)))]) if len(rare) else int(rng.integers(len(vector)))


def _ground(vector: Vector) -> float:
    """Return the most frequent value."""
    codes = vector.astype(np.intp)
    low = int(codes.min())
    return float(low + int(np.bincount(codes - low).argmax()))


def _move(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Move a rare value anywhere."""
    one, two = _rare_cell(rng, vector), int(rng.integers(len(vector)))
    vector[one], vector[two] = vector[two], vector[one]


def _nudge(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Move a rare value to a cell beside it."""
    one = _rare_cell(rng, vector)
    two = _beside(layout, rng, one)
    vector[one], vector[two] = vector[two], vector[one]


def _beside(layout: Layout, rng: np.random.Generator, cell: int) -> int:
    """Return a neighbour of a cell, or the cell itself at an edge."""
    assert layout.grid is not None
    height, width = layout.grid
    y, x = divmod(cell, width)
    step = 1 if rng.random() < 0.5 else -1
    if rng.random() < 0.5:
        y = min(height - 1, max(0, y + step))
    else:
        x = min(width - 1, max(0, x + step))
    return y * width + x


def _drop(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Let a rare value become what is most frequent."""
    vector[_rare_cell(rng, vector)] = _ground(vector)


def _spread(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Give a cell the value of a neighbour."""
    cell = int(rng.integers(len(vector)))
    vector[cell] = vector[_beside(layout, rng, cell)]


def _area(layout: Layout, rng: np.random.Generator) -> tuple[slice, slice]:
    """Return a rectangle of at most half the grid's sides."""
    assert layout.grid is not None
    height, width = layout.grid
    tall, wide = 1 + int(rng.integers(max(1, height // 2))), 1 + int(rng.integers(max(1, width // 2)))
    y, x = int(rng.integers(height - tall + 1)), int(rng.integers(width - wide + 1))
    return slice(y, y + tall), slice(x, x + wide)


def _line(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Draw a line of a value, the more likely the more frequent."""
    rows, columns = _area(layout, rng)
    value = vector[int(rng.integers(len(vector)))]
    grid = vector.reshape(layout.grid)
    if rng.random() < 0.5:
        grid[rows.start, columns] = value
    else:
        grid[rows, columns.start] = value


def _patch(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Take a rectangle of another content."""
    area = _area(layout, rng)
    vector.reshape(layout.grid)[area] = other.reshape(layout.grid)[area]


def _clone(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Copy a rectangle to another place."""
    assert layout.grid is not None
    height, width = layout.grid
    rows, columns = _area(layout, rng)
    grid = vector.reshape(height, width)
    part = grid[rows, columns].copy()
    y, x = int(rng.integers(height - part.shape[0] + 1)), int(rng.integers(width - part.shape[1] + 1))
    grid[y : y + part.shape[0], x : x + part.shape[1]] = part


def _slide(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Move a rectangle, or everything, by a cell."""
    grid = vector.reshape(layout.grid)
    area = _area(layout, rng) if rng.random() < 0.5 else (slice(None), slice(None))
    axis, step = int(rng.integers(2)), 1 if rng.random() < 0.5 else -1
    grid[area] = np.roll(grid[area], step, axis)


def _mirror(layout: Layout, rng: np.random.Generator, vector: Vector, other: Vector) -> None:
    """Mirror or turn everything."""
    grid = vector.reshape(layout.grid)
    images = [grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if grid.shape[0] == grid.shape[1]:
        images += [grid.T, np.rot90(grid), np.rot90(grid, 3)]
    grid[:] = images[int(rng.integers(len(images)))].copy()


ON_GRIDS: Sequence[Change] = (_move, _nudge, _drop, _spread, _line, _patch, _clone, _slide, _mirror)
