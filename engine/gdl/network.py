"""The propositional network of a game: inputs, gates, and what is read off them, as flat arrays.

Inputs are the facts of a state and the moves made in it; every gate is a conjunction of literals, where a literal is
``2 * node + negated`` and node 0 is the constant *true* (see `kernel.build`). Gates that need no moves come first. What
never changes, is never read, or is there twice, is left out. Nodes of a cycle (of positive rules) are one component, to
be evaluated as a least fixpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.gdl.checker import Program
from pcg.engine.gdl.errors import GDLError, fail
from pcg.engine.gdl.grounding import Ground
from pcg.engine.gdl.kernel import build
from pcg.engine.gdl.relations import Array, Relation, Store
from pcg.engine.kernel.runtime import invoke1, invoke4, invoke6

TRUE, FALSE = 0, 1
"""The constant literals."""
MAX_WIDTH = 16_000
"""Literals of one gate; counters have 16 bits."""


@dataclass(frozen=True)
class Network:
    """A game as gates.

    Nodes are numbered: 0 the constant, then `facts` facts, then `moves` moves (by role, in the order of `move_names`),
    then gates, the early ones first.

    Attributes:
        roles: names of the roles.
        fact_names: KIF text of each fact that can change, sorted.
        constant_facts: facts that hold in every state.
        move_names: for each role the text of each of its moves, sorted.
        initial: bool (facts,), the initial state.
        next_literals: int32 (facts,), what each fact becomes.
        legal_literals: int32 (moves,), which moves are legal.
        terminal: literal.
        goals: (role, value, literal) of each goal, by role, then value.
        early: number of gates that do not depend on moves.
        start: int64 (gates + 1,), where the literals of a gate begin.
        literals: int32, the literals of all gates.
        component: int32 (gates,), 0, or the number of the cycle that a gate is on; cycles stand in one piece.
        loops: int8 (gates,), on cycles: 1 for gates whose negation is a sentence (false at first), 0 for the others.
    """

    roles: tuple[str, ...]
    fact_names: tuple[str, ...]
    constant_facts: tuple[str, ...]
    move_names: tuple[tuple[str, ...], ...]
    initial: Array
    next_literals: Array
    legal_literals: Array
    terminal: int
    goals: tuple[tuple[int, int, int], ...]
    early: int
    start: Array
    literals: Array
    component: Array
    loops: Array

    @property
    def facts(self) -> int:
        """Number of facts that can change."""
        return len(self.fact_names)

    @property
    def moves(self) -> int:
        """Number of moves of all roles."""
        return sum(map(len, self.move_names))

    @property
    def first_gate(self) -> int:
        """Number of the first gate's node."""
        return 1 + self.facts + self.moves

    @property
    def gates(self) -> int:
        """Number of gates."""
        return len(self.component)

    def __repr__(self) -> str:
        return f"<network: {self.facts} facts, {self.moves} moves, {self.gates} gates, {len(self.literals)} literals>"


@dataclass
class _Graph:
    """Gates under construction; literals are over nodes, inputs first."""

    inputs: int
    start: Array
    literals: Array
    cyclic: Array
    """int8 (gates,): number on a cycle."""
    loops: Array

    @property
    def nodes(self) -> int:
        return self.inputs + len(self.start) - 1


@dataclass
class _Outputs:
    """Literals that are read: first those of facts and legal moves, then goals, then the end."""

    next: Array
    legal: Array
    goals: Array
    terminal: Array

    def all(self) -> Array:
        return np.concatenate([self.next, self.legal, self.goals, self.terminal])

    def mapped(self, same: Array) -> _Outputs:
        def new(literals: Array) -> Array:
            return same[literals >> 1] ^ (literals & 1)

        return _Outputs(new(self.next), new(self.legal), new(self.goals), new(self.terminal))


def build_network(program: Program, ground: Ground) -> Network:
    """The simplified network of a grounding.

    Raises:
        GDLError: the ground rules negate each other in a cycle, or a goal is no number.
    """
    return _Builder(program, ground).run()


