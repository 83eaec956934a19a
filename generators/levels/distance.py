"""How different two levels look, as a number from 0 to 1.

The share of cells that differ among those where at least one level has something: bare ground common to both says
nothing about likeness, nor does a frame they share. Used to keep archives and populations diverse; it knows nothing
of play.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
"""A level as character codes, shape (height, width)."""


def codes(level: str) -> Codes:
    """The character codes of a level text with rows of one length."""
    rows = level.split("\n")
    flat = np.frombuffer("".join(rows).encode("utf-32-le"), np.uint32)
    return flat.reshape(len(rows), -1)


def code_distance(a: Codes, b: Codes) -> float:
    """The distance of two levels given as character codes; levels of other sizes are laid over each other at the top
    left.

    Cells that only one of them has count as different.
    """
    height, width = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    beyond = a.size + b.size - 2 * height * width
    first, second = a[:height, :width], b[:height, :width]
    differs = first != second
    looked_at = np.ones(first.shape, bool)
    if a.shape == b.shape:
        # Edge cells on which the two agree are a frame they share.
        looked_at[1:-1, 1:-1] = False
        looked_at = ~looked_at | differs
    inside = np.concatenate([first[looked_at], second[looked_at]])
    if not inside.size:
        return 1.0 if beyond else 0.0
    values, counts = np.unique(inside, return_counts=True)
    bare = values[int(counts.argmax())]
    filled = looked_at & ((first != bare) | (second != bare))
    telling = int(filled.sum()) + beyond
    return (int(differs.sum()) + beyond) / telling if telling else 0.0


def level_distance(a: str, b: str) -> float:
    r"""The distance of two level texts.

    >>> level_distance("wwww\nwA.w\nwwww", "wwww\nw.Aw\nwwww")
    1.0
    """
    return code_distance(codes(a), codes(b))
