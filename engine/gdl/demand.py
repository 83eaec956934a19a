"""Demand-driven grounding: only what is asked for is derived, for sheets in which far more is true.

A relation that counts over four numbers has a million atoms, of which a game asks for a handful. Each relation over the
state is divided by which arguments are known when it is asked for (its *adornment*), and a relation of *demands* holds
the values it is asked for; the rules are then joined with the demands (magic sets: Bancilhon, Maier, Sagiv, Ullman
1986; Balbin, Ramamohanarao 1987). Demands only say which values can occur: they are no part of ground rules, and
negations do not restrict them, so nothing that a state could ask for is left out.
"""

from __future__ import annotations

from dataclasses import replace

from pcg.engine.gdl.checker import ROOTS, Program, Relation
from pcg.engine.gdl.clauses import Clause
from pcg.engine.gdl.tree import Sentence, Variable, literal_variables, variables_of


def on_demand(program: Program, *, everything: bool = False) -> Program:
    """The program with rules that derive only what is asked for.

    Args:
        program: a checked program, not split.
        everything: also divide relations that depend on neither state nor moves.
    """
    return _Demands(program, everything).run()


class _Demands:
    def __init__(self, program: Program, everything: bool) -> None:
        self.program = program
        self.defining = program.defining()
        rules = {clause.head.key for clause in program.clauses if clause.positive or clause.negative}
        self.divided = (rules if everything else set(program.dynamic)) - set(ROOTS)
        self.clauses: list[Clause] = []
        self.new: dict[Relation, None] = {}
        self.pending: list[tuple[Relation, str]] = []
        self.known: set[tuple[Relation, str]] = set()
        self.kept: list[Relation] = []

    def run(self) -> Program:
        for group in self.program.order:
            for key in group:
                if key not in self.divided:
                    self.kept.append(key)
                    for clause in self.defining.get(key, ()):
                        self._adorn(clause, clause.head, None)
        while self.pending:
            key, adornment = self.pending.pop()
            for clause in self.defining.get(key, ()):
                head = self._named(clause.head, adornment)
                demand = self._demand(clause.head, adornment)
                self._adorn(clause, head, demand)
        kept = set(self.kept)
        order = [tuple(key for key in group if key in kept) for group in self.program.order]
        dynamic = (self.program.dynamic & kept) | set(self.new)
        return replace(
            self.program,
            clauses=tuple(self.clauses),
            order=(*(group for group in order if group), tuple(self.new)),
            dynamic=frozenset(dynamic),
        )

    def _named(self, sentence: Sentence, adornment: str) -> Sentence:
        made = Sentence(f" {sentence.name} {adornment}", sentence.args, sentence.line, sentence.column)
        self.new[made.key] = None
        return made

    def _demand(self, sentence: Sentence, adornment: str) -> Sentence | None:
        """The demand for a sentence; None when nothing of it is known, and all of it is derived."""
        bound = tuple(arg for arg, kind in zip(sentence.args, adornment, strict=True) if kind == "b")
        if not bound:
            return None
        made = Sentence(f" ? {sentence.name} {adornment}", bound, sentence.line, sentence.column)
        self.new[made.key] = None
        return made

    def _adorn(self, clause: Clause, head: Sentence, demand: Sentence | None) -> None:
        """Divide the body of a clause, and add the demands that it makes."""
        known = set(literal_variables(demand)) if demand is not None else set()
        before: list[Sentence] = []
        guards = (*clause.guards, *((demand,) if demand is not None else ()))
        for sentence in clause.positive:
            # as written: those who write such sheets have in mind that they are asked from left to right
            before.append(self._divide(sentence, known, before, guards, clause))
            known.update(literal_variables(sentence))
        negative = [self._divide(s, known, before, guards, clause) for s in clause.negative]
        self.clauses.append(replace(clause, head=head, positive=tuple(before), negative=tuple(negative), guards=guards))

    def _divide(
        self,
        sentence: Sentence,
        known: set[Variable],
        before: list[Sentence],
        guards: tuple[Sentence, ...],
        clause: Clause,
    ) -> Sentence:
        if sentence.key not in self.divided:
            return sentence
        adornment = "".join("b" if all(v in known for v in variables_of(arg)) else "f" for arg in sentence.args)
        demand = self._demand(sentence, adornment)
        if demand is not None and not (len(before) == 0 and guards == (demand,)):
            self.clauses.append(Clause(demand, tuple(before), (), (), clause.rule, guards, makes_rules=False))
        if (sentence.key, adornment) not in self.known:
            self.known.add((sentence.key, adornment))
            self.pending.append((sentence.key, adornment))
        return self._named(sentence, adornment)


__all__ = ["on_demand"]
