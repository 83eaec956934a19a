"""Concepts of games: five words for what a game is about, used to tell games apart and as axes of archives.

The space is that of a designer's first sentence: what the goal is, where danger comes from, what the player controls,
how fast things move, and whether chance plays a part. It is read from rules and levels, without a play; GAVEL (Todd et
al. 2024) spans its archive by concepts of board games in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Protocol

from pcg.engine.game import Game
from pcg.engine.vgdl.definition import Level
from pcg.evaluators.analysis import Ending, product_parameter
from pcg.evaluators.judging.game_kinds import MOVING, GameKinds, game_kinds, lasting

GOALS: Mapping[str, str] = {
    "survive": "stay alive until time is up",
    "escort": "bring another sprite to a place",
    "push": "push objects onto places",
    "destroy": "destroy sprites that move or shoot",
    "hunt": "catch moving sprites",
    "collect": "collect several objects",
    "reach": "get to one place",
    "build": "create a number of sprites",
    "race": "reach a place before another sprite",
    "other": "none of these",
}
"""Families of goals."""
DANGERS = ("none", "chasers", "wanderers", "missiles", "places", "time", "loss")
"""Sources of danger: sprites that chase the avatar, wander, fly straight, or stand still; the time limit; the loss of
something to be guarded."""
CONTROLS = ("walk", "shoot", "line", "still", "jump")
"""Kinds of control: four directions, four directions and shots, along a line, without moving, under gravity."""
_TITLES: Mapping[str, str] = {
    "survive": "Last to the End", "escort": "Company for the {x}", "push": "Pushing {xs}",
    "destroy": "War on {xs}", "hunt": "Hunting {xs}", "collect": "Gathering {xs}",
    "reach": "The Way to the {x}", "build": "Making {xs}", "race": "Racing to the {x}",
    "other": "The Matter of the {x}",
}  # fmt: skip
"""Titles by goal, of one `{x}` or of several `{xs}`."""
NUMBER = re.compile(r"(?<=.) ?[0-9]+$")
"""The number that tells a type from others of its name."""


class NamedType(Protocol):
    """A sprite type and its name in sentences, as `pcg.describe` has it."""

    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Concept:
    """The subject of a game.

    Attributes:
        goal: a key of `GOALS`.
        danger: of `DANGERS`.
        control: of `CONTROLS`.
        tempo: "turns" where nothing moves by itself, else "action".
        chance: "chance" where the rules draw random numbers, else "certain".
        targets: names of the types that the goal is about.
        pushed: names of the types that are pushed, where it is about pushing.
    """

    goal: str
    danger: str
    control: str
    tempo: str
    chance: str
    targets: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The concept in five words."""
        return " ".join(astuple(self)[:5])

    def distance(self, other: Concept) -> float:
        """Return the share of the five that differ, the goal counting twice, in [0, 1].

        >>> a = Concept("reach", "none", "walk", "turns", "certain")
        >>> a.distance(a), a.distance(Concept("collect", "none", "walk", "turns", "certain"))
        (0.0, 0.3333333333333333)
        """
        differ = [a != b for a, b in zip(astuple(self)[:5], astuple(other)[:5], strict=True)]
        return float((differ[0] + sum(differ)) / 6.0)

    def title(self, things: Sequence[NamedType] = (), plural: Callable[[str], str] = "{}s".format) -> str:
        """Return a title.

        Args:
            things: that have names in sentences.
            plural: more than one of what a noun names.

        >>> Concept("collect", "none", "walk", "turns", "certain", ("coin",)).title()
        'Gathering Coins'
        """
        names = {thing.type: thing.name for thing in things}
        about = self.pushed or self.targets
        one = NUMBER.sub("", names.get(about[0], about[0])) if about else "thing"
        x, xs = (" ".join(word[:1].upper() + word[1:] for word in noun.split()) for noun in (one, plural(one)))
        return _TITLES[self.goal].format(x=x, xs=xs)


def concept_of(game: Game, levels: Sequence[Level]) -> Concept:
    """Return what a game is about.

    Args:
        game: with one player.
        levels: read for it.

    >>> import pcg
    >>> [concept_of(g, [g.read_level(0)]).goal for g in map(pcg.load, ("boxes", "hunt", "dungeon"))]
    ['push', 'hunt', 'reach']
    """
    return concept(game_kinds(game.definition, levels), levels)


def concept(kinds: GameKinds, levels: Sequence[Level]) -> Concept:
    """Return what a game is about, from the kinds of its sprites and its levels."""
    analysis = kinds.analysis
    goal, targets = _goal(kinds, levels)
    moves = any(analysis.has(t, "mover") and kinds.kinds[t] != "avatar" for t in kinds.present)
    return Concept(
        goal=goal,
        danger=_danger(kinds),
        control=_control(kinds),
        tempo="action" if moves else "turns",
        chance="chance" if _draws(kinds) else "certain",
        targets=tuple(kinds.name(t) for t in targets),
        pushed=tuple(kinds.name(t) for t in _pushed(kinds, targets)) if goal == "push" else (),
    )  # fmt: skip


