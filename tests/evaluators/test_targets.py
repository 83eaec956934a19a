"""Targets: how they are read, checked against the rules of a game, and met."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import examples

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator, fitness_with_targets
from pcg.evaluators.metrics import METRICS
from pcg.evaluators.target_feasibility import check_targets
from pcg.evaluators.target_parsing import parse_targets
from pcg.evaluators.targets import Target, known_names, sprites_of
from pcg.generators.levels import make_generator

CHEAP = {"nodes": 4000, "budget": 60, "planner_budget": 100, "max_length": 80, "weak_plays": 1}


@lru_cache
def _dungeon() -> GameAnalysis:
    return analyse(load("dungeon").definition)


@pytest.fixture(scope="module")
def dungeon() -> GameAnalysis:
    return _dungeon()


def read(text: str, analysis: GameAnalysis) -> list[tuple[str, float, float]]:
    return [(w.name, w.low, w.high) for w in parse_targets(text, analysis)]


# -- reading -----------------------------------------------------------------------------------------------------------


def test_ranges_numbers_and_bounds(dungeon: GameAnalysis) -> None:
    assert read("solution_length=40..60, enemies=3, symmetry>=0.8", dungeon) == [
        ("solution_length", 40, 60), ("enemies", 3, 3), ("symmetry", 0.8, math.inf)]  # fmt: skip
    assert read(" bat <= 2 ", dungeon) == [("bat", -math.inf, 2)]
    assert read("", dungeon) == []


def test_one_number_of_a_share_means_that_many_digits(dungeon: GameAnalysis) -> None:
    assert read("symmetry=0.8, density=0.25, coverage=1", dungeon) == [
        ("symmetry", 0.75, 0.85), ("density", 0.245, 0.255), ("coverage", 0.5, 1.5)]  # fmt: skip


def test_targets_of_one_name_are_put_together(dungeon: GameAnalysis) -> None:
    assert read("enemies>=2, bat=1, enemies<=4", dungeon) == [("enemies", 2, 4), ("bat", 1, 1)]


def test_targets_are_written_as_they_are_read(dungeon: GameAnalysis) -> None:
    targets = parse_targets(
        "solution_length=40..60, enemies=3, symmetry>=0.8, density<=0.123456, coverage=0.5", dungeon
    )
    assert parse_targets(", ".join(map(str, targets)), dungeon) == targets


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("symetry>=0.8", 1, "did you mean `symmetry`"),
        ("enemies=3, bats=2", 12, "no sprite `bats`, did you mean `bat`"),
        ("xyzzy=1", 1, "`pcg metrics GAME` lists"),
        ("enemies", 1, "`enemies` is no target"),
        ("enemies=3 bat=1", 1, "`enemies=3 bat=1` is no target"),
        ("enemies=", 1, "`enemies=` is no target"),
        ("enemies==3", 9, "`=3` after `enemies=`: expected a number or a range"),
        ("enemies=three", 9, "`three` after `enemies=`"),
        ("enemies>=1..2", 10, "`1..2` after `enemies>=`: expected a number"),
        ("symmetry=0.2..", 10, "`0.2..` after"),
        ("symmetry=nan", 10, "`nan` after"),
        (f"coin={'9' * 400}", 6, "too large"),
        ("enemies=5..2", 9, "the range `5..2` is empty: 5 is more than 2"),
        ("enemies=2.2..2.8", 9, "`enemies` is a whole number"),
        ("enemies=1,,bat=1", 11, "between commas"),
        ("enemies=1,", 10, "between commas"),
        ("enemies=3, bat=1, enemies>=4", 19, "`enemies>=4` contradicts `enemies=3` in column 1"),
        ("mechanic.knife.wal.killSprite=1", 1, "did you mean `mechanic.knife.wall.killSprite`"),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_column(
    dungeon: GameAnalysis, text: str, column: int, message: str
) -> None:
    with pytest.raises(PcgError) as failure:
        parse_targets(text, dungeon)
    first, shown, caret = str(failure.value).split("\n")
    assert f"column {column}:" in first and message in first
    assert shown.strip() == text.strip() and caret.index("^") == 4 + column - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("symmetry>=1.5", r"target `symmetry>=1.5`: symmetry is from 0 to 1"),
        ("solution_length<=-1", r"solution_length is at least 0"),
        ("mechanic.knife.wall.killSprite=2", r"is from 0 to 1"),
        ("bat=3, enemies<=2, coin=1", r"targets `bat=3` and `enemies<=2` contradict each other"),
        ("bat=1, slime=1, skeleton=1, monster=2, coin=2", r"`bat=1` and `slime=1` and `skeleton=1` and `monster=2`"),
        ("hero=2", r"target `hero=2`: .* \(one avatar per player\)"),
        ("goals=0", r"target `goals=0`: .* \(not won at once by the number of door\)"),
        ("door=3, key=1", r"`door=3` and `key=1`: .* \(to get rid of door\)"),
        ("knife=1", r"the characters of the game's levels cannot make that number of knife"),
        ("bat=-1", r"bat is at least 0"),
    ],
)
def test_contradictions_are_narrowed_down(dungeon: GameAnalysis, text: str, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        parse_targets(text, dungeon)


@pytest.mark.parametrize(
    ("text", "named", "message"),
    [
        ("width=10, height=10, density<=0.1, walls=80", "width height density walls", "room for them together"),
        ("width=10, height=10, density>=0.9, coin=50", "width height density coin", "room for them together"),
        ("width=8, height=8, coin=70", "width height coin", "room for them together"),
        ("width=8, height=8, coin=40, bat=25, symmetry>=0.5", "width height coin bat", "room for them together"),
        ("width=10, height=10, cover<=0.05, bat=60", "width height cover bat", "room for them together"),
        ("width=10, height=10, cover<=0.05, bat=30, leniency<=0.9, symmetry=1, solution_length=2", "", ""),
        ("leniency>=0.9, enemies=5, width<=10, height<=10", "leniency enemies width height", "room for them together"),
        ("leniency<=0.9, enemies=0", "leniency enemies", "no level of this game can have that"),
        ("symmetry<=0.3, symmetry_horizontal>=0.8", "symmetry symmetry_horizontal", "symmetry is from 0.8 to 1"),
        ("symmetry>=0.9, symmetry_horizontal<=0.5, symmetry_vertical<=0.4",
         "symmetry symmetry_horizontal symmetry_vertical", "symmetry is from 0 to 0.5"),
        ("mechanics<=2, mechanics_share>=0.9", "mechanics_share mechanics", "mechanics_share is from 0 to"),
        ("pairs<=3, variety>=0.6", "variety pairs", "variety is from 0 to 0.5"),
        ("first_danger>=50, solution_length<=40", "first_danger solution_length", "first_danger is from 0 to 40"),
        ("mechanics=0, mechanic.knife.wall.killSprite=1", "mechanics mechanic.knife.wall.killSprite", "is from 1"),
        ("width=20, height=20, density<=0.1, door=1, coverage>=0.9, reachable>=0.9, solution_length<=50",
         "solution_length coverage reachable width height density door", "takes at least 2[0-9][0-9] ticks"),
    ],
)  # fmt: skip
def test_what_cannot_hold_together_is_named_and_nothing_else(
    dungeon: GameAnalysis, text: str, named: str, message: str
) -> None:
    if not named:
        parse_targets(text, dungeon)
        return
    with pytest.raises(PcgError, match=message) as failure:
        parse_targets(text, dungeon)
    quoted = re.findall(r"`([^`=<>]+)[=<>]", str(failure.value))
    assert sorted(quoted) == sorted(named.split())


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([Target("enemies", 1, 2), Target("enemies", 3, 4)], "`enemies=1..2` and `enemies=3..4` contradict each other"),
        ([Target("pairs", 2.2, 2.8)], "pairs is a whole number, and there is none in that range"),
        ([Target("gap", 0.5, 0.2)], "empty range"),
    ],
)
def test_targets_made_in_python_are_checked_too(dungeon: GameAnalysis, targets: list[Target], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        check_targets(targets, dungeon)


def test_targets_are_held_against_the_sizes_a_generator_makes() -> None:
    targets = "density<=0.1, walls=80"
    make_generator("constructive", load("dungeon"), seed=1, targets=targets, max_width=60, max_height=60)
    with pytest.raises(PcgError, match=r"`density<=0.1` and `walls=80` .*10 to 10 by 8 to 10|10 by 10 cells"):
        make_generator(
            "constructive",
            load("dungeon"),
            seed=1,
            targets=targets,
            min_width=10,
            max_width=10,
            min_height=10,
            max_height=10,
        )


REAL_GAMES = ("boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival")
PLAYED = ("boxes", "crossing", "hunt")


@lru_cache
def _real_levels(name: str) -> list[tuple[tuple[int, int], dict[str, float]]]:
    """(width, height) and all values of levels: the game's own, and of generators with and without structure."""
    game = load(name)
    judge = LevelEvaluator(game, **CHEAP)
    texts = list(game.levels)
    for generator in ("constructive", "ca", "noise", "variation"):
        texts += [c.level for c in make_generator(generator, game, seed=7).ask(4)]
    found = []
    for k, text in enumerate(texts):
        grid = judge.palette.parse(text)
        counts = judge.palette.count_types(grid)
        values = dict(judge.text.measure(grid))
        values |= {judge.game.definition.types[t].name: n for t, n in counts.items()}
        if name in PLAYED and k < 2:
            verdict = judge.evaluate(text, seed=1)
            values |= {n: v for n, v in verdict.metrics.items() if n in METRICS}
            if verdict.play:
                values |= dict.fromkeys(verdict.mechanics, 1.0)
        if k < len(game.levels) or judge.evaluate(text, seed=1).feasible:
            found.append(((grid.shape[1], grid.shape[0]), values))
    return found


