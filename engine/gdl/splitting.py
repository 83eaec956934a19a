"""Splitting of rules before grounding: variables that only part of a body speaks of are projected out first.

A rule over eight variables has a ground rule for each of their combinations, most of which differ in nothing that
matters. `next(x, y, p) <- true(x, y, p), does(r, a, b, c, d), other(x, y, a, b), other(x, y, c, d)` becomes
`aux(x, y) <- does(...), other(...), other(...)` and `next(x, y, p) <- true(x, y, p), aux(x, y)`. Bodies whose variables
are all connected are split at the variable that is cheapest to eliminate (Bichler, Morak, Woltran: lpopt, 2016).

What binds a variable of the new relation elsewhere in the body goes along as a *guard*: it says which values can occur
and is no condition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pcg.engine.gdl.checker import Program, Relation
from pcg.engine.gdl.clauses import Clause
from pcg.engine.gdl.tree import Distinct, Sentence, Term, Variable, literal_variables, substitute

_MIN_VARIABLES = 3
"""Rules with fewer variables are left as they are."""
_MAX_LITERALS = 64
"""Rules with longer bodies as well."""
_Literal = tuple[str, Sentence | Distinct]


def split(program: Program) -> Program:
    """The program with its rules over the state split."""
    given = {("true", 1), ("does", 2)}
    splitter = _Splitter(program.dynamic | given)
    clauses: list[Clause] = []
    for clause in program.clauses:
        clauses += splitter.split(clause) if clause.head.key in program.dynamic else [clause]
    if not splitter.names:
        return program
    new = tuple((name, arity) for name, arity in splitter.names.values())
    return replace(
        program,
        clauses=tuple(clauses),
        order=(*program.order, new),
        dynamic=program.dynamic | frozenset(new),
    )


class _Splitter:
    def __init__(self, dynamic: Iterable[Relation]) -> None:
        self.dynamic = set(dynamic)
        self.names: dict[tuple[object, ...], Relation] = {}

    def split(self, clause: Clause) -> list[Clause]:
        """The clause, or what it is split into."""
        done: list[Clause] = []
        pending = [clause]
        while pending:
            clause = pending.pop()
            parts = self._parts(clause)
            if parts is None:
                done.append(clause)
                continue
            bucket, rest = parts
            sub, residual = self._divide(clause, bucket, rest)
            pending.append(residual)
            if sub is not None:
                pending.append(sub)
        return done

    # --- what to split off ---

    def _parts(self, clause: Clause) -> tuple[list[_Literal], list[_Literal]] | None:
        literals = _literals(clause)
        everything = {v for _, literal in literals for v in literal_variables(literal)}
        head = set(literal_variables(clause.head))
        free = everything - head
        if len(everything) < _MIN_VARIABLES or not free or not 2 <= len(literals) <= _MAX_LITERALS:
            return None
        best: tuple[tuple[int, int, int], list[_Literal], list[_Literal]] | None = None
        for group in (*_components(free, literals), *({v} for v in sorted(free))):
            bucket = [x for x in literals if not group.isdisjoint(literal_variables(x[1]))]
            rest = [x for x in literals if x not in bucket]
            inside = {v for _, literal in bucket for v in literal_variables(literal)}
            if not rest or len(inside) >= len(everything) or not self._worth(bucket):
                continue
            shared = inside & (head | {v for _, literal in rest for v in literal_variables(literal)})
            cost = (len(inside), len(shared), -len(bucket))
            if best is None or cost < best[0]:
                best = (cost, bucket, rest)
        return best[1:] if best is not None else None

    def _worth(self, bucket: list[_Literal]) -> bool:
        """Something over the state is projected, and it is more than what a lone sentence says anyway."""
        return any(
            kind != "distinct" and isinstance(literal, Sentence) and literal.key in self.dynamic
            for kind, literal in bucket
            if kind == "positive"
        )

    # --- splitting ---

    def _divide(self, clause: Clause, bucket: list[_Literal], rest: list[_Literal]) -> tuple[Clause | None, Clause]:
        outside = set(literal_variables(clause.head))
        for _, literal in rest:
            outside.update(literal_variables(literal))
        inside = list(dict.fromkeys(v for _, literal in bucket for v in literal_variables(literal)))
        shared = tuple(sorted(v for v in inside if v in outside))
        guards = [
            literal
            for kind, literal in rest
            if kind == "positive"
            and isinstance(literal, Sentence)
            and not set(shared).isdisjoint(literal_variables(literal))
        ]
        guards += [guard for guard in clause.guards if not set(inside).isdisjoint(literal_variables(guard))]
        key = _canonical(bucket, guards, shared)
        known = self.names.get(key)
        made = None
        if known is None:
            known = self.names[key] = (f" {len(self.names)}", len(shared))
            self.dynamic.add(known)
            made = _clause(Sentence(known[0], shared), bucket, clause, tuple(guards))
        call = Sentence(known[0], shared)
        return made, _clause(clause.head, [("positive", call), *rest], clause, clause.guards)


def _literals(clause: Clause) -> list[_Literal]:
    found: list[_Literal] = [("positive", s) for s in clause.positive]
    found += [("negative", s) for s in clause.negative]
    return [*found, *(("distinct", Distinct(a, b)) for a, b in clause.distinct)]


def _clause(head: Sentence, literals: list[_Literal], source: Clause, guards: tuple[Sentence, ...]) -> Clause:
    def those(kind: str) -> tuple[Sentence, ...]:
        return tuple(x for k, x in literals if k == kind and isinstance(x, Sentence))

    distinct = tuple((x.left, x.right) for _, x in literals if isinstance(x, Distinct))
    return Clause(head, those("positive"), those("negative"), distinct, source.rule, guards)


def _components(free: set[Variable], literals: list[_Literal]) -> list[set[Variable]]:
    """Groups of variables that occur together, when those of the head are left out."""
    groups: list[set[Variable]] = []
    for _, literal in literals:
        own = free & set(literal_variables(literal))
        if not own:
            continue
        touching = [group for group in groups if not group.isdisjoint(own)]
        groups = [group for group in groups if group.isdisjoint(own)]
        groups.append(own.union(*touching))
    return sorted(groups, key=sorted)


def _canonical(bucket: list[_Literal], guards: list[Sentence], shared: tuple[Variable, ...]) -> tuple[object, ...]:
    """A key that is the same for the same bucket under other names of its variables."""
    names: dict[Variable, Term] = {}
    for v in (v for literal in (*(x for _, x in bucket), *guards) for v in literal_variables(literal)):
        names.setdefault(v, Variable(f"?{len(names)}"))
    parts: list[object] = [tuple(names[v] for v in shared)]
    for kind, literal in bucket:
        if isinstance(literal, Sentence):
            parts.append((kind, literal.name, *(substitute(arg, names) for arg in literal.args)))
        else:
            parts.append((kind, substitute(literal.left, names), substitute(literal.right, names)))
    parts += [("guard", guard.name, *(substitute(arg, names) for arg in guard.args)) for guard in guards]
    return tuple(parts)


__all__ = ["split"]
