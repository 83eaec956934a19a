"""From the lines of a SpriteSet to sprite types: ids, inheritance, subtype lists, draw order (reference/language 1.5).

Only this part of a game decides which names exist. Parameter values are converted and fitted here as well, for the
class that is really in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import SpriteType, Value
from pcg.engine.vgdl.findings import Findings
from pcg.engine.vgdl.ontology_params import TYPE_HELP, Param
from pcg.engine.vgdl.tree import Entry, Option, SpriteLine, Word
from pcg.engine.vgdl.values import DIRECTIONS, convert, fit, parse_int

MAX_TYPES = 5_000
"""Most sprite types of a game."""
MAX_OPTIONS = 256
"""Most parameters of a sprite, inherited ones included."""
DEFAULT_RESOURCE_LIMIT = 2
SPECIAL_OBJECTS = ("EOS", "TIME")

Substitute = Callable[[str], str]
"""Replaces the names of game-space parameters in a value."""


@dataclass(slots=True)
class _Node:
    """A definition line. `options` holds inherited and own parameters, last writer wins."""

    id: int
    name: str
    class_name: str | None
    class_word: Word | None
    path: tuple[int, ...]
    subtypes: list[int]
    options: dict[str, Option]
    singleton: bool
    leaf: bool
    line: SpriteLine | None


def _default(index: int, name: str, class_name: str, options: Mapping[str, str]) -> _Node:
    texts = {key: Option(key, value) for key, value in options.items()}
    return _Node(index, name, class_name, None, (index,), [index], texts, False, True, None)


class SpriteTable:
    """The types of a game while its SpriteSets are read."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.index: dict[str, int] = {"wall": 0, "avatar": 1}
        self._nodes: list[_Node] = [
            _default(0, "wall", "Immovable", {"color": "DARKGRAY", "solid": "True"}),
            _default(1, "avatar", "MovingAvatar", {}),
        ]
        self.order: list[int] = []
        self.sets = 0

    def read(self, lines: Sequence[Entry]) -> None:
        """One SpriteSet. A second one puts `wall` and `avatar` into the draw order again (reference/language 1.2.7)."""
        self.sets += 1
        self.order += [0, 1]
        self._siblings(lines, (), {}, None, None)
        self.order.remove(1)
        self.order.append(1)

    def _siblings(
        self,
        lines: Sequence[Entry],
        path: tuple[int, ...],
        inherited: Mapping[str, Option],
        force: str | None,
        force_word: Word | None,
    ) -> list[_Node]:
        nodes = []
        for line in lines:
            if not isinstance(line, SpriteLine) or not line.defines:
                arrow = isinstance(line, SpriteLine) and len(line.classes) > 0
                self.findings.meant.add(line.identifier or "")
                self.findings.doubt(
                    f"`{line.identifier}` is not a sprite definition" + (": `>` is missing" if arrow else ""),
                    line,
                    "language 1.3",
                    so="it and the sprites after it on the same level are not read",
                    expected="name > [Class] [key=value ...]",
                    lost=True,
                )
                if self.findings.strict:
                    continue
                break
            nodes.append(self._define(line, path, inherited, force, force_word))
        return nodes

    def _define(
        self,
        line: SpriteLine,
        path: tuple[int, ...],
        inherited: Mapping[str, Option],
        force: str | None,
        force_word: Word | None,
    ) -> _Node:
        name = line.name.text
        self._check_name(line)
        own = line.classes[-1] if line.classes else None
        if len(line.classes) > 1:
            self.findings.doubt(
                f"`{name}` names {len(line.classes)} classes", line.classes[0], "language 1.3", so=f"`{own}` counts"
            )
        if own is not None and force is not None and own.text != force:
            assert force_word is not None
            self.findings.doubt(
                f"the class `{own}` of `{name}` is shadowed by the class `{force}` of line {force_word.line}",
                own,
                "language 1.5.3",
                so=f"the class of `{name}` is {force}, and only what is below it has {own}",
                expected="no class below a sprite that names one",
            )
        index = self.index.setdefault(name, len(self._nodes))
        if index in path:
            self.findings.crash(f"`{name}` is defined below itself", line.name, expected="a tree of sprites")
        if index == len(self._nodes):
            if index >= MAX_TYPES:
                self.findings.crash(f"the game defines more than {MAX_TYPES} sprites", line.name)
            self._nodes.append(_default(index, name, "", {}))
        elif self._nodes[index].line is not None:
            before = self._nodes[index].line
            assert before is not None
            self.findings.doubt(
                f"`{name}` is already defined in line {before.line}",
                line.name,
                "language 1.5.6",
                so="this definition replaces it",
            )
        singleton = False
        options = dict(inherited)
        _check_options(line.options, self.findings)
        for option in line.options:
            options[option.key] = option
            if option.key == "singleton":
                singleton = option.value.lower() == "true"
        if len(options) > MAX_OPTIONS:
            self.findings.crash(f"`{name}` has {len(options)} parameters", line, expected=f"at most {MAX_OPTIONS}")
        # The class in force is the nearest proper ancestor's own; the line's own class only serves its children.
        effective, effective_word = (force, force_word) if force is not None else (own.text if own else None, own)
        node = _Node(
            index,
            name,
            effective,
            effective_word,
            (*path, index),
            [*path, index],
            options,
            singleton,
            not line.children,
            line,
        )
        if node.leaf:
            if index in self.order:
                self.order.remove(index)
            self.order.append(index)
        self._nodes[index] = node
        if line.children:
            below = (own.text, own) if own is not None else (force, force_word)
            present = set(node.subtypes)
            for child in self._siblings(line.children, node.path, options, *below):
                for member in child.subtypes:
                    if member not in present:
                        present.add(member)
                        node.subtypes.append(member)
        return node

    def _check_name(self, line: SpriteLine) -> None:
        name = line.name.text
        if not self.findings.strict:
            return
        if name.upper() in SPECIAL_OBJECTS:
            self.findings.strict_error(
                f"`{name}` cannot be the name of a sprite: it has a meaning of its own", line.name
            )
        elif any(c in name for c in "=>,:") or convert("", name)[0] != "text":
            self.findings.strict_error(f"a sprite named `{name}` cannot be referenced from a parameter", line.name)

    def types(self, substitute: Substitute) -> tuple[SpriteType, ...]:
        """The resolved types by id."""
        return tuple(self._resolve(node, substitute) for node in self._nodes)

    def _resolve(self, node: _Node, substitute: Substitute) -> SpriteType:
        params: dict[str, Value] = {}
        spec = ontology.SPRITE_CLASSES.get(node.class_name) if node.class_name else None
        if spec is not None:
            params = fit_options(
                node.options.values(), spec.params, self.findings, node.class_name or "", substitute, self.index
            )
            for key in spec.required:
                if key not in params and node.leaf:
                    late = spec.params[key].late
                    self.findings.doubt(
                        f"`{node.name}` has no `{key}`, which a {spec.name} needs",
                        node.line,
                        "language 1.5.9",
                        so="the reference fails when " + ("it is first used" if late else "one is created"),
                        expected=f"{key}={TYPE_HELP[spec.params[key].type]}",
                    )
        elif node.class_name is not None:
            self.findings.doubt(
                f"unknown sprite class `{node.class_name}`",
                node.class_word,
                "language 1.5.9",
                so="creating one stops the reference",
                known=ontology.SPRITE_CLASSES,
                name=node.class_name,
                lost=True,
            )
        elif node.leaf and node.line is not None:
            self.findings.doubt(
                f"`{node.name}` has no class",
                node.line.name,
                "language 1.5.9",
                so="creating one stops the reference",
                expected="a sprite class here or on a line above it",
                lost=True,
            )
        limit = 0
        if node.class_name == "Resource":
            given = params.get("limit", DEFAULT_RESOURCE_LIMIT)
            limit = given if isinstance(given, int) else DEFAULT_RESOURCE_LIMIT
        return SpriteType(
            id=node.id,
            name=node.name,
            class_name=spec.name if spec is not None else None,
            path=node.path,
            subtypes=tuple(node.subtypes),
            params=params,
            raw={key: option.value for key, option in node.options.items()},
            singleton=node.singleton,
            leaf=node.leaf,
            resource_limit=limit,
            line=node.line.line if node.line else 0,
        )


