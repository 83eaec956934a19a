"""Descriptions in Chinese: names by the words of `zh.toml`, numbers and lists; the sentences are templates there.

A type whose words are not all in the file is called by its own name, in quotation marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pcg.describe.noun_phrases import Params, direction, humanise, number, pace_in_cells
from pcg.describe.wording import Language, Names
from pcg.engine.vgdl.definition import GameDefinition, Value

_DIRECTIONS = {"up": "上方", "down": "下方", "left": "左方", "right": "右方", "random": "随机方向", "aslant": "斜方"}
_PIECE = re.compile(r"[“（［]* ?(?:[!-~−]+ ?)+[^ !-~−“（［]?[，。；：）”］、]*|[“（［]*.[，。；：）”］、]*", re.DOTALL)
"""Text between two places where a line may end: not within a number with its noun, nor before a closing sign."""
_LAST = {"and": "和", "or": "或", "or else": "，或者"}


def _columns(text: str) -> int:
    """The width of a text in a terminal."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


class Chinese(Language):
    """Chinese, as a game's manual has it."""

    code = "zh"

    def names(self, definition: GameDefinition, *, distinct: bool = True) -> ChineseNames:
        return ChineseNames(definition, self, distinct=distinct)

    def percent(self, chance: float) -> str:
        return f"{number(100 * chance)}%"

    def count(self, amount: float, noun: str) -> str:
        return f"{number(amount)} 个{noun}"

    def small(self, value: int) -> str:
        return str(value)

    def points(self, value: int) -> str:
        return f"{'+' if value > 0 else ''}{number(value)} 分"

    def every(self, ticks: float) -> str:
        return "每步" if ticks <= 1 else f"每 {number(ticks)} 步"

    def pace(self, speed: float, ticks: float) -> str:
        cells, period, _ = pace_in_cells(speed, ticks)
        return f"{self.every(period)} {number(cells)} 格"

    def direction(self, value: Value | None) -> str:
        return _DIRECTIONS.get(direction(value), "")

    def joined(self, items: Iterable[str], last: str = "and") -> str:
        *before, end = list(items) or [""]
        return f"{'、'.join(before)}{_LAST.get(last, last)}{end}" if before else end

    def listed(self, items: Iterable[str]) -> str:
        return "、".join(items)

    def notes(self, notes: Iterable[str]) -> str:
        return "；".join(notes)

    def heading(self, text: str) -> str:
        return text

    def wrapped(self, text: str, width: int, first: str = "", later: str = "") -> list[str]:
        lines, line = [], first
        for piece in _PIECE.findall(text):
            if _columns(line) + _columns(piece.rstrip()) > width:
                lines.append(line.rstrip())
                line, piece = later, piece.lstrip()
            line += piece
        return [*lines, line.rstrip()]

    def sentence(self, text: str) -> str:
        return text if text.endswith("。") else f"{text}。"

    def sentences(self, texts: Iterable[str]) -> str:
        return "".join(texts)

    def in_order(self, clauses: list[str]) -> str:
        return ("；" if any("，" in clause for clause in clauses) else "，").join(clauses)

    def after(self, before: str, clause: str, subject: str) -> str:
        return clause.removeprefix(subject) if before.startswith(subject) else clause

    def rest(self, p: Params) -> str:
        # the registry's lines of help are in English
        return self.listed(f"{name} = {value}" for name, value, _ in p.untold())


class ChineseNames(Names):
    """Names of one game's sprite types in Chinese, where nouns have neither articles nor plurals."""

    def _called(self, distinct: bool) -> list[str]:
        said = [self._said(t.name) for t in self.definition.types]
        written = [noun for noun, t in zip(said, self.definition.types, strict=True) if t.line]  # not predefined
        alike = {noun for noun in written if distinct and written.count(noun) > 1}
        return [
            noun + self._quoted(t.name) if noun in alike and noun != self._quoted(t.name) else noun
            for noun, t in zip(said, self.definition.types, strict=True)
        ]

    def _said(self, kind: str) -> str:
        """A type by the words of its name, "old brick"; what is steered, or its name, where one is not known."""
        nouns, adjectives = self.language.words["nouns"], self.language.words["adjectives"]
        *before, last = humanise(kind).split() or [kind]
        described = [adjectives.get(word) or nouns.get(word) for word in before]
        if last in nouns and None not in described:
            return "".join([*filter(None, described), nouns[last]])
        return self.language.say("rules.player") if self.is_you(kind) else self._quoted(kind)

    def _quoted(self, kind: str) -> str:
        return f"“{kind}”"

    def noun(self, kind: int | str) -> str:
        if isinstance(kind, str):
            found = self.definition.type_index.get(kind)
            return self._said(kind) if found is None else self.nouns[found]
        return self.nouns[kind]

    def a(self, kind: int | str) -> str:
        return self.noun(kind)

    def the(self, kind: int | str) -> str:
        return self.noun(kind)

    def many(self, kind: int | str) -> str:
        return self.noun(kind)

    def plural(self, kind: int | str) -> str:
        return self.noun(kind)

    def all(self, kind: int | str) -> str:
        return self.noun(kind) if self.is_you(kind) else f"所有{self.noun(kind)}"

    def there(self, kind: int | str, low: float, high: float) -> str:
        noun = self.noun(kind)
        if high >= 10000:
            return f"有{noun}" if low == 1 else f"至少有 {number(low)} 个{noun}"
        if low == high:
            return f"没有{noun}" if low == 0 else f"恰好有 {number(low)} 个{noun}"
        return f"有 {number(low)} 到 {number(high)} 个{noun}"

    def any_of(self, value: Value | None, last: str = "or") -> str:
        kinds = [name.strip() for name in str(value or "").split(",") if name.strip()]
        return self.language.joined([self.noun(kind) for kind in kinds], last) if kinds else "任何东西"
