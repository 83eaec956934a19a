"""Sets of contents that are unlike each other, and the breeding that fills them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from test_pcg_benchmark import Environment, Stripes, array, integers

from pcg.integrations.pcg_benchmark import BatchSearch, breeding, independent_set, search
from pcg.integrations.pcg_benchmark.breeding import Breeding, numbers_of
from pcg.integrations.pcg_benchmark.contents import Layout, Member
from pcg.integrations.pcg_benchmark.independent_set import IndependentSet, PairTable


def near(one: int, other: int) -> bool:
    return abs(one - other) <= 1


def chosen_from(slots: int, room: int = 100, alike: Any = near) -> IndependentSet:
    return IndependentSet(slots, room, PairTable(slots, alike), PairTable(room, alike), np.random.default_rng(1))


def offer(kept: IndependentSet, number: int, obeys: tuple[int, ...] | None = None) -> int:
    return kept.offer(b"%d" % number, number, range(len(kept.rows)) if obeys is None else obeys)


def joined_at_random(count: int, share: float, rng: np.random.Generator) -> Any:
    """A symmetric matrix of those that are in each other's way, each in its own."""
    joined = np.triu(rng.random((count, count)) < share, 1)
    joined |= joined.T
    np.fill_diagonal(joined, True)
    return joined


def members(kept: IndependentSet) -> list[int]:
    return sorted(kept.items[row] for row in kept.rows.tolist() if row >= 0)


def test_two_take_the_place_of_the_one_in_their_way() -> None:
    kept = chosen_from(2)
    for number in (1, 0, 2):
        offer(kept, number)
    assert members(kept) == [0, 2]
    assert sorted(kept.held(slot) for slot in range(2)) == [1, 2]


def test_who_holds_a_control_makes_way_for_one_that_obeys_no_other() -> None:
    kept = chosen_from(2)
    offer(kept, 10, (0, 1))
    first = next(slot for slot in range(2) if kept.held(slot) >= 0)
    offer(kept, 20, (first,))
    assert kept.items[kept.held(first)] == 20
    assert kept.items[kept.held(1 - first)] == 10
    offer(kept, 30, (0, 1))  # there is no third control
    assert members(kept) == [10, 20]
    assert kept.tight[2] == 0 and not kept.lacks_controls()  # all are in use


def test_one_that_obeys_the_wrong_control_changes_nothing() -> None:
    kept = chosen_from(2)
    offer(kept, 1, (0,))
    offer(kept, 0, (0,))
    offer(kept, 2, (0,))  # two for one, but both ask for the same control
    assert members(kept) == [1]
    assert kept.held(0) == 0
    assert (kept.tight[:3] == 1).all()


def test_where_there_is_no_more_room_those_go_that_most_are_in_the_way_of() -> None:
    kept = chosen_from(9, room=4)
    for number in (0, 2, 4):
        offer(kept, number)
    assert offer(kept, 1) == 3  # like 0 and 2
    assert offer(kept, 0) == -1  # known
    assert offer(kept, 3) == -1  # like as many as the 1
    assert offer(kept, 9) == 3
    assert not kept.knows(b"1")
    assert members(kept) == [0, 2, 4, 9]


@pytest.mark.parametrize("seed", range(4))
def test_the_set_is_as_large_as_can_be_and_knows_who_is_in_whose_way(seed: int) -> None:
    joined = joined_at_random(40, 0.2, np.random.default_rng(seed))
    kept = chosen_from(40, alike=lambda one, other: bool(joined[one, other]))
    for number in range(40):
        offer(kept, number)
    for _ in range(400):
        kept.improve()
    kept.return_to_largest()
    graph = nx.from_numpy_array(~joined)
    largest, _ = nx.max_weight_clique(graph, weight=None)
    assert kept.size == len(largest)
    inside = members(kept)
    assert not joined[np.ix_(inside, inside)][~np.eye(len(inside), dtype=bool)].any()
    assert (kept.tight[:40] == [joined[k, inside].sum() for k in kept.items]).all()
    assert (kept.tight[:40] == kept.alike[:40].sum(axis=1)).all()


