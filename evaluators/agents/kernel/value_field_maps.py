"""Distance maps of the value-field agent: how far everything is that can be collected.

The maps are grown backwards from each target over the edges of the movement graph, so that they follow ladders, falls
and dug holes, and know the ways of no return. A rival that has frozen is a wall on them.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import first_of, next_of
from pcg.engine.kernel.layout import context_at, sprite_at
from pcg.engine.kernel.protocol import model_at
from pcg.engine.kernel.runtime import (
    inner,
    load8,
    load16,
    load32,
    load64,
    load_double,
    store8,
    store16,
    store32,
    store64,
    store_double,
)
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.value_field_graph import avatar_of, cell_below, cell_of_node, steps_between
from pcg.evaluators.agents.kernel.value_field_record import FAR, IDS, MOVES, TARGETS, TRIED, field_at


@inner
def turn_round(field: int) -> None:
    """Sort the edges by where they lead, so that distances can grow backwards."""
    f = field_at(field)
    for node in range(f.used + 1):
        store32(f.start + 4 * node, 0)
    for at in range(f.used * MOVES):
        to = load32(f.to + 4 * at)
        if to >= 0:
            store32(f.start + 4 * to, load32(f.start + 4 * to) + 1)
    total = 0
    for node in range(f.used + 1):
        total += load32(f.start + 4 * node)
        store32(f.start + 4 * node, total)
    for at in range(f.used * MOVES):
        to = load32(f.to + 4 * at)
        if to >= 0:
            place = load32(f.start + 4 * to) - 1
            store32(f.start + 4 * to, place)
            store32(f.origin + 4 * place, at // MOVES)
            store16(f.span + 2 * place, load16(f.cost + 2 * at))


@inner
def grow_map(field: int, target: int) -> None:
    """The ticks from every node to a target, grown backwards from it over the moves that were seen.

    While nodes wait for their moves to be tried, the way from them is taken to be free.
    """
    f = field_at(field)
    ways = f.ways + 2 * target * f.room
    goal = load64(f.target_cell + 8 * target)
    first = 0
    waiting = 0
    for node in range(f.used):
        ticks = FAR
        cell = cell_of_node(field, node)
        if f.frozen_after > 0 and load8(f.blocked + cell) != 0:
            ticks = FAR
        elif cell == goal:
            ticks = 0
        elif f.head < f.tail and load8(f.done + node) != TRIED:
            ticks = min(FAR, 4 + f.hold * steps_between(field, cell, goal))
        store16(ways + 2 * node, ticks)
        store8(f.queued + node, 0)
        if ticks < FAR:
            store32(f.queue + 4 * waiting, node)
            store8(f.queued + node, 1)
            waiting += 1
    while waiting > 0:
        node = load32(f.queue + 4 * first)
        first = (first + 1) % f.room
        waiting -= 1
        store8(f.queued + node, 0)
        ticks = load16(ways + 2 * node)
        for at in range(load32(f.start + 4 * node), load32(f.start + 4 * node + 4)):
            origin = load32(f.origin + 4 * at)
            longer = ticks + load16(f.span + 2 * at)
            if f.frozen_after > 0 and load8(f.blocked + cell_of_node(field, origin)) != 0:
                continue
            if longer < load16(ways + 2 * origin):
                store16(ways + 2 * origin, longer)
                if load8(f.queued + origin) == 0:
                    store8(f.queued + origin, 1)
                    store32(f.queue + 4 * ((first + waiting) % f.room), origin)
                    waiting += 1


@inner
def list_targets(decision: int, state: int) -> None:
    """Find what there is to collect, the nearest first to count when there is more than can be told apart."""
    d = decision_at(decision)
    f = field_at(d.search)
    gm = model_at(d.model).game
    block = context_at(gm).block
    avatar = avatar_of(decision, state)
    here = 0
    if avatar != 0:
        here = cell_below(d.search, block, avatar)
    reach = f.columns + f.rows
    while True:
        n = 0
        for t in range(f.types):
            worth = load_double(f.worth + 8 * t)
            if worth <= 0.0:
                continue
            a = first_of(gm, state, t)
            while a != 0:
                cell = cell_below(d.search, block, a)
                if steps_between(d.search, here, cell) <= reach:
                    if n < TARGETS:
                        store64(f.target_id + 8 * n, sprite_at(a).id)
                        store64(f.target_cell + 8 * n, cell)
                        height = load_double(f.heights + 8 * (cell // f.columns))
                        store_double(f.target_worth + 8 * n, worth * height)
                    n += 1
                a = next_of(gm, state, a)
        if n <= TARGETS or reach <= 1:
            break
        reach = reach * 3 // 4
    f.targets = min(n, TARGETS)
    for k in range(IDS):
        store64(f.id_table + 8 * k, -1)
    for n in range(f.targets):
        k = load64(f.target_id + 8 * n) % IDS
        while load64(f.id_table + 8 * k) >= 0:
            k = (k + 1) % IDS
        store64(f.id_table + 8 * k, load64(f.target_id + 8 * n))
        store64(f.id_target + 8 * k, n)


@inner
def measure_ways(decision: int, state: int) -> None:
    """Bring the list of targets and their distance maps up to date."""
    d = decision_at(decision)
    f = field_at(d.search)
    list_targets(decision, state)
    if f.changed != 0:
        turn_round(d.search)
        for cell in range(f.cells):
            store8(f.felt_known + cell, 0)
        for k in range(TARGETS):
            store64(f.drawn_cell + 8 * k, -1)
        f.mapped = f.used
        f.changed = 0
    for k in range(f.targets):
        if load64(f.drawn_cell + 8 * k) != load64(f.target_cell + 8 * k):
            grow_map(d.search, k)
            store64(f.drawn_cell + 8 * k, load64(f.target_cell + 8 * k))
