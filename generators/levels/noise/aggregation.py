"""Diffusion-limited growth: walkers wander about until they touch what has grown so far, and become part of it.

Witten and Sander: Diffusion-limited aggregation, a kinetic critical phenomenon (Physical Review Letters 47, 1981); as a
way to make levels: Shaker, Togelius, Nelson: Procedural Content Generation in Games, chapter 3 (2016). Here many
walkers are under way at once, which is the same process as long as they are few among the free cells.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import Mask


def grow(
    rng: np.random.Generator, shape: tuple[int, int], count: int, *, seeds: int, stickiness: float, from_edge: bool
) -> Mask:
    """A cluster of `count` cells grown by wandering cells.

    Args:
        rng: decides where walkers start and go.
        shape: (height, width) of the area; walkers are held back at its edge.
        count: cells wanted, at most height * width.
        seeds: cells the growth starts from: in the middle when there is one, else anywhere.
        stickiness: probability that a walker stays when it touches the cluster, in (0, 1].
        from_edge: let it grow from the edge of the area as well.

    Returns:
        The cluster, exactly `count` cells, shape `shape`.
    """
    height, width = shape
    row = width + 2
    area = height * width
    cells = (np.arange(1, height + 1)[:, None] * row + np.arange(1, width + 1)).ravel()
    inside = np.zeros((height + 2) * row, bool)
    inside[cells] = True
    grown = np.zeros(inside.size, bool)
    first = [cells[(height // 2) * width + width // 2]] if seeds == 1 else rng.permutation(cells)[: min(seeds, count)]
    if not from_edge and count:
        grown[first] = True
    done = int(grown.sum())
    touching = np.zeros(inside.size, bool)
    ways = np.array((-row, row, -1, 1))
    if from_edge:
        for way in ways:
            touching[cells[~inside[cells + way]]] = True
        touching &= ~grown
    for way in ways:
        touching[np.flatnonzero(grown) + way] = True
    walkers = rng.choice(cells, max(1, min(64, area // 16)))
    while done < count:
        walkers = np.where(grown[walkers], rng.choice(cells, walkers.size), walkers)
        halt = np.unique(walkers[touching[walkers] & ~grown[walkers] & (rng.random(walkers.size) < stickiness)])
        if halt.size:
            halt = halt[: count - done]
            grown[halt] = True
            done += halt.size
            touching[(halt[:, None] + ways).ravel()] = True
        moved = walkers + ways[rng.integers(4, size=walkers.size)]
        walkers = np.where(inside[moved] & ~grown[moved], moved, walkers)
    return grown.reshape(height + 2, row)[1:-1, 1:-1].copy()
