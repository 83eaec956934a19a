"""Repair of rule sets that cannot be played: rules that people never leave out are added, and faults are taken away.

Sprites that move are stopped by the frame of the level, or turned at it, and do not leave the map; the avatar can die;
sprites that must vanish for a win can be removed; neither dying nor bumping into something gives points. Most games
that are drawn rule by rule fail for one of these reasons, and the reason says which rule is missing (repair from
failure, as in ScriptDoctor, Earle et al. 2025). The repair comes after the operators of evolution, and leaves each
fault as it is with some probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

import numpy as np

from pcg.engine.vgdl import ontology
from pcg.evaluators.judging.game_kinds import MOVING, runs_away
from pcg.generators.rules.genes import EOS, Rule, RuleSet, Termination, none_left, with_params
from pcg.generators.rules.learned import LearnedSpace
from pcg.generators.rules.meaning_repair import STANDING, VANISHING, exits_of, made_by, members_of, mend_meaning
from pcg.generators.rules.operators import repair_rules

MOVERS = ("avatar", "chaser", "wanderer", "walker", "missile", "shot", "spawner")
"""Kinds of sprites that must not leave the map or enter walls."""
_BOUNDS: dict[str, tuple[str, ...]] = {
    "avatar": ("stepBack",),
    "chaser": ("stepBack",),
    "wanderer": ("stepBack",),
    "walker": ("stepBack",),
    "missile": ("reverseDirection", "turnAround", "wrapAround"),
    "shot": ("killSprite",),
    "spawner": ("turnAround", "reverseDirection"),
}
"""Kind of sprite -> effects that keep it inside the map and out of walls."""
_OPEN = frozenset({"wrapAround", "turnAround", "flipDirection"})
"""Effects that make sense at the edge of the screen only: they put a sprite at another place, or send it anywhere, and
in a wall that is further in and out at the other side."""
BUMPS = frozenset({"stepBack", "turnAround", "reverseDirection", "flipDirection", "undoAll", "wrapAround"})
"""Effects of bumping into something, which give no points."""
_TASKS = ("static", "resource", "portal", "spawner", "chaser", "wanderer", "walker")
"""Kinds of sprites that a win can ask to be removed."""
_TAKING = ("killSprite", "collectResource")
"""Effects by which the player takes something away for good."""
_DEATHS = ("killSprite", "killIfAlive")
"""Effects by which it dies of whatever it meets."""
_LEAST_TIME = 25
"""Ticks that a game lasts at least."""
_TRIES = 12
"""Goals that are drawn in place of one that means nothing, at most."""
_BROUGHT = 0.7
"""Chance that what is brought forth and does nothing else to the player is deadly."""


def repair_playability(
    space: LearnedSpace, genotype: RuleSet, rng: np.random.Generator, *, share: float, most: int
) -> RuleSet:
    """Return a rule set with the bounds, goals and dangers that it lacks, and without points for dying or bumping.

    Args:
        space: of the sprite set.
        genotype: the rule set.
        rng: draws.
        share: probability with which each fault is repaired, in [0, 1].
        most: rules of the result at most; others are left out at random for those that are added.
    """
    rules = list(genotype.rules)
    endings = list(genotype.terminations)
    exits = exits_of(space, rules)
    for k, ending in enumerate(endings):
        for _ in range(_TRIES if ending.wins else 0):
            settled = None if _counts_what_stays(space, endings[k], exits) else _without_the_fleeting(space, endings[k])
            endings[k] = settled or space.draw_termination(rng, win=True)
            if settled is not None:
                break
    if rng.random() < share:
        endings = _with_one_goal(endings)
        rules = _with_few_bonuses(space, _with_one_fate(space, rules, endings), endings)
    added = [
        *_bounds(space, rules, rng, share), *_goals(space, rules, endings, rng, share),
        *_dangers(space, rules, endings, rng, share),
    ]  # fmt: skip
    if rng.random() < share:
        added += _shots_of_others(space, [*rules, *added], endings, rng)
        rules, added = _with_kin(space, rules), _with_kin(space, added)
    rules = _supplies(space, [*rules, *added], rng, share) + rules
    rules = [_without_undue_points(space, _stopped(space, rule)) for rule in rules]
    rules, endings = mend_meaning(space, rules, endings)
    while rules and len(rules) + len(added) > most:
        del rules[int(rng.integers(len(rules)))]
    return repair_rules(space, RuleSet((*rules, *added), tuple(endings)), rng, most=most)


def lengthen_goal(space: LearnedSpace, genotype: RuleSet, rng: np.random.Generator) -> RuleSet | None:
    """Return a rule set whose win asks for the removal of one more kind of sprite; None where no kind is left.

    For games that are won too soon.
    """
    goals = [e for e in genotype.terminations if e.wins and e.name in VANISHING]
    if not goals:
        return None
    counted = [value for key, value in goals[0].params if key.startswith("stype")]
    taken = {n for name in counted for n in _wide(space, name)}
    more = [n for n in _leaves(space, _TASKS) if n not in taken and not taken & _wide(space, n) and space.counts.get(n)]
    more = [n for n in more if any((n, hero) in space.pairs for hero in space.kinds.avatars)]
    if not more or len(counted) > 2:
        return None
    goal = none_left([*counted, more[int(rng.integers(len(more)))]])
    return RuleSet(genotype.rules, (goal, *(e for e in genotype.terminations if not e.wins)))


def harden(space: LearnedSpace, genotype: RuleSet, rng: np.random.Generator) -> RuleSet | None:
    """Return a rule set in which one more kind of what moves, or of what the player leaves behind, is deadly; where
    nothing is left that could be, one with half the time; None where that is short already.

    For games in which nothing stands in the way of the player.
    """
    heroes = list(space.kinds.avatars)
    wide = {n for h in heroes for n in _wide(space, h)}
    goals = {value for e in genotype.terminations for _, value in e.params}
    met = {n for r in genotype.rules if wide & {*r.pair} for n in r.pair} | goals
    movers = [n for n in _leaves(space, (*MOVING, "spawner")) if n in space.kinds.movers and space.goes(n)]
    free = [n for n in dict.fromkeys((*movers, *_trails(space))) if not _wide(space, n) & met]
    free = [n for n in free if any((h, n) in space.pairs for h in heroes) and not _runs_away(space, n)]
    if not free:
        return _with_less_time(genotype)
    danger = free[int(rng.integers(len(free)))]
    deadly = tuple(Rule(h, danger, "killSprite") for h in heroes if (h, danger) in space.pairs)
    return RuleSet((*genotype.rules, *deadly), genotype.terminations)


def ease(space: LearnedSpace, genotype: RuleSet, rng: np.random.Generator) -> RuleSet | None:
    """Return a rule set that asks less of the player: one kind of sprite less to be removed, twice the time, or one
    danger or obstacle less, whichever is drawn; None where there is nothing of these.

    For games that nobody wins.
    """
    heroes = {n for h in space.kinds.avatars for n in _wide(space, h)}
    walls = {n for n, role in space.roles.items() if role == "frame"}
    found: list[RuleSet] = []
    for k, ending in enumerate(genotype.terminations):
        others = genotype.terminations[:k], genotype.terminations[k + 1 :]
        if ending.wins and ending.name in VANISHING:
            names = [value for key, value in ending.params if key.startswith("stype")]
            most = max(names, key=lambda n: sum(space.counts.get(t, 0) for t in members_of(space, n)), default="")
            if left := [n for n in names if n != most]:
                less = none_left(left, ending.get("limit") or "0")
                found.append(RuleSet(genotype.rules, (*others[0], less, *others[1])))
        limit = ending.get("limit") or ""
        if ending.name == "Timeout" and not ending.wins and limit.isdecimal():
            longer = replace(ending, params=with_params(ending.params, {"limit": str(2 * int(limit))}))
            found.append(RuleSet(genotype.rules, (*others[0], longer, *others[1])))
    for k, rule in enumerate(genotype.rules):
        deadly = rule.first in heroes and rule.effect in _DEATHS
        blocks = rule.first in heroes and rule.effect in BUMPS and rule.second not in walls | {EOS}
        if deadly or blocks:
            found.append(RuleSet((*genotype.rules[:k], *genotype.rules[k + 1 :]), genotype.terminations))
    return found[int(rng.integers(len(found)))] if found else None


def _trails(space: LearnedSpace) -> list[str]:
    """Names of what avatars that never stop leave behind."""
    index, types = space.definition.type_index, space.definition.types
    left = [str(types[index[h]].params.get("spawnBehind") or "") for h in space.kinds.avatars]
    return [n for n in left if n in index]


def _with_less_time(genotype: RuleSet) -> RuleSet | None:
    endings = list(genotype.terminations)
    for k, ending in enumerate(endings):
        limit = ending.get("limit") or ""
        if ending.name == "Timeout" and not ending.wins and limit.isdecimal() and int(limit) >= 2 * _LEAST_TIME:
            params = with_params(ending.params, {"limit": str(int(limit) // 2)})
            endings[k] = replace(ending, params=params)
            return RuleSet(genotype.rules, tuple(endings))
    return None


def _stopped(space: LearnedSpace, rule: Rule) -> Rule:
    """Return a rule for bumping into the frame or the edge that keeps the sprite inside.

    Sprites that wander or chase choose their way anew in every tick: turning would not stop them. What flies turns
    round at a wall, for any other turn takes it through, and does not break a hole into the frame. Walls stop the
    player, and do not kill; only shots break them.
    """
    other = space.roles.get(rule.second, "")
    bounds = [e for e in _BOUNDS.get(other, ()) if e not in _OPEN]
    if space.roles.get(rule.first) == "frame" and bounds:
        breaks = ontology.EFFECTS[rule.effect].kills_first and other != "shot"
        if breaks or rule.effect in BUMPS:  # a wall stays where it is
            return Rule(rule.second, rule.first, rule.effect if rule.effect in bounds else bounds[0])
    frame = space.roles.get(rule.second) == "frame"
    usual = _BOUNDS.get(space.roles.get(rule.first, ""), ())
    if (frame or rule.second == EOS) and rule.effect in BUMPS and usual == ("stepBack",):
        return Rule(rule.first, rule.second, "stepBack")
    if frame and rule.effect in _OPEN and "reverseDirection" in usual:
        return Rule(rule.first, rule.second, "reverseDirection")
    if frame and rule.effect in ("killSprite", "killBoth") and usual:
        walks = rule.first in space.kinds.avatars
        return Rule(rule.first, rule.second, "stepBack") if walks else replace(rule, effect="killSprite")
    return rule


def _with_one_goal(endings: Sequence[Termination]) -> list[Termination]:
    """Terminations of which one wins: where either of two goals would do, both have to be reached, as far as a
    termination counts so many types, and else the first.
    """
    wins = [e for e in endings if e.wins]
    if len(wins) < 2:
        return list(endings)
    vanish = [e for e in wins if e.name in VANISHING and e.get("limit") in (None, "0")]
    named = list(dict.fromkeys(v for e in vanish for key, v in e.params if key.startswith("stype")))
    goal = wins[0]
    if len(vanish) == len(wins) and len(named) in (2, 3):
        goal = none_left(named)
    return [goal, *(e for e in endings if not e.wins)]


def _with_one_fate(space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination]) -> list[Rule]:
    """Rules of which none is about a meeting that another one ends: who dies of a touch does not push, and what is
    picked up stops nobody. What has to go for a win is not deadly as well.
    """
    heroes = {n for h in space.kinds.avatars for n in _wide(space, h)}
    goals = {value for e in endings if e.wins for key, value in e.params if key.startswith("stype")}
    gone = {r.first for r in rules if r.second in heroes and r.effect in _TAKING}
    prey = {n for n in gone if goals & _wide(space, n)}
    still = {n for n in prey if space.roles.get(n) in STANDING}

    def both(rule: Rule) -> bool:
        ends = rule.second in prey and rule.effect in _DEATHS
        return rule.first in heroes and (ends or (rule.second in still and ontology.EFFECTS[rule.effect].kills_first))

    left = [r for r in rules if not both(r)]
    deadly = {n for r in left if r.first in heroes and r.effect == "killSprite" for n in members_of(space, r.second)}
    taken = {n for r in left if r.second in heroes and r.effect in _TAKING for n in members_of(space, r.first)}
    found = []
    for rule in left:
        other = rule.second if rule.first in heroes else rule.first if rule.second in heroes else EOS
        stops = rule.effect in BUMPS or rule.effect == "bounceForward"
        moot = stops or (rule.second in heroes and rule.effect in (*_TAKING, "transformTo"))
        of = members_of(space, other)
        if not (moot and of <= deadly) and not (stops and of <= taken):
            found.append(rule)
    return found


def _with_few_bonuses(space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination]) -> list[Rule]:
    """Rules with one kind of things at most that is picked up for points alone, and none that is only pushed about: a
    level full of things that do not matter hides what it is about.
    """
    heroes = {n for h in space.kinds.avatars for n in _wide(space, h)}
    named = Counter(n for r in rules for n in (*r.pair, *(v for _, values in r.params for v in values.split(","))))
    named.update(value for e in endings for _, value in e.params)
    alone = [
        r for r in rules
        if r.second in heroes and space.roles.get(r.first) in ("static", "resource", "portal")
        and all(named[n] - (n == r.first) == 0 for n in {*_wide(space, r.first), *members_of(space, r.first)})
    ]  # fmt: skip
    vain = [r for r in alone if r.effect in _TAKING][1:] + [r for r in alone if r.effect == "bounceForward"]
    return [r for r in rules if r not in vain]


def _with_kin(space: LearnedSpace, rules: Sequence[Rule]) -> list[Rule]:
    """Rules in which what kills the player does so with all of its group: of sprites that are alike and move alike
    nobody sees which one is harmless.
    """
    heroes = {n for h in space.kinds.avatars for n in _wide(space, h)}
    found = []
    for rule in rules:
        dies = rule.first in heroes and ontology.EFFECTS[rule.effect].kills_first and rule.second != EOS
        if dies and rule.get("stype") is None:
            for group in _kin(space, rule.second):
                others = members_of(space, group) - members_of(space, rule.second)
                met = {n for r in rules if heroes & {*r.pair} for n in r.pair}
                if not any(_wide(space, n) & met for n in others):
                    rule = replace(rule, second=group)
        found.append(rule)
    return list(dict.fromkeys(found))


def _kin(space: LearnedSpace, name: str) -> list[str]:
    """Groups of a type, from the narrowest, in which all sprites are of its kind and move."""
    if space.roles.get(name) not in (*MOVING, "spawner"):
        return []
    index, types = space.definition.type_index, space.definition.types
    above = [types[t].name for t in reversed(types[index[name]].path) if types[t].name != name]
    return [
        g for g in above
        if g in space.kinds.actors and {space.roles.get(n) for n in members_of(space, g)} == {space.roles[name]}
    ]  # fmt: skip


def _shots_of_others(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination], rng: np.random.Generator
) -> list[Rule]:
    """Rules by which what others bring forth kills the player, where it would fly about and do nothing."""
    heroes = list(space.kinds.avatars)
    wide = {n for h in heroes for n in _wide(space, h)}
    met = {n for r in rules if wide & {*r.pair} for n in r.pair}
    goals = {value for e in endings for _, value in e.params}
    index, types = space.definition.type_index, space.definition.types
    found = []
    for maker in _leaves(space, ("spawner",)):
        if not space.counts.get(maker):
            continue
        spec = ontology.SPRITE_CLASSES[str(types[index[maker]].class_name)]
        made = [n for key in spec.creates for n in str(types[index[maker]].params.get(key, "")).split(",") if n]
        for name in made:
            if space.roles.get(name) not in MOVING or _wide(space, name) & (met | goals):
                continue
            if rng.random() < _BROUGHT:
                found += [Rule(h, name, "killSprite") for h in heroes if (h, name) in space.pairs]
                met.add(name)
    return found


def _counts_what_stays(space: LearnedSpace, ending: Termination, exits: Set[str]) -> bool:
    """Return True where a termination counts scenery, the avatar, or places that portals lead to."""
    named = [value for key, value in ending.params if key.startswith("stype")]
    scenery = any(space.roles.get(name) in ("frame", "floor", "avatar") for name in named)
    return scenery or any(members_of(space, name) & exits for name in named)


def _without_the_fleeting(space: LearnedSpace, ending: Termination) -> Termination | None:
    """Return a winning termination that does not wait for a moment without shots, or without what others bring forth
    and flies away: it comes by itself. None where it would wait for nothing else.
    """
    if ending.name not in VANISHING:
        return ending

    def flies_away(name: str) -> bool:
        role = space.roles.get(name)
        return role == "shot" or (role == "missile" and not any(space.counts.get(n) for n in members_of(space, name)))

    kept = [value for key, value in ending.params if key.startswith("stype") and not flies_away(value)]
    others = tuple((key, value) for key, value in ending.params if not key.startswith("stype"))
    if len(kept) + len(others) == len(ending.params):
        return ending
    if len(kept) == 1:
        return Termination("SpriteCounter", (("stype", kept[0]), *others))
    return Termination(ending.name, (*((f"stype{k + 1}", n) for k, n in enumerate(kept)), *others)) if kept else None


def _wide(space: LearnedSpace, name: str) -> set[str]:
    """Names of a type and of the groups above it."""
    index, types = space.definition.type_index, space.definition.types
    return {types[t].name for t in types[index[name]].path} if name in index else {name}


def _runs_away(space: LearnedSpace, name: str) -> bool:
    """Return True for a type that runs away from the avatar, and so is no danger to it."""
    index = space.definition.type_index
    return name in index and runs_away(space.definition, index[name], [index[hero] for hero in space.kinds.avatars])


def _leaves(space: LearnedSpace, kinds: Iterable[str]) -> list[str]:
    index, types = space.definition.type_index, space.definition.types
    return [n for n in space.kinds.actors if types[index[n]].leaf and space.roles[n] in kinds]


def _ruled(space: LearnedSpace, rules: Sequence[Rule], first: str, second: str) -> bool:
    """Return True where some rule is about two sprite types that meet."""
    one, other = _wide(space, first), _wide(space, second)
    return any(
        (r.first in one and r.second in other) or (r.second in one and r.first in other and r.second != EOS)
        for r in rules
    )


def _bounds(space: LearnedSpace, rules: Sequence[Rule], rng: np.random.Generator, share: float) -> list[Rule]:
    """Rules for moving sprites that meet the frame of the level, or leave the map where no frame encloses it, and for
    what the player pushes, which stops at the frame and at its like.
    """
    frames = [n for n in _leaves(space, ("frame",)) if n in space.kinds.actors]
    heroes = {n for h in space.kinds.avatars for n in _wide(space, h)}
    solid = [r.second for r in rules if r.first in heroes and r.effect in ("stepBack", "undoAll") and r.second != EOS]
    frames += [n for n in dict.fromkeys(solid) if n not in frames and space.roles.get(n) in ("static", "portal")]
    found: list[Rule] = []
    movers = [n for n in _leaves(space, MOVERS) if n in space.kinds.movers]
    awake = [n for n in movers if space.roles[n] == "avatar" or space.goes(n)]
    made = [n for n in made_by(rules) if n not in awake and space.roles.get(n) in MOVERS and space.goes(n)]
    drawn: dict[tuple[str, str], str] = {}
    for mover in (*awake, *made):
        usual = _BOUNDS[space.roles[mover]]
        if space.roles[mover] == "missile" and not space.counts.get(mover):
            usual = ("killSprite",)  # one after the other is brought forth, and all of them would fly on for ever
        bounds = [(wall, tuple(e for e in usual if e not in _OPEN)) for wall in frames]
        if not (frames and space.enclosed):
            bounds.append((EOS, usual))
        kin = [mover, *_kin(space, mover)][-1]
        for bound, effects in bounds:
            if _ruled(space, rules, mover, bound) or rng.random() >= share:
                continue
            effect = drawn.setdefault((kin, bound), effects[int(rng.integers(len(effects)))])
            found.append(Rule(mover, bound, effect if effect in effects else effects[0]))
    pushes = [r.first for r in rules if r.effect == "bounceForward" and r.second in heroes]
    pushed = [n for n in space.kinds.actors if any(n in members_of(space, first) for first in pushes)]
    for thing in pushed:
        for bound in (*frames, *pushed):
            if not _ruled(space, [*rules, *found], thing, bound) and rng.random() < share:
                found.append(Rule(thing, bound, "undoAll"))
    return _grouped(space, found)


def _grouped(space: LearnedSpace, rules: Sequence[Rule]) -> list[Rule]:
    """The same rules, those of all of a group as one."""
    found = list(rules)
    for rule in rules:
        for group in _kin(space, rule.first):
            same = [replace(rule, first=n) for n in sorted(members_of(space, group) & set(space.kinds.actors))]
            if len(same) > 1 and all(one in found for one in same):
                found[found.index(same[0])] = replace(rule, first=group)
                found = [one for one in found if one not in same]
    return found


def _goals(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination], rng: np.random.Generator, share: float
) -> list[Rule]:
    """Rules by which sprites that must vanish for a win can be removed: the avatar takes them, or a shot hits them."""
    found: list[Rule] = []
    for ending in endings:
        if not ending.wins or ending.name not in VANISHING:
            continue
        for key, name in ending.params:
            if not key.startswith("stype") or name not in space.roles or rng.random() >= share:
                continue
            if any(_removes(space, rule, name) for rule in [*rules, *found]):
                continue
            hunters = [*space.kinds.avatars, *_leaves(space, ("shot",))]
            hunters = [h for h in hunters if (name, h) in space.pairs]
            if hunters:
                hunter = hunters[int(rng.integers(len(hunters)))]
                effect = "killSprite"
                if name in space.kinds.resources and hunter in space.kinds.avatars:
                    effect = "collectResource"
                found.append(Rule(name, hunter, effect, (("scoreChange", "1"),)))
    return found


def _supplies(space: LearnedSpace, rules: Sequence[Rule], rng: np.random.Generator, share: float) -> list[Rule]:
    """Rules by which the player gets what its shots use up, where no rule gives it any: it lies about, or comes with
    something that the player takes, or else with something that it meets and that is no danger.
    """
    index, types = space.definition.type_index, space.definition.types
    found: list[Rule] = []
    for hero in space.kinds.avatars:
        params = types[index[hero]].params
        for used in dict.fromkeys(filter(None, str(params.get("ammo") or "").split(","))):
            given = any(r.get("resource") == used or (r.effect == "collectResource" and r.first == used) for r in rules)
            if given or used not in index or rng.random() >= share:
                continue
            if space.counts.get(used):
                found.append(Rule(used, hero, "collectResource"))
                continue
            taken = [r.first for r in rules if r.second == hero and r.effect == "killSprite" and r.first in index]
            met = {n for r in rules if hero in r.pair for n in r.pair}
            free = [n for n in _leaves(space, (*STANDING, "missile")) if (hero, n) in space.pairs]
            if sources := taken or [n for n in free if not _wide(space, n) & met]:
                value = str(max(1, int(float(str(params.get("ammoCost") or 1)))))
                gift = (("resource", used), ("value", value), *([] if taken else [("killResource", "True")]))
                found.append(Rule(hero, sources[int(rng.integers(len(sources)))], "changeResource", gift))
    return found


def _removes(space: LearnedSpace, rule: Rule, name: str) -> bool:
    spec = ontology.EFFECTS[rule.effect]
    below = {n for n in space.roles if name in _wide(space, n)} | _wide(space, name)
    takes = spec.kills_first or rule.effect in ("transformTo", "collectResource")
    if (takes and rule.first in below) or (spec.kills_second and rule.second in below):
        return True
    return any(rule.get(key) in below for key in spec.touches)


def _dangers(
    space: LearnedSpace, rules: Sequence[Rule], endings: Sequence[Termination], rng: np.random.Generator, share: float
) -> list[Rule]:
    """A rule by which the avatar can die, where nothing else loses the game and a moving sprite could kill it."""
    if rng.random() >= share or any(not e.wins for e in endings if e.name != "SpriteCounter"):
        return []
    heroes = list(space.kinds.avatars)
    wide = {n for h in heroes for n in _wide(space, h)}
    deadly = [r.second for r in rules if r.first in wide and ontology.EFFECTS[r.effect].kills_first]
    if not all(_runs_away(space, name) for name in deadly):
        return []
    movers = [n for n in _leaves(space, MOVING) if n in space.kinds.movers and not _runs_away(space, n)]
    threats = [n for n in movers if not _prey(rules, n, wide)]
    if not threats:
        return []
    threat = threats[int(rng.integers(len(threats)))]
    return [Rule(h, threat, "killSprite", (("scoreChange", "-1"),)) for h in heroes if (h, threat) in space.pairs]


def _prey(rules: Sequence[Rule], name: str, heroes: set[str]) -> bool:
    return any(r.first == name and r.second in heroes and ontology.EFFECTS[r.effect].kills_first for r in rules)


def _without_undue_points(space: LearnedSpace, rule: Rule) -> Rule:
    """Return a rule without points for dying or bumping."""
    paid = rule.get("scoreChange")
    if paid is None or paid.startswith("-"):
        return rule
    spec = ontology.EFFECTS[rule.effect]
    heroes = {n for h in space.kinds.avatars for n in _wide(space, h)}
    dies = (rule.first in heroes and spec.kills_first) or (rule.second in heroes and spec.kills_second)
    if dies or (spec.harmless and rule.effect in BUMPS):
        return replace(rule, params=with_params(rule.params, {"scoreChange": None}))
    return rule
