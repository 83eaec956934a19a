"""Random games over the whole ontology, random levels for them, and random actions.

`random_play` gives everything a test needs as text: a game, a level, a seed, and actions. The texts are mostly
readable games, because what the reader refuses teaches nothing about the engine; how far values go beyond their ranges
is drawn per game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from choices import Choices
from random_values import Names, sprite, value

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.ontology_params import Param, SpriteClass

AVATARS = tuple(name for name, spec in ontology.SPRITE_CLASSES.items() if spec.avatar and spec.rule != "user")
OTHERS = tuple(name for name, spec in ontology.SPRITE_CLASSES.items() if not spec.avatar and spec.rule != "user")
EFFECTS = tuple(name for name, spec in ontology.EFFECTS.items() if spec.rule != "user")
CONTINUOUS = ("physicstype=CONT", "gravity", "friction", "mass", "max_speed", "jump_strength", "speed")
LIVELY = (
    "speed", "cooldown", "orientation", "physicstype", "healthPoints", "timeToLive", "is_oriented", "wMult", "hMult",
)  # fmt: skip
"""Base fields that are drawn more often than the rest, because the rest changes little."""
CHARACTERS = "abcdefghijklmnopqrstuvxyz"
SUITED = {"resource": "Resource", "heldResource": "Resource", "ammo": "Resource", "resource_name": "Resource"}
SUITED |= {"spawnPoint": "Spawn"}
"""Parameters that only matter for some classes, by a word in the names of those."""


@dataclass(frozen=True)
class RandomPlay:
    """A game, a level for it, and what to do: per tick the action codes of two players, of whom one may not exist."""

    game: str
    level: str
    seed: int
    actions: tuple[tuple[int, int], ...]

    def __repr__(self) -> str:
        return f"game:\n{self.game}\nlevel:\n{self.level}\nseed: {self.seed}\nactions: {list(self.actions)}"


def random_play(c: Choices, *, ticks: int = 40, cells: int = 12) -> RandomPlay:
    """A random game and up to `ticks` random actions on a random level of at most `cells` x `cells` cells."""
    writer = GameWriter(c)
    game = writer.text()
    level = random_level(c, writer.mapping, writer.players, cells)
    return RandomPlay(game, level, c.integer(0, 1 << 16), random_actions(c, writer.players, ticks))


def random_actions(c: Choices, players: int, ticks: int) -> tuple[tuple[int, int], ...]:
    """From 1 to `ticks` pairs of action codes; seldom an ESCAPE, which ends the play."""
    most = 6 if c.chance(3) else 5
    return tuple((c.integer(0, most), c.integer(0, most) if players == 2 else 0) for _ in range(c.integer(1, ticks)))


def random_level(c: Choices, mapping: dict[str, list[str]], players: int, cells: int) -> str:
    """A level text: mostly a rectangle of mapped characters with as many avatars as players."""
    width, height = c.integer(1, cells), c.integer(1, cells)
    crowded = c.chance(30)
    signs = sorted(sign for sign in mapping if sign not in "AB")
    if c.chance(5):
        signs.append(c.pick(("?", " ", "\t", "é")))
    rows = [
        [c.pick(signs) if signs and c.chance(80 if crowded else 30) else "." for _ in range(width)]
        for _ in range(height)
    ]
    for player in range(players if not c.chance(4) else c.integer(0, 3)):
        rows[c.integer(0, height - 1)][c.integer(0, width - 1)] = "AB"[player % 2]
    lines = ["".join(row) for row in rows]
    if c.chance(3):
        at = c.integer(0, height - 1)
        lines[at] = lines[at][: c.integer(0, width)] + c.pick(("", "AA", "www"))
    return "\n".join(lines)


class GameWriter:
    """Writes one random game; afterwards `mapping` and `players` are what a level needs."""

    def __init__(self, c: Choices) -> None:
        self.c = c
        self.wildness = c.pick((0, 4, 20, 60))
        self.players = 2 if c.chance(25) else 1
        self.names: list[str] = []
        self.groups: list[str] = []
        self.mapping: dict[str, list[str]] = {}
        self.classes: dict[str, str] = {}
        """Class of each sprite that names one."""
        self.used: list[str] = []
        """Effects of the rules so far."""
        self.blanks: list[str] = []
        """Names of game-space parameters, which stand for numbers."""

    def text(self) -> str:
        """The text of the game."""
        c = self.c
        leaves = c.integer(2, 10)
        self.avatars = ["hero", "rival"][: max(1, self.players)]
        self.names = [*self.avatars, *(f"s{k}" for k in range(leaves))]
        space = c.chance(8)
        if space:
            self.blanks = ["PAUSE", "RATE"]
        sets = [("SpriteSet", self._sprites(leaves)), ("InteractionSet", self._rules())]
        sets += [("TerminationSet", self._terminations()), ("LevelMapping", self._mapping())]
        if space:
            sets.append(("ParameterSet", self._parameters()))
        lines = [self._header("GameSpace" if space else "BasicGame")]
        for name, body in sets:
            lines.append(f"    {name}")
            lines += [f"        {line}" for line in body]
        return "\n".join(lines) + "\n"

    # --- parts ---

    def _header(self, name: str) -> str:
        c = self.c
        words = [name]
        if not c.chance(20):
            words.append(f"square_size={c.pick((10, 1, 2, 7, 16, 25, 50))}")
        if self.players == 2:
            words.append("no_players=2")
        if c.chance(40):
            words.append(f"no_counters={c.integer(1, 3)}")
        if c.chance(10):
            words.append("key_handler=Pulse")
        if c.chance(60):
            words.append("obs=" + ",".join(c.several(self._known().sprites, 1, 3)))
        if c.chance(self.wildness // 10):
            param = c.pick(tuple(ontology.GAME_PARAMS.values()))
            words.append(f"{param.name}={value(c, param, self._known())}")
        return " ".join(words)

    def _known(self) -> Names:
        return Names([*self.names, *self.groups, "wall"], self.wildness)

    def _sprites(self, leaves: int) -> list[str]:
        """Lines of the SpriteSet: a forest, whose inner nodes sometimes have a class, a singleton, or parameters."""
        c = self.c
        lines: list[str] = []
        depth = 0
        own_class = [False]
        for k in range(leaves):
            if depth and c.chance(40):
                depth -= 1
                own_class.pop()
            if depth < 3 and k + 1 < leaves and c.chance(20):
                group = f"g{len(self.groups)}"
                self.groups.append(group)
                spec = ontology.SPRITE_CLASSES[c.pick(OTHERS)] if c.chance(40) else None
                lines.append("    " * depth + self._sprite(group, spec, grouping=True))
                own_class.append(own_class[-1] or spec is not None)
                depth += 1
            spec = ontology.SPRITE_CLASSES[c.pick(OTHERS if not c.chance(5) else AVATARS)]
            if own_class[-1] and c.chance(90):
                lines.append("    " * depth + self._sprite(f"s{k}", None))
            else:
                lines.append("    " * depth + self._sprite(f"s{k}", spec))
        for name in self.avatars:
            lines.append(self._sprite(name, ontology.SPRITE_CLASSES[c.pick(AVATARS)]))
        if c.chance(10):
            lines.append(self._sprite("wall", ontology.SPRITE_CLASSES[c.pick(OTHERS)]))
        return lines

    def _sprite(self, name: str, spec: SpriteClass | None, *, grouping: bool = False) -> str:
        c = self.c
        words = [name, ">"]
        if spec is not None:
            self.classes[name] = spec.name
            words.append(spec.name)
            words += self._options(spec.params, spec.required, spec.own)
            if spec.name.startswith("Resource") or c.chance(4):
                words += self._options({"limit": Param("limit", "int", 2, "", range=(1, 12))}, (), ("limit",))
        lively = {key: ontology.SPRITE_BASE_PARAMS[key] for key in LIVELY}
        for key in c.several(tuple(lively), 0, 2):
            words.append(self._option(lively[key]))
        if c.chance(12):
            words.append(self._option(c.pick(tuple(ontology.SPRITE_BASE_PARAMS.values()))))
        if spec is not None and not grouping and c.chance(12):
            words.append(CONTINUOUS[0])
            words += [self._option(spec.params[key]) for key in c.several(CONTINUOUS[1:], 1, 3)]
        if c.chance(8):
            words.append("singleton=True")
        return " ".join(words)

    def _rules(self) -> list[str]:
        c = self.c
        lines = []
        known = self._known()
        for _ in range(c.integer(1, 14)):
            spec = ontology.EFFECTS[c.pick(EFFECTS)]
            self.used.append(spec.name)
            first = sprite(c, known)
            place = c.integer(0, 9)
            seconds = ["EOS"] if place == 8 else ["TIME"] if place == 9 else c.several(known.sprites, 1, 2)
            words = [first, *seconds, ">", spec.name]
            words += self._options(spec.params, spec.required, spec.own)
            if spec.name == "addTimer":
                words += self._inner(words)
            if spec.name == "addTimer" or place == 9:
                words += self._options(ontology.TIME_EFFECT_PARAMS, ("timer",), ("repeating", "nextExecution"))
            for key in c.several(tuple(ontology.EFFECT_BASE_PARAMS), 0, 2):
                words.append(self._option(ontology.EFFECT_BASE_PARAMS[key]))
            lines.append(" ".join(words))
        return lines

    def _inner(self, words: list[str]) -> list[str]:
        """Parameters of the effect that an addTimer names on its line."""
        named = next((word[6:] for word in reversed(words) if word.startswith("ftype=")), "")
        spec = ontology.EFFECTS.get(named)
        return self._options(spec.params, spec.required, spec.own) if spec is not None else []

    def _terminations(self) -> list[str]:
        c = self.c
        lines = []
        for _ in range(c.integer(0, 4)):
            spec = ontology.TERMINATIONS[c.pick(tuple(ontology.TERMINATIONS))]
            options = self._options(spec.params, (*spec.required, "win"), (*spec.own, "limit", "count_score"))
            if spec.name == "Timeout" and not c.chance(30):
                options.append(f"limit={c.integer(3, 60)}")
            lines.append(" ".join([spec.name, *options]))
        return lines

    def _mapping(self) -> list[str]:
        c = self.c
        self.mapping = {"A": [self.avatars[0]], "B": [self.avatars[-1]]}
        everything = [name for name in self.names if name not in self.avatars]
        for sign, name in zip(CHARACTERS, everything, strict=False):
            self.mapping[sign] = [name]
            if c.chance(15):
                self.mapping[sign] += c.several([*everything, "wall"], 1, 2)
        if c.chance(self.wildness // 4):
            self.mapping["z"] = [c.pick(("ghost", "hero", *self.groups))]
        return [f"{sign} > {' '.join(names)}" for sign, names in self.mapping.items()]

    def _parameters(self) -> list[str]:
        c = self.c
        return [
            f"PAUSE > values={c.integer(0, 3)}:{c.integer(1, 2)}:{c.integer(3, 9)} string=x",
            f"RATE > values={c.pick(('0.1:0.1:0.9', '1.5:1.0:3.5', 'True:False'))}",
        ]

    # --- options ---

    def _options(self, params: Mapping[str, Param], required: Iterable[str], likely: Iterable[str]) -> list[str]:
        """Required parameters (hardly ever left out), and some of the likely ones."""
        c = self.c
        words = []
        wanted = tuple(required)
        for key in wanted:
            if key in params and not c.chance(self.wildness // 10):
                words.append(self._option(params[key]))
        for key in likely:
            if key in params and key not in wanted and c.chance(40):
                words.append(self._option(params[key]))
        return words

    def _option(self, param: Param) -> str:
        c = self.c
        if self.blanks and param.type in ("int", "double") and c.chance(10):
            return f"{param.name}={c.pick(self.blanks)}"
        suited = [name for name, word in self.classes.items() if SUITED.get(param.name, "?") in word]
        if param.type == "effect" and c.chance(70):
            suited = [name for name in self.used if name != "addTimer"]
        if suited and c.chance(80):
            return f"{param.name}={c.pick(suited)}"
        return f"{param.name}={value(c, param, self._known())}"
