"""People's own tastes make answers scatter further; intervals are as much wider, and nothing else makes them so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcg.evaluators.preferences import count_votes, fit, make_design
from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.evaluators.preferences.dispersion import vote_dispersion
from pcg.evaluators.preferences.posterior import posterior
from pcg.evaluators.preferences.simulation import (
    Population,
    hidden_utilities,
    item_names,
    simulate_study,
    tie_parameter,
)
from pcg.evaluators.preferences.votes import Vote


def answers(taste: float, people: int = 60, each: int = 8, *, tie: bool = True, seed: int = 1) -> list[Vote]:
    names = item_names(6)
    parameters = {"tie": tie_parameter(1 / 3)} if tie else {}
    population = Population(names, hidden_utilities(6, 1.0, seed), parameters, taste=taste)
    return simulate_study(population, make_design("balanced", list(names), seed), people, each, seed)


def dispersion(votes: list[Vote]) -> float:
    return vote_dispersion(fit(count_votes(votes)), votes)


def test_tastes_of_their_own_are_seen_and_chance_is_not() -> None:
    alike = [dispersion(answers(0.0, seed=seed)) for seed in range(6)]
    apart = [dispersion(answers(1.2, seed=seed)) for seed in range(6)]
    assert np.mean(alike) < 1.08 and min(apart) > 1.1 and np.mean(apart) > 1.18


def test_one_answer_of_each_tells_nothing_of_tastes() -> None:
    votes = [replace(vote, participant=f"q{k}") for k, vote in enumerate(answers(1.2, 100))]
    assert dispersion(votes) < 1.1
    assert dispersion([replace(vote, participant=f"q{k // 400}") for k, vote in enumerate(votes)]) == 1.0  # two people


def test_pairs_are_sets_of_two() -> None:
    votes = answers(0.8, 30, tie=False)
    choices = [
        Choice(vote.participant, (vote.first, vote.second), vote.first if vote.answer == "first" else vote.second)
        for vote in votes
    ]
    table = ChoiceTable(choices, item_names(6))
    assert table.dispersion() == pytest.approx(dispersion(votes), rel=1e-6) and dispersion(votes) > 1
    turned = [replace(vote, first=vote.second, second=vote.first,
                      answer={"first": "second", "second": "first"}[vote.answer]) for vote in votes]  # fmt: skip
    assert dispersion(turned) == pytest.approx(dispersion(votes))


def test_who_ties_more_often_is_no_other_taste() -> None:
    names, rng = item_names(4), np.random.default_rng(3)
    votes = []
    for person in range(80):
        ties = 0.9 if person % 2 else 0.05
        for _ in range(10):
            one, two = rng.choice(4, 2, replace=False)
            answer = "both" if rng.random() < ties else ("first", "second")[rng.integers(2)]
            votes.append(Vote(f"p{person}", names[one], names[two], answer))
    assert dispersion(votes) < 1.15


def test_where_it_is_shown_may_matter_too() -> None:
    votes = answers(1.0)
    fitted = fit(count_votes(votes), position=True)
    assert vote_dispersion(fitted, votes) == pytest.approx(dispersion(votes), rel=0.05)


def test_intervals_are_wider_by_it_and_ranks_are_not() -> None:
    votes = answers(1.2)
    fitted = fit(count_votes(votes))
    found, alone = posterior(fitted, votes), posterior(fitted)
    assert found.dispersion == pytest.approx(dispersion(votes)) and alone.dispersion == 1.0
    wider = np.sqrt(found.dispersion)
    assert np.array_equal(found.mean, alone.mean)
    assert found.intervals() - found.mean[:, None] == pytest.approx(wider * (alone.intervals() - alone.mean[:, None]))
    low, high = found.difference(0, 1)
    assert high - low == pytest.approx(wider * np.subtract(*alone.difference(0, 1)[::-1]))
    assert np.array_equal(found.ranks(), alone.ranks())
    groups = ["a", "a", "b", "b", "c", "c"]
    assert found.of_groups(groups)[1].covariance == pytest.approx(
        found.dispersion * alone.of_groups(groups)[1].covariance
    )


def test_the_worst_says_something_of_tastes_too() -> None:
    rng, names = np.random.default_rng(4), item_names(6)
    truth = hidden_utilities(6, 1.0, 4)
    for taste, low, high in ((0.0, 1.0, 1.12), (1.2, 1.25, 3.0)):
        found = []
        for _ in range(4):
            choices = []
            for person in range(50):
                own = truth + rng.normal(0, taste, 6)
                for _ in range(6):
                    shown = rng.permutation(6)[:4]
                    liked = own[shown] + rng.gumbel(size=4)
                    best = int(liked.argmax())
                    left = np.where(np.arange(4) == best, -np.inf, -own[shown] + rng.gumbel(size=4))
                    items = tuple(names[k] for k in shown)
                    choices.append(Choice(f"p{person}", items, items[best], items[int(left.argmax())]))
            found.append(ChoiceTable(choices, names).dispersion())
        assert low <= np.mean(found) <= high, taste
