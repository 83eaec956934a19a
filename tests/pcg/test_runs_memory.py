"""Memory that runs take for each candidate: a few bytes, with the answers that lists and dictionaries give."""

from __future__ import annotations

import bisect
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from pcg.runs.archive import Archive
from pcg.runs.deduplication import RECENT, CompactTable, FirstOccurrences
from pcg.runs.ranks import NONE, Ranks
from pcg.runs.store import RunLog


def test_a_table_answers_as_a_dictionary_does() -> None:
    rng = np.random.default_rng(1)
    table, known = CompactTable([("times", np.uint32), ("mean", np.float64)]), {}
    for key in [0, 2**64 - 1, 2**63, *rng.integers(2 * RECENT, size=4 * RECENT).tolist()]:
        value = known.get(key, (0, 0.1))
        assert table.get(key) == known.get(key)
        known[key] = value[0] + 1, value[1] / 3
        table[key] = known[key]
    assert len(table) == len(known) > RECENT
    assert all(table.get(key) == value for key, value in known.items())


def test_ranks_are_in_order_and_keep_what_stands_back() -> None:
    rng = np.random.default_rng(2)
    ranks, expected, betters = Ranks(), [], {}
    for number in range(600):
        rank = -float(rng.integers(20)) / 20, number
        ranks.add(rank)
        bisect.insort(expected, rank)
        if number % 3 == 0:
            ranks.stand_back(ranks.index(rank), number // 2)
            betters[number] = number // 2
        if number % 7 == 0:
            old = expected.pop(int(rng.integers(len(expected))))
            new = -float(rng.random()), old[1]
            ranks.move(old, new)
            bisect.insort(expected, new)
    assert list(ranks) == expected and len(ranks) == len(expected)
    assert [ranks.better(place) for place in range(600)] == [betters.get(number, NONE) for _, number in expected]
    with pytest.raises(ValueError, match="no candidate has the rank"):
        ranks.index((-0.5, 10_000))


def test_an_event_is_found_among_others_and_read_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = RunLog(path, lambda event: None)
    for number in range(50):
        log.append({"id": number, "text": "x" * number})
    log.close()
    met: list[int] = []
    log = RunLog(path, lambda event: met.append(event["id"]))
    for number in range(50, 83):
        log.append({"id": number, "text": "x" * number})
    assert met == list(range(50)) and len(log) == 83
    assert [log.read(number)["id"] for number in (82, 0, 7, 8, 49, 50, 63)] == [82, 0, 7, 8, 49, 50, 63]
    assert [len(event["text"]) for event in log.read_all(5, 83)] == list(range(5, 83))
    assert list(log.read_all(83, 83)) == []
    with pytest.raises(IndexError, match="has 83 events"):
        log.read(83)
    log.close()


def test_what_is_held_of_a_candidate_are_a_few_bytes(tmp_path: Path) -> None:
    """Of 25,000 candidates, of which a third are feasible and most of these like better ones."""
    before, count = RECENT, 3 * RECENT  # none wait to be sorted in
    archive: Archive[int] = Archive(
        10, 1.5, lambda number: {"id": number}, lambda event: event["id"], lambda event: event["id"],
        lambda one, other: abs(one - other) / count,
    )  # fmt: skip
    first = FirstOccurrences()
    log = RunLog(tmp_path / "events.jsonl", lambda event: None)
    keys = np.random.default_rng(3).permutation(count).tolist()

    def take(numbers: range) -> None:
        for number in numbers:
            first.setdefault(keys[number].to_bytes(16, "big"), number)
            log.append({"id": number})
            archive.add(number, number % 3 == 0, (keys[number] % 1000) / 1000, 0.5)

    tracemalloc.start()
    try:
        take(range(before))
        held = tracemalloc.get_traced_memory()[0]
        take(range(before, count))
        grown = tracemalloc.get_traced_memory()[0] - held
    finally:
        tracemalloc.stop()
        log.close()
    assert archive.evaluations == len(first) == len(log) == count
    assert grown < 25 * (count - before)