def is_joined(first: int, second: int) -> bool:
    """0 and 1 are each in the way of 2, 3 and 4, and nobody of anyone else."""
    return first == second or {first, second} in [{low, high} for low in (0, 1) for high in (2, 3, 4)]


def test_one_takes_the_place_of_two_where_exchanges_of_one_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = chosen_from(5, alike=is_joined)
    for number in range(5):
        offer(kept, number)
    assert members(kept) == [0, 1]
    monkeypatch.setattr(independent_set, "FORCED", 0.0)
    while kept.improve():
        pass
    assert kept.size == 2  # there is nothing that only one of them is in the way of
    monkeypatch.setattr(independent_set, "FORCED", 1.0)
    assert kept.improve()
    assert members(kept) == [2, 3, 4] and kept.most == 3


def test_where_none_can_take_the_place_of_two_one_takes_that_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = chosen_from(1)
    monkeypatch.setattr(independent_set, "FORCED", 1.0)
    offer(kept, 0)
    offer(kept, 1)
    while kept._todo:
        kept.improve()
    assert kept.improve() and members(kept) == [1]


def test_the_largest_set_is_gone_back_to(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = chosen_from(3, alike=lambda one, other: one == other or 2 in (one, other))
    monkeypatch.setattr(independent_set, "FORCED", 1.0)
    for number in range(3):
        offer(kept, number)
    kept.improve()
    while kept._todo:
        kept.improve()
    assert (members(kept), kept.size, kept.most) in [([2], 1, 2), ([0, 1], 2, 2)]
    kept.return_to_largest()
    assert members(kept) == [0, 1]
    assert [kept.held(slot) for slot in range(3)].count(-1) == 1
    monkeypatch.setattr(independent_set, "BACK", 20)
    for _ in range(200):
        kept.improve()
    assert kept.size == 2


def test_where_controls_are_lacking_those_come_first_that_obey_an_open_one() -> None:
    kept = chosen_from(2, alike=lambda one, other: abs(one - other) <= 12)
    offer(kept, 100, (0,))
    offer(kept, 200, (0,))  # like nobody, but its control is taken
    offer(kept, 105, (0,))  # would only take the place of the 100
    offer(kept, 95, (1,))
    assert members(kept) == [100] and kept.lacks_controls()
    while kept.size < 2:
        assert kept.improve()
        assert 105 not in members(kept)
    assert 95 in members(kept)


def test_what_was_compared_is_kept() -> None:
    asked: list[tuple[int, int]] = []

    def alike(one: int, other: int) -> bool:
        asked.append((one, other))
        return near(one, other)

    kept = chosen_from(4, alike=alike)
    for number in range(10):
        offer(kept, number)
    for _ in range(100):
        kept.improve()
    before = len(asked)
    for _ in range(100):
        kept.improve()
    assert len(asked) == before
    offer(kept, 20)
    for _ in range(100):
        kept.improve()
    assert 0 < len(asked) - before < 60  # pairs with the new one, in both orders


@pytest.mark.parametrize("seed", range(3))
def test_comparisons_are_true_of_those_that_took_the_places_of_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    joined = joined_at_random(120, 0.3, rng)
    kept = chosen_from(12, room=40, alike=lambda one, other: bool(joined[one, other]))
    for number in range(120):
        offer(kept, number, tuple(rng.choice(12, 4, replace=False).tolist()))
        for _ in range(5):
            kept.improve()
    assert kept.used == 40
    for place in np.flatnonzero(kept.rows >= 0).tolist():
        assert (kept.alike[:, place] == joined[kept.items[kept.rows[place]], kept.items]).all()
    assert (kept.tight == kept.alike.sum(axis=1)).all()
    kept.return_to_largest()
    assert kept.size == kept.most
    inside = members(kept)
    assert not joined[np.ix_(inside, inside)][~np.eye(len(inside), dtype=bool)].any()
    held = [kept.held(slot) for slot in range(12) if kept.held(slot) >= 0]
    assert len(set(held)) == len(held) == kept.size


@pytest.mark.parametrize("seed", range(4))
def test_a_search_in_all_that_is_kept_finds_the_largest_set(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(independent_set, "CROWDED", 40)
    rng = np.random.default_rng(seed)
    joined = joined_at_random(120, 0.3, rng)
    kept = chosen_from(40, room=120, alike=lambda one, other: bool(joined[one, other]))
    for number in range(120):
        offer(kept, number)
    before, inside, places = kept.most, set(kept.rows.tolist()), kept.rows.copy()
    largest, _ = nx.max_weight_clique(nx.from_numpy_array(~joined), weight=None)
    assert kept.search(4000, seed) == (len(largest) > before)
    assert kept.size == kept.most == len(largest)
    assert len(set(kept.holder) - {-1}) == kept.size
    chosen = members(kept)
    assert not joined[np.ix_(chosen, chosen)][~np.eye(len(chosen), dtype=bool)].any()
    assert (kept.tight[:120] == kept.alike[:120].sum(axis=1)).all()
    assert (kept.tight[:120] == [joined[k, chosen].sum() for k in kept.items]).all()
    stayed = np.isin(places, list(inside & set(kept.rows.tolist()) - {-1}))
    assert (kept.rows[stayed] == places[stayed]).all()
    kept.improve()
    kept.return_to_largest()
    assert members(kept) == chosen
    assert not kept.search(4000, seed)


def test_a_search_looks_at_what_few_are_in_the_way_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three that both of the set are in the way of are left out, though together they are more."""
    monkeypatch.setattr(independent_set, "CROWDED", 1)
    kept = chosen_from(5, alike=is_joined)
    for number in range(5):
        offer(kept, number)
    assert members(kept) == [0, 1]
    assert not kept.search(100, 1)
    monkeypatch.setattr(independent_set, "CROWDED", 2)
    assert kept.search(100, 1)
    assert members(kept) == [2, 3, 4]


def test_a_search_matches_the_set_with_controls_that_it_obeys() -> None:
    kept = chosen_from(3)
    offer(kept, 1, (0,))
    offer(kept, 0, (1,))  # like the 1
    offer(kept, 2, (2,))  # like the 1
    kept._replace(np.array([0, -1, -1]))  # by itself it takes two for one
    assert members(kept) == [1]
    assert kept.search(100, 1)
    assert members(kept) == [0, 2]
    assert [kept.held(slot) for slot in range(3)] == [-1, 1, 2]


def test_a_search_that_has_no_time_changes_nothing() -> None:
    kept = chosen_from(3)
    for number in (1, 0, 2):
        offer(kept, number)
    kept._replace(np.array([0, -1, -1]))
    assert not kept.search(100, 1, lambda: True)
    assert members(kept) == [1]


@pytest.mark.parametrize("seed", range(3))
def test_what_a_search_compares_is_true_and_leaves_as_many_comparisons_for_exchanges(seed: int) -> None:
    """Some have been compared with all, some of these before others came, and some have come in others' places."""
    rng = np.random.default_rng(seed)
    joined = joined_at_random(120, 0.3, rng)
    kept = chosen_from(12, room=40, alike=lambda one, other: bool(joined[one, other]))
    for number in range(120):
        offer(kept, number)
        if number % 3 == 0:
            kept.improve()
        if number % 40 == 39:
            before = kept.compared
            rows = np.flatnonzero(rng.random(kept.used) < 0.7)
            numbers = [kept.items[row] for row in rows.tolist()]
            apart = ~np.eye(len(rows), dtype=bool)
            for row in rows.tolist():
                kept._compare_among(row, rows)
            assert (kept._pairs[np.ix_(rows, rows)][apart] == joined[np.ix_(numbers, numbers)][apart]).all()
            assert kept.compared == before


class Counts(Stripes):
    """Rows of twelve bits, all good; of one number of ones are alike."""

    def __init__(self) -> None:
        super().__init__()
        self._content_space = array((1, 12), integers(2))

    def info(self, content: Any) -> dict[str, Any]:
        return {"ones": int(np.sum(content))}

    def quality(self, info: dict[str, Any]) -> float:
        return 1.0

    def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
        return float(one["ones"] != other["ones"])

    def controlability(self, info: dict[str, Any], control: dict[str, Any]) -> float:
        return 1.0


def test_what_is_rare_is_bred_from_what_is_nearly_as_rare() -> None:
    problem = Counts()
    layout = Layout(problem._content_space)
    bred = Breeding(problem, [{}] * 13, layout, np.random.default_rng(3))
    half = np.array([0.0, 1.0] * 6)

    def judge(vector: Any) -> Member:
        return Member(vector, problem.info([vector.tolist()]), 1.0)

    assert bred.offer(judge(half))
    for _ in range(600):
        bred.breed(judge)
    found = [bred.chosen(slot) for slot in range(13)]
    assert sorted(member.info["ones"] for member in found if member is not None) == list(range(13))


def test_contents_that_obey_nothing_or_are_copies_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counts, "controlability", lambda self, info, control: float(info["ones"] == control["ones"]))
    problem = Counts()
    bred = Breeding(problem, [{"ones": 6}], Layout(problem._content_space), np.random.default_rng(3))
    assert not bred.offer(Member(np.zeros(12), {"ones": 0}, 1.0))
    assert bred.offer(Member(np.zeros(12), {"ones": 0}, 1.0), (0,))  # taken to obey
    assert bred.set.size == 1
    before = bred.set.used
    for _ in range(50):
        bred.breed(lambda vector: Member(vector, {"ones": 0}, 1.0))
    assert bred.set.used == before


def test_numbers_of_contents_that_had_to_go_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breeding, "NUMBERS", 20)
    monkeypatch.setattr(breeding, "ALIKE", 3)
    monkeypatch.setattr(breeding, "ROOM_BY_PAIRS", 10)
    problem = SimpleNamespace(diversity=lambda one, other: 1.0, controlability=lambda info, control: 1.0)
    bred = Breeding(problem, [{}], Layout(Counts()._content_space), np.random.default_rng(3))
    for number in range(200):
        bred.offer(Member(np.array([float(number)]), {"number": number, "same": 1}, 1.0))
        if number == 9:
            assert len(bred.parents.kinds) == 11
            assert [len(alike) for alike in bred.parents.kinds.values() if len(alike) > 1] == [3]
    monkeypatch.setattr(bred.set, "room", 10)
    bred.set.tight[:] = 5  # all have to go sooner than a new one
    bred.set.inside[:] = False
    for number in range(200, 260):
        bred.offer(Member(np.array([float(number)]), {"number": number, "same": 1}, 1.0))
        bred.set.tight[:] = 5
    assert 10 <= len(bred.parents.kinds) <= 21
    assert ("number", 259.0) in bred.parents.kinds
    assert len(bred.members) <= 20
    assert bred.set.used == 10


