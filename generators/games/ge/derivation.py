"""Deriving a game from codons by the grammar of the language itself (`engine/vgdl/grammar.lark`).

Every rule of the grammar is expanded as it stands there; codons choose among its productions, and terminals are drawn
by codons from the ontology registry. The grammar describes all that the reference reads, senseless lines included, so
productions and terminals are offered only where they mean something: each set has its own kind of line, the first
termination can be won, an effect fits what meets, a value fits its parameter (an attribute grammar, as in Knuth 1968;
grammatical evolution: O'Neill, Ryan 2001). Each set has codons of its own, so that a change in one does not shift what
is read in another (structured grammatical evolution: Lourenço et al. 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import EffectSpec, Param, TerminationSpec
from pcg.engine.vgdl.parser import grammar_rules
from pcg.generators.games.game_repair import mend, space_of
from pcg.generators.games.genes import GameGenotype, Sprite
from pcg.generators.games.genotype_choices import Codons, mending_rng
from pcg.generators.games.operators import NAMES
from pcg.generators.games.random.generator import bare, free_characters
from pcg.generators.games.sprites import draw_class, draw_colour, draw_value, fresh_name, parameters, values
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.space import SCORES, RuleSpace

SETS = ("SpriteSet", "LevelMapping", "InteractionSet", "TerminationSet")
"""The sets in the order in which they are derived: rules are about types that stand in levels."""
_ENTRY = {"SpriteSet": "sprite", "LevelMapping": "mapping", "InteractionSet": "interaction",
          "TerminationSet": "termination"}  # fmt: skip
FEWEST = {"SpriteSet": 5, "InteractionSet": 5, "TerminationSet": 1}
MOST = {"SpriteSet": 14, "InteractionSet": 30, "TerminationSet": 4}
"""Lines of a set."""
_ON = {"SpriteSet": 0.8, "InteractionSet": 0.88, "TerminationSet": 0.4}
"""Chance that a set goes on after a line, between these numbers."""
_GROUP = 0.12
"""Chance of a type to be a group of two or three."""
_MORE = 0.25
"""Chance of one more option or one more second sprite."""
_FAMILIES = {"static": 0.28, "npc": 0.22, "resource": 0.13, "passive": 0.12, "producer": 0.12, "mover": 0.08,
             "portal": 0.03, "flicker": 0.02}  # fmt: skip
_ENDINGS = {"SpriteCounter": 0.6, "Timeout": 0.2, "SpriteCounterMore": 0.1, "MultiSpriteCounter": 0.1}


@dataclass
class _Set:
    """How far a set is."""

    name: str
    lines: int = 0


@dataclass
class _Line:
    """What is known of the line that is being derived."""

    names: list[str] = field(default_factory=list)
    kind: str = ""
    given: dict[str, str] = field(default_factory=dict)
    later: dict[str, int] = field(default_factory=dict)
    """Parameters that name types, with the codon that will choose one."""
    wanted: list[Param] = field(default_factory=list)
    """Parameters that may be given, those that must be first."""
    needed: int = 0
    words: int = 0


class Derivation:
    """One derivation.

    Args:
        codons: for each of `SETS` a list of codons.
        base: whose levels the game is for.
    """

    def __init__(self, codons: Mapping[str, Sequence[int]], base: GameGenotype) -> None:
        self.rules = grammar_rules()
        self.codons = {name: Codons(codons[name]) for name in SETS}
        self.game = bare(base)
        self.hero = self.game.mapping[0][0] if self.game.mapping else "A"
        self.game = replace(self.game, sprites=(), mapping=(), rules=RuleSet((), ()))
        self.prepared = _stage(self.game)
        self.tokens: list[tuple[str, str]] = []
        self.set = _Set("")
        self.sets = iter(SETS)
        self.line = _Line()
        self.groups: list[str] = []
        self.inside = 0
        self.later: list[tuple[str, str, int]] = []
        self.space: RuleSpace | None = None
        self.pairs: set[tuple[str, str]] = set()

    @property
    def _codon(self) -> Codons:
        return self.codons[self.set.name or SETS[0]]

    @property
    def _rng(self) -> np.random.Generator:
        return cast(np.random.Generator, self._codon)

    def used(self) -> dict[str, int]:
        """Codons read, by set."""
        return {name: codons.used for name, codons in self.codons.items()}

    def text(self) -> str:
        """The sentence, as the text of a game."""
        if not self.tokens:
            self._expand("game")
        lines: list[str] = []
        words: list[str] = []
        depth = 0
        for kind, text in self.tokens:
            if kind == "EOL":
                lines.append("    " * depth + " ".join(words))
                words = []
            elif kind in ("_INDENT", "_DEDENT"):
                depth += 1 if kind == "_INDENT" else -1
            elif kind != "END":
                words.append(text)
        return "\n".join(lines) + "\n"

    def genotype(self) -> GameGenotype:
        """The game that the sentence says, as it is."""
        text = self.text()
        return GameGenotype.of(text, self.game.levels)

    # -- productions ---------------------------------------------------------------------------------------------------

    def _expand(self, symbol: str) -> None:
        if symbol not in self.rules:
            self._terminal(symbol)
            return
        if symbol.startswith("__"):
            self._repeat(symbol)
            return
        if symbol in ("sprite", "interaction", "termination", "mapping"):
            self.line = _Line()
        options = [e for e in self.rules[symbol] if self._meant(symbol, e)]
        for part in options[0 if len(options) == 1 else self._chosen(symbol, options)]:
            self._expand(part)
        if symbol in ("sprite", "interaction", "termination", "mapping"):
            self.set.lines += 1

    def _meant(self, symbol: str, production: tuple[str, ...]) -> bool:
        """Whether a production means something here."""
        if symbol == "_entry":
            return production == (("section",) if not self.set.name else (_ENTRY[self.set.name],))
        repeats = tuple(part for part in production if part.startswith("__"))
        if symbol in ("header", "section"):
            return "children" in production and not repeats
        if symbol == "sprite":  # words stand behind the arrow; a group has no words
            behind = production.index("_ARROW") + 1 < len(production) and production[2].startswith("__")
            before = production[1].startswith("__")
            return not before and behind != ("children" in production)
        if symbol == "interaction":
            return len(repeats) == 2 and "children" not in production
        if symbol in ("termination", "mapping"):
            return len(repeats) == 1 and "children" not in production
        if symbol in ("_sprite_word", "_effect_word"):
            return (production == ("OPTION",)) == bool(self.line.kind)
        return production != ("IGNORED",)

    def _chosen(self, symbol: str, options: Sequence[tuple[str, ...]]) -> int:
        if symbol != "sprite":
            return self._codon.integers(len(options))
        room = self.set.lines + 3 <= MOST["SpriteSet"] and not self.inside and self.set.lines > 0
        group = room and self._codon.random() < _GROUP
        return next(k for k, option in enumerate(options) if ("children" in option) == group)

    def _repeat(self, symbol: str) -> None:
        """A list: its recursive production as often as codons say, then the other one."""
        items = [e[-1] for e in self.rules[symbol] if e[0] == symbol]
        item = next((i for i in items if i.startswith("_") and i != "_ARROW"), items[0])
        if item == "_entry" and self.inside:
            for _ in range(2 + self._codon.integers(2)):
                self._expand(item)
            return
        while True:
            top = item == "_entry" and not self.set.name
            self._expand(item)
            if top:  # a whole set: the next one, until there is none
                last = self.set.name == SETS[-1]
                self.set = _Set("")
                if last:
                    return
            elif not self._goes_on(item):
                return

    def _goes_on(self, item: str) -> bool:
        name, lines = self.set.name, self.set.lines
        if item == "_entry":
            if name == "LevelMapping":
                return bool(self._characters())
            if name == "InteractionSet" and all(pair in self.pairs for pair in self._space.pairs):
                return False
            if lines < FEWEST[name]:
                return True
            return lines < MOST[name] and self._codon.random() < _ON[name]
        if item in ("_sprite_word", "_effect_word", "_header_word"):
            if self.line.needed > 0:
                return True
            return bool(self.line.wanted) and self._codon.random() < _MORE
        self.line.words += 1
        if item == "SPRITE":
            if not self.game.mapping:
                return False  # the avatar stands alone
            if len(self._unseen()) > len(self._characters()) - 1 and self.line.words < 3:
                return True
            return self.line.words < 2 and self._codon.random() < _MORE / 2
        return self.line.words < 2 and len(self._seconds()) > 0 and self._codon.random() < _MORE

    # -- terminals -----------------------------------------------------------------------------------------------------

    def _terminal(self, kind: str) -> None:
        makers: dict[str, Callable[[], str]] = {
            "GAME_CLASS": lambda: "BasicGame", "SECTION": self._section, "SPRITE_NAME": self._sprite_name,
            "CLASS": self._class, "OPTION": self._option, "OBJECT": self._object, "SECOND": self._second,
            "EFFECT": self._effect, "TERMINATION_CLASS": self._termination, "CHARACTER": self._character,
            "SPRITE": self._sprite, "MAPS_TO": lambda: ">", "ARROW": lambda: ">", "_ARROW": lambda: ">",
            "_INDENT": self._indent, "_DEDENT": self._dedent, "EOL": self._end_of_line,
        }  # fmt: skip
        text = makers[kind]() if kind in makers else ""
        self.tokens.append((kind, text))

    def _section(self) -> str:
        self.set = _Set(next(self.sets))
        if self.set.name == "LevelMapping":
            self._resolve()
        if self.set.name == "InteractionSet":
            # what cannot stand as it is will be mended, and then rules are about what is left
            self.space = space_of(self.game) or space_of(mend(self.game, mending_rng(str(self.game))))
        return self.set.name

    def _indent(self) -> str:
        if self.set.name == "SpriteSet" and self.set.lines + len(self.groups) > 0 and self.groups:
            self.inside += 1
        return ""

    def _dedent(self) -> str:
        if self.inside:
            self.inside -= 1
            self.groups.pop()
        return ""

    def _end_of_line(self) -> str:
        """A line of the SpriteSet is whole; one without a class is a group."""
        if self.set.name == "SpriteSet" and self.line.names:
            name = self.line.names[0]
            parent = self.groups[-1] if self.groups else ""
            self.game = replace(self.game, sprites=(*self.game.sprites, Sprite(name, self.line.kind, (), parent)))
            self.later += [(name, key, codon) for key, codon in self.line.later.items()]
            if not self.line.kind:
                self.groups.append(name)
        elif self.set.name == "LevelMapping" and self.line.names:
            character, *names = self.line.names
            self.game = replace(self.game, mapping=(*self.game.mapping, (character, tuple(names))))
        self.line = _Line()
        return ""

    def _sprite_name(self) -> str:
        if not self.game.sprites:
            family = "avatar"
        elif self.groups and len(self.game.sprites) > 1 and self.game.sprites[-1].parent:
            # members of a group are of one family
            family = next(f for f, n in NAMES.items() if self.game.sprites[-1].name.rstrip("0123456789") == n)
        else:
            family = list(_FAMILIES)[self._codon.choice(len(_FAMILIES), p=list(_FAMILIES.values()))]
        self.line.given["family"] = family
        self.line.names.append(fresh_name(NAMES[family], self.game.names))
        return self.line.names[0]

    def _class(self) -> str:
        line = self.line
        kind = draw_class(self.prepared, line.given["family"], self._rng) or "Immovable"
        line.kind = kind
        known = parameters(kind)
        usual = {"producer": ("stype", "cooldown"), "mover": ("orientation",)}.get(line.given["family"], ())
        must = [p for p in known if p.required or p.name in usual]
        colour = ontology.SPRITE_BASE_PARAMS["color"]
        line.wanted = [*must, colour, *(p for p in known if p not in must)]
        line.needed = len(must) + 1
        return kind

    def _resolve(self) -> None:
        """Give the parameters of types the names that their codons choose among those there are now."""
        for name, key, codon in self.later:
            kind = self.game.class_of(name)
            spec = ontology.SPRITE_CLASSES[kind]
            names = values(self.game, spec.params[key], spec, name)
            if not names:
                names = tuple(s.name for s in self.game.leaves if s.name != name and not self.game.is_avatar(s.name))
            at = next(k for k, (_, t) in enumerate(self.tokens) if t == f"{key}=?{name}")
            self.tokens[at] = ("OPTION", f"{key}={names[codon % len(names)] if names else 'hero'}")
            line = self.game.by_name[name]
            if names:
                made = replace(line, params=(*line.params, (key, names[codon % len(names)])))
                self.game = replace(self.game, sprites=tuple(made if s.name == name else s for s in self.game.sprites))

    def _option(self) -> str:
        line = self.line
        at = 0 if line.needed > 0 else self._codon.integers(len(line.wanted))
        param = line.wanted.pop(at)
        line.needed -= 1
        if self.set.name == "SpriteSet":
            return self._sprite_option(param)
        if self.set.name == "InteractionSet":
            if param.name == "scoreChange":
                return f"scoreChange={SCORES[self._codon.integers(len(SCORES))]}"
            value = self._space.draw_value(self._rng, param, ontology.EFFECTS[line.kind])
        else:
            value = self._ending_value(param)
        return f"{param.name}={value if value is not None else 0}"

    def _sprite_option(self, param: Param) -> str:
        line = self.line
        if param.name == "color":
            return f"color={draw_colour(self.game, self._rng)}"
        if param.references:
            line.later[param.name] = self._codon.number()
            return f"{param.name}=?{line.names[0]}"
        spec = ontology.SPRITE_CLASSES[line.kind]
        value = draw_value(self.prepared, param, spec, line.names[0], self._rng)
        return f"{param.name}={value if value is not None else param.default}"

    # -- mapping -------------------------------------------------------------------------------------------------------

    def _characters(self) -> list[str]:
        if not self.game.mapping:
            return [self.hero]
        return free_characters(self.game, self.game.levels)

    def _character(self) -> str:
        self.line.names.append(self._characters()[0])
        return self.line.names[0]

    def _sprite(self) -> str:
        hero = self.game.sprites[0].name
        names = [s.name for s in self.game.leaves if not self.game.is_avatar(s.name) and s.name not in self.line.names]
        first = not self.game.mapping and len(self.line.names) == 1
        names = [n for n in names if n in self._unseen()] or names
        name = hero if first or not names else names[self._codon.integers(len(names))]
        self.line.names.append(name)
        return name

    def _unseen(self) -> list[str]:
        """Types that no character stands for yet and that no other type brings forth."""
        game = self.game
        seen = {n for _, names in game.mapping for n in names} | set(self.line.names)
        for s in game.leaves:
            for key in ontology.SPRITE_CLASSES[game.class_of(s.name)].creates:
                seen |= set((s.get(key) or "").split(","))
        return [s.name for s in game.leaves if s.name not in seen and not game.is_avatar(s.name)]

    # -- rules ---------------------------------------------------------------------------------------------------------

    @property
    def _space(self) -> RuleSpace:
        assert self.space is not None
        return self.space

    def _object(self) -> str:
        at, weights = self._free_pairs()
        pairs = self._space.pairs
        first = pairs[at[self._codon.choice(len(at), p=weights / weights.sum())]][0]
        self.line.names.append(first)
        return first

    def _free_pairs(self) -> tuple[list[int], np.ndarray]:
        """Places of the pairs that no rule is about yet: rules of one pair run together wherever they stand."""
        space = self._space
        at = [k for k, pair in enumerate(space.pairs) if pair not in self.pairs]
        at = at or list(range(len(space.pairs)))
        return at, space.pair_weights[at]

    def _seconds(self) -> list[str]:
        """What can stand behind the first, and behind one another: something must fit all."""
        first, *others = self.line.names
        at, _ = self._free_pairs()
        free = [self._space.pairs[k] for k in at]
        found = [b for a, b in free if a == first and b not in others]
        return [b for b in found if self._effects(first, [*others, b])]

    def _second(self) -> str:
        names = self._seconds()
        self.line.names.append(names[self._codon.integers(len(names))])
        return self.line.names[-1]

    def _effects(self, first: str, seconds: Sequence[str]) -> dict[str, float]:
        """Effects that fit, with how often they are drawn; timers are left to the other generators."""
        found: dict[str, float] | None = None
        for second in seconds:
            names, weights = self._space.effects(first, second)
            fitting = dict(zip(names, weights.tolist(), strict=True))
            found = fitting if found is None else {n: w for n, w in found.items() if n in fitting}
        return {n: w for n, w in (found or {}).items() if n != "addTimer"}

    def _effect(self) -> str:
        first, *seconds = self.line.names
        fitting = self._effects(first, seconds)
        shares = np.array(list(fitting.values()))
        kind = list(fitting)[self._codon.choice(len(fitting), p=shares / shares.sum())]
        self.pairs |= {(first, second) for second in seconds}
        self._params_of(kind, ontology.EFFECTS[kind])
        score = ontology.EFFECTS[kind].params.get("scoreChange")
        self.line.wanted += [score] if score is not None else []
        return kind

    def _params_of(self, kind: str, spec: EffectSpec | TerminationSpec) -> None:
        known = self._space.parameters(spec)
        must = [p for p in known if p.required]
        self.line.kind, self.line.needed = kind, len(must)
        self.line.wanted = [*must, *(p for p in known if not p.required)]

    # -- terminations --------------------------------------------------------------------------------------------------

    def _termination(self) -> str:
        kind = list(_ENDINGS)[self._codon.choice(len(_ENDINGS), p=list(_ENDINGS.values()))]
        params = ontology.TERMINATIONS[kind].params
        names = ["stype1", "stype2"] if kind == "MultiSpriteCounter" else ["stype"] if "stype" in params else []
        self.line.kind = kind
        self.line.wanted = [params[n] for n in (*names, "limit", "win")]
        self.line.needed = len(self.line.wanted)
        return kind

    @property
    def _players(self) -> set[str]:
        return {*self._space.kinds.avatars, self._space.avatar}

    def _ending_value(self, param: Param) -> str | None:
        kind, given = self.line.kind, self.line.given
        if param.name == "win":
            if kind == "SpriteCounter" and given["stype"] in self._players:
                return "False"  # dying is no way to win
            return "True" if self.set.lines == 0 or self._codon.random() < 0.5 else "False"
        if param.name == "limit":
            if kind == "Timeout":
                return str(50 * self._codon.integers(4, 33))
            most = self._space.counts.get(given.get("stype", ""), 0)
            if kind == "SpriteCounterMore":
                return str(most + 1 + self._codon.integers(10))
            return "0" if self._codon.random() < 0.8 else str(self._codon.integers(0, max(1, min(5, most))))
        value = self._space.draw_value(self._rng, param, ontology.TERMINATIONS[kind])
        others = [n for n in self._space.kinds.actors if n not in self._players]
        if self.set.lines == 0 and value in self._players and others:
            value = others[self._codon.integers(len(others))]
        given[param.name] = str(value)
        return value


def _stage(game: GameGenotype) -> GameGenotype:
    """A game with one type of every family: so long as types are derived, it stands for those still to come."""
    usual = {"avatar": "MovingAvatar", "static": "Immovable", "passive": "Passive", "resource": "Resource",
             "npc": "RandomNPC", "mover": "Missile", "flicker": "Flicker"}  # fmt: skip
    sprites = tuple(Sprite(NAMES[family], kind) for family, kind in usual.items())
    return replace(game, sprites=sprites)


def random_codons(rng: np.random.Generator, length: int) -> dict[str, list[int]]:
    """Codons for each of `SETS`."""
    return {name: [int(c) for c in rng.integers(0, 1 << 16, size=length)] for name in SETS}


def as_codons(data: Any) -> dict[str, list[int]]:
    """Codons from JSON."""
    return {name: [int(c) for c in data[name]] for name in SETS}
