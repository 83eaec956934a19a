"""Compiler of rule sets for one sprite set: they are checked and compiled without reading a text.

Evolved games share header, sprites and level mapping, and most of their rules with one another. Each rule is read once
(`interaction_set`), checked once (`lint`) and turned into numbers once (`compiler`); a rule set then only has to put
its lines together, by the same code that reads a text. What comes out is what `check_game`, `read_game` and
`GameTables`
give for `RuleCompiler.text`, places included. A line that a text cannot hold as it is (a word with a blank, or one that
would read as something else) sends its rule set the long way round, through the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pcg.engine.vgdl.compiler import EffectPart, GameTables, TerminationPart
from pcg.engine.vgdl.definition import GameDefinition, Level, Termination
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError
from pcg.engine.vgdl.findings import Findings, Placed
from pcg.engine.vgdl.formatter import INDENT, dumps
from pcg.engine.vgdl.interaction_set import InteractionTable
from pcg.engine.vgdl.level import read_level
from pcg.engine.vgdl.lint import Lint
from pcg.engine.vgdl.lru_cache import Recent
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.resolver import Resolver, report
from pcg.engine.vgdl.rule_lines import RIGHT, Line, LineReader, aligned, has_effects
from pcg.engine.vgdl.source import MAX_GAME, MAX_LINE
from pcg.engine.vgdl.sprite_tables import SpriteSet
from pcg.engine.vgdl.tree import InteractionLine, Section, TerminationLine, Tree, Word

if TYPE_CHECKING:
    from pcg.engine.game import Game

_LEVELS_KEPT = 32
_RULE_SETS = ("interactionset", "terminationset")


@dataclass(frozen=True)
class CompiledRules:
    """Result of compiling a rule set. With errors in `diagnostics` there is no definition.

    Attributes:
        text: the game as strict, formatted VGDL; "" when no text can hold the lines.
        diagnostics: errors and warnings, what `check_game(text)` finds.
        definition: what `read_game(text)` gives, or None.
        tables: its tables, or None without a definition, or when something in it cannot be run.
        problem: why it cannot be run, or "".
    """

    text: str
    diagnostics: tuple[Diagnostic, ...]
    definition: GameDefinition | None = None
    tables: GameTables | None = field(default=None, compare=False, repr=False)
    problem: str = ""
    compiler: RuleCompiler | None = field(default=None, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        """True when it can be played."""
        return self.tables is not None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors among the findings."""
        return tuple(d for d in self.diagnostics if d.severity == "error")

    def game(self, levels: Sequence[str] = (), *, name: str | None = None) -> Game:
        """A game of these rules, ready to be played. Raises VGDLError or PcgError when they cannot be run."""
        from pcg.engine.game import Game

        if self.definition is None:
            raise VGDLError(self.errors)
        if self.tables is None or self.compiler is None:
            raise PcgError(self.problem)
        return Game(
            self.definition,
            levels,
            name=name,
            reading=self.compiler.reading,
            tables=self.tables,
            level_reader=self.compiler.level,
        )


class _Finds(Findings):
    """Findings of a text whose lines were read elsewhere: `move` says where the line at hand stands."""

    def __init__(self, reading: str, lines: list[str]) -> None:
        super().__init__(reading, "<text>", lines)
        self._line = self._right = 0

    def move(self, line: int, right: int) -> None:
        """The line at hand is number `line`; its right side begins in column `right`. 0: places are absolute."""
        self._line, self._right = line, right

    def _column(self, column: int) -> int:
        return column - RIGHT + self._right if column >= RIGHT else column

    def _place(self, at: Placed | None) -> tuple[int, int]:
        return (self._line, self._column(at.column)) if self._line and at is not None else super()._place(at)

    def repeat(self, items: Iterable[Diagnostic]) -> None:
        """Findings of an earlier reading of the line at hand, or of the sprites."""
        for item in items:
            if self._line:
                self.again(item, self._line, self._column(item.column), self.lines[self._line - 1])
            else:
                self.again(item, item.line, item.column, item.source_line)

    def repeat_crash(self, items: Sequence[Diagnostic]) -> None:
        """Those of a line that stops the reading: the last says why, and must not be lost among many."""
        self.repeat(items[:-1])
        self._count["error"] = 0
        self.repeat(items[-1:])


