"""Compiled search of pushing puzzles: boxes and an avatar among walls, forwards by pushes, backwards by pulls.

A *position* is the cells of the boxes in ascending order (`GONE` for those that have left the board), the goals that
are used up, and the avatar. Forwards, A* looks for the fewest pushes, where positions whose avatars can walk to one
another are one, or for the fewest moves. Its estimate is the least sum of pushes that brings boxes to goals of their
own (Junghanns and Schaeffer, Sokoban: enhancing general single-agent search methods, 2001); positions in which a box
stands still for good off its goal are not looked at. Backwards, all positions are met from which boxes can be pushed
home, each with the fewest pushes that it takes (Taylor and Parberry, Procedural generation of Sokoban levels, 2011).

Boards have a border of walls, so that no cell that something stands on is at the edge.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load8,
    load16,
    load32,
    load64,
    store8,
    store16,
    store32,
    store64,
)
from pcg.evaluators.pushing.positions import ALL_BOXES as ALL_BOXES
from pcg.evaluators.pushing.positions import ALL_GOALS as ALL_GOALS
from pcg.evaluators.pushing.positions import EXHAUSTED as EXHAUSTED
from pcg.evaluators.pushing.positions import FAR as FAR
from pcg.evaluators.pushing.positions import FILLS as FILLS
from pcg.evaluators.pushing.positions import GONE as GONE
from pcg.evaluators.pushing.positions import PAUSED as PAUSED
from pcg.evaluators.pushing.positions import ROOM as ROOM
from pcg.evaluators.pushing.positions import SEARCH as SEARCH
from pcg.evaluators.pushing.positions import SINKS as SINKS
from pcg.evaluators.pushing.positions import SOLVED as SOLVED
from pcg.evaluators.pushing.positions import SPENT as SPENT
from pcg.evaluators.pushing.positions import STAYS as STAYS
from pcg.evaluators.pushing.positions import STICKS as STICKS
from pcg.evaluators.pushing.positions import WALK as WALK
from pcg.evaluators.pushing.positions import (
    direction,
    entry_of,
    flood,
    is_won,
    key_of,
    move_box,
    open_goal,
    put,
    put_work,
    search_at,
    walkable,
)

_NEVER = 1 << 28


# --- what cannot be won, and how far it is ----------------------------------------------------------------------------


@inner
def can_slide(search: int, cell: int, step: int) -> int:
    """Return 1 where a box could be pushed along an axis one day, as far as what is frozen there tells."""
    s = search_at(search)
    for k in range(2):
        there = cell + (step if k == 0 else 0 - step)
        back = cell - (step if k == 0 else 0 - step)
        if (
            load8(s.ground + there) & ROOM
            and load8(s.live + there)
            and load8(s.frozen + there) == 0
            and load8(s.on + there) != 2
            and load8(s.ground + back) & WALK
            and load8(s.frozen + back) == 0
            and load8(s.on + back) != 2
        ):
            return 1
    return 0


@inner
def has_frozen(search: int) -> int:
    """Return 1 where a box of the position on the board stands still for good and is not home."""
    s = search_at(search)
    for k in range(s.boxes):
        cell = load16(s.work + 2 * k)
        if cell != GONE:
            store8(s.frozen + cell, 1)
    changed = 1
    while changed:
        changed = 0
        for k in range(s.boxes):
            cell = load16(s.work + 2 * k)
            if cell == GONE or load8(s.frozen + cell) == 0:
                continue
            if can_slide(search, cell, 1) or can_slide(search, cell, s.columns):
                store8(s.frozen + cell, 0)
                changed = 1
    found = 0
    for k in range(s.boxes):
        cell = load16(s.work + 2 * k)
        if cell != GONE:
            if load8(s.frozen + cell) and (s.fate != STAYS or load32(s.goal_at + 4 * cell) < 0):
                found = 1
            store8(s.frozen + cell, 0)
    return found


@inner
def price_of(search: int, row: int, column: int, taken: int) -> int:
    """Pushes for a row and a column of the assignment, counted from 0: boxes and goals, or goals and boxes."""
    s = search_at(search)
    box = column if s.need == ALL_GOALS else row
    g = row if s.need == ALL_GOALS else column
    cell = load16(s.work + 2 * box)
    if cell == GONE or (taken >> g) & 1:
        return FAR
    return load32(s.far + 4 * (g * s.cells + cell))


@inner
def assignment(search: int, taken: int) -> int:
    """Least sum of pushes with a goal of its own for each box, or a box for each goal; FAR or more where none is.

    The Hungarian method row by row, with potentials (Kuhn 1955). Rows that are done with cost nothing.
    """
    s = search_at(search)
    rows = s.goals if s.need == ALL_GOALS else s.boxes
    columns = s.boxes if s.need == ALL_GOALS else s.goals
    size = 4 * (s.most + 1)
    u = s.assign
    v = u + size
    matched = v + size
    came = matched + size
    least = came + size
    seen = least + size
    for j in range(s.most + 1):
        store32(u + 4 * j, 0)
        store32(v + 4 * j, 0)
        store32(matched + 4 * j, 0)
    total = 0
    for i in range(1, rows + 1):
        if s.need == ALL_GOALS:
            if (taken >> (i - 1)) & 1:
                continue
        elif load16(s.work + 2 * (i - 1)) == GONE:
            continue
        store32(matched, i)
        j0 = 0
        for j in range(columns + 1):
            store32(least + 4 * j, _NEVER)
            store32(seen + 4 * j, 0)
        while True:
            store32(seen + 4 * j0, 1)
            i0 = load32(matched + 4 * j0)
            delta = _NEVER
            j1 = 0
            for j in range(1, columns + 1):
                if load32(seen + 4 * j):
                    continue
                price = price_of(search, i0 - 1, j - 1, taken) - load32(u + 4 * i0) - load32(v + 4 * j)
                if price < load32(least + 4 * j):
                    store32(least + 4 * j, price)
                    store32(came + 4 * j, j0)
                if load32(least + 4 * j) < delta:
                    delta = load32(least + 4 * j)
                    j1 = j
            if j1 == 0:
                return FAR  # fewer columns than rows
            for j in range(columns + 1):
                if load32(seen + 4 * j):
                    at = u + 4 * load32(matched + 4 * j)
                    store32(at, load32(at) + delta)
                    store32(v + 4 * j, load32(v + 4 * j) - delta)
                else:
                    store32(least + 4 * j, load32(least + 4 * j) - delta)
            j0 = j1
            if load32(matched + 4 * j0) == 0:
                break
        while j0 != 0:
            j1 = load32(came + 4 * j0)
            store32(matched + 4 * j0, load32(matched + 4 * j1))
            j0 = j1
    for j in range(1, columns + 1):
        if load32(matched + 4 * j) > 0:
            total += price_of(search, load32(matched + 4 * j) - 1, j - 1, taken)
    return total


@inner
def estimate_of(search: int, taken: int) -> int:
    """Pushes that the position being made takes at least; FAR or more where it cannot be won."""
    s = search_at(search)
    if s.fate != SINKS:
        return assignment(search, taken)
    total = 0
    for k in range(s.boxes):
        cell = load16(s.work + 2 * k)
        if cell == GONE:
            continue
        least = FAR
        for g in range(s.goals):
            pushes = load32(s.far + 4 * (g * s.cells + cell))
            if pushes < least:
                least = pushes
        total += least
    return total


# --- the heap ---------------------------------------------------------------------------------------------------------


@inner
def heap_add(search: int, node: int, priority: int) -> int:
    """Add a node to those to be looked at; returns 0 where there is no room."""
    s = search_at(search)
    if s.heap_used == s.heap_room:
        return 0
    at = s.heap_used
    s.heap_used = at + 1
    while at > 0:
        above = (at - 1) // 2
        if load64(s.priority + 8 * above) <= priority:
            break
        store64(s.priority + 8 * at, load64(s.priority + 8 * above))
        store32(s.heap + 4 * at, load32(s.heap + 4 * above))
        at = above
    store64(s.priority + 8 * at, priority)
    store32(s.heap + 4 * at, node)
    return 1


@inner
def heap_take(search: int) -> int:
    """Take the node with the least priority."""
    s = search_at(search)
    node = load32(s.heap)
    last = s.heap_used - 1
    s.heap_used = last
    priority = load64(s.priority + 8 * last)
    moved = load32(s.heap + 4 * last)
    at = 0
    while True:
        below = 2 * at + 1
        if below >= last:
            break
        if below + 1 < last and load64(s.priority + 8 * (below + 1)) < load64(s.priority + 8 * below):
            below += 1
        if load64(s.priority + 8 * below) >= priority:
            break
        store64(s.priority + 8 * at, load64(s.priority + 8 * below))
        store32(s.heap + 4 * at, load32(s.heap + 4 * below))
        at = below
    store64(s.priority + 8 * at, priority)
    store32(s.heap + 4 * at, moved)
    return node


# --- nodes ------------------------------------------------------------------------------------------------------------


@inner
def add_node(search: int, key: int, entry: int, taken: int, avatar: int) -> int:
    """Make a node of the position being made; -1 where there is no room."""
    s = search_at(search)
    node = s.used
    if node == s.room:
        s.full = 1
        return -1
    s.used = node + 1
    for k in range(s.boxes):
        store16(s.place + 2 * (node * s.boxes + k), load16(s.work + 2 * k))
    store64(s.taken + 8 * node, taken)
    store64(s.key + 8 * node, key)
    store16(s.avatar + 2 * node, avatar)
    store8(s.closed + node, 0)
    store32(s.table + 4 * entry, node + 1)
    return node


@inner
def link(search: int, node: int, parent: int, pushed: int, way: int, pushes: int, steps: int) -> None:
    """Note how a node was reached."""
    s = search_at(search)
    store32(s.parent + 4 * node, parent)
    store16(s.pushed + 2 * node, pushed)
    store8(s.way + node, way)
    store32(s.pushes + 4 * node, pushes)
    store32(s.steps + 4 * node, steps)


@inner
def pushed_to(search: int, node: int, k: int, to: int) -> int:
    """Make the position after a push of box `k` to a cell; returns the goals that are used up then."""
    s = search_at(search)
    taken = load64(s.taken + 8 * node)
    g = open_goal(search, to, taken)
    if g < 0 or s.fate == STAYS:
        move_box(search, node, k, to)
        return taken
    move_box(search, node, k, GONE)
    return taken if s.fate == SINKS else taken | (1 << g)


@inner
def may_push(search: int, cell: int, step: int, taken: int) -> int:
    """Return 1 where the avatar, which has just walked, can push a box from a cell. The board shows the position."""
    s = search_at(search)
    to = cell + step
    if load32(s.stamp + 4 * (cell - step)) != s.floods:
        return 0
    return 1 if load8(s.ground + to) & ROOM and load8(s.on + to) == 0 else 0


@inner
def list_pushes(search: int, node: int) -> int:
    """Write the pushes of a node's position to `option`; returns their number. Leaves the position on the board."""
    s = search_at(search)
    taken = load64(s.taken + 8 * node)
    put(search, node)
    flood(search, load16(s.avatar + 2 * node), taken)
    count = 0
    for k in range(s.boxes):
        cell = load16(s.place + 2 * (node * s.boxes + k))
        if cell == GONE:
            continue
        for way in range(4):
            step = direction(search, way)
            if may_push(search, cell, step, taken):
                store32(s.option + 4 * count, 4 * k + way)
                store32(s.walk + 4 * count, load32(s.distance + 4 * (cell - step)))
                count += 1
    return count