def test_parents_of_a_number_have_it_however_many_contents_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breeding, "ROOM_BY_PAIRS", 5)
    problem = SimpleNamespace(diversity=Counts().diversity, controlability=lambda info, control: 1.0)
    bred = Breeding(problem, [{}] * 13, Layout(Counts()._content_space), np.random.default_rng(3))
    for k in range(200):
        bits = np.array([float(k >> bit & 1) for bit in range(12)])
        bred.offer(Member(bits, {"ones": int(bits.sum())}, 1.0))
    assert bred.set.used == 5
    assert len(bred.parents.kinds) == 8
    for (name, number), alike in bred.parents.kinds.items():
        assert [member.info[name] for member in alike] == [number] * len(alike)


def test_some_parents_obey_a_control_that_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breeding, "OPEN", 1.0)
    monkeypatch.setattr(breeding, "LACKING", 1.0)
    monkeypatch.setattr(breeding, "SPREAD", 1.0)
    monkeypatch.setattr(Counts, "controlability", lambda self, info, control: float(info["ones"] <= control["most"]))
    problem = Counts()
    controls = [{"most": 12}, {"most": 1}, {"most": 1}]
    bred = Breeding(problem, controls, Layout(problem._content_space), np.random.default_rng(3))
    for ones in (9, 5, 1):
        bred.offer(Member(np.array([1.0] * ones + [0.0] * (12 - ones)), {"ones": ones}, 1.0))
    assert bred.set.size == 2
    assert {bred._parent().info["ones"] for _ in range(40)} == {1}
    bred.offer(Member(np.zeros(12), {"ones": 0}, 1.0))
    assert bred.set.size == 3
    assert {bred._parent().info["ones"] for _ in range(40)} == {0, 1, 5, 9}


