"""Backward chaining over rules: the evaluator for sheets that are too large to ground, and a check on the network.

A question is a sentence with or without variables; its answers are tabled, so that each is worked out once per state,
and recursion ends when a round over the questions that depend on each other finds nothing new (Tamaki, Sato: OLD
resolution with tabulation, 1986). Answers that depend on neither state nor moves are kept for good. It shares nothing
with the grounder but the clauses.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

from pcg.engine.gdl.checker import Program, Relation
from pcg.engine.gdl.clauses import Clause
from pcg.engine.gdl.errors import GDLError, fail
from pcg.engine.gdl.tree import Sentence, Term, Variable

Args = tuple[Term, ...]
Binding = dict[Variable, Term]

_DEEP = 20_000
"""Python frames that one question may need."""
MAX_SECONDS = 30.0
"""Processor time for one question."""


class _Table:
    """The answers to a question."""

    __slots__ = ("active", "answers", "complete", "index", "low", "round")

    def __init__(self, index: int) -> None:
        self.answers: dict[Args, None] = {}
        self.complete = False
        self.active = False
        self.index = index
        self.low = index
        self.round = -1


class Prover:
    """The rules of a program, to be asked.

    Args:
        program: the checked rules, not split.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._clauses: dict[Relation, list[Clause]] = program.defining()
        self._static: dict[tuple[str, Args], _Table] = {}
        self._names = 0

    def ask(self, name: str, args: Args, facts: Facts) -> list[Args]:
        """All answers to a question, as arguments without variables, in no particular order.

        Args:
            name: of the relation.
            args: its arguments; variables stand for anything.
            facts: the state, and the moves made in it.

        Raises:
            GDLError: it takes too long, or goes too deep.
        """
        run = _Run(self, facts)
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEEP))
        try:
            return list(run.table(name, _numbered(args)).answers)
        except RecursionError:
            raise fail(f"`{name}` recurs too deeply", file=self.program.sheet.file) from None
        finally:
            sys.setrecursionlimit(limit)

    def holds(self, name: str, args: Args, facts: Facts) -> bool:
        """Return true if a question has an answer."""
        return bool(self.ask(name, args, facts))


class Facts:
    """Facts of a state, and the moves made in it; with the tables of questions already answered."""

    def __init__(self, true: Iterable[Term]) -> None:
        self.given: dict[tuple[str, object], list[Args]] = {}
        self.every: dict[str, list[Args]] = {"true": [], "does": []}
        self.early: dict[tuple[str, Args], _Table] = {}
        self.tables: dict[tuple[str, Args], _Table] = {}
        for fact in true:
            self._add("true", (fact,))

    def after(self, does: Iterable[tuple[Term, Term]]) -> Facts:
        """The same state with moves made in it."""
        made = Facts(())
        made.given = {key: list(rows) for key, rows in self.given.items()}
        made.every = {"true": self.every["true"], "does": []}
        made.early = self.early
        for move in does:
            made._add("does", move)
        return made

    def _add(self, name: str, row: Args) -> None:
        self.every[name].append(row)
        self.given.setdefault((name, _shape(row[-1])), []).append(row)

    def candidates(self, name: str, last: Term) -> list[Args]:
        """Rows whose last argument can match a term."""
        if isinstance(last, Variable):
            return self.every[name]
        return self.given.get((name, _shape(last)), [])


