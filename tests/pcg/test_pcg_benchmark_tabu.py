"""Tabu search for sets of unlike contents, each matched with a slot: with the compiler, without it and checked."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

from pcg.integrations.pcg_benchmark import tabu
from pcg.integrations.pcg_benchmark.tabu import TabuSearch
from pcg.integrations.pcg_benchmark.tabu_kernel import OUTSIDE

pytestmark = pytest.mark.kernel


def joined(count: int, share: float, rng: np.random.Generator) -> Any:
    """A symmetric matrix of those that are alike; nobody is said to be like itself."""
    alike = np.triu(rng.random((count, count)) < share, 1)
    return (alike | alike.T).astype(np.int8)


def nothing(contents: int) -> Any:
    """A set of none of the contents."""
    return np.full(contents, -1)


def most_of(alike: Any, obeys: Any) -> int:
    """Size of the largest set: the largest clique of pairs of a content and a slot that go together."""
    graph = nx.Graph()
    pairs = list(zip(*np.nonzero(obeys), strict=True))
    graph.add_nodes_from(pairs)
    for content, slot in pairs:
        for other, its in pairs:
            if content != other and slot != its and not alike[content, other]:
                graph.add_edge((content, slot), (other, its))
    return len(nx.max_weight_clique(graph, weight=None)[0])


def assert_is_a_set(search: TabuSearch, alike: Any, obeys: Any) -> None:
    inside = np.flatnonzero(search.largest >= 0)
    slots = search.largest[inside]
    assert len(inside) == search.most == len(set(slots.tolist()))
    assert not alike[np.ix_(inside, inside)].any()
    assert obeys[inside, slots].all()


def joined_last(search: TabuSearch) -> int:
    """The only content of the set after another step."""
    search.run(1)
    (content,) = np.flatnonzero(search._arrays["slot"] != OUTSIDE).tolist()
    return int(content)


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_set_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    alike, obeys = joined(16, 0.3, rng), rng.random((16, 7)) < 0.3
    search = TabuSearch(alike, obeys, nothing(16), seed=seed, span=30)
    assert search.run(400) == most_of(alike, obeys)
    assert_is_a_set(search, alike, obeys)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_the_largest_of_many_is_found(seed: int) -> None:
    """Sets of all that are unlike, without a question of slots: the largest cliques of random graphs."""
    rng = np.random.default_rng(seed)
    alike = joined(300, 0.5, rng)
    search = TabuSearch(alike, np.ones((300, 30), bool), nothing(300), seed=seed)
    largest, _ = nx.max_weight_clique(nx.from_numpy_array(1 - alike), weight=None)
    assert search.run(20_000) == len(largest)


def test_one_that_obeys_a_slot_alone_gets_it_along_a_path() -> None:
    """Each of three leaves its slot to the one before; a fourth that has none left stays unmatched."""
    obeys = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 0]], bool)
    search = TabuSearch(np.zeros((4, 4), np.int8), obeys, np.array([0, 1, -1, -1]), seed=1)
    assert search.run(5) == 3
    assert search.largest[:2].tolist() == [1, 2]
    assert sorted(search.largest[2:].tolist()) == [-1, 0]


def test_two_that_are_unlike_take_the_place_of_one_that_is_like_both() -> None:
    alike = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    search = TabuSearch(alike, np.ones((3, 3), bool), np.array([1, -1, -1]), seed=1)
    assert search.most == 1
    assert search.run(3) == 2
    assert search.largest[0] == -1


@pytest.mark.parametrize("seed", range(4))
def test_of_equal_ones_the_one_joins_that_was_outside_for_longest(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of five that are all alike: each has its turn, and then again in the same order."""
    monkeypatch.setattr(tabu, "TENURE", 1)
    search = TabuSearch(1 - np.eye(5, dtype=np.int8), np.ones((5, 2), bool), np.array([0, -1, -1, -1, -1]), seed=seed)
    turns = [joined_last(search) for _ in range(10)]
    assert sorted(turns[:5]) == [0, 1, 2, 3, 4]
    assert turns[5:] == turns[:5]


@pytest.mark.parametrize("seed", range(4))
def test_one_that_obeys_the_slot_of_the_one_in_its_way_comes_before_one_that_obeys_none(seed: int) -> None:
    obeys = np.array([[1, 0], [0, 0], [1, 0], [0, 0]], bool)
    search = TabuSearch(1 - np.eye(4, dtype=np.int8), obeys, np.array([0, -1, -1, -1]), seed=seed)
    assert joined_last(search) == 2


def test_what_it_begins_with_stays_where_nothing_is_larger() -> None:
    alike = 1 - np.eye(5, dtype=np.int8)
    search = TabuSearch(alike, np.ones((5, 5), bool), np.array([-1, -1, 3, -1, -1]), seed=1, span=5)
    assert search.run(50) == 1
    assert search.largest.tolist() == [-1, -1, 3, -1, -1]


def test_it_ends_where_every_slot_is_matched() -> None:
    search = TabuSearch(np.zeros((9, 9), np.int8), np.ones((9, 2), bool), nothing(9), seed=1)
    assert search.run(1000) == 2
    assert search.run(1000) == 2
    assert int(search._record["done"][0]) < 10


def test_the_same_seed_finds_the_same_in_as_many_calls_as_one_likes() -> None:
    rng = np.random.default_rng(1)
    alike, obeys = joined(20, 0.4, rng), rng.random((20, 9)) < 0.4
    found = []
    for steps in (120, 7):
        search = TabuSearch(alike, obeys, nothing(20), seed=4, span=20)
        while int(search._record["done"][0]) < 120:
            search.run(min(steps, 120 - int(search._record["done"][0])))
        found.append(search.largest.tolist())
    assert found[0] == found[1]
