"""Pages and tables of long runs: they hold what they show, and show the same as if all was held."""

from __future__ import annotations

import json
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pcg.files import tables
from pcg.report.columns import ROWS, Columns
from pcg.web import tried_levels
from pcg.web.heatmap import Cells, axes_for, heatmap
from pcg.web.points import Points
from pcg.web.run_levels import Entry, Measure
from pcg.web.tried_levels import MOST_RISES, FollowedLog, TriedLevels

METRICS = [f"m{n}" for n in range(8)]


def event(k: int) -> dict[str, Any]:
    """A made-up level; the last metrics are known of some levels only, and of none of the first ones."""
    metrics = {name: (k * (2 * n + 3) % 101) / 101 for n, name in enumerate(METRICS)}
    metrics |= {"late": float(k % 7)} if k > 150 and k % 3 else {}
    return {"id": k, "feasible": k % 3 == 0, "fitness": (k * 17 % 89) / 89, "level": f"w{k}", "metrics": metrics}


def write_log(path: Path, first: int, end: int) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(event(k)) + "\n" for k in range(first, end))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables go to files, and levels are taken, a few at a time."""
    monkeypatch.setattr("pcg.report.columns.ROWS", 64)
    monkeypatch.setattr(tried_levels, "_AT_ONCE", 100)


def held(log: TriedLevels | FollowedLog, ask: Callable[[], object]) -> tuple[int, int]:
    """Bytes that are held after a log was read and asked of, and at most."""
    tracemalloc.start()
    try:
        log.refresh()
        ask()
        return tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def test_of_a_tried_level_a_byte_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the table that is not yet in the file are as many in all logs here."""
    monkeypatch.setattr(tried_levels, "_AT_ONCE", ROWS)
    path, found = tmp_path / "events.jsonl", []
    for end in (20, 2 * ROWS, 6 * ROWS):
        write_log(path, sum(1 for _ in path.open()) if path.exists() else 0, end)
        log = TriedLevels(path)
        found.append(held(log, lambda log=log: heatmap(log.points(), ())))  # type: ignore[misc]
        assert len(log) == end and log.event(end - 3)["id"] == end - 3
    (_, (now, peak), (later, highest)) = found
    assert later - now < 4 * 4 * ROWS and highest - peak < 4 * 4 * ROWS