@pytest.mark.full
@given(st.data())
@settings(max_examples=examples(200), deadline=None)
def test_what_a_real_level_has_is_never_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(REAL_GAMES))
    (width, height), values = data.draw(st.sampled_from(_real_levels(name)))
    names = data.draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=8, unique=True))
    targets = []
    for one in names:
        below, above = data.draw(st.sampled_from([(0, 0), (0, math.inf), (math.inf, 0), (1, 2), (1e-6, 1e-6)]))
        targets.append(Target(one, values[one] - below, values[one] + above))
    analysis = analyse(load(name).definition)
    check_targets(targets, analysis)
    check_targets(targets, analysis, widths=(width, width), heights=(height, height))
    check_targets(targets, analysis, width * height)


def test_a_group_that_the_game_lacks_cannot_be_wanted_but_may_be_unwanted() -> None:
    boxes = analyse(load("boxes").definition)
    with pytest.raises(PcgError, match="this game has no enemies"):
        parse_targets("enemies=1", boxes)
    assert read("enemies=0", boxes) == [("enemies", 0, 0)]


def test_targets_must_fit_the_size_of_a_level(dungeon: GameAnalysis) -> None:
    targets = parse_targets("coin=200", dungeon)
    check_targets(targets, dungeon, 400)
    with pytest.raises(PcgError, match=r"`coin=200`.*at most 150 cells"):
        check_targets(targets, dungeon, 150)
    with pytest.raises(PcgError, match="at most"):
        make_generator("constructive", load("dungeon"), seed=1, targets="coin=20000")


