"""The propositional network of a game: inputs, gates, and what is read off them, as flat arrays.

Inputs are the facts of a state and the moves made in it; every gate is a conjunction of literals, where a literal is
``2 * node + negated`` and node 0 is the constant *true* (see `kernel.build`). Gates that need no moves come first. What
never changes, is never read, or is there twice, is left out. Nodes of a cycle (of positive rules) are one component, to
be evaluated as a least fixpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.gdl.checker import Program
from pcg.engine.gdl.errors import fail
from pcg.engine.gdl.gates import (
    FALSE,
    TRUE,
    Graph,
    Outputs,
    complemented,
    inlined,
    late_gates,
    levels_of,
    narrowed,
    order_of,
    ordered,
    possible_values,
    renumbered,
    simplified,
    used_gates,
)
from pcg.engine.gdl.grounding import Ground
from pcg.engine.gdl.relations import Array, Relation, Store


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
        goals, goal_literals = self._goals(
            role_ids, goal_rows, self._literals(literal_of, "goal", goal_rows, goal_atoms)
        )
        outputs = Outputs(
            self._output("next", [facts], literal_of),
            self._output("legal", [np.array([r for r, _ in moves], dtype=np.int32), move_terms], literal_of),
            goal_literals,
            self._output("terminal", [], literal_of),
        )
        move_roles = np.array([role_ids.index(r) for r, _ in moves], dtype=np.int64)
        names = [texts[k] for k in by_text]
        return _finish(
            graph, outputs, initial, names, move_roles, [terms.text(m) for m in move_terms.tolist()], roles, goals
        )

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

    def _goals(self, role_ids: Sequence[int], rows: Array, literals: Array) -> tuple[list[tuple[int, int]], Array]:
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

    def _graph(self, inputs: int, literal_of: Array) -> Graph:
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
        graph = Graph(inputs, start, literals, np.zeros(len(sizes), dtype=np.int32), loops)
        self._check_negation(graph, defined)
        return graph

    def _check_negation(self, graph: Graph, defined: Array) -> None:
        """Number the cycles; a cycle through a negation is an error."""
        order = order_of(graph)[1]
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


def _finish(
    graph: Graph, outputs: Outputs, initial: Array, names: list[str], move_roles: Array, moves: list[str],
    roles: list[str], goals: list[tuple[int, int]],
) -> Network:  # fmt: skip
    """Simplify, leave out what never changes or is never read, and order."""
    facts = len(initial)
    possible = np.full(graph.inputs, 3, dtype=np.int8)
    known = None
    while True:
        graph, outputs = ordered(*simplified(graph, outputs, known))
        graph, outputs = ordered(*renumbered(graph, outputs, np.flatnonzero(used_gates(graph, outputs))))
        possible = possible_values(graph, outputs, initial)[: graph.inputs]
        if known is not None and (possible == known).all():
            break
        known = possible
    graph = complemented(graph, facts, move_roles, possible[1 + facts :] > 1)
    graph, outputs = ordered(graph, outputs)
    for _ in range(3):
        before = len(graph.literals)
        graph = inlined(graph, outputs)
        graph, outputs = ordered(*renumbered(graph, outputs, np.flatnonzero(used_gates(graph, outputs))))
        graph, outputs = ordered(*simplified(graph, outputs, None))
        if len(graph.literals) == before:
            break
    graph = narrowed(graph)
    graph, outputs = ordered(graph, outputs)
    # inputs that never change are not needed any more
    kept_facts = np.flatnonzero(possible[1 : 1 + facts] == 3)
    constant = tuple(names[k] for k in np.flatnonzero(possible[1 : 1 + facts] == 2).tolist())
    kept_moves = np.flatnonzero(possible[1 + facts :] & 2)
    same = np.full(graph.nodes, -2, dtype=np.int64)
    same[0] = 0
    same[1 + kept_facts] = 2 * (1 + np.arange(len(kept_facts)))
    same[1 + facts + kept_moves] = 2 * (1 + len(kept_facts) + np.arange(len(kept_moves)))
    inputs = 1 + len(kept_facts) + len(kept_moves)
    late = late_gates(graph, facts)
    level = levels_of(graph)
    order = np.lexsort((graph.cyclic, level, late))
    gates = len(order)
    same[graph.inputs + order] = 2 * (inputs + np.arange(gates))
    sizes = np.diff(graph.start)[order]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    take = np.repeat(graph.start[:-1][order] - start[:-1], sizes) + np.arange(start[-1])
    old = graph.literals[take]
    literals = (same[old >> 1] ^ (old & 1)).astype(np.int32)
    outputs = Outputs(outputs.next[kept_facts], outputs.legal[kept_moves], outputs.goals, outputs.terminal).mapped(same)
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


__all__ = ["FALSE", "TRUE", "Network", "build_network"]
