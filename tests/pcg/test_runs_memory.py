"""Memory that runs take for each candidate: a few bytes, with the answers that lists and dictionaries give."""

from __future__ import annotations

import bisect
import json
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcg.evaluators.courses import Introductions
from pcg.report.base import LoggedEvents, read_events
from pcg.report.columns import ROWS, Columns
from pcg.report.levels import CORRELATED, level_figures
from pcg.runs.archive import Archive
from pcg.runs.deduplication import RECENT, CompactTable, FirstOccurrences
from pcg.runs.experiments.course import GROUPS, IN_TURN, POOL, CourseCandidates
from pcg.runs.ranks import NONE, Ranks
from pcg.runs.store import Places, RunLog, read_last_line


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


def test_a_table_is_not_copied_when_entries_are_sorted_in() -> None:
    table = CompactTable(np.uint32)
    keys = np.random.default_rng(4).integers(2**63, size=40 * RECENT).tolist()
    tracemalloc.start()
    try:
        for number, key in enumerate(keys):
            if number == 39 * RECENT:
                tracemalloc.reset_peak()
            table[key] = number
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(table.get(key) == number for number, key in enumerate(keys))
    assert peak - held < 8 * len(table)  # no second array of the keys, beside entries that wait


class Event(dict[str, Any]):
    """Line of a log of which one can tell whether anybody holds it."""


def passing(count: int, seen: list[int]) -> Iterator[Event]:
    """Yield made-up events of a run of levels, and note for each how many of those before it are held."""
    alive: weakref.WeakSet[Event] = weakref.WeakSet()
    Event.__hash__ = object.__hash__  # type: ignore[assignment]
    for k in range(count):
        metrics = {name: (k * (2 * n + 3) % 101) / 101 for n, name in enumerate(CORRELATED)}
        event = Event(id=k, feasible=k % 3 == 0, fitness=k / count, level=str(k), metrics=metrics, constraint=1.0)
        alive.add(event)
        seen.append(len(alive))
        yield event


def test_figures_of_a_run_hold_no_events(tmp_path: Path) -> None:
    seen: list[int] = []
    assert [f.title for f in level_figures(tmp_path, passing(500, seen))] == ["Expressive range", "Correlations"]
    assert len(seen) == 500 and max(seen) <= 3


def write_log(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({**event, "play": "U" * 300}) + "\n" for event in passing(count, []))


def test_the_report_of_a_run_takes_a_few_bytes_an_evaluation(tmp_path: Path) -> None:
    """Columns of metrics are in a file from some thousand levels on; what is left is the curve of the fitness."""

    def peak(count: int) -> int:
        write_log(tmp_path / "events.jsonl", count)
        tracemalloc.start()
        try:
            level_figures(tmp_path, read_events(tmp_path))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = ROWS, 4 * ROWS  # a third of them in the table
    peak(200)  # what is loaded once
    assert peak(many) - peak(few) < 200 * (many - few)


def test_events_are_read_again_one_by_one(tmp_path: Path) -> None:
    write_log(tmp_path / "events.jsonl", 50)
    places = Places()
    expected = list(read_events(tmp_path, places))
    events = LoggedEvents(tmp_path, places)
    assert [events[k] for k in (49, 0, 17, 17)] == [expected[k] for k in (49, 0, 17, 17)]
    assert list(events) == list(range(50)) and 49 in events and 50 not in events and -1 not in events
    with pytest.raises(KeyError):
        events[50]


def test_columns_in_a_file_are_those_that_were_added() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((2 * ROWS + 100, 3))
    with Columns(["a", "b", "c"]) as table:
        for number, row in enumerate(values.tolist()):
            table.add(dict(zip("abc", row, strict=True)))
            if number == ROWS + 5:  # reading is no end of writing
                assert np.array_equal(table["b"], values[: number + 1, 1])
        assert all(np.array_equal(table[name], values[:, k]) for k, name in enumerate("abc"))


