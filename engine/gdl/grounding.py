"""From clauses with variables to ground rules, bottom-up, with joins over whole columns (NumPy).

First all atoms that could ever hold are found, as a least fixpoint in which negations over the state count as true:
what cannot be reached that way can never be true. Relations that depend on neither state nor moves come out exactly.
Then every clause is joined once more over the atoms found, and each row of that join is a ground rule. There is one
pass per clause and round, not per instance, and every join is counted before it is made, so that limits are exact.

clingo's grounder is not used: a call to it cannot be interrupted or bounded within the process, and its
instances arrive one Python callback at a time (docs/gdl.md has the measurements).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pcg.engine.gdl.checker import Program
from pcg.engine.gdl.checker import Relation as Key
from pcg.engine.gdl.clauses import Clause
from pcg.engine.gdl.errors import GroundingLimit
from pcg.engine.gdl.relations import Array, Relation, Store, View, common_keys, distinct_rows, pack
from pcg.engine.gdl.tree import Term, Variable, literal_variables, variables_of


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a grounding, beyond which it is given up.

    Args:
        seconds: processor time.
        atoms: atoms in all relations.
        rows: rows of one join, and ground rules in all.
    """

    seconds: float = 20.0
    atoms: int = 2_000_000
    rows: int = 6_000_000


@dataclass(slots=True)
class _Literal:
    """A positive sentence of a clause: the view it reads, and what the clause calls the view's variables."""

    view: View
    names: list[Variable]
    dynamic: bool
    seen: int = 0


@dataclass(slots=True)
class _Plan:
    """A clause prepared for joining."""

    clause: Clause
    target: Relation
    also: Relation | None
    positive: list[_Literal]
    checked: list[_Literal]
    """Negated sentences over relations that are known exactly."""
    unknown: list[_Literal]
    """Negated sentences over relations that depend on the state."""
    head_variables: list[Variable]
    started: bool = False


@dataclass
class Ground:
    """A grounding.

    Attributes:
        store: terms and atoms.
        rules: for each clause that depends on the state its instances: references to the head (n,), and to the
            literals of the body (n, k): positive ones first, then negated ones; -1 stands for a negated sentence that
            can never hold.
        rows: number of instances in all.
    """

    store: Store
    rules: list[tuple[Array, Array, int, Clause]] = field(default_factory=list)
    """(heads, body, number of positive columns, clause)"""
    rows: int = 0


class Binding:
    """Rows of values for the variables of a clause, and the atoms they came from."""

    def __init__(self, columns: dict[Variable, Array], count: int, refs: list[Array] | None = None) -> None:
        self.columns = columns
        self.count = count
        self.refs = refs

    def take(self, chosen: Array) -> None:
        """Keep some rows: a mask, or indices."""
        self.columns = {v: c[chosen] for v, c in self.columns.items()}
        if self.refs is not None:
            self.refs = [r[chosen] for r in self.refs]
        self.count = int(chosen.sum()) if chosen.dtype == bool else len(chosen)


