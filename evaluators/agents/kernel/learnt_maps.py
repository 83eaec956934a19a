"""Maps of what is worth touching, around what has stopped the avatar: learnt from simulations, not read from rules.

Where simulations have brought the avatar is known to be free, and so is every kind of sprite that stands in such a
place; other kinds are taken to block. Before a decision a distance field (`distance_field`) is grown from every kind of
sprite that touches have proved worth it, or that nothing is known about yet, and a cell is worth the best of
``worth * 8 / (8 + steps)``. So a pull no longer ends at the next wall, as one along straight lines does.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import avatar_cell, features, map_types
from pcg.engine.kernel.runtime import inner, load8, load64, load_double, store8, store_double, view_of
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.distance_field import SOLID, TARGET, field_at, grow_field
from pcg.evaluators.agents.kernel.touch_statistics import knowledge_at

LEARNT_MAPS = np.dtype(
    [
        ("cells", "i8"),
        ("kinds", "i8"),
        ("visited", "i8"),  # int8[cells]: 1 where a simulation has brought the avatar
        ("free", "i8"),  # int8[kinds]: 1 for kinds seen in such a place
        ("pull", "i8"),  # float64[cells]: what being there is worth
    ],
    align=True,
)

maps_at = view_of(LEARNT_MAPS)

_AVATAR = 1
_HALF = 8.0
"""Steps at which a pull is half of what it is in place."""


@inner
def note_place(decision: int, maps: int, state: int) -> None:
    """Remember that the avatar can be where it is."""
    cell = avatar_cell(decision_at(decision).model, state, decision_at(decision).player)
    if cell >= 0:
        store8(maps_at(maps).visited + cell, 1)


@inner
def mark_kind(decision: int, kind: int, state: int) -> int:
    """Mark the cells of the sprites of a kind in the field; returns how many sprites there are."""
    d = decision_at(decision)
    f = field_at(d.field)
    for cell in range(f.cells):
        store8(f.marks + cell, 0)
    for other in range(f.types):
        store8(f.flags + other, 0)
    store8(f.flags + kind, 1)
    return map_types(d.model, state, f.flags, f.marks)


@inner
def find_free_kinds(decision: int, maps: int, state: int) -> None:
    """Take every kind for free of which a sprite stands where the avatar has been."""
    d = decision_at(decision)
    f = field_at(d.field)
    m = maps_at(maps)
    for kind in range(m.kinds):
        if load64(d.kinds + 8 * kind) == _AVATAR:
            store8(m.free + kind, 1)
        if load8(m.free + kind) == 0 and mark_kind(decision, kind, state) > 0:
            for cell in range(f.cells):
                if load8(f.marks + cell) != 0 and load8(m.visited + cell) != 0:
                    store8(m.free + kind, 1)
                    break


@inner
def draw_maps(decision: int, knowledge: int, maps: int, state: int) -> None:
    """Work out what every cell is worth in a state."""
    d = decision_at(decision)
    f = field_at(d.field)
    m = maps_at(maps)
    note_place(decision, maps, state)
    find_free_kinds(decision, maps, state)
    for cell in range(m.cells):
        store_double(m.pull + 8 * cell, 0.0)
    for kind in range(m.kinds):
        worth = load_double(knowledge_at(knowledge).worth + 8 * kind)
        if worth <= 0.0:
            continue
        for other in range(f.types):
            store8(f.flags + other, 0 if load8(m.free + other) != 0 else SOLID)
        store8(f.flags + kind, TARGET)
        if grow_field(decision, state) == 0:
            continue
        for cell in range(m.cells):
            pull = worth * _HALF / (_HALF + load_double(f.distance + 8 * cell))
            if pull > load_double(m.pull + 8 * cell):
                store_double(m.pull + 8 * cell, pull)


@inner
def pull_of(decision: int, knowledge: int, maps: int, state: int) -> float:
    """Return the value of the avatar's position, in [-1, 1]: the best way to anything, the worst thing beside it."""
    d = decision_at(decision)
    w = knowledge_at(knowledge)
    worst = 0.0
    for kind in range(features(d.model, state, d.player, d.features, 2 * w.kinds) // 2):
        worth = load_double(w.worth + 8 * kind)
        distance = load_double(d.features + 16 * kind + 8)
        if worth < 0.0 and distance >= 0.0:
            worst = min(worst, worth / (1.0 + distance))
    cell = avatar_cell(d.model, state, d.player)
    if cell < 0:
        return worst
    return load_double(maps_at(maps).pull + 8 * cell) + worst
