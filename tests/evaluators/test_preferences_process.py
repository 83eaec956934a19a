"""Preference models that are Gaussian processes: any smooth taste is found, and how sure it is."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.preferences import Vote, make_design
from pcg.evaluators.preferences.davidson import Array
from pcg.evaluators.preferences.gaussian_process import (
    Kernel,
    Posterior,
    Process,
    _centred,
    _Search,
    most_probable,
    tempered,
)
from pcg.evaluators.preferences.held_out import PairData
from pcg.evaluators.preferences.model import GaussianProcessModel, PreferenceModel, fit_model
from pcg.evaluators.preferences.simulation import Population, item_names, simulate_study

FEATURES = ("gap", "size", "junk")
TASTES: dict[str, Callable[[Array], Array]] = {
    "middle": lambda x: 1.5 * (1 - x[:, 0] ** 2),
    "together": lambda x: 1.5 * x[:, 0] * x[:, 1],
    "enough": lambda x: 2 * np.tanh(2 * x[:, 0]),
    "more": lambda x: 1.5 * x[:, 0] - 0.7 * x[:, 1],
}


def _world(taste: str, n: int = 30, people: int = 100) -> tuple[list[Vote], dict[str, dict[str, float]]]:
    names = item_names(n)
    table = np.random.default_rng(1).normal(size=(n, 3))
    utilities = TASTES[taste](table)
    population = Population(names, utilities - utilities.mean(), {"tie": -0.7})
    votes = simulate_study(population, make_design("random", names, 1), people, 12, 1)
    return votes, {name: dict(zip(FEATURES, row, strict=True)) for name, row in zip(names, table.tolist(), strict=True)}


@functools.cache
def _learned(taste: str, kind: str = "gaussian-process") -> PreferenceModel:
    return fit_model(*_world(taste), kind=kind)


def _small() -> PairData:
    votes, features = _world("middle", 8, 12)
    table = np.array([[features[name][f] for f in FEATURES] for name in item_names(8)])
    return PairData(votes, item_names(8), (table - table.mean(axis=0)) / table.std(axis=0))


@pytest.mark.full
@pytest.mark.parametrize(("taste", "regression"), [("middle", 0.2), ("together", 0.2), ("enough", 0.93), ("more", 1.0)])
def test_any_smooth_taste_is_found_for_items_nobody_saw(taste: str, regression: float) -> None:
    new = np.random.default_rng(5).normal(size=(200, 3))
    rows = [dict(zip(FEATURES, row, strict=True)) for row in new.tolist()]
    truth = TASTES[taste](new)
    found = {
        kind: abs(np.corrcoef([_learned(taste, kind).score(row) for row in rows], truth)[0, 1])
        for kind in ("regression", "gaussian-process")
    }
    assert found["gaussian-process"] > 0.95
    assert found["regression"] <= regression


def test_left_out_items_are_predicted_where_a_weighted_sum_only_guesses() -> None:
    by = {a.by: a for a in _learned("middle").accuracy}
    assert by["item"].accuracy > 0.68 and by["participant"].accuracy > 0.7
    assert by["item"].log_loss < 0.55
    linear = {a.by: a for a in _learned("middle", "regression").accuracy}
    assert linear["item"].accuracy < 0.55


def test_what_matters_has_the_shortest_length() -> None:
    model = _learned("middle")
    assert isinstance(model, GaussianProcessModel)
    assert model.features[int(np.argmin(model.lengths))] == "gap"
    assert min(model.lengths[1:]) > 2 * model.lengths[0]


def test_it_knows_where_it_has_seen_too_little() -> None:
    model = _learned("middle")
    near, far = {"gap": 0.0, "size": 0.0, "junk": 0.0}, {"gap": 6.0, "size": 0.0, "junk": 0.0}
    assert (model.error(near) or 0) < 0.5 * (model.error(far) or 0)
    for row in (near, far):  # less certain than the score alone would be
        assert abs(model.fitness(row) - 0.5) < abs(1 / (1 + math.exp(-model.score(row))) - 0.5)


def test_the_average_of_the_items_is_zero() -> None:
    _, features = _world("enough")
    model = _learned("enough")
    assert np.mean([model.score(row) for row in features.values()]) == pytest.approx(0, abs=1e-4)


def test_a_model_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    model = _learned("middle")
    model.save(tmp_path / "m.json")
    again = PreferenceModel.load(tmp_path / "m.json")
    assert again == model == fit_model(*_world("middle"), kind="gaussian-process")
    row = {"gap": 0.3, "size": -1.0, "junk": 0.2}
    assert (again.score(row), again.error(row), again.fitness(row)) == (model.score(row), model.error(row), model.fitness(row))  # fmt: skip  # noqa: E501
    assert model.score({"gap": 0.3}, strict=False) == model.score(dict(zip(model.features, model.means, strict=True)) | {"gap": 0.3})  # fmt: skip  # noqa: E501


# -- the mathematics, held against slower ways -------------------------------------------------------------------------


def test_the_gradient_is_the_slope_of_the_value() -> None:
    data = _small()
    search = _Search(data.table, data.pairs(np.arange(len(data.votes))))
    at = search.centre + np.array([0.3, -0.5, 0.2, -0.8, 0.4])
    _, gradient = search(at)
    slopes = [(search(at + 1e-5 * unit)[0] - search(at - 1e-5 * unit)[0]) / 2e-5 for unit in np.eye(5)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-5)


def test_the_utilities_are_the_most_probable_ones() -> None:
    from scipy.optimize import minimize

    data = _small()
    pairs = data.pairs(np.arange(len(data.votes)))
    covariance = _centred(Kernel(1.3, 0.4, np.array([1.0, 2.0, 4.0]))(data.table, data.table), jitter=0.1)
    inverse = np.linalg.inv(covariance)

    def cost(f: Array) -> float:
        odds = f[pairs.first] - f[pairs.second]
        return float(0.5 * f @ inverse @ f - (pairs.count * (pairs.share * odds - np.logaddexp(0, odds))).sum())

    found, pull, _ = most_probable(covariance, pairs)
    np.testing.assert_allclose(found, minimize(cost, np.zeros(8), options={"gtol": 1e-8}).x, atol=1e-5)
    np.testing.assert_allclose(covariance @ pull, found, atol=1e-8)


def test_what_is_predicted_at_the_items_is_their_posterior() -> None:
    data = _small()
    pairs = data.pairs(np.arange(len(data.votes)))
    kernel = Kernel(1.3, 0.4, np.array([1.0, 2.0, 4.0]))
    covariance = _centred(kernel(data.table, data.table))
    utilities, pull, information = most_probable(covariance, pairs)
    mean, spread = Posterior(Process(kernel, data.table, pull, information)).predict(data.table)
    np.testing.assert_allclose(mean, utilities, atol=1e-4)
    np.testing.assert_allclose(spread, np.linalg.inv(np.linalg.inv(covariance) + information), atol=1e-4)


def test_doubt_draws_the_odds_to_even() -> None:
    # The mean of a logistic over a normal distribution, by summing it up.
    z = np.linspace(-12, 12, 20001)
    for mean, deviation in ((1.0, 0.5), (-2.0, 1.5), (0.7, 3.0)):
        x = mean + deviation * z
        exact = np.trapezoid(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) / (1 + np.exp(-x)), z)
        odds = float(tempered(np.array(mean), np.array(deviation**2)))
        assert 1 / (1 + math.exp(-odds)) == pytest.approx(exact, abs=0.02)


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"kind": "gaussian_process"},
            "no kind of preference model `gaussian_process`, did you mean `gaussian-process`",
        ),
        ({"kind": "gaussian-process", "strength": 1.0}, "has no ridge"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        fit_model(*_world("more"), **options)


def test_more_items_than_fit_into_memory_are_refused() -> None:
    votes = [Vote(f"p{k}", f"i{k}", f"i{k + 1}", "first") for k in range(1000)]
    features = {f"i{k}": {"gap": float(k)} for k in range(1001)}
    with pytest.raises(PcgError, match="the votes are on 1001 items; a Gaussian process takes at most 1000"):
        fit_model(votes, features, kind="gaussian-process")


def _spoiled(change: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(_SMALL.to_text())
    change(data)
    return json.dumps(data)


_SMALL = GaussianProcessModel(
    ("solution_length", "gap"), (50.0, 0.5), (20.0, 0.2), 1.0, 0.5, (2.0, 3.0),
    ((-1.0, 0.5), (0.0, 0.0), (1.0, -0.5)), (-0.5, 0.1, 0.4), ((0, 1, 2.0), (1, 2, 1.5)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("pull"), "`pull` is missing"),
        (lambda d: d["pull"].pop(), "`pull` has 2 numbers, expected 3"),
        (lambda d: d["points"][1].pop(), "`points` has 1 numbers, expected 2"),
        (lambda d: d.update(points=[]), "there are 0 points, expected 2 to 1000"),
        (lambda d: d["information"].append([2, 3, 1.0]), "information is no list of"),
        (lambda d: d["information"].append([1]), "not enough values"),
        (lambda d: d["lengths"].__setitem__(0, 0.0), "variance, linear and lengths are above 0"),
        (lambda d: d.update(variance="much"), "'much' is no finite number"),
        (lambda d: d.update(variance=1e308, linear=1e308), "m.json: .*(no Gaussian process|positive definite|infs)"),
        (lambda d: d["points"][0].__setitem__(0, 1e200), "m.json: .*(no Gaussian process|positive definite|infs)"),
    ],
)
def test_a_damaged_file_is_refused(change: Callable[[dict[str, Any]], object], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        PreferenceModel.from_text(_spoiled(change), "m.json")


def test_levels_are_judged_by_it() -> None:
    game = pcg.load("boxes")
    found = LevelEvaluator(game, prefer=_SMALL.to_text()).evaluate(game.levels[0], seed=1)
    assert found.feasible
    assert found.fitness == pytest.approx(_SMALL.fitness(found.metrics))