class _Run:
    """One question and those it leads to."""

    def __init__(self, prover: Prover, facts: Facts) -> None:
        self.prover = prover
        self.facts = facts
        self.stack: list[tuple[dict[tuple[str, Args], _Table], tuple[str, Args], _Table]] = []
        self.depth = 0
        self.changes = 0
        self.round = 0
        self.deadline = time.process_time() + MAX_SECONDS

    def table(self, name: str, args: Args) -> _Table:
        """The answers to a question; not all of them when it is asked within itself."""
        tables = self._tables((name, len(args)))
        key = (name, args)
        table = tables.get(key)
        if table is None:
            table = tables[key] = _Table(self.depth)
            self.stack.append((tables, key, table))
        elif table.complete or table.active or table.round == self.round:
            return table
        self._look_at_clock(name)
        table.index = table.low = self.depth
        first = next(k for k in range(len(self.stack) - 1, -1, -1) if self.stack[k][2] is table)
        self.depth += 1
        table.active = True
        try:
            while True:
                table.round = self.round
                before = self.changes
                for clause in self.prover._clauses.get((name, len(args)), ()):
                    self._apply(clause, args, table)
                if table.low < table.index:
                    break  # a question further up decides when all is known
                if self.changes == before:
                    for _, _, done in self.stack[first:]:
                        done.complete = True
                    del self.stack[first:]
                    break
                self.round += 1
        except BaseException:
            self._forget()
            raise
        finally:
            self.depth -= 1
            table.active = False
        return table

    def _tables(self, relation: Relation) -> dict[tuple[str, Args], _Table]:
        program = self.prover.program
        if relation in program.late:
            return self.facts.tables
        return self.facts.early if relation in program.dynamic else self.prover._static

    def _look_at_clock(self, name: str) -> None:
        if time.process_time() > self.deadline:
            self._forget()
            raise fail(f"`{name}` takes more than {MAX_SECONDS:g} s to work out", file=self.prover.program.sheet.file)

    def _forget(self) -> None:
        """Drop the tables under way."""
        for tables, key, table in self.stack:
            if not table.complete:
                tables.pop(key, None)
        self.stack.clear()

    def _apply(self, clause: Clause, args: Args, table: _Table) -> None:
        head = clause.head.args
        binding: Binding = {}
        for pattern, wanted in zip(head, args, strict=True):
            bound = match_open(pattern, wanted, binding)
            if bound is None:
                return
            binding = bound
        for found in self._body(clause, binding, table):
            answer = tuple(ground(arg, found) for arg in head)
            if answer not in table.answers and match(args, answer, {}) is not None:
                table.answers[answer] = None
                self.changes += 1

    def _body(self, clause: Clause, binding: Binding, owner: _Table) -> list[Binding]:
        """All ways to make the body hold."""
        found = [binding]
        waiting = list(clause.positive)
        tests = list(clause.distinct)
        negative = list(clause.negative)
        known = set(binding)
        while found:
            tests_left = []
            for left, right in tests:
                if _known(left, known) and _known(right, known):
                    found = [b for b in found if ground(left, b) != ground(right, b)]
                else:
                    tests_left.append((left, right))
            tests = tests_left
            negative_left = []
            for sentence in negative:
                if all(_known(arg, known) for arg in sentence.args):
                    found = [b for b in found if not self._holds(sentence, b)]
                else:
                    negative_left.append(sentence)
            negative = negative_left
            if not waiting or not found:
                break
            sentence = min(waiting, key=lambda s: sum(not _known(arg, known) for arg in s.args))
            waiting.remove(sentence)
            found = self._join(sentence, found, owner)
            for arg in sentence.args:
                _collect(arg, known)
        return found

    def _join(self, sentence: Sentence, bindings: list[Binding], owner: _Table) -> list[Binding]:
        found: list[Binding] = []
        asked: dict[Args, list[Args]] = {}
        for number, binding in enumerate(bindings):
            if number & 255 == 0:
                self._look_at_clock(sentence.name)
            args = tuple(ground(arg, binding) for arg in sentence.args)
            if sentence.name in ("true", "does"):
                rows = self.facts.candidates(sentence.name, args[-1])
            else:
                question = _numbered(args)
                if question not in asked:
                    table = self.table(sentence.name, question)
                    if not table.complete:
                        owner.low = min(owner.low, table.low)
                    asked[question] = list(table.answers)
                rows = asked[question]
            for row in rows:
                after = match(args, row, binding)
                if after is not None:
                    found.append(after)
        return found

    def _holds(self, sentence: Sentence, binding: Binding) -> bool:
        args = tuple(ground(arg, binding) for arg in sentence.args)
        if sentence.name in ("true", "does"):
            return args in self.facts.candidates(sentence.name, args[-1])
        table = self.table(sentence.name, _numbered(args))
        if not table.complete and not table.answers:
            raise fail(
                f"{Sentence(sentence.name, args)} depends on its own negation", file=self.prover.program.sheet.file,
                line=sentence.line, column=sentence.column, expected="stratified negation",
            )  # fmt: skip
        return bool(table.answers)


# --- terms ---


def _shape(term: Term) -> object:
    return (term[0], len(term)) if isinstance(term, tuple) else term


def _known(term: Term, known: set[Variable]) -> bool:
    if isinstance(term, Variable):
        return term in known
    return all(_known(part, known) for part in term[1:]) if isinstance(term, tuple) else True


def _collect(term: Term, into: set[Variable]) -> None:
    if isinstance(term, Variable):
        into.add(term)
    elif isinstance(term, tuple):
        for part in term[1:]:
            _collect(part, into)


def ground(term: Term, binding: Binding) -> Term:
    """The term with what is known of its variables."""
    if isinstance(term, Variable):
        return binding.get(term, term)
    if isinstance(term, tuple):
        return (term[0], *[ground(part, binding) for part in term[1:]])
    return term


def match(pattern: Term, given: Term, binding: Binding) -> Binding | None:
    """The binding with which a pattern becomes a term without variables, None without one.

    Tuples of arguments are matched like terms; the binding given is not changed.
    """
    pending = [(pattern, given)]
    own = False
    while pending:
        a, b = pending.pop()
        if isinstance(a, Variable):
            known = binding.get(a)
            if known is None:
                if not own:
                    binding = dict(binding)
                    own = True
                binding[a] = b
            elif known != b:
                return None
        elif isinstance(a, tuple):
            if not isinstance(b, tuple) or len(a) != len(b):
                return None
            pending += zip(a, b, strict=True)
        elif a != b:
            return None
    return binding


def match_open(pattern: Term, wanted: Term, binding: Binding | None) -> Binding | None:
    """Match the head of a clause with what a question wants there; variables of the question leave the head's free."""
    if binding is None:
        return None
    if isinstance(wanted, Variable):
        return binding
    if isinstance(pattern, Variable):
        known = binding.get(pattern)
        if known is not None:
            return binding if _may_equal(known, wanted) else None
        return {**binding, pattern: wanted} if not _has_variable(wanted) else binding
    if isinstance(pattern, tuple):
        if not isinstance(wanted, tuple) or len(pattern) != len(wanted) or pattern[0] != wanted[0]:
            return None
        for a, b in zip(pattern[1:], wanted[1:], strict=True):
            binding = match_open(a, b, binding)
        return binding
    return binding if pattern == wanted else None


def _has_variable(term: Term) -> bool:
    return isinstance(term, Variable) or (isinstance(term, tuple) and any(map(_has_variable, term[1:])))


def _may_equal(term: Term, wanted: Term) -> bool:
    return match(wanted, term, {}) is not None


def _numbered(args: Args) -> Args:
    """The arguments with their variables numbered in the order of the text: one name for each question."""
    names: dict[Variable, Variable] = {}

    def renamed(term: Term) -> Term:
        if isinstance(term, Variable):
            return names.setdefault(term, Variable(f"?{len(names)}"))
        if isinstance(term, tuple):
            return (term[0], *[renamed(part) for part in term[1:]])
        return term

    return tuple(renamed(arg) for arg in args)


__all__ = ["Facts", "GDLError", "Prover", "ground", "match"]
