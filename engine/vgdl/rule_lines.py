"""Lines of rule sets, each read once: the meaning of a line of an InteractionSet or a TerminationSet, its faults, and
its rows in the tables.

Evolved games share most of their lines, so `rule_compiler` puts games together from what is known here. Places are
relative to the line, since where a line stands, and in which column its arrow, depends on its siblings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pcg.engine.vgdl.compiler import EffectPart, TerminationPart
from pcg.engine.vgdl.definition import Effect, Value
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.formatter import INDENT, WIDEST, sides
from pcg.engine.vgdl.interaction_set import Abandon, Interaction, read_interaction, read_termination
from pcg.engine.vgdl.lexer import reads_as
from pcg.engine.vgdl.lint import Lint
from pcg.engine.vgdl.sprite_set import Substitute
from pcg.engine.vgdl.tree import InteractionLine, Node, Option, TerminationLine, Word

LINES_KEPT = 4000
"""Different lines of each set that are remembered; then all are forgotten at once."""
LINE_INDENT = 2 * INDENT
RIGHT = 1 << 20
"""Columns from here on count from the arrow (or first parameter) of a line, whose own place depends on its siblings."""


class Line:
    """All that is known of one line by itself. Places are relative (`RIGHT`)."""

    __slots__ = (
        "crashed",
        "effect_findings",
        "ended",
        "ending",
        "interaction",
        "left",
        "part",
        "parts",
        "present",
        "read_findings",
        "right",
        "rule_findings",
    )  # fmt: skip

    def __init__(self, left: str, right: str) -> None:
        self.left, self.right = left, right
        self.interaction: Interaction | None = None
        self.ending: tuple[str, Mapping[str, Value]] | None = None
        self.ended: Abandon | None = None
        """Reason for which a line of the TerminationSet cannot be built."""
        self.crashed = False
        self.read_findings: Sequence[Diagnostic] = ()
        self.effect_findings: Sequence[Diagnostic] = ()
        self.rule_findings: Sequence[Diagnostic] = ()
        self.present: frozenset[str] = frozenset()
        self.parts: list[EffectPart] | None = None
        self.part: TerminationPart | None = None


class _Cache:
    """Lines that were seen: by object, as candidates share them, and by content."""

    def __init__(self) -> None:
        self._objects: dict[int, tuple[Node, Line | None]] = {}
        self._contents: dict[Any, Line | None] = {}

    def __len__(self) -> int:
        return len(self._contents)

    def get(self, line: Node) -> tuple[Node, Line | None] | None:
        found = self._objects.get(id(line))
        return found if found is not None and found[0] is line else None

    def content(self, key: Any) -> tuple[Line | None] | None:
        return (self._contents[key],) if key in self._contents else None

    def put(self, line: Node, key: Any, known: Line | None) -> None:
        if len(self._contents) >= LINES_KEPT:
            self._contents.clear()
        if len(self._objects) >= LINES_KEPT:
            self._objects.clear()
        self._contents[key] = known
        self._objects[id(line)] = (line, known)


class LineReader:
    """Reads lines for the sprites of one game, and remembers them."""

    def __init__(self, reading: str, index: Mapping[str, int], substitute: Substitute, lint: Lint) -> None:
        self._reading, self._index, self._substitute, self._lint = reading, index, substitute, lint
        self._interactions, self._terminations = _Cache(), _Cache()

    def __len__(self) -> int:
        return len(self._interactions) + len(self._terminations)

    def rule(self, line: InteractionLine) -> Line | None:
        """Return what is known of a line; None for one that only a text can tell."""
        cache = self._interactions
        known = cache.get(line)
        if known is not None:
            return known[1]
        key = (line.first, line.seconds, line.effects, line.options, line.arrow is None, line.children)
        content = cache.content(key)
        made = content[0] if content is not None else self._read_rule(line)
        cache.put(line, key, made)
        return made

    def _read_rule(self, line: InteractionLine) -> Line | None:
        if line.children or line.arrow is None:
            return None
        tokens = [("OBJECT", line.first.text), *(("SECOND", w.text) for w in line.seconds), ("ARROW", ">")]
        tokens += [("EFFECT", w.text) for w in line.effects] + [("OPTION", str(o)) for o in line.options]
        made = _regular(line, "InteractionSet", tokens)
        if made is None:
            return None
        left = _Places(len(LINE_INDENT) + 1)
        right = _Places(RIGHT)
        node = InteractionLine(
            first=left.word(line.first),
            seconds=tuple(left.word(w) for w in line.seconds),
            arrow=right.word(Word(">")),
            effects=tuple(right.word(w) for w in line.effects),
            options=tuple(right.option(o) for o in line.options),
            line=1,
            column=len(LINE_INDENT) + 1,
        )
        recorded = Findings(self._reading, "<text>", [])
        try:
            made.interaction = read_interaction(node, recorded, self._index, self._substitute)
        except VGDLError:
            made.crashed = True
        made.read_findings = tuple(recorded.items)
        if made.interaction is None:
            return made
        recorded = Findings(self._reading, "<text>", [])
        lint = self._lint.into(recorded)
        present: set[str] = set()
        for name, params, _ in made.interaction.effects:
            lint.effect(Effect(0, name, params, None, 1), node)
            present |= lint.made_present(name, params)
        made.effect_findings, made.present = tuple(recorded.items), frozenset(present)
        lint.findings = recorded = Findings(self._reading, "<text>", [])
        lint.interaction(node)
        made.rule_findings = tuple(recorded.items)
        return made

    def ending(self, line: TerminationLine) -> Line | None:
        cache = self._terminations
        known = cache.get(line)
        if known is not None:
            return known[1]
        key = (line.name, line.options, line.ignored, line.children)
        content = cache.content(key)
        made = content[0] if content is not None else self._read_ending(line)
        cache.put(line, key, made)
        return made

    def _read_ending(self, line: TerminationLine) -> Line | None:
        if line.children:
            return None
        tokens = [("TERMINATION_CLASS", line.name.text), *(("IGNORED", w.text) for w in line.ignored)]
        tokens += [("OPTION", str(o)) for o in line.options]
        made = _regular(line, "TerminationSet", tokens)
        if made is None:
            return None
        right = _Places(RIGHT)
        node = TerminationLine(
            name=_Places(len(LINE_INDENT) + 1).word(line.name),
            ignored=tuple(right.word(w) for w in line.ignored),
            options=tuple(right.option(o) for o in line.options),
            line=1,
            column=len(LINE_INDENT) + 1,
        )
        recorded = Findings(self._reading, "<text>", [])
        try:
            ending = read_termination(node, recorded, self._index, self._substitute)
            made.ending = (ending.name, ending.params)
        except Abandon as abandon:
            made.ended = abandon.with_traceback(None)
        except VGDLError:
            made.crashed = True
        made.read_findings = tuple(recorded.items)
        recorded = Findings(self._reading, "<text>", [])
        lint = self._lint.into(recorded)
        lint.termination(node)
        made.rule_findings = tuple(recorded.items)
        return made


class _Places:
    """Gives words their places one after the other, a blank between them."""

    def __init__(self, column: int) -> None:
        self._next = column

    def _take(self, text: str) -> int:
        column = self._next
        self._next += len(text) + 1
        return column

    def word(self, word: Word) -> Word:
        return Word(word.text, 1, self._take(word.text))

    def option(self, option: Option) -> Option:
        return Option(option.key, option.value, option.rest, 1, self._take(str(option)))


def _regular(line: InteractionLine | TerminationLine, section: str, tokens: list[tuple[str, str]]) -> Line | None:
    """The two sides of a line that a text gives back as it is; else None."""
    try:
        left, right = sides(line)
    except PcgError:
        return None
    return Line(left, right) if reads_as(section, f"{left} {right}".rstrip()) == tokens else None


def has_effects(line: Line) -> bool:
    return line.interaction is not None and bool(line.interaction.effects)


def aligned(lines: list[Line]) -> tuple[list[str], list[int]]:
    """The texts of the lines of a set, and the columns of their right sides, as the formatter writes them."""
    width = max((len(line.left) for line in lines if line.right and len(line.left) <= WIDEST), default=0)
    texts = [
        f"{LINE_INDENT}{line.left.ljust(width)} {line.right}" if line.right else LINE_INDENT + line.left
        for line in lines
    ]
    return texts, [len(LINE_INDENT) + max(width, len(line.left)) + 2 for line in lines]
