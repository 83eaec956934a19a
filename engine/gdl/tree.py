"""The syntax tree of a rule sheet: terms, sentences, literals and rules.

A constant is a `str`, a variable a `Variable` (a `str` that starts with a question mark), a compound term a tuple of
its name and its arguments. All of it is hashable and compares by value; places in the text do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


class Variable(str):
    """A variable, with its question mark: ``?x``."""

    __slots__ = ()


Term = Any
"""`str` (a constant), `Variable`, or a tuple ``(name, argument, ...)``: recursive, which Python's types cannot say."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A relation and its arguments: ``(cell 1 ?y b)``; without arguments a bare word."""

    name: str
    args: tuple[Term, ...] = ()
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return term_text((self.name, *self.args)) if self.args else self.name

    @property
    def key(self) -> tuple[str, int]:
        """Name and number of arguments: what tells one relation from another."""
        return self.name, len(self.args)


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure."""

    body: Literal
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(not {self.body})"


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the parts."""

    parts: tuple[Literal, ...]
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(or {' '.join(map(str, self.parts))})" if self.parts else "(or)"


@dataclass(frozen=True, slots=True)
class Distinct:
    """The two terms are not the same."""

    left: Term
    right: Term
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(distinct {term_text(self.left)} {term_text(self.right)})"


Literal = Sentence | Not | Or | Distinct


@dataclass(frozen=True, slots=True)
class Rule:
    """``(<= head literal ...)``, or a fact when there is no body."""

    head: Sentence
    body: tuple[Literal, ...] = ()
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(<= {self.head} {' '.join(map(str, self.body))})" if self.body else str(self.head)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rule sheet as it was written."""

    rules: tuple[Rule, ...]
    file: str = field(default="<text>", compare=False)
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return "".join(f"{rule}\n" for rule in self.rules)


def term_text(term: Term) -> str:
    """The KIF text of a term, with single blanks and none next to a parenthesis.

    >>> term_text(("move", ("pos", "a", "1"), Variable("?to")))
    '(move (pos a 1) ?to)'
    """
    if isinstance(term, tuple):
        return "(" + " ".join([term[0], *map(term_text, term[1:])]) + ")"
    return str(term)


def variables_of(term: Term) -> Iterator[Variable]:
    """The variables of a term, in the order of its text; those that occur twice come twice."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, tuple):
        for part in term[1:]:
            yield from variables_of(part)


def literal_variables(literal: Literal) -> Iterator[Variable]:
    """The variables of a literal."""
    if isinstance(literal, Sentence):
        for arg in literal.args:
            yield from variables_of(arg)
    elif isinstance(literal, Distinct):
        yield from variables_of(literal.left)
        yield from variables_of(literal.right)
    elif isinstance(literal, Not):
        yield from literal_variables(literal.body)
    else:
        for part in literal.parts:
            yield from literal_variables(part)


def substitute(term: Term, binding: dict[Variable, Term]) -> Term:
    """The term with its variables replaced, once."""
    if isinstance(term, Variable):
        return binding.get(term, term)
    if isinstance(term, tuple):
        return (term[0], *(substitute(part, binding) for part in term[1:]))
    return term


__all__ = [
    "Distinct",
    "Literal",
    "Not",
    "Or",
    "Rule",
    "Sentence",
    "Sheet",
    "Term",
    "Variable",
    "literal_variables",
    "substitute",
    "term_text",
    "variables_of",
]
