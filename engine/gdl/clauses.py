"""Clauses: rules without `or`, on which all later steps work.

A rule is multiplied out into clauses of positive sentences, negated sentences and inequalities. `(not (distinct a b))`
makes two terms one. Then each clause is made safe the way the reference reads it: a negation or inequality over a
variable that no positive sentence binds says nothing and is left out, and a role that only the head of `legal` or
`goal` names ranges over all roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pcg.engine.gdl.tree import (
    Distinct,
    Literal,
    Not,
    Or,
    Rule,
    Sentence,
    Term,
    Variable,
    literal_variables,
    substitute,
)

MAX_CLAUSES = 5_000
"""Clauses that one rule may be multiplied out into."""


@dataclass(frozen=True, slots=True)
class Clause:
    """``head`` holds when all of `positive`, none of `negative`, and all inequalities of `distinct` hold."""

    head: Sentence
    positive: tuple[Sentence, ...] = ()
    negative: tuple[Sentence, ...] = ()
    distinct: tuple[tuple[Term, Term], ...] = ()
    rule: Rule | None = field(default=None, compare=False, repr=False)
    """The rule of the sheet that it comes from."""
    guards: tuple[Sentence, ...] = ()
    """Sentences that say which values variables can have, and are no conditions: what the grounder joins with."""
    makes_rules: bool = True
    """False for what only says which values can occur: it has no ground rules."""

    def __str__(self) -> str:
        body = [*map(str, self.positive), *(f"(not {s})" for s in self.negative)]
        body += [str(Distinct(a, b)) for a, b in self.distinct]
        return f"(<= {self.head} {' '.join(body)})" if body else str(self.head)

    def unbound(self) -> list[Variable]:
        """Variables of the head that no positive sentence binds."""
        bound = {v for s in self.positive for v in literal_variables(s)}
        return [v for v in dict.fromkeys(literal_variables(self.head)) if v not in bound]


class TooManyClauses(Exception):
    """A rule has too many alternatives."""


def clauses_of(rule: Rule, warn: Callable[[str, Literal | Rule], None]) -> list[Clause]:
    """The clauses of a rule, made safe where the reference would.

    Raises:
        TooManyClauses: more than `MAX_CLAUSES`.
    """
    found: list[Clause] = []
    for count, parts in enumerate(_alternatives(rule.body)):
        if count >= MAX_CLAUSES:
            raise TooManyClauses
        clause = _clause(rule, parts, warn)
        if clause is not None and clause not in found[-8:]:
            found.append(clause)
    return found


def _alternatives(body: tuple[Literal, ...]) -> Iterator[tuple[Literal, ...]]:
    """The body as alternatives of sentences, negated sentences, `Distinct` and `Not(Distinct)`; without recursion."""
    pending: list[tuple[tuple[Literal, ...], tuple[Literal, ...]]] = [((), body)]
    while pending:
        done, rest = pending.pop()
        if not rest:
            yield done
            continue
        literal, rest = rest[0], rest[1:]
        if isinstance(literal, Or):
            pending += [(done, (part, *rest)) for part in reversed(literal.parts)]
        elif isinstance(literal, Not) and isinstance(literal.body, Or):
            negated = tuple(Not(part, part.line, part.column) for part in literal.body.parts)
            pending.append((done, (*negated, *rest)))
        elif isinstance(literal, Not) and isinstance(literal.body, Not):
            pending.append((done, (literal.body.body, *rest)))
        else:
            pending.append(((*done, literal), rest))


def _clause(rule: Rule, parts: tuple[Literal, ...], warn: Callable[[str, Literal | Rule], None]) -> Clause | None:
    """One alternative as a clause; None when it can never hold."""
    binding: dict[Variable, Term] = {}
    for part in parts:
        if isinstance(part, Not) and isinstance(part.body, Distinct):
            made = unify(part.body.left, part.body.right, binding)
            if made is None:
                return None
            binding = made
    head = _resolved(rule.head, binding)
    positive = [_resolved(part, binding) for part in parts if isinstance(part, Sentence)]
    bound = {v for s in positive for v in literal_variables(s)}
    negative = []
    for part in parts:
        if isinstance(part, Not) and isinstance(part.body, Sentence):
            sentence = _resolved(part.body, binding)
            if _is_bound(sentence, bound, part, warn):
                negative.append(sentence)
    distinct = []
    for part in parts:
        if isinstance(part, Distinct):
            left, right = resolve(part.left, binding), resolve(part.right, binding)
            if left == right:
                return None
            if unify(left, right, {}) is None:
                continue
            if _is_bound(Distinct(left, right), bound, part, warn):
                distinct.append((left, right))
    if head.name in ("legal", "goal") and head.args and isinstance(head.args[0], Variable):
        role = head.args[0]
        if role not in bound:
            warn(f"`{role}` stands only in the head; it ranges over the roles, as if (role {role}) were there", rule)
            positive.append(Sentence("role", (role,), rule.line, rule.column))
    return Clause(
        head, tuple(dict.fromkeys(positive)), tuple(dict.fromkeys(negative)), tuple(dict.fromkeys(distinct)), rule
    )


def _is_bound(
    literal: Literal, bound: set[Variable], written: Literal, warn: Callable[[str, Literal | Rule], None]
) -> bool:
    free = [v for v in literal_variables(literal) if v not in bound]
    if free:
        warn(f"{written} is left out: no positive sentence of the rule binds `{free[0]}`", written)
    return not free


def _resolved(sentence: Sentence, binding: dict[Variable, Term]) -> Sentence:
    if not binding:
        return sentence
    args = tuple(resolve(arg, binding) for arg in sentence.args)
    return Sentence(sentence.name, args, sentence.line, sentence.column)


def resolve(term: Term, binding: dict[Variable, Term]) -> Term:
    """The term under a triangular substitution."""
    while binding:
        after = substitute(term, binding)
        if after == term:
            return term
        term = after
    return term


def unify(left: Term, right: Term, binding: dict[Variable, Term]) -> dict[Variable, Term] | None:
    """The (triangular) substitution that makes two terms equal, None without one."""
    binding = dict(binding)
    pending = [(left, right)]
    while pending:
        a, b = (resolve(t, binding) for t in pending.pop())
        if a == b and type(a) is type(b):
            continue
        if isinstance(a, Variable):
            if a in set(literal_variables(Distinct(b, ""))):
                return None
            binding[a] = b
        elif isinstance(b, Variable):
            pending.append((b, a))
        elif isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] and len(a) == len(b):
            pending += zip(a[1:], b[1:], strict=True)
        else:
            return None
    return binding


def can_meet(sentence: Sentence, head: Sentence) -> bool:
    """Return true if a sentence of one clause and the head of another can be about the same."""
    names = {v: Variable(f"{v}'") for v in literal_variables(head)}
    other = tuple(substitute(arg, names) for arg in head.args)
    return sentence.key == head.key and unify(("", *sentence.args), ("", *other), {}) is not None


__all__ = ["MAX_CLAUSES", "Clause", "TooManyClauses", "can_meet", "clauses_of", "resolve", "unify"]
