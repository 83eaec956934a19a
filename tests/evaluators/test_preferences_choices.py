"""Utilities from choices of the best and worst of several, and the sets that are shown."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import Vote, count_votes, fit, more_choices, more_votes
from pcg.evaluators.preferences.choices import (
    Choice,
    ChoiceTable,
    choice_bootstrap,
    fit_choices,
)
from pcg.evaluators.preferences.sets import SetDesign, _Gains

ITEMS = tuple("abcdefgh")


def drawn(people, each, seed, *, size=4, worst=False, spread=1.0):
    """True utilities, and choices by Luce's law from sets by lot."""
    rng = np.random.default_rng(seed)
    utilities = rng.normal(0, spread, len(ITEMS))
    found = []
    for person in range(people):
        for _ in range(each):
            shown = rng.choice(len(ITEMS), size, replace=False)
            odds = np.exp(utilities[shown])
            best = int(rng.choice(shown, p=odds / odds.sum()))
            left = [k for k in shown if k != best]
            odds = np.exp(-utilities[left])
            last = ITEMS[int(rng.choice(left, p=odds / odds.sum()))] if worst else ""
            found.append(Choice(f"p{person}", tuple(ITEMS[k] for k in shown), ITEMS[best], last))
    return utilities - utilities.mean(), found


def test_choices_of_one_of_two_give_the_utilities_and_errors_of_bradley_and_terry():
    _, choices = drawn(20, 5, 1, size=2)
    votes = [Vote(c.participant, *c.items, ("first", "second")[c.places[0]]) for c in choices]
    pairwise, setwise = fit(count_votes(votes)), fit_choices(choices)
    assert np.allclose(pairwise.utilities, setwise.utilities, atol=1e-9)
    assert np.allclose(pairwise.errors, setwise.errors, atol=1e-9)


@pytest.mark.parametrize("worst", [False, True])
def test_the_estimate_is_the_maximum_of_the_likelihood_written_out(worst):
    _, choices = drawn(12, 4, 2, worst=worst)

    def loss(theta):
        u = dict(zip(ITEMS, theta, strict=True))
        total = 0.5 * float(theta @ theta) / 16
        for c in choices:
            total -= u[c.best] - np.log(sum(np.exp(u[i]) for i in c.items))
            if worst:
                total -= -u[c.worst] - np.log(sum(np.exp(-u[i]) for i in c.items if i != c.best))
        return total

    found = minimize(loss, np.zeros(len(ITEMS)), method="BFGS", options={"gtol": 1e-8})
    fitted = fit_choices(choices)
    assert np.allclose(fitted.theta, found.x, atol=1e-5)
    centring = np.eye(len(ITEMS)) - 1 / len(ITEMS)
    curved = np.array([[_second(loss, found.x, i, j) for j in range(len(ITEMS))] for i in range(len(ITEMS))])
    assert np.allclose(fitted.covariance, centring @ np.linalg.inv(curved) @ centring, rtol=1e-3, atol=1e-4)


def _second(function, x, i, j, h=1e-3):
    e = np.eye(len(x)) * h
    return (function(x + e[i] + e[j]) - function(x + e[i] - e[j]) - function(x - e[i] + e[j])
            + function(x - e[i] - e[j])) / (4 * h * h)  # fmt: skip


def test_naming_the_worst_as_well_makes_utilities_surer():
    _, choices = drawn(20, 5, 3, worst=True)
    without = [Choice(c.participant, c.items, c.best) for c in choices]
    assert fit_choices(choices).errors.mean() < 0.9 * fit_choices(without).errors.mean()


def test_one_choice_of_four_counts_once_and_not_as_three_pairs():
    _, choices = drawn(20, 5, 4)
    votes = [Vote(c.participant, c.best, other, "first") for c in choices for other in c.items if other != c.best]
    assert fit(count_votes(votes)).errors.mean() < 0.85 * fit_choices(choices).errors.mean()


def test_posterior_and_bootstrap_lie_around_the_estimate():
    truth, choices = drawn(30, 6, 5)
    fitted, intervals = choice_bootstrap(choices, samples=40, seed=1)
    after = ChoiceTable(choices).posterior()
    assert np.all(intervals[:, 0] < fitted.utilities) and np.all(fitted.utilities < intervals[:, 1])
    assert np.corrcoef(after.mean, truth)[0, 1] > 0.9
    held = (after.intervals()[:, 0] <= truth) & (truth <= after.intervals()[:, 1])
    assert held.sum() >= len(ITEMS) - 1
    assert np.array_equal(choice_bootstrap(choices, samples=40, seed=1)[1], intervals)


def test_what_was_not_shown_cannot_be_chosen():
    with pytest.raises(PcgError, match=r"`e` was chosen, which was not shown"):
        Choice("p", ("a", "b", "c", "d"), "e")
    with pytest.raises(PcgError, match=r"`a` is the best and the worst"):
        Choice("p", ("a", "b", "c", "d"), "a", "a")
    with pytest.raises(PcgError, match=r"expected two or more"):
        Choice("p", ("a", "a"), "a")