def fit_options(
    options: Iterable[Option],
    params: Mapping[str, Param],
    findings: Findings,
    owner: str,
    substitute: Substitute,
    types: Mapping[str, int] | None,
    *,
    silent: bool = False,
    known: Iterable[str] = (),
) -> dict[str, Value]:
    """The values of `options` that fit `params`; what is dropped is reported, unless `silent`.

    `types` are the sprite names that references are checked against, None for no check. `known` are further keys that
    are no mistake.
    """
    result: dict[str, Value] = {}
    if not silent and isinstance(options, tuple):
        _check_options(options, findings)
    for option in options:
        key = option.key
        param = params.get(key)
        if param is None:
            if not silent and key not in known:
                findings.doubt(
                    f"unknown parameter `{key}` of {owner}",
                    option,
                    "language 1.4",
                    so="it is ignored",
                    known=[*params, *known],
                    name=key,
                )
            continue
        text = substitute(option.value)
        value = fit(key, text, param.field)
        if value is None:
            result.pop(key, None)
            if not silent:
                findings.doubt(
                    f"`{option}` does not fit",
                    _Value(option),
                    "language 1.4",
                    so="it is dropped and the default stays",
                    lost=True,
                    expected=TYPE_HELP[param.type],
                    known=DIRECTIONS if param.type == "direction" else (),
                    name=text,
                )
            continue
        result[key] = value
        if not silent:
            _check_value(option, param, str(text), findings, types, owner)
    return result