def test_of_runs_of_other_kinds_no_candidate_is_held(tmp_path: Path) -> None:
    path, found = tmp_path / "events.jsonl", []
    for end in (20, 2000, 8000):
        write_log(path, sum(1 for _ in path.open()) if path.exists() else 0, end)
        log = FollowedLog(path)
        found.append(held(log, lambda: None))
        assert (len(log), log.feasible) == (end, -(-end // 3))
    assert found[2][1] - found[1][1] < 2000


def test_a_curve_that_always_rises_keeps_its_ends_and_some_of_it() -> None:
    log = FollowedLog(Path("none"))
    for k in range(3 * MOST_RISES):
        log._take({"feasible": True, "fitness": k + 1})
        assert len(log.rises) <= MOST_RISES and log.rises[-1] == (k + 1, k + 1.0)
    assert log.rises[0] == (1, 1.0) and log.rises == sorted(set(log.rises))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("gone", [(), (0, 3, 77, 300)])
@pytest.mark.parametrize("measures", [(), (Measure("m1", 0.0, 1.0, 5), Measure("late", 0.0, 9.0, 3))])
def test_a_map_of_a_log_is_that_of_its_levels_at_once(
    tmp_path: Path, gone: tuple[int, ...], measures: tuple[Measure, ...]
) -> None:
    path = tmp_path / "events.jsonl"
    log = TriedLevels(path)
    for first, end in ((0, 30), (30, 200), (200, 501)):
        write_log(path, first, end)
        log.refresh()
        entries = [Entry.of(f"tried-{k}", "", "", event(k)) for k in range(end)]
        lost = {f"tried-{k}" for k in gone}
        expected, points = Points.of(entries).without(lost), log.points().without(lost)
        for x, y in (("", ""), ("m3", "m4"), ("m2", "fitness"), *((("late", "m0"),) if end > 200 else ())):
            assert json.dumps(heatmap(points, measures, x, y)) == json.dumps(heatmap(expected, measures, x, y))


@pytest.mark.usefixtures("small")
def test_cells_go_on_from_the_levels_they_have(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = TriedLevels(path)
    measures = (Measure("m1", 0.0, 1.0, 5), Measure("m2", 0.0, 1.0, 4))
    write_log(path, 0, 10)
    log.refresh()
    cells = Cells(axes_for(log.points(), measures), measures, shown=1)
    for first, end in ((10, 11), (11, 150), (150, 400)):
        cells.take(log.points())
        write_log(path, first, end)
        log.refresh()
    cells.take(log.points())
    told, whole = cells.told(log.points()), heatmap(log.points(), measures)["cells"]
    assert told == [{**cell, "keys": cell["keys"][:1]} for cell in whole]
    assert sum(cell["levels"] for cell in told) == 400


@pytest.mark.usefixtures("small")
def test_a_table_takes_columns_as_rows_bring_them() -> None:
    rng = np.random.default_rng(5)
    with Columns(["a"], growing=True) as table:
        rows = [{"a": k, **({"b": k / 7} if k > 100 else {}), **({"c": k / 3} if k % 2 else {})} for k in range(300)]
        for row in rows:
            table.add(row)
        for name in "abc":
            assert np.array_equal(table[name], [row.get(name, np.nan) for row in rows], equal_nan=True)
        for first in rng.integers(0, 290, 20).tolist():
            part = table.part(["c", "none"], first, first + 9)
            assert np.array_equal(part[0], table["c"][first : first + 9], equal_nan=True) and np.isnan(part[1]).all()


# -- tables ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"format": 1, "kind": "levels"}))
    write_log(folder / "events.jsonl", 0, 500)
    return folder


def test_a_table_that_fails_leaves_the_old_one(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.csv"
    tables.write_table(run, path)
    before = path.read_bytes()
    whole, asked = tables.run_rows, []

    def failing(folder: Path | str) -> Iterator[dict[str, Any]]:
        asked.append(folder)
        for k, row in enumerate(whole(folder)):
            if len(asked) == 2 and k == 100:
                raise OSError(28, "No space left on device")
            yield row

    monkeypatch.setattr(tables, "run_rows", failing)
    with pytest.raises(OSError, match=r"No space left on device: '[^']*/run\.csv'"):
        tables.write_table(run, path)
    assert path.read_bytes() == before and sorted(p.name for p in tmp_path.iterdir()) == ["run", "run.csv"]


class Row(dict[str, Any]):
    """Row of a table of which one can tell whether anybody holds it."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def test_parquet_is_written_in_groups_of_rows_that_are_not_held(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `tables`")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `tables`")
    rows = list(tables.run_rows(run))
    seen: list[int] = []

    def passing(folder: Path | str) -> Iterator[Row]:
        alive: weakref.WeakSet[Row] = weakref.WeakSet()
        for one in rows:
            row = Row(one)
            alive.add(row)
            seen.append(len(alive))
            yield row

    monkeypatch.setattr(tables, "run_rows", passing)
    monkeypatch.setattr(tables, "ROW_GROUP", 128)
    monkeypatch.setattr(tables, "_BATCH", 32)
    path = tmp_path / "run.parquet"
    assert tables.write_table(run, path) == 500 and max(seen) <= 66
    names = dict.fromkeys(name for row in rows for name in row)
    assert parquet.read_table(path).equals(pyarrow.table({name: [row.get(name) for row in rows] for name in names}))
    assert parquet.ParquetFile(path).num_row_groups == 4


@pytest.mark.parametrize("values", [[1, 2.5, None], [None, None], [3, -(2**40)], ["x", None], [True, False], []])
def test_types_of_columns_are_those_of_all_values(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[Any]
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `tables`")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `tables`")
    monkeypatch.setattr(tables, "run_rows", lambda folder: iter([{"a": value} for value in values]))
    path = tmp_path / "run.parquet"
    tables.write_table(run, path)
    assert parquet.read_table(path).equals(pyarrow.table({"a": values} if values else {}))
