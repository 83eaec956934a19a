"""Rule sets that mean something odd are mended: who brings about the win, what pays, which ends can come."""

from __future__ import annotations

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.game_rules import RuleReading
from pcg.generators.rules import RuleSet, RuleSpace
from pcg.generators.rules.genes import EOS, Rule, Termination
from pcg.generators.rules.learned import LearnedSpace
from pcg.generators.rules.meaning_repair import mend_meaning
from pcg.generators.rules.playability_repair import repair_playability
from pcg.runs.experiments.finishing import with_whole_goals, without_idle_endings

SPRITES = """BasicGame
    SpriteSet
        floor  > Immovable hidden=True
        coin   > Immovable
        ash    > Immovable
        crate  > Passive
        thief  > RandomNPC
        nest   > SpawnPoint stype=thief
        blade  > OrientedFlicker singleton=True
        hero   > ShootAvatar stype=blade
        wall   > Immovable
    InteractionSet
        coin hero > killSprite
    TerminationSet
        SpriteCounter stype=coin win=True
    LevelMapping
        . > floor
        c > floor coin
        a > floor ash
        x > floor crate
        t > floor thief
        n > floor nest
        A > floor hero
"""
LEVEL = "wwwwwwww\nwA.c.atw\nw.x.c.nw\nwwwwwwww"
COINS = Termination("SpriteCounter", (("stype", "coin"), ("limit", "0"), ("win", "True")))
TAKE = Rule("coin", "hero", "killSprite", (("scoreChange", "1"),))


@pytest.fixture(scope="module")
def space() -> LearnedSpace:
    return LearnedSpace(RuleSpace.of(SPRITES, [LEVEL]))


def mended(space: LearnedSpace, *rules: Rule, endings: tuple[Termination, ...] = (COINS,)) -> list[str]:
    return [str(gene) for genes in mend_meaning(space, rules, endings) for gene in genes]


def test_others_do_not_take_what_has_to_be_taken_for_a_win(space: LearnedSpace) -> None:
    theft = Rule("coin", "thief", "killSprite", (("scoreChange", "2"),))
    assert mended(space, TAKE, theft) == [str(TAKE), str(COINS)]
    burnt = Rule("coin", "thief", "transformTo", (("stype", "ash"),))
    assert mended(space, TAKE, burnt) == [str(TAKE), str(COINS)]


def test_what_becomes_something_else_at_a_thing_takes_it_only_where_the_rule_says_so(space: LearnedSpace) -> None:
    changed = Rule("thief", "coin", "transformTo", (("stype", "ash"), ("scoreChange", "1")))
    assert mended(space, TAKE, changed) == [str(TAKE), str(changed), str(COINS)]
    taken = Rule("thief", "coin", "transformTo", (("stype", "ash"), ("killSecond", "True")))
    assert mended(space, TAKE, taken) == [str(TAKE), str(COINS)]


def test_the_place_that_a_portal_leads_to_is_not_taken_away() -> None:
    text = SPRITES.replace("        ash    > Immovable", "        ash    > Immovable\n        in > Portal stype=ash")
    space = LearnedSpace(RuleSpace.of(text.replace("        a >", "        i > floor in\n        a >"), [LEVEL]))
    taken = Rule("ash", "hero", "killSprite", (("scoreChange", "1"),))
    led = Rule("hero", "in", "teleportToExit")
    assert mended(space, TAKE, taken, led) == [str(TAKE), str(led), str(COINS)]
    assert mended(space, TAKE, taken) == [str(TAKE), str(taken), str(COINS)], "where nobody is sent there it may go"


def test_a_rule_that_undoes_the_tick_does_so_for_those_that_touch(space: LearnedSpace) -> None:
    stop = Rule("crate", "wall", "undoAll")
    for spared in ("crate", "wall"):
        spares = Rule("crate", "wall", "undoAll", (("notStype", spared),))
        assert mended(space, TAKE, stop, spares) == [str(TAKE), str(stop), str(COINS)]
    others = Rule("crate", "wall", "undoAll", (("notStype", "thief"),))
    assert mended(space, TAKE, others) == [str(TAKE), str(others), str(COINS)]


