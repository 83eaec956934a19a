"""Judging games: verdicts known by hand, plays that can be seen again, and results that depend on nothing else."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from pcg.engine.game import Game, load
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.games import CONSTRAINTS, GameEvaluation, GameEvaluator, behaviour_names
from pcg.evaluators.games.evaluation_stages import StagedEvaluation
from pcg.evaluators.games.profile import certainty, difference, interval, profile_fitness
from pcg.evaluators.games.trials import Trials, play_seed, read_ladder
from tests.support import fetch
from tests.support.archer import ARCHER, FIELD

LADDER = "nothing random onestep mcts:budget=30 olets:budget=120"
LEVEL = """
wwwwwwwww
wA.....cw
w.ww.ww.w
w.......w
wc.....gw
wwwwwwwww
""".strip()

FETCH = f"{fetch.FETCH}        Timeout limit=150 win=False\n"


def changed(*changes: tuple[str, str], text: str = FETCH) -> Game:
    """The game with some of its text replaced."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load(text)


def judged(game: Game, level: str = LEVEL, seed: int = 1, **settings: object) -> GameEvaluation:
    return GameEvaluator([level], **{"ladder": LADDER, **settings}).evaluate(game, seed)


def failed(found: GameEvaluation) -> str:
    """The one constraint that a game that was played to the end of its evaluation does not keep."""
    assert not found.feasible and found.fitness == 0.0 and found.reason and 0 <= found.constraint < 1
    return next(name for name, value in found.constraints.items() if value < 1)


# --- verdicts known by hand ---


def test_a_walk_of_who_shoots_for_nothing_can_be_won():
    found = judged(load(ARCHER), level=FIELD, ladder="nothing random onestep mcts:budget=30")
    assert found.constraints["winnable"] == 1.0


def test_a_sound_game_is_feasible_and_skill_pays():
    found = judged(load(FETCH))
    assert found.feasible and found.reason == "" and found.stage == "complete"
    assert set(found.constraints) == set(CONSTRAINTS) and set(found.constraints.values()) == {1.0}
    weakest, strongest = found.profile[0], found.profile[-1]
    assert weakest.wins == 0 and strongest.wins == strongest.plays
    assert found.fitness > 0.4 and strongest.performance > 0.9 > weakest.performance
    assert len(found.mechanics) == 4