class _Builder:
    def __init__(self, program: Program, ground: Ground) -> None:
        self.program = program
        self.ground = ground
        self.store: Store = ground.store
        widths = np.array([part.table.count for _, _, part in self.store.parts], dtype=np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(widths)])

    # --- atoms ---

    def _atoms(self, name: str, arity: int) -> tuple[Array, Array]:
        """Rows and atom numbers of a relation."""
        relation = self.store.relations.get((name, arity))
        if relation is None or not relation.parts:
            return np.zeros((0, arity), dtype=np.int32), np.zeros(0, dtype=np.int64)
        parts = relation.parts.values()
        rows = np.concatenate([part.table.rows for part in parts])
        numbers = np.concatenate([self.offsets[part.number] + np.arange(part.table.count) for part in parts])
        return rows, numbers

    def _numbers(self, refs: Array) -> Array:
        """Atom numbers of references; -1 stays."""
        return np.where(refs < 0, -1, self.offsets[refs >> 32] + (refs & 0xFFFFFFFF))

    def _roles(self) -> tuple[list[int], list[str]]:
        rows, _ = self._atoms("role", 1)
        written = [
            self.store.terms.ground(rule.head.args[0])
            for rule in self.program.sheet.rules
            if rule.head.name == "role" and not rule.body
        ]
        numbers = list(dict.fromkeys([*written, *rows[:, 0].tolist()]))
        return numbers, [self.store.terms.text(number) for number in numbers]

    # --- the network ---

    def run(self) -> Network:
        terms = self.store.terms
        role_ids, roles = self._roles()
        if not roles:
            raise fail("there is no role", file=self.program.sheet.file, expected="a fact (role name)")
        true_rows, true_atoms = self._atoms("true", 1)
        texts = [terms.text(t) for t in true_rows[:, 0].tolist()]
        by_text = sorted(range(len(texts)), key=texts.__getitem__)
        facts = true_rows[by_text, 0]
        fact_atoms = true_atoms[by_text]
        moves, move_terms, does_atoms = self._moves(role_ids)
        initial_terms = self._atoms("init", 1)[0][:, 0]
        initial = np.isin(facts, initial_terms)

        count = int(self.offsets[-1])
        literal_of = np.full(count, -1, dtype=np.int64)
        literal_of[fact_atoms] = 2 * (1 + np.arange(len(facts)))
        literal_of[does_atoms] = 2 * (1 + len(facts) + np.arange(len(moves)))
        inputs = 1 + len(facts) + len(moves)
        graph = self._graph(inputs, literal_of)

        goal_rows, goal_atoms = self._atoms("goal", 2)
        goals, goal_literals = self._goals(role_ids, goal_rows, self._literals(literal_of, "goal", goal_rows, goal_atoms))
        outputs = _Outputs(
            self._output("next", [facts], literal_of),
            self._output("legal", [np.array([r for r, _ in moves], dtype=np.int32), move_terms], literal_of),
            goal_literals,
            self._output("terminal", [], literal_of),
        )
        move_roles = np.array([role_ids.index(r) for r, _ in moves], dtype=np.int64)
        names = [texts[k] for k in by_text]
        return _finish(graph, outputs, initial, names, move_roles, [terms.text(m) for m in move_terms.tolist()], roles, goals)

    def _moves(self, role_ids: Sequence[int]) -> tuple[list[tuple[int, int]], Array, Array]:
        """(role, move) of every move by role, then text; the moves' terms; their `does` atoms."""
        rows, atoms = self._atoms("does", 2)
        keyed = []
        for (role, move), atom in zip(rows.tolist(), atoms.tolist(), strict=True):
            if role in role_ids:
                keyed.append((role_ids.index(role), self.store.terms.text(move), role, move, atom))
        keyed.sort()
        moves = [(role, move) for _, _, role, move, _ in keyed]
        return (
            moves,
            np.array([move for _, move in moves], dtype=np.int32),
            np.array([atom for *_, atom in keyed], dtype=np.int64),
        )

    def _literals(self, literal_of: Array, name: str, rows: Array, atoms: Array) -> Array:
        """Literals of atoms of a relation; those that depend on nothing hold."""
        if (name, rows.shape[1]) not in self.program.dynamic:
            return np.zeros(len(atoms), dtype=np.int64)
        return literal_of[atoms]

    def _output(self, name: str, columns: list[Array], literal_of: Array) -> Array:
        """For each row of columns the literal of that atom; FALSE where it can never hold."""
        count = len(columns[0]) if columns else 1
        relation: Relation | None = self.store.relations.get((name, len(columns)))
        if relation is None or count == 0:
            return np.full(count, FALSE, dtype=np.int64)
        atoms = self._numbers(self.store.refs(relation, columns, count))
        if (name, len(columns)) not in self.program.dynamic:
            return np.where(atoms >= 0, TRUE, FALSE)
        literals = literal_of[np.maximum(atoms, 0)]
        return np.where(atoms >= 0, literals, FALSE)

    def _goals(
        self, role_ids: Sequence[int], rows: Array, literals: Array
    ) -> tuple[list[tuple[int, int]], Array]:
        found = []
        for (role, value), literal in zip(rows.tolist(), literals.tolist(), strict=True):
            if role not in role_ids:
                continue
            text = self.store.terms.text(value)
            try:
                number = int(text)
            except ValueError:
                rule = next((c.rule for c in self.program.clauses if c.head.name == "goal" and c.rule), None)
                line, column = (rule.line, rule.column) if rule is not None else (0, 0)
                raise fail(
                    f"the goal value `{text}` is no number", file=self.program.sheet.file, line=line, column=column,
                    expected="a whole number from 0 to 100",
                ) from None  # fmt: skip
            found.append((role_ids.index(role), number, literal))
        found.sort()
        return [(role, value) for role, value, _ in found], np.array([x for *_, x in found], dtype=np.int64)

    def _graph(self, inputs: int, literal_of: Array) -> _Graph:
        """One gate per ground rule, then one per atom: the negation of "none of its rules"."""
        rules = self.ground.rules
        heads = np.concatenate([self._numbers(h) for h, *_ in rules]) if rules else np.zeros(0, dtype=np.int64)
        count = len(heads)
        defined, which = np.unique(heads, return_inverse=True)
        first_atom = inputs + count
        literal_of[defined] = 2 * (first_atom + np.arange(len(defined))) + 1
        widths: list[Array] = []
        pieces: list[Array] = []
        for _, body, positive, _clause in rules:
            atoms = self._numbers(body)
            # an atom without rules never holds, and a negated one always does
            found = np.where(atoms >= 0, literal_of[np.maximum(atoms, 0)], FALSE)
            found = np.where(found >= 0, found, FALSE)
            found[:, positive:] ^= 1
            pieces.append(found.ravel())
            widths.append(np.full(len(body), body.shape[1], dtype=np.int64))
        by_atom = np.argsort(which, kind="stable")
        pieces.append(2 * (inputs + by_atom) + 1)
        widths.append(np.bincount(which, minlength=len(defined)))
        sizes = np.concatenate([np.zeros(0, dtype=np.int64), *widths])
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        literals = np.concatenate([np.zeros(0, dtype=np.int64), *pieces]).astype(np.int32)
        loops = np.zeros(len(sizes), dtype=np.int8)
        loops[count:] = 1
        graph = _Graph(inputs, start, literals, np.zeros(len(sizes), dtype=np.int32), loops)
        self._check_negation(graph, defined)
        return graph

    def _check_negation(self, graph: _Graph, defined: Array) -> None:
        """Number the cycles; a cycle through a negation is an error."""
        order = _order(graph)[1]
        if order is None:
            return
        cyclic = graph.cyclic
        gate_of = np.repeat(np.arange(len(cyclic)), np.diff(graph.start))
        target = (graph.literals >> 1) - graph.inputs
        inside = (target >= 0) & (cyclic[gate_of] > 0)
        inside &= cyclic[np.maximum(target, 0)] == cyclic[gate_of]
        # sentences are the negation of their gate, so a plain literal over one negates the sentence
        wrong = inside & (graph.loops[np.maximum(target, 0)] == 1) & (graph.literals & 1 == 0)
        if wrong.any():
            atom = int(defined[target[wrong][0] - (len(cyclic) - len(defined))])
            raise fail(
                f"{self._atom_text(atom)} depends on its own negation", file=self.program.sheet.file,
                expected="stratified negation",
            )  # fmt: skip

    def _atom_text(self, atom: int) -> str:
        number = int(np.searchsorted(self.offsets, atom, "right")) - 1
        relation, _, part = self.store.parts[number]
        row = part.table.rows[atom - self.offsets[number]].tolist()
        words = [relation.name, *(self.store.terms.text(t) for t in row)]
        return "(" + " ".join(words) + ")" if row else relation.name


