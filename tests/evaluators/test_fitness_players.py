"""Evaluations of rules that are won by waiting, by chains of things held, by making things, and by time."""

from __future__ import annotations

import pytest

from pcg.engine.game import Game, load
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import Playout, make_agent, play
from pcg.evaluators.analysis import analyse
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.requirements import requirements
from pcg.evaluators.solvability import PLANNER, WAY_PLANNER, Player, SolvabilityPlays

HARVEST = """BasicGame
    SpriteSet
        floor > Immovable
        seed > Immovable
        ripe > Immovable
        avatar > MovingAvatar
        wall > Immovable
    LevelMapping
        . > floor
        A > floor avatar
        s > floor seed
        w > wall
    InteractionSet
        avatar wall > stepBack
        seed TIME > transformTo stype=ripe timer=30 repeating=True
        ripe avatar > killSprite scoreChange=1
    TerminationSet
        Timeout limit=200 win=True
"""
FIELD = "wwwwwwwww\nwA..s...w\nw.......w\nw..s...sw\nwwwwwwwww"

CHAIN = """BasicGame
    SpriteSet
        floor > Immovable
        one > Resource limit=1
        two > Resource limit=1
        three > Resource limit=1
        avatar > MovingAvatar
        wall > Immovable
    LevelMapping
        . > floor
        A > floor avatar
        1 > floor one
        2 > floor two
        3 > floor three
        w > wall
    InteractionSet
        avatar wall > stepBack
        one avatar > collectResource scoreChange=1
        two avatar > collectResourceIfHeld heldResource=one scoreChange=1
        three avatar > collectResourceIfHeld heldResource=two scoreChange=1
    TerminationSet
        SpriteCounter stype=three limit=0 win=True
"""

KITCHEN = """BasicGame
    SpriteSet
        floor > Immovable
        flour > Passive
        water > Passive
        dough > Passive
        fire > Immovable
        bread > Immovable
        avatar > MovingAvatar
        wall > Immovable
    LevelMapping
        . > floor
        A > floor avatar
        f > floor flour
        a > floor water
        x > floor fire
        w > wall
    InteractionSet
        avatar wall > stepBack
        flour avatar > bounceForward
        water avatar > bounceForward
        dough avatar > bounceForward
        flour water > transformTo stype=dough killSecond=True
        dough fire > transformTo stype=bread
    TerminationSet
        MultiSpriteCounter stype1=bread limit=1 win=True min=True
"""


def game(text: str, *levels: str) -> Game:
    return load(text, levels=levels, reading="gvgai")


def names(game: Game, types: object) -> set[str]:
    return {game.definition.types[t].name for t in types}  # type: ignore[attr-defined]


def test_where_waiting_wins_a_player_has_to_do_better_than_wait() -> None:
    harvest = game(HARVEST, FIELD)
    evaluator = LevelEvaluator(harvest, min_cover=0.0)
    assert evaluator.waiting_wins
    found = evaluator.evaluate(FIELD, seed=1)
    assert found.feasible and found.metrics["score"] > 0
    barren = evaluator.evaluate(FIELD.replace("s", "."), seed=1)
    assert not barren.feasible
    unreachable = evaluator.evaluate("wwwwwwwww\nwA..w.s.w\nw...w...w\nw...w..sw\nwwwwwwwww", seed=1)
    assert unreachable.constraints["idle"] == 0.5 and unreachable.constraints["win"] == 1.0
    assert not unreachable.feasible


def test_without_examples_that_waiting_wins_it_must_not() -> None:
    evaluator = LevelEvaluator(game(HARVEST), min_cover=0.0)
    assert not evaluator.waiting_wins
    assert evaluator.evaluate(FIELD, seed=1).constraints["idle"] == 0.0


def test_what_time_changes_is_known_to_the_analysis() -> None:
    harvest = game(HARVEST, FIELD)
    analysis = analyse(harvest.definition)
    index = harvest.definition.type_index
    assert any(s.product == index["ripe"] and s.maker == index["seed"] for s in analysis.sources)
    assert any(r.victim == index["seed"] and r.partner is None for r in analysis.removals)
    assert not analysis.has(index["seed"], "background")


def test_a_chain_of_things_held_is_followed_to_its_end() -> None:
    chain = game(CHAIN)
    required = requirements(analyse(chain.definition))
    last = chain.definition.type_index["three"]
    assert names(chain, (n.other for n in required.needs if n.base == last)) == {"one", "two"}
    assert [required.before[chain.definition.type_index[n]] for n in ("one", "two", "three")] == [0, 1, 2]


