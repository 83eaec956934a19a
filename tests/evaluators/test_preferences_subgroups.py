"""Subgroups of participants are described, and told apart where their tastes differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcg.evaluators.preferences import Vote, make_design
from pcg.evaluators.preferences.choices import Choice
from pcg.evaluators.preferences.simulation import Population, hidden_utilities, item_names, simulate_study
from pcg.evaluators.preferences.subgroups import compare_choices, compare_subgroups

ITEMS = item_names(5)


def _votes(people: int, seed: int, sign: float = 1.0) -> list[Vote]:
    population = Population(ITEMS, sign * hidden_utilities(5, 1.5, 3), {"tie": -0.7})
    votes = simulate_study(population, make_design("balanced", ITEMS, seed), people, 6, seed)
    return [replace(vote, participant=f"{seed}-{vote.participant}", seconds=10.0 * seed) for vote in votes]


def _kind(votes: list[Vote], name: str) -> dict[str, str]:
    return {vote.participant: name for vote in votes}


def test_opposite_tastes_are_told_apart_and_described() -> None:
    phones, computers = _votes(8, 1), _votes(12, 2, sign=-1.0)
    found = compare_subgroups(phones + computers, _kind(phones, "phone") | _kind(computers, "computer"))
    assert found.p_value == pytest.approx(1 / 200)
    assert [(one.name, one.participants, one.votes, one.seconds) for one in found.kinds] == [
        ("computer", 12, 72, 20.0), ("phone", 8, 48, 10.0),
    ]  # fmt: skip


def test_equal_tastes_are_seldom_told_apart() -> None:
    values = []
    for seed in range(40):
        votes = _votes(10, seed + 1)
        kind = {person: "ab"[k % 2] for k, person in enumerate(sorted({v.participant for v in votes}))}
        found = compare_subgroups(votes, kind, permutations=39, seed=seed)
        assert found.p_value is not None
        values.append(found.p_value)
    assert np.mean(np.array(values) <= 0.1) < 0.25 and np.mean(values) == pytest.approx(0.5, abs=0.15)


def test_sets_of_two_are_told_apart_as_pairs_are() -> None:
    votes = [vote for seed in (1, 2) for vote in _votes(7, seed, sign=3.0 - 2 * seed) if vote.preferred]
    kind = {person: "ab"[k % 2] for k, person in enumerate(sorted({vote.participant for vote in votes}))}
    pairs = compare_subgroups(votes, kind, permutations=99)
    sets = compare_choices(
        [Choice(v.participant, (v.first, v.second), v.preferred or "", seconds=v.seconds) for v in votes], kind,
        permutations=99,
    )  # fmt: skip
    assert sets.p_value == pairs.p_value
    assert [replace(one, ties=0.0) for one in pairs.kinds] == list(sets.kinds)


def test_who_is_of_no_kind_or_alone_in_it_is_not_tested() -> None:
    votes = _votes(4, 1)
    people = sorted({vote.participant for vote in votes})
    found = compare_subgroups(votes, {people[0]: "phone", people[1]: "computer", people[2]: "computer", people[3]: ""})
    assert found.p_value is None and [one.participants for one in found.kinds] == [2, 1]
