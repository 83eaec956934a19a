"""Strategy of the value-field agent: whose fields make up S, and when that changes.

S sums worth * inflation^distance over all targets, over the nearest, or over the first of the shortest chain of a few
targets. A watcher follows the real game: standing still, going to and fro, a local maximum of S and starvation make a
single target count for a while: the nearest, or the next nearest when that was tried in vain. Where nothing can be
reached, or nothing has come in for long, it asks for a leap (a free suicide that throws the avatar elsewhere).
"""

from __future__ import annotations

from pcg.engine.kernel.groups import slot_address
from pcg.engine.kernel.layout import AVATAR_AT, context_at
from pcg.engine.kernel.protocol import model_at, score
from pcg.engine.kernel.runtime import inner, load8, load16, load32, load64, load_double, store8, store64
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.value_field_graph import cell_below, cell_of_node, name_of
from pcg.evaluators.agents.kernel.value_field_record import (
    AFTERWARDS,
    ALL,
    CHAIN,
    CHAINED,
    FAR,
    MOVES,
    NEAREST,
    NEVER,
    TARGETS,
    TRAIL,
    field_at,
)

_STILL = 3
"""So few cells in the whole trail are standing still or going to and fro."""

# --- the value field ---


@inner
def only_target(field: int) -> int:
    """Number of the target that the watcher or the strategy has chosen; -1 when all count."""
    f = field_at(field)
    chosen = -1
    if f.moments < f.until:
        chosen = f.only
    elif f.aim != ALL:
        chosen = f.aimed
    if chosen >= 0:
        for k in range(f.targets):
            if load64(f.target_id + 8 * k) == chosen:
                return k
    return -1


@inner
def target_power(field: int, target: int, node: int) -> float:
    """The inflation of a target's worth at a node."""
    f = field_at(field)
    return load_double(f.powers + 8 * load16(f.ways + 2 * (target * f.room + node)))


@inner
def field_gain(field: int, before: int, after: int, left_before: int, left: int) -> float:
    """S after a move less S before it; what a target taken counts for is said by `eaten`."""
    f = field_at(field)
    only = only_target(field)
    if f.eaten == NEVER:
        left = -1
    gain = 0.0
    for k in range(f.targets):
        if only >= 0 and only != k:
            continue
        if (left >> k) & 1 != 0:
            change = target_power(field, k, after)
            change -= target_power(field, k, before)
            gain += load_double(f.target_worth + 8 * k) * change
        elif f.eaten == AFTERWARDS and (left_before >> k) & 1 != 0:
            gain -= load_double(f.target_worth + 8 * k) * target_power(field, k, before)
    return gain


@inner
def field_value(field: int, node: int, left: int) -> float:
    """S at a node."""
    f = field_at(field)
    only = only_target(field)
    if f.eaten == NEVER:
        left = -1
    total = 0.0
    for k in range(f.targets):
        if (left >> k) & 1 != 0 and (only < 0 or only == k):
            total += load_double(f.target_worth + 8 * k) * target_power(field, k, node)
    return total


# --- the nearest, and chains ---


@inner
def nearest_target(field: int, node: int, refused: int) -> int:
    """The target fewest ticks from a node, the one refused only when there is no other; -1: none can be reached."""
    f = field_at(field)
    best = FAR
    chosen = -1
    for k in range(f.targets):
        ticks = load16(f.ways + 2 * (k * f.room + node))
        if load64(f.target_id + 8 * k) != refused and ticks < best:
            best = ticks
            chosen = k
    if chosen < 0:
        for k in range(f.targets):
            if load16(f.ways + 2 * (k * f.room + node)) < best:
                best = load16(f.ways + 2 * (k * f.room + node))
                chosen = k
    return chosen


