"""Designs: who is shown which pairs, and in which order."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences import DESIGNS, Balanced, Tally, Vote, make_design, pairs_between
from pcg.evaluators.preferences.adaptive import AIMS, Adaptive, Belief, fisher_information

ITEMS = [f"i{k}" for k in range(7)]


def _run(
    name: str, participants: int, n: int, items: list[str] = ITEMS, seed: int = 1, **options: object
) -> list[Vote]:
    """Votes of participants one after another; the item with the smaller number is always preferred."""
    design = DESIGNS[name](items, seed, **options)  # type: ignore[arg-type]
    votes: list[Vote] = []
    for p in range(participants):
        for first, second in design.next_pairs(f"p{p}", votes, n):
            votes.append(
                Vote(f"p{p}", first, second, "first" if items.index(first) < items.index(second) else "second")
            )
    return votes


def _pair(vote: Vote) -> tuple[str, str]:
    return min(vote.first, vote.second), max(vote.first, vote.second)


@pytest.mark.parametrize("name", DESIGNS)
def test_nobody_is_shown_a_pair_twice_and_in_the_end_all_were(name: str) -> None:
    design, votes = make_design(name, ITEMS, 3), []
    for _ in range(7):
        for first, second in design.next_pairs("p", votes, 4):
            votes.append(Vote("p", first, second, "both"))
    assert Counter(map(_pair, votes)) == Counter(itertools.combinations(ITEMS, 2))
    assert design.next_pairs("p", votes, 4) == []


@pytest.mark.parametrize("name", DESIGNS)
def test_equal_seeds_give_equal_pairs_and_others_do_not(name: str) -> None:
    assert _run(name, 5, 6) == _run(name, 5, 6)
    assert _run(name, 5, 6) != _run(name, 5, 6, seed=2)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_tally_does_the_same_as_the_votes_and_is_not_changed(name: str) -> None:
    votes, design = _run(name, 4, 5), make_design(name, ITEMS, 9)
    tally = Tally(ITEMS)
    tally.add(votes[:7])
    tally.add(votes[7:])
    out = [("p8", "i0", "i3"), ("p9", "i3", "i0")]
    asked = design.next_pairs("p9", tally, 5, pending=out)
    assert asked == design.next_pairs("p9", votes[::-1], 5, pending=out)
    assert asked == design.next_pairs("p9", tally, 5, pending=out)
    assert tally.shown.sum() == len(votes)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_pair_that_is_out_is_not_sent_to_the_same_participant_again(name: str) -> None:
    design = make_design(name, ITEMS, 3)
    first = design.next_pairs("p", [], 10)
    second = design.next_pairs("p", [], 21, pending=[("p", *pair) for pair in first])
    assert len(second) == 11
    assert not {frozenset(p) for p in first} & {frozenset(p) for p in second}


def test_balanced_pairs_differ_by_one_at_most_after_every_vote() -> None:
    votes = _run("balanced", 40, 5)
    shown: Counter[tuple[str, str]] = Counter(dict.fromkeys(itertools.combinations(ITEMS, 2), 0))
    for k in range(0, len(votes), 5):
        shown.update(map(_pair, votes[k : k + 5]))
        assert max(shown.values()) - min(shown.values()) <= 1


def test_balanced_participants_know_the_items_evenly() -> None:
    items = [f"i{k:02d}" for k in range(12)]
    design, votes = Balanced(items, 1), []
    for p in range(11):
        asked = design.next_pairs(f"p{p}", votes, 12)
        seen = Counter(item for pair in asked for item in pair)
        assert len(seen) == 12 and max(seen.values()) <= 3
        votes += [Vote(f"p{p}", a, b, "both") for a, b in asked]
    assert set(Counter(map(_pair, votes)).values()) == {2}


def test_balanced_counts_pairs_that_are_out() -> None:
    design = Balanced(ITEMS, 1)
    pending: list[tuple[str, str, str]] = []
    for p in range(21):
        pending += [(f"p{p}", a, b) for a, b in design.next_pairs(f"p{p}", [], 1, pending=pending)]
    assert len({frozenset(one[1:]) for one in pending}) == 21


@pytest.mark.parametrize("name", DESIGNS)
def test_each_item_of_a_pair_is_first_as_often_as_the_other(name: str) -> None:
    lead: Counter[tuple[str, str]] = Counter()
    for vote in _run(name, 30, 7):
        lead[_pair(vote)] += 1 if vote.first == _pair(vote)[0] else -1
    assert set(map(abs, lead.values())) <= {0, 1}


def test_who_comes_first_is_shuffled() -> None:
    positions = Counter(votes.index(v) for votes in [_run("full", 60, 21)] for v in votes if _pair(v) == ("i0", "i1"))
    assert len({k % 21 for k in positions}) > 10


def test_only_allowed_pairs_are_shown() -> None:
    groups = {item: "ab"[k % 2] for k, item in enumerate(ITEMS)}
    for name in DESIGNS:
        design = make_design(name, ITEMS, 1, pairs=pairs_between(groups))
        asked = design.next_pairs("p", [], 100)
        assert design.pairs == len(asked) == 12
        assert all(groups[a] != groups[b] for a, b in asked)


def test_pairs_within_a_game_only() -> None:
    groups = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
    games = {"a1": "x", "a2": "y", "b1": "x", "b2": "y"}
    assert pairs_between(groups, games) == [("a1", "b1"), ("a2", "b2")]


def _belief() -> Belief:
    rng = np.random.default_rng(4)
    root = rng.normal(size=(5, 8))
    one, two = np.triu_indices(5, 1)
    return Belief(rng.normal(size=5), root @ root.T / 8, -0.4, one, two)


def test_information_about_utilities_is_what_the_determinant_gains() -> None:
    belief = _belief()
    for pair in range(10):
        x = np.zeros(5)
        x[belief.one[pair]], x[belief.two[pair]] = 1, -1
        before = np.linalg.slogdet(np.linalg.inv(belief.covariance))[1]
        after = np.linalg.slogdet(np.linalg.inv(belief.covariance) + belief.information[pair] * np.outer(x, x))[1]
        assert belief.utility_gains()[pair] == pytest.approx(0.5 * (after - before))


def test_information_about_the_order_is_what_entropies_of_orders_lose() -> None:
    """Against simulated answers of little information each: mean entropy of the order of all pairs before and after."""
    from scipy.stats import norm

    belief = _belief()
    belief.weigh_orders()
    belief.information = np.full(10, 1e-3)
    pair, x = 3, np.eye(5)[belief.one] - np.eye(5)[belief.two]

    def entropy(means: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        p = norm.cdf(means / np.sqrt(np.einsum("pi,ij,pj->p", x, covariance, x)))
        return -(p * np.log(p) + (1 - p) * np.log(1 - p)).sum(axis=-1)

    covariance = belief.covariance
    inverse = np.linalg.inv(np.linalg.inv(covariance) + 1e-3 * np.outer(x[pair], x[pair]))
    moves = covariance - inverse  # of the means, over all answers
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    direction = x @ moves @ x[pair] / np.sqrt(x[pair] @ moves @ x[pair])
    after = entropy(belief.difference + nodes[:, None] * direction, inverse) @ weights / weights.sum()
    gained = float(entropy(belief.difference, covariance) - after)
    assert belief.order_gains()[pair] == pytest.approx(gained, rel=0.02)


def test_a_belief_absorbs_a_vote_as_a_new_one_would() -> None:
    belief = _belief()
    belief.weigh_orders()
    laplacian = belief._laplacian
    x = np.eye(5)[belief.one[7]] - np.eye(5)[belief.two[7]]
    expected = np.linalg.inv(np.linalg.inv(belief.covariance) + belief.information[7] * np.outer(x, x))
    belief.absorb(7)
    np.testing.assert_allclose(belief.covariance, expected)
    np.testing.assert_allclose(belief._spread, expected @ laplacian @ expected)


def test_information_of_a_vote_is_the_variance_of_its_score() -> None:
    tie, d = 0.3, 0.8
    weights = np.exp([d / 2, -d / 2, tie])
    p = weights / weights.sum()
    score = np.array([0.5, -0.5, 0.0]) - 0.5 * (p[0] - p[1])
    assert fisher_information(np.array([d]), tie)[0] == pytest.approx(float(p @ score**2))


@pytest.mark.parametrize("aim", AIMS)
def test_adaptive_asks_about_what_is_open(aim: str) -> None:
    """Of four items whose ends are known and whose middle is not, it asks about the middle."""
    items = ["top", "b", "c", "bottom"]
    votes = [Vote(f"q{k}", one, other, "first") for k in range(30) for one, other in
             (("top", "b"), ("top", "c"), ("b", "bottom"), ("c", "bottom"), ("top", "bottom"))]  # fmt: skip
    design = Adaptive(items, 1, explore=0.0, aim=aim)
    assert [set(pair) for pair in design.next_pairs("p", votes, 1)] == [{"b", "c"}]


def test_adaptive_shows_every_item_before_it_decides() -> None:
    items = [f"i{k:02d}" for k in range(30)]
    design, pending = Adaptive(items, 1, least=2), []
    for p in range(10):
        pending += [(f"p{p}", a, b) for a, b in design.next_pairs(f"p{p}", [], 3, pending=pending)]
    seen = Counter(item for one in pending for item in one[1:])
    assert set(seen.values()) == {2} and len(seen) == 30


def test_adaptive_sends_different_pairs_to_participants_who_come_together() -> None:
    votes = _run("adaptive", 10, 6)
    design, pending = Adaptive(ITEMS, 1, explore=0.0), []
    for p in range(5):
        pending += [(f"new{p}", a, b) for a, b in design.next_pairs(f"new{p}", votes, 1, pending=pending)]
    assert len({frozenset(one[1:]) for one in pending}) >= 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_design("adaptve", ITEMS), "did you mean `adaptive`"),
        (lambda: make_design("full", ["a"]), "two items or more"),
        (lambda: make_design("full", ["a", "b", "a"]), "`a` is there twice"),
        (lambda: make_design("full", ITEMS, pairs=[("i0", "i11")]), "no item `i11`, did you mean `i1`"),
        (lambda: make_design("full", ITEMS, pairs=[("i0", "i0")]), "with itself"),
        (lambda: make_design("full", ITEMS, pairs=[]), "at least one pair"),
        (lambda: Adaptive(ITEMS, aim="money"), "aim is `money`"),
        (lambda: Adaptive(ITEMS, explore=2), "explore is 2"),
        (lambda: Adaptive(ITEMS, least=-1), "least is -1"),
    ],
)
def test_what_cannot_be_is_said(make: object, message: str) -> None:
    with pytest.raises(PcgError, match=message):
        make()  # type: ignore[operator]