def test_what_is_pushed_and_has_to_go_does_not_go_at_the_edge_of_the_map(space: LearnedSpace) -> None:
    crates = Termination("SpriteCounter", (("stype", "crate"), ("limit", "0"), ("win", "True")))
    push, edge = Rule("crate", "hero", "bounceForward"), Rule("crate", EOS, "killSprite", (("scoreChange", "5"),))
    mark, stop = Rule("crate", "ash", "killSprite"), Rule("crate", EOS, "undoAll")
    assert mended(space, push, edge, mark, endings=(crates,)) == [str(push), str(stop), str(mark), str(crates)]
    assert mended(space, edge, mark, endings=(crates,))[0] == str(edge), "where nobody pushes"
    assert str(edge) in mended(space, TAKE, push, edge), "where coins have to go, crates may"


def test_no_win_asks_for_the_places_that_portals_lead_to() -> None:
    text = SPRITES.replace("        ash    > Immovable", "        ash    > Immovable\n        in > Portal stype=ash")
    space = LearnedSpace(RuleSpace.of(text.replace("        a >", "        i > floor in\n        a >"), [LEVEL]))
    ashes = Termination("SpriteCounter", (("stype", "ash"), ("limit", "0"), ("win", "True")))
    led = Rule("hero", "in", "teleportToExit")
    asked = dict.fromkeys(((TAKE,), (TAKE, led)), 0)
    for rules in asked:
        for seed in range(8):
            made = repair_playability(space, RuleSet(rules, (ashes,)), np.random.default_rng(seed), share=1.0, most=12)
            asked[rules] += any(e.wins and "ash" in str(e) for e in made.terminations)
    assert asked[(TAKE,)] == 8 and asked[(TAKE, led)] == 0


def test_a_race_that_can_be_lost_stays(space: LearnedSpace) -> None:
    burnt = Rule("coin", "thief", "transformTo", (("stype", "ash"),))
    lost = Termination("SpriteCounterMore", (("stype", "ash"), ("limit", "2"), ("win", "False")))
    assert mended(space, TAKE, burnt, endings=(COINS, lost)) == [str(TAKE), str(burnt), str(COINS), str(lost)]


def test_what_the_player_pushes_or_shoots_is_the_players_doing(space: LearnedSpace) -> None:
    rules = (
        TAKE, Rule("coin", "blade", "killSprite", (("scoreChange", "1"),)), Rule("crate", "hero", "bounceForward"),
        Rule("coin", "crate", "killSprite", (("scoreChange", "1"),)),
    )  # fmt: skip
    assert mended(space, *rules) == [*map(str, rules), str(COINS)]


def test_nobody_is_paid_for_others_or_for_hitting_the_ground(space: LearnedSpace) -> None:
    theft = Rule("coin", "thief", "killSprite", (("scoreChange", "2"),))
    ground = Rule("floor", "blade", "killSprite", (("scoreChange", "1"),))
    hunt = Termination("SpriteCounter", (("stype", "thief"), ("limit", "0"), ("win", "True")))
    found = mended(space, TAKE, theft, ground, endings=(hunt,))
    assert found == [str(TAKE), "coin thief > killSprite", "floor blade > killSprite", str(hunt)]
    fine = Rule("thief", "ash", "killSprite", (("scoreChange", "1"),))
    assert mended(space, TAKE, fine)[1] == str(fine), "a trap for a danger may pay"


def test_no_end_waits_for_more_of_what_nothing_makes(space: LearnedSpace) -> None:
    def many(name: str) -> Termination:
        return Termination("SpriteCounterMore", (("stype", name), ("limit", "9"), ("win", "False")))

    assert mended(space, TAKE, endings=(COINS, many("coin"))) == [str(TAKE), str(COINS)]
    assert mended(space, TAKE, endings=(COINS, many("thief")))[-1] == str(many("thief")), "nests make thieves"
    clone = Rule("coin", "thief", "cloneSprite")
    assert mended(space, TAKE, clone, endings=(COINS, many("coin")))[-1] == str(many("coin"))


