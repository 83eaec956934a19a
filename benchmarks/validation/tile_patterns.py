"""Distances of levels that are in use elsewhere, to compare ours with: cells that differ, and tile patterns."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray


def hamming(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> float:
    """Return the share of cells that differ, of levels laid over each other at the top left."""
    height, width = min(one.shape[0], other.shape[0]), min(one.shape[1], other.shape[1])
    same = int((one[:height, :width] == other[:height, :width]).sum())
    return 1 - same / (one.size + other.size - height * width)


def patterns(cells: NDArray[np.uint32], side: int) -> Counter[bytes]:
    """Return the squares of a level and how often they occur."""
    height, width = cells.shape
    squares = ((y, x) for y in range(height - side + 1) for x in range(width - side + 1))
    return Counter(cells[y : y + side, x : x + side].tobytes() for y, x in squares)


def jensen_shannon(one: Counter[bytes], other: Counter[bytes]) -> float:
    """Return the Jensen-Shannon divergence of two distributions, in bits (Lucas, Volz: Tile Pattern KL, 2019)."""
    keys = sorted(one.keys() | other.keys())
    p, q = (np.array([float(counts[key]) for key in keys]) for counts in (one, other))
    p, q = p / max(1.0, p.sum()), q / max(1.0, q.sum())
    mean = (p + q) / 2
    terms = [np.where(x > 0, x * np.log2(np.where(x > 0, x, 1) / np.where(mean > 0, mean, 1)), 0) for x in (p, q)]
    return float(sum(term.sum() for term in terms) / 2)
