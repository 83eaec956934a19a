"""Constraints held against the game's own levels, and levels of which no win is found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from pcg.engine.game import Game, load
from pcg.evaluators.agents import play
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.fitness_functions import FITNESS_FUNCTIONS, fitness_function
from pcg.evaluators.judging.level_model import enough
from pcg.evaluators.judging.level_play import PLAY_MEASURES, USUAL, unseen_plays
from pcg.evaluators.judging.levels import value_of
from pcg.evaluators.level_evaluation import Idleness, LevelEvaluation, WinSearch
from pcg.evaluators.own_levels import shortest_expected
from pcg.evaluators.proving.level_wins import Found, LevelWins
from pcg.evaluators.winnability import LIKELY, ask_own_levels, chance_winnable, miss_rate, must_be_won

COIN = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        coin > Immovable
        gate > Immovable
        key > Resource limit=1
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        coin hero > killSprite scoreChange=1
        gate hero > killIfOtherHasMore resource=key limit=1
        key hero > collectResource
    LevelMapping
        . > floor
        w > wall
        c > floor coin
        d > floor gate
        k > floor key
        A > floor hero
    TerminationSet
        MultiSpriteCounter stype1=coin limit=0 win=True
"""
SHORT = [
    "wwwwwww\nwA...cw\nw.w.w.w\nwwwwwww",
    "wwwwwww\nw.w.w.w\nwA..cww\nwwwwwww",
    "wwwwwwww\nwc.w.A.w\nw......w\nwwwwwwww",
    "wwwwwwww\nw.c..w.w\nw.w.A..w\nwwwwwwww",
]
CHEAP = {"nodes": 4000, "budget": 60, "planner_budget": 100, "weak_plays": 2, "min_kinds": 0.0, "max_cover": 1.0}
NEW = "wwwwwwww\nwA..w..w\nw.w...cw\nwwwwwwww"


@pytest.fixture(scope="module")
def coins() -> Game:
    return load(COIN, levels=SHORT, reading="gvgai")


@pytest.fixture(scope="module")
def dungeon() -> LevelEvaluator:
    return LevelEvaluator(load("dungeon"))


# -- constraints -------------------------------------------------------------------------------------------------------


def test_winning_may_be_as_quick_as_in_the_game_s_own_levels(coins: Game) -> None:
    found = LevelEvaluator(coins, **CHEAP).evaluate(NEW, seed=1)
    assert found.metrics["solution_length"] < 20 and found.constraints["length"] == 1.0
    alone = LevelEvaluator(load(COIN, levels=[], reading="gvgai"), **CHEAP).evaluate(NEW, seed=1)
    assert alone.constraints["length"] < 1.0


def test_a_length_that_was_set_is_asked_of_every_level(coins: Game) -> None:
    found = LevelEvaluator(coins, min_length=20, **CHEAP).evaluate(NEW, seed=1)
    assert found.constraints["length"] == found.metrics["solution_length"] / 20 < 1.0


def test_a_win_much_quicker_than_those_of_the_game_s_own_levels_is_too_quick() -> None:
    assert shortest_expected([90, 110, 120, 95], 20) > 20.0
    assert 1.0 < shortest_expected([12, 14, 40, 30], 20) < 12.0
    assert shortest_expected([], 20) == 20


def test_what_own_levels_do_without_is_not_required() -> None:
    gates = COIN.replace("stype1=coin limit=0", "stype1=coin stype2=gate limit=0")
    lacking = [text.replace("c", "d") for text in SHORT[:3]] + [SHORT[3]]
    evaluator = LevelEvaluator(load(gates, levels=lacking, reading="gvgai"), **CHEAP)
    gate = "wwwwwwww\nwA...d.w\nw.w.w..w\nwwwwwwww"
    assert evaluator.requirements.satisfaction(evaluator.text.level(evaluator.palette.parse(gate)).sprites) < 1.0
    assert evaluator.evaluate(gate, seed=1).constraints["goal"] == 1.0
    strict = LevelEvaluator(load(gates, levels=SHORT, reading="gvgai"), **CHEAP)
    assert strict.evaluate(gate, seed=1).constraints["goal"] < 1.0


def test_an_own_level_does_not_vouch_for_itself() -> None:
    gates = COIN.replace("stype1=coin limit=0", "stype1=coin stype2=gate limit=0")
    lone = SHORT[0].replace("c", "d")
    evaluator = LevelEvaluator(load(gates, levels=[lone, *SHORT[1:]], reading="gvgai"), **CHEAP)
    assert evaluator.evaluate(lone, seed=1).constraints["goal"] < 1.0