def test_nothing_is_lost_by_what_has_to_go_for_a_win(space: LearnedSpace) -> None:
    def loss(*names: str) -> Termination:
        params = tuple((f"stype{k + 1}", name) for k, name in enumerate(names))
        return Termination("MultiSpriteCounter", (*params, ("limit", "0"), ("win", "False")))

    theft = Rule("ash", "thief", "killSprite")
    assert mended(space, TAKE, theft, endings=(COINS, loss("coin", "ash"))) == [str(TAKE), str(theft), str(COINS)]
    assert str(loss("ash")) in mended(space, TAKE, theft, endings=(COINS, loss("ash"))), "it is to be guarded"
    many = Termination("SpriteCounterMore", (("stype", "thief"), ("limit", "9"), ("win", "True")))
    assert str(loss("thief")) in mended(space, Rule("thief", "thief", "killSprite"), endings=(many, loss("thief")))
    # what the player alone takes away is no danger but a trap
    sweep = Rule("ash", "hero", "killSprite", (("scoreChange", "1"),))
    assert str(loss("ash")) not in mended(space, TAKE, sweep, endings=(COINS, loss("ash")))
    assert str(loss("ash")) in mended(space, TAKE, sweep, theft, endings=(COINS, loss("ash")))
    assert str(loss("hero")) in mended(space, TAKE, Rule("hero", "thief", "killSprite"), endings=(COINS, loss("hero")))


def test_shots_are_paid_for_what_they_hit_and_not_for_what_stays(space: LearnedSpace) -> None:
    wasted = Rule("blade", "ash", "killSprite", (("scoreChange", "5"),))
    assert mended(space, TAKE, wasted)[1] == "blade ash > killSprite"
    crash = Rule("thief", "wall", "killSprite", (("scoreChange", "1"),))
    assert mended(space, TAKE, crash)[1] == "thief wall > killSprite", "who runs into a wall does so by itself"
    brawl = Rule("thief", "thief", "killSprite", (("scoreChange", "1"),))
    assert mended(space, TAKE, brawl)[1] == "thief thief > killSprite", "they meet by accident"
    broken = Rule("ash", "blade", "killSprite")
    assert mended(space, TAKE, broken, wasted)[2] == str(wasted)


def test_no_goal_waits_for_a_moment_without_what_flies_about() -> None:
    text = SPRITES.replace(
        "nest   > SpawnPoint stype=thief", "rock   > Missile\n        nest   > SpawnPoint stype=rock"
    )
    flying = LearnedSpace(RuleSpace.of(text, [LEVEL]))

    def goals(*names: str) -> list[list[str]]:
        params = tuple((f"stype{k + 1}", name) for k, name in enumerate(names))
        goal = Termination("MultiSpriteCounter", (*params, ("limit", "0"), ("win", "True")))
        made = repair_playability(flying, RuleSet((TAKE,), (goal,)), np.random.default_rng(1), share=1.0, most=20)
        return [[value for key, value in e.params if key.startswith("stype")] for e in made.terminations if e.wins]

    assert goals("rock", "coin") == [["coin"]] and goals("coin", "blade", "ash") == [["coin", "ash"]]
    assert goals("coin", "thief") == [["coin", "thief"]]
    assert all("rock" not in names for names in goals("rock"))


@pytest.mark.parametrize(
    ("placed", "rules", "gift"),
    [
        ("gem", (TAKE,), "gem hero > collectResource"),
        ("ash", (TAKE,), "hero coin > changeResource resource=gem value=1"),
        ("ash", (), "changeResource resource=gem value=1 killResource=True"),
    ],
)
def test_a_player_who_needs_ammunition_gets_some(placed: str, rules: tuple[Rule, ...], gift: str) -> None:
    armed = SPRITES.replace("ShootAvatar stype=blade", "ShootAvatar stype=blade ammo=gem")
    armed = armed.replace("ash    > Immovable", "ash    > Immovable\n        gem    > Resource")
    armed = armed.replace("a > floor ash", f"a > floor {placed}")
    goal = Termination("SpriteCounter", (("stype", "thief"), ("limit", "0"), ("win", "True")))
    shot = Rule("thief", "blade", "killSprite")
    space = LearnedSpace(RuleSpace.of(armed, [LEVEL]))
    given = RuleSet((*rules, shot), (goal,))
    made = repair_playability(space, given, np.random.default_rng(1), share=1.0, most=20)
    assert sum(str(rule).endswith(gift) for rule in made.rules) == 1
    again = repair_playability(space, made, np.random.default_rng(2), share=1.0, most=20)
    assert sum("gem" in str(rule) for rule in again.rules) == 1, "one way to get some is enough"