def test_branches_of_the_sprite_tree_can_be_wanted(dungeon: GameAnalysis) -> None:
    names = dungeon.definition.type_index
    assert sprites_of("monster", dungeon) == {names["bat"], names["slime"], names["skeleton"]}
    assert sprites_of("enemies", dungeon) == sprites_of("monster", dungeon)


def test_a_sprite_with_the_name_of_a_metric_is_named_with_a_prefix() -> None:
    text = load("dungeon").definition.source.replace("coin", "score")
    analysis = analyse(load(text, reading="gvgai").definition)
    assert sprites_of("score", analysis) is None
    assert sprites_of("sprite.score", analysis) == {analysis.definition.type_index["score"]}
    assert "sprite.score" in known_names(analysis) and set(METRICS) < set(known_names(analysis))


@pytest.mark.parametrize("game", ["boxes", "crossing", "digger", "hunt", "invaders", "portals", "survival"])
def test_numbers_that_the_games_own_levels_have_can_be_wanted(game: str) -> None:
    loaded = load(game)
    judge = LevelEvaluator(loaded)
    for level in loaded.levels:
        counts = judge.palette.count_types(judge.palette.parse(level))
        types = judge.game.definition.types
        targets = [Target(types[t].name, n, n) for t, n in counts.items() if types[t].name not in METRICS]
        groups = judge.text.measure(judge.palette.parse(level))
        targets += [Target(name, groups[name], groups[name]) for name in ("enemies", "goals", "collectables", "walls")]
        check_targets(targets, judge.analysis, level.count("\n") * len(level))