def _order(graph: _Graph) -> tuple[Array, Array | None]:
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


def _order_of_cycles(graph: _Graph) -> tuple[Array, Array]:
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
    whole = _Graph(
        0, np.concatenate([[0], np.cumsum(np.bincount(a, minlength=count))]).astype(np.int64),
        (2 * b[by_user]).astype(np.int32), np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int8),
    )  # fmt: skip
    rank = np.empty(count, dtype=np.int64)
    rank[_order(whole)[0]] = np.arange(count)
    numbers = np.zeros(count, dtype=np.int32)
    numbers[on_cycle] = np.arange(1, on_cycle.sum() + 1)
    graph.cyclic[:] = numbers[label]
    return np.argsort(rank[label], kind="stable"), label


def _simplify(graph: _Graph, outputs: _Outputs, constants: Array | None) -> tuple[_Graph, _Outputs]:
    """The graph with constants, aliases and copies gone, its gates in order.

    Args:
        graph: what to simplify.
        outputs: literals that are read.
        constants: int8 (inputs,), what inputs can be (`kernel.build.spread`), None for anything.
    """
    order, _ = _order(graph)
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
    made = _Graph(inputs, new_start, gate_literals[take], np.zeros(count, dtype=np.int32), loops)
    return made, outputs.mapped(same)


