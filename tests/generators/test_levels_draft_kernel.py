"""The compiled parts of drafting levels do what is said of them in words, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.kernel.runtime import invoke5
from pcg.evaluators.level_grid import Grid
from pcg.generators.levels import make_generator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.portfolio import kernel
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.generators.levels.portfolio.local_structure import BESIDE, MOST_CHANGED, TRIED, LocalStructure, _change

pytestmark = pytest.mark.kernel
GAMES = ("bazaar", "dungeon", "moonbase")


def structure_of(game: str) -> LocalStructure:
    made = make_generator("portfolio", load(game), seed=1)
    assert isinstance(made, PortfolioGenerator)
    return made.structure


def shaken(structure: LocalStructure, seed: int) -> Grid:
    """A level of the game with some of its cells as they are elsewhere in it."""
    rng = np.random.default_rng(seed)
    examples = structure.context.examples
    grid = examples[seed % len(examples)].copy()
    for _ in range(8):
        grid[tuple(rng.integers(grid.shape))] = grid[tuple(rng.integers(grid.shape))]
    return grid


def window(structure: LocalStructure, grid: Grid, y: int, x: int) -> tuple[int, ...]:
    """The classes around a cell."""
    return tuple(structure._padded(grid)[y : y + 3, x : x + 3].ravel().tolist())


def known_windows(structure: LocalStructure) -> list[tuple[int, ...]]:
    return [tuple(one) for one in structure._windows.tolist()]


@pytest.mark.parametrize("game", GAMES)
def test_unknown_cells_have_windows_that_no_level_has(game: str) -> None:
    structure = structure_of(game)
    known = {window(structure, image, y, x) for image in structure.images for y, x in np.ndindex(image.shape)}
    grid = shaken(structure, 3)
    expected = [[window(structure, grid, y, x) not in known for x in range(grid.shape[1])] for y in range(len(grid))]
    assert structure.unknown(grid).tolist() == expected and np.any(expected)
    assert structure.unknown_cells(grid) == np.count_nonzero(expected)
    assert structure.unknown_share(grid) == np.mean(expected)


@pytest.mark.parametrize("game", GAMES)
def test_a_window_is_mended_by_the_known_one_that_leaves_fewest_unknown(game: str) -> None:
    structure = structure_of(game)
    mended = 0
    for seed in range(4):
        grid = shaken(structure, seed)
        fixed = np.random.default_rng(seed).random(grid.shape) < 0.1
        for y, x in np.argwhere(structure.unknown(grid)).tolist()[:6]:
            expected = best_mended(structure, grid, y, x, fixed)
            builder = LevelBuilder(structure.context, grid.copy())
            done = structure._mend_at(builder, y, x, fixed)
            assert (expected is None) == np.array_equal(builder.grid, grid)
            if expected is not None:
                assert done and np.array_equal(builder.grid, expected)
                mended += 1
    assert mended


def best_mended(structure: LocalStructure, grid: Grid, y: int, x: int, fixed: np.ndarray) -> Grid | None:
    """The level after the change that leaves fewest unknown windows around a cell; None where none is better."""
    height, width = grid.shape
    here = window(structure, grid, y, x)
    cells = [(y + k // 3 - 1, x + k % 3 - 1) for k in range(9)]
    known = known_windows(structure)
    raised = structure.raised
    keeps = raised[grid].mean() <= structure.usual_share
    around = [
        (r, c) for r in range(y - 2, y + 3) for c in range(x - 2, x + 3) if 0 <= r < height and 0 <= c < width
    ]  # fmt: skip

    def unknown_with(classes: np.ndarray) -> int:
        return sum(tuple(classes[r : r + 3, c : c + 3].ravel().tolist()) not in known for r, c in around)

    possible = []
    for number, one in enumerate(known):
        changed = [k for k in range(9) if one[k] != here[k]]
        barred = any(
            not (0 <= cells[k][0] < height and 0 <= cells[k][1] < width) or fixed[cells[k]]
            or one[k] in (*structure.example_objects.counted, len(structure.context.palette.tiles))
            for k in changed
        )  # fmt: skip
        fewer = keeps and sum(raised[list(one)]) < sum(raised[list(here)])
        if 0 < len(changed) <= MOST_CHANGED and not barred and not fewer:
            possible.append((len(changed), number, changed))
    padded = structure._padded(grid)
    best, least = None, unknown_with(padded)
    for _, number, changed in sorted(possible)[:TRIED]:
        tried = padded.copy()
        tried[y : y + 3, x : x + 3] = np.reshape(known[number], (3, 3))
        if unknown_with(tried) < least:
            least, best = unknown_with(tried), (number, changed)
    if best is None:
        return None
    builder = LevelBuilder(structure.context, grid.copy())
    number, changed = best
    done = _change(builder, [(*cells[k], known[number][k]) for k in changed])
    return builder.grid if done else None


@pytest.mark.parametrize("game", GAMES)
def test_things_are_misplaced_beside_what_none_of_their_kind_is_beside(game: str) -> None:
    structure = structure_of(game)
    grid = shaken(structure, 1)
    tiles = len(structure.context.palette.tiles)
    padded = structure._padded(grid)
    level = np.ascontiguousarray(grid, np.int16)
    found = np.empty(grid.shape, bool)
    sizes = np.array([*grid.shape, tiles], np.int64)
    arrays = level, structure._classes, structure._place_table, found, sizes
    number = invoke5(kernel.mark_misplaced.address, *(one.ctypes.data for one in arrays))
    expected = np.zeros(grid.shape, bool)
    for y, x in np.ndindex(grid.shape):
        code = 0
        for dy, dx in BESIDE:
            code = code * (tiles + 1) + int(padded[1 + y + dy, 1 + x + dx])
        tile = int(grid[y, x])
        expected[y, x] = tile in structure.places and code not in structure.places[tile]
    assert np.array_equal(found, expected) and number == expected.sum()


def test_pieces_of_a_quilt_are_compared_cell_by_cell() -> None:
    rng = np.random.default_rng(2)
    example = rng.integers(4, size=(7, 9)).astype(np.int32)
    there = rng.integers(4, size=(3, 4)).astype(np.int32)
    laid = rng.random(there.shape) < 0.5
    rows, columns = np.nonzero(laid)
    piece = np.stack([rows * 9 + columns, there[laid]], axis=1).astype(np.int64)
    unlike = np.empty((2, 3, 4), np.int64)
    sizes = np.array([9, 1, 2, 3, 4], np.int64)
    arrays = unlike.ctypes.data, sizes.ctypes.data
    invoke5(kernel.count_unlike.address, example.ctypes.data, piece.ctypes.data, len(piece), *arrays)
    for y, x in np.ndindex(3, 4):
        part = example[1 + y : 4 + y, 2 + x : 6 + x]
        assert unlike[0, y, x] == ((part != there) & laid).sum()
        assert unlike[1, y, x] == ((part % 2 != there % 2) & laid).sum()