@inner
def is_dead(search: int, remaining: int) -> int:
    """Return 1 where the position being made, which is on the board, is known to be lost."""
    s = search_at(search)
    if remaining >= FAR:
        return 1
    if s.need == ALL_BOXES or s.boxes == s.goals:
        return has_frozen(search)
    return 0


@inner
def expand(search: int, node: int) -> int:
    """Look at all pushes of a node's position. PAUSED, SOLVED or SPENT."""
    s = search_at(search)
    count = list_pushes(search, node)
    for number in range(count):
        option = load32(s.option + 4 * number)
        k = option >> 2
        way = option & 3
        cell = load16(s.place + 2 * (node * s.boxes + k))
        to = cell + direction(search, way)
        if load8(s.live + to) == 0:
            continue
        after = pushed_to(search, node, k, to)
        pushes = load32(s.pushes + 4 * node) + 1
        steps = load32(s.steps + 4 * node) + load32(s.walk + 4 * number) + 1
        put_work(search, after)
        avatar = cell
        if s.step_cost == 0:
            avatar = flood(search, cell, after)
        key = key_of(search, after, avatar)
        entry = entry_of(search, key)
        child = load32(s.table + 4 * entry) - 1
        cost = s.push_cost * pushes + s.step_cost * steps
        if child >= 0:
            before = s.push_cost * load32(s.pushes + 4 * child) + s.step_cost * load32(s.steps + 4 * child)
            if load8(s.closed + child) == 2 or cost >= before:
                continue
        else:
            remaining = estimate_of(search, after)
            dead = is_dead(search, remaining)
            child = add_node(search, key, entry, after, cell)
            if child < 0:
                return SPENT
            store32(s.estimate + 4 * child, remaining)
            if dead:
                store8(s.closed + child, 2)
                link(search, child, node, cell, way, pushes, steps)
                continue
        link(search, child, node, cell, way, pushes, steps)
        store16(s.avatar + 2 * child, cell)
        if s.trust > 16 and is_won(search, after):
            s.goal = child
            return SOLVED
        store8(s.closed + child, 0)
        rest = (s.push_cost + s.step_cost) * load32(s.estimate + 4 * child)
        if heap_add(search, child, ((16 * cost + s.trust * rest) << 20) - pushes) == 0:
            s.full = 1
            return SPENT
    return PAUSED


