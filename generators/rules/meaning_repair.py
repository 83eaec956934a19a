"""Repair of rule sets that can be played and mean something odd: what search finds and no designer would write.

Others bring about the player's win, or earn points with what the player is to gather; shots earn points on ground, or
on what stays there to be shot again; an end waits for more of something that nothing makes; the player loses when all
of what has to go for a win, or of what only the player takes, is gone; how fast a sprite is decides, where nothing
speeds up; what dies of a touch in any case dies of it from the front once more; the place that a portal leads to is
taken away; crates go onto crates by a rule that stops all but crates; crates that have to go are pushed off the map. A
search rewarded for tension, points or ways to
lose keeps all of these, so they are mended in every rule set (read in games that were kept: docs/results/rules.md).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from pcg.engine.vgdl import ontology
from pcg.generators.rules.genes import EOS, Rule, Termination, with_params
from pcg.generators.rules.learned import LearnedSpace

STANDING = ("static", "resource", "portal")
"""Kinds of sprites that stay where they are until somebody takes them."""
_GROUND = ("floor", "frame")
_MAYBE = ("killIf", "subtractHealthPoints")
"""Beginnings of effects by which something dies of a touch sometimes."""
VANISHING = ("SpriteCounter", "MultiSpriteCounter")
"""Terminations that wait until few or none are left; those that wait for more are others."""
_ASTRAY = ("wanderer", "walker", "missile")
"""Kinds of sprites whose ways nobody has a hand in."""


def mend_meaning(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination]
) -> tuple[list[Rule], list[Termination]]:
    """Return rules and terminations without oddities.

    Args:
        space: of the sprite set.
        rules: of the game.
        endings: its terminations.
    """
    plain = [_stopping(space, rule) for given in rules if (rule := _without_speed(space, given)) is not None]
    plain = _with_exits(space, _without_repeats(space, list(dict.fromkeys(plain))))
    able = _players(space, plain)
    prizes = _prizes(space, plain, able)
    won = _without_helpers(space, plain, endings, prizes, able)
    hit = {n for rule in won for gone, by in _victims(space, rule) if _are_shots(space, by) for n in gone}
    paid = [_without_strange_points(space, rule, prizes, able, hit) for rule in _on_the_map(space, won, endings)]
    return paid, _without_contradictions(space, paid, _without_vain_endings(space, paid, endings), able)


def members_of(space: LearnedSpace, name: str) -> set[str]:
    """Return the names of the leaves that a type stands for."""
    index, types = space.definition.type_index, space.definition.types
    leaves = {types[t].name for t in types[index[name]].subtypes if types[t].leaf} if name in index else set()
    return leaves or {name}


def exits_of(space: LearnedSpace, rules: Sequence[Rule]) -> set[str]:
    """Return the names of the leaves that something is sent to by rules."""
    portals = {n for rule in rules if rule.effect == "teleportToExit" for n in members_of(space, rule.second)}
    leading = (t.raw.get("stype", "") for t in space.definition.types if t.name in portals)
    return {n for names in leading for name in names.split(",") for n in members_of(space, name)}


def _without_speed(space: LearnedSpace, rule: Rule) -> Rule | None:
    """Return a rule that does not ask for a speed, None for one that is about high speed: on a grid everything goes
    one cell a tick at most.
    """
    if rule.effect not in ("killIfSlow", "killIfFast") or _has_continuous_physics(space):
        return rule
    if rule.effect == "killIfFast":
        return None
    return Rule(*rule.pair, "killSprite", with_params(rule.params, {"limspeed": None}))


def _stopping(space: LearnedSpace, rule: Rule) -> Rule:
    """Return a rule by which a touch undoes the tick for those that touch as well."""
    spared = rule.get("notStype") if rule.effect == "undoAll" else None
    if spared is None or not members_of(space, spared) & (
        members_of(space, rule.first) | members_of(space, rule.second)
    ):
        return rule
    return replace(rule, params=with_params(rule.params, {"notStype": None}))


def _without_repeats(space: LearnedSpace, rules: Sequence[Rule]) -> list[Rule]:
    """Rules without those by which something may die of a touch of which it dies in any case, and without second ones
    for one death that pay nothing.
    """
    both = [rule for rule in rules if rule.effect == "killBoth"]
    sure = [*both, *(rule for rule in rules if rule.effect == "killSprite")]
    found: list[Rule] = []
    for rule in rules:
        others: Sequence[Rule] = ()
        if rule.effect.startswith(_MAYBE):
            others = sure
        elif rule.effect == "killSprite" and rule.get("scoreChange") is None:
            others = [*both, *(one for one in found if one.effect == "killSprite")]
        if not any(_covers(space, one, rule) for one in others):
            found.append(rule)
    return found


def _with_exits(space: LearnedSpace, rules: Sequence[Rule]) -> list[Rule]:
    """Rules without those that take away the places that something is sent to by others."""
    exits = exits_of(space, rules)
    return [rule for rule in rules if not any(gone & exits for gone, _ in _victims(space, rule))]


def _on_the_map(space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination]) -> list[Rule]:
    """Rules by which what the player pushes, and a win waits for, does not vanish at the edge of the map: everything
    could be pushed there.
    """
    asked = {
        n for e in endings if e.wins and e.name in VANISHING
        for key, value in e.params if key.startswith("stype") for n in members_of(space, value)
    }  # fmt: skip
    lost = asked & _pushed(space, rules)

    def kept(rule: Rule) -> Rule:
        gone = rule.second == EOS and ontology.EFFECTS[rule.effect].kills_first and members_of(space, rule.first) & lost
        return Rule(rule.first, EOS, "undoAll") if gone else rule

    return list(dict.fromkeys(map(kept, rules)))


def _covers(space: LearnedSpace, one: Rule, other: Rule) -> bool:
    """Return True where all that a rule is about is what another one is about as well."""
    return all(members_of(space, b) <= members_of(space, a) for a, b in zip(one.pair, other.pair, strict=True))


def _has_continuous_physics(space: LearnedSpace) -> bool:
    return any(str(t.params.get("physicstype", "0")).upper() not in ("0", "GRID") for t in space.definition.types)


def _players(space: LearnedSpace, rules: Sequence[Rule]) -> set[str]:
    """Names of the leaves by which the player acts: the avatar, its shots, and what it pushes."""
    heroes = {n for h in space.kinds.avatars for n in members_of(space, h)}
    shots = {n for n, role in space.roles.items() if role == "shot"}
    return heroes | shots | _pushed(space, rules)


def _pushed(space: LearnedSpace, rules: Sequence[Rule]) -> set[str]:
    """Names of the leaves that the avatar pushes or pulls."""
    heroes = {n for h in space.kinds.avatars for n in members_of(space, h)}
    pushes = {"bounceForward", "pullWithIt"}
    return {n for r in rules if r.effect in pushes and members_of(space, r.second) & heroes
            for n in members_of(space, r.first)}  # fmt: skip


def _victims(space: LearnedSpace, rule: Rule) -> list[tuple[set[str], set[str]]]:
    """Leaves that a rule takes away, with those that bring it about."""
    if rule.second == EOS:
        return []
    gone = ontology.EFFECTS[rule.effect].writes({key: value.lower() == "true" for key, value in rule.params})
    one, other = members_of(space, rule.first), members_of(space, rule.second)
    return [(one, other)] * gone["kills_first"] + [(other, one)] * gone["kills_second"]


def _are_shots(space: LearnedSpace, names: Set[str]) -> bool:
    return all(space.roles.get(n) == "shot" for n in names)


def _prizes(space: LearnedSpace, rules: Sequence[Rule], able: Set[str]) -> set[str]:
    """Leaves that stand about and that the player takes."""
    return {
        n for rule in rules for gone, by in _victims(space, rule) if by & able
        for n in gone if space.roles.get(n) in STANDING and n not in able
    }  # fmt: skip


def _without_helpers(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination], prizes: Set[str], able: Set[str]
) -> list[Rule]:
    """Rules of which none lets others take, at no cost, what has to be taken for a win: the win would come without
    the player. It costs something where the game can be lost by what is left of it.
    """
    wanted = prizes & {n for e in endings if e.wins and e.name in VANISHING for n in _counted(space, e)}
    feared = {n for e in endings if not e.wins for n in _counted(space, e)} - able

    def helps(rule: Rule) -> bool:
        if any(gone & wanted and not by & able for gone, by in _victims(space, rule)):
            return not feared & set(made_by([rule]))
        return False

    return [rule for rule in rules if not helps(rule)]


def _without_strange_points(space: LearnedSpace, rule: Rule, prizes: Set[str], able: Set[str], hit: Set[str]) -> Rule:
    """Return a rule without points for ground that is hit, for shots that are lost on what stays, for others who die at
    the ground or of each other by accident, and for those who take what the player is to take.

    Args:
        space: of the sprite set.
        rule: of the game.
        prizes: leaves that the player takes.
        able: leaves by which the player acts.
        hit: leaves that a shot changes.
    """
    paid = rule.get("scoreChange")
    if paid is None or paid.startswith("-"):
        return rule
    for gone, by in _victims(space, rule):
        ground = all(space.roles.get(n) in _GROUND for n in gone)
        wasted = _are_shots(space, gone) and not by <= hit
        alone = not gone & able and all(space.roles.get(n) in _GROUND for n in by)
        chance = not (gone | by) & able and all(space.roles.get(n) in _ASTRAY for n in gone | by)
        if ground or wasted or alone or chance or (gone & prizes and not by & able):
            return replace(rule, params=with_params(rule.params, {"scoreChange": None}))
    return rule


def _without_vain_endings(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination]
) -> list[Termination]:
    """Terminations of which none loses by so many of a kind that becomes no more."""
    named = made_by(rules)
    for t in space.definition.types:
        spec = ontology.SPRITE_CLASSES.get(str(t.class_name))
        if spec is not None:
            brought = [str(t.params[key]) for key in spec.creates if key in t.params]
            named += [n for names in brought for n in names.split(",")]
            named += [t.name] if spec.creates_self and not brought else []
    named += [rule.first for rule in rules if ontology.EFFECTS[rule.effect].creates_first]
    made = {m for name in named for m in members_of(space, name)}
    return [
        e for e in endings
        if e.wins or e.name != "SpriteCounterMore" or members_of(space, e.get("stype") or "") & made
    ]  # fmt: skip


def _without_contradictions(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination], able: Set[str]
) -> list[Termination]:
    """Terminations of which none loses when all of a kind is gone that has to go for a win, or that nobody but the
    player takes away.
    """
    goals = {n for e in endings if e.wins and e.name in VANISHING for n in _counted(space, e)}
    taken = [(gone, by) for rule in rules for gone, by in _victims(space, rule)]

    def odd(ending: Termination) -> bool:
        if ending.wins or ending.name not in VANISHING:
            return False
        kept = _counted(space, ending)
        if not kept or kept & able:
            return False
        takers = [by for gone, by in taken if gone & kept]
        return bool(kept & goals) or (bool(takers) and all(by <= able for by in takers))

    return [e for e in endings if not odd(e)]


def _counted(space: LearnedSpace, ending: Termination) -> set[str]:
    """Return the names of the leaves that a termination counts."""
    return {n for key, name in ending.params if key.startswith("stype") for n in members_of(space, name)}


def made_by(rules: Sequence[Rule]) -> list[str]:
    """Return the names of the types that parameters of rules name for what comes into being."""
    found: dict[str, None] = {}
    for rule in rules:
        for key in ontology.EFFECTS[rule.effect].creates:
            found.update(dict.fromkeys((rule.get(key) or "").split(",")))
    return list(found)
