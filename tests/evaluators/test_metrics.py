"""Every metric on levels where the answer can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from pcg.engine.game import Game, load
from pcg.evaluators.analysis import analyse
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.mechanics import mechanics
from pcg.evaluators.metrics import (
    METRICS,
    STAGES,
    PlayMetrics,
    Trace,
    controllability,
    diversity,
    edit_distance,
    performance_profile,
    play_distance,
    quality,
    score_set,
)
from pcg.evaluators.metrics.play import action_entropy, coverage, first_danger, variety

MAZE = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        exit > Door
        gem > Immovable
        trap > Immovable
        wolf > Missile orientation=LEFT speed=1
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        wolf wall > reverseDirection
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
CHEAP = {"nodes": 4000, "budget": 60, "planner_budget": 100, "max_length": 80, "weak_plays": 2, "max_cover": 1.0,
         "min_kinds": 0.0, "min_cover": 0.0, "min_length": 3}  # fmt: skip
CORRIDOR = "wwwwwwww\nwA.g..ew\nwwwwwwww"


@pytest.fixture(scope="module")
def maze() -> Game:
    return load(MAZE, reading="strict")


@pytest.fixture(scope="module")
def judge(maze: Game) -> LevelEvaluator:
    return LevelEvaluator(maze, **CHEAP)


def text(judge: LevelEvaluator, level: str) -> dict[str, float]:
    return judge.text.measure(judge.palette.parse(level))


def rows(*lines: str) -> str:
    """A level with a frame of walls around `lines`."""
    edge = "w" * (len(lines[0]) + 2)
    return "\n".join([edge, *(f"w{line}w" for line in lines), edge])


# -- the table ---------------------------------------------------------------------------------------------------------


def test_the_table_says_of_each_metric_what_it_is_and_in_which_range() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name and metric.help and metric.stage in STAGES
        assert metric.high is None or metric.low < metric.high


def test_an_evaluation_measures_what_the_table_says_in_the_range_it_says(judge: LevelEvaluator) -> None:
    found = judge.evaluate(rows("A.g....e", "....w...", "..f....."), seed=1)
    assert found.stage == "complete"
    # what is measured of pushing is known of games in which something is pushed
    assert set(found.metrics) == {name for name in METRICS if not name.startswith("push")}
    for name, value in found.metrics.items():
        high = METRICS[name].high
        assert METRICS[name].low <= value <= (math.inf if high is None else high), name
        assert not METRICS[name].whole or value == int(value), name


def test_text_metrics_are_there_of_levels_that_break_a_constraint(judge: LevelEvaluator) -> None:
    found = judge.evaluate(CORRIDOR.replace("e", "."), seed=1)
    assert found.stage == "static"
    measured = {name for name in found.metrics if METRICS[name].stage == "text"}
    assert measured == {n for n, m in METRICS.items() if m.stage == "text" and not n.startswith("push")}
    assert not any(METRICS[name].stage == "play" for name in found.metrics)


# -- text --------------------------------------------------------------------------------------------------------------


def test_sizes_and_numbers_of_sprites(judge: LevelEvaluator) -> None:
    found = text(judge, rows("Ag.f", "tge."))
    assert (found["width"], found["height"]) == (6, 4)
    assert (found["enemies"], found["goals"], found["collectables"]) == (1, 1, 3)  # the exit is taken by touch, too
    assert found["walls"] == 16


def test_cover_and_density_are_shares_of_what_is_inside_the_frame(judge: LevelEvaluator) -> None:
    found = text(judge, rows("A.w.", "ww.e"))
    assert found["cover"] == pytest.approx(5 / 8)
    assert found["density"] == pytest.approx(3 / 8)


def test_leniency_is_one_half_with_a_danger_for_ten_cells_to_walk_on(judge: LevelEvaluator) -> None:
    assert text(judge, rows("A........e"))["leniency"] == 1.0
    assert text(judge, rows("A...f....e"))["leniency"] == pytest.approx(0.5)
    # traps are no cells to walk on and count one half: two for ten such cells
    assert text(judge, rows("A...t..t...e"))["leniency"] == pytest.approx(0.5)
    assert text(judge, rows("Aff......e"))["leniency"] == pytest.approx(0.25)


def test_linearity_is_one_in_straight_corridors_whichever_way_they_run(judge: LevelEvaluator) -> None:
    assert text(judge, CORRIDOR)["linearity"] == 1.0
    assert text(judge, rows(*"A...e"))["linearity"] == 1.0
    # stairs: the line rises 5 for 6 cells, the eight cells are 5/12 off it in the mean, half the longer side is 2.5
    assert text(judge, rows("A.www", "w..ww", "ww..w", "www.e"))["linearity"] == pytest.approx(1 - (5 / 12) / 2.5)


def test_linearity_is_the_mean_distance_from_the_line_over_half_the_longer_side(judge: LevelEvaluator) -> None:
    # an open room of 4 x 4: rows -1.5, -0.5, 0.5, 1.5 about a level line, mean distance 1, half the side 2
    assert text(judge, rows("A...", "....", "....", "...e"))["linearity"] == pytest.approx(0.5)


def test_in_games_with_gravity_linearity_looks_at_what_one_can_stand_on() -> None:
    game = load(MAZE.replace("MovingAvatar", "PlatformerAvatar"), reading="gvgai")
    judge = LevelEvaluator(game, **CHEAP)
    flat = rows("......", "A....e", "wwwwww")
    steps = rows("......", "A.w..e", "wwwwww")
    assert text(judge, flat)["linearity"] == 1.0
    assert text(judge, steps)["linearity"] < 1.0


def test_symmetry_is_the_share_of_things_whose_mirror_image_is_the_same(judge: LevelEvaluator) -> None:
    both = text(judge, rows("g..g", "wA.w", "w..w", "g..g"))
    assert [both[f"symmetry_{k}"] for k in ("horizontal", "vertical", "both")] == [1, 1, 1]
    across = text(judge, rows("g..g", ".A..", "w..w"))
    assert across["symmetry_horizontal"] == 1.0
    assert across["symmetry_vertical"] == 0.0 and across["symmetry_both"] == 0.0
    assert across["symmetry"] == 1.0
    # five things off the axis or their images: the walls are alike, the gem and the empty place opposite are not
    part = text(judge, rows("w.w", "gA."))
    assert part["symmetry_horizontal"] == pytest.approx(0.5)
    assert text(judge, rows("...", ".A."))["symmetry"] == 1.0


def test_the_axis_itself_says_nothing_about_symmetry(judge: LevelEvaluator) -> None:
    assert text(judge, rows(".g.", "wAw"))["symmetry_horizontal"] == 1.0
    assert text(judge, rows("www", "A.g", "..."))["symmetry_vertical"] == 0.0


def test_balance_compares_moments_of_halves(judge: LevelEvaluator) -> None:
    assert text(judge, rows("g..g", "....", "....", "g..g"))["balance"] == 1.0
    assert text(judge, rows("g...", "....", "....", "...."))["balance"] == 0.0  # all left, all above
    # arms 1.5 and 0.5: the left weighs 4 * 1.5 + 2 * 0.5 = 7 and the right 2 * 1.5 = 3; above and below are even
    assert text(judge, rows("g..g", "gg..", "gg..", "g..g"))["balance"] == pytest.approx(1 - (4 / 7) / 2)


def test_tortuosity_is_the_way_over_the_way_without_walls(judge: LevelEvaluator) -> None:
    assert text(judge, rows("A....e"))["tortuosity"] == 1.0
    # 2 cells off, 6 steps about the wall
    assert text(judge, rows("Awe", ".w.", "..."))["tortuosity"] == pytest.approx(3.0)
    assert "tortuosity" not in text(judge, rows("A..w.e"))  # nothing within reach
    # steps 6 + 2 over 2 + 2
    assert text(judge, rows("Awe", ".w.", "g.."))["tortuosity"] == pytest.approx(2.0)


def test_reachable_is_the_share_of_walking_room_that_the_avatar_gets_to(judge: LevelEvaluator) -> None:
    assert text(judge, rows("A..w.e"))["reachable"] == pytest.approx(3 / 5)
    assert text(judge, rows("A...e"))["reachable"] == 1.0


def test_an_avatar_that_keeps_to_a_line_gets_nowhere_else() -> None:
    game = load(MAZE.replace("MovingAvatar", "HorizontalAvatar"), reading="gvgai")
    found = text(LevelEvaluator(game, **CHEAP), rows("...e", "A.w.", "g..."))
    assert found["reachable"] == pytest.approx(2 / 11)
    assert "tortuosity" not in found
    assert text(LevelEvaluator(game, **CHEAP), rows("....", "A.e.", "g..."))["tortuosity"] == 1.0


def test_a_level_without_an_avatar_has_the_metrics_that_need_none(judge: LevelEvaluator) -> None:
    found = text(judge, rows("..w..e"))
    assert "reachable" not in found and "tortuosity" not in found and "linearity" not in found
    assert found["density"] == pytest.approx(1 / 6)


# -- the winning play --------------------------------------------------------------------------------------------------


def test_solution_length_score_and_coverage_of_the_only_way(judge: LevelEvaluator) -> None:
    found = judge.evaluate(CORRIDOR, seed=1)
    assert found.actions == ["RIGHT"] * 5
    assert found.metrics["solution_length"] == 5
    assert found.metrics["score"] == 6.0
    assert found.metrics["coverage"] == pytest.approx(6 / 6)
    assert found.metrics["action_entropy"] == 0.0
    assert found.metrics["pairs"] == 2 and found.metrics["variety"] == pytest.approx(1 - 2 ** (-2 / 3))


def test_mechanics_are_the_rules_that_take_effect_in_the_winning_play(judge: LevelEvaluator) -> None:
    found = judge.evaluate(CORRIDOR, seed=1)
    assert found.mechanics == ("mechanic.gem.hero.killSprite", "mechanic.exit.hero.killSprite")
    assert found.metrics["mechanics"] == 2
    assert found.metrics["mechanics_share"] == pytest.approx(2 / 6)
    assert found.measure("mechanic.gem.hero.killSprite") == 1.0
    assert found.measure("mechanic.hero.trap.killSprite") == 0.0
    assert judge.evaluate(CORRIDOR.replace("e", "w"), seed=1).measure("mechanic.gem.hero.killSprite") is None


def test_mechanics_of_sprites_that_the_avatar_has_no_part_in_count_too(maze: Game) -> None:
    plays = PlayMetrics(analyse(maze.definition))
    level = rows("A..e", "wwww", "wf.w")
    trace = plays.follow(maze.start(level, seed=1), ["NIL"] * 4)
    assert trace.mechanics == ("mechanic.wolf.wall.reverseDirection",)
    assert plays.follow(maze.start(level, seed=1), []).mechanics == ()


def test_mechanics_have_names_of_their_own(maze: Game) -> None:
    twice = MAZE.replace("hero trap > killSprite", "hero trap > killSprite\n        hero trap > killSprite")
    names = [m.name for m in mechanics(load(twice, reading="gvgai").definition)]
    assert len(names) == len(set(names)) == 7
    assert "mechanic.hero.trap.killSprite.2" in names
    timed = MAZE.replace("hero wolf > killSprite", "hero EOS > stepBack\n        wolf gem > reverseDirection")
    assert "mechanic.hero.EOS.stepBack" in [m.name for m in mechanics(load(timed, reading="gvgai").definition)]


def test_every_mechanic_of_every_built_in_game_has_a_name_of_its_own() -> None:
    from pcg.engine.game import builtin_games

    for name in builtin_games():
        definition = load(name).definition
        names = [m.name for m in mechanics(definition)]
        assert len(names) == len(set(names)) == len(definition.effects), name


def test_entropy_of_actions() -> None:
    assert action_entropy([], 5) == 0.0
    assert action_entropy(["UP"] * 9, 5) == 0.0
    assert action_entropy(["UP", "DOWN", "LEFT", "RIGHT"], 4) == 1.0
    assert action_entropy(["UP", "UP", "LEFT", "LEFT"], 4) == pytest.approx(0.5)
    assert action_entropy(["UP", "DOWN", "LEFT"], 2) == 1.0  # more actions than there were at the start


def test_danger_first_comes_near_at_two_cells(maze: Game) -> None:
    plays = PlayMetrics(analyse(maze.definition))
    # the wolf sets out in the second tick, and comes one cell nearer each tick
    trace = plays.follow(maze.start(rows("A.....f", "......e"), seed=1), ["NIL"] * 6)
    assert trace.dangers == (6.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0)
    assert first_danger(trace) == 5
    safe = plays.follow(maze.start(rows("A.....e"), seed=1), ["NIL"] * 5)
    assert first_danger(safe) == 5 and safe.dangers == (math.inf,) * 6
    beside = plays.follow(maze.start(rows("At....e"), seed=1), ["NIL"] * 5)
    assert first_danger(beside) == 0


def test_coverage_is_the_share_of_cells_visited(maze: Game) -> None:
    plays = PlayMetrics(analyse(maze.definition))
    start = maze.start("wwwww\nwA..w\nwwwew\nwwwww", seed=1)

    def share(actions: list[str]) -> float:
        return coverage(plays.follow(start, actions), 4)

    assert share([]) == 0.25
    assert share(["RIGHT", "LEFT", "RIGHT"]) == 0.5
    assert share(["RIGHT", "RIGHT"]) == 0.75
    assert start.tick == -1
    assert coverage(Trace((None, (0, 0)), (0.0, 0.0), ()), 0) == 0.0


def test_variety_counts_kinds_of_events_not_events() -> None:
    assert variety({}) == 0
    assert variety({(1, 2): 100}) < variety({(1, 2): 1, (2, 3): 1}) < 1


# -- agents ------------------------------------------------------------------------------------------------------------


def test_playability_is_proved_both_ways_in_games_without_chance(judge: LevelEvaluator) -> None:
    won = judge.evaluate(CORRIDOR, seed=1).metrics
    assert (won["playability"], won["proof"]) == (1.0, 1)
    lost = judge.evaluate(CORRIDOR.replace(".e", "we"), seed=1).metrics
    assert (lost["playability"], lost["proof"]) == (0.0, 1)


def test_playability_in_games_of_chance_is_what_agents_achieve() -> None:
    game = load("hunt")
    found = LevelEvaluator(game, **{**CHEAP, "budget": 200}).evaluate(game.levels[0], seed=3).metrics
    assert found["proof"] == 0 and 0 < found["playability"] <= 1


def test_a_player_who_does_nothing_dies_when_the_wolf_arrives(judge: LevelEvaluator) -> None:
    found = judge.evaluate(rows("A..........f", "...........e"), seed=1).metrics
    # 11 cells away, and it sets out in the second tick
    assert found["idle_ticks"] == 12 and found["idle_death"] == 1.0
    safe = judge.evaluate(rows("Aw.........f", "...........e"), seed=1).metrics
    assert safe["idle_death"] == 0.0 and safe["idle_ticks"] == 80


def test_the_gap_is_small_where_anyone_wins_and_large_where_skill_is_called_for(judge: LevelEvaluator) -> None:
    # from a corridor of three steps a random walk of many ticks comes out often
    easy = judge.evaluate(rows("A..e"), seed=1).metrics
    hard = judge.evaluate(rows("A........", "wwwwwwww.", ".........", ".wwwwwwww", "........e"), seed=1).metrics
    assert easy["weak_wins"] > 0 and hard["weak_wins"] == 0
    assert easy["gap"] < hard["gap"]


def test_a_profile_tells_how_agents_fare(maze: Game) -> None:
    profile = performance_profile(maze, CORRIDOR, ("nothing", "onestep", "mcts"), plays=2, seed=1, max_ticks=30)
    nothing, _, mcts = profile.performances
    assert (nothing.wins, nothing.score, nothing.ticks) == (0, 0.0, 30)
    assert mcts.wins == 2 and mcts.score == 6.0
    assert profile.gap > 0 and profile.performances[0].value < mcts.value
    assert profile == performance_profile(maze, CORRIDOR, ("nothing", "onestep", "mcts"), plays=2, seed=1, max_ticks=30)
    # worked out: 0.9 for the win, and the score's part of the last tenth
    assert mcts.value == pytest.approx(0.9 + 0.1 / (1 + math.exp(-0.6)))


# -- distances ---------------------------------------------------------------------------------------------------------


def test_edit_distance_counts_cells_rows_and_cells_put_in() -> None:
    assert edit_distance(CORRIDOR, CORRIDOR) == 0
    assert edit_distance(CORRIDOR, CORRIDOR.replace("g", ".")) == 1
    assert edit_distance("abc", "ab") == 1 and edit_distance("abc", "bc") == 1
    assert edit_distance("abc\nabc", "abc") == 3
    assert edit_distance("ab\ncd", "ab\nxy\ncd") == 2
    assert edit_distance("kitten", "sitting") == 3


def test_edit_distance_is_a_metric_on_real_levels() -> None:
    levels = load("dungeon").levels[:3]
    for a in levels:
        for b in levels:
            d = edit_distance(a, b)
            assert (d == 0) == (a == b) and d == edit_distance(b, a)
            for c in levels:
                assert d <= edit_distance(a, c) + edit_distance(c, b)


def test_play_distance_is_the_share_of_actions_to_be_changed() -> None:
    assert play_distance("", "") == 0.0 and play_distance("UU", "") == 1.0
    assert play_distance("UDLR", "UDLR") == 0.0
    assert play_distance("UUUU", "DDDD") == 1.0
    assert play_distance("RRRDD", "RRDD") == pytest.approx(1 / 5)
    assert play_distance(["LEFT", "UP"], ["UP", "RIGHT"]) == pytest.approx(2 / 2)
    assert play_distance("kitten", "sitting") == pytest.approx(3 / 7)


# -- sets of levels ----------------------------------------------------------------------------------------------------


def verdict(feasible: bool, **wants: float) -> Evaluation:
    return Evaluation(feasible, 0.5 * feasible, 1.0 * feasible, {}, {}, "static", targets=wants)


def test_quality_is_the_share_that_is_feasible() -> None:
    assert quality([]) == 0.0
    assert quality([verdict(True), verdict(False), verdict(True), verdict(True)]) == 0.75


def test_controllability_is_the_share_that_achieves_everything_wanted() -> None:
    assert controllability([verdict(True)]) is None
    asked = [verdict(True, enemies=1.0, symmetry=1.0), verdict(True, enemies=1.0, symmetry=0.99)]
    assert controllability(asked) == 0.5


def test_diversity_is_what_is_left_when_those_too_alike_are_taken_away() -> None:
    assert diversity([]) == 0.0
    assert diversity([CORRIDOR] * 10) == pytest.approx(0.1)

    def on_a_line(a: str, b: str) -> float:
        return abs(len(a) - len(b)) / 10

    # at 0, 3, 6: the one in the middle is too near to both others, and they are far enough apart without it
    line = ["x", "x" * 4, "x" * 7]
    assert diversity(line, 0.5, on_a_line) == pytest.approx(2 / 3)
    assert diversity(line, 0.2, on_a_line) == 1.0


def test_scores_of_a_set_are_the_three_shares() -> None:
    found = score_set([CORRIDOR, CORRIDOR.replace("g", ".")], [verdict(True, goals=1.0), verdict(False, goals=0.5)])
    assert (found.quality, found.controllability, found.levels) == (0.5, 0.5, 2)
    assert found.diversity in (0.5, 1.0)