def _goal(kinds: GameKinds, levels: Sequence[Level]) -> tuple[str, tuple[int, ...]]:
    found = [(_family(kinds, ending, levels), ending) for ending in kinds.analysis.wins]
    if not found:
        return "other", ()
    # a game that can be won by waiting as well is about the other goal
    found.sort(key=lambda one: (one[0] == "survive", one[0] == "other", one[1].index))
    family, ending = found[0]
    types = [t for t in ending.types if t in kinds.present] or list(ending.types)
    if family in ("hunt", "destroy"):
        types.sort(key=lambda t: kinds.kinds[t] not in MOVING)  # these are what it is about
    elif family == "push":
        types.sort(key=lambda t: not _pushed_into(kinds, [t]))
    return family, tuple(types)


def _pushed(kinds: GameKinds, targets: Sequence[int]) -> list[int]:
    """Return the types that are pushed: those of the targets that can be, or else what takes targets away."""
    analysis = kinds.analysis
    boxes = [t for t in targets if analysis.has(t, "pushable")]
    takers = {r.partner for r in analysis.removals if r.victim in targets and r.partner is not None}
    return boxes or sorted(t for t in takers if analysis.has(t, "pushable"))


def _family(kinds: GameKinds, ending: Ending, levels: Sequence[Level]) -> str:
    analysis = kinds.analysis
    if ending.kind == "timeout":
        return "survive"
    types = [t for t in ending.types if t in kinds.present]
    if not types:
        return "other"
    if ending.kind == "appear":
        return "push" if _pushed_into(kinds, types) else "build"
    if _pushed_into(kinds, types):
        return "push"
    takers = {r.partner for r in analysis.removals if r.victim in types and r.partner is not None}
    avatars = {t for t in takers if kinds.kinds[t] == "avatar"}
    moving = any(kinds.kinds[t] in MOVING or analysis.has(t, "mover") for t in types)
    shots = {t for t in takers if kinds.kinds[t] == "shot"}
    if shots and not avatars:
        return "destroy"
    if avatars:
        if moving:
            return "hunt"
        losers = {t for e in analysis.losses for t in e.types}
        rivals = {t for t in takers - avatars if kinds.kinds[t] in MOVING and t not in losers}
        if rivals:
            return "race"
        most = max((sum(t in types for t, _, _ in level.placements) for level in levels), default=0)
        grown = any(s.product in types and not s.consumes_maker and s.maker in kinds.present for s in analysis.sources)
        return "collect" if grown or most - ending.limit > 1 else "reach"
    if any(kinds.kinds[t] in ("chaser", "wanderer", "walker") for t in takers):
        return "escort"
    # what runs away or follows is driven or led to a place
    led = all(analysis.has(t, "mover") and not analysis.harms(t) for t in types)
    if led and takers and not any(analysis.has(t, "mover") or kinds.kinds[t] == "shot" for t in takers):
        return "escort"
    return "destroy" if takers else "other"


def _pushed_into(kinds: GameKinds, types: Sequence[int]) -> bool:
    """Return True where what counts goes, or comes about, when something is pushed against something else.

    A crate that is shot, or eaten by what roams, is not pushed to a place, and nobody needs a crate for what a touch
    or a shot takes away.
    """
    analysis, taken = kinds.analysis, kinds.taken_or_shot()
    pushed = {t for t in analysis.concrete if analysis.has(t, "pushable")}

    def onto(one: int, other: int | None) -> bool:
        if other is None or kinds.kinds.get(other) in ("avatar", "shot"):
            return False
        return one in pushed and (other in pushed or not analysis.has(other, "mover"))

    gone = any(
        r.victim in types
        and r.victim not in taken
        and (onto(r.victim, r.partner) or (r.partner in pushed and r.victim not in analysis.avatars))
        for r in analysis.removals
    )
    made = ((s.maker, s.partner) for s in analysis.sources if s.product in types and s.partner is not None)
    return gone or any(onto(one, other) or onto(other, one) for one, other in made)


def _danger(kinds: GameKinds) -> str:
    analysis = kinds.analysis
    harmful = kinds.dangers()
    for name, of in (
        ("chasers", ("chaser",)),
        ("missiles", ("missile", "spawner")),
        ("wanderers", ("wanderer", "walker")),
    ):
        if any(kinds.kinds[t] in of and kinds.goes(t) for t in harmful):
            return name
    if harmful:
        return "places"
    losses = [
        e for e in analysis.losses
        if not (e.kind == "vanish" and set(e.types) <= set(analysis.avatars)) and not lasting(analysis, e, kinds.levels)
    ]  # fmt: skip
    if any(e.kind == "timeout" for e in losses):
        return "time"
    return "loss" if losses else "none"


def _control(kinds: GameKinds) -> str:
    analysis = kinds.analysis
    if analysis.mobility == "platform":
        return "jump"
    if analysis.mobility == "none":
        return "still"
    if analysis.mobility in ("horizontal", "vertical"):
        return "line"
    types = analysis.definition.types
    shoots = any(product_parameter(types[a]) is not None for a in analysis.start_avatars if a in kinds.present)
    return "shoot" if shoots else "walk"


def _draws(kinds: GameKinds) -> bool:
    """Return True where a sprite that can be there, or a rule, draws random numbers."""
    if any(kinds.kinds[t] == "wanderer" for t in kinds.present):
        return True
    types = kinds.definition.types
    if any(0.0 < float(types[t].params.get("prob", 1.0)) < 1.0 for t in kinds.present):  # type: ignore[arg-type]
        return True
    return any(0.0 < float(e.params.get("prob", 1.0)) < 1.0 for e in kinds.definition.effects)  # type: ignore[arg-type]
