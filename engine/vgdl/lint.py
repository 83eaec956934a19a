"""Linter: findings about games that can be read without trouble, but whose rules do nothing, or go wrong in play.

The resolver reports what the reference drops while it reads; this module looks at the game that came out. Most findings
are errors in the strict reading; those with a rule are warnings in the gvgai reading.

What is checked of one rule depends on that rule and the sprites alone, so rule sets that share lines can share the
findings (`rule_compiler`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import Effect, GameDefinition, SpriteType, Value
from pcg.engine.vgdl.findings import Findings, Placed
from pcg.engine.vgdl.level import cannot_create
from pcg.engine.vgdl.tree import InteractionLine, MappingLine, Node, Option, SpriteLine, TerminationLine, Tree, Word

PROBABILITIES = ("prob", "spreadprob", "epsilon", "probability")
RESOURCE_PARAMS = ("resource", "heldResource", "ammo", "resource_name")
LAST_TICK = 2000
NOTHING_WRITTEN = "the game has no "
"""Beginning of the finding that a set of rules or of terminations is missing."""
NEVER_APPEARS = "never appears: no character is mapped to it and nothing creates it"
"""End of the finding about a needless sprite."""
CANNOT_BE = "cannot be created"
"""Part of the finding about a sprite that lacks something, as a portal without exit."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Place of a whole line whose node is not at hand."""

    line: int
    column: int = 1


