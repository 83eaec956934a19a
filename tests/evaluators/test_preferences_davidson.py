"""Bradley-Terry with ties: against formulae for two items, general optimisers, and simulated truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import FOUR_WAY, Prior, Vote, count_votes, fit, make_design
from pcg.evaluators.preferences.davidson import Fit, answer_probabilities
from pcg.evaluators.preferences.intervals import (
    METHODS,
    ParticipantCounts,
    bootstrap,
    cell_probabilities,
    profile_intervals,
)
from pcg.evaluators.preferences.simulation import Population, hidden_utilities, item_names, simulate_study

WIDE = Prior(1e4, 1e4, 1e4, 1e4, 1e4)
"""So wide that the estimate is that of maximum likelihood."""
PARAMETERS = {"tie": -0.4, "position": 0.3, "both": 0.2, "appeal": 0.8}


def _votes(*answers: tuple[str, str, str, int]) -> list[Vote]:
    """(first, second, answer, how often)."""
    return [Vote(f"p{k}", a, b, answer) for a, b, answer, n in answers for k in range(n)]


def _study(participants: int = 40, items: int = 5, pairs: int = 8, seed: int = 1, **parameters: float) -> list[Vote]:
    names = item_names(items)
    people = Population(names, hidden_utilities(items, 1.0, seed), parameters or PARAMETERS)
    return simulate_study(people, make_design("balanced", names, seed), participants, pairs, seed)


def test_of_two_items_the_difference_is_the_log_odds() -> None:
    fitted = fit(count_votes(_votes(("a", "b", "first", 30), ("a", "b", "second", 10))), prior=WIDE)
    assert fitted.difference("a", "b")[0] == pytest.approx(math.log(3), abs=1e-6)
    assert fitted.difference("a", "b")[1] == pytest.approx(math.sqrt(1 / 30 + 1 / 10), abs=1e-5)


def test_of_two_items_ties_are_as_davidson_has_them() -> None:
    """With n1, n2, n0 votes: pi1 / pi2 = n1 / n2 and nu = n0 / sqrt(n1 n2)."""
    votes = _votes(("a", "b", "first", 16), ("b", "a", "first", 4), ("a", "b", "both", 3), ("b", "a", "neither", 3))
    fitted = fit(count_votes(votes), prior=WIDE)
    assert fitted.difference("a", "b")[0] == pytest.approx(math.log(4), abs=1e-6)
    assert math.exp(fitted.parameters["tie"]) == pytest.approx(6 / math.sqrt(16 * 4), abs=1e-6)


def test_of_two_items_position_is_the_geometric_mean_of_the_odds_in_both_orders() -> None:
    votes = _votes(("a", "b", "first", 40), ("a", "b", "second", 10), ("b", "a", "first", 20), ("b", "a", "second", 20))
    fitted = fit(count_votes(votes), position=True, prior=WIDE)
    assert fitted.parameters["position"] == pytest.approx(0.5 * (math.log(4) + math.log(1)), abs=1e-6)
    assert fitted.difference("a", "b")[0] == pytest.approx(0.5 * (math.log(4) - math.log(1)), abs=1e-6)


def test_both_against_neither_of_two_equal_pairs_is_their_log_odds() -> None:
    """Two pairs of equally good items, the one pair better: "both" of the good, "neither" of the bad."""
    votes = _votes(
        ("a", "b", "first", 5), ("a", "b", "second", 5), ("c", "d", "first", 5), ("c", "d", "second", 5),
        ("a", "c", "first", 20), ("a", "c", "second", 10), ("b", "d", "first", 20), ("b", "d", "second", 10),
        ("a", "b", "both", 8), ("a", "b", "neither", 2), ("c", "d", "both", 2), ("c", "d", "neither", 8),
    )  # fmt: skip
    fitted = fit(count_votes(votes), ties="apart", prior=WIDE)
    difference = fitted.difference("a", "c")[0]
    assert fitted.parameters["both"] == pytest.approx(0.0, abs=1e-6)
    # the log odds of the pairs are +-log 4 at middles of +-difference / 2
    assert fitted.parameters["appeal"] * difference / 2 == pytest.approx(math.log(4), abs=1e-5)


@pytest.mark.full
@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("ties", ["none", "together", "apart"])
def test_the_estimate_is_that_of_a_general_optimiser(ties: str, position: bool) -> None:
    votes = _study()
    counts = count_votes(votes)
    prior = Prior(2.0, 1.5, 1.0, 1.2, 0.7)
    fitted = fit(counts, ties=ties, position=position, prior=prior)
    n, names = len(counts.items), list(fitted.parameters)

    def loss(theta: np.ndarray) -> float:
        parameters = dict(zip(names, theta[n:], strict=True))
        u = theta[:n] - theta[:n].mean()
        total = 0.0
        for vote in votes:
            odds = answer_probabilities(u[counts.index[vote.first]], u[counts.index[vote.second]], parameters)
            if ties == "none":
                half = 0.5 * (math.log(odds["first"]) + math.log(odds["second"]))
                total += half if vote.preferred is None else math.log(odds[vote.answer])
            elif ties == "together":
                total += math.log(odds["tie"] if vote.preferred is None else odds[vote.answer])
            else:
                total += math.log(odds[vote.answer])
        widths = np.array([prior.utility] * n + [getattr(prior, name) for name in names])
        return -total + 0.5 * float(((theta / widths) ** 2).sum())

    best = minimize(loss, np.zeros(n + len(names)), method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(fitted.utilities, best.x[:n] - best.x[:n].mean(), atol=2e-4)
    np.testing.assert_allclose(list(fitted.parameters.values()), best.x[n:], atol=2e-4)


def test_standard_errors_are_those_of_the_curvature() -> None:
    """Against second differences of the log-likelihood of a difference of two items, all else profiled out."""
    counts = count_votes(_study(tie=-0.4))
    fitted = fit(counts, prior=WIDE)
    n = len(counts.items)
    theta = np.r_[fitted.utilities, fitted.parameters["tie"]]

    def value(x: np.ndarray) -> float:
        p = cell_probabilities(x[counts.one], x[counts.two], {"tie": x[n]})
        merged = np.concatenate([counts.counts[..., :2], counts.counts[..., 2:].sum(axis=2, keepdims=True)], axis=2)
        q = np.concatenate([p[..., :2], p[..., 2:].sum(axis=2, keepdims=True)], axis=2)
        return float((merged * np.log(q)).sum())

    h, hessian = 1e-4, np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        for j in range(n + 1):
            a, b = np.eye(n + 1)[i] * h, np.eye(n + 1)[j] * h
            hessian[i, j] = value(theta + a + b) - value(theta + a - b) - value(theta - a + b) + value(theta - a - b)
    covariance = np.linalg.pinv(-hessian / (4 * h * h), rcond=1e-6)
    np.testing.assert_allclose(fitted.covariance, covariance, rtol=1e-3, atol=1e-5)
    assert fitted.error("tie") == pytest.approx(math.sqrt(covariance[n, n]), rel=1e-3)


def test_an_item_that_won_every_comparison_stays_finite() -> None:
    fitted = fit(count_votes(_votes(("a", "b", "first", 50), ("b", "c", "first", 5), ("c", "b", "first", 5))))
    assert fitted.ranking[0] == "a"
    assert 3 < fitted.utilities[0] < 12
    intervals = profile_intervals(fitted)
    assert np.isfinite(intervals).all() and intervals[0, 0] > 1


def test_items_nobody_compared_are_average_and_uncertain() -> None:
    fitted = fit(count_votes(_votes(("a", "b", "first", 9)), ["a", "b", "c"]))
    assert fitted.utilities[2] == pytest.approx(0.0, abs=1e-9)
    assert fitted.errors[2] > 2


def test_equal_votes_give_equal_utilities() -> None:
    fitted = fit(count_votes(_votes(("a", "b", "both", 3), ("b", "a", "neither", 2), ("a", "b", "first", 4), ("b", "a", "first", 4))))  # fmt: skip  # noqa: E501
    np.testing.assert_allclose(fitted.utilities, 0, atol=1e-9)


def test_probabilities_of_the_answers_add_up_and_agree_with_those_of_tables() -> None:
    odds = answer_probabilities(0.7, -0.2, PARAMETERS)
    assert math.fsum(odds[name] for name in FOUR_WAY) == pytest.approx(1)
    table = cell_probabilities(np.array([0.7, -0.2]), np.array([-0.2, 0.7]), PARAMETERS)
    np.testing.assert_allclose(table[0, 0], [odds[name] for name in FOUR_WAY])
    other = answer_probabilities(-0.2, 0.7, PARAMETERS)
    np.testing.assert_allclose(table[0, 1], [other[name] for name in ("second", "first", "both", "neither")])


def test_merging_both_and_neither_leaves_the_rate_of_ties_as_it_was() -> None:
    plain = answer_probabilities(1.0, 0.2, {"tie": -0.3})
    apart = answer_probabilities(1.0, 0.2, {"tie": -0.3, "both": 1.0, "appeal": 2.0})
    assert apart["tie"] == pytest.approx(plain["tie"])
    assert apart["both"] > 0.9 * apart["tie"]


def test_the_truth_is_found_again_by_many_votes() -> None:
    votes = _study(participants=1500, pairs=10)
    fitted = fit(count_votes(votes), ties="apart", position=True)
    np.testing.assert_allclose(fitted.utilities, hidden_utilities(5, 1.0, 1), atol=0.1)
    for name, value in PARAMETERS.items():
        assert fitted.parameters[name] == pytest.approx(value, abs=max(0.08, 3 * fitted.error(name)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fit(count_votes(_study()), ties="half"), "ties are `half`, expected one of none, together, apart"),
        (lambda: fit(count_votes([], ["a"])), "1 items"),
        (lambda: bootstrap(_study(), method="magic"), "the bootstrap is `magic`"),
        (lambda: bootstrap([]), "no votes"),
        (lambda: bootstrap(_study(), samples=0), "0 bootstrap samples"),
    ],
)
def test_what_cannot_be_fitted_is_said(make: object, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make()  # type: ignore[operator]


# -- intervals ---------------------------------------------------------------------------------------------------------


def test_the_bootstrap_by_participants_draws_whole_participants() -> None:
    votes = [Vote("p", "a", "b", "first")] * 3 + [Vote("q", "b", "a", "both")] * 5
    drawn = ParticipantCounts(votes, ("a", "b")).resample(200, np.random.default_rng(1))
    first, both = drawn[:, 0, 0, 0], drawn[:, 0, 1, 2]
    assert set(first) == {0, 3, 6} and set(both) == {0, 5, 10}
    assert (first / 3 + both / 5 == 2).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_spread_of_bootstrap_samples_is_about_the_standard_error(method: str) -> None:
    found = bootstrap(_study(participants=100, tie=-0.4), method=method, samples=1000, seed=3)
    np.testing.assert_allclose(found.utilities.std(axis=0), found.fit.errors, rtol=0.2)
    np.testing.assert_allclose(found.intervals(), found.fit.wald(), atol=0.6 * found.fit.errors.max())


@pytest.mark.parametrize("method", METHODS)
def test_equal_seeds_give_equal_intervals(method: str) -> None:
    votes = _study()
    one, other, third = (bootstrap(votes, method=method, samples=50, seed=s).intervals() for s in (1, 1, 2))
    assert (one == other).all() and (one != third).any()


def test_a_bootstrap_sample_is_the_fit_of_its_counts() -> None:
    votes = _study(participants=12)
    cells = ParticipantCounts(votes, item_names(5))
    drawn = cells.resample(3, np.random.default_rng([7, 3]))
    found = bootstrap(votes, item_names(5), samples=3, seed=7)
    for counts, utilities in zip(drawn, found.utilities, strict=True):
        again = fit(type(cells.total)(cells.total.items, cells.total.one, cells.total.two, counts), ties="together")
        np.testing.assert_allclose(utilities, again.utilities, atol=1e-4)


def test_clusters_widen_intervals_where_people_differ() -> None:
    """Each participant says the same ten times: votes are then worth a tenth of what they seem."""
    rng = np.random.default_rng(5)
    votes = [Vote(f"p{p}", "a", "b", answer) for p in range(40) for answer in [rng.choice(["first", "second"])] * 10]
    by_people = bootstrap(votes, samples=400).utilities.std(axis=0)
    by_votes = bootstrap(votes, method="parametric", samples=400).utilities.std(axis=0)
    assert (by_people / by_votes == pytest.approx(math.sqrt(10), rel=0.2)) is True


def test_a_profile_interval_ends_where_the_likelihood_has_fallen_by_half_the_quantile() -> None:
    """Two items: the likelihood is that of a binomial share, and the interval that of its log odds, halved."""
    from scipy.optimize import brentq

    fitted = fit(count_votes(_votes(("a", "b", "first", 15), ("a", "b", "second", 5))), prior=WIDE)

    def fall(d: float) -> float:
        p = 1 / (1 + math.exp(-d))
        return 15 * math.log(0.75 / p) + 5 * math.log(0.25 / (1 - p)) - 3.841458820694124 / 2

    low, high = brentq(fall, -1, math.log(3)), brentq(fall, math.log(3), 4)
    np.testing.assert_allclose(profile_intervals(fitted)[0], [low / 2, high / 2], atol=1e-3)


@pytest.mark.full
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Sixty studies with six items; the wide check is benchmarks/preference_recovery.py."""
    inside: dict[str, list[float]] = {}
    for seed in range(60):
        truth = hidden_utilities(6, 1.0, seed)
        people = Population(item_names(6), truth, {"tie": -0.7})
        votes = simulate_study(people, make_design("random", people.items, seed), 30, 10, seed)
        found = {method: bootstrap(votes, people.items, method=method, samples=300, seed=seed) for method in METHODS}
        ends = {name: samples.intervals() for name, samples in found.items()}
        fitted: Fit = found["parametric"].fit
        for name, (low, high) in {n: e.T for n, e in {**ends, "wald": fitted.wald(), "profile": profile_intervals(fitted)}.items()}.items():  # fmt: skip  # noqa: E501
            inside.setdefault(name, []).append(float(((low <= truth) & (truth <= high)).mean()))
    for name, shares in inside.items():
        assert 0.90 <= np.mean(shares) <= 0.99, name


def test_ranks_and_order_of_the_samples() -> None:
    found = bootstrap(_votes(("a", "b", "first", 60), ("b", "c", "first", 60), ("c", "a", "second", 60)), samples=200)
    assert found.ranks().tolist() == [[1, 1], [2, 2], [3, 3]]
    assert found.better()[0].tolist() == [0, 1, 1]