class RuleCompiler:
    r"""Compiles rule sets for the sprites of one game.

    Args:
        base: a game whose header, sprites and level mapping are used; its own rules are not.
        reading: "strict" or "gvgai", as for `read_game`.
        parameters: values for the parameters of a game space.
        name: name of the games.

    It holds what it has read of lines and levels, within bounds, and may be used by several threads. Effects and
    classes of one's own are to be registered before it is made.

    Raises:
        PcgError: the game has no source text.

    >>> import pcg
    >>> from pcg.engine.vgdl import loads
    >>> boxes = pcg.load("boxes")
    >>> rules, endings = rules_of(loads(boxes.definition.source))
    >>> compiler = RuleCompiler(boxes.definition)
    >>> made = compiler.compile(rules[:-1], endings)
    >>> made.ok, made.game(boxes.levels).start(seed=1).tick
    (True, -1)
    >>> compiler.compile(rules, []).errors[0].message
    'the game has no terminations'
    """

    def __init__(
        self,
        base: GameDefinition,
        *,
        reading: str = "strict",
        parameters: Mapping[str, str] | None = None,
        name: str = "game",
    ) -> None:
        if not base.source:
            raise PcgError(f"{base.name} has no source text, so its rules cannot be replaced")
        self.reading = reading
        self.name = name
        self._parameters = dict(parameters or {})
        header = parse(base.source).header
        kept = tuple(s for s in header.children if (s.identifier or "").lower() not in _RULE_SETS)
        self._header = replace(header, children=kept)
        prefix = dumps(Tree(self._header))
        self._prefix = prefix.split("\n")[:-1]
        # an empty line, the InteractionSet, its lines, an empty line, the TerminationSet, its lines
        self._first = len(self._prefix) + 3
        self._levels: Recent[str, Level] = Recent(_LEVELS_KEPT)
        self._resolver = resolver = Resolver(parse(self._join([], [])), reading, self._parameters)
        self._whole = True
        """True when the sprites can be read at all: if not, every rule set takes the long way, to the same end."""
        try:
            self._read_base(resolver)
        except VGDLError:
            self._whole = False

    def __repr__(self) -> str:
        known = len(self._lines) if self._whole else 0
        return f"<rule compiler: {len(self._resolver.sprites.index)} sprite types, {known} lines known>"

    def _read_base(self, resolver: Resolver) -> None:
        found = resolver.findings.items
        resolver.read()
        read = len(found)
        types = resolver.resolve_sprites()
        resolved = len(found)
        self._bare = resolver.assembled(self.name, types, resolver.interactions, ())
        self._lint = Lint(resolver.tree, self._bare, resolver.findings)
        self._lint.sets()
        sets = len(found)
        self._lint.sprites()
        self._while_reading = tuple(found[:read])
        self._after_reading = tuple(found[read:resolved])
        self._of_sets, self._of_sprites = tuple(found[resolved:sets]), tuple(found[sets:])
        self._never_there = self._lint.never_there()
        self._sprites = SpriteSet(self._bare)
        self._lines = LineReader(self.reading, resolver.sprites.index, resolver.substitute, self._lint)

    # --- text ---

    def text(self, rules: Sequence[InteractionLine], endings: Sequence[TerminationLine]) -> str:
        """The game with these rules as formatted VGDL, without the comments of the rules.

        Raises PcgError for lines that no text can hold.
        """
        bare: list[tuple[Any, ...]] = [tuple(replace(n, before=(), comment="") for n in n_) for n_ in (rules, endings)]
        names = ("InteractionSet", "TerminationSet")
        sections = tuple(
            Section(Word(name), children=tuple(replace(n, gap=False) for n in lines))
            for name, lines in zip(names, bare, strict=True)
        )
        return dumps(Tree(replace(self._header, children=(*self._header.children, *sections))))

    def _join(self, rules: Sequence[str], endings: Sequence[str]) -> str:
        lines = [*self._prefix, "", f"{INDENT}InteractionSet", *rules, "", f"{INDENT}TerminationSet", *endings, ""]
        return "\n".join(lines)

    # --- compiling ---

    def compile(self, rules: Sequence[InteractionLine], endings: Sequence[TerminationLine]) -> CompiledRules:
        """Checks and compiles a rule set. Never raises for what its lines say."""
        if not self._whole:
            return self._by_text(rules, endings)
        read = [self._lines.rule(line) for line in rules]
        ends = [self._lines.ending(line) for line in endings]
        if None in read or None in ends:
            return self._by_text(rules, endings)
        return self._assemble(read, ends, rules, endings)  # type: ignore[arg-type]

    def _assemble(
        self,
        read: list[Line],
        ends: list[Line],
        rules: Sequence[InteractionLine],
        endings: Sequence[TerminationLine],
    ) -> CompiledRules:
        rule_texts, rule_rights = aligned(read)
        end_texts, end_rights = aligned(ends)
        lines = [
            *self._prefix,
            "",
            f"{INDENT}InteractionSet",
            *rule_texts,
            "",
            f"{INDENT}TerminationSet",
            *end_texts,
            "",
        ]
        text = "\n".join(lines)
        if len(text) > MAX_GAME or max(map(len, lines)) > MAX_LINE:
            return self._by_text(rules, endings)
        findings = _Finds(self.reading, lines)
        findings.meant = self._resolver.findings.meant
        first = self._first
        placed = list(zip(read, range(first, first + len(read)), rule_rights, strict=True))
        first += len(read) + 2
        placed_ends = list(zip(ends, range(first, first + len(ends)), end_rights, strict=True))
        table = InteractionTable(findings, self._resolver.sprites.index, self._resolver.substitute)
        terminations: list[Termination] = []
        try:
            whole = self._read(placed, placed_ends, findings, table, terminations)
        except VGDLError:
            return CompiledRules(text, findings.sorted(), compiler=self)
        read_lines = placed[: whole[0]], placed_ends[: whole[1]]
        self._check(findings, placed, placed_ends, *read_lines)
        found = findings.sorted()
        if any(item.severity == "error" for item in found):
            return CompiledRules(text, found, compiler=self)
        definition = replace_rules(self._bare, table, terminations, found, text)
        return self._with_tables(definition, *read_lines)

    def _read(
        self,
        rules: list[tuple[Line, int, int]],
        endings: list[tuple[Line, int, int]],
        findings: _Finds,
        table: InteractionTable,
        terminations: list[Termination],
    ) -> tuple[int, int]:
        """Puts the lines together; returns how many of both sets were read. Raises VGDLError where a line stops it."""
        findings.repeat(self._while_reading)
        if self._resolver.abandoned and not findings.strict:
            return 0, 0
        for k, (line, number, right) in enumerate(rules):
            findings.move(number, right)
            self._repeat_reading(line, findings)
            assert line.interaction is not None
            abandon = table.add(line.interaction, number)
            if abandon is not None:
                report(abandon, findings)
                if not findings.strict:
                    return k + 1, 0
        for k, (line, number, right) in enumerate(endings):
            findings.move(number, right)
            self._repeat_reading(line, findings)
            if line.ending is not None:
                terminations.append(Termination(*line.ending, number))
            elif line.ended is not None:
                report(line.ended, findings)
                if not findings.strict:
                    return len(rules), k
        return len(rules), len(endings)

    def _repeat_reading(self, line: Line, findings: _Finds) -> None:
        if line.crashed:
            findings.repeat_crash(line.read_findings)
            findings.raise_errors()
        if line.read_findings:
            findings.repeat(line.read_findings)

    def _check(
        self,
        findings: _Finds,
        rules: list[tuple[Line, int, int]],
        endings: list[tuple[Line, int, int]],
        rules_read: list[tuple[Line, int, int]],
        endings_read: list[tuple[Line, int, int]],
    ) -> None:
        """Check the rules as `Lint.run` does, in its order."""
        lint = self._lint.into(findings)
        findings.move(0, 0)
        findings.repeat(self._after_reading)
        findings.repeat(self._of_sets)
        lint.empty(bool(rules), bool(endings))
        findings.repeat(self._of_sprites)
        for line, number, right in rules_read:
            if line.effect_findings:
                findings.move(number, right)
                findings.repeat(line.effect_findings)
        if not findings.strict:
            rules = [placed for placed in rules_read if has_effects(placed[0])]
            endings = endings_read
        for line, number, right in (*rules, *endings):
            if line.rule_findings:
                findings.move(number, right)
                findings.repeat(line.rule_findings)
        findings.move(0, 0)
        lint.presence(self._never_there, frozenset().union(*(line.present for line, _, _ in rules_read)))

    def _with_tables(
        self,
        definition: GameDefinition,
        rules: list[tuple[Line, int, int]],
        endings: list[tuple[Line, int, int]],
    ) -> CompiledRules:
        effects: list[EffectPart] = []
        for line, _, _ in rules:
            if line.parts is None:
                assert line.interaction is not None
                line.parts = [EffectPart(self._sprites, name, params) for name, params, _ in line.interaction.effects]
            effects += line.parts
        ends: list[TerminationPart] = []
        for line, _, _ in endings:
            if line.part is None:
                assert line.ending is not None
                line.part = TerminationPart(self._sprites, *line.ending)
            ends.append(line.part)
        try:
            tables = GameTables(definition, self._sprites, effects, ends)
        except PcgError as error:
            return CompiledRules(definition.source, definition.diagnostics, definition, None, str(error), self)
        return CompiledRules(definition.source, definition.diagnostics, definition, tables, "", self)

    def _by_text(self, rules: Sequence[InteractionLine], endings: Sequence[TerminationLine]) -> CompiledRules:
        """The long way: writes the text and reads it."""
        try:
            text = self.text(rules, endings)
        except PcgError as error:
            return CompiledRules("", (Diagnostic("error", str(error)),), compiler=self)
        resolver: Resolver | None = None
        try:
            resolver = Resolver(parse(text), self.reading, self._parameters)
            definition = resolver.definition(self.name)
            resolver.findings.raise_errors()
        except VGDLError as error:
            found = resolver.findings.sorted() if resolver is not None else error.diagnostics
            return CompiledRules(text, found, compiler=self)
        definition = replace(definition, diagnostics=resolver.findings.sorted())
        try:
            tables = GameTables(definition, self._sprites)
        except PcgError as error:
            return CompiledRules(text, definition.diagnostics, definition, None, str(error), self)
        return CompiledRules(text, definition.diagnostics, definition, tables, "", self)

    # --- levels ---

    def level(self, text: str) -> Level:
        """A level for the games of this compiler; the last ones are kept. Raises VGDLError."""
        found = self._levels.get(text)
        if found is None:
            found = self._levels.put(text, read_level(text, self._bare, reading=self.reading))
        return found


