"""Record types of the ontology: parameters, sprite classes, effects, terminations.

Only the record types; the entries are in `ontology_sprites`, `ontology_avatars`, `ontology_effects` and
`ontology_terminations`, the registry in `ontology`. Parameter types follow reference/language 1.4 and
reference/sprites 7.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pcg.engine.vgdl.definition import Value

FIELD_TYPES: Final[Mapping[str, str]] = {
    "int": "int",
    "double": "double",
    "float": "float",
    "bool": "bool",
    "text": "text",
    "direction": "direction",
    "colour": "colour",
    "image": "text",
    "sprite": "text",
    "sprites": "text",
    "effect": "text",
    "integers": "text",
    "flags": "text",
}
"""Parameter type -> type of the reference's field, which decides what fits."""

TYPE_HELP: Final[Mapping[str, str]] = {
    "int": "an integer",
    "double": "a number",
    "float": "an integer",
    "bool": "True or False",
    "text": "a word that is neither a number, nor True or False, nor a constant",
    "direction": "one of UP DOWN LEFT RIGHT NONE",
    "colour": "a colour name such as RED or LIGHTBLUE",
    "image": "an image name",
    "sprite": "the name of a sprite",
    "sprites": "names of sprites, separated by commas",
    "effect": "the name of an effect",
    "integers": "integers, separated by commas",
    "flags": "True or False, or one per player separated by commas",
}
"""Parameter type -> what a message calls it."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a class, effect or termination."""

    name: str
    type: str
    """A key of FIELD_TYPES."""
    default: Value | None
    """Value when not given; None for "none"."""
    help: str
    unit: str = ""
    range: tuple[float, float] | None = None
    """Sensible values, both ends included; a guide for generators and the strict reading, not enforced by the
    engine."""
    required: bool = False
    """Without it the entry cannot be built."""
    late: bool = False
    """A required parameter whose absence the reference only notices in play."""
    must_exist: bool = False
    """The named sprite must be defined, else the entry cannot be built."""
    inert: bool = False
    """Accepted by the reference, without influence on play."""
    drawing: bool = False
    """Only the picture depends on it."""

    @property
    def field(self) -> str:
        """Java type of the field behind it: int, double, float, bool, text, direction or colour."""
        return FIELD_TYPES[self.type]

    @property
    def references(self) -> bool:
        """True when the value names sprite types."""
        return self.type in ("sprite", "sprites")


NOTHING, SPAWN, GLIDE, OTHER = "nothing", "spawn", "glide", "other"
"""Kinds of updates of sprite classes: none of its own, drawing and spawning in place, flying on, anything else."""


