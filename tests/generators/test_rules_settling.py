"""Rules drawn as people write them, and repaired rule sets: bounded, winnable by rule, without points for dying."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.game_kinds import EDGE, KINDS, TIME
from pcg.generators.rules import RuleSet, RuleSpace, make_rule_generator
from pcg.generators.rules.evolve.chances import Chances
from pcg.generators.rules.genes import EOS, Rule, Termination
from pcg.generators.rules.learned import LearnedSpace, prior
from pcg.generators.rules.playability_repair import ease, harden, lengthen_goal, repair_playability


def learned(name: str) -> LearnedSpace:
    game = load(name)
    return LearnedSpace(RuleSpace.of(game.definition.source, game.levels))


def test_the_prior_is_counts_alone_with_their_provenance() -> None:
    from pcg.generators.rules import learned as module

    data = json.loads(module._FILE.read_text(encoding="utf-8"))
    assert "without names or numbers" in data["provenance"] and data["games"] == prior().games > 120
    kinds = {kind for first, _, second, _ in data["rules"] for kind in (first, second)}
    assert kinds == {*KINDS, EDGE, TIME, "win", "lose"}


def test_usual_rules_are_drawn_more_often() -> None:
    space = learned("dungeon")
    rng = np.random.default_rng(1)
    avatar = space.kinds.avatars[0]
    drawn = Counter(space.draw_rule(rng, pair=(avatar, "wall")).effect for _ in range(300))
    assert drawn["stepBack"] > 100
    names, weights = RuleSpace.of(load("dungeon").definition.source, load("dungeon").levels).effects(avatar, "wall")
    assert drawn["stepBack"] / 300 > 2 * weights[names.index("stepBack")]


def test_goals_are_never_scenery_or_dying() -> None:
    space = learned("dungeon")
    rng = np.random.default_rng(1)
    for _ in range(200):
        ending = space.draw_termination(rng, win=True)
        assert space.roles.get(ending.get("stype") or "", "") not in ("frame", "floor", "avatar")


def test_what_moves_is_bounded_and_the_goal_can_be_brought_about() -> None:
    space = learned("dungeon")
    bare = RuleSet((), (Termination("SpriteCounter", (("stype", "key"), ("limit", "0"), ("win", "True"))),))
    made = repair_playability(space, bare, np.random.default_rng(1), share=1.0, most=30)
    bounded = {r.first for r in made.rules if r.second == "wall"}
    movers = {n for n in space.kinds.movers if space.roles[n] in ("avatar", "chaser", "wanderer", "missile", "shot")}
    leaves = {t.name for t in space.definition.types if t.leaf}
    assert bounded >= movers & leaves
    assert any(r.first == "key" and r.effect in ("killSprite", "collectResource") for r in made.rules)
    assert any(r.first in space.kinds.avatars and r.effect == "killSprite" for r in made.rules), "somebody can lose"
    assert repair_playability(space, made, np.random.default_rng(1), share=1.0, most=30) == made, "once is enough"


def test_without_a_frame_the_edge_of_the_screen_is_the_bound() -> None:
    game = load("dungeon")
    space = LearnedSpace(RuleSpace.of(game.definition.source, [level.replace("w", ".") for level in game.levels]))
    made = repair_playability(space, RuleSet((), ()), np.random.default_rng(1), share=1.0, most=30)
    assert space.kinds.avatars[0] in {r.first for r in made.rules if r.second == EOS and r.effect == "stepBack"}


def test_neither_dying_nor_bumping_pays() -> None:
    space = learned("dungeon")
    avatar = space.kinds.avatars[0]
    paid = (("scoreChange", "5"),)
    rules = (Rule(avatar, "wall", "stepBack", paid), Rule(avatar, "key", "killSprite", paid))
    made = repair_playability(space, RuleSet(rules, ()), np.random.default_rng(1), share=0.0, most=30)
    assert {r.get("scoreChange") for r in made.rules if r.pair in {rule.pair for rule in rules}} == {None}


@pytest.mark.parametrize("name", ["evolve", "novelty"])
def test_repair_can_be_left_out(name: str) -> None:
    game = load("dungeon")
    space = RuleSpace.of(game.definition.source, game.levels)
    with_it, without = (make_rule_generator(name, space, seed=1, settled=share).ask(20) for share in (1.0, 0.0))
    assert [str(c.genotype) for c in with_it] != [str(c.genotype) for c in without]
    for candidate in with_it:
        assert any(r.pair in ((a, "wall"), ("wall", a)) or r.first in _groups(space, a) for a in space.kinds.avatars
                   for r in candidate.genotype.rules)  # fmt: skip


def _groups(space: RuleSpace, name: str) -> set[str]:
    types = space.definition.types
    return {types[t].name for t in types[space.definition.type_index[name]].path}


def test_games_that_are_won_too_soon_get_more_to_do() -> None:
    space = learned("dungeon")
    goal = Termination("SpriteCounter", (("stype", "key"), ("limit", "0"), ("win", "True")))
    short = RuleSet((Rule("key", space.kinds.avatars[0], "killSprite"),), (goal, space.death()))
    longer = lengthen_goal(space, short, np.random.default_rng(1))
    assert longer is not None and longer.rules == short.rules
    (won,) = [e for e in longer.terminations if e.wins]
    assert won.name == "MultiSpriteCounter" and won.get("stype1") == "key" and won.get("stype2") not in (None, "key")
    assert lengthen_goal(space, RuleSet(short.rules, (space.death(),)), np.random.default_rng(1)) is None


def test_what_spawns_while_it_moves_and_what_rules_make_is_bounded_too() -> None:
    space = learned("invaders")
    bombers = [n for n, role in space.roles.items() if role == "spawner" and space.goes(n)]
    assert bombers and not any(space.goes(n) for n in ("bunker", "outpost", "ground", "alien"))
    made = repair_playability(space, RuleSet((), ()), np.random.default_rng(1), share=1.0, most=30)
    leaves = {t.name for t in space.definition.types if t.leaf}
    index, types = space.definition.type_index, space.definition.types
    bounded = {r.first for r in made.rules if r.second == EOS}
    assert all(bounded & {types[t].name for t in types[index[name]].path} for name in set(bombers) & leaves)


SHIPS = """BasicGame
    SpriteSet
        wall > Immovable
        hero > MovingAvatar
        box > Immovable
        ship > Bomber stype=bomb speed=1 prob=0.5
            left > orientation=LEFT
            right > orientation=RIGHT
        depot > SpawnPoint stype=tank
        bomb > Missile orientation=DOWN
        tank > Missile orientation=LEFT
    LevelMapping
        w > wall
        A > hero
        b > box
        l > left
        r > right
