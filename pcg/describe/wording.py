"""Wordings of a language: its templates by name, its numbers and lists, and the values that templates are filled with.

The templates of a language are in `<code>.toml` beside this module (those of effects are in their declarations); what
cannot be a template, such as lists and amounts, is a method of `Language`.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any

from pcg.describe.noun_phrases import (
    Params,
    count,
    direction,
    every,
    humanise,
    joined,
    number,
    pace,
    percent,
    plural,
    sentence,
    signed,
    small,
    with_article,
)
from pcg.describe.templates import Scope, fill
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.definition import GameDefinition, Value
from pcg.evaluators.analysis import is_avatar

Given = str | float | bool | Callable[[], str]
"""A value for a template, or a function that is called where the template uses it."""


_PARTICIPLE = re.compile(r"\w{3,}(?<!e)ed")
_FEW = 4
"""Members of a group that are named one by one, at most."""
_ADJECTIVES = ("ing", "able", "ible", "ed", "ful", "ous")


class Language:
    """English, and the base of other languages: they replace what is different."""

    code = "en"

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, Any]]:
        """The sections of the language's file."""
        return tomllib.loads((resources.files("pcg.describe") / f"{self.code}.toml").read_text(encoding="utf-8"))

    def say(self, key: str, /, **values: Given) -> str:
        """Fill in the template `section.name` of the language's file.

        >>> Language().say("rules.meet", a="the hero", b="a key")
        'when the hero meets a key'
        """
        section, name = key.split(".")
        return fill(self.words[section][name], Wording(self, values))

    def names(self, definition: GameDefinition, *, distinct: bool = True) -> Names:
        """The names of a game's sprite types; `distinct` ones tell types with the same words apart."""
        return Names(definition, self, distinct=distinct)

    def number(self, value: float) -> str:
        """A number as short as it can be said."""
        return number(value)

    def percent(self, chance: float) -> str:
        """A probability."""
        return percent(chance)

    def count(self, amount: float, noun: str) -> str:
        """An amount of something: "3 keys"."""
        return count(amount, noun)

    def small(self, value: int) -> str:
        """A small number in words."""
        return small(value)

    def points(self, value: int) -> str:
        """Points with their sign: "+1 point"."""
        return signed(value)

    def every(self, ticks: float) -> str:
        """A frequency: "every 4 ticks"."""
        return every(ticks)

    def pace(self, speed: float, ticks: float) -> str:
        """A speed in whole cells where that can be said: "one cell every 3 ticks"."""
        return pace(speed, ticks)

    def direction(self, value: Value | None) -> str:
        """The word for a direction; "" for none."""
        return direction(value)

    def joined(self, items: Iterable[str], last: str = "and") -> str:
        """A list; `last` is "and", "or", "or else" or "or when"."""
        return joined(items, last)

    def listed(self, items: Iterable[str]) -> str:
        """A plain list, without a word before the last."""
        return ", ".join(items)

    def heading(self, text: str) -> str:
        """A heading in plain text."""
        return text.upper()

    def wrapped(self, text: str, width: int, first: str = "", later: str = "") -> list[str]:
        """Lines of at most `width` columns where words allow it, which begin with `first`, then `later`."""
        return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=not first)

    def sentence(self, text: str) -> str:
        """A whole sentence made of a text."""
        return sentence(text)

    def sentences(self, texts: Iterable[str]) -> str:
        """Whole sentences one after the other."""
        return " ".join(filter(None, texts))

    def in_order(self, clauses: list[str]) -> str:
        """Clauses one after the other; with semicolons where a comma would be lost in them."""
        long = any("," in clause or " if " in clause for clause in clauses)
        if len(clauses) == 2 and not long:
            return f"{clauses[0]}, and {clauses[1]}"
        if long and len(clauses) > 1:
            return f"{'; '.join(clauses[:-1])}; and {clauses[-1]}"
        return joined(clauses)

    def after(self, before: str, clause: str, subject: str) -> str:
        """A clause that follows one about the same subject, which need not be named again."""
        if subject == "one" or not before.startswith((f"{subject} ", "it ")) or not clause.startswith(f"{subject} "):
            return clause
        return f"it{clause.removeprefix(subject)}"

    def notes(self, notes: Iterable[str]) -> str:
        """Notes in brackets, after a clause."""
        return "; ".join(notes)

    def rest(self, p: Params) -> str:
        """A note on parameters that no sentence has told, by the one-line help of the registry; "" for nothing."""
        parts = []
        for name, value, param in p.untold():
            shown = direction(value) or "none" if isinstance(value, tuple) else number(value) if (
                isinstance(value, int | float) and not isinstance(value, bool)) else str(value)  # fmt: skip
            unit = f" {param.unit}" if param.unit and not isinstance(value, bool) else ""
            parts.append(f"{name}: {shown}{unit}, {param.help}")
        return "; ".join(parts)