def replace_rules(
    bare: GameDefinition,
    rules: InteractionTable,
    terminations: Sequence[Termination],
    diagnostics: tuple[Diagnostic, ...],
    source: str,
) -> GameDefinition:
    """A game with the sprites of another and these rules."""
    return GameDefinition(
        name=bare.name,
        class_name=bare.class_name,
        header=bare.header,
        types=bare.types,
        draw_order=bare.draw_order,
        effects=tuple(rules.effects),
        pairs=rules.pairs,
        eos_types=tuple(rules.eos_types),
        eos_effects=rules.eos_effects,
        time_effects=tuple(rules.time_effects),
        terminations=tuple(terminations),
        mapping=bare.mapping,
        diagnostics=diagnostics,
        source=source,
        type_index=bare.type_index,
    )


def rules_of(tree: Tree) -> tuple[list[InteractionLine], list[TerminationLine]]:
    """The lines of a game's InteractionSet and TerminationSet."""
    rules: list[InteractionLine] = []
    endings: list[TerminationLine] = []
    for section in tree.header.children:
        for line in section.children:
            if section.identifier == "InteractionSet" and isinstance(line, InteractionLine):
                rules.append(line)
            elif section.identifier == "TerminationSet" and isinstance(line, TerminationLine):
                endings.append(line)
    return rules, endings


__all__ = ["CompiledRules", "RuleCompiler", "rules_of"]
