"""Monsters of the value-field agent: how far they are, what their nearness costs, and holes between them and it.

Distances of monsters are spread from each over the level for a few steps: over the cells where an avatar has been seen,
over the moves that the avatar has been seen to make (a monster under a rope cannot reach it), or along the axes. All
are guesses at how monsters move: what they do in the next moves the look-ahead shows, unless they are taken to stay
where they are.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import first_of, next_of
from pcg.engine.kernel.layout import context_at
from pcg.engine.kernel.protocol import model_at
from pcg.engine.kernel.runtime import inner, load8, load32, load64, store8, store32, store64
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.value_field_graph import avatar_of, cell_below, cell_of_node, steps_between
from pcg.evaluators.agents.kernel.value_field_record import (
    BY_MOVES,
    MONSTERS,
    MOVES,
    RADIUS,
    STRAIGHT,
    TRIED,
    USE,
    field_at,
)


@inner
def spread_over_cells(field: int, cell: int) -> None:
    """Measure the steps from a monster in a cell to the cells around it, over cells where an avatar can be."""
    f = field_at(field)
    row = f.felt + cell * f.cells
    store32(f.queue, cell)
    first = 0
    last = 1
    while first < last:
        at = load32(f.queue + 4 * first)
        first += 1
        steps = load8(row + at) + 1
        if steps > RADIUS:
            continue
        for k in range(4):
            other = at
            if k == 0 and at >= f.columns:
                other = at - f.columns
            elif k == 1 and at % f.columns > 0:
                other = at - 1
            elif k == 2 and at + f.columns < f.cells:
                other = at + f.columns
            elif k == 3 and at % f.columns < f.columns - 1:
                other = at + 1
            if load8(row + other) > steps and load8(f.passable + other) != 0:
                store8(row + other, steps)
                store32(f.queue + 4 * last, other)
                last += 1


@inner
def spread_over_moves(field: int, cell: int) -> int:
    """Measure the steps over moves that the avatar has been seen to make undug; returns how many were known."""
    f = field_at(field)
    row = f.felt + cell * f.cells
    store32(f.queue, cell)
    first = 0
    last = 1
    known = 0
    while first < last:
        at = load32(f.queue + 4 * first)
        first += 1
        steps = load8(row + at) + 1
        if steps > RADIUS:
            continue
        for k in range(f.kinds * 5):
            node = load32(f.index + 4 * ((k // 5 * f.cells + at) * 5 + k % 5))
            if node < 0 or load8(f.done + node) != TRIED:
                continue
            for action in range(USE):
                to = load32(f.to + 4 * (node * MOVES + action))
                if to < 0:
                    continue
                known += 1
                other = cell_of_node(field, to)
                if load8(row + other) > steps:
                    store8(row + other, steps)
                    store32(f.queue + 4 * last, other)
                    last += 1
    return known


@inner
def feel_from(field: int, cell: int) -> None:
    """Measure the steps from a monster in a cell to all cells; over cells where no moves from there are known."""
    f = field_at(field)
    row = f.felt + cell * f.cells
    for other in range(f.cells):
        store8(row + other, RADIUS + 1)
        if f.spread == STRAIGHT:
            store8(row + other, min(RADIUS + 1, steps_between(field, cell, other)))
    store8(row + cell, 0)
    if f.spread != STRAIGHT and (f.spread != BY_MOVES or spread_over_moves(field, cell) == 0):
        spread_over_cells(field, cell)
    store8(f.felt_known + cell, 1)


@inner
def steps_from(field: int, monster: int, cell: int) -> int:
    """Steps of a monster from one cell to another, at most RADIUS + 1."""
    f = field_at(field)
    if load8(f.felt_known + monster) == 0:
        feel_from(field, monster)
    return load8(f.felt + monster * f.cells + cell)


@inner
def menace(decision: int, state: int) -> float:
    """Return the nearness of harm: the sum of 1 / 2^steps over the monsters within `radius` steps."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    avatar = avatar_of(decision, state)
    if avatar == 0:
        return 0.0
    block = context_at(gm).block
    here = cell_below(d.search, block, avatar)
    total = 0.0
    for t in range(f.types):
        if load32(f.harmful + 4 * t) != 0:
            a = first_of(gm, state, t)
            while a != 0:
                steps = steps_from(d.search, cell_below(d.search, block, a), here)
                if steps <= f.radius:
                    total += 1.0 / (1 << steps)
                a = next_of(gm, state, a)
    return total


@inner
def list_monsters(decision: int, state: int) -> None:
    """Write the cells of the monsters to `monster_cell`."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    block = context_at(gm).block
    f.monsters = 0
    for t in range(f.types):
        if load32(f.harmful + 4 * t) != 0:
            a = first_of(gm, state, t)
            while a != 0 and f.monsters < MONSTERS:
                store64(f.monster_cell + 8 * f.monsters, cell_below(d.search, block, a))
                f.monsters = f.monsters + 1
                a = next_of(gm, state, a)


@inner
def closeness(field: int, here: int) -> float:
    """Sum of (radius + 1 - steps) / (radius + 1) over the listed monsters within `radius` steps of a cell."""
    f = field_at(field)
    total = 0.0
    for k in range(f.monsters):
        steps = steps_from(field, load64(f.monster_cell + 8 * k), here)
        if steps <= f.radius:
            total += (f.radius + 1.0 - steps) / (f.radius + 1.0)
    return total


@inner
def is_between(field: int, hole: int, here: int, monster: int) -> int:
    """Return 1 for a hole on the line between two cells of a row, or in the ground under that line."""
    f = field_at(field)
    row = here // f.columns
    left = min(here % f.columns, monster % f.columns)
    right = max(here % f.columns, monster % f.columns)
    return int(left < hole % f.columns < right and row <= hole // f.columns <= row + 1)


@inner
def trapped(decision: int, state: int, here: int) -> int:
    """Return 1 when there is a hole between a cell and a listed monster that is near on the same line."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    block = context_at(gm).block
    for t in range(f.types):
        if load32(f.trap + 4 * t) != 0:
            a = first_of(gm, state, t)
            while a != 0:
                hole = cell_below(d.search, block, a)
                for k in range(f.monsters):
                    monster = load64(f.monster_cell + 8 * k)
                    if monster // f.columns == here // f.columns and abs(monster - here) <= f.trap_reach:
                        if is_between(d.search, hole, here, monster) == 1:
                            return 1
                a = next_of(gm, state, a)
    return 0


@inner
def safety(decision: int, state: int) -> float:
    """Points for how the avatar stands to the monsters: less near them, more behind a hole."""
    d = decision_at(decision)
    f = field_at(d.search)
    avatar = avatar_of(decision, state)
    if avatar == 0:
        return 0.0
    if f.monsters_stay == 0:
        list_monsters(decision, state)
    here = cell_below(d.search, context_at(model_at(d.model).game).block, avatar)
    points = -f.monster_penalty * closeness(d.search, here)
    if f.trap_bonus > 0.0 and trapped(decision, state, here) == 1:
        points += f.trap_bonus
    return points
