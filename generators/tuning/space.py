"""Game spaces: a game text and the parameters in it that may change.

Parameters are those of the text's ParameterSet (reference/language 1.9), and any parameter of a sprite, a rule or a
termination by its path: ``sprite.NAME.KEY``, ``rule.N.KEY``, ``termination.N.KEY``, lines counted from 0 in the order
of the text. `GameSpace.instantiate` writes the plain game for chosen values. Games of a space differ in their tables
only, so playing them compiles no kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pcg.engine.game import Game
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import GameDefinition, Value
from pcg.engine.vgdl.diagnostics import PcgError, VGDLError, did_you_mean, nearest
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.ontology_params import TYPE_HELP, Param
from pcg.engine.vgdl.parser import parse
from pcg.engine.vgdl.resolver import read_game, read_space
from pcg.engine.vgdl.space import fill
from pcg.engine.vgdl.tree import Entry, InteractionLine, Option, Section, SpriteLine, TerminationLine, Tree
from pcg.engine.vgdl.values import fit
from pcg.generators.tuning.parameters import TuningParameter, parameter_of, read_parameters

Point = tuple[int, ...]
"""A game of the space: the number of a point for each parameter."""

_KINDS = ("sprite", "rule", "termination")
_PATHS = "sprite.NAME.KEY, rule.N.KEY or termination.N.KEY"
_Line = SpriteLine | InteractionLine | TerminationLine


class GameSpace:
    """A game text with an ordered list of parameters.

    Attributes:
        parameters: those with more than one point and those with one, in order: first the ParameterSet's.
        sizes: number of points of each.
        reading: "strict" or "gvgai", how games of the space are read.

    Args:
        text: of a game, with or without a ParameterSet.
        params: see `read_parameters`; one with the name of a parameter of the text takes its place.
        reading: how the games are read.
        name: of the game, for messages.

    Raises:
        VGDLError: the text is not a game.
        PcgError: for parameters that do not exist or values that do not fit.

    >>> import pcg
    >>> space = GameSpace(pcg.load("hunt").definition.source, ["sprite.dog.cooldown=2..6"], reading="strict")
    >>> space.values(space.start)
    {'sprite.dog.cooldown': '4'}
    >>> [line.strip() for line in space.instantiate({"sprite.dog.cooldown": 2}).splitlines() if "Chaser" in line]
    ['dog   > Chaser stype=fox cooldown=2 color=BROWN']
    """

    def __init__(
        self, text: str, params: Iterable[str | Path] = (), *, reading: str = "strict", name: str = "game"
    ) -> None:
        self.source = text
        self.reading = reading
        self.name = name
        self._tree = parse(text, file=name)
        self._space = read_space(self._tree)
        given = read_parameters(params)
        made: dict[str, TuningParameter] = {key: parameter_of(p) for key, p in self._space.items()}
        self._base = fill(self._tree, self._space, {}) if self._is_space else self._tree
        base = dumps(self._base)
        self._definition = read_game(base, reading=reading)
        # numbered by the canonical text: its lines are what messages and the definition speak of
        self._base = parse(base, file=name)
        self._lines = _Lines(self._base)
        for key, parameter in given.items():
            if key in made:
                made[key] = replace(parameter, help=made[key].help, current=made[key].current or made[key].values[0])
            else:
                made[key] = self._at_path(parameter)
        self.parameters = tuple(made.values())
        self.sizes = tuple(len(p.values) for p in self.parameters)
        if not self.parameters:
            raise PcgError(f"{name} has no ParameterSet: expected --params with paths such as {_PATHS}")
        if max(self.sizes) < 2:
            raise PcgError(f"every parameter of {name} has one value, so there is nothing to tune")
        self._check_ends()

    @classmethod
    def of(cls, game: Game, params: Iterable[str | Path] = ()) -> GameSpace:
        """The space of a loaded game."""
        return cls(game.definition.source, params, reading=game.reading, name=game.name)

    @property
    def _is_space(self) -> bool:
        return self._tree.header.game_class.text == "GameSpace"

    @property
    def original(self) -> str:
        """The plain game with the values that its own text gives."""
        return self.source if not self._is_space else dumps(fill(self._tree, self._space, {}))

    @property
    def start(self) -> Point:
        """The point nearest to the game as it is."""
        return tuple(p.start for p in self.parameters)

    def values(self, point: Sequence[int]) -> dict[str, str]:
        """Text of every parameter at a point."""
        return {p.name: p.values[k] for p, k in zip(self.parameters, point, strict=True)}

    def point(self, values: Mapping[str, object]) -> Point:
        """The point of some values; parameters that are not named are as at `start`.

        Raises:
            PcgError: for an unknown parameter or a value that it does not have.
        """
        known = {p.name: p for p in self.parameters}
        for name in values:
            if name not in known:
                hint = did_you_mean(name, known, f" (there are: {', '.join(known)})")
                raise PcgError(f"the space of {self.name} has no parameter `{name}`{hint}")
        return tuple(_index(p, values[p.name]) if p.name in values else p.start for p in self.parameters)

    def instantiate(self, values: Mapping[str, object] | Sequence[int]) -> str:
        """The plain game for some values, as canonical VGDL text.

        Args:
            values: by name (those left out are as at `start`), or a point.

        Raises:
            PcgError: for an unknown parameter or a value that it does not have.
        """
        point = self.point(values) if isinstance(values, Mapping) else tuple(values)
        texts = self.values(point)
        tree = self._base
        if self._space:
            tree = fill(self._tree, self._space, {name: texts[name] for name in self._space})
            tree = parse(dumps(tree), file=self.name)
        edits: dict[int, dict[str, str]] = {}
        for name, text in texts.items():
            if name not in self._space:
                line, key = self._lines.find(name)
                edits.setdefault(line.line, {})[key] = text
        return dumps(_edited(tree, edits)) if edits else dumps(tree)

    def __repr__(self) -> str:
        count = 1
        for size in self.sizes:
            count *= size
        return f"<GameSpace of {self.name}: {len(self.parameters)} parameters, {count:,} games>"

    # -- paths ---------------------------------------------------------------------------------------------------------

    def _at_path(self, parameter: TuningParameter) -> TuningParameter:
        """The parameter at a path, once it is clear that it exists there and that its values fit."""
        line, key = self._lines.find(parameter.name, self._space)
        known = _known(line, self._definition)
        if key not in known:
            near = nearest(key, known)
            what = _what(line)
            hint = f", did you mean `{near}`?" if near else f" (it has: {', '.join(known) or 'none'})"
            raise PcgError(f"parameter {parameter.name}: {what} has no parameter `{key}`{hint}")
        param = known[key]
        for value in parameter.values:
            if fit(key, value, param.field) is None:
                raise PcgError(f"parameter {parameter.name}: `{value}` does not fit, expected {TYPE_HELP[param.type]}")
        return replace(parameter, help=param.help, current=self._current(line, key, param))

    def _current(self, line: _Line, key: str, param: Param) -> str:
        if isinstance(line, SpriteLine):
            types = self._definition.types
            index = self._definition.type_index[line.name.text]
            members = [t for t in types if index in t.path and t.leaf]
            texts = [t.raw[key] for t in members if key in t.raw]
            if texts:  # members of a group may differ: then the first one's
                return texts[0]
        found = [option.value for option in line.options if option.key == key]
        return found[-1] if found else _text(param.default)

    def _check_ends(self) -> None:
        """Read the games at both ends of every parameter, so that values that never work show at once."""
        start = self.start
        for k, parameter in enumerate(self.parameters):
            for end in {0, len(parameter.values) - 1}:
                point = (*start[:k], end, *start[k + 1 :])
                try:
                    read_game(self.instantiate(point), reading=self.reading)
                except VGDLError as error:
                    value = parameter.values[end]
                    raise PcgError(f"the game with {parameter.name}={value} cannot be read:\n{error}") from None


class _Lines:
    """The lines of a game that paths can name."""

    def __init__(self, tree: Tree) -> None:
        self.sprites: dict[str, SpriteLine] = {}
        self.rules: list[InteractionLine] = []
        self.terminations: list[TerminationLine] = []
        for section in tree.header.children:
            if isinstance(section, Section):
                self._collect(section)

    def _collect(self, entry: Entry) -> None:
        for child in entry.children:
            if isinstance(child, SpriteLine) and child.defines:
                self.sprites[child.name.text] = child  # of several definitions the last one counts
            elif isinstance(child, InteractionLine):
                self.rules.append(child)
            elif isinstance(child, TerminationLine):
                self.terminations.append(child)
            self._collect(child)

    def find(self, path: str, space: Iterable[str] = ()) -> tuple[_Line, str]:
        """The line and the key that a path names.

        Raises:
            PcgError: there is no such line.
        """
        kind, dot, rest = path.partition(".")
        which, _, key = rest.rpartition(".")
        if not dot or not which or not key or kind not in _KINDS:
            known = [*space, *_KINDS]
            hint = did_you_mean(kind if dot else path, known)
            names = " or a name of the ParameterSet" if space else ""
            raise PcgError(f"parameter `{path}`: expected {_PATHS}{names}{hint}")
        if kind == "sprite":
            if which not in self.sprites:
                hint = did_you_mean(which, self.sprites, f" (there are: {', '.join(self.sprites)})")
                raise PcgError(f"parameter {path}: the game defines no sprite `{which}`{hint}")
            return self.sprites[which], key
        lines: Sequence[InteractionLine | TerminationLine] = self.rules if kind == "rule" else self.terminations
        if not which.isascii() or not which.isdigit() or int(which) >= len(lines):
            listed = "".join(f"\n    {k}: {_written(line)}" for k, line in enumerate(lines[:60]))
            raise PcgError(f"parameter {path}: there is no {kind} {which}, expected 0 to {len(lines) - 1}:{listed}")
        return lines[int(which)], key


def _known(line: _Line, definition: GameDefinition) -> Mapping[str, Param]:
    """Return the parameters that can be set on a line."""
    if isinstance(line, TerminationLine):
        found = ontology.TERMINATIONS.get(line.name.text)
        return found.params if found else {}
    if isinstance(line, InteractionLine):
        names = [line.effects[-1].text, *(o.value for o in line.options if o.key == "ftype")] if line.effects else []
        known: dict[str, Param] = {}
        for name in names:
            effect = ontology.EFFECTS.get(name)
            known |= effect.params if effect else {}
        if "TIME" in (line.first.text.upper(), *(second.text.upper() for second in line.seconds)):
            known |= ontology.TIME_EFFECT_PARAMS
        return known
    index = definition.type_index[line.name.text]
    known = {}
    for sprite in definition.types:
        kind = ontology.SPRITE_CLASSES.get(sprite.class_name or "")
        if index in sprite.path and kind is not None and (sprite.leaf or sprite.id == index):
            known |= kind.params
    return known


def _what(line: _Line) -> str:
    if isinstance(line, SpriteLine):
        return f"the sprite `{line.name}`"
    return f"the line `{_written(line)}`"


def _written(line: InteractionLine | TerminationLine) -> str:
    options = [str(option) for option in line.options]
    if isinstance(line, TerminationLine):
        return " ".join([line.name.text, *options])
    seconds = " ".join(map(str, line.seconds))
    return " ".join([f"{line.first} {seconds} >", *map(str, line.effects), *options])


def _text(value: Value | None) -> str:
    """A default as VGDL text; "" for none that can be written."""
    if isinstance(value, bool | int | float | str):
        return str(value)
    return ""


def _index(parameter: TuningParameter, value: object) -> int:
    """The point of a value, given as text or as a number."""
    text = str(value)
    if text in parameter.values:
        return parameter.values.index(text)
    for k, known in enumerate(parameter.values):
        if parameter.kind == "bool" and known.lower() == text.lower():
            return k
        if parameter.ordered and not isinstance(value, bool):
            try:
                if abs(float(known) - float(text)) <= 1e-9 * max(1.0, abs(float(known))):
                    return k
            except ValueError:
                break
    near = nearest(text, parameter.values) if parameter.kind == "choice" else ""
    listed = ", ".join(parameter.values[:12]) + (", ..." if len(parameter.values) > 12 else "")
    hint = f", did you mean `{near}`?" if near else ""
    raise PcgError(f"parameter {parameter.name} has no value `{text}`, expected one of {listed}{hint}")


def _edited(tree: Tree, edits: Mapping[int, Mapping[str, str]]) -> Tree:
    """The tree with options set on lines, by line number; what is set on a sprite also takes the place of the values
    of the sprites below it, which would hide it otherwise.
    """

    def below(entry: Entry, above: Mapping[str, str]) -> Entry:
        own = edits.get(entry.line, {})
        changes = {**above, **own}
        children = tuple(below(child, changes) for child in entry.children)
        if not isinstance(entry, SpriteLine | InteractionLine | TerminationLine) or not changes:
            return replace(entry, children=children)
        options = list(entry.options)
        for key, value in changes.items():
            places = [k for k, option in enumerate(options) if option.key == key]
            if places:
                options[places[-1]] = replace(options[places[-1]], value=value, rest="")
            elif key in own:
                options.append(Option(key, value))
        return replace(entry, children=children, options=tuple(options))

    header = tree.header
    made = replace(header, children=tuple(below(entry, {}) for entry in header.children))
    return replace(tree, header=made, source="")


__all__ = ["GameSpace", "Point"]