WORDS = ["bat", "enemies", "symmetry", "walls", "=", ">=", "<=", "..", ",", " ", "1", "0.5", "-3", "x", "."]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join) | st.text(max_size=30))
@settings(max_examples=examples(150))
def test_any_text_is_targets_or_one_error(text: str) -> None:
    analysis = _dungeon()
    try:
        targets = parse_targets(text, analysis)
    except PcgError:
        return
    assert parse_targets(", ".join(map(str, targets)), analysis) == targets


# -- meeting -----------------------------------------------------------------------------------------------------------


def test_satisfaction_is_1_inside_and_falls_with_the_distance() -> None:
    target = Target("solution_length", 40, 60)
    assert [target.satisfaction(v) for v in (40, 50, 60)] == [1, 1, 1]
    assert target.satisfaction(20) == pytest.approx(0.5) and target.satisfaction(90) == pytest.approx(0.5)
    falling = [target.satisfaction(v) for v in (61, 70, 100, 1000)]
    assert falling == sorted(falling, reverse=True) and 0 < falling[-1] < falling[0] < 1
    assert target.satisfaction(None) == 0.0 and target.satisfaction(math.nan) == 0.0
    assert Target("enemies", 0, 0).satisfaction(1) == pytest.approx(0.5)
    assert not Target("calls", 1e300, 1e300).achieved(1e300 - 1e284)


def test_achieved_targets_always_beat_missed_ones() -> None:
    assert fitness_with_targets(0.7, {}) == 0.7
    assert fitness_with_targets(0.0, {"a": 1.0}) > fitness_with_targets(1.0, {"a": 0.999999})
    assert fitness_with_targets(0.9, {"a": 1.0}) > fitness_with_targets(0.5, {"a": 1.0})
    assert (
        fitness_with_targets(0.5, {"a": 0.6})
        > fitness_with_targets(0.5, {"a": 0.5})
        > fitness_with_targets(0.4, {"a": 0.5})
    )
    assert fitness_with_targets(0.0, {"a": 0.0}) >= 0.0 and fitness_with_targets(1.0, {"a": 1.0}) == 1.0


def test_an_evaluation_tells_values_and_satisfaction_of_targets() -> None:
    game = load("boxes")  # without chance, so that the solver finds the winning play
    stored, pit = "mechanic.box.mark.transformTo", "mechanic.pit.box.killBoth"
    judge = LevelEvaluator(game, f"box=2, mark<=2, collectables=0, box>=1, solution_length=46..60, {stored}=1, {pit}=0")
    plain = LevelEvaluator(game).evaluate(game.levels[0], seed=1)
    found = judge.evaluate(game.levels[0], seed=1)
    assert found.feasible and plain.targets == {}
    assert (found.metrics["box"], found.metrics["mark"], found.metrics["goals"]) == (2, 2, 2)
    assert found.metrics[stored] == 1.0 and found.metrics[pit] == 0.0
    assert {n for n, value in found.targets.items() if value >= 1} == {"box", "mark", "collectables", stored, pit}
    assert found.metrics["solution_length"] == 23
    assert found.targets["solution_length"] == pytest.approx(0.5)  # off by half the bound
    assert found.fitness == pytest.approx(fitness_with_targets(plain.fitness, found.targets))
    assert found.play == plain.play


