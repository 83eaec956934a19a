"""Distances that draw the solver towards a win: things to be brought together, and actions that last."""

from __future__ import annotations

import pytest
from rulebooks import with_forms

from pcg.engine.game import Game, load
from pcg.engine.kernel.runtime import COMPILED
from pcg.evaluators.agents import Playout, make_agent, play, solve
from pcg.evaluators.agents.subgoals import AbstractState, Subgoals
from pcg.evaluators.analysis import analyse
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.requirements import requirements
from pcg.evaluators.win_distance import distance_weights, pairs

SNOWMAN = """BasicGame
    SpriteSet
        floor > Immovable color=WHITE
        hero > MovingAvatar color=RED
        foot > Immovable color=GRAY
        belly > Passive color=BLUE
        head > Passive color=YELLOW
        half > Immovable color=GREEN
        whole > Immovable color=PINK
        spoilt > Immovable color=BLACK

    InteractionSet
        belly hero > bounceForward
        head hero > bounceForward
        belly wall > undoAll
        head wall > undoAll
        hero wall > stepBack
        hero half > stepBack
        belly foot > transformTo stype=half killSecond=True
        head half > transformTo stype=whole killSecond=True
        head foot > transformTo stype=spoilt

    TerminationSet
        MultiSpriteCounter stype1=spoilt limit=1 win=False
        MultiSpriteCounter stype1=whole limit=1 win=True

    LevelMapping
        . > floor
        A > floor hero
        f > floor foot
        b > floor belly
        h > floor head
"""
ROOM = """wwwwwwwwwww
w.........w
w.h.......w
w.........w
w...A...f.w
w.........w
w..b......w
w.........w
wwwwwwwwwww"""

HYDRANT = """BasicGame
    SpriteSet
        street > Immovable color=GRAY
        hydrant > Immovable color=RED
        water > Resource limit=10 color=BLUE
        jet > Missile color=BLUE
        fire > Immovable color=ORANGE
        hero > ShootAvatar stype=jet ammo=water color=WHITE

    InteractionSet
        hero wall > stepBack
        jet wall > killSprite
        fire wall > killSprite
        fire jet > killSprite
        hero hydrant > changeResource resource=water value=2

    TerminationSet
        SpriteCounter stype=fire limit=0 win=True

    LevelMapping
        . > street
        A > street hero
        f > street fire
        h > street hydrant
"""


@pytest.fixture(scope="module")
def snowman() -> Game:
    return load(SNOWMAN, reading="strict")


def test_things_to_be_merged_are_pairs_and_the_place_of_what_comes_of_them_is_known(snowman: Game) -> None:
    analysis = analyse(snowman.definition)
    id = snowman.definition.type_index
    found = {(tuple(first), tuple(second)) for first, second, _ in pairs(analysis, requirements(analysis))}
    assert found == {((id["belly"],), (id["foot"],)), ((id["head"],), tuple(sorted((id["foot"], id["half"]))))}


def test_games_without_anything_to_merge_have_no_pairs() -> None:
    analysis = analyse(load("boxes").definition)
    assert pairs(analysis, requirements(analysis)) == ()


@pytest.mark.kernel
def test_pairs_lead_to_a_win_sooner(snowman: Game) -> None:
    analysis = analyse(snowman.definition)
    required = requirements(analysis)
    start = snowman.start(ROOM, seed=1)
    weights = distance_weights(analysis, required)
    led = solve(start, max_nodes=200_000, algorithm="astar", weights=weights, pairs=pairs(analysis, required))
    assert led.status == "solved"
    assert solve(start, max_nodes=2 * led.nodes, algorithm="astar", weights=weights).status == "budget"
    for action in led.actions:
        start.advance(action)
    assert start.is_over and start.winner == 1


@pytest.mark.kernel
def test_actions_that_last_win_where_a_tick_decides_nothing() -> None:
    game = load("flyby")
    evaluator = LevelEvaluator(game)
    assert evaluator.strides[-1] == 1 and len(evaluator.strides) > 1
    found = solve(game.start(4, seed=1), max_nodes=20_000, algorithm="astar", weights=evaluator.estimate, weight=5.0,
                  stride=8)  # fmt: skip
    assert found.status == "solved" and not found.optimal
    state = game.start(4, seed=1)
    for k, action in enumerate(found.actions):
        assert action == "NIL" or k % 8 == 0, "USE is pressed in the first tick of eight"
        if not state.is_over:
            state.advance(action)
    assert state.winner == 1
    if COMPILED:
        assert evaluator.evaluate(game.levels[4], seed=1).feasible


def test_games_on_a_grid_are_searched_tick_by_tick() -> None:
    assert LevelEvaluator(load("boxes")).strides == (1,)


def test_a_player_need_not_live_longer_than_in_the_game_s_own_levels() -> None:
    game = load("flyby")
    lived: list[Playout] = [play(game.start(k, seed=1), make_agent("onestep", seed=1), max_ticks=40) for k in range(5)]
    assert sum(p.winner == 0 for p in lived) > 2
    text = game.levels[0]
    asked = LevelEvaluator(game, survival=40).evaluate(text, seed=1).constraints["survival"]
    assert asked < 1.0 == LevelEvaluator(game).evaluate(text, seed=1).constraints["survival"]


def test_what_stands_still_does_not_remove_what_stands_still() -> None:
    game = load(HYDRANT, reading="strict")
    analysis = analyse(game.definition)
    id = game.definition.type_index
    assert not analysis.can_meet(id["fire"], id["wall"])
    assert analysis.can_meet(id["fire"], id["jet"])
    needs = {(n.base, n.other) for n in requirements(analysis).needs}
    assert needs == {(id["fire"], id["hydrant"])}


def test_who_shoots_fetches_what_shots_cost_first() -> None:
    game = load(HYDRANT, reading="strict")
    id = game.definition.type_index
    counts = [0] * len(game.definition.types)
    for name in ("hero", "fire", "hydrant", "wall"):
        counts[id[name]] = 1
    targets = Subgoals(game.definition)
    assert targets.at(AbstractState(id["hero"], tuple(counts))) == {id["hydrant"]}
    assert targets.at(AbstractState(id["hero"], tuple(counts), ((id["water"], 1),))) == {id["fire"]}


def test_things_that_all_turn_into_each_other_have_near_subgoals_and_steps() -> None:
    text = with_forms(14)
    definition = load(text, reading="strict").definition
    id = definition.type_index
    targets = Subgoals(definition)
    counts = [0] * len(definition.types)
    for name in ("poor", "gate", "crate", "form0", "form1"):
        counts[id[name]] = 1
    assert targets.at(AbstractState(id["poor"], tuple(counts))) == frozenset()  # forms go to each other by themselves
    wanted = load(text.replace("SpriteCounter stype=gate limit=0 win", "SpriteCounterMore stype=form13 limit=1 win"))
    analysis = analyse(wanted.definition)
    weights = distance_weights(analysis, requirements(analysis))
    assert {weights[2 * id[f"form{k}"]] for k in range(13)} == {0.0} and weights[2 * id["form13"]] == -10.0


def test_plays_go_on_until_time_has_done_its_work() -> None:
    rule = "hero TIME > transformToAll stype=hydrant stypeTo=fire timer=600 repeating=False"
    late = HYDRANT.replace("fire jet > killSprite", f"fire jet > killSprite\n        {rule}")
    assert LevelEvaluator(load(late, reading="strict"), max_length=100).horizon == 650