@dataclass(frozen=True, slots=True)
class SpriteClass:
    """A sprite or avatar class."""

    name: str
    parent: str | None
    params: Mapping[str, Param]
    """All parameters, inherited ones included, with this class's defaults."""
    help: str
    rule: str
    """Section of the reference that describes it, "sprites 7.8"; "user" for what users registered."""
    own: tuple[str, ...] = ()
    """Names of the parameters this class adds."""
    defaults: Mapping[str, Value] = field(default_factory=dict)
    """Defaults in which this class differs from its parent."""
    actions: tuple[str, ...] = ()
    """Actions offered to a controller, in the reference's order, NIL not included. Avatars only."""
    avatar: bool = False
    moves: bool = False
    """Its own update can change its rectangle with the default parameters. (Any class that is not static moves once
    it is given a speed and an orientation.)"""
    turns: bool = False
    """Its own update can change its orientation or speed."""
    dies: bool = False
    """Its own update can kill it with the default parameters. (`timeToLive` and `total` make others mortal.)"""
    creates: tuple[str, ...] = ()
    """Parameters whose types its own update creates."""
    creates_self: bool = False
    """It creates its own type when the parameters of `creates` are absent."""
    stochastic: bool = False
    """Its own update can draw from a random generator."""
    update: str = OTHER
    """NOTHING, SPAWN, GLIDE or OTHER: all that its own update does beside the passive step. Not inherited."""
    draws_for_prob: bool = False
    """Its draws decide nothing where the parameter `prob` is 1. Not inherited."""
    timed: bool = False
    """Its own update acts by the clock."""
    rare_fields: bool = False
    """It needs the rarely used part of the sprite record, whatever its physics."""
    stands: bool = False
    """It stands and runs on what is solid, in continuous physics."""
    runnable: bool = True
    """True when the kernel has it."""
    required: tuple[str, ...] = field(init=False)
    """Names of the parameters without which it cannot be built or used."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "required", tuple(key for key, param in self.params.items() if param.required))


FIRST, SECOND, NAMED = "first", "second", "named"
"""Targets of a consequence of an effect: A, B, or the sprites of a type that a parameter names."""


@dataclass(frozen=True, slots=True)
class Does:
    """One thing that an effect does, for analyses of rules: coarse, without ticks, pixels or order."""

    kind: str
    """kill, transform, spawn, block, push, carry, teleport, collect, gain, heal, hurt, shield, turn, wrap or other."""
    target: str = FIRST
    """FIRST, SECOND or NAMED."""
    products: tuple[str, ...] = ()
    """Parameters that name the types that come into being."""
    named: str = ""
    """The parameter that names whom it befalls, where `target` is NAMED."""
    situational: bool = False
    """True when more than the meeting decides: a fall, a speed, a count, a chance."""
    holding: tuple[str, str, str, bool] | None = None
    """A condition on resources: (holder, parameter with the resource, parameter with the limit, at least?)."""
    only_if: tuple[str, bool] | None = None
    """(parameter, its default): it happens only where this flag is on."""


@dataclass(frozen=True, slots=True)
class EffectSpec:
    """An effect. A is the first sprite, B the second.

    The flags are upper bounds over all parameter values; `writes` narrows them for given parameters. "Moves" means the
    rectangle, "changes" any other field, "kills" also the disabling of an avatar.
    """

    name: str
    params: Mapping[str, Param]
    help: str
    rule: str
    own: tuple[str, ...] = ()
    """Names of the parameters beyond the base fields."""
    needs_first: bool = False
    """Without A it only logs a warning."""
    needs_second: bool = False
    """Without B it only logs a warning."""
    moves_first: bool = False
    moves_second: bool = False
    only_resets: bool = False
    """All its moves put a rectangle back to `lastrect`, so a sprite that nothing else moves stays where it is (except
    the first instance of a type with wMult or hMult, whose first `lastrect` is unscaled)."""
    changes_first: bool = False
    changes_second: bool = False
    kills_first: bool = False
    kills_second: bool = False
    creates: tuple[str, ...] = ()
    """Parameters whose types it creates (for updateSpawnType: lets spawners create)."""
    creates_first: bool = False
    """It creates a sprite of A's own type."""
    creates_subtypes: bool = False
    """The types of `creates` stand for all entries of their `sub` lists."""
    touches: tuple[str, ...] = ()
    """Parameters whose sprites it changes, moves or kills, whoever A and B are."""
    touches_subtypes: bool = False
    """`touches` means `sub(t)`, ancestors included, instead of exactly t."""
    touches_all: bool = False
    """It can write every sprite of the game."""
    only_if: Mapping[str, str] = field(default_factory=dict)
    """Flag name -> boolean parameter that must be true for it."""
    uses_prob: bool = False
    batch: bool = False
    """Runs once per A against all overlapping B by default."""
    kill: bool = False
    """The reference's is_kill_effect."""
    stochastic: bool = False
    """It can draw from the game's random generator."""
    runnable: bool = True
    orientations_read: tuple[str, ...] = (FIRST, SECOND)
    """The sprites whose orientation it may read; () also says that it writes no speed."""
    orientation_handed_to: str = ""
    """The parameter whose type gets the orientation of A, unless `forceOrientation` is on."""
    removes_first: bool = False
    """A is gone after it, whatever the parameters; False where that is not sure."""
    touches_kill_only: bool = False
    """It kills the sprites of `touches` and changes none of them."""
    rare_fields: bool = False
    """It needs the rarely used part of the sprite record."""
    record: Mapping[str, str] = field(default_factory=dict)
    """Fields of the kernel's record that another parameter than the usual one fills: field -> parameter."""
    does: tuple[Does, ...] = (Does("other"),)
    """Its consequences for A, B and others; () for one that does nothing itself."""
    harmless: bool = False
    """It leaves both sprites in the game, whatever its parameters."""
    phrase: str = ""
    """A clause that can follow "When A meets B, ...", a template of `pcg.describe.templates`: its fields are `{a}`,
    `{b}`, parameters (`{new:stype}`, `{all:stype}`, `{number:limspeed}`), shared wordings (`{gone}`, `{both}`,
    `{chance}`) and conditions on parameters (`{if:killSecond|...}`). With "" the line of help tells it."""
    phrase_zh: str = ""
    """The same in Chinese."""
    alone: str = ""
    """A whole sentence for a pair with only this effect and no parameter but a score: "{b} picks up {a}"."""
    alone_zh: str = ""
    shield_phrase: str = ""
    """The state of a sprite that is safe from it: "not killed"."""
    shield_phrase_zh: str = ""
    """A verb there, for "不会...": "杀死"."""
    scores_on_effect: bool = False
    """It scores when it takes effect, whatever `applyScore` says."""
    score_note: str = ""
    """The time at which it scores, where that is not simply when it takes effect: " either way"."""
    score_note_zh: str = ""
    counts_else: bool = False
    """It adds `counter` where its condition holds and `counterElse` where not, whatever `count` and `countElse` say."""

    def told(self, trait: str, language: str) -> str:
        """A wording, `phrase`, `alone`, `shield_phrase` or `score_note`, in a language; "" where it has none there.

        >>> from pcg.engine.vgdl import ontology
        >>> ontology.EFFECTS["killBoth"].told("phrase", "en"), ontology.EFFECTS["killBoth"].told("phrase", "zh")
        ('{a} and {b} destroy each other', '{a}和{b}同归于尽')
        """
        return str(getattr(self, trait if language == "en" else f"{trait}_{language}", ""))

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name, param in self.params.items() if param.required)

    def writes(self, params: Mapping[str, Value]) -> Mapping[str, bool]:
        """The six flags `moves_first` ... `kills_second` for given parameters.

        >>> from pcg.engine.vgdl import ontology
        >>> ontology.EFFECTS["transformTo"].writes({"stype": "rock"})["kills_second"]
        False
        """
        result = {}
        for flag in WRITE_FLAGS:
            value = bool(getattr(self, flag))
            condition = self.only_if.get(flag)
            if value and condition is not None:
                value = bool(params.get(condition, self.params[condition].default))
            result[flag] = value
        return result


WRITE_FLAGS: Final = ("moves_first", "moves_second", "changes_first", "changes_second", "kills_first", "kills_second")


@dataclass(frozen=True, slots=True)
class TerminationSpec:
    """A termination."""

    name: str
    params: Mapping[str, Param]
    help: str
    rule: str
    own: tuple[str, ...] = ()
    runnable: bool = True

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name, param in self.params.items() if param.required)