class Names:
    """Names of one game's sprite types, as its sentences use them; types are given by id or by name."""

    def __init__(self, definition: GameDefinition, language: Language | None = None, *, distinct: bool = True) -> None:
        self.language = language or Language()
        self.definition = definition
        avatars = {t.id for t in definition.types if is_avatar(t)}
        self.avatars = frozenset(
            t.id for t in definition.types
            if t.id in avatars
            or (t.class_name is None and (below := [u for u in t.subtypes if u > 0 and definition.types[u].leaf])
                and avatars.issuperset(below))
        )  # fmt: skip
        """Types of avatars, and groups that hold nothing else."""
        self.nouns = self._called(distinct)

    def _called(self, distinct: bool) -> list[str]:
        """The nouns of all types, by id; `distinct` ones tell types with the same words apart."""
        definition = self.definition
        words = [humanise(t.name) for t in definition.types]
        for t in definition.types:
            if not t.leaf and words[t.id].endswith(_ADJECTIVES) and not words[t.id].endswith("thing"):
                words[t.id] += " thing"  # groups are often named by what their members have in common
            elif t.leaf and _PARTICIPLE.fullmatch(words[t.id]):
                words[t.id] += " one"  # as in "the box turns into a stored one"
        # two types with the same words are called by their names
        return [
            w if words.count(w) == 1 or not distinct else t.name for t, w in zip(definition.types, words, strict=True)
        ]

    def noun(self, kind: int | str) -> str:
        """The bare noun."""
        if isinstance(kind, str):
            found = self.definition.type_index.get(kind)
            return humanise(kind) if found is None else self.nouns[found]
        return self.nouns[kind]

    def is_you(self, kind: int | str) -> bool:
        """True for a type that a player steers."""
        found = self.definition.type_index.get(kind) if isinstance(kind, str) else kind
        return found in self.avatars

    def members(self, kind: str) -> list[str]:
        """The types of a small group that is called things, which tells nobody what they are; of others the type."""
        found = self.definition.type_index.get(kind)
        if found is None or self.noun(kind) != "thing":
            return [kind]
        types = (self.definition.types[t] for t in self.definition.types[found].subtypes)
        below = [t.name for t in types if t.leaf and found in t.path]
        return below if len(below) <= _FEW else [kind]

    def a(self, kind: int | str) -> str:
        """As first mentioned: "a key", "the hero"."""
        noun = self.noun(kind)
        return f"the {noun}" if self.is_you(kind) else with_article(noun)

    def the(self, kind: int | str) -> str:
        """As mentioned before: "the key"."""
        return f"the {self.noun(kind)}"

    def many(self, kind: int | str) -> str:
        """All of them: "keys", "the hero"."""
        noun = self.noun(kind)
        return f"the {noun}" if self.is_you(kind) else plural(noun)

    def plural(self, kind: int | str) -> str:
        """The bare noun for several: "keys", "heroes"."""
        return plural(self.noun(kind))

    def all(self, kind: int | str) -> str:
        """All of them, said so: "all keys", "the hero"."""
        return self.the(kind) if self.is_you(kind) else f"all {self.many(kind)}"

    def there(self, kind: int | str, low: float, high: float) -> str:
        """A number of them: "there are at least 2 keys", "there is no key"."""
        noun = self.noun(kind)
        if high >= 10000:
            return f"there is {with_article(noun)}" if low == 1 else f"there are at least {count(low, noun)}"
        if low == high:
            return (
                f"there is no {noun}" if low == 0 else f"there {'is' if low == 1 else 'are'} exactly {count(low, noun)}"
            )
        return f"there are {number(low)} to {count(high, noun)}"

    def any_of(self, value: Value | None, last: str = "or") -> str:
        """Types that a parameter names, separated by commas there."""
        names = [n.strip() for n in str(value or "").split(",") if n.strip()]
        return joined([self.a(n) for n in names], last) if names else "nothing"