"""
"""Two kinds of ships that are alike and drop bombs; no level has a depot, so that there is never a tank."""


def ships() -> LearnedSpace:
    return LearnedSpace(RuleSpace.of(SHIPS, ["wwwwwwww\nw......w\nw.lr.b.w\nw..A...w\nwwwwwwww".replace(".", " ")]))


def repaired(rules: list[Rule], endings: Sequence[Termination] = (), seed: int = 2) -> RuleSet:
    given = RuleSet(tuple(rules), tuple(endings))
    return repair_playability(ships(), given, np.random.default_rng(seed), share=1.0, most=30)


def gone(name: str) -> Termination:
    return Termination("SpriteCounter", (("stype", name), ("limit", "0"), ("win", "True")))


def test_no_rule_is_about_what_no_level_has_and_nothing_brings_forth() -> None:
    space = ships()
    assert "bomb" in space.kinds.actors and not {"tank", "depot"} & set(space.kinds.actors)
    assert "tank" not in {name for rule in repaired([]).rules for name in rule.pair}


def test_what_flies_turns_round_at_walls_and_leaves_no_hole() -> None:
    made = repaired([Rule("left", "wall", "turnAround"), Rule("bomb", "wall", "killBoth")])
    assert {r.effect for r in made.rules if r.pair == ("left", "wall")} == {"reverseDirection"}
    assert {r.effect for r in made.rules if r.pair == ("bomb", "wall")} == {"killSprite"}


def test_of_a_group_that_is_alike_all_do_the_same_at_walls_and_all_kill() -> None:
    made = repaired([Rule("hero", "left", "killSprite")])
    assert [str(r) for r in made.rules if "hero" in r.pair and {"left", "right", "ship"} & {*r.pair}] == [
        "hero ship > killSprite"
    ]
    assert [str(r) for r in made.rules if r.first in ("left", "right", "ship")] == ["ship wall > reverseDirection"]
    apart = repaired([Rule("hero", "left", "killSprite"), Rule("right", "hero", "killSprite")])
    assert Rule("hero", "left", "killSprite") in apart.rules, "where the other one is caught it stays as it is"


def test_bombs_of_others_kill() -> None:
    drawn = [repaired([], seed=seed) for seed in range(9)]
    assert sum(("hero", "bomb") in {r.pair for r in made.rules} for made in drawn) > 3


def test_of_two_goals_both_have_to_be_reached() -> None:
    made = repaired([Rule("box", "hero", "killSprite")], [gone("box"), gone("left")])
    (won,) = [e for e in made.terminations if e.wins]
    assert won.name == "MultiSpriteCounter" and (won.get("stype1"), won.get("stype2")) == ("box", "left")
    lost = Termination("SpriteCounter", (("stype", "box"), ("limit", "0"), ("win", "False")))
    assert lost not in repaired([], [gone("box"), lost]).terminations, "what has to go may go"
    timed = Termination("Timeout", (("limit", "100"), ("win", "True")))
    assert [e for e in repaired([], [timed, gone("box")]).terminations if e.wins] == [timed]


def test_a_touch_has_one_meaning() -> None:
    deadly = repaired([Rule("hero", "box", "killSprite"), Rule("box", "hero", "bounceForward")])
    assert [r.effect for r in deadly.rules if {*r.pair} == {"hero", "box"}] == ["killSprite"]
    both = [Rule("hero", "left", "killSprite"), Rule("left", "hero", "killSprite")]
    hunted = repaired(both, [gone("left")])
    assert [str(r) for r in hunted.rules if {*r.pair} == {"hero", "left"}] == ["left hero > killSprite"]
    taken = repaired([Rule("box", "hero", "killSprite"), Rule("hero", "box", "stepBack")])
    assert [r.effect for r in taken.rules if {*r.pair} == {"hero", "box"}] == ["killSprite"]


def test_where_nothing_stands_in_the_way_something_does() -> None:
    space, rng = ships(), np.random.default_rng(1)
    calm = RuleSet((Rule("box", "hero", "killSprite"),), (gone("box"),))
    harder = harden(space, calm, rng)
    assert harder is not None and any(r.first == "hero" and r.effect == "killSprite" for r in harder.rules)
    assert harden(learned("boxes"), RuleSet((), ()), rng) is None, "nothing moves by itself"


@pytest.mark.parametrize("second", ["Chaser stype=hero", "Fleeing stype=hero"])
def test_what_runs_away_is_not_what_makes_a_game_dangerous(second: str) -> None:
    text = f"""BasicGame
    SpriteSet
        floor > Immovable
        coin > Immovable
        hare > Fleeing stype=hero
        dog > {second}
        hero > MovingAvatar
        wall > Immovable
    InteractionSet
        hero wall > stepBack
        coin hero > killSprite
        hero hare > killSprite
    TerminationSet
        SpriteCounter stype=coin win=True
        SpriteCounter stype=hero win=False
    LevelMapping
        . > floor
        w > wall
        c > floor coin
        h > floor hare
        d > floor dog
        A > floor hero