@pytest.mark.parametrize(
    ("changes", "constraint", "reason", "stage"),
    [
        ([("stype=coin limit=0 win=True", "stype=coin limit=2 win=True")], "sense", "nothing brings about", "check"),
        (
            [("scoreChange=1", ""), ("hero ghost > killSprite", "hero ghost > killSprite scoreChange=1")],
            "sense",
            "dying pays: hero ghost",
            "check",
        ),
        ([("hero wall > stepBack", "hero wall > stepBack scoreChange=1")], "sense", "bumping into things", "check"),
        (
            [
                ("stype=coin limit=0 win=True", "stype=wall limit=3 win=True"),
                ("hero ghost > killSprite", "hero ghost > killSprite\n        wall ghost > killSprite"),
            ],
            "sense",
            "the goal counts scenery: wall",
            "check",
        ),
        (
            [("ghost > RandomNPC", "bat > RandomNPC\n        ghost > RandomNPC"), ("floor ghost", "floor ghost bat")],
            "places",
            "of the movers are outside the map",
            "onestep",
        ),
        ([("Timeout limit=150 win=False", "Timeout limit=150 win=True")], "idle", "doing nothing wins", "nothing"),
        ([("limit=150", "limit=2")], "start", "lost after", "nothing"),
        ([("limit=150", "limit=20")], "playable", "longest game of a random player", "random"),
        ([("limit=0 win=True", "limit=0 win=False")], "goal", "no termination can be won", "check"),
        ([("coin hero > killSprite scoreChange=1", "hero coin > stepBack")], "sense", "get rid of coin", "check"),
        (
            [
                ("coin hero > killSprite", "coin hero > killIfHasMore resource=gold limit=9"),
                ("ghost > RandomNPC", "gold > Resource\n        ghost > RandomNPC"),
            ],
            "winnable",
            "nobody wins",
            "onestep",
        ),
        (
            [("hero ghost > killSprite", "hero ghost > killSprite\n        ghost ghost > killSprite")],
            "rules",
            "1 rules are never executed, the first: killSprite in line 14",
            "olets",
        ),
        ([("scoreChange=1", "scoreChange=2000000")], "score", "the score reaches", "olets"),
        (
            [("hero ghost > killSprite", "hero ghost > killSprite\n        ghost TIME > killBoth nextExecution=9")],
            "check",
            "warnings",
            "check",
        ),
        (
            [
                ("hero ghost > killSprite", "hero ghost > stepBack"),
                ("scoreChange=1", "\n        hero TIME > addHealthPoints timer=1 repeating=True scoreChange=1"),
            ],
            "score",
            "doing nothing scores best",
            "olets",
        ),
        (
            [("ghost wall > stepBack", "ghost wall > cloneSprite"), ("hero ghost > killSprite", "hero ghost > align")],
            "sprites",
            "moving sprites after",
            "nothing",
        ),
        ([("A > floor hero", "A > floor"), ("g > floor ghost", "g > floor ghost coin")], "check", "", "check"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_wrong_with_a_game_is_found(changes, constraint, reason, stage):
    found = judged(changed(*changes))
    assert (failed(found), found.stage) == (constraint, stage) and reason in found.reason


def test_waiting_longer_than_the_plays_last_must_not_win_either():
    """An idle player is safe behind the walls, and wins in the end, while the plays of the ladder last 200."""
    safe = ("hero ghost > killSprite", "hero ghost > stepBack")
    late = changed(("Timeout limit=150 win=False", "Timeout limit=700 win=True"), safe)
    level = "\n".join((w := 18 * "w", "wA" + 15 * "." + "w", "w" + 15 * "." + "cw", *5 * ["w" + 16 * "." + "w"],
                       "wc" + 13 * "." + "gcw", w))  # fmt: skip
    given = {"max_plays": 3, "random_ticks": 200}
    assert judged(late, level, waiting=200, **given).feasible
    found = judged(late, level, **given)
    assert failed(found) == "idle" and found.reason == "doing nothing wins after 701 ticks"
    assert found.profile == judged(late, level, waiting=200, **given).profile, "it counts for nothing else"
    assert judged(late, level, waiting=650, **given).feasible
    never = changed(("Timeout limit=150 win=False", "Timeout limit=700 win=False"), safe)
    assert judged(never, level, **given).feasible
    report = GameEvaluator([level], ladder=LADDER, random_ticks=200).confirm(late, seeds=3)
    assert not report.feasible and report.constraints["idle"] == 0.0 and len(report.profile) == 5


def test_a_game_that_chance_wins_too_often_is_never_feasible():
    """Without anything dangerous a player that acts at random gathers both coins in most plays of 200 ticks."""
    safe = changed(("hero ghost > killSprite", "hero ghost > stepBack"), ("Timeout limit=150", "Timeout limit=300"))
    found = judged(safe, random_ticks=200)
    assert failed(found) == "chance" and "random player wins" in found.reason
    assert found.metrics["random_wins"] > 0.3
    report = GameEvaluator([LEVEL], ladder=LADDER, random_ticks=200).confirm(safe, seeds=5)
    assert not report.feasible and report.constraints["chance"] < 1.0


def test_the_last_plays_of_chance_are_no_longer_than_those_before():
    """A game that chance takes long to win is found out before it is kept, in plays that cost next to nothing."""
    safe = changed(("hero ghost > killSprite", "hero ghost > stepBack"), ("Timeout limit=150", "Timeout limit=1800"))
    level = "\n".join(
        ["w" * 16, "wA" + "." * 13 + "w", *["w" + "." * 14 + "w"] * 5, "wc" + "." * 10 + "c.gw", "w" * 16]
    )
    assert judged(safe, level, random_ticks=350).constraints["chance"] == 1.0
    last = GameEvaluator([level], ladder=LADDER, random_ticks=350, max_plays=3).confirm(safe, seeds=3)
    assert last.constraints["chance"] == 1.0
    assert failed(judged(safe, level, random_ticks=700)) == "chance"
    assert GameEvaluator([level]).settings["random_ticks"] == 2000


def test_warnings_of_the_caller_count():
    game = load(FETCH)
    warnings = changed(("cooldown=2", "cooldwn=2")).definition.diagnostics
    assert warnings
    found = GameEvaluator([LEVEL], ladder=LADDER).evaluate(game, 1, diagnostics=warnings)
    assert failed(found) == "check" and found.constraints["check"] == 1 / (1 + len(warnings)) and not found.profile


@pytest.mark.parametrize(
    ("level", "reason"),
    [("wwww\nw..w\nwwww", "no avatar"), ("wwww\nw?Aw\nwwww", "warning"), ("", "the level does not fit")],
)
def test_levels_that_do_not_fit_are_no_error(level, reason):
    found = judged(load(FETCH), level)
    assert failed(found) == "check" and reason in found.reason


def test_games_of_two_players_and_huge_ones_are_turned_away():
    assert "2 players" in judged(load("tag"), load("tag").levels[0]).reason
    rules = "\n".join(f"        coin ghost > addHealthPoints value={k}" for k in range(300))
    found = judged(changed(("hero wall > stepBack", f"hero wall > stepBack\n{rules}")))
    assert failed(found) == "size" and "307 rules" in found.reason
    many = changed(("hero wall > stepBack", "hero wall > stepBack" + 5 * "\n        coin ghost > align repeat=1000"))
    assert "pairs" in judged(many).reason


def test_partial_values_lead_the_way():
    """A game nobody wins is the better the nearer somebody comes to winning it."""
    level = LEVEL.replace("g", ".").replace("c", "p").replace("A.", "Ac").replace("p", "c", 1)
    walled = changed(("c > floor coin", "c > floor coin\n        p > floor coin safe"))
    text = walled.definition.source.replace(
        "        ghost > Random", "        safe > Immovable\n        ghost > Random"
    )
    near = judged(load(text.replace("coin hero > kill", "hero safe > stepBack\n        coin hero > kill")), level)
    assert near.reason == "nobody wins" and near.constraints["winnable"] == 0.6 * 2 / 3
    far = judged(changed(("coin hero > killSprite scoreChange=1", "hero coin > stepBack")))
    assert far.constraints["winnable"] < near.constraints["winnable"]


# --- games of our own ---


@pytest.mark.skipif(not COMPILED, reason="takes too long without the compiler")
def test_our_dungeon_orders_all_agents():
    game = load("dungeon")
    evaluator = GameEvaluator(game.levels, max_ticks=800, plays=5, max_plays=10)
    found = evaluator.evaluate(game, 1)
    assert found.feasible and found.ordered and found.separated and found.fitness > 0.8


@pytest.mark.skipif(not COMPILED, reason="takes too long without the compiler")
def test_our_hunt_is_confirmed():
    game = load("hunt")
    evaluator = GameEvaluator(game.levels, max_ticks=800)
    found = evaluator.confirm(game, seeds=20, seed=1)
    assert [p.plays for p in found.profile] == [20] * 5 and found.stage == "confirmed"
    assert found.feasible and found.separated
    assert [p.performance for p in found.profile[1:]] == sorted(p.performance for p in found.profile[1:])


BOXES = "wwwwwwwwww\nw........w\nw.A.bo.b.w\nw.....bo.w\nw.p......w\nw........w\nwwwwwwwwww"


@pytest.mark.skipif(not COMPILED, reason="takes too long without the compiler")
def test_our_boxes_are_feasible_on_an_easy_level():
    found = judged(load("boxes"), BOXES, explorations=300)
    assert found.feasible and found.fitness > 0.2


# --- plays ---


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["nothing", "random", "onestep", "mcts:budget=30", "olets:budget=60"])
def test_a_trial_is_the_play_of_its_agent(name):
    game = load(FETCH)
    ladder = read_ladder("nothing random " + (name if name not in ("nothing", "random") else "onestep"))
    rung = next(k for k, r in enumerate(ladder) if r.text == name)
    trials = Trials(game, [game.read_level(LEVEL)], ladder, max_work=20_000, max_moving=400)
    ticks = 100 if COMPILED else 15
    for k in range(3):
        trial = trials.play(rung, k, 7, max_ticks=ticks, allowance=10**9)
        agent = make_agent(name, seed=play_seed(7, 1000 * (rung + 1) + k))
        same = play(game, agent, level=LEVEL, seed=play_seed(7, k), max_ticks=ticks)
        assert (trial.ticks, trial.score, trial.won, trial.lost) == (
            same.ticks, same.score, same.winner == 1, same.winner == 0
        )  # fmt: skip
        assert trial.calls == same.calls + same.ticks
        start = game.start(LEVEL, seed=trial.seed)
        cells, scores = [start.avatar], [start.score]
        for action in same.actions:
            start.advance(action)
            cells.append(start.avatar)
            scores.append(start.score)
        assert trial.changes == sum(a != b for a, b in pairwise(scores))
        assert round(trial.cells * start.width * start.height) == len({(c.x, c.y) for c in cells if c is not None})
        assert trial.counts.tolist() == [
            sum(not s.disabled for s in start.sprites(t.name)) for t in game.definition.types
        ]


def test_recorded_plays_can_be_seen_again():
    game = load(FETCH)
    found = judged(game)
    assert found.best is not None and found.weak is not None and found.best.won and found.best.agent == "olets"
    assert found.weak.agent == "random"
    for record in (found.best, found.weak):
        state = game.start(LEVEL, seed=record.seed)
        for action in record.actions:
            state.advance(action)
        assert state.score == record.score and (state.winner is Outcome.PLAYER_WINS) == record.won


# --- what results depend on ---


def test_results_depend_on_game_levels_settings_and_seed_alone():
    texts = [FETCH, FETCH.replace("cooldown=2", "cooldown=1"), FETCH.replace("RandomNPC", "Chaser stype=hero")]
    evaluator = GameEvaluator([LEVEL], ladder=LADDER)
    work = [(text, seed) for text in texts for seed in (1, 2)]
    alone = [GameEvaluator([LEVEL], ladder=LADDER).evaluate(load(text), seed) for text, seed in work]
    with ThreadPoolExecutor(4) as pool:
        shared = list(pool.map(lambda one: evaluator.evaluate(load(one[0]), one[1]), [*work, *reversed(work)]))
    assert shared == [*alone, *reversed(alone)]
    assert len({found.fitness for found in alone}) > 1


def test_evaluations_go_to_json_and_back():
    for game in (load(FETCH), changed(("limit=150", "limit=2")), load("tag")):
        found = judged(game)
        assert GameEvaluation.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_behaviour_has_a_fixed_length_and_tells_games_apart():
    names = behaviour_names(read_ladder(LADDER))
    found = [judged(g) for g in (load(FETCH), changed(("RandomNPC cooldown=2", "Chaser stype=hero")), load("tag"))]
    assert {len(f.behaviour) for f in found} == {len(names)}
    assert all(0.0 <= x <= 1.0 for f in found for x in f.behaviour)
    assert math.dist(found[0].behaviour, found[1].behaviour) > 0.1 and not any(found[2].behaviour)
    values = dict(zip(names, found[0].behaviour, strict=True))
    assert values["effect.killSprite"] > 0.5 and values["effect.transformTo"] == 0.0
    assert values["olets.wins"] == 1.0 and values["nothing.entropy"] == 0.0 < values["random.entropy"]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_no_kernel_is_compiled_for_a_game():
    from numba.core import event

    judged(load(FETCH))
    with event.install_recorder("numba:compile") as compiled:
        for name in ("dungeon", "orchard", "invaders", "gates", "rebound"):
            game = load(name)
            if game.players == 1:
                judged(game, game.levels[0], max_ticks=30)
    assert compiled.buffer == []


# --- racing ---


def test_the_strongest_agent_is_patient_only_as_long_as_it_is_told():
    far = changed(("hero ghost > killSprite", "hero ghost > killSprite\n        ghost ghost > killSprite"))
    level = LEVEL.replace("wc.....g", "wcw....g").replace("w.......w", "ww......w")
    once, thrice = (judged(far, level, patience=patience, proof=0) for patience in (1, 3))
    assert once.reason == thrice.reason == "nobody wins"
    assert [p.plays for p in once.profile] == [3] * (len(once.profile) - 1) + [1]
    assert {p.plays for p in thrice.profile} == {3} and once.calls < thrice.calls
    assert once.unused == thrice.unused == (4,)
    assert judged(load(FETCH)).unused == ()


def test_a_proof_says_in_time_that_nobody_wins():
    shut = LEVEL.replace("wc.....g", "wcw....g").replace("w.......w", "ww......w")
    found, without = judged(load(FETCH), shut), judged(load(FETCH), shut, proof=0)
    assert found.reason == without.reason == "nobody wins" and found.calls < without.calls
    assert failed(found) == "winnable" and 0.0 < found.constraints["winnable"] < 1.0
    evaluator = GameEvaluator([LEVEL, shut, shut], ladder=LADDER)
    assert evaluator.evaluate(load(FETCH), 1).reason == "nobody wins more than one level"
    assert GameEvaluator([LEVEL, shut, LEVEL.replace("A.", ".A")], ladder=LADDER).evaluate(load(FETCH), 1).feasible


def test_wins_must_take_some_time():
    assert judged(load(FETCH), min_win=10).feasible
    found = judged(load(FETCH), min_win=60)
    assert failed(found) == "length" and "a win takes" in found.reason and 0.1 < found.constraints["length"] < 0.5


def test_something_has_to_stand_in_the_way_where_it_is_asked_for():
    large, slow = fetch.LEVEL, ("limit=150", "limit=400")
    assert judged(load(FETCH), resistance=1).feasible
    safe = changed(("hero ghost > killSprite", "hero ghost > stepBack"), slow)
    assert judged(safe, large).feasible
    found = judged(safe, large, resistance=1)
    assert failed(found) == "resistance" and found.reason == "nothing stands in the way of the player"
    still = changed(("ghost > RandomNPC cooldown=2", "ghost > Immovable"), slow)
    assert failed(judged(still, large, resistance=1)) == "resistance", "who looks a step ahead walks around it"
    pushed = (
        ("ghost > RandomNPC cooldown=2", "ghost > Passive"), ("ghost wall > stepBack", "ghost wall > undoAll"),
        ("hero ghost > killSprite", "ghost hero > bounceForward"), slow,
    )  # fmt: skip
    found = judged(changed(*pushed), large, resistance=1)
    assert failed(found) == "resistance", "what is only in the way is walked around"
    crushed = ("coin hero > killSprite", "coin ghost > killSprite\n        coin hero > killSprite")
    assert failed(judged(changed(*pushed, crushed), large, resistance=1)) == "resistance", "a touch takes coins as well"
    crates = changed(*pushed, (crushed[0], "coin ghost > killSprite"))
    one = large.replace("c", ".").replace("w..w....", "w..w.cg.")
    assert judged(crates, one, resistance=1).constraints["resistance"] == 1.0, "who pushes can do it wrong"


def test_who_never_stops_soon_ends_where_actions_are_random():
    """Trails that kill make a game of skill, and the random player turns into its own."""
    trail = ("hero > MovingAvatar", "trail > Immovable\n        hero > OngoingTurningAvatar spawnBehind=trail")
    deadly = (
        ("hero ghost > killSprite", "hero ghost trail > killSprite"),
        ("ghost > RandomNPC cooldown=2", "ghost > Immovable"),
    )
    snake = judged(changed(trail, *deadly), fetch.LEVEL, min_ticks=40, resistance=1)
    assert (
        snake.metrics["random_ticks"] < 40 and snake.constraints["playable"] == snake.constraints["resistance"] == 1.0
    )
    walker = judged(
        changed(("hero > MovingAvatar", "trail > Immovable\n        hero > MovingAvatar")), fetch.LEVEL, min_ticks=1000
    )
    assert failed(walker) == "playable"


def test_time_stands_in_the_way_where_it_is_short():
    harmless = (
        ("ghost > RandomNPC cooldown=2", "ghost > Immovable"),
        ("hero ghost > killSprite", "hero ghost > stepBack"),
    )
    short = judged(changed(*harmless, ("limit=150", "limit=40")), fetch.LEVEL, resistance=1)
    assert short.constraints["resistance"] == 1.0 and short.metrics["win_ticks"] > 20
    ample = judged(changed(*harmless, ("limit=150", "limit=60")), fetch.LEVEL, resistance=1)
    assert failed(ample) == "resistance" and sum(a.wins for a in ample.profile) < sum(a.plays for a in ample.profile)


def test_what_only_keeps_sprites_in_place_need_not_be_executed():
    bound, other = "ghost wall > stepBack\n        ghost EOS > stepBack", "coin wall > transformTo stype=ghost"
    kept = judged(changed(("ghost wall > stepBack", bound)), min_rules=1.0)
    assert kept.feasible and len(kept.unused) == 1 and kept.metrics["rules_fired"] == 1.0
    found = judged(changed(("ghost wall > stepBack", f"{bound}\n        {other}")), min_rules=1.0)
    assert failed(found) == "rules" and found.metrics["rules_fired"] == 0.75 and "transformTo in line" in found.reason


def test_the_fitness_counts_how_usual_the_rules_are_as_far_as_it_is_told():
    plain, half, all_of_it = (judged(load(FETCH), usual=share) for share in (0.0, 0.5, 1.0))
    assert all_of_it.fitness == all_of_it.metrics["usual"] > 0.4
    assert half.fitness == pytest.approx((plain.fitness + all_of_it.fitness) / 2)


def test_games_that_cannot_reach_the_threshold_are_dropped():
    evaluator = GameEvaluator([LEVEL], ladder=LADDER)
    full = evaluator.evaluate(load(FETCH), 1)
    assert evaluator.evaluate(load(FETCH), 1, threshold=full.fitness) == full
    safe = changed(("hero ghost > killSprite", "hero ghost > stepBack"), ("limit=150", "limit=900"))
    dropped = evaluator.evaluate(safe, 1, threshold=0.95)
    assert "cannot reach 0.950" in dropped.reason and not dropped.feasible
    assert dropped.calls < evaluator.evaluate(safe, 1).calls


def test_more_plays_are_made_where_order_is_in_doubt():
    found = judged(load(FETCH), max_plays=8)
    plays = [p.plays for p in found.profile]
    assert min(plays) == 3 and 3 < max(plays) <= 8
    assert {p.plays for p in judged(load(FETCH), max_plays=3).profile} == {3}


@pytest.mark.parametrize(("idle", "more"), [([0.1, 0.1, 0.1], True), ([0.9, 0.9, 0.9], False)])
def test_no_more_plays_are_made_where_the_order_is_wrong_already(monkeypatch, idle, more):
    """The last two are in doubt, which matters only while the first two are not surely the wrong way round."""
    judgement = StagedEvaluation(GameEvaluator([LEVEL], ladder=LADDER), load(FETCH), 1, None, 0.0)
    values = [idle, [0.3, 0.31, 0.29], [0.5, 0.5, 0.51], [0.7, 0.75, 0.72], [0.6, 0.9, 0.7]]
    judgement.played = [[SimpleNamespace(value=v, work=0) for v in row] for row in values]
    seen = []

    def play(rung, k):
        seen.append(rung)
        judgement.played[rung].append(SimpleNamespace(value=0.7, work=0))

    monkeypatch.setattr(judgement, "_play", play)
    monkeypatch.setattr(judgement, "_can_afford", lambda rungs: True)
    judgement._settle_order()
    assert set(seen) == ({3, 4} if more else set())


def test_intervals_and_differences():
    low, high = interval(0.0, 20)
    assert low == 0.0 and 0.1 < high < 0.13
    assert interval(0.5, 0) == (0.0, 1.0)
    for mean in (0.0, 0.3, 1.0):
        wide, narrow = interval(mean, 3), interval(mean, 30)
        assert wide[0] <= narrow[0] <= mean <= narrow[1] <= wide[1]
    mean, half = difference([0.0, 0.2, 0.1], [0.5, 0.9, 0.6])
    assert math.isclose(mean, 17 / 30) and math.isclose(half, 2.9199855803537 * 0.11547005383792516 / math.sqrt(3))
    assert difference([0.1] * 3, [0.4] * 3)[1] < 1e-12 and difference([0.1], [0.4])[1] == 1.0


def test_the_fitness_rewards_order_and_spread():
    assert profile_fitness(0.9, [1.0] * 4) == 1.0 and profile_fitness(0.0, [0.0] * 4) == 0.0
    assert profile_fitness(0.9, [1.0, -1.0, 1.0, 1.0]) < profile_fitness(0.9, [1.0, 0.0, 1.0, 1.0]) < 1.0
    assert profile_fitness(0.9, [0.5, 0.5, 0.5, 0.5]) > profile_fitness(0.9, [1.0, 1.0, 0.0, 0.0])
    assert profile_fitness(-0.9, [-1.0] * 4) == 0.0


def test_certainty_grows_with_plays_and_with_the_difference():
    assert certainty([], [], 20) == certainty([0.3] * 4, [0.3] * 4, 20) == 0.5
    few, many = (certainty([0.0, 0.9, 0.0] * n, [0.9, 0.9, 0.0] * n, 20) for n in (1, 4))
    assert 0.5 < few < many < 1.0
    assert certainty([0.0] * 3, [0.9] * 3, 20) > 0.999 > certainty([0.0] * 3, [0.01] * 3, 20) > 0.5
    one, other = [0.0, 0.9, 0.1, 0.2], [0.3, 0.0, 0.4, 0.1]
    assert math.isclose(certainty(one, other, 20), 1.0 - certainty(other, one, 20))
    # of many samples as large as foreseen, so many have the larger mean
    rng = np.random.default_rng(1)
    plays = rng.random((4000, 2, 40)) < np.array([0.4, 0.5])[:, None]
    told = [certainty(list(map(float, a[:20])), list(map(float, b[:20])), 20) for a, b in plays[:400]]
    came = plays[:, 1, 20:].sum(axis=1) > plays[:, 0, 20:].sum(axis=1)
    assert abs(np.mean(told) - came.mean()) < 0.08


# --- settings ---


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"play": 3}, "did you mean `plays`"),
        ({"plays": 0}, "from 1 to 1000"),
        ({"plays": 5, "max_plays": 4}, "max_plays is 4"),
        ({"ladder": "nothing random mtcs"}, "did you mean `mcts`"),
        ({"ladder": "random nothing mcts"}, "expected `nothing random`"),
        ({"ladder": "nothing random solver"}, "cannot be bounded"),
        ({"ladder": "nothing random mcts:budget=40ms"}, "not reproducible"),
        ({"ladder": "nothing random mcts mcts"}, "there twice"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(PcgError, match=message):
        GameEvaluator([LEVEL], **settings)


def test_levels_are_a_list():
    for levels in ([], LEVEL):
        with pytest.raises(PcgError, match="list of level texts"):
            GameEvaluator(levels)  # type: ignore[arg-type]