def _renumbered(graph: _Graph, outputs: _Outputs, order: Array) -> tuple[_Graph, _Outputs]:
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
    made = _Graph(inputs, start, literals, graph.cyclic[order].copy(), graph.loops[order])
    return made, outputs.mapped(same)


def _used(graph: _Graph, outputs: _Outputs) -> Array:
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


def _possible(graph: _Graph, outputs: _Outputs, initial: Array) -> Array:
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
        if (values[: graph.inputs] == before).all():
            return values


def _values(values: Array, literals: Array) -> Array:
    found = values[literals >> 1]
    return np.where(literals & 1, ((found & 1) << 1) | (found >> 1), found).astype(np.int8)


def _inlined(graph: _Graph, outputs: _Outputs) -> _Graph:
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
        parts += [lists[(x >> 1) - inputs] for x in own.tolist() if x & 1 == 0 and x >> 1 >= inputs and gone[(x >> 1) - inputs]]
        whole = np.concatenate(parts)
        if len(whole) <= MAX_WIDTH:
            lists[gate] = whole
    new = np.concatenate([np.zeros(0, dtype=np.int32), *lists]).astype(np.int32)
    start = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    return _Graph(inputs, start, new, graph.cyclic, graph.loops)


def _complemented(graph: _Graph, facts: int, move_roles: Array, possible: Array) -> _Graph:
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
    return _Graph(
        graph.inputs, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([all_literals[order], *tail]).astype(np.int32),
        np.concatenate([graph.cyclic, extra]), np.concatenate([graph.loops, extra.astype(np.int8)]),
    )  # fmt: skip


def _late(graph: _Graph, facts: int) -> Array:
    """bool (gates,): which gates depend on moves. Gates are in order; those of a cycle are of one kind."""
    late = np.zeros(graph.nodes, dtype=bool)
    late[1 + facts : graph.inputs] = True
    level = _levels(graph)
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


def _levels(graph: _Graph) -> Array:
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


