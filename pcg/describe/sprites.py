"""Phrases about every sprite class and its movement (reference/sprites 7); avatars are in `avatars`.

The phrase of a class is a template in the section `classes` of a language's file; the parts that classes share are in
`sprite_parts`.
"""

from __future__ import annotations

from pcg.describe.noun_phrases import Params
from pcg.describe.templates import fill
from pcg.describe.wording import Given, Names, Wording
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import SpriteType, Value

_CONT = 1
_RANDOM = (-1, -1)
_DEGREES = 57.29577951


class SpriteWording(Wording):
    """A sprite type about to be put in words.

    `{pace}` is its speed, `{active_pace}` the same for what goes a cell even at speed 0, `{flies}` the movement of
    something with an orientation, "" if it stays; `{heads}` that orientation, `random` true for one drawn at random;
    `{own}` a sprite of the type; `{counts_as}` another resource that it is; `{shots}` and `{each_shot}` what an avatar
    makes, without and with its cost, `fires` true where that flies off, `stays` where it stays. Of parameters,
    `{makes:stype}` is the work of a producer, `{targets:stype}` the prey of a chaser, `{each:stype}` a list of new
    things, `{first:ammo}` the noun of the first type.
    """

    def __init__(self, sprite: SpriteType, names: Names, p: Params) -> None:
        values: dict[str, Given] = {
            "pace": self._pace,
            "active_pace": lambda: self._pace(active=True),
            "flies": self._flies,
            "heads": lambda: self.language.direction(self.p["orientation"]),
            "random": self._is_random,
            "by_pixels": lambda: "yes" if self.by_pixels else "",
            "own": lambda: names.a(sprite.id),
            "wall": lambda: names.a("wall"),
            "counts_as": self._counts_as,
            "shots": lambda: names.any_of(sprite.params.get("stype")),
            "each_shot": self._each_shot,
            "fires": lambda: "fires" if any(spec.moves for spec in self._made()) or not self._made() else "",
            "stays": self._stays,
        }
        super().__init__(names.language, values, names, p, shared="sprite_parts")
        self.sprite = sprite

    @property
    def by_pixels(self) -> bool:
        """True when it moves by continuous physics."""
        return self.p["physicstype"] == _CONT

    def _is_random(self) -> str:
        """A text when its orientation is drawn at random, else ""."""
        return "random" if self.p["orientation"] == _RANDOM else ""

    def field(self, name: str, argument: str, text: str) -> str:
        match name:
            case "steers":
                return self._part("steers", direction_of_keys=text)
            case "makes":
                return self._makes(argument)
            case "targets":
                return self._targets(argument)
            case "each":
                return self.language.joined(self.names.a(name) for name in _listed(self.p[argument]))
            case "first":
                return self.names.noun(_listed(self.p[argument])[0])
            case "degrees":
                return self.language.number(round(self.p.number(argument) * _DEGREES, 1))
        return super().field(name, argument, text)

    def is_true(self, name: str) -> bool:
        return bool(_listed(self.p[name])) if name == "ammo" else super().is_true(name)

    def in_turn(self) -> list[str]:
        """The shots of an avatar that has a key for each of them."""
        weapons, ammo = _listed(self.p["stype"]), _listed(self.p["ammo"])
        way = self.language.direction(self.p["orientation"]) or self.language.say("avatar.ahead")
        return [self._shot("avatar.in_turn", k, weapon, ammo, way=way) for k, weapon in enumerate(weapons)]

    def _part(self, key: str, **values: Given) -> str:
        """A shared part with further values."""
        whole = Wording(self.language, {**self.values, **values}, self.names, self.p, shared="sprite_parts")
        return fill(self.shared[key], whole)

    def _pace(self, active: bool = False) -> str:
        speed = self.p.number("speed")
        ticks = max(1.0, self.p.number("cooldown"))
        if self.by_pixels:
            return self._part("pixel_pace", speed=speed)
        if speed == -1 or (speed == 0 and active):
            speed = 1.0
        return self.language.pace(speed, ticks) if speed else self.language.say("avatar.not_at_all")

    def _flies(self) -> str:
        where = self.language.direction(self.p["orientation"])
        if self.p.number("speed") == 0 or self.p.flag("is_static") or self.p.flag("only_active"):
            return ""
        return self._part("moves", where=where) if where or self.p.flag("is_oriented") else ""

    def _counts_as(self) -> str:
        name = str(self.p["resource_name"] or self.sprite.name)
        return self.names.noun(name) if name != self.sprite.name else ""

    def _makes(self, key: str) -> str:
        p, language = self.p, self.language
        prob = p.number("prob")
        return self._part(
            "makes",
            made=self.names.any_of(p[key], "and" if key == "stypes" else "or"),
            often=language.every(p.number("cooldown")),
            chance=language.percent(prob) if prob < 1 else "",
            faces=language.direction(p["spawnorientation"]),
            total=max(0.0, p.number("total")),
        )

    def _targets(self, key: str) -> str:
        names = self.names
        kinds = [
            names.the(k) if names.is_you(k) else self._part("nearest", noun=names.noun(k)) for k in _listed(self.p[key])
        ]
        return self.language.joined(kinds, "or") or names.any_of(None)

    def _each_shot(self) -> str:
        weapons, ammo = _listed(self.p["stype"]), _listed(self.p["ammo"])
        shots = [self._shot("sprite_parts.shot", k, weapon, ammo) for k, weapon in enumerate(weapons)]
        return self.language.joined(shots, "or else")

    def _stays(self) -> str:
        made = self._made()
        return "stays" if made and not any(spec.moves or spec.dies for spec in made) else ""

    def _made(self) -> list[ontology.SpriteClass]:
        """The classes of what an avatar makes, those that are known."""
        definition = self.names.definition
        named = [definition.type_index[n] for n in _listed(self.p["stype"]) if n in definition.type_index]
        classes = (definition.types[u].class_name or "" for t in named for u in definition.types[t].subtypes)
        return [spec for name in classes if (spec := ontology.SPRITE_CLASSES.get(name)) is not None]

    def _shot(self, key: str, nth: int, weapon: str, ammo: list[str], **values: Given) -> str:
        used = self.names.noun(ammo[nth]) if nth < len(ammo) else ""
        return self.language.say(key, weapon=self.names.a(weapon), ammo=used, one=1, **values)