class Wording(Scope):
    """Values for the templates of a language: given ones, the parameters of an entry, and its shared wordings.

    The fields of parameters: `{new:stype}`, `{the:stype}`, `{all:stype}`, `{many:stype}`, `{noun:stype}` and
    `{any:stype}` name a sprite type, `{there:stype,geq,leq}` says how many there are, `{number:value}`,
    `{percent:prob}`, `{count:value|key}` and `{points:scoreChange}` are numbers, `{direction:orientation|nowhere}` is a
    direction; `{told:cons}` says nothing, about a parameter that means nothing here. The test `you:stype` is true for
    avatars.
    """

    def __init__(
        self, language: Language, values: Mapping[str, Given], names: Names | None = None, p: Params | None = None,
        shared: str = "",
    ) -> None:  # fmt: skip
        self.language = language
        self.values = values
        self._names = names
        self._p = p
        self.shared: Mapping[str, str] = language.words[shared] if shared else {}

    @property
    def names(self) -> Names:
        """The names of the game's types; KeyError for a template without a game."""
        if self._names is None:
            raise KeyError("names")
        return self._names

    @property
    def p(self) -> Params:
        """The parameters; KeyError for a template without an entry."""
        if self._p is None:
            raise KeyError("parameters")
        return self._p

    def text(self, name: str) -> str | None:
        if name in self.values:
            value = self.values[name]
            return value() if callable(value) else value if isinstance(value, str) else self.language.number(value)
        return fill(self.shared[name], self) if name in self.shared else None

    def number(self, name: str) -> float:
        if name in self.values:
            value = self.values[name]
            if not isinstance(value, int | float):
                raise KeyError(name)
            return value
        self.p.known(name)
        return self.p.number(name)

    def is_true(self, name: str) -> bool:
        if name in self.values:
            value = self.values[name]
            return bool(value() if callable(value) else value)
        return bool(self.text(name)) if name in self.shared else self.p.is_true(name)

    def test(self, name: str, argument: str) -> bool:
        if name != "you":
            raise KeyError(name)
        return self.names.is_you(str(self.p.known(argument)))

    def field(self, name: str, argument: str, text: str) -> str:
        language = self.language
        match name:
            case "number":
                return language.number(self.amount(argument))
            case "plural":
                return plural(self.text(argument) or "")
            case "percent":
                return language.percent(self.amount(argument))
            case "count":
                return language.count(self.amount(argument), text)
            case "points":
                self.p.known(argument)
                return points(self.p.integers(argument), language)
            case "direction":
                return language.direction(self.p.known(argument)) or text
            case "there":
                kind, low, high = argument.split(",")
                return self.names.there(str(self.p.known(kind)), self.number(low), self.number(high))
            case "told":
                for key in argument.split(","):
                    self.p.known(key)
                return ""
        return self._type_field(name, self.p.known(argument))

    def _type_field(self, name: str, value: Value | None) -> str:
        names, kind = self.names, str(value)
        match name:
            case "new":
                return names.a(kind)
            case "the":
                return names.the(kind)
            case "all":
                return names.all(kind)
            case "many":
                return self.language.joined([names.many(k.strip()) for k in kind.split(",")])
            case "noun":
                return names.noun(kind)
            case "any":
                return names.any_of(value)
        raise KeyError(name)


def points(values: tuple[int, ...], language: Language) -> str:
    """A score change, per player if they differ: "+2 points"."""
    if len(set(values)) == 1:
        return language.points(values[0])
    return language.joined(
        [language.say("notes.player", points=language.points(v), player=k) for k, v in enumerate(values, 1) if v]
    )