@pytest.mark.parametrize("agent", ["solver", "guided"])
def test_planners_take_the_links_of_a_chain_in_order(agent: str) -> None:
    level = "wwwwwwwwwwwwww\nw3...A......1w\nw...........ww\nw2..........ww\nwwwwwwwwwwwwww"
    chain = game(CHAIN, level)
    played = play(chain.start(level, seed=1), make_agent(agent, seed=1, budget=600), max_ticks=300)
    assert played.winner == 1 and played.score == 3


def test_the_estimate_knows_what_has_to_be_made_on_the_way() -> None:
    kitchen = game(KITCHEN)
    evaluator = LevelEvaluator(kitchen)
    index = kitchen.definition.type_index
    assert evaluator.estimate[2 * index["bread"]] < evaluator.estimate[2 * index["dough"]] < 0
    assert evaluator.estimate[2 * index["flour"]] == 0
    level = "wwwwwwwwww\nw........w\nw.A.f..a.w\nw........w\nw.....x..w\nw........w\nwwwwwwwwww"
    assert evaluator.evaluate(level, seed=1).constraints["win"] == 1.0


def test_plays_of_levels_with_more_to_deal_with_may_take_longer() -> None:
    evaluator = LevelEvaluator(game(CHAIN))
    three = evaluator.game.definition.type_index["three"]
    assert evaluator.longest({three: 1}) == evaluator.horizon
    assert evaluator.horizon < evaluator.longest({three: 100}) < evaluator.longest({three: 200}) <= 2000


FAR = """
wwwwwwwwwwwwwwww
w..............w
w.wwwwwwwwwwww.w
w.w..........w.w
w.w.........kw.w
w.w..........w.w
w.w.wwwwwwwwww.w
w.wA...........w
w.wwwwwwwwwwwwww
w.............dw
w.l............w
wwwwwwwwwwwwwwww
""".strip()
"""A key behind walls and a door far off: the straight line leads nowhere, and a slime leaves something to chance."""


def test_a_planner_led_by_the_way_knows_the_walls() -> None:
    start = load("dungeon", levels=[FAR]).start(0, seed=3)
    led = play(start, make_agent("solver:checks=1,estimate=way", seed=1, budget=300), max_ticks=120)
    straight = play(start, make_agent("solver:checks=1", seed=1, budget=300), max_ticks=120)
    assert led.winner == 1 and straight.winner != 1
    assert led.calls < straight.calls / 3


def test_what_leads_the_solver_is_named_rightly() -> None:
    with pytest.raises(PcgError, match="goals, way"):
        make_agent("solver:estimate=ways")


def test_a_planner_at_a_loss_lets_the_others_play_first(monkeypatch: pytest.MonkeyPatch) -> None:
    start = load("dungeon", levels=[FAR]).start(0, seed=3)
    attempts = SolvabilityPlays(analyse(start.game.definition), lambda k: 100 + k)
    turns = attempts.in_turns(start, ((PLANNER, 300), (WAY_PLANNER, 500), ("nothing", 1)), 0, 150)
    monkeypatch.setattr("pcg.evaluators.solvability.FIRST_CALLS", 2_000)
    agent, won = next(turns)
    assert agent == WAY_PLANNER and won.winner == 1
    assert attempts.calls < 20_000
    # nobody else has won: then the planner goes on
    turns = attempts.in_turns(start, ((PLANNER, 300), ("nothing", 1)), 0, 150)
    played = dict(turns)
    assert list(played) == ["nothing", PLANNER]
    assert played[PLANNER].calls > 2_000 and played[PLANNER].ticks >= 100


def test_progress_counts_what_is_left_to_do() -> None:
    level = "wwwwwww\nwdAkd.w\nwwwwwww"
    start = load("dungeon", levels=[level]).start(0, seed=1)
    attempts = SolvabilityPlays(analyse(start.game.definition), lambda k: k)
    nothing = play(start, "nothing", max_ticks=3)
    half = play(start, make_agent("replay", actions="RR"), max_ticks=2)
    assert attempts.progress(start, nothing) == pytest.approx(0.3)
    assert attempts.progress(start, half) == pytest.approx(0.6)


def test_a_tryout_leaves_out_the_planner_where_the_solver_was_just_beaten(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("boxes")
    asked: list[str] = []
    within = SolvabilityPlays.within

    def listed(self: SolvabilityPlays, start: State, player: Player, longest: int, calls: int) -> Playout:
        asked.append(player[0])
        return within(self, start, player, longest, calls)

    monkeypatch.setattr(SolvabilityPlays, "within", listed)
    LevelEvaluator(game, nodes=5).quick_verdict(game.levels[2], 1, 3_000)
    assert WAY_PLANNER in asked and PLANNER not in asked
