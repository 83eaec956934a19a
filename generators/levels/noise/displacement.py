"""Midpoint displacement: mountains by halving, in one dimension (a skyline) and in two (the diamond-square method).

Fournier, Fussell, Carpenter: Computer rendering of stochastic models (CACM 1982); Miller: The definition and rendering
of terrain maps (SIGGRAPH 1986); Shaker, Togelius, Nelson: Procedural Content Generation in Games, chapter 4 (2016).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float64]


def skyline(rng: np.random.Generator, length: int, roughness: float) -> Field:
    """Heights along a line, shape (length,), roughly within [-1, 1].

    Args:
        rng: decides the heights.
        length: number of heights, at least 1.
        roughness: how much of the displacement is left at half the distance, from 0 (one slope) to 1 (all noise).
    """
    heights = rng.uniform(-1.0, 1.0, 2)
    reach = 1.0
    while heights.size < length:
        reach *= roughness
        middle = (heights[:-1] + heights[1:]) / 2.0 + reach * rng.uniform(-1.0, 1.0, heights.size - 1)
        longer = np.empty(2 * heights.size - 1)
        longer[::2], longer[1::2] = heights, middle
        heights = longer
    start = int(rng.integers(heights.size - length + 1))
    return heights[start : start + length]


def diamond_square(rng: np.random.Generator, shape: tuple[int, int], roughness: float) -> Field:
    """Heights over a grid, shape (height, width), roughly within [-1, 1]; `roughness` as in `skyline`."""
    size = 1
    while size + 1 < max(shape):
        size *= 2
    field = np.zeros((size + 1, size + 1))
    field[::size, ::size] = rng.uniform(-1.0, 1.0, (2, 2))
    reach, step = 1.0, size
    while step > 1:
        half = step // 2
        reach *= roughness
        corners = field[::step, ::step]
        middles = (corners[:-1, :-1] + corners[:-1, 1:] + corners[1:, :-1] + corners[1:, 1:]) / 4.0
        field[half::step, half::step] = middles + reach * rng.uniform(-1.0, 1.0, middles.shape)
        _edges(rng, field, step, half, reach)
        step = half
    y, x = int(rng.integers(size + 2 - shape[0])), int(rng.integers(size + 2 - shape[1]))
    return field[y : y + shape[0], x : x + shape[1]]


def _edges(rng: np.random.Generator, field: Field, step: int, half: int, reach: float) -> None:
    """The square step: the middles of all sides become the mean of the three or four known points around them."""
    size = field.shape[0]
    known = np.zeros((size + 2 * half, size + 2 * half))
    known[half:-half, half:-half] = field
    there = np.zeros(known.shape)
    there[half:-half, half:-half][::step, ::step] = 1.0
    there[half:-half, half:-half][half::step, half::step] = 1.0
    for top, left in ((0, half), (half, 0)):
        rows, columns = np.arange(top, size, step), np.arange(left, size, step)
        total, number = np.zeros((rows.size, columns.size)), np.zeros((rows.size, columns.size))
        for dy, dx in ((-half, 0), (half, 0), (0, -half), (0, half)):
            around = np.ix_(rows + half + dy, columns + half + dx)
            total += known[around] * there[around]
            number += there[around]
        field[np.ix_(rows, columns)] = total / number + reach * rng.uniform(-1.0, 1.0, total.shape)