@inner
def hold(search: int, node: int) -> None:
    """Take a node's position as the one being made."""
    s = search_at(search)
    for k in range(s.boxes):
        store16(s.work + 2 * k, load16(s.place + 2 * (node * s.boxes + k)))


@inner
def list_pulls(search: int, node: int) -> int:
    """Write the pulls of a node's position to `option`, by the pushes that they undo; returns their number."""
    s = search_at(search)
    put(search, node)
    flood(search, load16(s.avatar + 2 * node), 0)
    count = 0
    for k in range(s.boxes):
        cell = load16(s.place + 2 * (node * s.boxes + k))
        for way in range(4):
            # the box comes from `there`, the avatar from the cell behind it
            step = direction(search, way)
            there = cell - step
            if load32(s.stamp + 4 * there) != s.floods or load8(s.ground + there) & ROOM == 0:
                continue
            if load32(s.stamp + 4 * (there - step)) != s.floods:
                continue
            if s.fate == STICKS and load32(s.goal_at + 4 * there) >= 0:
                continue
            store32(s.option + 4 * count, 4 * k + way)
            count += 1
    return count


@inner
def pull_all(search: int, node: int) -> int:
    """Look at all pulls of a node's position. PAUSED or SPENT."""
    s = search_at(search)
    count = list_pulls(search, node)
    for number in range(count):
        option = load32(s.option + 4 * number)
        k = option >> 2
        way = option & 3
        step = direction(search, way)
        there = load16(s.place + 2 * (node * s.boxes + k)) - step
        move_box(search, node, k, there)
        put_work(search, 0)
        avatar = flood(search, there - step, 0)
        key = key_of(search, 0, avatar)
        entry = entry_of(search, key)
        if load32(s.table + 4 * entry) > 0:
            continue
        child = add_node(search, key, entry, 0, there - step)
        if child < 0:
            return SPENT
        link(search, child, node, there, way, load32(s.pushes + 4 * node) + 1, 0)
    return PAUSED


