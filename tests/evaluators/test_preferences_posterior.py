"""Intervals of a study hold what is true, also where pairs are chosen by the votes before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcg.evaluators.preferences import count_votes, fit, make_design
from pcg.evaluators.preferences.posterior import Posterior, posterior
from pcg.evaluators.preferences.simulation import (
    Population,
    hidden_utilities,
    item_names,
    simulate_study,
    tie_parameter,
)


def study(design: str, people: int, seed: int, spread: float = 1.0) -> tuple[np.ndarray, Posterior]:
    names, truth = item_names(8), hidden_utilities(8, spread, seed)
    population = Population(names, truth, {"tie": tie_parameter(1 / 3)})
    votes = simulate_study(population, make_design(design, list(names), seed), people, 6, seed)
    return truth, posterior(fit(count_votes(votes, items=names)))


def test_intervals_lie_around_the_means_and_those_of_differences_agree_with_them() -> None:
    _, found = study("adaptive", 8, 1)
    intervals = found.intervals()
    assert (
        abs(found.mean.sum()) < 1e-9 and np.all(intervals[:, 0] < found.mean) and np.all(found.mean < intervals[:, 1])
    )
    low, high = found.difference(0, 1)
    assert low < found.mean[0] - found.mean[1] < high
    assert found.difference(1, 0) == (pytest.approx(-high), pytest.approx(-low))
    wide = found.intervals(0.99)
    assert np.all(wide[:, 0] < intervals[:, 0])
    ranks = found.ranks()
    assert np.all(ranks[:, 0] <= ranks[:, 1]) and ranks.min() >= 1 and ranks.max() <= 8
    assert np.array_equal(ranks, found.ranks())


def test_intervals_are_quantiles_of_what_is_drawn_also_where_tastes_add_to_it() -> None:
    for design, seed in (("adaptive", 1), ("balanced", 2)):
        _, found = study(design, 5, seed)
        wider = replace(found, covariance=1.44 * found.covariance, dispersion=1.44)
        drawn = found.draw(200_000, np.random.default_rng(seed))
        spread = found.mean + 1.2 * (drawn - found.mean)
        for after, samples in ((found, drawn), (wider, spread)):
            expected = np.quantile(samples, [0.025, 0.975], axis=0).T
            assert np.allclose(after.intervals(), expected, atol=0.12)
            apart = samples[:, 0] - samples[:, 1]
            assert np.allclose(after.difference(0, 1), np.quantile(apart, [0.025, 0.975]), atol=0.12)
            assert after.above(0, 1) == pytest.approx(np.mean(apart > 0), abs=0.005)
            assert np.allclose(np.cov(samples.T), after.covariance, atol=0.1)


def test_one_normal_distribution_has_its_usual_intervals() -> None:
    alone = Posterior(np.array([1.0, -1.0]), np.array([[0.25, -0.25], [-0.25, 0.25]]))
    assert np.allclose(alone.intervals(), [[1 - 0.97998, 1 + 0.97998], [-1 - 0.97998, -1 + 0.97998]], atol=1e-4)
    assert alone.difference(0, 1) == pytest.approx((2 - 1.95996, 2 + 1.95996), abs=1e-4)
    assert alone.difference(0, 0) == pytest.approx((0, 0), abs=1e-9)
    assert alone.above(0, 1) == pytest.approx(0.97725, abs=1e-5)


def test_intervals_of_ranks_hold_95_percent_on_average_and_no_more_than_they_must() -> None:
    for seed in range(4):
        _, found = study("balanced", 6, seed)
        drawn = found.draw(4000, np.random.default_rng(seed))
        ranks = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
        interval = found.ranks()
        held = np.mean((ranks >= interval[:, 0]) & (ranks <= interval[:, 1]))
        assert 0.94 <= held <= 0.975
        assert np.all(found.ranks(0.5)[:, 1] - found.ranks(0.5)[:, 0] <= interval[:, 1] - interval[:, 0])


def test_what_is_drawn_has_the_mean_and_the_spread_and_leaves_fewer_orders_open() -> None:
    closer = []
    for seed in range(3):
        _, found = study("adaptive", 5, seed)
        drawn = found.draw(40_000, np.random.default_rng(seed))
        assert np.allclose(drawn.mean(axis=0), found.mean, atol=0.05)
        assert np.allclose(np.cov(drawn.T), found.covariance, atol=0.1)
        alone = replace(found, parts=()).ranks()
        closer.append(np.mean((alone - found.ranks()) @ [-1, 1]))
    assert min(closer) > 0  # the order does not depend on how far apart all items are


def test_the_mean_of_groups_is_drawn_as_the_items_are() -> None:
    _, found = study("balanced", 8, 2)
    groups = ["a", "b", "b", "a", "c", "c", "c", "a"]
    names, of = found.of_groups(groups)
    drawn = found.draw(40_000, np.random.default_rng(3))
    means = np.stack([drawn[:, [g == name for g in groups]].mean(axis=1) for name in names], axis=1)
    means -= means.mean(axis=1, keepdims=True)
    assert np.allclose(of.draw(40_000, np.random.default_rng(4)).std(axis=0), means.std(axis=0), rtol=0.03)


@pytest.mark.full
@pytest.mark.parametrize("design", ["adaptive", "balanced"])
@pytest.mark.parametrize("people", [5, 20])
def test_95_percent_intervals_hold_the_truth_95_times_in_100(design: str, people: int) -> None:
    inside = []
    for seed in range(100):
        truth, found = study(design, people, seed)
        for one in range(8):
            for other in range(one):
                low, high = found.difference(one, other)
                inside.append(low <= truth[one] - truth[other] <= high)
    assert 0.92 <= np.mean(inside) <= 0.985  # differences of one study depend on each other: two percent are chance