def test_many_parents_are_those_that_few_of_the_set_are_in_the_way_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breeding, "DRAWN", 80)
    monkeypatch.setattr(Counts, "diversity", lambda self, one, other: float(abs(one["ones"] - other["ones"]) > 2))
    problem = Counts()
    bred = Breeding(problem, [{}] * 13, Layout(problem._content_space), np.random.default_rng(3))
    bred._nearly = 1.0

    def offer(ones: int) -> None:
        bred.offer(Member(np.array([1.0] * ones + [0.0] * (12 - ones)), {"ones": ones}, 1.0))

    offer(4)
    assert bred._parent().info["ones"] == 4  # all that there is
    offer(8)
    offer(6)  # both of the set are in its way
    assert {bred._parent().info["ones"] for _ in range(40)} == {6}
    offer(9)  # one of the set is
    assert {bred._parent().info["ones"] for _ in range(40)} == {9}


def test_no_child_is_judged_twice_as_long_as_there_are_others() -> None:
    problem = Counts()
    bred = Breeding(problem, [{}] * 13, Layout(problem._content_space), np.random.default_rng(3))
    judged: list[bytes] = []

    def judge(vector: Any) -> Member:
        judged.append(vector.tobytes())
        return Member(vector, problem.info([vector.tolist()]), 1.0)

    assert bred.offer(judge(np.array([0.0, 1.0] * 6)))
    for _ in range(300):
        bred.breed(judge)
    assert len(set(judged)) > 290  # of 4,096; a third would be copies