def test_speeds_decide_nothing_on_a_grid(space: LearnedSpace) -> None:
    slow = Rule("coin", "hero", "killIfSlow", (("limspeed", "53.89"), ("scoreChange", "2")))
    fast = Rule("hero", "ash", "killIfFast", (("limspeed", "44.6"),))
    assert mended(space, slow, fast) == ["coin hero > killSprite scoreChange=2", str(COINS)]


def test_walls_stay_and_what_runs_into_them_stops() -> None:
    space = LearnedSpace(RuleSpace.of(SPRITES, [LEVEL.replace("\nw.x", "\nw......w\nw......w\nw......w\nw.x")]))
    turned = Rule("wall", "thief", "reverseDirection")
    made = repair_playability(space, RuleSet((TAKE, turned), (COINS,)), np.random.default_rng(1), share=1.0, most=20)
    assert Rule("thief", "wall", "stepBack") in made.rules and turned not in made.rules


@pytest.mark.parametrize("effect", ["killSprite", "killIfAlive", "killIfFromAbove"])
def test_what_has_to_be_gathered_is_not_deadly_as_well(space: LearnedSpace, effect: str) -> None:
    death = Rule("hero", "coin", effect)
    made = repair_playability(space, RuleSet((TAKE, death), (COINS,)), np.random.default_rng(1), share=1.0, most=20)
    assert TAKE in made.rules and death not in made.rules
    prey = Rule("thief", "hero", "killSprite")
    goal = Termination("SpriteCounter", (("stype", "thief"), ("limit", "0"), ("win", "True")))
    stomp = Rule("hero", "thief", "killIfFromAbove")
    made = repair_playability(space, RuleSet((prey, stomp), (goal,)), np.random.default_rng(1), share=1.0, most=20)
    assert stomp in made.rules, "who comes from above wins"


def test_an_end_that_needs_more_of_what_nothing_makes_is_no_danger() -> None:
    def reading(more: str) -> RuleReading:
        game = load(SPRITES + f"    TerminationSet\n        SpriteCounterMore stype={more} limit=2\n", levels=[LEVEL])
        levels = [game.read_level(0)]
        return RuleReading(game_kinds(game.definition, levels), levels)

    assert not reading("coin").dangers
    assert len(reading("thief").dangers) == 1


def test_finished_games_have_no_such_end_and_ask_for_all(space: LearnedSpace) -> None:
    old = "        SpriteCounter stype=coin win=True\n"
    vain = SPRITES.replace(old, old + "        SpriteCounterMore stype=coin limit=9 win=False\n")
    assert RuleSet.of(without_idle_endings(vain)) == RuleSet.of(SPRITES)
    some = SPRITES.replace("stype=coin win", "stype=coin limit=5 win")
    assert [e.get("limit") for e in RuleSet.of(with_whole_goals(some)).terminations] == ["0"]


def test_what_dies_of_a_touch_in_any_case_needs_no_other_rule(space: LearnedSpace) -> None:
    deadly, frontal = Rule("hero", "thief", "killSprite"), Rule("hero", "thief", "killIfFrontal")
    both = Rule("hero", "thief", "killBoth")
    hurt = Rule("hero", "thief", "subtractHealthPoints", (("scoreChange", "-1"),))
    for rules in ((deadly, frontal), (frontal, deadly), (deadly, deadly), (deadly, hurt)):
        assert mended(space, *rules) == [str(deadly), str(COINS)]
    for rules in ((frontal, both), (both, deadly), (deadly, both)):
        assert mended(space, *rules) == [str(both), str(COINS)]
    others = frontal, Rule("hero", "ash", "killSprite"), Rule("thief", "hero", "killSprite")
    assert mended(space, *others)[:3] == [str(rule) for rule in others]
    twice = Rule("hero", "thief", "killSprite", (("scoreChange", "-1"),))
    assert mended(space, deadly, twice)[:2] == [str(deadly), str(twice)], "what pays is for points"