def reference_choice(events: list[dict[str, Any]], count: int) -> list[int]:
    """Choose as with all events in lists."""
    by_elements: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for event in events:
        by_elements.setdefault(tuple(sorted(event["level"])), []).append(event)
    queues = []
    for key in sorted(by_elements, key=lambda key: (len(key), key)):
        ranked = sorted(by_elements[key], key=lambda event: (event["metrics"]["difficulty"], event["id"]))
        share = max(1, -(-len(ranked) // GROUPS))
        groups = [ranked[k : k + share] for k in range(0, len(ranked), share)]
        groups = [group for pair in zip(groups, reversed(groups), strict=True) for group in pair][: len(groups)]
        for group in groups:
            group.sort(key=lambda event: (-event["fitness"], event["id"]))
        queues.append([group[k]["id"] for k in range(share) for group in groups if k < len(group)])
    chosen: list[int] = []
    turn = 0
    while len(chosen) < POOL * count and any(turn < len(queue) for queue in queues):
        for queue in queues:
            chosen += queue[turn : turn + IN_TURN]
        turn += IN_TURN
    return chosen[: POOL * count]


@pytest.mark.parametrize(("number", "count"), [(0, 3), (1, 3), (7, 5), (40, 2), (500, 4), (500, 40)])
def test_levels_for_a_course_are_chosen_as_from_lists_and_held_as_numbers(number: int, count: int) -> None:
    rng = np.random.default_rng(number + count)
    events = [
        {"id": 3 * k, "level": "".join(sorted(set(rng.choice(list("abc"), 2)))), "fitness": int(rng.integers(9)) / 9,
         "metrics": {"difficulty": int(rng.integers(30)) / 30}}
        for k in range(number)
    ]  # fmt: skip
    chosen = reference_choice(events, count)
    tracemalloc.start()
    try:
        candidates = CourseCandidates()
        for event in events:
            candidates.add(event, frozenset(event["level"]))
        assert tracemalloc.get_traced_memory()[0] < 6000 + 50 * number
    finally:
        tracemalloc.stop()
    assert candidates.choose(count) == chosen


def reference_missing(levels: list[tuple[float, frozenset[str]]]) -> frozenset[str]:
    """Walk through all levels by rising difficulty, those that are equally hard together."""
    there = frozenset[str]().union(*(kinds for _, kinds in levels))
    known = there.intersection(*(kinds for _, kinds in levels))
    for hard in sorted({difficulty for difficulty, _ in levels}):
        while new := next((kinds for at, kinds in levels if at == hard and len(kinds - known) == 1), None):
            known |= new
    return there - known


def test_kinds_that_cannot_be_introduced_are_found_as_in_a_walk() -> None:
    rng = np.random.default_rng(6)
    some = 0
    for _ in range(300):
        levels = [
            (int(rng.integers(8)) / 8, frozenset(rng.choice(list("abcdef"), int(rng.integers(1, 5))).tolist()))
            for _ in range(int(rng.integers(12)))
        ]
        found = Introductions()
        for difficulty, kinds in levels:
            found.add(difficulty, kinds)
        assert found.missing() == reference_missing(levels)
        some += bool(found.missing())
    assert 50 < some < 250


@pytest.mark.parametrize(
    "text",
    ["", "{}", '{"a": 1}\n', '{"a": 1}\n{"a": 2}', '{"a": 1}\n{"a": 2}\n{"to', "\n\n", '{"a": 1}\n[]\n',
     "".join(f'{{"a": {k}, "b": "{"x" * (k % 900)}"}}\n' for k in range(40)),
     f'{{"a": "{"y" * 9000}"}}\n{{"a": "{"z" * 9000}"}}\n', f'{{"a": "{"y" * 9000}"}}\n{{"a": "{"z" * 9000}'],
)  # fmt: skip
def test_the_last_line_of_a_log_is_found_from_its_end(tmp_path: Path, text: str) -> None:
    path = tmp_path / "timing.jsonl"
    path.write_text(text, encoding="utf-8")
    found: dict[str, Any] = {}
    for line in text.splitlines()[-2:]:
        try:
            data = json.loads(line)
        except ValueError:
            continue
        found = data if isinstance(data, dict) else found
    assert read_last_line(path) == found