@dataclass(frozen=True, slots=True)
class _Value:
    """The place of an option's value."""

    option: Option

    @property
    def line(self) -> int:
        return self.option.line

    @property
    def column(self) -> int:
        return self.option.value_column if self.option.line else 0


def _check_options(options: tuple[Option, ...], findings: Findings) -> None:
    """Discarded texts and repeated keys of one line."""
    keys: set[str] = set()
    for option in options:
        if option.rest:
            findings.doubt(
                f"`{option}` holds more than one `=`",
                option,
                "language 1.3",
                so=f"`{option.rest}` is discarded",
                expected="key=value",
            )
        if option.key in keys:
            findings.doubt(f"`{option.key}` is given again", option, "language 1.3", so="the last one counts")
        keys.add(option.key)


def _check_value(
    option: Option, param: Param, text: str, findings: Findings, types: Mapping[str, int] | None, owner: str
) -> None:
    """Values that fit their field and still cannot mean anything."""
    place = _Value(option)
    if param.inert:
        findings.strict_error(f"`{option.key}` has no effect on {owner}", option)
    elif param.references and types is not None:
        for name in [text] if param.type == "sprite" else text.split(","):
            # A required type that is missing stops the reading of the whole set; the caller says so.
            if name not in types and not param.must_exist:
                findings.doubt(
                    f"unknown sprite `{name}` in `{option}`",
                    place,
                    "language 1.4",
                    so="its use stops the reference",
                    known=types,
                    name=name,
                )
    elif param.type == "effect" and text not in ontology.EFFECTS:
        findings.doubt(
            f"unknown effect `{text}` in `{option}`",
            place,
            "effects 10.3",
            so="it matches nothing",
            known=ontology.EFFECTS,
            name=text,
        )
    elif param.type == "integers" and any(parse_int(piece) is None for piece in text.split(",")):
        findings.doubt(
            f"`{option}` is not a list of integers",
            place,
            "effects 10.4",
            so="what is no integer counts 0",
            expected=TYPE_HELP["integers"],
        )
    elif param.type == "flags" and any(piece.lower() not in ("true", "false") for piece in text.split(",")):
        findings.doubt(
            f"`{option}` is not a list of True and False",
            place,
            "terminations 4.1",
            so="what is not True counts as False",
            expected=TYPE_HELP["flags"],
        )