@inner
def list_chained(field: int, node: int) -> int:
    """Write the targets nearest to a node to `chain_of`, the ticks between them to `chain_gap`; returns how many."""
    f = field_at(field)
    count = 0
    for k in range(f.targets):
        ticks = load16(f.ways + 2 * (k * f.room + node))
        if ticks >= FAR:
            continue
        at = min(count, CHAINED)  # insertion; beyond the last the farthest falls out
        while at > 0 and load16(f.ways + 2 * (load64(f.chain_of + 8 * (at - 1)) * f.room + node)) > ticks:
            if at < CHAINED:
                store64(f.chain_of + 8 * at, load64(f.chain_of + 8 * (at - 1)))
            at -= 1
        if at < CHAINED:
            store64(f.chain_of + 8 * at, k)
            count = min(count + 1, CHAINED)
    for j in range(count):
        ways = f.ways + 2 * load64(f.chain_of + 8 * j) * f.room
        for i in range(count):
            store64(f.chain_gap + 8 * (i * CHAINED + j), FAR)
        store64(f.chain_gap + 8 * (CHAINED * CHAINED + j), load16(ways + 2 * node))
        for other in range(f.mapped):
            cell = cell_of_node(field, other)
            for i in range(count):
                if load64(f.target_cell + 8 * load64(f.chain_of + 8 * i)) == cell:
                    at = f.chain_gap + 8 * (i * CHAINED + j)
                    store64(at, min(load64(at), load16(ways + 2 * other)))
    return count


@inner
def chain_start(field: int, node: int) -> int:
    """First target of the shortest chain of `chain_length` targets from a node, or of fewer if no more can be chained.

    Exhaustive, depth first, over the nearest targets; a chain that is already as long as the best is given up. -1: none
    can be reached.
    """
    f = field_at(field)
    count = list_chained(field, node)
    best_links = 0
    best_length = 0
    first = -1
    used = 0
    depth = 0
    store64(f.chain_pick, -1)
    store64(f.chain_sum, 0)
    while depth >= 0:
        link = load64(f.chain_pick + 8 * depth)
        if link >= 0:
            used = used & ~(1 << link)
        row = CHAINED
        if depth > 0:
            row = load64(f.chain_pick + 8 * (depth - 1))
        link += 1
        while link < count and ((used >> link) & 1 != 0 or load64(f.chain_gap + 8 * (row * CHAINED + link)) >= FAR):
            link += 1
        if link >= count:
            depth -= 1
            continue
        store64(f.chain_pick + 8 * depth, link)
        used = used | (1 << link)
        links = depth + 1
        length = load64(f.chain_sum + 8 * depth) + load64(f.chain_gap + 8 * (row * CHAINED + link))
        if links > best_links or (links == best_links and length < best_length):
            best_links = links
            best_length = length
            first = load64(f.chain_of + 8 * load64(f.chain_pick))
        if links < f.chain_length and (best_links < f.chain_length or length < best_length):
            store64(f.chain_sum + 8 * links, length)
            store64(f.chain_pick + 8 * links, -1)
            depth = links
    return first


@inner
def take_aim(decision: int, state: int) -> None:
    """Choose the target whose field alone is the strategy, if it is one of those."""
    d = decision_at(decision)
    f = field_at(d.search)
    f.aimed = -1
    if f.aim == ALL:
        return
    name = name_of(decision, state)
    node = -1
    if name >= 0:
        node = load32(f.index + 4 * name)
    if 0 <= node < f.mapped:
        k = -1
        if f.aim == NEAREST:
            k = nearest_target(d.search, node, -1)
        elif f.aim == CHAIN:
            k = chain_start(d.search, node)
        if k >= 0:
            f.aimed = load64(f.target_id + 8 * k)


# --- rivals ---