"""
    space = LearnedSpace(RuleSpace.of(text, ["wwwwwwww\nwA.c.h.w\nwc..d..w\nwwwwwwww"]))
    made = repair_playability(space, RuleSet.of(text), np.random.default_rng(1), share=1.0, most=30)
    deadly = {r.second for r in made.rules if r.first == "hero" and r.effect == "killSprite"}
    assert deadly == ({"hare", "dog"} if second.startswith("Chaser") else {"hare"})
    calm = RuleSet((Rule("coin", "hero", "killSprite"),), RuleSet.of(text).terminations)
    harder = [harden(space, calm, np.random.default_rng(seed)) for seed in range(8)]
    assert {r.second for one in harder if one is not None for r in one.rules if r.first == "hero"} <= {"dog"}


def test_walls_stop_the_player_and_one_kind_of_things_is_for_points_alone() -> None:
    space = learned("dungeon")
    things = [n for n in space.kinds.actors if space.roles[n] in ("static", "resource", "portal")][:3]
    hero = space.kinds.avatars[0]
    rules = *(Rule(n, hero, "killSprite") for n in things), Rule(hero, "wall", "killSprite")
    made = repair_playability(space, RuleSet(rules, (gone(things[2]),)), np.random.default_rng(1), share=1.0, most=30)
    assert [r.first for r in made.rules if r.second == hero and r.first in things] == [things[0], things[2]]
    assert [r.effect for r in made.rules if r.pair == (hero, "wall")] == ["stepBack"]


def test_walls_are_not_eaten_and_nothing_is_only_pushed_about() -> None:
    space, hero, thing = learned("hunt"), "fox", "hay"
    eaten = Rule("hedge", hero, "killSprite", (("scoreChange", "5"),))
    pushed, stopped = Rule(thing, hero, "bounceForward"), Rule(thing, "hedge", "undoAll")

    def repaired(*rules: Rule) -> tuple[Rule, ...]:
        return repair_playability(space, RuleSet(rules, ()), np.random.default_rng(1), share=1.0, most=30).rules

    assert [r for r in repaired(eaten) if {"hedge", hero} == {*r.pair}] == [Rule(hero, "hedge", "stepBack")]
    assert pushed not in repaired(pushed), "it goes through walls and is in nobody's way"
    assert pushed in repaired(pushed, stopped), "it can be in the way"


def test_what_is_pushed_stops_at_walls_and_at_its_like() -> None:
    space = learned("boxes")
    rules = Rule("box", "hero", "bounceForward"), Rule("box", "pit", "killSprite")
    made = repair_playability(space, RuleSet(rules, (gone("box"),)), np.random.default_rng(1), share=1.0, most=30)
    assert {Rule("box", "wall", "undoAll"), Rule("box", "box", "undoAll"), *rules} <= set(made.rules)
    assert repair_playability(space, made, np.random.default_rng(1), share=1.0, most=30) == made


def test_what_the_player_leaves_behind_or_less_time_stands_in_the_way_where_nothing_moves() -> None:
    text = """BasicGame
    SpriteSet
        floor > Immovable
        track > Immovable
        coin  > Immovable
        hero  > OngoingTurningAvatar spawnBehind=track
        wall  > Immovable
    InteractionSet
        coin hero > killSprite
    TerminationSet
        SpriteCounter stype=coin win=True
    LevelMapping
        . > floor
        c > floor coin
        A > floor hero
