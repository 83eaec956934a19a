"""Simplifying a network while it is built: an order, shared gates, and what never changes.

All gates are conjunctions of literals, a literal is ``2 * node + negated``, and a disjunction is a negated conjunction
of negated literals (an and-inverter graph with gates of any width). Node 0 is the constant: literal 0 holds, literal 1
does not.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import entry_point, inner, load8, load32, load64, store8, store32, store64, view_of

BUILD = np.dtype(
    [
        ("nodes", "i8"),
        ("start", "i8"),  # int64[nodes + 1]: where the literals of a node begin
        ("literals", "i8"),  # int32[]
        ("order", "i8"),  # int32[nodes]: nodes that are defined, each after those it needs
        ("ordered", "i8"),  # how many these are
        ("cyclic", "i8"),  # int8[nodes]: 1 for nodes on a cycle, which keep their gate
        ("same", "i8"),  # int32[nodes]: the literal of the new network that a node has become; -1: not yet known
        ("first", "i8"),  # number of the first new gate
        ("gates", "i8"),  # out: number of gates
        ("gate_start", "i8"),  # int64[]: out
        ("gate_count", "i8"),  # int32[]: out
        ("gate_literals", "i8"),  # int32[]: out
        ("used", "i8"),  # out: literals written
        ("table", "i8"),  # int32[table_size]: hash table of gates, -1: free
        ("table_size", "i8"),  # a power of two
        ("scratch", "i8"),  # int32[]: as long as the longest list of literals
    ],
    align=True,
)

build_at = view_of(BUILD)

_HASH = 1000003
_MASK = 0x7FFFFFFF


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def sort_nodes(nodes, start, literals, waiting, order, users):
    """Kahn's order of the nodes that depend on no cycle; returns their number.

    Args:
        nodes: how many; all of their literals are over these nodes.
        start: int64[nodes + 1].
        literals: int32[].
        waiting: int32[nodes], scratch.
        order: int32[nodes], the answer.
        users: int64[nodes + 1] and then int32[literals], scratch: for each node those that use it.
    """
    lists = users + 8 * (nodes + 2)
    for k in range(nodes + 2):
        store64(users + 8 * k, 0)
    for e in range(load64(start + 8 * nodes)):
        at = users + 8 * ((load32(literals + 4 * e) >> 1) + 2)
        store64(at, load64(at) + 1)
    for k in range(nodes + 1):
        store64(users + 8 * (k + 1), load64(users + 8 * (k + 1)) + load64(users + 8 * k))
    for k in range(nodes):
        for e in range(load64(start + 8 * k), load64(start + 8 * (k + 1))):
            at = users + 8 * ((load32(literals + 4 * e) >> 1) + 1)
            store32(lists + 4 * load64(at), k)
            store64(at, load64(at) + 1)
    done = 0
    for k in range(nodes):
        count = load64(start + 8 * (k + 1)) - load64(start + 8 * k)
        store32(waiting + 4 * k, count)
        if count == 0:
            store32(order + 4 * done, k)
            done += 1
    at = 0
    while at < done:
        node = load32(order + 4 * at)
        at += 1
        for e in range(load64(users + 8 * node), load64(users + 8 * (node + 1))):
            user = load32(lists + 4 * e)
            left = load32(waiting + 4 * user) - 1
            store32(waiting + 4 * user, left)
            if left == 0:
                store32(order + 4 * done, user)
                done += 1
    return done


@inner
def sort_literals(at, count):
    """Sort int32 values in place (Shell's method: short lists, no memory)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for k in range(gap, count):
            value = load32(at + 4 * k)
            place = k
            while place >= gap and load32(at + 4 * (place - gap)) > value:
                store32(at + 4 * place, load32(at + 4 * (place - gap)))
                place -= gap
            store32(at + 4 * place, value)
        gap = gap // 3
    return 0


@inner
def gather(build, node):
    """The literals of a node in the new network, sorted, each once; their number, or -1 when they cannot all hold."""
    b = build_at(build)
    count = 0
    for e in range(load64(b.start + 8 * node), load64(b.start + 8 * (node + 1))):
        old = load32(b.literals + 4 * e)
        new = load32(b.same + 4 * (old >> 1)) ^ (old & 1)
        if new == 1:
            return -1
        if new != 0:
            store32(b.scratch + 4 * count, new)
            count += 1
    sort_literals(b.scratch, count)
    kept = 0
    for k in range(count):
        value = load32(b.scratch + 4 * k)
        if kept > 0:
            last = load32(b.scratch + 4 * (kept - 1))
            if last == value:
                continue
            if last == value ^ 1:
                return -1
        store32(b.scratch + 4 * kept, value)
        kept += 1
    return kept


@inner
def write_gate(build, gate, count):
    """Give a gate the literals in `scratch`."""
    b = build_at(build)
    store64(b.gate_start + 8 * gate, b.used)
    store32(b.gate_count + 4 * gate, count)
    for k in range(count):
        store32(b.gate_literals + 4 * (b.used + k), load32(b.scratch + 4 * k))
    b.used += count
    return 0


@inner
def find_gate(build, count):
    """The gate with the literals in `scratch`, which is made when there is none."""
    b = build_at(build)
    key = count
    for k in range(count):
        key = ((key * _HASH) ^ load32(b.scratch + 4 * k)) & _MASK
    place = (key ^ (key >> 15)) & (b.table_size - 1)
    while True:
        gate = load32(b.table + 4 * place)
        if gate < 0:
            gate = b.gates
            b.gates = gate + 1
            store32(b.table + 4 * place, gate)
            write_gate(build, gate, count)
            return gate
        if load32(b.gate_count + 4 * gate) == count:
            at = load64(b.gate_start + 8 * gate)
            same = 1
            for k in range(count):
                if load32(b.gate_literals + 4 * (at + k)) != load32(b.scratch + 4 * k):
                    same = 0
                    break
            if same != 0:
                return gate
        place = (place + 1) & (b.table_size - 1)


@entry_point("i8(i8)")
def simplify(build):
    """Build the gates of a network anew: constants and aliases vanish, equal gates become one. Returns their number."""
    b = build_at(build)
    for k in range(b.ordered):
        node = load32(b.order + 4 * k)
        if load8(b.cyclic + node) != 0:
            # a node on a cycle is known by its number before its literals are
            store32(b.same + 4 * node, 2 * (b.first + b.gates))
            b.gates += 1
    for k in range(b.ordered):
        node = load32(b.order + 4 * k)
        if load8(b.cyclic + node) != 0:
            count = gather(build, node)
            if count < 0:
                store32(b.scratch, 1)
                count = 1
            write_gate(build, (load32(b.same + 4 * node) >> 1) - b.first, count)
            continue
        if load32(b.same + 4 * node) >= 0:
            continue
        count = gather(build, node)
        if count < 0:
            literal = 1
        elif count == 0:
            literal = 0
        elif count == 1:
            literal = load32(b.scratch)
        else:
            literal = 2 * (b.first + find_gate(build, count))
        store32(b.same + 4 * node, literal)
    return b.gates


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def spread(nodes, first, start, literals, values, cyclic):
    """Write the possible values of the gates, given those of the inputs: bit 0 of a value says false, bit 1 true.

    Gates are in order. Those on cycles can be both.
    """
    for node in range(first, nodes):
        if load8(cyclic + node) != 0:
            store8(values + node, 3)
            continue
        holds = 2
        fails = 0
        for e in range(load64(start + 8 * (node - first)), load64(start + 8 * (node - first + 1))):
            literal = load32(literals + 4 * e)
            value = load8(values + (literal >> 1))
            if literal & 1:
                value = ((value & 1) << 1) | (value >> 1)
            fails = fails | (value & 1)
            holds = holds & value
        store8(values + node, (holds & 2) | fails)
    return 0


@entry_point("i8(i8, i8, i8, i8)")
def mark_used(gates, start, literals, used):
    """Mark in int8 used[] every gate that marked gates need; literals count gates from 0, inputs are negative.

    Gates stand after those they need, but for cycles: repeat until the answer, the number of new marks, is 0.
    """
    new = 0
    for k in range(gates):
        gate = gates - 1 - k
        if load8(used + gate) == 0:
            continue
        for e in range(load64(start + 8 * gate), load64(start + 8 * (gate + 1))):
            other = load32(literals + 4 * e)
            if other >= 0 and load8(used + other) == 0:
                store8(used + other, 1)
                if other > gate:
                    new += 1
    return new
