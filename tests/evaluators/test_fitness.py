"""Judging levels by playing them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from pcg.engine.game import Game, load
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation, decode_play, encode_play
from pcg.evaluators.fitness import CONSTRAINTS, LevelEvaluator
from pcg.evaluators.metrics.profile import play_value

MAZE = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        exit > Door
        gem > Immovable
        trap > Immovable
        wolf > Missile orientation=LEFT speed=0.5
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        wolf wall > stepBack
        gem hero > killSprite scoreChange=1
        exit hero > killSprite scoreChange=5
        hero trap > killSprite
        hero wolf > killSprite
    LevelMapping
        . > floor
        w > wall
        e > floor exit
        g > floor gem
        t > floor trap
        f > floor wolf
        A > floor hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=exit limit=0 win=True
"""
WAY = "wwwwwwwwwwww\nwA..g......w\nwwwwwwwwww.w\nw......g...w\nw.wwwwwwwwww\nw.......g.ew\nwwwwwwwwwwww"
CHEAP = {"nodes": 4000, "budget": 60, "planner_budget": 100, "max_length": 80, "weak_plays": 2, "min_kinds": 0.5}


@pytest.fixture(scope="module")
def maze() -> Game:
    return load(MAZE, reading="strict")


@pytest.fixture(scope="module")
def judge(maze: Game) -> LevelEvaluator:
    return LevelEvaluator(maze, max_cover=0.9, **CHEAP)


def broken(found: Evaluation) -> set[str]:
    return {name for name, value in found.constraints.items() if value < 1}


def test_a_good_level_keeps_every_constraint_and_gets_a_fitness(judge: LevelEvaluator) -> None:
    found = judge.evaluate(WAY, seed=1)
    assert found.feasible and found.stage == "complete"
    assert broken(found) == set() and found.constraint == 1.0
    assert 0 < found.fitness <= 1
    assert set(found.constraints) == set(CONSTRAINTS)


def test_the_winning_play_can_be_replayed(maze: Game, judge: LevelEvaluator) -> None:
    found = judge.evaluate(WAY, seed=1)
    state = maze.start(WAY, seed=found.seed)
    for action in found.actions:
        state.advance(action)
    assert state.winner == Outcome.PLAYER_WINS
    assert len(found.actions) == found.metrics["solution_length"]


@pytest.mark.parametrize(
    ("level", "stage", "constraint"),
    [
        (WAY.replace("A", "."), "static", "avatar"),
        (WAY.replace("e", "A"), "static", "avatar"),
        (WAY.replace("e", "."), "static", "goal"),
        (WAY.replace("g", "?"), "static", "check"),
        ("wwwwww\nwA...w\nw....w\nw...ew", "static", "kinds"),
        ("wwwww\nwtAgw\nwtegw\nwwwww", "static", "cover"),
        (WAY.replace("A..", "A.f"), "idle", "start"),
        (WAY.replace(".ew", "wew"), "capable", "win"),
        ("wwwwwwwwwwww\nwA..g....e.w\nw..........w\nwwwwwwwwwwww", "capable", "length"),
    ],
)
def test_a_level_fails_at_the_stage_that_finds_its_fault(
    judge: LevelEvaluator, level: str, stage: str, constraint: str
) -> None:
    found = judge.evaluate(level, seed=1)
    assert not found.feasible and found.fitness == 0
    assert found.stage == stage
    assert found.constraints[constraint] < 1
    assert 0 <= found.constraint < 1


def test_winning_by_doing_nothing_is_a_fault() -> None:
    text = MAZE.replace("SpriteCounter stype=exit limit=0 win=True", "Timeout limit=60 win=True")
    found = LevelEvaluator(load(text, reading="strict"), max_cover=0.9, **CHEAP).evaluate(WAY, seed=1)
    assert found.stage == "idle"
    assert found.constraints["idle"] == 0


def test_surviving_a_chaser_can_be_the_goal() -> None:
    found = LevelEvaluator(load("survival")).evaluate(load("survival").levels[0], seed=1)
    assert found.constraints["goal"] == 1.0
    assert found.constraints["idle"] == 1.0


def test_plays_last_long_enough_for_the_rules_to_be_fulfilled() -> None:
    assert LevelEvaluator(load("boxes"), max_length=50).horizon == 50
    assert LevelEvaluator(load("survival"), max_length=50).horizon == 201
    fleet = MAZE.replace(
        "wolf > Missile orientation=LEFT speed=0.5", "wolf > SpawnPoint stype=gem total=20 cooldown=10"
    )
    fleet = fleet.replace("SpriteCounter stype=exit", "SpriteCounter stype=wolf")
    assert LevelEvaluator(load(fleet, reading="strict"), max_length=50).horizon == 600


def test_the_later_a_level_fails_the_higher_its_constraint_value(judge: LevelEvaluator) -> None:
    static, idle, capable = (
        judge.evaluate(level, seed=1).constraint
        for level in (WAY.replace("A", "."), WAY.replace("A..", "A.f"), WAY.replace(".ew", "wew"))
    )
    assert static < idle < capable < 1


def test_the_same_level_and_seed_give_the_same_evaluation_in_any_thread(judge: LevelEvaluator) -> None:
    levels = [WAY, WAY.replace("g", "."), WAY.replace("..g.", ".wg.")] * 3
    alone = [judge.evaluate(level, seed=4) for level in levels]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda level: judge.evaluate(level, seed=4), levels))
    assert alone == together


def test_games_of_chance_are_judged_reproducibly_too() -> None:
    game = load("hunt")
    first, second = (LevelEvaluator(game, **CHEAP).evaluate(game.levels[0], seed=3) for _ in range(2))
    assert first == second


def test_evaluations_survive_json(judge: LevelEvaluator) -> None:
    found = judge.evaluate(WAY, seed=1)
    assert Evaluation.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_plays_are_written_as_letters_and_read_back() -> None:
    actions = ["NIL", "UP", "LEFT", "DOWN", "RIGHT", "USE", "ESCAPE"]
    assert decode_play(encode_play(actions)) == actions
    assert len(encode_play(actions)) == 7


def test_two_player_games_and_bad_parameters_are_refused(maze: Game) -> None:
    with pytest.raises(PcgError, match="did you mean `min_length`"):
        LevelEvaluator(maze, min_lenght=3)
    with pytest.raises(PcgError, match=r"min_cover is 0.9"):
        LevelEvaluator(maze, min_cover=0.9, max_cover=0.1)
    two = MAZE.replace("BasicGame", "BasicGame no_players=2").replace("win=False", "win=False,False")
    with pytest.raises(PcgError, match="2 players"):
        LevelEvaluator(load(two, reading="gvgai"))


def test_the_value_of_a_play_is_its_outcome_first_and_its_score_second() -> None:
    assert play_value(True, True, -50) > play_value(False, False, 50) > play_value(False, True, 1000)
    assert play_value(True, True, 5) > play_value(True, True, 1)
