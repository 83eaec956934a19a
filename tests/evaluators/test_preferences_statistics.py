"""Statistics of votes, each against a value known by hand, from a paper, or from another implementation."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import Vote, count_votes, fit, make_design
from pcg.evaluators.preferences.consistency import (
    agreement_between_people,
    krippendorff_alpha,
    position_bias,
    suspicions,
    transitivity,
    transitivity_of_all,
    transitivity_of_each,
)
from pcg.evaluators.preferences.exact import clopper_pearson, holm, multinomial_test, sign_test
from pcg.evaluators.preferences.outcomes import logistic, outcome_effect
from pcg.evaluators.preferences.power import (
    PowerPoint,
    more_votes,
    simulate_power,
    votes_needed,
)
from pcg.evaluators.preferences.rankings import agreement, glicko, kendall, points, thurstone
from pcg.evaluators.preferences.shares import shares
from pcg.evaluators.preferences.simulation import (
    Population,
    hidden_utilities,
    item_names,
    simulate_study,
    tie_parameter,
)
from pcg.evaluators.tournament.ratings import Rating, update


def _votes(*answers: tuple[str, str, str, int]) -> list[Vote]:
    """(first, second, answer, how often), each vote by another participant."""
    return [Vote(f"p{k}", a, b, answer) for a, b, answer, n in answers for k in range(n)]


# -- exact tests -------------------------------------------------------------------------------------------------------


def test_the_sign_test_is_twice_the_binomial_tail() -> None:
    tail = sum(math.comb(20, k) for k in range(15, 21)) / 2**20
    assert sign_test(15, 5) == pytest.approx(2 * tail) == pytest.approx(0.04138946533203125)
    assert sign_test(0, 0) == 1.0


def test_the_exact_interval_of_none_of_ten_is_known_by_hand() -> None:
    low, high = clopper_pearson(0, 10)
    assert (low, high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    assert clopper_pearson(0, 0) == (0.0, 1.0)


def test_the_multinomial_test_of_two_shares_is_the_binomial_test() -> None:
    assert multinomial_test([7, 3], [0.4, 0.6]) == pytest.approx(stats.binomtest(7, 10, 0.4).pvalue)


def test_the_multinomial_test_adds_up_all_that_is_no_likelier() -> None:
    counts, shares_ = [5, 1, 0, 2], [0.3, 0.3, 0.2, 0.2]
    law = stats.multinomial(8, shares_)
    tables = [t for t in itertools.product(range(9), repeat=4) if sum(t) == 8]
    limit = law.pmf(counts) * (1 + 1e-7)
    assert multinomial_test(counts, shares_) == pytest.approx(sum(p for t in tables if (p := law.pmf(t)) <= limit))


def test_the_multinomial_test_of_many_votes_is_near_chi_squared() -> None:
    counts = [260, 240, 190, 250, 310]
    assert multinomial_test(counts) == pytest.approx(stats.chisquare(counts).pvalue, abs=2e-5)
    assert multinomial_test([251, 249, 250, 255, 245]) == pytest.approx(
        stats.chisquare([251, 249, 250, 255, 245]).pvalue, abs=0.01
    )


def test_impossible_counts_have_no_probability() -> None:
    assert multinomial_test([1, 2], [0.0, 1.0]) == 0.0
    assert multinomial_test([0, 2], [0.0, 1.0]) == 1.0


@pytest.mark.parametrize(("counts", "shares_"), [([1], None), ([1, -1], None), ([1, 2], [0.5, 0.4]), ([1, 2], [1.0])])
def test_bad_counts_are_refused(counts: list[int], shares_: list[float] | None) -> None:
    with pytest.raises(PcgError, match="expected"):
        multinomial_test(counts, shares_)


def test_holm_is_as_in_his_paper_never_below_an_earlier_one() -> None:
    assert holm({"a": 0.01, "b": 0.02, "c": 0.022, "d": 0.5}) == pytest.approx({"a": 0.04, "b": 0.06, "c": 0.06, "d": 0.5})  # fmt: skip  # noqa: E501
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}


# -- shares of groups --------------------------------------------------------------------------------------------------


def test_votes_for_groups_are_counted_in_both_orders() -> None:
    votes = _votes(
        ("x1", "y1", "first", 6), ("y1", "x2", "first", 1), ("y2", "x1", "second", 3), ("x1", "y2", "both", 2),
        ("x2", "y2", "neither", 4), ("x1", "x2", "first", 5), ("z1", "x1", "first", 2),
    )  # fmt: skip
    found = shares(votes, {"x1": "x", "x2": "x", "y1": "y", "y2": "y", "z1": "z"})
    by = {g.group: g for g in found.groups}
    assert (by["x"].shown, by["x"].preferred, by["x"].lost, by["x"].both, by["x"].neither) == (18, 9, 3, 2, 4)
    assert (by["y"].shown, by["y"].preferred, by["y"].lost) == (16, 1, 9)
    assert found.within == 5 and found.answers == {"first": 14, "second": 3, "both": 2, "neither": 4}
    pair = next(p for p in found.pairs if (p.one, p.other) == ("x", "y"))
    assert (pair.for_one, pair.for_other, pair.share) == (9, 1, 0.9)
    assert pair.p_value == pytest.approx(2 * 11 / 1024) and pair.adjusted == pytest.approx(4 * 11 / 1024)
    assert by["x"].share == 0.5 and by["x"].liked == pytest.approx(11 / 18)
    assert [g.group for g in found.groups] == ["z", "x", "y"]
    # twelve decided for x, ten for y, two for z expected in these proportions
    assert found.even == pytest.approx(multinomial_test([9, 1, 2], [12 / 24, 10 / 24, 2 / 24]))


def test_an_item_without_a_group_is_refused() -> None:
    with pytest.raises(PcgError, match="`ruins1` has no group, did you mean `ruins`"):
        shares(_votes(("ruins1", "caves", "first", 1)), {"ruins": "a", "caves": "b"})


# -- other rankings ----------------------------------------------------------------------------------------------------


def test_thurstone_of_two_items_is_z_of_the_share() -> None:
    scale = thurstone(count_votes(_votes(("a", "b", "first", 79), ("a", "b", "second", 19), ("b", "a", "both", 1))))
    share = (79 + 0.5 + 0.5) / 100
    assert scale[0] - scale[1] == pytest.approx(stats.norm.ppf(share))


def test_thurstone_finds_normal_scale_values_again() -> None:
    truth = np.array([0.8, 0.1, -0.2, -0.7])
    votes = []
    for i, j in itertools.combinations(range(4), 2):
        wins = round(20_000 * stats.norm.cdf(truth[i] - truth[j]))
        votes += _votes((f"i{i}", f"i{j}", "first", wins), (f"i{i}", f"i{j}", "second", 20_000 - wins))
    np.testing.assert_allclose(thurstone(count_votes(votes)), truth - truth.mean(), atol=2e-3)


def test_glicko_of_votes_is_glicko_of_games() -> None:
    votes = [Vote("p", "a", "b", "first", time=2), Vote("p", "b", "a", "neither", time=1)]
    assert glicko(votes)["a"] == update(Rating(), [(Rating(), 0.5), (Rating(), 1.0)])
    periods = glicko(votes, period=1)  # the tie is a period of its own, and comes first
    even = update(Rating(), [(Rating(), 0.5)])
    assert periods["b"] == update(even, [(even, 0.0)])


def test_points_are_wins_and_half_the_ties() -> None:
    counts = count_votes(_votes(("a", "b", "first", 3), ("a", "b", "both", 1)), ["a", "b", "c"])
    assert points(counts).tolist() == [3.5 / 4, 0.5 / 4, 0.5]


def test_kendalls_tau_counts_pairs() -> None:
    """Of ten pairs of 1..5, two are turned by this ranking."""
    assert kendall(np.arange(5.0), np.array([1.0, 0.0, 2.0, 4.0, 3.0])) == pytest.approx(0.6)
    assert kendall(np.zeros(3), np.arange(3.0)) == 0.0


def test_methods_agree_on_plain_votes() -> None:
    votes = [v for a, b in itertools.combinations("abcd", 2) for v in _votes((a, b, "first", 9), (a, b, "second", 1))]
    names, values, taus = agreement(votes, fit(count_votes(votes)))
    assert names[0] == "Davidson" and values.shape == (4, 4)
    np.testing.assert_allclose(taus, 1.0)


# -- consistency -------------------------------------------------------------------------------------------------------


def test_krippendorffs_alpha_of_his_example() -> None:
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), part C: four observers, missing values."""
    observers = [
        ["1", "2", "3", "3", "2", "1", "4", "1", "2", ".", ".", "."],
        ["1", "2", "3", "3", "2", "2", "4", "1", "2", "5", ".", "3"],
        [".", "3", "3", "3", "2", "3", "4", "2", "2", "5", "1", "."],
        ["1", "2", "3", "3", "2", "4", "4", "1", "2", "5", "1", "."],
    ]
    units = [[value for value in unit if value != "."] for unit in zip(*observers, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_krippendorffs_alpha_of_his_binary_example() -> None:
    """The same, part A: two observers, ten units: 0.095."""
    one, other = "0100000000", "1110010100"
    assert krippendorff_alpha(list(zip(one, other, strict=True))) == pytest.approx(0.095, abs=5e-4)


def test_alpha_without_anything_to_compare() -> None:
    assert math.isnan(krippendorff_alpha(["a", "b"]))
    assert krippendorff_alpha(["aa", "aa"]) == 1.0


def test_agreement_does_not_depend_on_names_and_orders() -> None:
    names = item_names(5)
    people = Population(names, hidden_utilities(5, 1.0, 2), {"tie": -0.5})
    votes = simulate_study(people, make_design("balanced", names, 2), 20, 6, 2)
    alpha = agreement_between_people(votes)
    renamed = dict(zip(names, reversed(names), strict=True))
    swapped = {"first": "second", "second": "first"}
    other = [
        replace(v, first=renamed[v.second], second=renamed[v.first], answer=swapped.get(v.answer, v.answer))
        for v in votes
    ]
    assert agreement_between_people(other) == pytest.approx(alpha)
    assert -0.2 < alpha < 0.6


def test_people_who_all_agree_have_alpha_one_and_ties_may_be_left_out() -> None:
    votes = [Vote(p, a, b, "first") for p in "pqr" for a, b in (("a", "b"), ("b", "c"))]
    assert agreement_between_people(votes) == 1.0
    assert agreement_between_people([*votes, Vote("s", "a", "b", "both")]) < 1.0
    assert agreement_between_people([*votes, Vote("s", "a", "b", "both")], ties=False) == 1.0


def test_position_bias_of_balanced_votes() -> None:
    votes = _votes(("a", "b", "first", 30), ("b", "a", "first", 30), ("a", "b", "second", 10), ("b", "a", "second", 10))
    found = position_bias(votes)
    assert (found.first, found.second, found.share) == (60, 20, 0.75)
    assert found.p_value == pytest.approx(stats.binomtest(60, 80).pvalue)
    assert found.effect == pytest.approx(math.log(3), abs=0.02)
    # items are equal, so the likelihood ratio is that of 60 of 80 against one half
    ratio = 2 * (60 * math.log(0.75 / 0.5) + 20 * math.log(0.25 / 0.5))
    assert found.effect_p_value == pytest.approx(stats.chi2.sf(ratio, 1), rel=0.01)


def test_a_good_item_that_is_often_first_is_no_position_bias() -> None:
    votes = _votes(("a", "b", "first", 80), ("a", "b", "second", 20), ("b", "a", "second", 8), ("b", "a", "first", 2))
    found = position_bias(votes)
    assert found.p_value < 1e-6 and found.effect_p_value > 0.9


def test_circles_of_a_rotation_are_as_many_as_can_be() -> None:
    n = 7
    beats = np.array([[(j - i) % n in (1, 2, 3) for j in range(n)] for i in range(n)])
    found = transitivity(beats)
    assert (found.triads, found.circular, found.zeta) == (35, (n**3 - n) // 24, 0.0)
    assert found.p_value is not None and found.p_value > 0.9


def test_circles_are_those_counted_one_by_one() -> None:
    rng = np.random.default_rng(3)
    upper = np.triu(rng.random((8, 8)) < 0.5, 1)
    beats = upper | np.tril(~upper.T, -1)
    circular = sum(
        len({(bool(beats[a, b])), bool(beats[b, c]), bool(beats[c, a])}) == 1
        for a, b, c in itertools.combinations(range(8), 3)
    )
    found = transitivity(beats)
    assert found.circular == circular and found.chance == 14
    # scores say the same (Kendall, Babington Smith)
    scores = beats.sum(axis=1)
    assert circular == math.comb(8, 3) - sum(math.comb(int(s), 2) for s in scores)


def test_the_chance_of_so_few_circles_is_about_that_of_random_preferences() -> None:
    rng = np.random.default_rng(1)

    def draw() -> np.ndarray:
        upper = np.triu(rng.random((9, 9)) < 0.5, 1)
        return upper | np.tril(~upper.T, -1)

    p_values = [transitivity(draw()).p_value for _ in range(400)]
    assert np.mean([p < 0.05 for p in p_values if p is not None]) == pytest.approx(0.05, abs=0.03)


def test_a_ranking_has_no_circles_and_missing_pairs_no_zeta() -> None:
    votes = [Vote("p", a, b, "first") for a, b in itertools.combinations("abcd", 2)]
    assert transitivity_of_all(votes).zeta == 1.0
    found = transitivity_of_each([*votes[:-1], Vote("q", "a", "b", "both")])
    assert (found["p"].zeta, found["p"].triads, found["q"].triads) == (None, 2, 0)


def _honest(participants: int = 20) -> list[Vote]:
    names = item_names(8)
    people = Population(names, hidden_utilities(8, 2.0, 1), {"tie": -0.7})
    return simulate_study(people, make_design("balanced", names, 1), participants, 14, 1)


def test_honest_participants_are_not_suspicious() -> None:
    assert sum(bool(s.reasons) for s in suspicions(_honest(50))) <= 2


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (lambda k, v: replace(v, seconds=2.0), "too fast"),
        (lambda k, v: replace(v, answer="first"), "always the same side"),
        (lambda k, v: replace(v, answer="both"), "always the same answer"),
    ],
)
def test_who_does_not_look_is_found(odd: object, reason: str) -> None:
    votes = _honest()
    odd_votes = [odd(k, v) if v.participant == "p0003" else v for k, v in enumerate(votes)]  # type: ignore[operator]
    first = suspicions(odd_votes)[0]
    assert first.participant == "p0003" and reason in first.reasons


def test_who_always_says_the_opposite_is_found() -> None:
    swap = {"first": "second", "second": "first"}
    votes = [replace(v, answer=swap.get(v.answer, v.answer)) if v.participant == "p0003" else v for v in _honest()]
    assert suspicions(votes)[0].participant == "p0003" and "against all others" in suspicions(votes)[0].reasons


def test_the_chance_of_agreeing_so_little_is_exact() -> None:
    votes = _votes(("a", "b", "first", 30), ("a", "b", "second", 10))
    fitted = fit(count_votes(votes))
    p = fitted.probabilities("a", "b")["first"]
    mine = [Vote("me", "a", "b", answer) for answer in ("first", "second", "second")]
    found = {s.participant: s for s in suspicions([*mine], fitted)}["me"]
    assert found.against == pytest.approx((1 - p) ** 3 + 3 * p * (1 - p) ** 2)
    assert found.agreement == pytest.approx(1 / 3)


def test_failed_checks_are_counted() -> None:
    checks = [
        Vote("p0001", "item1", "item1", "first", check="same"), Vote("p0001", "item1", "item1", "both", check="same"),
        Vote("p0002", "a", "b", "second", check="press left"), Vote("new", "a", "b", "first", check="press left"),
    ]  # fmt: skip
    found = {s.participant: s for s in suspicions([*_honest(5), *checks], passed={"press left": "first"})}
    assert (found["p0001"].failed, found["p0001"].checks) == (1, 2)
    assert "failed checks" in found["p0002"].reasons and "failed checks" in found["p0001"].reasons
    assert found["new"].votes == 0 and not found["new"].reasons


# -- outcomes ----------------------------------------------------------------------------------------------------------


def _outcomes(*rows: tuple[str, str, str, str, str, int]) -> list[Vote]:
    return [
        Vote(f"p{k}", a, b, answer, first_outcome=x, second_outcome=y)
        for a, b, x, y, answer, n in rows
        for k in range(n)
    ]


def test_votes_for_what_was_won_are_counted_and_tested() -> None:
    votes = _outcomes(
        ("a", "b", "win", "loss", "first", 12), ("b", "a", "loss", "win", "first", 3), ("a", "b", "win", "", "both", 2),
        ("a", "b", "win", "win", "first", 50), ("a", "b", "", "", "first", 7),
    )  # fmt: skip
    found = outcome_effect(votes)
    assert (found.pairs, found.won, found.lost, found.ties) == (17, 12, 3, 2)
    assert found.p_value == pytest.approx(stats.binomtest(12, 15).pvalue)
    assert ("win", "loss", 12, 0, 0, 0) in found.table and ("win", "win", 50, 0, 0, 0) in found.table
    assert sum(sum(row[2:]) for row in found.table) == 67


def test_an_easy_item_that_is_liked_is_no_effect_of_winning() -> None:
    """The item a is always won and liked 4 to 1, whatever comes of b."""
    votes = _outcomes(
        ("a", "b", "win", "loss", "first", 80), ("a", "b", "win", "loss", "second", 20),
        ("b", "a", "win", "win", "second", 80), ("b", "a", "win", "win", "first", 20),
    )  # fmt: skip
    found = outcome_effect(votes)
    assert found.p_value < 1e-6 and abs(found.effect) < 0.05 and found.effect_p_value > 0.8


def test_without_outcomes_there_is_no_effect() -> None:
    found = outcome_effect(_votes(("a", "b", "first", 3)))
    assert (found.pairs, found.effect, found.p_value, found.effect_p_value) == (0, 0.0, 1.0, 1.0)


def test_logistic_regression_is_that_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 3))
    y = (rng.random(300) < 1 / (1 + np.exp(-x @ [1.0, -0.5, 0.0]))).astype(float)
    weights, information = logistic(x, y, np.full(3, 2.0))
    other = linear.LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10).fit(x, y)
    np.testing.assert_allclose(weights, other.coef_[0], atol=1e-5)
    assert (np.linalg.eigvalsh(information) > 0).all()