"""
    space = LearnedSpace(RuleSpace.of(text, ["wwwwww\nwA.c.w\nwc...w\nwwwwww"]))
    late = Termination("Timeout", (("limit", "90"), ("win", "False")))
    plain = RuleSet(RuleSet.of(text).rules, (*RuleSet.of(text).terminations, late))
    harder = harden(space, plain, np.random.default_rng(1))
    assert harder is not None and Rule("hero", "track", "killSprite") in harder.rules
    hastier = harden(space, harder, np.random.default_rng(1))
    assert hastier is not None and [e.get("limit") for e in hastier.terminations if e.name == "Timeout"] == ["45"]
    assert harden(space, hastier, np.random.default_rng(1)) is None


def test_what_nobody_wins_asks_for_less() -> None:
    space, goal = learned("dungeon"), Termination("MultiSpriteCounter", (
        ("stype1", "key"), ("stype2", "bat"), ("limit", "0"), ("win", "True"),
    ))  # fmt: skip
    late = Termination("Timeout", (("limit", "200"), ("win", "False")))
    deadly, shut = Rule("hero", "bat", "killSprite"), Rule("hero", "door", "stepBack")
    bound, taken = Rule("hero", "wall", "stepBack"), Rule("key", "hero", "killSprite")
    hard = RuleSet((bound, taken, deadly, shut), (goal, late))
    eased = {str(ease(space, hard, np.random.default_rng(seed))) for seed in range(40)}
    longer = Termination("Timeout", (("limit", "400"), ("win", "False")))
    most = max(("key", "bat"), key=lambda name: space.counts[name])
    less = gone("bat" if most == "key" else "key")
    assert eased == {
        str(RuleSet((bound, taken, shut), (goal, late))), str(RuleSet((bound, taken, deadly), (goal, late))),
        str(RuleSet(hard.rules, (goal, longer))), str(RuleSet(hard.rules, (less, late))),
    }  # fmt: skip
    assert ease(space, RuleSet((bound, taken), (gone("key"),)), np.random.default_rng(1)) is None


@dataclass(frozen=True)
class Verdict:
    """An evaluation as far as breeding reads it."""

    constraints: Mapping[str, float]
    reason: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    feasible: bool = False
    fitness: float = 0.0
    constraint: float = 0.5


def children(verdict: Verdict) -> Counter[str]:
    """Origins of a generation after one of which every rule set had this verdict."""
    game = load("dungeon")
    space = RuleSpace.of(game.definition.source, game.levels)
    generator = make_rule_generator("evolve", space, seed=1, population=20, offspring=40)
    generator.tell(generator.ask(20), [verdict] * 20)
    return Counter(candidate.origin for candidate in generator.ask(40))


def test_only_what_was_found_to_be_wrong_is_mended() -> None:
    """A constraint that was not looked at is 0 as well."""
    mends = {"lengthened", "hardened", "eased"}
    astray = dict.fromkeys(("chance", "length", "winnable", "resistance"), 0.0)
    assert not mends & children(Verdict({**astray, "places": 0.4}, "the avatar is outside the map")).keys()
    lucky = Verdict({**astray, "chance": 0.0}, "a random player wins 40 of 40 plays", {"random_wins": 1.0})
    assert mends & children(lucky).keys() == {"lengthened"}
    easy = Verdict({"winnable": 1.0, "resistance": 0.5}, "nothing stands in the way of the player")
    assert mends & children(easy).keys() == {"hardened"}
    lost = Verdict({**astray, "winnable": 0.3}, "nobody wins")
    assert mends & children(lost).keys() == {"eased"}


def test_ways_that_bring_what_nobody_wins_are_gone_less_often() -> None:
    chances, rng = Chances(), np.random.default_rng(1)
    for _ in range(9):
        chances.note("push", False)
        chances.note("gather", True)
    assert (chances.of("push"), chances.of("gather"), chances.of("reach")) == (0.1, 1.0, 1.0)
    first = Counter(chances.order(("push", "gather", "reach"), rng)[0] for _ in range(600))
    assert first["push"] < 60 and min(first["gather"], first["reach"]) > 220
    again = Chances()
    again.load(json.loads(json.dumps(chances.state())))
    assert again.of("push") == 0.1 and again.state() == chances.state()