def test_rows_of_unequal_length_are_no_fault_where_the_game_is_read_as_the_reference_reads_it(coins: Game) -> None:
    ragged = "wwwwwwww\nwA..w..w\nw.w...cw\nwwwwww"
    assert LevelEvaluator(coins, **CHEAP).evaluate(ragged, seed=1).constraints["check"] == 1.0
    strict = load(COIN, levels=SHORT, reading="strict")
    assert LevelEvaluator(strict, **CHEAP).evaluate(ragged, seed=1).constraints["check"] == 0.0
    assert LevelEvaluator(coins, **CHEAP).evaluate(ragged.replace("A", "."), seed=1).constraints["avatar"] < 1.0


def test_bounds_on_the_cover_that_were_set_stay(coins: Game) -> None:
    crammed = [text.replace(".", "c") for text in SHORT]
    game = load(COIN, levels=crammed, reading="gvgai")
    assert LevelEvaluator(game).cover_bounds[1] > 0.6
    assert LevelEvaluator(game, max_cover=0.6).cover_bounds[1] == 0.6


def test_the_order_of_evaluations_does_not_matter(coins: Game) -> None:
    levels = [SHORT[0], NEW, SHORT[2]]
    first, second = (LevelEvaluator(coins, **CHEAP) for _ in range(2))
    forth = [first.evaluate(text, seed=1) for text in levels]
    back = [second.evaluate(text, seed=1) for text in reversed(levels)][::-1]
    assert forth == back


FALLING = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        city > Immovable
        rock > Missile orientation=DOWN speed=0.2
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        rock city > killBoth scoreChange=-1
        rock hero > killSprite scoreChange=2
    LevelMapping
        . > floor
        w > wall
        c > floor city
        r > floor rock
        A > floor hero
    TerminationSet
        SpriteCounter stype=city limit=0 win=False
        SpriteCounter stype=rock limit=0 win=True