def _narrowed(graph: _Graph) -> _Graph:
    """No gate wider than `MAX_WIDTH`: wide ones become a gate of gates."""
    sizes = np.diff(graph.start)
    if sizes.max(initial=0) <= MAX_WIDTH:
        return graph
    lists = [graph.literals[a:b].tolist() for a, b in zip(graph.start[:-1].tolist(), graph.start[1:].tolist(), strict=True)]
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
    return _Graph(graph.inputs, start, literals, np.array(cyclic, dtype=np.int32), np.array(loops, dtype=np.int8))


def _finish(
    graph: _Graph, outputs: _Outputs, initial: Array, names: list[str], move_roles: Array, moves: list[str],
    roles: list[str], goals: list[tuple[int, int]],
) -> Network:  # fmt: skip
    """Simplify, leave out what never changes or is never read, and order."""
    facts = len(initial)
    possible = np.full(graph.inputs, 3, dtype=np.int8)
    known = None
    while True:
        graph, outputs = _ordered(*_simplify(graph, outputs, known))
        graph, outputs = _ordered(*_renumbered(graph, outputs, np.flatnonzero(_used(graph, outputs))))
        possible = _possible(graph, outputs, initial)[: graph.inputs]
        if known is not None and (possible == known).all():
            break
        known = possible
    graph = _complemented(graph, facts, move_roles, possible[1 + facts :] > 1)
    graph, outputs = _ordered(graph, outputs)
    for _ in range(3):
        before = len(graph.literals)
        graph = _inlined(graph, outputs)
        graph, outputs = _ordered(*_renumbered(graph, outputs, np.flatnonzero(_used(graph, outputs))))
        graph, outputs = _ordered(*_simplify(graph, outputs, None))
        if len(graph.literals) == before:
            break
    graph = _narrowed(graph)
    graph, outputs = _ordered(graph, outputs)
    # inputs that never change are not needed any more
    kept_facts = np.flatnonzero(possible[1 : 1 + facts] == 3)
    constant = tuple(names[k] for k in np.flatnonzero(possible[1 : 1 + facts] == 2).tolist())
    kept_moves = np.flatnonzero(possible[1 + facts :] & 2)
    same = np.full(graph.nodes, -2, dtype=np.int64)
    same[0] = 0
    same[1 + kept_facts] = 2 * (1 + np.arange(len(kept_facts)))
    same[1 + facts + kept_moves] = 2 * (1 + len(kept_facts) + np.arange(len(kept_moves)))
    inputs = 1 + len(kept_facts) + len(kept_moves)
    late = _late(graph, facts)
    level = _levels(graph)
    order = np.lexsort((graph.cyclic, level, late))
    gates = len(order)
    same[graph.inputs + order] = 2 * (inputs + np.arange(gates))
    sizes = np.diff(graph.start)[order]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    take = np.repeat(graph.start[:-1][order] - start[:-1], sizes) + np.arange(start[-1])
    old = graph.literals[take]
    literals = (same[old >> 1] ^ (old & 1)).astype(np.int32)
    outputs = _Outputs(outputs.next[kept_facts], outputs.legal[kept_moves], outputs.goals, outputs.terminal).mapped(same)
    move_names = tuple(
        tuple(moves[k] for k in kept_moves.tolist() if move_roles[k] == role) for role in range(len(roles))
    )
    return Network(
        roles=tuple(roles),
        fact_names=tuple(names[k] for k in kept_facts.tolist()),
        constant_facts=constant,
        move_names=move_names,
        initial=initial[kept_facts],
        next_literals=outputs.next.astype(np.int32),
        legal_literals=outputs.legal.astype(np.int32),
        terminal=int(outputs.terminal[0]),
        goals=tuple(
            (role, value, int(literal))
            for (role, value), literal in zip(goals, outputs.goals.tolist(), strict=True)
            if literal != FALSE
        ),
        early=int(gates - late.sum()),
        start=start,
        literals=literals,
        component=graph.cyclic[order].astype(np.int32),
        loops=graph.loops[order],
    )


def _ordered(graph: _Graph, outputs: _Outputs) -> tuple[_Graph, _Outputs]:
    return _renumbered(graph, outputs, _order(graph)[0])


__all__ = ["FALSE", "TRUE", "GDLError", "Network", "build_network"]