class Lint:
    """The checks of a game. `run` makes all of them; the parts serve games that come line by line.

    `game` needs its rules only for `run`.
    """

    def __init__(self, tree: Tree, game: GameDefinition, findings: Findings) -> None:
        self.tree, self.game, self.findings = tree, game, findings
        self.nodes: dict[int, Node] = {node.line: node for node in tree.walk()}
        self.sections = [s for s in tree.header.children if s.identifier in _SETS]

    def into(self, findings: Findings) -> Lint:
        """The same checks, reported elsewhere."""
        other = object.__new__(Lint)
        other.tree, other.game, other.findings = self.tree, self.game, findings
        other.nodes, other.sections = self.nodes, self.sections
        return other

    def run(self) -> None:
        """All checks."""
        self.sets()
        self.empty(*(any(True for _ in self._lines(name)) for name in ("InteractionSet", "TerminationSet")))
        self.sprites()
        for effect in self.game.effects:
            self.effect(effect, self._place(effect.line))
        # The gvgai reading may have left lines unread; what they say does not matter then.
        read = {effect.line for effect in self.game.effects} | {end.line for end in self.game.terminations}
        for line in (*self._lines("InteractionSet"), *self._lines("TerminationSet")):
            if line.line not in read and not self.findings.strict:
                continue
            if isinstance(line, InteractionLine):
                self.interaction(line)
            elif isinstance(line, TerminationLine):
                self.termination(line)
        present: set[str] = set()
        for effect in self.game.effects:
            present |= self.made_present(effect.name, effect.params)
        self.presence(self.never_there(), present)

    def _lines(self, name: str) -> Iterator[Node]:
        for section in self.sections:
            if section.identifier == name:
                yield from section.children

    def _place(self, line: int) -> Placed:
        return self.nodes.get(line, _Line(line))

    def sets(self) -> None:
        """Sets that are there twice."""
        seen: dict[str, int] = {}
        for section in self.sections:
            name = section.identifier or ""
            if name in seen:
                self.findings.doubt(
                    f"a second {name}, after the one in line {seen[name]}",
                    section,
                    "language 1.2.7",
                    so="it wipes the rules read so far" if name == "SpriteSet" else "it adds to the first",
                    expected=f"one {name}",
                )
            seen.setdefault(name, section.line)

    def empty(self, rules: bool, terminations: bool) -> None:
        """Report sets of rules without a line; the arguments say whether there is one."""
        for name, there in (("InteractionSet", rules), ("TerminationSet", terminations)):
            if not there and name not in self.findings.meant:
                self.findings.strict_error(
                    f"{NOTHING_WRITTEN}{'rules' if name == 'InteractionSet' else 'terminations'}",
                    self.tree.header,
                    expected=f"a {name} with at least one line",
                )

    def sprites(self) -> None:
        """Check header, mapping and sprites, whatever the rules are."""
        self._header()
        self._mapping()
        for sprite in self.game.types:
            self._sprite(sprite)

    def _header(self) -> None:
        obs = self.game.header.get("obs")
        option = _option(self.tree.header.options, "obs")
        if isinstance(obs, str) and option is not None:
            self._names(obs, option)

    def _names(self, text: str, option: Option) -> None:
        for name in text.split(","):
            if name not in self.game.type_index:
                self.findings.doubt(
                    f"unknown sprite `{name}` in `{option}`",
                    option,
                    "language 1.10",
                    so="it is ignored",
                    known=self.game.type_index,
                    name=name,
                )

    def _mapping(self) -> None:
        mapped = [name for names in self.game.mapping.values() for name in names]
        if not any(self._is_avatar(name) or name in self.findings.meant for name in mapped):
            self.findings.strict_error(
                "no character is mapped to an avatar",
                self.tree.header,
                expected="a sprite of an avatar class in the mapping",
            )
        for line in self._lines("LevelMapping"):
            if not isinstance(line, MappingLine):
                continue
            read = self.game.mapping.get(line.character.text[0]) == tuple(word.text for word in line.names)
            for word in line.names if read else ():
                self._creatable(word.text, word)

    def _is_avatar(self, name: str) -> bool:
        index = self.game.type_index.get(name)
        spec = ontology.SPRITE_CLASSES.get(self.game.types[index].class_name or "") if index is not None else None
        return spec is not None and spec.avatar

    def _creatable(self, name: str, at: Placed) -> None:
        """A sprite that something creates must be creatable, and a leaf: others are never updated."""
        index = self.game.type_index.get(name)
        if index is None:
            return
        sprite = self.game.types[index]
        problem = cannot_create(sprite)
        if problem and sprite.class_name is None and sprite.leaf and self.findings.strict:
            return  # said where the sprite is defined
        if problem:
            self.findings.doubt(
                f"`{name}` {CANNOT_BE}: {problem}", at, "language 1.5.9", so="trying to stops the reference"
            )
        elif index not in self.game.draw_order:
            self.findings.doubt(
                f"`{name}` has sprites below it, so sprites of this very type are never updated or drawn",
                at,
                "loop 3.4",
                expected="a sprite with none below it",
            )

    def _sprite(self, sprite: SpriteType) -> None:
        spec = ontology.SPRITE_CLASSES.get(sprite.class_name or "")
        node = self.nodes.get(sprite.line)
        if spec is None or not isinstance(node, SpriteLine):
            return
        for key in spec.creates:
            for name in _pieces(sprite.params.get(key)):
                self._creatable(name, _option(node.options, key) or node)
        if spec.name in NEEDS_OBS and "obs" not in self.game.header and sprite.leaf:
            self.findings.doubt(
                f"a {spec.name} needs `obs` in the header",
                node,
                "sprites 7.12",
                so="it stops the reference",
                expected="obs=wall on the first line",
            )
        single = _option(node.options, "singleton")
        if single is not None and single.value.lower() not in ("true", "false"):
            self.findings.doubt(
                f"`{single}` makes no singleton",
                single,
                "language 1.5.5",
                expected="singleton=True as such on this line",
            )
        self._numbers(sprite.params, node.options)
        cooldown = sprite.params.get("cooldown")
        if isinstance(cooldown, int) and cooldown < 1 and (option := _option(node.options, "cooldown")):
            self.findings.strict_error(f"`{option}` counts as 1", option, expected="1 or more ticks")

    def _numbers(self, params: Mapping[str, Value], options: Iterable[Option]) -> None:
        for key in PROBABILITIES:
            value = params.get(key)
            if isinstance(value, float) and not 0 <= value <= 1:
                option = _option(options, key)
                if option is not None:
                    self.findings.strict_error(f"`{option}` is no probability", option, expected="a number from 0 to 1")

    def effect(self, effect: Effect, place: Placed) -> None:
        """One effect. `place` is its line, as a node if there is one."""
        spec = ontology.EFFECTS[effect.name]
        options = place.options if isinstance(place, InteractionLine) else ()
        for key in spec.creates:
            for name in _pieces(effect.params.get(key)):
                if not spec.creates_subtypes:
                    self._creatable(name, _option(options, key) or place)
        same = {"transformToAll": "stypeTo", "transformToSingleton": "stype_other"}.get(spec.name)
        if same and effect.params.get(same) == effect.params.get("stype"):
            self.findings.doubt(
                f"{spec.name} from `{effect.params.get('stype')}` to itself",
                place,
                "effects 10.11",
                so="it stops the reference",
            )
        if spec.name == "transformIfCount":
            least, most = effect.params.get("geq", 0), effect.params.get("leq", 10000)
            if isinstance(least, int) and isinstance(most, int) and least > most:
                self.findings.strict_error("`geq` is greater than `leq`, so the count is never in range", place)

    def interaction(self, line: InteractionLine) -> None:
        """One line of the InteractionSet."""
        if not line.effects or not line.seconds:
            return
        spec = ontology.EFFECTS.get(line.effects[-1].text)
        if spec is None:
            return
        special = [word for word in (line.first, *line.seconds) if self._special(word)]
        for word in special:
            if word.text not in ("EOS", "TIME"):
                self.findings.strict_error(f"`{word}` is written in the wrong case", word, expected=word.text.upper())
            if spec.needs_second:
                self.findings.doubt(
                    f"{spec.name} does nothing without a second sprite",
                    word,
                    "effects 10.1",
                    so="it only logs a message",
                    expected="two sprites",
                )
            if option := _option(line.options, "repeat"):
                self.findings.strict_error(f"`{option}` has no effect with {word}", option)
        inner = ontology.EFFECTS.get(_text(line.options, "ftype")) if spec.name == "addTimer" else None
        if (option := _option(line.options, "prob")) and not spec.uses_prob and not (inner and inner.uses_prob):
            self.findings.strict_error(f"`{option}` has no effect on {spec.name}", option)
        timed = any(word.text.upper() == "TIME" for word in special)
        if (option := _option(line.options, "nextExecution")) and timed and not _option(line.options, "timer"):
            self.findings.strict_error(f"`{option}` without a timer", option, expected="timer=ticks as well")
        expected = "no_counters=1 on the first line"
        for key in ("counter", "counterElse"):
            if (option := _option(line.options, key)) and not self.game.counters:
                self.findings.strict_error(f"`{option}`, but the game has no counters", option, expected=expected)
        option = _option(line.options, "scoreChange")
        if option and len(option.value.split(",")) > self.game.players:
            self.findings.strict_error(f"`{option}` has more entries than the game has players", option)
        values = {option.key: float(option.value) for option in line.options if _is_number(option)}
        self._numbers(values, line.options)

    def _special(self, word: Word) -> bool:
        return word.text.upper() in ("EOS", "TIME") and word.text not in self.game.type_index

    def termination(self, line: TerminationLine) -> None:
        """One line of the TerminationSet."""
        players = self.game.players
        spec = ontology.TERMINATIONS.get(line.name.text)
        option = _option(line.options, "win")
        computed = any(_text(line.options, key).lower() == "true" for key in ("count_score", "use_counter"))
        if option is not None and len(option.value.split(",")) < players and not computed:
            self.findings.doubt(
                f"`{option}` has fewer entries than the game has players",
                option,
                "terminations 4.1",
                so="the others lose",
                expected=",".join([option.value] * players),
            )
        elif option is not None and len(option.value.split(",")) > players:
            self.findings.strict_error(f"`{option}` has more entries than the game has players", option)
        limit = _option(line.options, "limit")
        if spec is None or limit is None or not _is_number(limit):
            return
        if spec.name == "Timeout" and not 1 <= float(limit.value) <= LAST_TICK:
            self.findings.strict_error(f"`{limit}` is no time limit", limit, expected=f"1 to {LAST_TICK} ticks")
        elif spec.name != "Timeout" and float(limit.value) < 0:
            self.findings.strict_error(f"`{limit}` can never be reached", limit, expected="0 or more sprites")

    def never_there(self) -> list[SpriteType]:
        """The types that neither a level nor a sprite puts into the game, except those that only name a resource."""
        game = self.game
        present = {name for names in game.mapping.values() for name in names}
        for sprite in game.types:
            spec = ontology.SPRITE_CLASSES.get(sprite.class_name or "")
            for key in (*(spec.creates if spec else ()), *RESOURCE_PARAMS):
                present.update(_pieces(sprite.params.get(key)))
        return [sprite for sprite in game.types if sprite.leaf and sprite.line and sprite.name not in present]

    def made_present(self, name: str, params: Mapping[str, Value]) -> set[str]:
        """The names of the types that an effect puts into the game."""
        game, spec = self.game, ontology.EFFECTS[name]
        present: set[str] = set()
        for key in (*spec.creates, *RESOURCE_PARAMS):
            for piece in _pieces(params.get(key)):
                present.add(piece)
                if spec.creates_subtypes and piece in game.type_index:
                    present.update(game.types[i].name for i in game.types[game.type_index[piece]].subtypes)
        return present

    def presence(self, never_there: Iterable[SpriteType], present: Container[str]) -> None:
        """Sprites that no level and no play can ever hold; `present` are those that rules make."""
        if not self.findings.strict:
            return
        for sprite in never_there:
            if sprite.name not in present:
                self.findings.warning(
                    f"`{sprite.name}` {NEVER_APPEARS}",
                    self._place(sprite.line),
                )


_SETS = ("SpriteSet", "InteractionSet", "TerminationSet", "LevelMapping", "ParameterSet")
NEEDS_OBS = ("PathChaser", "PathAltChaser", "RandomPathAltChaser")


def _pieces(value: Value | None) -> list[str]:
    return value.split(",") if isinstance(value, str) else []


def _option(options: Iterable[Option], key: str) -> Option | None:
    """The option that counts: the last of its key."""
    found = None
    for option in options:
        if option.key == key:
            found = option
    return found


def _text(options: Iterable[Option], key: str) -> str:
    option = _option(options, key)
    return option.value if option is not None else ""


def _is_number(option: Option) -> bool:
    try:
        float(option.value)
    except ValueError:
        return False
    return True