def shown_by(name, people, each, seed=1, *, items=ITEMS, pairs=None):
    design, rng, found = SetDesign(name, items, 4, seed, pairs=pairs), np.random.default_rng(seed), []
    for person in range(people):
        for _ in range(each):
            chosen = design.next_set(f"p{person}", found)
            if chosen is not None:
                found.append(Choice(f"p{person}", chosen, chosen[int(rng.integers(4))]))
    return found


def test_balanced_sets_show_items_and_pairs_of_items_equally_often():
    found = shown_by("balanced", 14, 4)
    shown = [sum(item in c.items for c in found) for item in ITEMS]
    together = [sum({a, b} <= set(c.items) for c in found) for a, b in combinations(ITEMS, 2)]
    assert max(shown) - min(shown) <= 1
    assert max(together) - min(together) <= 2


@pytest.mark.parametrize("name", ["balanced", "random", "adaptive", "full"])
def test_nobody_gets_a_set_twice_and_equal_seeds_give_equal_sets(name):
    found = shown_by(name, 3, 6, items=tuple("abcde"))
    for person in ("p0", "p1", "p2"):
        own = [frozenset(c.items) for c in found if c.participant == person]
        assert len(own) == len(set(own)) == 5  # of 5 items there are no more
    assert found == shown_by(name, 3, 6, items=tuple("abcde"))


def test_items_that_may_not_be_compared_stand_in_no_set():
    within = [pair for part in ("abcd", "efgh") for pair in combinations(part, 2)]
    for c in shown_by("adaptive", 6, 1, pairs=within):
        assert set(c.items) in (set("abcd"), set("efgh"))
    with pytest.raises(PcgError, match="no 4 items that may all be compared"):
        SetDesign("balanced", ITEMS, 4, pairs=[("a", "b"), ("c", "d")])


def test_sets_that_are_out_count_as_shown():
    design = SetDesign("balanced", ITEMS, 4, 1)
    first = design.next_set("p0", [])
    assert not set(first) & set(design.next_set("p1", [], pending=[("p0", first)]))
    assert set(design.next_set("p0", [], pending=[("p0", first)])) != set(first)


def test_more_sets_are_asked_for_as_more_votes_are():
    _, choices = drawn(20, 4, 2, size=2)
    votes = [Vote(c.participant, *c.items, ("first", "second")[c.places[0]]) for c in choices]
    for one, other in zip(more_votes(fit(count_votes(votes))), more_choices(ChoiceTable(choices)), strict=True):
        assert (one.one, one.other, one.votes) == (other.one, other.other, other.votes)


def test_as_many_more_sets_as_were_asked_for_settle_a_pair():
    """All four items in each set, shares p and q chosen: a set tells p q / (p + q) about the two."""
    shown, often = ("a", "b", "c", "d"), (40, 30, 20, 10)
    choices = [Choice("p", shown, item) for item, n in zip(shown, often, strict=True) for _ in range(n)]
    ab, bc, cd = more_choices(ChoiceTable(choices))
    for found, p, q in ((ab, 0.4, 0.3), (bc, 0.3, 0.2), (cd, 0.2, 0.1)):
        total = (1.959964 + 0.841621) ** 2 / (np.log(p / q) ** 2 * p * q / (p + q))
        assert found.votes == pytest.approx(total - 100, rel=0.1)


def test_as_many_more_sets_settle_groups_as_they_say():
    groups = ["one" if item in "bdfg" else "other" for item in ITEMS]
    _, choices = drawn(30, 4, 4, worst=True)
    (found,) = more_choices(ChoiceTable(choices, ITEMS), groups)
    assert found.votes
    times = 1 + round(found.votes / len(choices))
    (then,) = more_choices(ChoiceTable(choices * times, ITEMS), groups)
    assert then.difference / then.error == pytest.approx(1.96 + 0.84, rel=0.1)


def test_what_a_set_teaches_is_what_the_posterior_with_it_says():
    _, choices = drawn(10, 4, 6)
    gains = _Gains(choices, ITEMS, [[0, 1, 2, 3]])
    share = np.exp(gains.theta[[1, 4, 6, 7]])
    share /= share.sum()
    information = np.zeros((8, 8))
    information[np.ix_([1, 4, 6, 7], [1, 4, 6, 7])] = np.diag(share) - np.outer(share, share)
    after = np.linalg.inv(np.linalg.inv(gains.covariance) + information)
    weights = np.linalg.solve(gains.covariance, np.linalg.solve(gains.covariance, gains.spread).T)
    assert gains.of([[1, 4, 6, 7]])[0] == pytest.approx(np.trace(weights @ (gains.covariance - after)), rel=1e-6)
