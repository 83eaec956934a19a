"""Distances between things that must come together: an estimate of the ticks to a win beside the weighted features.

The features know how far the avatar is from each kind of thing. Where winning means that one thing is brought to
another (a body onto its base), what counts is the way between these two. For models on a grid of cells
(`protocol.MODEL`'s `columns`); after the Manhattan bounds of box-pushing solvers (Junghanns and Schaeffer 2001).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import map_types
from pcg.engine.kernel.runtime import entry_point, load8, load_double, store8, view_of
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.heuristics import weigh

MOST_PAIRS = 4
"""Each takes two of the eight bits of a cell's mark."""

PAIR_DISTANCES = np.dtype(
    [
        ("cells", "i8"),
        ("columns", "i8"),
        ("count", "i8"),  # number of pairs
        ("flags", "i8"),  # int8[types]: bit 2k for the one side of pair k, bit 2k + 1 for the other
        ("marks", "i8"),  # int8[cells]: bits of the sprites there
        ("weights", "i8"),  # float64[count]: ticks that a cell between the nearest two stands for
    ],
    align=True,
)

pairs_at = view_of(PAIR_DISTANCES)


@entry_point("f8(i8, i8)")
def features_and_pair_distances(decision: int, state: int) -> float:
    """The weighted features, and for each pair of kinds the weighted distance of the nearest two in cells."""
    d = decision_at(decision)
    p = pairs_at(d.field)
    value: float = weigh(decision, state)
    for cell in range(p.cells):
        store8(p.marks + cell, 0)
    map_types(d.model, state, p.flags, p.marks)
    for k in range(p.count):
        first = 1 << (2 * k)
        second = 2 * first
        nearest = -1
        for cell in range(p.cells):
            if load8(p.marks + cell) & first:
                for other in range(p.cells):
                    if load8(p.marks + other) & second:
                        columns = abs(cell % p.columns - other % p.columns)
                        apart = columns + abs(cell // p.columns - other // p.columns)
                        if nearest < 0 or apart < nearest:
                            nearest = apart
        if nearest > 0:
            value += nearest * load_double(p.weights + 8 * k)
    return value