"""
UNDER_ROCKS = "wwwwwwww\nwA.r...w\nw......w\nw......w\nw..c.c.w\nwwwwwwww"


def test_waiting_may_win_where_it_costs_points_that_a_player_saves() -> None:
    settings = CHEAP | {"min_length": 1, "start": 1, "survival": 1}
    found = LevelEvaluator(load(FALLING, levels=[]), **settings).evaluate(UNDER_ROCKS, seed=1)
    assert found.constraints["idle"] == 1.0 and found.feasible and found.metrics["score"] > 0.0
    free = FALLING.replace(" scoreChange=-1", "")
    assert LevelEvaluator(load(free, levels=[]), **settings).evaluate(UNDER_ROCKS, seed=1).constraints["idle"] == 0.0


@pytest.mark.parametrize(
    ("elsewhere", "points", "kept"), [(0.0, 0.0, 0.0), (1 / 3, 0.0, 1.0), (1 / 3, 9.0, 0.5), (1.0, 9.0, 1.0)]
)
def test_waiting_may_win_more_often_than_in_own_levels_that_it_wins_at_times_where_a_player_does_better(
    coins: Game, monkeypatch: pytest.MonkeyPatch, elsewhere: float, points: float, kept: float
) -> None:
    def idleness(self: LevelEvaluation) -> Idleness:
        waited = replace(play(self.start, "nothing", max_ticks=8), score=points)
        won = 1.0 if self.level == NEW else elsewhere
        return Idleness([waited], 40, won, (1, waited) if won else None)

    monkeypatch.setattr(LevelEvaluation, "idleness", property(idleness))
    found = LevelEvaluator(coins, **CHEAP).evaluate(NEW, seed=1)
    assert found.constraints["idle"] == kept


@pytest.mark.parametrize(("lives", "kept"), [([42, 46, 80, 92], True), ([160, 160, 160, 160], False)])
def test_a_careless_player_may_live_as_short_as_own_levels_let_expect(
    coins: Game, monkeypatch: pytest.MonkeyPatch, lives: list[int], kept: bool
) -> None:
    ticks = {**dict(zip(SHORT, lives, strict=True)), NEW: 28}
    monkeypatch.setattr(LevelEvaluation, "survival", property(lambda self: min(40, ticks[self.level])))
    monkeypatch.setattr(LevelEvaluation, "lifetime", property(lambda self: ticks[self.level]))
    assert (LevelEvaluator(coins, **CHEAP).evaluate(NEW, seed=1).constraints["survival"] == 1.0) == kept
    assert LevelEvaluator(coins, survival=40, **CHEAP).evaluate(NEW, seed=1).constraints["survival"] == 28 / 40


# -- levels that were not won ------------------------------------------------------------------------------------------


@pytest.fixture
def tidy() -> Iterator[None]:
    """A fitness function that asks nothing of plays."""
    fitness_function("tidy")(lambda metrics, settings: metrics["symmetry"])
    yield
    FITNESS_FUNCTIONS.unregister("tidy")


def nobody_wins(monkeypatch: pytest.MonkeyPatch, but: tuple[str, ...] = (), proved: bool = False) -> None:
    """Let the search fail for all levels but those named."""
    search = LevelEvaluation._win

    def win(self: LevelEvaluation) -> WinSearch:
        return search(self) if self.level in but else WinSearch(None, 0.3, proved)

    monkeypatch.setattr(LevelEvaluation, "_win", win)
    monkeypatch.setattr(LevelEvaluation, "cheap_win", property(lambda self: self.level in but))


def test_where_own_levels_are_not_won_either_a_typical_level_is_taken_for_one_that_can_be(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = dungeon.game.levels[0]
    won = dungeon.evaluate(level, seed=1)
    nobody_wins(monkeypatch)
    evaluator = LevelEvaluator(dungeon.game)
    found = evaluator.evaluate(level, seed=1)
    assert found.feasible and not found.winner and not found.play and found.stage == "capable"
    assert LIKELY <= found.metrics["winnable"] < 1.0 == won.metrics["winnable"]
    assert found.metrics["playability"] == 0.3
    assert found.fitness == pytest.approx(value_of(found.parts)) and found.fitness < won.fitness
    skill = next(part for part in found.parts if part.name == "skill")
    assert skill.sentence.startswith("Not shown to be winnable (nor are the game's own levels)")
    assert Evaluation.from_json(found.to_json()) == found
    assert LevelEvaluator(dungeon.game, fitness="skill").evaluate(level, seed=1).fitness == 0.0
    for setting in ({"min_length": 20}, {"search": 1000}, {"nodes": 10}):  # which ask for a win
        assert not LevelEvaluator(dungeon.game, **setting).evaluate(level, seed=1).feasible


def test_where_own_levels_are_won_a_level_that_is_not_stays_infeasible(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = dungeon.game.levels
    nobody_wins(monkeypatch, but=levels[1:])
    found = LevelEvaluator(dungeon.game).evaluate(levels[0], seed=1)
    assert not found.feasible and found.constraints["win"] == 0.3
    assert 0.0 < found.metrics["winnable"] < LIKELY


def test_where_all_own_levels_are_won_no_text_makes_up_for_a_win(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = dungeon.game.levels
    monkeypatch.setattr(LevelEvaluation, "text_value", 1.0)
    nobody_wins(monkeypatch, but=levels[1:])
    found = LevelEvaluator(dungeon.game).evaluate(levels[0], seed=1)
    assert found.metrics["winnable"] >= LIKELY and not found.feasible and found.fitness == 0.0
    nobody_wins(monkeypatch, but=levels[2:])
    assert LevelEvaluator(dungeon.game).evaluate(levels[0], seed=1).feasible


@pytest.mark.usefixtures("tidy")
def test_a_level_that_was_not_won_is_worth_no_more_than_its_chance_and_less_than_the_same_level_won(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    won = [dungeon.evaluate(level, seed=1) for level in dungeon.game.levels]
    nobody_wins(monkeypatch)
    evaluator = LevelEvaluator(dungeon.game)
    symmetric = LevelEvaluator(dungeon.game, fitness="tidy")
    for level, known in zip(dungeon.game.levels, won, strict=True):
        found = evaluator.evaluate(level, seed=1)
        chance = found.metrics["winnable"]
        assert found.feasible and known.feasible
        assert found.fitness <= chance < 1.0 and found.fitness < known.fitness
        assert found.fitness == found.metrics["quality"] == evaluator.judgement(level, found).value
        assert found.fitness == pytest.approx(value_of(found.parts))
        other = symmetric.evaluate(level, seed=1)
        assert other.fitness == pytest.approx(chance * other.metrics["symmetry"]) and other.metrics["symmetry"] > 0


@pytest.mark.parametrize("chance", [0.5, 0.9])
def test_plays_that_nobody_has_seen_are_worth_what_those_of_won_levels_usually_are_times_the_chance(
    dungeon: LevelEvaluator, chance: float
) -> None:
    plays = unseen_plays(chance, 1, 4)
    assert [(one.name, one.part) for one in plays] == list(PLAY_MEASURES.items())
    assert {one.value for one in plays} == {USUAL * chance}
    judge = dungeon.judge
    view = judge.view(judge.levels[0])
    text, value = value_of(judge.parts(view)), value_of(judge.parts(view, plays))
    assert value == pytest.approx((1.0 - judge.model.share) * text + judge.model.share * USUAL * chance)


def test_what_is_proved_to_be_unwinnable_is_never_feasible(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody_wins(monkeypatch, proved=True)
    found = LevelEvaluator(dungeon.game).evaluate(dungeon.game.levels[0], seed=1)
    assert not found.feasible and found.metrics["winnable"] == 0.0


def test_a_game_without_own_levels_asks_for_a_win(dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody_wins(monkeypatch)
    game = Game(dungeon.game.definition, [], reading="strict")
    assert not LevelEvaluator(game).evaluate(dungeon.game.levels[0], seed=1).feasible


def searched_at_length(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let nobody win a level but by a long search of the prover, and list the levels that have one."""
    searched: list[str] = []

    def find(self: LevelWins, level: str, *_: object, worth: Callable[[], bool] = lambda: True, **__: object) -> Found:
        if worth():
            searched.append(level)
        return Found(None, 0)

    monkeypatch.setattr(LevelWins, "find", find)
    monkeypatch.setattr(LevelEvaluation, "_win", lambda self: self._prove(0.3))
    monkeypatch.setattr(LevelEvaluation, "cheap_win", False)
    return searched


