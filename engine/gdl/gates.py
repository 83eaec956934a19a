"""Construction of gates: their order, simplification and constants, over flat arrays.

`Graph` is a set of gates over numbered inputs (see `kernel.build` for literals); every function here gives a new one.
`propnet` puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.gdl.kernel import build
from pcg.engine.gdl.relations import Array
from pcg.engine.kernel.runtime import CHECKED, invoke1, invoke4, invoke6

TRUE, FALSE = 0, 1
"""The constant literals."""
MAX_WIDTH = 16_000
"""Literals of one gate; counters have 16 bits."""


@dataclass
class Graph:
    """Gates under construction; literals are over nodes, inputs first."""

    inputs: int
    start: Array
    literals: Array
    cyclic: Array
    """int8 (gates,): number on a cycle."""
    loops: Array

    def __post_init__(self) -> None:
        if CHECKED:  # what the kernels go by; nothing else comes to them from outside
            gates = len(self.start) - 1
            assert self.start[0] == 0
            assert self.start[-1] == len(self.literals)
            assert bool((np.diff(self.start) >= 0).all())
            assert len(self.cyclic) == len(self.loops) == gates
            if len(self.literals):
                assert int(self.literals.min()) >= 0
                assert int(self.literals.max()) < 2 * self.nodes

    @property
    def nodes(self) -> int:
        return self.inputs + len(self.start) - 1


@dataclass
class Outputs:
    """Literals that are read: first those of facts and legal moves, then goals, then the end."""

    next: Array
    legal: Array
    goals: Array
    terminal: Array

    def all(self) -> Array:
        return np.concatenate([self.next, self.legal, self.goals, self.terminal])

    def mapped(self, same: Array) -> Outputs:
        def new(literals: Array) -> Array:
            return np.asarray(same[literals >> 1] ^ (literals & 1))

        return Outputs(new(self.next), new(self.legal), new(self.goals), new(self.terminal))


def order_of(graph: Graph) -> tuple[Array, Array | None]:
    """Gates in an order in which each stands after those it needs; the second is None when there are no cycles.

    Sets `graph.cyclic` to the number of the cycle of each gate, 0 for none.
    """
    nodes = graph.nodes
    starts = np.concatenate([np.zeros(graph.inputs, dtype=np.int64), graph.start])
    order = np.zeros(nodes, dtype=np.int32)
    waiting = np.zeros(nodes, dtype=np.int32)
    users = np.zeros(nodes + 2 + (len(graph.literals) + 1) // 2, dtype=np.int64)
    literals = np.ascontiguousarray(graph.literals)
    done = invoke6(
        build.sort_nodes.address, nodes, starts.ctypes.data, literals.ctypes.data, waiting.ctypes.data,
        order.ctypes.data, users.ctypes.data,
    )  # fmt: skip
    if done == nodes:
        graph.cyclic[:] = 0
        return order[order >= graph.inputs] - graph.inputs, None
    return _order_of_cycles(graph)


def _order_of_cycles(graph: Graph) -> tuple[Array, Array]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    gates = len(graph.start) - 1
    user = np.repeat(np.arange(gates), np.diff(graph.start))
    target = (graph.literals >> 1).astype(np.int64) - graph.inputs
    among = target >= 0
    user, target = user[among], target[among]
    matrix = coo_array((np.ones(len(user), dtype=np.int8), (user, target)), shape=(gates, gates)).tocsr()
    count, label = connected_components(matrix, directed=True, connection="strong")
    sizes = np.bincount(label, minlength=count)
    on_cycle = sizes > 1
    on_cycle[label[user[user == target]]] = True
    # the same order again, of components instead of gates
    a, b = label[user], label[target]
    keep = a != b
    a, b = a[keep], b[keep]
    by_user = np.argsort(a, kind="stable")
    whole = Graph(
        0, np.concatenate([[0], np.cumsum(np.bincount(a, minlength=count))]).astype(np.int64),
        (2 * b[by_user]).astype(np.int32), np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int8),
    )  # fmt: skip
    rank = np.empty(count, dtype=np.int64)
    rank[order_of(whole)[0]] = np.arange(count)
    numbers = np.zeros(count, dtype=np.int32)
    numbers[on_cycle] = np.arange(1, on_cycle.sum() + 1)
    graph.cyclic[:] = numbers[label]
    return np.argsort(rank[label], kind="stable"), label


def simplified(graph: Graph, outputs: Outputs, constants: Array | None) -> tuple[Graph, Outputs]:
    """The graph with constants, aliases and copies gone, its gates in order.

    Args:
        graph: what to simplify.
        outputs: literals that are read.
        constants: int8 (inputs,), what inputs can be (`kernel.build.spread`), None for anything.
    """
    order, _ = order_of(graph)
    nodes, inputs = graph.nodes, graph.inputs
    same = np.full(nodes, -1, dtype=np.int32)
    same[:inputs] = 2 * np.arange(inputs)
    if constants is not None:
        same[:inputs][constants == 2] = TRUE
        same[:inputs][constants == 1] = FALSE
    same[0] = TRUE
    cyclic = np.zeros(nodes, dtype=np.int8)
    cyclic[inputs:] = graph.cyclic > 0
    gates = nodes - inputs
    starts = np.concatenate([np.zeros(inputs, dtype=np.int64), graph.start])
    literals = np.ascontiguousarray(graph.literals)
    full_order = np.ascontiguousarray(order + inputs, dtype=np.int32)
    size = 1 << max(4, int(2 * gates + 1).bit_length())
    gate_start = np.zeros(gates + 1, dtype=np.int64)
    gate_count = np.zeros(gates + 1, dtype=np.int32)
    gate_literals = np.zeros(len(literals) + gates + 1, dtype=np.int32)
    table = np.full(size, -1, dtype=np.int32)
    longest = int(np.diff(graph.start).max(initial=0))
    scratch = np.zeros(longest + 2, dtype=np.int32)
    record = np.zeros(1, dtype=build.BUILD)
    record[0] = (
        nodes, starts.ctypes.data, literals.ctypes.data, full_order.ctypes.data, len(full_order), cyclic.ctypes.data,
        same.ctypes.data, inputs, 0, gate_start.ctypes.data, gate_count.ctypes.data, gate_literals.ctypes.data, 0,
        table.ctypes.data, size, scratch.ctypes.data,
    )  # fmt: skip
    count = invoke1(build.simplify.address, int(record.ctypes.data))
    sizes = gate_count[:count].astype(np.int64)
    new_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    take = np.repeat(gate_start[:count] - new_start[:-1], sizes) + np.arange(new_start[-1])
    loops = np.zeros(count, dtype=np.int8)
    old = np.flatnonzero(cyclic)
    loops[(same[old] >> 1) - inputs] = graph.loops[old - inputs]
    made = Graph(inputs, new_start, gate_literals[take], np.zeros(count, dtype=np.int32), loops)
    return made, outputs.mapped(same)


def renumbered(graph: Graph, outputs: Outputs, order: Array) -> tuple[Graph, Outputs]:
    """The graph with only the gates of `order`, in that order."""
    inputs = graph.inputs
    same = np.full(graph.nodes, -2, dtype=np.int64)
    same[:inputs] = 2 * np.arange(inputs)
    same[inputs + order] = 2 * (inputs + np.arange(len(order)))
    sizes = np.diff(graph.start)[order]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    take = np.repeat(graph.start[:-1][order] - start[:-1], sizes) + np.arange(start[-1])
    old = graph.literals[take]
    literals = (same[old >> 1] ^ (old & 1)).astype(np.int32)
    made = Graph(inputs, start, literals, graph.cyclic[order].copy(), graph.loops[order])
    return made, outputs.mapped(same)


def used_gates(graph: Graph, outputs: Outputs) -> Array:
    """bool (gates,): which gates the outputs need. Gates are in order."""
    gates = len(graph.start) - 1
    used = np.zeros(gates, dtype=np.int8)
    read = (outputs.all() >> 1) - graph.inputs
    used[read[read >= 0]] = 1
    targets = np.ascontiguousarray((graph.literals >> 1) - graph.inputs, dtype=np.int32)
    start = np.ascontiguousarray(graph.start)
    while invoke4(build.mark_used.address, gates, start.ctypes.data, targets.ctypes.data, used.ctypes.data):
        pass
    return used.astype(bool)


def possible_values(graph: Graph, outputs: Outputs, initial: Array) -> Array:
    """int8 (nodes,): what each node can be in a state that can be reached; bit 0 false, bit 1 true."""
    facts = len(initial)
    values = np.full(graph.nodes, 3, dtype=np.int8)
    values[0] = 2
    values[1 : 1 + facts] = np.where(initial, 2, 1)
    cyclic = np.zeros(graph.nodes, dtype=np.int8)
    cyclic[graph.inputs :] = graph.cyclic > 0
    start, literals = np.ascontiguousarray(graph.start), np.ascontiguousarray(graph.literals)
    while True:
        # a move can be made where it can be legal; moves are read before the gates know, so they start as never made
        invoke6(
            build.spread.address, graph.nodes, graph.inputs, start.ctypes.data, literals.ctypes.data,
            values.ctypes.data, cyclic.ctypes.data,
        )  # fmt: skip
        legal = _values(values, outputs.legal)
        moves = np.where(legal & 2, 3, 1).astype(np.int8)
        before = values[: graph.inputs].copy()
        values[1 + facts : graph.inputs] = moves
        if (before[1 + facts :] != moves).any():
            continue
        values[1 : 1 + facts] |= _values(values, outputs.next)
        if bool((values[: graph.inputs] == before).all()):
            return values


def _values(values: Array, literals: Array) -> Array:
    found = values[literals >> 1]
    return np.asarray(np.where(literals & 1, ((found & 1) << 1) | (found >> 1), found), dtype=np.int8)


def inlined(graph: Graph, outputs: Outputs) -> Graph:
    """Gates that one other gate alone reads, and reads plainly, become part of it."""
    inputs = graph.inputs
    gates = len(graph.start) - 1
    read = np.bincount(np.concatenate([graph.literals >> 1, outputs.all() >> 1]), minlength=graph.nodes)[inputs:]
    sizes = np.diff(graph.start)
    user = np.repeat(np.arange(gates), sizes)
    target = (graph.literals >> 1) - inputs
    plain = (target >= 0) & (graph.literals & 1 == 0)
    plain[plain] &= (read[target[plain]] == 1) & (graph.cyclic[target[plain]] == 0) & (graph.cyclic[user[plain]] == 0)
    if not plain.any():
        return graph
    gone = np.zeros(gates, dtype=bool)
    gone[target[plain]] = True
    starts = graph.start.tolist()
    literals = graph.literals
    lists: list[Any] = [literals[starts[k] : starts[k + 1]] for k in range(gates)]
    for gate in np.unique(user[plain]).tolist():
        own = lists[gate]
        parts = [own[~((own >> 1 >= inputs) & (own & 1 == 0) & gone[np.maximum((own >> 1) - inputs, 0)])]]
        parts += [
            lists[(x >> 1) - inputs]
            for x in own.tolist()
            if x & 1 == 0 and x >> 1 >= inputs and gone[(x >> 1) - inputs]
        ]
        whole = np.concatenate(parts)
        if len(whole) <= MAX_WIDTH:
            lists[gate] = whole
    new = np.concatenate([np.zeros(0, dtype=np.int32), *lists]).astype(np.int32)
    start = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    return Graph(inputs, start, new, graph.cyclic, graph.loops)


def complemented(graph: Graph, facts: int, move_roles: Array, possible: Array) -> Graph:
    """A gate that forbids most moves of a role asks for one of the others instead: every role makes exactly one.

    Args:
        graph: the gates.
        facts: number of facts.
        move_roles: the role of each move.
        possible: bool, which moves can be legal.
    """
    first = 1 + facts
    move = (graph.literals >> 1) - first
    forbids = (graph.literals & 1 == 1) & (move >= 0) & (move < len(move_roles))
    if not forbids.any():
        return graph
    gate_of = np.repeat(np.arange(len(graph.start) - 1), np.diff(graph.start))
    roles = int(move_roles.max()) + 1
    options = np.bincount(move_roles[possible], minlength=roles)
    counts = np.bincount(gate_of[forbids] * roles + move_roles[move[forbids]], minlength=(len(graph.start) - 1) * roles)
    counts = counts.reshape(-1, roles)
    chosen = np.argwhere((2 * counts > options + 2) & (graph.cyclic == 0)[:, None])
    if not len(chosen):
        return graph
    starts = graph.start.tolist()
    lists: list[list[int]] = [[] for _ in range(len(starts) - 1)]
    for gate in np.unique(chosen[:, 0]).tolist():
        lists[gate] = graph.literals[starts[gate] : starts[gate + 1]].tolist()
    by_role = [set(np.flatnonzero(possible & (move_roles == role)).tolist()) for role in range(roles)]
    made: dict[tuple[int, ...], int] = {}
    new: list[list[int]] = []
    for gate, role in chosen.tolist():
        forbidden = {(x >> 1) - first for x in lists[gate] if x & 1 and (x >> 1) - first in by_role[role]}
        others = tuple(sorted(by_role[role] - forbidden))
        if others not in made:
            made[others] = 2 * (graph.nodes + len(new))
            new.append([2 * (first + other) + 1 for other in others])
        own = [x for x in lists[gate] if not (x & 1 and (x >> 1) - first in forbidden)]
        lists[gate] = [*own, made[others] ^ 1]
    changed = np.unique(chosen[:, 0])
    pieces = [np.array(lists[gate], dtype=np.int32) for gate in changed.tolist()]
    sizes = np.diff(graph.start)
    keep = np.ones(len(graph.literals), dtype=bool)
    for gate in changed.tolist():
        keep[starts[gate] : starts[gate + 1]] = False
    kept_gate, kept_literals = gate_of[keep], graph.literals[keep]
    all_gates = np.concatenate([kept_gate, np.repeat(changed, [len(x) for x in pieces])])
    all_literals = np.concatenate([kept_literals, *pieces])
    order = np.argsort(all_gates, kind="stable")
    tail = [np.array(x, dtype=np.int32) for x in new]
    sizes[changed] = [len(x) for x in pieces]
    sizes = np.concatenate([sizes, [len(x) for x in new]])
    extra = np.zeros(len(new), dtype=np.int32)
    return Graph(
        graph.inputs, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([all_literals[order], *tail]).astype(np.int32),
        np.concatenate([graph.cyclic, extra]), np.concatenate([graph.loops, extra.astype(np.int8)]),
    )  # fmt: skip


def late_gates(graph: Graph, facts: int) -> Array:
    """bool (gates,): which gates depend on moves. Gates are in order; those of a cycle are of one kind."""
    late = np.zeros(graph.nodes, dtype=bool)
    late[1 + facts : graph.inputs] = True
    level = levels_of(graph)
    user = np.repeat(np.arange(len(graph.start) - 1), np.diff(graph.start))
    target = graph.literals >> 1
    by_level = np.argsort(level[user], kind="stable")
    user, target = user[by_level], target[by_level]
    bounds = np.searchsorted(level[user], np.arange(level.max(initial=0) + 2))
    for k in range(len(bounds) - 1):
        some = slice(bounds[k], bounds[k + 1])
        late[graph.inputs + user[some][late[target[some]]]] = True
        cycles = np.unique(graph.cyclic[user[some][late[graph.inputs + user[some]]]])
        if len(cycles) and cycles[-1] > 0:
            late[graph.inputs :][np.isin(graph.cyclic, cycles[cycles > 0])] = True
    return late[graph.inputs :]


def levels_of(graph: Graph) -> Array:
    """int64 (gates,): the longest way from the inputs; gates of a cycle share one. Gates are in order."""
    inputs = graph.inputs
    gates = len(graph.start) - 1
    level = [0] * graph.nodes
    starts = graph.start.tolist()
    targets = (graph.literals >> 1).tolist()
    cyclic = graph.cyclic.tolist()
    gate = 0
    while gate < gates:
        end = gate + 1
        if cyclic[gate]:
            while end < gates and cyclic[end] == cyclic[gate]:
                end += 1
        deepest = 0
        for t in targets[starts[gate] : starts[end]]:
            if not inputs + gate <= t < inputs + end and level[t] >= deepest:
                deepest = level[t] + 1
        for k in range(gate, end):
            level[inputs + k] = deepest
        gate = end
    return np.array(level[inputs:], dtype=np.int64)


def narrowed(graph: Graph) -> Graph:
    """No gate wider than `MAX_WIDTH`: wide ones become a gate of gates."""
    sizes = np.diff(graph.start)
    if sizes.max(initial=0) <= MAX_WIDTH:
        return graph
    lists = [
        graph.literals[a:b].tolist() for a, b in zip(graph.start[:-1].tolist(), graph.start[1:].tolist(), strict=True)
    ]
    cyclic, loops = graph.cyclic.tolist(), graph.loops.tolist()
    for gate in np.flatnonzero(sizes > MAX_WIDTH).tolist():
        whole = lists[gate]
        lists[gate] = []
        for at in range(0, len(whole), MAX_WIDTH):
            lists[gate].append(2 * (graph.inputs + len(lists)))
            lists.append(whole[at : at + MAX_WIDTH])
            cyclic.append(cyclic[gate])
            loops.append(0)
    start = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    literals = np.array([x for part in lists for x in part], dtype=np.int32)
    return Graph(graph.inputs, start, literals, np.array(cyclic, dtype=np.int32), np.array(loops, dtype=np.int8))


def ordered(graph: Graph, outputs: Outputs) -> tuple[Graph, Outputs]:
    return renumbered(graph, outputs, order_of(graph)[0])


__all__ = [
    "FALSE",
    "MAX_WIDTH",
    "TRUE",
    "Graph",
    "Outputs",
    "complemented",
    "inlined",
    "late_gates",
    "levels_of",
    "narrowed",
    "order_of",
    "ordered",
    "possible_values",
    "renumbered",
    "simplified",
    "used_gates",
]