def test_targets_survive_json_and_logs_of_old_can_still_be_read() -> None:
    game = load("dungeon")
    found = LevelEvaluator(game, "bat=1, symmetry>=0.9", **CHEAP).evaluate(game.levels[0], seed=1)
    data = json.loads(json.dumps(found.to_json()))
    assert Evaluation.from_json(data) == found
    del data["wants"], data["mechanics"]
    old = Evaluation.from_json(data)
    assert old.targets == {} and old.mechanics == () and old.fitness == found.fitness


def test_targets_of_infeasible_levels_are_told_but_do_not_make_them_feasible() -> None:
    game = load("dungeon")
    found = LevelEvaluator(game, "coin=5, solution_length>=30", **CHEAP).evaluate(
        game.levels[0].replace("d", "w"), seed=1
    )
    assert not found.feasible and found.fitness == 0.0
    assert found.targets == {"coin": 1.0, "solution_length": 0.0}


def test_bounds_that_nobody_gave_make_way_for_targets() -> None:
    game = load("boxes")
    assert LevelEvaluator(game).settings["min_length"] == 20
    assert LevelEvaluator(game, "solution_length=8..12").settings["min_length"] == 12
    assert LevelEvaluator(game, "solution_length=500..700").settings["max_length"] == 700
    assert LevelEvaluator(game, "solution_length=40..60").settings["max_length"] == 400
    assert LevelEvaluator(game, "cover>=0.8").settings["max_cover"] == 0.8
    with pytest.raises(PcgError, match="plays end after 2000 ticks"):
        LevelEvaluator(game, "solution_length>=3000")
    with pytest.raises(PcgError, match=r"`solution_length=8..12` contradicts .* min_length, which is 20"):
        LevelEvaluator(game, "solution_length=8..12", min_length=20)


def test_settled_settings_can_be_given_again_with_the_same_targets() -> None:
    game = load("boxes")
    first = LevelEvaluator(game, "solution_length=8..12, cover>=0.7")
    again = LevelEvaluator(game, "solution_length=8..12, cover>=0.7", **first.settings)
    assert again.settings == first.settings


# -- generators --------------------------------------------------------------------------------------------------------


def test_generators_take_sizes_from_targets() -> None:
    game = load("dungeon")
    made = make_generator("constructive", game, seed=1, targets="width=15, height<=9")
    for candidate in made.ask(10):
        rows = candidate.level.split("\n")
        assert len(rows[0]) == 15 and len(rows) <= 9
    with pytest.raises(PcgError, match=r"`width=15` contradicts"):
        make_generator("constructive", game, seed=1, targets="width=15", max_width=12)
    for impossible in ("width=3", "width>=500"):
        with pytest.raises(
            PcgError, match=rf"target `{impossible}`: the width of levels of this game is 6 to 200 cells"
        ):
            make_generator("constructive", game, seed=1, targets=impossible)


@pytest.mark.full
def test_evolution_gets_nearer_to_what_is_wanted() -> None:
    """Told the fitness of texts alone, so that it is quick: no level is played."""
    game = load("dungeon")
    targets = "bat=4, coin>=8, symmetry_horizontal>=0.5"

    def best(wanted: bool) -> float:
        made = make_generator("evolve", game, seed=2, targets=targets if wanted else "", population=20, offspring=20)
        judge = LevelEvaluator(game, targets)
        top = 0.0
        for _ in range(15):
            candidates = made.ask(20)
            verdicts = []
            for c in candidates:
                grid = judge.palette.parse(c.level)
                values = judge.text.measure(grid) | {
                    "bat": judge.palette.count_types(grid).get(judge.game.definition.type_index["bat"], 0),
                    "coin": judge.palette.count_types(grid).get(judge.game.definition.type_index["coin"], 0),
                }
                met = {w.name: w.satisfaction(values[w.name]) for w in judge.targets}
                top = max(top, fitness_with_targets(0.0, met))
                verdicts.append(
                    Evaluation(True, fitness_with_targets(0.0, met) if wanted else 0.5, 1.0, {}, {}, "complete")
                )
            made.tell(candidates, verdicts)
        return top

    assert best(wanted=True) >= 0.44 > best(wanted=False)
