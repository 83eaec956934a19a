"""Phrases about every sprite class and its movement (reference/sprites 7); avatars are in `avatars`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pcg.describe.noun_phrases import Names, Params, count, direction, every, joined, number, pace, percent, sentence
from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.definition import SpriteType

_CONT = 1


@dataclass(slots=True)
class Sprite:
    """A sprite type about to be put in words."""

    sprite: SpriteType
    names: Names
    p: Params

    @property
    def pixels(self) -> bool:
        """True when it moves by continuous physics."""
        return self.p["physicstype"] == _CONT

    def pace(self, active: bool = False) -> str:
        """The speed in words: "one cell every 3 ticks". `active` movers go a cell even at speed 0."""
        speed = self.p.number("speed")
        ticks = max(1.0, self.p.number("cooldown"))
        if self.pixels:
            return f"{count(speed, 'pixel')} a tick"
        if speed == -1 or (speed == 0 and active):
            speed = 1.0
        if speed == 0:
            return "not at all"
        return pace(speed, ticks)

    def flies(self) -> str:
        """The movement of something with an orientation; "" if it stays."""
        where = direction(self.p["orientation"])
        speed = self.p.number("speed")
        if speed == 0 or self.p.flag("is_static") or self.p.flag("only_active"):
            return ""
        if not where:
            return f"moves on in its direction, {self.pace()}" if self.p.flag("is_oriented") else ""
        goes = "in a random direction" if "random" in where else where
        return f"moves {goes}, {self.pace()}"

    def makes(self, key: str) -> str:
        """The product of a producer, its frequency and its end."""
        p = self.p
        prob, total = p.number("prob"), p.number("total")
        limit = f", {number(total)} in all, then disappears" if total > 0 else ""
        faces = direction(p["spawnorientation"])
        faced = f", heading {faces}" if faces else ""
        last = "and" if key == "stypes" else "or"
        made, often = self.names.any_of(p[key], last), every(p.number("cooldown"))
        if prob < 1:
            often = f"with a chance of {percent(prob)} {often}"
        return f"makes {made} {often}{faced}{limit}"

    def targets(self, key: str) -> str:
        """The prey of a chaser: "the hero", "the nearest sheep"."""
        kinds = [k.strip() for k in str(self.p[key] or "").split(",") if k.strip()]
        return joined([self.names.the(k) if self.names.is_you(k) else f"the nearest {self.names.noun(k)}"
                       for k in kinds], "or") or "nothing"  # fmt: skip


Phrase = Callable[[Sprite], str]


def _still(s: Sprite) -> str:
    return s.flies() or "stays where it is"


def _passive(s: Sprite) -> str:
    return s.flies() or "stays where it is unless something moves it"


def _resource(s: Sprite) -> str:
    p = s.p
    value, limit = p.number("value"), p.number("limit")  # of a pack, the limit is not registered
    name = str(p["resource_name"] or s.sprite.name)
    worth = f", worth {number(value)}" if value != 1 else ""
    counts = f", counts as {s.names.noun(name)}" if name != s.sprite.name else ""
    held = f"; at most {number(limit)} can be held" if s.sprite.class_name == "Resource" else ""
    return f"a resource{counts}{worth}{held}" + (f"; {f}" if (f := s.flies()) else "")


def _flicker(s: Sprite) -> str:
    age = s.p.number("age")
    start = f" (it starts at age {number(age)})" if age else ""
    moves = f", {f}" if (f := s.flies()) else ""
    return f"disappears by itself after {count(s.p.number('limit') + 1, 'tick')}{start}{moves}"


def _spreader(s: Sprite) -> str:
    prob = s.p.number("spreadprob")
    what = s.names.any_of(s.p["stype"]) if s.p["stype"] else s.names.a(s.sprite.id)
    chance = "" if prob >= 1 else f" with a chance of {percent(prob)} each"
    return f"{_flicker(s)}, and spreads {what} to the four cells around it{chance}"


def _missile(s: Sprite) -> str:
    return s.flies() or "stays where it is"


def _random_missile(s: Sprite) -> str:
    if direction(s.p["orientation"]) == "random":
        return f"flies on in a direction drawn at random, {s.pace()}"
    return _missile(s)


def _straight(s: Sprite) -> str:
    cons = s.p.number("cons")
    return f", keeping each direction for {count(cons + 1, 'move')}" if cons else ""


def _random(s: Sprite) -> str:
    return f"walks at random, {s.pace(True)}{_straight(s)}"


def _inertial(s: Sprite) -> str:
    return f"is pushed about at random, starting at {s.pace(True)}{_straight(s)}"


def _chaser(s: Sprite) -> str:
    p = s.p
    verb = "runs away from" if p.flag("fleeing") else "chases"
    far = p.number("maxDistance")
    near = "" if far < 0 else f" within {number(far)} pixels"
    seen = " when it happens to look along its row or column" if s.sprite.class_name == "LOSChaser" else ""
    return f"{verb} {s.targets('stype')}{near}{seen}, {s.pace(True)}{_wanders(s)}"


def _wanders(s: Sprite) -> str:
    cons = s.p.number("cons")
    return f"; without a target it wanders, keeping each direction for {count(cons + 1, 'move')}" if cons else ""


def _path_chaser(s: Sprite) -> str:
    return f"follows the shortest path to {s.targets('stype')}, {s.pace(True)}{_wanders(s)}"


def _alternate(s: Sprite) -> str:
    p, name = s.p, s.sprite.class_name or ""
    p["stype2"], p["cons"]  # neither matters to these classes
    how = "follows the shortest path to" if "Path" in name else "chases"
    flees = " (flees as long as there never was one)" if p.flag("fleeing") else ""
    drawn = ", drawn at random," if "randomTarget" in ontology.SPRITE_CLASSES[name].params and p.flag(
        "randomTarget") else ""  # fmt: skip
    if "epsilon" in ontology.SPRITE_CLASSES[name].params and (chance := p.number("epsilon")) > 0:
        wanders = f"; {percent(chance)} of its moves are random"
    else:
        wanders = ""
    return f"{how} {s.targets('stype1')}{drawn}{flees}, {s.pace(True)}{wanders}"


def _walker(s: Sprite) -> str:
    air = ", steering in the air" if s.p.flag("airsteering") else ""
    top = s.p.number("max_speed")
    return f"walks to and fro, up to {count(top, 'pixel')} a tick, starting at {number(s.p.number('speed'))}{air}"


def _jumper(s: Sprite) -> str:
    chance = percent(s.p.number("probability"))
    return f"{_walker(s)}, and jumps with a chance of {chance} a tick (strength {number(s.p.number('jump_strength'))})"


def _bomber(s: Sprite) -> str:
    moves = s.flies()
    return f"{moves}, and {s.makes('stype')}" if moves else s.makes("stype")


def _random_bomber(s: Sprite) -> str:
    return f"walks at random, {s.pace(True)}, and {s.makes('stype')}"


def _mixed_bomber(s: Sprite) -> str:
    moves = s.flies()
    text = f"{s.makes('stypeMissile')}, drawn at random each time"
    return f"{moves}, and {text}" if moves else text


CLASSES: Mapping[str, Phrase] = {
    "Immovable": _still,
    "Door": _still,
    "Passive": _passive,
    "Resource": _resource,
    "ResourcePack": _resource,
    "Conveyor": lambda s: f"stays where it is and points {direction(s.p['orientation']) or 'nowhere'}",
    "SpriteProducer": _still,
    "Portal": lambda s: f"an entrance that leads to {s.names.any_of(s.p['stype'])}",
    "Flicker": _flicker,
    "OrientedFlicker": _flicker,
    "Spreader": _spreader,
    "Missile": _missile,
    "RandomMissile": _random_missile,
    "ErraticMissile": _missile,
    "RandomNPC": _random,
    "RandomInertial": _inertial,
    "Chaser": _chaser,
    "Fleeing": _chaser,
    "LOSChaser": _chaser,
    "PathChaser": _path_chaser,
    "AlternateChaser": _alternate,
    "RandomAltChaser": _alternate,
    "PathAltChaser": _alternate,
    "RandomPathAltChaser": _alternate,
    "Walker": _walker,
    "WalkerJumper": _jumper,
    "SpawnPoint": _bomber,
    "Bomber": _bomber,
    "RandomBomber": _random_bomber,
    "BomberRandomMissile": _mixed_bomber,
    "SpawnPointMultiSprite": lambda s: s.makes("stypes"),
}
"""Sprite class -> how it is and moves."""

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
    if sprite.class_name is None:
        return "It cannot be made: it has no class."
    p = params_of(sprite)
    s = Sprite(sprite, names, p)
    write = CLASSES.get(sprite.class_name)
    text = write(s) if write else f"{sprite.class_name}: {ontology.SPRITE_CLASSES[sprite.class_name].help}"
    notes = common_notes(sprite, p)
    if not s.pixels and write and sprite.class_name not in ("Walker", "WalkerJumper"):
        for name in ("max_speed", "mass", "gravity", "friction"):  # without meaning on the grid
            p[name]
    if rest := p.rest():
        notes.append(rest)
    return " ".join([sentence(text), *(sentence(n) for n in notes)])


def common_notes(sprite: SpriteType, p: Params) -> list[str]:
    """Notes on what every sprite can have: life time, health, size, uniqueness, physics."""
    notes = []
    if sprite.singleton:
        notes.append("there is at most one at a time")
    if p.given("timeToLive") and p.number("timeToLive") >= 0:
        notes.append(f"it disappears after {count(p.number('timeToLive'), 'tick')}")
    if p.given("healthPoints"):
        most = p.number("limitHealthPoints")
        limit = "" if not p.given("limitHealthPoints") else f", with {number(most)} as limit"
        notes.append(f"it starts with {count(p.number('healthPoints'), 'health point')}{limit}")
    if p.given("wMult") or p.given("hMult"):
        notes.append(f"it is {number(p.number('wMult'))} cells wide and {number(p.number('hMult'))} high")
    if p["physicstype"] == _CONT:
        forces = [
            f"{label} {number(p.number(key))}"
            for key, label in (("gravity", "gravity"), ("mass", "mass"), ("friction", "friction"),
                               ("max_speed", "top speed"))
            if p.given(key)
        ]  # fmt: skip
        if forces:
            notes.append(f"it moves smoothly: {', '.join(forces)}")
    if p.given("rotation"):
        notes.append(f"it starts turned by {number(p.number('rotation'))} radians")
    if p.given("solid") and p.flag("solid") and sprite.line:
        notes.append("one can stand on it")
    if p.given("stationary") and p.flag("stationary"):
        notes.append("it cannot move by itself")
    return notes