def test_a_level_is_not_searched_at_length_where_that_does_not_win_own_levels(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = dungeon.game.levels
    searched = searched_at_length(monkeypatch)
    evaluator = LevelEvaluator(dungeon.game)
    for other in (levels[0], levels[1], levels[0]):
        evaluator.evaluate(other, seed=2)
    assert searched == [levels[1], levels[0]]  # the first that a level is held against, once


def test_a_level_is_searched_at_length_where_own_levels_are_won(
    dungeon: LevelEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = searched_at_length(monkeypatch)
    monkeypatch.setattr(LevelEvaluation, "cheap_win", True)
    level = dungeon.game.levels[0]
    assert not LevelEvaluator(dungeon.game).evaluate(level, seed=2).feasible
    assert searched == [level]


def test_not_finding_a_win_tells_the_more_the_more_own_levels_are_won() -> None:
    rates = [miss_rate(won, 4) for won in range(5)]
    assert rates == sorted(rates, reverse=True) and rates[4] < 0.1
    chances = [chance_winnable(0.8, won, 4) for won in range(5)]
    assert chances == sorted(chances, reverse=True) and chances[0] > LIKELY > chances[4]
    assert chance_winnable(0.9, 2, 4) > chance_winnable(0.5, 2, 4)
    assert chance_winnable(1.0, 0, 0) == 0.0


def test_own_levels_are_asked_no_longer_than_it_takes() -> None:
    asked: list[int] = []

    def own(number: int, won: bool) -> Callable[[], bool]:
        def answer() -> bool:
            asked.append(number)
            return won

        return answer

    assert ask_own_levels(0.3, [own(0, False)] * 4)[1:] == (0, 0) and not asked
    for wins in ([True] * 4, [False] * 4, [True, True, False, False], [True, False]):
        chance, won, tried = ask_own_levels(0.75, [own(k, w) for k, w in enumerate(wins)])
        exact = chance_winnable(0.75, sum(wins), len(wins))
        assert asked == list(range(tried)) and won == sum(wins[:tried])
        assert sum(not wins[k] for k in asked) <= 1  # what comes after a level that was lost is no easier
        assert (chance >= LIKELY) == (exact >= LIKELY)
        assert chance < LIKELY or chance == exact  # what counts bounds the fitness
        asked.clear()
    assert must_be_won(4, 4) and not must_be_won(3, 4) and must_be_won(0, 0)
    assert ask_own_levels(1.0, []) == (0.0, 0, 0)


# -- the judge ---------------------------------------------------------------------------------------------------------


def test_a_text_is_as_good_as_any_halfway_between_the_mean_and_the_best_of_own_levels(dungeon: LevelEvaluator) -> None:
    judge = dungeon.judge
    assert enough(np.array([0.7, 0.9])) == pytest.approx(0.85) and enough(np.array([0.7])) == 1.0
    for text in judge.levels:
        view = judge.view(text)
        others = dungeon.own.others(view.level)
        assert len(others) == len(judge.levels) - 1
        assert value_of(judge.parts(view)) <= enough(judge.own_values[others]) + 1e-12


def test_two_levels_are_searched_at_the_same_time_while_own_levels_are_asked(
    coins: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching, search = threading.Barrier(2), LevelEvaluation._win

    def meet(self: LevelEvaluation) -> WinSearch:
        if not self.of_game:
            searching.wait(timeout=20)
            self.of.own.won(0)  # in one thread an own level is searched, while the other thread waits in a search
        return search(self)

    monkeypatch.setattr(LevelEvaluation, "_win", meet)
    evaluator, levels = LevelEvaluator(coins, **CHEAP), (NEW, NEW.replace("wA", "w.").replace("..c", "A.c"))
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(evaluator.evaluate, levels, (1, 1)))
    monkeypatch.setattr(LevelEvaluation, "_win", search)
    alone = LevelEvaluator(coins, **CHEAP)
    assert [one.fitness for one in both] == [alone.evaluate(level, 1).fitness for level in levels]
