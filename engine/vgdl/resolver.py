"""Resolver: from the syntax tree to a game definition (reference/language 1.2 to 1.10).

The `gvgai` reading reads exactly what the reference reads and reports each oddity as a warning that cites the rule. The
`strict` reading yields the same definition for a text without doubts, and refuses every other. What stops the reference
itself is an error in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, SpriteType, Termination, Value
from pcg.engine.vgdl.diagnostics import nearest
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.interaction_set import Abandon, InteractionTable, read_termination
from pcg.engine.vgdl.lint import Lint
from pcg.engine.vgdl.parser import GAME_CLASSES, parse, parse_game
from pcg.engine.vgdl.source import mixed_indentation, read_source, split_lines
from pcg.engine.vgdl.space import SpaceParameter, read_parameter
from pcg.engine.vgdl.sprite_set import SpriteTable, fit_options
from pcg.engine.vgdl.tree import (
    Entry,
    Header,
    InteractionLine,
    MappingLine,
    ParameterLine,
    Section,
    TerminationLine,
    Tree,
)

SECTIONS = ("SpriteSet", "InteractionSet", "LevelMapping", "TerminationSet")
MAX_SQUARE = 10_000
"""Largest block size in pixels."""
MAX_COUNTERS = 1_000


def read_game(
    source: str | Path, *, reading: str = "strict", parameters: Mapping[str, str] | None = None
) -> GameDefinition:
    r"""Read the game of a file or text (a str with a line end is text).

    `reading` is "strict" or "gvgai". `parameters` fixes parameters of a game space, as text. Raises VGDLError with all
    errors found.

    >>> from pcg.engine.vgdl import read_game
    >>> game = read_game("BasicGame\n  SpriteSet\n    goal > Door\n", reading="gvgai")
    >>> [t.name for t in game.types], game.draw_order
    (['wall', 'avatar', 'goal'], (0, 2, 1))
    """
    text, file = read_source(source)
    name = Path(source).stem if file != "<text>" else "game"
    return resolve(parse_game(text, file=file), reading=reading, name=name, parameters=parameters)


def resolve(
    tree: Tree, *, reading: str = "strict", name: str = "game", parameters: Mapping[str, str] | None = None
) -> GameDefinition:
    """Resolve a syntax tree to a game; `read_game` for a tree that is already there."""
    if not tree.source:  # built by hand: give its lines their places
        tree = parse(dumps(tree), file=tree.file)
    resolver = Resolver(tree, reading, parameters or {})
    definition = resolver.definition(name)
    resolver.findings.raise_errors()
    return replace(definition, diagnostics=resolver.findings.sorted())


def read_space(tree: Tree) -> Mapping[str, SpaceParameter]:
    r"""The parameters of a game space by name, in the order of the text; none of a plain game.

    Raises:
        VGDLError: a line of the ParameterSet cannot be read.

    >>> from pcg.engine.vgdl import loads
    >>> read_space(loads("GameSpace\n SpriteSet\n ParameterSet\n  N > values=1:2:9\n"))["N"].points
    5
    """
    resolver = Resolver(tree, "gvgai", {})
    resolver._read_space(tree.header)
    resolver.findings.raise_errors()
    return resolver.space


def report(abandon: Abandon, findings: Findings) -> None:
    """Says that a line cannot be built."""
    findings.doubt(
        abandon.message,
        abandon.at,
        f"language 1.2.5, {abandon.rule}",
        so="the rest of this set and all later sets are not read",
        expected=abandon.expected,
        known=abandon.known,
        name=abandon.name,
        # a name that resembles no other may be one that the reference had at another time
        lost=not abandon.name or nearest(abandon.name, abandon.known) != "",
    )


class Resolver:
    """One resolution. `findings` hold what was remarkable."""

    def __init__(self, tree: Tree, reading: str, parameters: Mapping[str, str]) -> None:
        self.tree = tree
        self.findings = Findings(reading, tree.file, split_lines(tree.source, tree.file))
        self.given = dict(parameters)
        self.header: dict[str, Value] = {}
        self.space: dict[str, SpaceParameter] = {}
        self.sprites = SpriteTable(self.findings)
        self.interactions = InteractionTable(self.findings, self.sprites.index, self.substitute)
        self.terminations: list[Termination] = []
        self.mapping: dict[str, tuple[str, ...]] = {"w": ("wall",), "A": ("avatar",)}
        self.mapping_lines: dict[str, MappingLine] = {}
        self.abandoned = False

    def substitute(self, text: str) -> str:
        """`text` with the names of game-space parameters replaced, piece by comma-separated piece."""
        if not self.space:
            return text
        return ",".join(self.space[piece].text if piece in self.space else piece for piece in text.split(","))

    def definition(self, name: str) -> GameDefinition:
        """Resolves the tree. Raises VGDLError for what stops the reference."""
        self.read()
        definition = self.assembled(name, self.resolve_sprites(), self.interactions, self.terminations)
        Lint(self.tree, definition, self.findings).run()
        return definition

    def read(self) -> None:
        """Reads all sets. Raises VGDLError for what stops the reference."""
        header = self.tree.header
        mixed = mixed_indentation(self.tree.source) if self.findings.strict else None
        if mixed is not None:
            self.findings.crash(mixed.message, mixed, expected=mixed.expected)
        self._remarks()
        self.header = self._header(header)
        self._read_space(header)
        self._read_sections(header)
        if not self.sprites.sets:
            self.findings.crash("no SpriteSet is read, so the game has no sprites", header, expected="a SpriteSet")

    def resolve_sprites(self) -> tuple[SpriteType, ...]:
        """The types by id, once all sets are read."""
        types = self.sprites.types(self.substitute)
        self._mapped()
        return types

    def assembled(
        self, name: str, types: tuple[SpriteType, ...], rules: InteractionTable, terminations: Sequence[Termination]
    ) -> GameDefinition:
        """The game of these types and rules, without findings."""
        return GameDefinition(
            name=name,
            class_name=self.tree.header.game_class.text,
            header=self.header,
            types=types,
            draw_order=tuple(self.sprites.order),
            effects=tuple(rules.effects),
            pairs=rules.pairs,
            eos_types=tuple(rules.eos_types),
            eos_effects=rules.eos_effects,
            time_effects=tuple(rules.time_effects),
            terminations=tuple(terminations),
            mapping=dict(self.mapping),
            diagnostics=(),
            source=self.tree.source,
            type_index=dict(self.sprites.index),
        )

    def _remarks(self) -> None:
        for remark in self.tree.remarks():
            if remark.kind == "broken":
                self.findings.doubt(remark.reason, remark, "language 1.1.6", so="the line is dropped", lost=True)
            elif remark.kind == "outside":
                self.findings.doubt(
                    f"the line does not belong to the game: {remark.reason}",
                    remark,
                    "language 1.1.7",
                    so="it is dropped",
                    lost=True,
                )
        for node in self.tree.walk():
            first = node.children[0].column if node.children else 0
            for child in node.children:
                if child.column != first:
                    self.findings.doubt(
                        f"the line is indented by {child.column - 1}, its first sibling by {first - 1}",
                        child,
                        "language 1.1.7",
                        so="it still counts as a sibling",
                    )

    def _header(self, header: Header) -> dict[str, Value]:
        name = header.game_class
        if name.text not in GAME_CLASSES:
            self.findings.crash(
                f"unknown game class `{name}`",
                name,
                "language 1.2.1",
                expected=" or ".join(GAME_CLASSES),
                known=GAME_CLASSES,
                name=name.text,
            )
        for word in header.ignored:
            self.findings.doubt(
                f"`{word}` has no meaning here", word, "language 1.3", so="it is ignored", expected="key=value"
            )
        values = fit_options(header.options, ontology.GAME_PARAMS, self.findings, name.text, lambda text: text, None)
        options = {option.key: option for option in header.options}
        players = values.get("no_players", 1)
        if players not in (1, 2):
            self.findings.crash(f"no_players={players}", options["no_players"], "language 1.10", expected="1 or 2")
        square = values.get("square_size", -1)
        assert isinstance(square, int)
        if square != -1 and not 1 <= square <= MAX_SQUARE:
            self.findings.crash(f"square_size={square}", options["square_size"], expected=f"1 to {MAX_SQUARE} pixels")
        counters = values.get("no_counters", 0)
        assert isinstance(counters, int)
        if not 0 <= counters <= MAX_COUNTERS:
            self.findings.crash(f"no_counters={counters}", options["no_counters"], expected=f"0 to {MAX_COUNTERS}")
        return values

    def _read_space(self, header: Header) -> None:
        for section in header.children:
            if section.identifier != "ParameterSet":
                continue
            if header.game_class.text != "GameSpace":
                self.findings.crash(
                    "a ParameterSet needs a GameSpace", section, "language 1.9", expected="GameSpace in line 1"
                )
            for line in section.children:
                self._no_children(line)
                if not isinstance(line, ParameterLine):
                    self.findings.crash(
                        f"`{line.identifier}` is no parameter",
                        line,
                        "language 1.9",
                        expected="NAME > values=min:increment:max",
                    )
                parameter = read_parameter(line, self.findings, self.given)
                self.space[parameter.name] = parameter
        for name in self.given:
            if name not in self.space:
                hint = nearest(name, self.space)
                self.findings.error(
                    f"the game space has no parameter `{name}`" + (f", did you mean `{hint}`?" if hint else ""), header
                )

    def _read_sections(self, header: Header) -> None:
        for section in header.children:
            identifier = section.identifier
            if identifier is None:
                self.findings.crash(
                    "an interaction stands where a set header should be",
                    section,
                    "language 1.2.4",
                    expected=" or ".join(SECTIONS),
                )
            if identifier == "ParameterSet":
                continue
            if identifier not in SECTIONS:
                self._skipped(section, identifier)
                continue
            if self.abandoned and not self.findings.strict:
                continue
            try:
                self._read_section(identifier, section.children)
            except Abandon as abandon:
                self._abandon(abandon)

    def _skipped(self, section: Entry, identifier: str) -> None:
        if isinstance(section, Section):
            right = next(name for name in (*SECTIONS, "ParameterSet") if name.lower() == identifier.lower())
            self.findings.meant.add(right)
            self.findings.doubt(
                f"the set header `{identifier}` is written in the wrong case",
                section,
                "language 1.2.3",
                so="its lines are not read",
                known=(right,),
                name=identifier,
                lost=True,
            )
        else:
            self.findings.meant.add(nearest(identifier, SECTIONS))
            self.findings.doubt(
                f"`{identifier}` stands where a set header should be",
                section,
                "language 1.2.3",
                so="it and the lines below it are not read",
                known=SECTIONS,
                name=identifier,
                expected="one of " + ", ".join(SECTIONS),
                lost=True,
            )

    def _abandon(self, abandon: Abandon) -> None:
        self.abandoned = True
        report(abandon, self.findings)

    def _read_section(self, identifier: str, lines: Sequence[Entry]) -> None:
        if identifier == "SpriteSet":
            if self.sprites.sets:
                self.interactions.clear()
            self.sprites.read(lines)
            return
        for line in lines:
            try:
                self._read_line(identifier, line)
            except Abandon as abandon:
                if not self.findings.strict:
                    raise
                self._abandon(abandon)

    def _read_line(self, identifier: str, line: Entry) -> None:
        self._no_children(line)
        if identifier != "LevelMapping" and not self.sprites.sets:
            raise Abandon(
                f"the {identifier} stands before the SpriteSet", line, "language 1.2.6", expected="the SpriteSet first"
            )
        if identifier == "InteractionSet" and isinstance(line, InteractionLine):
            self.interactions.read(line)
        elif identifier == "TerminationSet" and isinstance(line, TerminationLine):
            self.terminations.append(read_termination(line, self.findings, self.sprites.index, self.substitute))
        elif identifier == "LevelMapping" and isinstance(line, MappingLine):
            self._map(line)
        else:
            raise Abandon(
                f"the line does not belong into a {identifier}",
                line,
                "language 1.2.5",
                expected=f"a line of the {identifier}",
            )

    def _no_children(self, line: Entry) -> None:
        for child in line.children:
            self.findings.doubt(
                "the line is indented below a line that has no children",
                child,
                "language 1.2.3",
                so="it is not read",
                expected=f"an indentation of {line.column - 1}",
            )

    def _map(self, line: MappingLine) -> None:
        text = line.character.text
        if line.arrow is None:
            self.findings.doubt(
                f"`{text}` is mapped to nothing", line, "language 1.3", so="the line is ignored", expected="c > sprite"
            )
            return
        if len(text) > 1:
            self.findings.doubt(
                f"`{text}` is more than one character",
                line.character,
                "language 1.3",
                so=f"`{text[0]}` counts",
                expected="a single character",
            )
        if line.arrow.text != ">":
            self.findings.doubt(
                f"`{line.arrow}` stands where `>` should be",
                line.arrow,
                "language 1.3",
                so="it is skipped",
                expected=">",
            )
        if not line.names:
            self.findings.doubt(
                f"`{text}` is mapped to no sprite", line, "language 1.3", so="it creates nothing", expected="c > sprite"
            )
        character = text[0]
        if character in self.mapping_lines:
            self.findings.doubt(
                f"`{character}` is already mapped in line {self.mapping_lines[character].line}",
                line.character,
                "language 1.8",
                so="this line replaces it",
            )
        self.mapping_lines[character] = line
        self.mapping[character] = tuple(word.text for word in line.names)

    def _mapped(self) -> None:
        for line in self.mapping_lines.values():
            for word in line.names:
                if word.text not in self.sprites.index:
                    self.findings.doubt(
                        f"unknown sprite `{word}`",
                        word,
                        "language 1.8",
                        so="a level that uses the character stops the reference",
                        known=self.sprites.index,
                        name=word.text,
                    )


__all__ = ["Resolver", "read_game", "read_space", "report", "resolve"]