def test_many_are_compared_at_once_where_the_problem_can() -> None:
    asked: list[int] = []

    class AtOnce(PairTable):
        def meet(self, item: Any) -> Any:
            asked.append(item["ones"])
            return super().meet(item)

    problem = SimpleNamespace(
        diversity=Counts().diversity,
        controlability=Counts().controlability,
        table=lambda places: AtOnce(places, lambda one, other: one["ones"] == other["ones"]),
    )
    bred = Breeding(problem, [{}] * 3, Layout(Counts()._content_space), np.random.default_rng(3))
    assert bred.offer(Member(np.zeros(12), {"ones": 0}, 1.0))
    assert asked


def test_a_search_whose_climbs_stand_still_breeds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("STAY", 1), ("STANDSTILL", 3), ("BRIEF", 3), ("FEW", 1), ("SLOW", 0.0), ("FRUITLESS", 800)):
        monkeypatch.setattr(search, name, number)
    used = []
    breed = Breeding.breed
    monkeypatch.setattr(breeding.Breeding, "breed", lambda self, ask: (used.append(1), breed(self, ask))[1])
    batches = []
    for _ in range(2):
        searching = BatchSearch(Environment(Counts()), [{"zeros": k} for k in range(13)], seed=4)
        batches.append(searching.run(evaluations=6000))
        assert searching.judged <= 6000
        settled = [member.info["ones"] for member in searching.settled if member is not None]
        assert sorted(settled) == list(range(13))
    assert used
    assert batches[0] == batches[1]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_larger_set_is_searched_for_at_shares_of_the_budget(monkeypatch: pytest.MonkeyPatch, at_once: bool) -> None:
    problem = Counts()
    if at_once:
        problem.table = lambda places: PairTable(  # type: ignore[attr-defined]
            places, lambda one, other: bool(one["ones"] == other["ones"])
        )
    searching = BatchSearch(Environment(problem), [{"zeros": k} for k in range(14)], seed=4)  # one too many
    searching._pool = [Member(np.zeros(12), {"ones": 0}, 1.0)]
    monkeypatch.setattr(breeding, "STEPS", 50)
    at: list[int] = []
    monkeypatch.setattr(
        IndependentSet, "search", lambda self, steps, seed, stop: at.append(searching.judged) if steps == 50 else None
    )
    monkeypatch.setattr(search, "TRIAL", 10_000)
    searching._share = lambda: searching.judged / 1000
    searching._spent = lambda share=1.0: searching._share() >= share
    searching._breed()
    assert searching.judged == 1000
    assert at == ([int(1000 * share) for share in search.THOROUGH] if at_once else [])


