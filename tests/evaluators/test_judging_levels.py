"""The judge of levels: parts with sentences, levels left out of their own reference, and what cannot fool it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from numpy.typing import NDArray

import pcg
from benchmarks.validation import levels as v1
from benchmarks.validation.level_fit import HAND, SOURCES, fit_weights
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.fitness_functions import fitness_of
from pcg.evaluators.judging.level_features import FEATURES, LevelView
from pcg.evaluators.judging.level_model import NAMES, LevelModel, default_model
from pcg.evaluators.judging.level_parts import PARTS
from pcg.evaluators.judging.level_reference import GameReference, wall_forms
from pcg.evaluators.judging.levels import LevelJudge, part_weights, value_of
from pcg.evaluators.metrics.play import Trace
from pcg.web.level_editor import LevelEditor

GAMES = ("dungeon", "boxes", "digger")


@pytest.fixture(scope="module")
def dungeon() -> LevelEvaluator:
    return LevelEvaluator(pcg.load("dungeon"))


def text_value(judge: LevelJudge, level: str) -> float:
    return value_of(judge.parts(judge.view(level)))


def changed(level: str, row: int, column: int, char: str) -> str:
    rows = level.rstrip("\n").split("\n")
    rows[row] = rows[row][:column] + char + rows[row][column + 1 :]
    return "\n".join(rows)


def shuffled(level: str, seed: int) -> str:
    """The level with what is inside its edge put elsewhere."""
    cells = np.array([list(row) for row in level.rstrip("\n").split("\n")])
    inner = cells[1:-1, 1:-1]
    cells[1:-1, 1:-1] = np.random.default_rng(seed).permutation(inner.ravel()).reshape(inner.shape)
    return "\n".join("".join(row) for row in cells)


# -- what it is compared with ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_level_of_the_game_is_not_judged_by_itself(game: str) -> None:
    judge = LevelEvaluator(pcg.load(game)).judge
    for k, level in enumerate(judge.levels):
        assert judge.reference.nearest(judge.reference.profile(judge.view(level))) == k
        alone = LevelJudge(judge.tables, [one for j, one in enumerate(judge.levels) if j != k])
        values, own, _ = judge.measures(judge.view(level))
        features = alone.reference.features
        assert np.array_equal(own[:, : features.shape[1]], features, equal_nan=True)
        assert len(values) == len(NAMES)


def test_a_copy_with_a_tile_changed_is_compared_with_what_the_original_is(dungeon: LevelEvaluator) -> None:
    judge = dungeon.judge
    for k, level in enumerate(judge.levels):
        copy = changed(level, 2, 3, "w" if level.split("\n")[2][3] != "w" else ".")
        assert judge.reference.nearest(judge.reference.profile(judge.view(copy))) == k
        assert text_value(judge, copy) < text_value(judge, level) + 0.1
        moved = "\n".join("w" + row[:-1] for row in level.rstrip("\n").split("\n"))
        assert judge.reference.nearest(judge.reference.profile(judge.view(moved))) == k


def test_one_level_of_its_own_is_a_reference_for_others_and_none_for_itself(dungeon: LevelEvaluator) -> None:
    first, second = dungeon.judge.levels[:2]
    judge = LevelJudge(dungeon.text, [first])
    assert len(judge.measures(judge.view(first))[1]) == 0
    assert len(judge.measures(judge.view(second))[1]) == 1


def test_without_levels_of_its_own_a_game_is_judged_by_what_all_games_teach(dungeon: LevelEvaluator) -> None:
    judge = LevelJudge(dungeon.text, [])
    parts = judge.parts(judge.view(dungeon.judge.levels[0]))
    assert {"composition", "clarity"} <= {part.name for part in parts}
    assert all("own levels" not in part.sentence for part in parts)
    good = np.mean([text_value(judge, level) for level in dungeon.judge.levels])
    bad = np.mean([text_value(judge, shuffled(level, 1)) for level in dungeon.judge.levels])
    assert good > bad + 0.1


def test_levels_that_cannot_be_read_are_no_reference(dungeon: LevelEvaluator) -> None:
    judge = LevelJudge(dungeon.text, [*dungeon.judge.levels, "?"])
    assert judge.levels == dungeon.judge.levels


# -- what does not fool it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_shuffled_levels_are_worse_than_those_of_the_game_and_empty_ones_worse_than_all(game: str) -> None:
    judge = LevelEvaluator(pcg.load(game)).judge
    own = [text_value(judge, level) for level in judge.levels]
    worst = min(own)
    assert v1.auc(own, [text_value(judge, shuffled(level, k)) for level in judge.levels for k in range(6)]) > 0.6
    for level in judge.levels:
        bare = np.full(judge.tables.palette.parse(level).shape, judge.tables.palette.empty, np.int16)
        bare[1, 1] = judge.tables.palette.avatars[0]
        assert text_value(judge, judge.tables.palette.text(bare)) < worst


def test_two_exits_where_there_is_always_one_are_told_with_their_numbers(dungeon: LevelEvaluator) -> None:
    with_one = []
    for level in dungeon.judge.levels:
        head, door, rest = level.partition("d")
        with_one.append(head + door + rest.replace("d", "w"))
    judge = LevelJudge(dungeon.text, with_one)
    level = judge.levels[0]
    free = [(y, x) for y, row in enumerate(level.split("\n")) for x, c in enumerate(row) if c == "."]
    for y, x in free[:2]:
        level = changed(level, y, x, "d")
    before = {part.name: part for part in judge.parts(judge.view(judge.levels[0]))}
    after = {part.name: part for part in judge.parts(judge.view(level))}
    assert after["conventions"].value < before["conventions"].value - 0.1
    assert "3 of door (usually 1)" in after["conventions"].sentence


@pytest.mark.parametrize(
    ("rows", "share"), [("wwwww\nw...w\nwwdww\nw.A.w\nwwwww", 1.0), ("wwwww\nw...w\nw.d.w\nw.A.w\nwwwww", 0.0)]
)
def test_a_door_belongs_into_a_wall(dungeon: LevelEvaluator, rows: str, share: float) -> None:
    assert FEATURES["doors"].compute(dungeon.judge.view(rows)) == share


# -- features ----------------------------------------------------------------------------------------------------------


def feature(judge: LevelJudge, name: str, level: str) -> float | None:
    return FEATURES[name].compute(judge.view(level))


def test_no_enemy_where_there_always_is_one_is_told(dungeon: LevelEvaluator) -> None:
    judge = dungeon.judge
    own = judge.levels[0]
    tame = own.translate(str.maketrans("bsl", "..."))
    found = {part.name: part for part in judge.parts(judge.view(tame))}
    assert "0 enemies (usually 1 to 2)" in found["conventions"].sentence
    assert text_value(judge, tame) < text_value(judge, own)


def test_features_of_walls_say_what_they_are_called(dungeon: LevelEvaluator) -> None:
    judge = dungeon.judge
    line = "wwwwwww\nw.....w\nw.www.w\nwA....w\nwwwwwww"
    dots = "wwwwwww\nw.w...w\nw...w.w\nwAw...w\nwwwwwww"
    assert feature(judge, "single", line) == 0.0 and feature(judge, "single", dots) == 1 / 3
    assert feature(judge, "runs", line) == pytest.approx(math.log(3))
    assert feature(judge, "boxes", line) == 1.0
    assert feature(judge, "touching", line) == 0.0 < feature(judge, "touching", "wwwww\nw.w.w\nww..w\nwA..w\nwwwww")  # type: ignore[operator]
    assert feature(judge, "mirrored_across", line) == 1.0
    assert feature(judge, "surprise", "w" * 4 + "\n" + "w" * 4 + "\nwAww") < feature(judge, "surprise", dots)  # type: ignore[operator]
    assert feature(judge, "danger", line) == math.log1p(30.0)


def test_forms_of_walls_are_the_same_turned_and_mirrored(dungeon: LevelEvaluator) -> None:
    judge = dungeon.judge
    grid = judge.tables.palette.parse(dungeon.judge.levels[0])

    def forms(image: NDArray[np.int16]) -> list[int]:
        return sorted(wall_forms(LevelView(judge.tables.level(np.ascontiguousarray(image)))).tolist())

    assert all(forms(image) == forms(grid) for image in (np.fliplr(grid), np.flipud(grid), np.rot90(grid), grid.T))


def test_levels_too_small_to_measure_are_judged_all_the_same(dungeon: LevelEvaluator) -> None:
    judge = dungeon.judge
    for tiny in ("A", "Aw", "A.\nww", "wA\n.."):
        assert 0.0 <= text_value(judge, tiny) <= 1.0
    assert len(GameReference([], 5)) == 0


# -- the judgement -----------------------------------------------------------------------------------------------------


def test_an_evaluation_has_all_parts_with_sentences_and_their_mean_is_the_fitness(dungeon: LevelEvaluator) -> None:
    level = dungeon.game.levels[0]
    found = dungeon.evaluate(level, seed=1)
    assert [part.name for part in found.parts] == list(PARTS)
    assert math.isclose(math.fsum(part.weight for part in found.parts), 1.0)
    assert found.fitness == found.metrics["quality"] == pytest.approx(value_of(found.parts))
    for part in found.parts:
        assert 0.0 <= part.value <= 1.0 and part.sentence.endswith(".") and part.source
        assert found.metrics[f"quality.{part.name}"] == part.value
        assert part.weight == pytest.approx(part_weights(True)[part.name])
    assert dungeon.judgement(level, found).as_dict()["value"] == found.fitness
    assert Evaluation.from_json(json.loads(json.dumps(found.to_json(), sort_keys=True))) == found


def test_a_level_that_is_not_feasible_has_the_parts_of_its_text_and_a_problem(dungeon: LevelEvaluator) -> None:
    level = dungeon.game.levels[0].replace("d", "w")
    found = dungeon.evaluate(level, seed=1)
    judged = dungeon.judgement(level, found)
    assert not found.feasible and not found.parts and judged.value == 0.0
    assert {part.name for part in judged.parts} == {"pacing", "purpose", "composition", "conventions", "clarity"}
    assert judged.problem.startswith("It breaks the constraint `goal`")


def test_the_old_quality_is_still_there_as_skill(dungeon: LevelEvaluator) -> None:
    game = dungeon.game
    old = LevelEvaluator(game, fitness="skill")
    found = old.evaluate(game.levels[0], seed=1)
    metrics = found.metrics
    wanted = (0.4 * metrics["gap"] + 0.2 * metrics["solution_length"] / 80 + 0.25 * metrics["variety"]
              + 0.15 * metrics["coverage"])  # fmt: skip
    assert found.fitness == pytest.approx(wanted) == fitness_of("skill", metrics, old.settings)
    assert found.parts == dungeon.evaluate(game.levels[0], seed=1).parts


def test_the_wanted_difficulty_moves_its_part(dungeon: LevelEvaluator) -> None:
    level = dungeon.game.levels[0]
    measured = dungeon.evaluate(level, seed=1).metrics["difficulty"]
    near = LevelEvaluator(dungeon.game, difficulty=measured).evaluate(level, seed=1)
    far = LevelEvaluator(dungeon.game, difficulty=1.0).evaluate(level, seed=1)
    assert near.metrics["quality.difficulty"] == 1.0 > far.metrics["quality.difficulty"]
    assert near.fitness > far.fitness


def test_the_editor_shows_the_number_of_the_evaluation(dungeon: LevelEvaluator) -> None:
    level = dungeon.game.levels[1]
    shown = LevelEditor(dungeon.game, seed=1).judge(level.rstrip("\n"))
    found = dungeon.evaluate(level, seed=1)
    assert shown["fitness"] == found.fitness
    assert [part["name"] for part in shown["parts"]] == list(PARTS)


def test_danger_beside_the_start_and_a_play_without_events_cost_pacing(dungeon: LevelEvaluator) -> None:
    from dataclasses import replace

    from pcg.evaluators.agents import make_agent, play
    from pcg.evaluators.judging.level_play import LevelPlays, measure_plays

    view = dungeon.judge.view(dungeon.game.levels[0])
    won = play(dungeon.game.start(0, seed=1), make_agent("onestep", seed=1), max_ticks=10)
    calm = Trace((None,) * 11, (9.0,) * 5 + (1.0,) * 6, (), (0.0, 0.0, 1.0) + (1.0,) * 4 + (3.0,) * 4)
    plays = LevelPlays(won, calm, [won], {"gap": 0.6, "difficulty": 0.5})
    good = {m.name: m for m in measure_plays(view, plays, 0.6)}
    beset = replace(plays, trace=replace(calm, dangers=(1.0,) * 11, scores=(0.0,) * 11))
    bad = {m.name: m for m in measure_plays(view, beset, 0.6)}
    assert bad["start"].value == 0.0 < good["start"].value
    assert bad["beats"].value == 0.0 < good["beats"].value
    assert "Nothing happens" in bad["beats"].sentence


# -- the model ---------------------------------------------------------------------------------------------------------


def test_the_model_that_comes_with_the_toolkit_weighs_every_part_and_says_where_it_is_from() -> None:
    model = default_model()
    assert model.provenance["games"] >= 30 and "d7d1835" in model.provenance["generated"]
    assert (model.weights >= 0).all() and model.weights.sum() == pytest.approx(1.0)
    assert (model.alone >= 0).all() and model.alone.sum() == pytest.approx(1.0)
    assert all(weight > 0 for weight in part_weights(True).values())
    again = LevelModel.from_json(json.loads(json.dumps(model.to_json())))
    assert np.allclose(again.weights, model.weights, atol=1e-4)


def test_weights_are_fitted_to_what_tells_hand_made_levels_from_others() -> None:
    rng = np.random.default_rng(1)
    telling = NAMES.index("straight")
    games = []
    for _ in range(8):
        hand, made = rng.random((5, 2 * len(NAMES))), rng.random((5, 2 * len(NAMES)))
        hand[:, len(NAMES) + telling] += 1.0
        games.append({HAND: hand, **dict.fromkeys(SOURCES, made)})
    weights = fit_weights(games)
    assert weights.argmax() == len(NAMES) + telling and weights.sum() == pytest.approx(1.0)


FIGURE = [
    "wwwwwwwww",
    "w.......w",
    "w.o...o.w",
    "w..b.b..w",
    "wA......w",
    "wwwwwwwww",
]


@pytest.mark.parametrize(
    ("row", "column", "to", "share"),
    [(3, 5, (3, 5), 1.0), (3, 5, (4, 6), 0.5), (3, 5, (1, 3), 0.5)],
)
def test_a_figure_is_what_has_a_counterpart_of_its_kind_across_a_line_anywhere(
    row: int, column: int, to: tuple[int, int], share: float
) -> None:
    judge = LevelEvaluator(pcg.load("boxes")).judge
    level = changed(changed("\n".join(FIGURE), row, column, "."), *to, "b")
    figure = FEATURES["figure"].compute
    assert figure(judge.view(level)) == share
    # the line may lie anywhere, upright or level
    assert figure(judge.view("\n".join("wwww" + line for line in level.split("\n")))) == share
    turned = "\n".join("".join(column) for column in zip(*level.split("\n"), strict=True))
    assert figure(judge.view(turned)) == share


def test_a_few_things_make_no_figure() -> None:
    judge = LevelEvaluator(pcg.load("boxes")).judge
    assert FEATURES["figure"].compute(judge.view("\n".join(FIGURE).replace("o", "."))) is None


def test_frozen_levels_are_of_many_games_and_none_is_a_game_s_own() -> None:
    frozen = v1.negatives()
    assert len(frozen) >= 60
    assert all(set(levels) == set(SOURCES) for levels in frozen.values())
    assert all(level.strip() for levels in frozen.values() for texts in levels.values() for level in texts)


def test_auc_counts_ties_half_and_its_interval_holds_the_mean() -> None:
    assert v1.auc([1.0, 0.0], [0.0, 0.0]) == 0.75
    low, high = v1.interval([0.5, 0.75, 1.0])
    assert 0.5 <= low < 0.75 < high <= 1.0