def _listed(value: Value | None) -> list[str]:
    """The names in a list separated by commas."""
    return [name.strip() for name in str(value or "").split(",") if name.strip()]


_QUIET = (
    "name", "is_static", "only_active", "is_avatar", "is_stochastic", "is_npc", "is_resource", "portal",
    "is_from_avatar", "is_oriented", "orientation", "speed", "cooldown", "lastmove", "rotateInPlace", "isFirstTick",
    "physicstype", "singleton", "on_ground", "hidden", "invisible",
)  # fmt: skip
"""Fields that the phrase of the class has told, or that nobody who plays needs to know."""


def params_of(sprite: SpriteType) -> Params:
    """The parameters of a type of a known class."""
    known = ontology.SPRITE_CLASSES[sprite.class_name or ""].params
    return Params(sprite.params, known, told=_QUIET)


def thing_text(sprite: SpriteType, names: Names) -> str:
    """The phrase about a sprite type and its movement, every parameter that matters to play included."""
    language = names.language
    if sprite.class_name is None:
        return language.say("classes.no_class")
    p = params_of(sprite)
    wording = SpriteWording(sprite, names, p)
    phrase = language.words["classes"].get(sprite.class_name)
    if phrase:
        text = fill(phrase, wording)
    else:
        help = ontology.SPRITE_CLASSES[sprite.class_name].help
        text = language.say("classes.by_help", name=sprite.class_name, help=help)
    notes = common_notes(wording)
    if not wording.by_pixels and phrase and sprite.class_name not in ("Walker", "WalkerJumper"):
        for name in ("max_speed", "mass", "gravity", "friction"):  # without meaning on the grid
            p[name]
    if rest := language.rest(p):
        notes.append(rest)
    return language.sentences(language.sentence(part) for part in (text, *notes))


def common_notes(wording: SpriteWording) -> list[str]:
    """Notes on what every sprite can have: life time, health, size, uniqueness, physics."""
    p, language = wording.p, wording.language

    def note(key: str, **values: Given) -> str:
        return fill(language.words["sprite_notes"][key], Wording(language, values, wording.names, p))

    notes = []
    if wording.sprite.singleton:
        notes.append(note("singleton"))
    if p.given("timeToLive") and p.number("timeToLive") >= 0:
        notes.append(note("life"))
    if p.given("healthPoints"):
        notes.append(note("health", limited=p.given("limitHealthPoints")))
    if p.given("wMult") or p.given("hMult"):
        notes.append(note("size"))
    if wording.by_pixels:
        forces = [note(key) for key in ("gravity", "mass", "friction", "max_speed") if p.given(key)]
        if forces:
            notes.append(note("forces", forces=language.listed(forces)))
    if p.given("rotation"):
        notes.append(note("rotation"))
    if p.given("solid") and p.flag("solid") and wording.sprite.line:
        notes.append(note("solid"))
    if p.given("stationary") and p.flag("stationary"):
        notes.append(note("stationary"))
    return notes