class Grounder:
    """Grounds a program."""

    def __init__(self, program: Program, limits: Limits | None = None) -> None:
        self.program = program
        self.limits = limits or Limits()
        self.store = Store()
        self._deadline = 0.0
        self._atoms = 0

    def run(self) -> Ground:
        """All ground rules.

        Raises:
            GroundingLimit: there are too many.
        """
        self._deadline = time.process_time() + self.limits.seconds
        program = self.program
        defining = program.defining()
        aliases = {"init": self.store.relation("true", 1), "next": self.store.relation("true", 1)}
        aliases["legal"] = self.store.relation("does", 2)
        late: list[_Plan] = []
        for group in program.order:
            own = [self._plan(clause, aliases) for key in group for clause in defining.get(key, ())]
            if any(key in program.dynamic for key in group):
                late += own
            else:
                self._fixpoint(own)
        # all that depends on the state is one fixpoint; the facts of the initial state came in through `init`
        self._fixpoint(late)
        ground = Ground(self.store)
        for plan in late:
            if plan.clause.makes_rules:
                self._instances(plan, ground)
        return ground

    # --- preparing ---

    def _literal(self, sentence: object) -> _Literal:
        from pcg.engine.gdl.tree import Sentence

        assert isinstance(sentence, Sentence)
        view, names = self.store.view(sentence)
        return _Literal(view, names, self._is_dynamic(sentence.key))

    def _guard(self, sentence: object) -> _Literal:
        """A sentence that is joined with but is no part of ground rules."""
        literal = self._literal(sentence)
        literal.dynamic = False
        return literal

    def _is_dynamic(self, key: Key) -> bool:
        return key in self.program.dynamic or key in (("true", 1), ("does", 2))

    def _plan(self, clause: Clause, aliases: dict[str, Relation]) -> _Plan:
        negative = [self._literal(s) for s in clause.negative]
        return _Plan(
            clause,
            self.store.relation(*clause.head.key),
            aliases.get(clause.head.name),
            [self._literal(s) for s in clause.positive] + [self._guard(s) for s in clause.guards],
            [literal for literal in negative if not literal.dynamic],
            [literal for literal in negative if literal.dynamic],
            list(dict.fromkeys(literal_variables(clause.head))),
        )

    # --- all atoms that could hold ---

    def _fixpoint(self, plans: Sequence[_Plan]) -> None:
        grown = True
        while grown:
            grown = False
            for plan in plans:
                grown = self._extend(plan) or grown

    def _extend(self, plan: _Plan) -> bool:
        """Add what a clause derives from what is new since the last time; True when that is something."""
        if not plan.positive:
            if plan.started:
                return False
            plan.started = True
            return self._derive(plan, self._alone(plan))
        before = [literal.seen for literal in plan.positive]
        now = [literal.view.update() for literal in plan.positive]
        if now == before or 0 in now:
            return False
        for literal, count in zip(plan.positive, now, strict=True):
            literal.seen = count
        if not plan.started:
            plan.started = True
            return self._derive(plan, self._join(plan, -1, 0, keep=False))
        derived = False
        for number, (old, new) in enumerate(zip(before, now, strict=True)):
            if new > old:
                derived = self._derive(plan, self._join(plan, number, old, keep=False)) or derived
        return derived

    def _derive(self, plan: _Plan, binding: Binding) -> bool:
        if binding.count == 0:
            return False
        columns = [self.store.build(arg, binding.columns, binding.count) for arg in plan.clause.head.args]
        new = self.store.add(plan.target, columns, binding.count)
        if new and plan.also is not None:
            self.store.add(plan.also, columns, binding.count)
        self._atoms += new
        if self._atoms > self.limits.atoms:
            raise GroundingLimit(f"more than {self.limits.atoms:,} atoms")
        return new > 0

    # --- joining ---

    def _alone(self, plan: _Plan) -> Binding:
        """The one row, or none, of a clause without positive sentences."""
        binding = Binding({}, 1, [])
        self._filter(binding, list(plan.clause.distinct), list(plan.checked))
        return binding

    def _join(self, plan: _Plan, first: int, start: int, *, keep: bool) -> Binding:
        """Join the positive sentences of a clause.

        Args:
            plan: the clause.
            first: the sentence to begin with, -1 for any.
            start: its first row that counts.
            keep: also keep references to the atoms of sentences over the state.
        """
        if time.process_time() > self._deadline:
            raise GroundingLimit(f"more than {self.limits.seconds:g} s")
        waiting = list(plan.positive)
        tests: list[tuple[Term, Term]] = list(plan.clause.distinct)
        checks = list(plan.checked)
        if first < 0:
            begin = min(waiting, key=lambda literal: literal.view.count)
        else:
            begin = waiting[first]
        waiting.remove(begin)
        binding = Binding(
            {name: begin.view.column(k, start) for k, name in enumerate(begin.names)},
            begin.view.count - start,
            [begin.view.refs(start)] if keep and begin.dynamic else ([] if keep else None),
        )
        order = [begin]
        tests, checks = self._filter(binding, tests, checks)
        while waiting and binding.count:
            self._project(binding, plan, waiting, tests, checks, keep)
            literal = self._cheapest(binding, waiting)
            waiting.remove(literal)
            order.append(literal)
            self._join_view(binding, literal, keep)
            tests, checks = self._filter(binding, tests, checks)
        if binding.count == 0:
            return Binding({}, 0, [])
        self._project(binding, plan, (), tests, checks, keep)
        if keep and binding.refs is not None:
            # references in the order of the clause, not of the join
            places = [literal for literal in order if literal.dynamic]
            wanted = [literal for literal in plan.positive if literal.dynamic]
            at = {id(literal): k for k, literal in enumerate(places)}
            binding.refs = [binding.refs[at[id(literal)]] for literal in wanted]
        return binding

    def _filter(
        self, binding: Binding, tests: list[tuple[Term, Term]], checks: list[_Literal]
    ) -> tuple[list[tuple[Term, Term]], list[_Literal]]:
        """Apply the inequalities and negations whose variables are bound; returns the others."""
        later_tests = []
        for left, right in tests:
            if any(v not in binding.columns for v in (*variables_of(left), *variables_of(right))):
                later_tests.append((left, right))
                continue
            a = self.store.build(left, binding.columns, binding.count)
            b = self.store.build(right, binding.columns, binding.count)
            binding.take(a != b)
        later_checks = []
        for literal in checks:
            if any(v not in binding.columns for v in literal.names):
                later_checks.append(literal)
                continue
            binding.take(self._places(binding, literal) < 0)
        return later_tests, later_checks

    def _places(self, binding: Binding, literal: _Literal) -> Array:
        """Rows of the view of a sentence whose variables are all bound; -1 where there is none."""
        view = literal.view
        count = view.update()
        if count == 0:
            return np.full(binding.count, -1, dtype=np.int64)
        if not literal.names:
            return np.zeros(binding.count, dtype=np.int64)
        mine = [binding.columns[name] for name in literal.names]
        bits = self.store.terms.bits
        index = view.index(tuple(range(len(literal.names))), bits)
        keys = pack(mine, bits)
        if index is None or keys is None:
            keys, others = common_keys(mine, [view.column(k) for k in range(len(literal.names))], bits)
            order = np.argsort(others, kind="stable")
            index = others[order], order
        at = np.minimum(np.searchsorted(index[0], keys), count - 1)
        return np.where(index[0][at] == keys, index[1][at], -1)

    def _project(
        self,
        binding: Binding,
        plan: _Plan,
        waiting: Iterable[_Literal],
        tests: Iterable[tuple[Term, Term]],
        checks: Iterable[_Literal],
        keep: bool,
    ) -> None:
        """Forget variables that nothing asks for any more, and rows that have become equal."""
        needed = set(plan.head_variables)
        for literal in (*waiting, *checks, *(plan.unknown if keep else ())):
            needed.update(literal.names)
        for left, right in tests:
            needed.update(variables_of(left))
            needed.update(variables_of(right))
        dropped = [v for v in binding.columns if v not in needed]
        if not dropped:
            return
        for v in dropped:
            del binding.columns[v]
        if binding.count <= 1:
            return
        if keep and binding.refs:
            columns = [*binding.columns.values(), *(r & 0xFFFFFFFF for r in binding.refs)]
            columns += [r >> 32 for r in binding.refs]
            bits = max(self.store.terms.bits, *(int(c.max()).bit_length() for c in columns))
            binding.take(distinct_rows(columns, bits))
        elif binding.columns:
            binding.take(distinct_rows(list(binding.columns.values()), self.store.terms.bits))
        else:
            binding.take(np.zeros(1, dtype=np.int64))

    def _cheapest(self, binding: Binding, waiting: list[_Literal]) -> _Literal:
        """The sentence whose join has the fewest rows."""
        if len(waiting) == 1:
            return waiting[0]
        connected = [x for x in waiting if any(name in binding.columns for name in x.names)]
        best, size = None, float("inf")
        for literal in connected or waiting:
            if all(name in binding.columns for name in literal.names):
                return literal
            shared = sum(name in binding.columns for name in literal.names)
            if not shared:
                rows = float(binding.count) * literal.view.count
            else:
                rows = self._estimate(binding, literal)
            if rows < size:
                best, size = literal, rows
        assert best is not None
        return best

    def _estimate(self, binding: Binding, literal: _Literal) -> float:
        keys, index = self._keys(binding, literal)
        if len(keys) > 4096:
            step = len(keys) // 2048
            sample = keys[::step]
            found = np.searchsorted(index, sample, "right") - np.searchsorted(index, sample)
            return float(found.sum()) * len(keys) / len(sample)
        return float((np.searchsorted(index, keys, "right") - np.searchsorted(index, keys)).sum())

    def _keys(self, binding: Binding, literal: _Literal) -> tuple[Array, Array]:
        """Keys of the shared variables: of the rows at hand, and sorted those of the view."""
        return self._matched(binding, literal)[:2]

    def _matched(self, binding: Binding, literal: _Literal) -> tuple[Array, Array, Array]:
        shared = tuple(k for k, name in enumerate(literal.names) if name in binding.columns)
        mine = [binding.columns[literal.names[k]] for k in shared]
        bits = self.store.terms.bits
        keys = pack(mine, bits)
        index = literal.view.index(shared, bits) if keys is not None else None
        if keys is None or index is None:
            keys, others = common_keys(mine, [literal.view.column(k) for k in shared], bits)
            order = np.argsort(others, kind="stable")
            return keys, others[order], order
        return keys, *index

    def _join_view(self, binding: Binding, literal: _Literal, keep: bool) -> None:
        view = literal.view
        if any(name in binding.columns for name in literal.names):
            keys, sorted_keys, order = self._matched(binding, literal)
            low = np.searchsorted(sorted_keys, keys)
            counts = np.searchsorted(sorted_keys, keys, "right") - low
            total = int(counts.sum())
            self._check_rows(total)
            left = np.repeat(np.arange(binding.count), counts)
            starts = np.cumsum(counts) - counts
            right = order[np.arange(total) - np.repeat(starts, counts) + np.repeat(low, counts)]
        else:
            total = binding.count * view.count
            self._check_rows(total)
            left = np.repeat(np.arange(binding.count), view.count)
            right = np.tile(np.arange(view.count), binding.count)
        new = {name: view.column(k)[right] for k, name in enumerate(literal.names) if name not in binding.columns}
        binding.take(left)
        binding.columns.update(new)
        if keep and binding.refs is not None and literal.dynamic:
            binding.refs.append(view.refs()[right])

    def _check_rows(self, rows: int) -> None:
        if rows > self.limits.rows:
            raise GroundingLimit(f"a rule has more than {self.limits.rows:,} instances")

    # --- ground rules ---

    def _instances(self, plan: _Plan, ground: Ground) -> None:
        for literal in plan.positive:
            if literal.view.update() == 0:
                return
        binding = self._join(plan, -1, 0, keep=True) if plan.positive else self._alone(plan)
        if binding.count == 0:
            return
        columns = [self.store.build(arg, binding.columns, binding.count) for arg in plan.clause.head.args]
        heads = self.store.refs(plan.target, columns, binding.count)
        body = list(binding.refs or [])
        positive = len(body)
        for literal in plan.unknown:
            at = self._places(binding, literal)
            refs = literal.view.refs()
            body.append(np.where(at >= 0, refs[at], -1) if len(refs) else at)
        matrix = np.stack(body, axis=1) if body else np.zeros((binding.count, 0), dtype=np.int64)
        ground.rules.append((heads, matrix, positive, plan.clause))
        ground.rows += binding.count
        self._check_rows(ground.rows)


def ground(program: Program, limits: Limits | None = None) -> Ground:
    """Ground a program. Raises `GroundingLimit` when it has too many instances."""
    return Grounder(program, limits).run()


__all__ = ["Ground", "Grounder", "Limits", "ground"]