# -- how many votes ----------------------------------------------------------------------------------------------------


def test_more_votes_bring_the_ranking_nearer_and_the_intervals_in() -> None:
    found = simulate_power(8, participants=(5, 20, 80), studies=10, seed=3)
    assert [p.votes for p in found] == [50, 200, 800]
    assert found[0].tau < found[1].tau < found[2].tau and found[2].tau > 0.8
    assert found[0].width == pytest.approx(2 * found[1].width, rel=0.35)
    assert found[0].power < found[1].power < found[2].power
    assert found == simulate_power(8, participants=(80, 20, 5), studies=10, seed=3)


@pytest.mark.full
def test_power_of_a_single_pair_is_that_of_the_binomial_test() -> None:
    """Two items, no ties, utilities 1 apart in all: Wald's test of n votes with probability 0.731."""
    found = simulate_power(2, spread=0.5, ties=0, pairs=1, participants=(40,), studies=400, seed=1)[0]
    p = 1 / (1 + math.exp(-1.0))
    wald = [k for k in range(41) if k > 20 and math.log(max(k, 0.5) / max(40 - k, 0.5)) > 1.96 * math.sqrt(1 / max(k, 0.5) + 1 / max(40 - k, 0.5))]  # fmt: skip  # noqa: E501
    assert found.power == pytest.approx(sum(stats.binom.pmf(k, 40, p) for k in wald), abs=0.06)