@inner
def see_rivals(decision: int, state: int) -> None:
    """Wall up the cells where other players have not moved for long, and open those they have left."""
    d = decision_at(decision)
    f = field_at(d.search)
    if f.frozen_after == 0:
        return
    gm = model_at(d.model).game
    block = context_at(gm).block
    changed = 0
    for player in range(d.players):
        slot = load32(state + AVATAR_AT + 4 * player)
        cell = -1
        if player != d.player and slot >= 0:
            cell = cell_below(d.search, block, slot_address(gm, state, slot))
        before = load64(f.rival_cell + 8 * player)
        still = load64(f.rival_still + 8 * player)
        if cell != before:
            if before >= 0 and load8(f.blocked + before) != 0:
                store8(f.blocked + before, 0)
                changed = 1
            still = 0
        elif cell >= 0:
            still += 1
        if cell >= 0 and still >= f.frozen_after and load8(f.blocked + cell) == 0:
            store8(f.blocked + cell, 1)
            changed = 1
        store64(f.rival_cell + 8 * player, cell)
        store64(f.rival_still + 8 * player, still)
    if changed == 1:
        for k in range(TARGETS):
            store64(f.drawn_cell + 8 * k, -1)


# --- the watcher ---


@inner
def on_summit(field: int, node: int) -> int:
    """Return 1 at a local maximum of S: no move from the node leads to more of it."""
    f = field_at(field)
    here = field_value(field, node, -1)
    for move in range(MOVES):
        to = load32(f.to + 4 * (node * MOVES + move))
        if 0 <= to < f.mapped and field_value(field, to, -1) > here:
            return 0
    return 1


@inner
def despair(field: int, node: int) -> None:
    """Ask for a leap where no target can be reached, or nothing has come in, for `suicide` decisions."""
    f = field_at(field)
    f.desperate = 0
    if f.suicide == 0:
        return
    if 0 <= node < f.mapped and f.head == f.tail and f.targets > 0 and nearest_target(field, node, -1) < 0:
        f.lost_for = f.lost_for + 1
    else:
        f.lost_for = 0
    if f.lost_for >= f.suicide or f.moments - f.last_point >= f.suicide:
        f.desperate = 1


@inner
def watch(decision: int, state: int) -> None:
    """Look at what the real game has come to, and change the strategy when it does not come along."""
    d = decision_at(decision)
    f = field_at(d.search)
    points = score(d.model, state, d.player)
    if f.moments == 0 or points > f.last_score:
        f.last_gain = f.moments
        f.last_point = f.moments
    f.last_score = points
    name = name_of(decision, state)
    node = -1
    cell = -1
    if name >= 0:
        node = load32(f.index + 4 * name)
    if node >= 0:
        cell = cell_of_node(d.search, node)
    stayed = f.moments > 0 and load64(f.trail + 8 * ((f.moments - 1) % TRAIL)) == cell
    store64(f.trail + 8 * (f.moments % TRAIL), cell)
    f.moments = f.moments + 1
    different = 0
    for i in range(TRAIL):
        fresh = 1
        for j in range(i):
            if load64(f.trail + 8 * i) == load64(f.trail + 8 * j):
                fresh = 0
        different += fresh
    stuck = f.moments >= TRAIL and different <= _STILL
    starved = f.moments - f.last_gain >= f.starvation
    if 0 <= node < f.mapped and f.targets > 0 and f.head == f.tail and f.moments >= f.tried + TRAIL:
        if nearest_target(d.search, node, f.refused) < 0:  # something may have opened or closed
            f.stale = 1
    if f.local_maximum == 1 and stayed and 0 <= node < f.mapped and f.moments >= f.until:
        if on_summit(d.search, node) == 1:
            stuck = True
    if (stuck or starved) and f.moments >= f.until and 0 <= node < f.mapped:
        k = nearest_target(d.search, node, f.refused)
        if starved and f.head == f.tail:
            f.stale = 1
        if k >= 0:
            f.only = load64(f.target_id + 8 * k)
            f.refused = f.only
            f.until = f.moments + f.nearest_moves
            f.last_gain = f.moments
    despair(d.search, node)