def test_climbs_that_are_no_slower_than_they_were_are_left_to_go_on() -> None:
    searching = BatchSearch(Environment(Counts()), [{"zeros": k} for k in range(13)], seed=4)
    assert not searching._stands_still()  # nothing is good yet
    searching._pool = [Member(np.zeros(12), {"ones": 0}, 1.0)] * search.FEW
    searching._took = [3000] * 9
    searching._lately.extend(range(15_000, 30_000, 3000))
    searching._gained, searching.judged = 27_000, 32_000
    assert not searching._stands_still()  # slow, as always
    searching._took = [300] * 9
    assert searching._stands_still()
    searching.judged = 28_000
    assert not searching._stands_still()  # one was settled just now
    searching.judged = 32_000
    searching.settled = [searching._pool[0]] * 13
    assert not searching._stands_still()  # none is open: some have asked less, which breeding does not look at


def test_climbs_that_were_slow_from_the_first_slot_on_give_way_where_many_are_compared_at_once() -> None:
    problem = Counts()
    searching = BatchSearch(Environment(problem), [{"zeros": k} for k in range(13)], seed=4)
    searching._pool = [Member(np.zeros(12), {"ones": 0}, 1.0)] * search.FEW
    searching.judged = 5_000  # none was settled by them
    searching._share = lambda: 0.1
    assert not searching._stands_still()  # each pair is a question of its own
    problem.table = lambda places: PairTable(places, near)  # type: ignore[attr-defined]
    assert searching._stands_still()
    searching._share = lambda: 0.01  # 500,000 contents are left for 13
    assert not searching._stands_still()


def test_breeding_has_as_long_as_climbs_had_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    searching = BatchSearch(Environment(Counts()), [{"zeros": k} for k in range(13)], seed=4)
    searching._pool = [Member(np.zeros(12), {"ones": 0}, 1.0)]
    searching._took = [300] * 9
    monkeypatch.setattr(Breeding, "breed", lambda self, ask: setattr(searching, "judged", searching.judged + 1))
    searching.judged = 2_000
    searching._breed()
    assert searching.judged == 2_000 + search.TRIAL  # fruitless, and climbs were no better
    assert searching._patience == search.TRIAL
    searching.judged += 9_000
    searching._breed()
    assert searching.judged == 2_000 + search.TRIAL + 9_000 + 11_001
    searching._settle(0, searching._pool[0])
    assert searching._vain == 0


def test_open_slots_are_answered_with_what_is_taken_out_before_what_is_settled() -> None:
    class Near(Counts):
        """Those with numbers of ones less than three apart are alike, the more the nearer."""

        def diversity(self, one: dict[str, Any], other: dict[str, Any]) -> float:
            return min(1.0, abs(one["ones"] - other["ones"]) / 3)

    def content(ones: int) -> Member:
        return Member(np.array([1.0] * ones + [0.0] * (12 - ones)), {"ones": ones}, 1.0)

    problem = Near()
    searching = BatchSearch(Environment(problem), [{}] * 11, seed=4)
    searching._pool = [content(ones) for ones in range(13)]
    for slot, ones in enumerate((0, 3, 6, 9, 12)):
        searching.settled[slot] = content(ones)
        searching._front.append(content(ones))
    for slot in range(5, 11):  # each is hardly like any, and so the answer as long as there is no better one
        searching._keep(slot, 2.0, 0.5, content((1, 2, 4, 5, 7, 8)[slot - 5]))
    answers = [problem.info([vector.tolist()]) for vector in searching._answers()]
    assert [info["ones"] for info in answers[:5]] == [0, 3, 6, 9, 12]
    alike = np.array([[1.0 - problem.diversity(one, other) for other in answers] for one in answers])
    while alike.sum(axis=1).max() > 1:  # as the benchmark counts
        worst = int(alike.sum(axis=1).argmax())
        alike = np.delete(np.delete(alike, worst, axis=0), worst, axis=1)
    assert len(alike) == 5


def test_numbers_are_read_from_what_a_problem_tells() -> None:
    told = {"crates": np.int64(3), "ratio": 0.5, "plan": "uuld", "rooms": [1, 2], "none": None, "free": True}
    assert numbers_of(told) == {"crates": 3.0, "ratio": 0.5, "plan": 4.0, "rooms": 2.0, "free": 1.0}
    assert numbers_of([1, 2]) == {}