# --- for Python -------------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8)")
def begin(search: int, avatar: int) -> int:
    """Begin a search with the position in `work` and an avatar: SOLVED, PAUSED, or EXHAUSTED where it is lost."""
    s = search_at(search)
    for k in range(s.table_size):
        store32(s.table + 4 * k, 0)
    s.used = 0
    s.expanded = 0
    s.heap_used = 0
    s.full = 0
    s.goal = -1
    put_work(search, 0)
    first = avatar
    if s.step_cost == 0:
        first = flood(search, avatar, 0)
    key = key_of(search, 0, first)
    node = add_node(search, key, entry_of(search, key), 0, avatar)
    link(search, node, -1, 0, 0, 0, 0)
    remaining = estimate_of(search, 0)
    store32(s.estimate + 4 * node, remaining)
    if is_won(search, 0):
        s.goal = node
        return SOLVED
    if remaining >= FAR:
        return EXHAUSTED
    heap_add(search, node, 0)
    return PAUSED


@entry_point("i8(i8)")
def search_on(search: int) -> int:
    """Look at positions, the most promising first, until `pause_at` are done."""
    s = search_at(search)
    while s.heap_used > 0:
        if s.expanded >= s.pause_at:
            return PAUSED
        node = heap_take(search)
        if load8(s.closed + node) != 0:
            continue
        store8(s.closed + node, 1)
        s.expanded = s.expanded + 1
        hold(search, node)
        if is_won(search, load64(s.taken + 8 * node)):
            s.goal = node
            return SOLVED
        answer = expand(search, node)
        if answer != PAUSED:
            return answer
    return EXHAUSTED


