"""Contents to start a search on a PCG Benchmark problem from, drawn without knowing what a number means.

Uniform samples are rarely a beginning: contents that make sense have a few values nearly everywhere and the others
here and there. So some of the samples have values of very different frequency, and some of the grids have a ground,
walks of a second value through it, and a few single cells of the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pcg.integrations.pcg_benchmark.contents import Layout, Vector

CONCENTRATIONS = (0.02, 0.1, 0.3, 1.0)
"""Of the Dirichlet distributions that shares of values are drawn from: the least makes one value fill nearly all."""
LARGEST = 200
"""Most values of a leaf for which shares are drawn."""
THINGS = 3
"""Most single cells of a value in a grid with walks."""


def starting_contents(layout: Layout, seed: int) -> Iterator[Vector]:
    """Yield contents to start from, without end."""
    rng = np.random.default_rng([seed, 1])
    while True:
        yield layout.sample(rng)
        yield uneven(layout, rng)
        if layout.grid is not None:
            yield walked(layout, rng)
            yield walked(layout, rng)


def uneven(layout: Layout, rng: np.random.Generator) -> Vector:
    """Return a sample in which some values of a kind of leaves are far more frequent than others."""
    vector = layout.sample(rng)
    for kin in layout.kinds:
        low, high = layout.low[kin[0]], layout.high[kin[0]]
        if layout.whole[kin[0]] and high - low <= LARGEST:
            concentration = CONCENTRATIONS[int(rng.integers(len(CONCENTRATIONS)))]
            shares = rng.dirichlet(np.full(int(high - low), concentration))
            vector[kin] = low + rng.choice(len(shares), size=len(kin), p=shares)
    return layout.inside(vector)


def walked(layout: Layout, rng: np.random.Generator) -> Vector:
    """Return a grid of one value with straight walks of another through it, and a few single cells of the others."""
    assert layout.grid is not None
    height, width = layout.grid
    values = rng.permutation(np.arange(int(layout.low[0]), int(layout.high[0])))
    grid = np.full((height, width), values[0], float)
    y, x = int(rng.integers(height)), int(rng.integers(width))
    wanted = rng.uniform(0.2, 0.8) * grid.size
    while (grid != values[0]).sum() < wanted:
        if rng.random() < 0.5:
            to = int(rng.integers(height))
            grid[min(y, to) : max(y, to) + 1, x] = values[1]
            y = to
        else:
            to = int(rng.integers(width))
            grid[y, min(x, to) : max(x, to) + 1] = values[1]
            x = to
    paths = rng.permutation(np.flatnonzero(grid.ravel() == values[1])).tolist()
    flat = grid.ravel()
    for value in values[2:]:
        for _ in range(int(rng.integers(THINGS + 1))):
            if paths:
                flat[paths.pop()] = value
    return flat
