"""Distances of two levels by edits, and by the way they are played.

`edit_distance` counts edits (Levenshtein 1966, rows within levels as letters within words), and `play_distance`
compares what is done in two plays (after Osborn, Mateas: A Game-Independent Play Trace Dissimilarity Metric, 2014).
How unlike two levels look, which archives and populations are kept diverse with, is in `likeness`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray


def edit_distance(a: str, b: str) -> int:
    r"""Fewest edits that make one level text of another.

    An edit changes one cell, or puts in or takes out one cell of a row; putting in or taking out a row costs as many
    edits as it has cells. For levels of one size it is at most the number of cells that differ.

    >>> edit_distance("w..\nw.A", "w.A\nw..")
    2
    >>> edit_distance("www\nwAw\nwww", "www\nwAw\nw.w\nwww")
    3
    """
    first, second = (_rows(level.rstrip("\n").split("\n")) for level in (a, b))
    between = _row_distances(first, second)
    lengths_a, lengths_b = ([int((row >= 0).sum()) for row in rows] for rows in (first, second))
    previous = np.concatenate(([0], np.cumsum(lengths_b)))
    for i, row in enumerate(between.tolist()):
        current = [int(previous[0]) + lengths_a[i]]
        for j, cost in enumerate(row):
            current.append(min(int(previous[j]) + cost, int(previous[j + 1]) + lengths_a[i], current[j] + lengths_b[j]))
        previous = np.array(current)
    return int(previous[-1])


def _rows(texts: Sequence[str]) -> NDArray[np.int64]:
    """Rows as character codes, shape (rows, longest row), filled up with -1."""
    longest = max(map(len, texts))
    return np.array([[*map(ord, text), *[-1] * (longest - len(text))] for text in texts], np.int64)


def _row_distances(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edit distances of all rows of one level from all of another, shape (rows, rows), all in step.

    Filling costs nothing to put in or take out, and stands at the end, so that rows may have different lengths.
    """
    gone = (first >= 0).astype(np.int64)[:, None, :]
    new = (second >= 0).astype(np.int64)[None, :, :]
    shape = (len(first), len(second))
    row = [np.zeros(shape, np.int64)]
    for x in range(second.shape[1]):
        row.append(row[-1] + new[:, :, x])
    for y in range(first.shape[1]):
        here = first[:, None, y]
        following = [row[0] + gone[:, :, y]]
        for x in range(second.shape[1]):
            changed = row[x] + (here != second[None, :, x])
            following.append(np.minimum(np.minimum(changed, row[x + 1] + gone[:, :, y]), following[x] + new[:, :, x]))
        row = following
    return row[-1]


def play_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """The distance of two plays, in [0, 1]: edits between two plays over the length of the longer one.

    Args:
        a: actions of a play; a text with one letter per action will do.
        b: actions of the other.

    >>> play_distance("RRRDDX", "RRDDX")
    0.16666666666666666
    """
    if not a or not b:
        return float(len(a) != len(b))
    known = {action: k for k, action in enumerate(dict.fromkeys([*a, *b]))}
    letters = np.array([known[action] for action in b])
    steps = np.arange(len(b) + 1)
    row = steps.copy()
    for k, action in enumerate(a):
        reached = np.empty_like(row)
        reached[0] = k + 1
        reached[1:] = np.minimum(row[1:] + 1, row[:-1] + (letters != known[action]))
        row = np.minimum.accumulate(reached - steps) + steps  # putting actions in, from the left on
    return float(row[-1]) / max(len(a), len(b))
