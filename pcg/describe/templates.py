"""Templates: sentences with fields in braces, the one way in which descriptions hold wordings, in every language.

    {stype}                          a value as it is
    {new:stype}                      a field with an argument, here a sprite type as first mentioned
    {count:value|health point}       a field with a text, which may hold fields again
    {if:killSecond| and {b} goes}    a text told under a condition ...
    {if:value<0|loses|gets}          ... and another one told otherwise

A condition is a value that is neither false, 0 nor empty (`killSecond`), a comparison with a number (`limit=0`,
`prob<1`, `cons!=0`), a test with an argument (`you:stype`), or several of them joined by `&`. A number may stand in a
product or sum: `-value`, `2*value`, `limit+1`. The values, fields and tests are those of a `Scope`.
"""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pcg.engine.vgdl.diagnostics import PcgError

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_CONDITION = re.compile(r"(?P<value>[^<>=!]+?)(?:(?P<sign><=|>=|!=|<|>|=)(?P<bound>-?[\d.]+))?")
_AMOUNT = re.compile(r"(?:(?P<factor>\d+)\*|(?P<minus>-))?(?P<name>[^\W\d]\w*)(?:\+(?P<more>\d+))?")


@dataclass(frozen=True, slots=True)
class _Field:
    """A field in braces: its name, its argument, and the texts after the bars."""

    name: str
    argument: str
    texts: tuple[tuple[str | _Field, ...], ...]


class Scope(ABC):
    """The values that the fields of a template are filled with."""

    @abstractmethod
    def text(self, name: str) -> str | None:
        """The value of `{name}`; None where there is no such value."""

    @abstractmethod
    def number(self, name: str) -> float:
        """The value of `name` as a number."""

    @abstractmethod
    def is_true(self, name: str) -> bool:
        """True when the value of `name` is neither false, 0 nor empty."""

    @abstractmethod
    def test(self, name: str, argument: str) -> bool:
        """The answer to the test `name:argument`.

        Raises:
            KeyError: there is no such test.
        """

    @abstractmethod
    def field(self, name: str, argument: str, text: str) -> str:
        """The text of a field with an argument, `text` being what stands behind its bar.

        Raises:
            KeyError: there is no such field.
        """

    def amount(self, expression: str) -> float:
        """The value of `value`, `-value`, `2*value` or `value+1`."""
        match = _AMOUNT.fullmatch(expression)
        if match is None:
            raise KeyError(expression)
        factor = -1 if match["minus"] else int(match["factor"] or 1)
        return factor * self.number(match["name"]) + int(match["more"] or 0)


def fill(template: str, scope: Scope) -> str:
    """Fill in the fields of a template, from left to right; of a condition, only the text that is told.

    Raises:
        PcgError: a field, value or test that the scope does not have, or braces that do not close.
    """
    try:
        return _filled(parse(template), scope)
    except KeyError as error:
        raise PcgError(f"the wording `{template}` has the unknown field {error}") from None


@cache
def parse(template: str) -> tuple[str | _Field, ...]:
    """Split a template into texts and fields.

    Raises:
        PcgError: braces that do not close.
    """
    parts, at = _parse(template, 0, "")
    if at < len(template):
        raise PcgError(f"the wording `{template}` has a brace at character {at + 1} that nothing opens")
    return parts


def _parse(template: str, at: int, ends: str) -> tuple[tuple[str | _Field, ...], int]:
    """The parts from a place on, up to one of the signs in `ends` or an unopened brace; and that place."""
    parts: list[str | _Field] = []
    while at < len(template) and template[at] != "}" and template[at] not in ends:
        if template[at] == "{":
            field, at = _parse_field(template, at + 1)
            parts.append(field)
        else:
            begin = at
            while at < len(template) and template[at] not in "{}" and template[at] not in ends:
                at += 1
            parts.append(template[begin:at])
    return tuple(parts), at


def _parse_field(template: str, at: int) -> tuple[_Field, int]:
    head = re.compile(r"[^{}|]*").match(template, at)
    assert head is not None
    name, _, argument = head[0].partition(":")
    at = head.end()
    texts = []
    while template[at : at + 1] == "|":
        parts, at = _parse(template, at + 1, "|")
        texts.append(parts)
    if template[at : at + 1] != "}":
        raise PcgError(f"the wording `{template}` has a brace that does not close")
    return _Field(name, argument, tuple(texts)), at + 1


def _filled(parts: tuple[str | _Field, ...], scope: Scope) -> str:
    return "".join(part if isinstance(part, str) else _told(part, scope) for part in parts)


def _told(field: _Field, scope: Scope) -> str:
    if field.name == "if":
        branch = 0 if all(_holds(condition, scope) for condition in field.argument.split("&")) else 1
        return _filled(field.texts[branch], scope) if branch < len(field.texts) else ""
    if not field.argument and not field.texts:
        value = scope.text(field.name)
        if value is None:
            raise KeyError(field.name)
        return value
    return scope.field(field.name, field.argument, "|".join(_filled(text, scope) for text in field.texts))


def _holds(condition: str, scope: Scope) -> bool:
    match = _CONDITION.fullmatch(condition.strip())
    if match is None:
        raise KeyError(condition)
    if match["sign"]:
        return _COMPARISONS[match["sign"]](scope.amount(match["value"]), float(match["bound"]))
    name, colon, argument = match["value"].partition(":")
    return scope.test(name, argument) if colon else scope.is_true(name)