def test_votes_needed_lie_between_the_sizes() -> None:
    points_ = [PowerPoint(n, n // 10, tau, tau, 0, 0, 0) for n, tau in ((100, 0.8), (400, 0.9), (1600, 1.0))]
    assert votes_needed(points_, 0.9) == 400
    assert votes_needed(points_, 0.85) == 200
    assert votes_needed(points_, 0.7) == 100
    assert votes_needed(points_[:2], 0.95) is None


def test_more_votes_on_a_pair_settle_it_as_the_usual_formula_says() -> None:
    votes = _votes(("a", "b", "first", 55), ("a", "b", "second", 45))
    fitted = fit(count_votes(votes))
    found = more_votes(fitted)[0]
    p = 1 / (1 + math.exp(-found.difference))
    total = (1.959964 + 0.841621) ** 2 / (found.difference**2 * p * (1 - p))
    assert (found.one, found.other) == ("a", "b")
    assert found.votes is not None and found.votes == pytest.approx(total - 100, rel=0.01)
    sure = more_votes(fit(count_votes(_votes(("a", "b", "first", 90), ("a", "b", "second", 10)))))[0]
    assert sure.votes == 0
    even = more_votes(fit(count_votes(_votes(("a", "b", "first", 5), ("a", "b", "second", 5)))))[0]
    assert even.votes is None
    assert len(more_votes(fit(count_votes(_honest())), neighbours=False)) == 28


def test_the_rate_of_ties_is_that_asked_for() -> None:
    names = item_names(2)
    people = Population(names, np.zeros(2), {"tie": tie_parameter(0.25)})
    votes = simulate_study(people, make_design("random", names), 4000, 1)
    assert np.mean([v.preferred is None for v in votes]) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("bad", [{"studies": 0}, {"participants": ()}, {"ties": 1.0}, {"items": 1}, {"design": "x"}])
def test_studies_that_cannot_be_simulated_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(PcgError):
        simulate_power(**{"items": 4, "studies": 1, "participants": (2,), **bad})  # type: ignore[arg-type]