@entry_point("i8(i8)")
def begin_backwards(search: int) -> int:
    """Meet the positions in which the boxes of `work` are home: one for each room that the avatar can be in."""
    s = search_at(search)
    for k in range(s.table_size):
        store32(s.table + 4 * k, 0)
    s.used = 0
    s.cursor = 0
    s.full = 0
    put_work(search, 0)
    for cell in range(s.cells):
        if walkable(search, cell, 0) == 0:
            continue
        avatar = flood(search, cell, 0)
        if avatar != cell:
            continue
        key = key_of(search, 0, avatar)
        node = add_node(search, key, entry_of(search, key), 0, avatar)
        if node < 0:
            return SPENT
        link(search, node, -1, 0, 0, 0, 0)
    return PAUSED


@entry_point("i8(i8)")
def search_backwards(search: int) -> int:
    """Meet all positions from which the boxes can be pushed home, those with fewer pushes first. EXHAUSTED or SPENT."""
    s = search_at(search)
    while s.cursor < s.used:
        node = s.cursor
        s.cursor = node + 1
        if pull_all(search, node) == SPENT:
            return SPENT
    return EXHAUSTED


@entry_point("i8(i8, i8)")
def node_of(search: int, avatar: int) -> int:
    """Return the node of the position in `work` with an avatar anywhere in its room; -1 if it was not met."""
    put_work(search, 0)
    key = key_of(search, 0, flood(search, avatar, 0))
    node: int = load32(search_at(search).table + 4 * entry_of(search, key)) - 1
    return node


@entry_point("i8(i8, i8, i8)")
def judge_pushes(search: int, node: int, out: int) -> int:
    """Write of a position met backwards, to int32 out[3]: pushes there are, that lose, and that are on a shortest way.

    Returns the number of pushes.
    """
    s = search_at(search)
    there_are = 0
    lose = 0
    best = 0
    count = list_pushes(search, node)
    for number in range(count):
        option = load32(s.option + 4 * number)
        k = option >> 2
        cell = load16(s.place + 2 * (node * s.boxes + k))
        if s.fate == STICKS and load32(s.goal_at + 4 * cell) >= 0:
            continue
        move_box(search, node, k, cell + direction(search, option & 3))
        put_work(search, 0)
        key = key_of(search, 0, flood(search, cell, 0))
        child = load32(s.table + 4 * entry_of(search, key)) - 1
        there_are += 1
        if child < 0:
            lose += 1
        elif load32(s.pushes + 4 * child) == load32(s.pushes + 4 * node) - 1:
            best += 1
    store32(out, there_are)
    store32(out + 4, lose)
    store32(out + 8, best)
    return there_are


@entry_point("i8(i8, i8)")
def estimate_at(search: int, node: int) -> int:
    """Return the least sum of pushes that brings the boxes of a position home, one by one on an empty board."""
    hold(search, node)
    value: int = estimate_of(search, 0)
    return value
