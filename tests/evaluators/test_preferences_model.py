"""Preference models: learned from votes and features, kept in files, and used as fitness."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.preferences import Vote, make_design
from pcg.evaluators.preferences.features import read_features
from pcg.evaluators.preferences.held_out import Accuracy, PairData
from pcg.evaluators.preferences.model import PreferenceModel, RegressionModel, fit_model
from pcg.evaluators.preferences.simulation import Population, item_names, simulate_study

NAMES = item_names(30)


def _world(weights: tuple[float, ...] = (1.5, -0.7, 0.0), seed: int = 1) -> tuple[list[Vote], dict[str, dict[str, float]]]:  # fmt: skip  # noqa: E501
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(len(NAMES), len(weights))) * [1, 10, 0.1] + [0, 50, 3]
    standard = (table - table.mean(axis=0)) / table.std(axis=0)
    people = Population(NAMES, standard @ np.array(weights), {"tie": -0.7})
    votes = simulate_study(people, make_design("random", NAMES, seed), 100, 12, seed)
    return votes, {item: dict(zip(("fun", "size", "junk"), row, strict=True)) for item, row in zip(NAMES, table.tolist(), strict=True)}  # fmt: skip  # noqa: E501


def test_weights_of_the_features_are_found_again() -> None:
    votes, features = _world()
    model = fit_model(votes, features, strength=0.1)
    # A tie is half a vote for each, which pulls weights towards 0 by about the share of ties.
    ratio = np.array(model.weights) / [1.5, -0.7, 1]
    assert 0.6 < ratio[0] < 1.0 and ratio[1] == pytest.approx(ratio[0], abs=0.15) and abs(ratio[2]) < 0.1
    assert model.features == ("fun", "size", "junk") and (model.votes, model.items) == (1200, 30)
    assert all(0.02 < error < 0.1 for error in model.errors)


def test_the_score_is_the_weighted_sum_of_standard_scores() -> None:
    votes, features = _world()
    model = fit_model(votes, features)
    item = features[NAMES[4]]
    values = np.array([[row[name] for name in model.features] for row in features.values()])
    standard = (np.array([item[name] for name in model.features]) - values.mean(axis=0)) / values.std(axis=0)
    assert model.score(item) == pytest.approx(float(standard @ np.array(model.weights)))
    assert model.fitness(item) == pytest.approx(1 / (1 + math.exp(-model.score(item))))
    assert np.mean([model.score(row) for row in features.values()]) == pytest.approx(0, abs=1e-9)


def test_without_ties_it_is_plain_logistic_regression() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    votes, features = _world()
    votes = [v for v in votes if v.preferred is not None]
    model = fit_model(votes, features, strength=3.0)
    x = np.array([[(features[v.first][n] - features[v.second][n]) / s for n, s in zip(model.features, model.scales, strict=True)] for v in votes])  # fmt: skip  # noqa: E501
    other = linear.LogisticRegression(C=1 / 3, fit_intercept=False, tol=1e-10).fit(x, [v.answer == "first" for v in votes])  # fmt: skip  # noqa: E501
    np.testing.assert_allclose(model.weights, other.coef_[0], atol=1e-5)


def test_left_out_votes_are_predicted_when_features_say_something_and_not_otherwise() -> None:
    votes, features = _world()
    by = {a.by: a for a in fit_model(votes, features).accuracy}
    assert by["participant"].accuracy > 0.72 and by["item"].accuracy > 0.7
    assert by["participant"].ceiling is not None and by["participant"].ceiling > 0.72
    junk = {a.by: a for a in fit_model(votes, features, names=["junk"]).accuracy}
    assert abs(junk["item"].accuracy - 0.5) < 0.08 and junk["item"].log_loss == pytest.approx(math.log(2), abs=0.02)


def test_no_item_is_on_both_sides_of_a_fold() -> None:
    votes, _ = _world()
    data = PairData(votes, NAMES, np.zeros((30, 1)))
    everything = np.arange(len(votes))
    predicted = 0
    for kept, out in data.folds(everything, "item", 5, 0):
        learned = {i for k in kept for i in (votes[k].first, votes[k].second)}
        assert all(votes[k].first not in learned or votes[k].second not in learned for k in out)
    for kept, out in data.folds(everything, "participant", 5, 0):
        assert not {votes[k].participant for k in kept} & {votes[k].participant for k in out}
        predicted += len(out)
    assert predicted == sum(v.preferred is not None for v in votes)


def test_a_model_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    model = fit_model(*_world())
    model.save(tmp_path / "m.json")
    assert PreferenceModel.load(tmp_path / "m.json") == model
    assert PreferenceModel.from_text(model.to_text()) == model
    assert isinstance(model.accuracy[0], Accuracy)


def test_equal_seeds_give_equal_models() -> None:
    assert fit_model(*_world(), seed=3) == fit_model(*_world(), seed=3)


def test_features_that_do_not_vary_are_left_out() -> None:
    votes, features = _world()
    features = {item: {**row, "same": 1.0} for item, row in features.items()}
    assert "same" not in fit_model(votes, features).features
    with pytest.raises(PcgError, match="`same` is the same in all items"):
        fit_model(votes, features, names=["same"])


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda f: f.pop("item03"), {}, "`item03` has no features, did you mean"),
        (lambda f: f["item03"].pop("fun"), {"names": ["fun"]}, "not every item has the feature `fun`"),
        (lambda f: None, {"names": ["fnu"]}, "did you mean `fun`"),
        (lambda f: f["item03"].update(fun=math.inf), {}, "the feature `fun` of `item03` is inf"),
        (lambda f: None, {"strength": 0.0}, "strength of the ridge is 0.0"),
    ],
)
def test_what_cannot_be_learned_from_is_said(change: object, options: dict[str, object], message: str) -> None:
    votes, features = _world()
    change(features)  # type: ignore[operator]
    with pytest.raises(PcgError, match=message):
        fit_model(votes, features, **options)  # type: ignore[arg-type]


def test_no_votes_no_model() -> None:
    with pytest.raises(PcgError, match="no votes to learn from"):
        fit_model([], {})


MODEL = RegressionModel(("solution_length", "gap"), (50.0, 0.5), (20.0, 0.2), (1.0, 0.5), 1.0)


def test_a_missing_feature_is_refused_or_average() -> None:
    with pytest.raises(PcgError, match="`gap` that the preference model needs is missing; is `gaps` it"):
        MODEL.score({"solution_length": 70.0, "gaps": 0.0})
    assert MODEL.score({"solution_length": 70.0}, strict=False) == 1.0
    with pytest.raises(PcgError, match="`gap` is nan"):
        MODEL.score({"solution_length": 70.0, "gap": math.nan})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "m.json:1:2: not JSON"),
        ("[]", "no preference model"),
        (json.dumps({"kind": "bradley-terry-regression", "format": 9}), "format 9, expected 1"),
        (MODEL.to_text().replace('"scales": [20.0', '"scales": [0.0'), "scales are above 0"),
        (MODEL.to_text().replace('"means": [50.0, 0.5]', '"means": [50.0]'), "`means` has 1 numbers, expected 2"),
        (MODEL.to_text().replace('"weights": [1.0', '"weights": ["x"'), "'x' is no finite number"),
        (MODEL.to_text().replace('"strength"', '"force"'), "`strength` is missing"),
    ],
)
def test_a_file_that_holds_no_model_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(PcgError, match=message):
        PreferenceModel.load(tmp_path / "m.json")


def test_features_are_read_from_tables_and_from_measurements(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("item,gap,size\na,0.5,\nb,1,3\n")
    assert read_features(tmp_path / "f.csv") == {"a": {"gap": 0.5}, "b": {"gap": 1.0, "size": 3.0}}
    (tmp_path / "f.json").write_text('{"a": {"gap": 0.5}}')
    assert read_features(tmp_path / "f.json") == {"a": {"gap": 0.5}}
    (tmp_path / "m.json").write_text('{"levels": [{"level": "lvl0.txt", "metrics": {"gap": 1}}], "scores": {}}')
    assert read_features(tmp_path / "m.json") == {"lvl0.txt": {"gap": 1.0}}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("f.csv", "name,gap\n", "f.csv:1: there is no column `item`"),
        ("f.csv", "item,gap\na,x\n", "f.csv:2: `gap` is 'x', expected a number"),
        ("f.csv", "item,gap\na,1\na,2\n", "f.csv:3: the item `a` is there twice"),
        ("f.csv", "item,gap\na\n", "f.csv:2: 1 columns"),
        ("f.json", "[1]", "expected a JSON object"),
        ("f.json", '{"a": {"gap": "x"}}', "`gap` of `a` is 'x'"),
        ("f.json", '{"levels": [1]}', "what `pcg measure --json` prints"),
    ],
)
def test_bad_features_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(PcgError, match=message):
        read_features(tmp_path / name)


# -- as fitness --------------------------------------------------------------------------------------------------------


def test_a_level_is_worth_what_people_are_expected_to_think_of_it() -> None:
    game = pcg.load("boxes")
    judge = LevelEvaluator(game, prefer=MODEL.to_text())
    plain = LevelEvaluator(game).evaluate(game.levels[0], seed=1)
    liked = judge.evaluate(game.levels[0], seed=1)
    assert liked.feasible and dict(liked.metrics) == dict(plain.metrics)
    assert liked.fitness == pytest.approx(MODEL.fitness(plain.metrics)) != plain.fitness


def test_wants_come_before_what_people_like() -> None:
    game = pcg.load("boxes")
    judge = LevelEvaluator(game, "solution_length<=1000", prefer=MODEL.to_text())
    found = judge.evaluate(game.levels[0], seed=1)
    assert found.fitness == pytest.approx(0.5 + 0.5 * MODEL.fitness(found.metrics))


def test_a_model_of_something_else_than_levels_is_refused() -> None:
    other = RegressionModel(("simmetry",), (0.5,), (0.2,), (1.0,), 1.0)
    with pytest.raises(PcgError, match="needs `simmetry`, which is no metric of levels, did you mean `symmetry`"):
        LevelEvaluator(pcg.load("boxes"), prefer=other.to_text())
    with pytest.raises(PcgError, match=r"parameter `prefer`.*not JSON"):
        LevelEvaluator(pcg.load("boxes"), prefer="model.json")
