"""Runs as tables: one row for every evaluation, as CSV or Parquet, and as a dataset in the layout of Hugging Face."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.runs.store import check_run, draft_of

_NESTED = ("constraints", "metrics", "wants")
"""Objects of an event whose entries become columns ``constraints.win``."""
ROW_GROUP = 16_384
"""Rows of a Parquet file that are in memory at the same time, as Arrow holds them."""
_BATCH = 1024
"""Rows that are in memory as objects of Python."""


def run_rows(folder: Path | str) -> Iterator[dict[str, Any]]:
    """Yield the evaluations of a run in order: a flat mapping from columns to numbers and texts.

    Raises:
        PcgError: the folder is no run, or one without a log of evaluations.

    >>> import tempfile, pcg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = pcg.generate("boxes", 1, generator="random", evaluations=3, out=f"{folder}/run")
    ...     rows = list(run_rows(made.folder))
    >>> [row["id"] for row in rows], "metrics.width" in rows[0]
    ([0, 1, 2], True)
    """
    folder = Path(folder)
    check_run(folder)
    log = folder / "events.jsonl"
    if not log.is_file():
        log = folder / "results.jsonl"
    if not log.is_file():
        raise PcgError(f"{folder} has no log of evaluations")
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                return  # a line that is being written
            yield _flat(json.loads(line))


def _flat(event: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, value in event.items():
        if key == "parts" and isinstance(value, dict):
            row |= {f"parts.{name}": part["value"] for name, part in value.items()}
        elif isinstance(value, dict) and (key in _NESTED or all(isinstance(v, int | float) for v in value.values())):
            row |= {f"{key}.{name}": number for name, number in value.items()}
        elif isinstance(value, dict | list):
            row[key] = json.dumps(value, ensure_ascii=False)
        else:
            row[key] = value
    return row


def write_table(folder: Path | str, path: Path | str) -> int:
    """Write the evaluations of a run as a table, and return the number of rows.

    Args:
        folder: of the run.
        path: of the table: ``.csv``, or ``.parquet`` with the extra `tables`.

    Raises:
        PcgError: the folder is no run; another suffix; Parquet without its package.
    """
    path = Path(path)
    check_run(Path(folder))
    # both read twice, so that a long run is not held
    if path.suffix == ".csv":
        return _write_csv(folder, path)
    if path.suffix == ".parquet":
        return _write_parquet(folder, path)
    raise PcgError(f"{path}: a table is a .csv or a .parquet file")


def _write_csv(folder: Path | str, path: Path) -> int:
    columns: dict[str, None] = {}
    number = 0
    for row in run_rows(folder):
        columns |= dict.fromkeys(row)
        number += 1
    with draft_of(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(itertools.islice(run_rows(folder), number))  # a run that is under way may have more by now
    return number


def _write_parquet(folder: Path | str, path: Path) -> int:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise PcgError("Parquet needs a package: pip install 'pcg-toolkit[tables]', or write .csv") from None
    number, examples = _examples(run_rows(folder))
    schema = pyarrow.schema([(name, pyarrow.array(values).type) for name, values in examples.items()])
    rows = itertools.islice(run_rows(folder), number)
    with (
        draft_of(path) as draft,
        draft.open("wb") as file,
        pyarrow.parquet.ParquetWriter(file, schema) as writer,
    ):
        while group := _batches(itertools.islice(rows, ROW_GROUP), schema):
            writer.write_table(pyarrow.Table.from_batches(group), ROW_GROUP)
    return number


def _batches(rows: Iterable[dict[str, Any]], schema: Any) -> list[Any]:
    """Return rows as columns of Arrow, which are far smaller than the rows."""
    import pyarrow

    rows = iter(rows)
    found = []
    while some := list(itertools.islice(rows, _BATCH)):
        columns = [pyarrow.array([row.get(field.name) for row in some], field.type) for field in schema]
        found.append(pyarrow.record_batch(columns, schema=schema))
    return found


def _examples(rows: Iterable[Mapping[str, Any]]) -> tuple[int, dict[str, list[Any]]]:
    """Return the number of rows, and values of each column that need the same type as all: the least and largest whole
    number, and any of each other type.

    >>> _examples([{"a": 1}, {"a": 7, "b": "x"}, {"a": 3, "b": None}])
    (3, {'a': [1, 7], 'b': ['x', 'x', None, None]})
    """
    found: dict[str, dict[type, tuple[Any, Any]]] = {}
    number = 0
    for row in rows:
        number += 1
        for name, value in row.items():
            ends = found.setdefault(name, {})
            kind = value.__class__
            if kind not in ends:
                ends[kind] = value, value
            elif kind is int:
                low, high = ends[kind]
                ends[kind] = min(low, value), max(high, value)
    return number, {name: [value for pair in ends.values() for value in pair] for name, ends in found.items()}


def write_dataset(folder: Path | str, out: Path | str) -> int:
    """Write a run as a dataset that `datasets.load_dataset` of Hugging Face reads from disk, and return its rows.

    There are `README.md` with the card, and `data/train.csv`.

    Args:
        folder: of the run.
        out: folder of the dataset, new or empty.

    Raises:
        PcgError: the folder is no run, or `out` holds something.
    """
    folder, out = Path(folder), Path(out)
    about = check_run(folder)
    if out.is_dir() and any(out.iterdir()):
        raise PcgError(f"{out} is not empty")
    (out / "data").mkdir(parents=True)
    number = write_table(folder, out / "data" / "train.csv")
    game = about.get("game", {})
    named = game.get("name", "") if isinstance(game, dict) else ""
    made_for = f" for the game {named}" if named else ""
    card = f"""---
pretty_name: {folder.name}
tags: [procedural-content-generation, games]
configs:
- config_name: default
  data_files: data/train.csv
---

# {folder.name}

{number} evaluations of a run of pcg that makes {about.get("kind", "levels")}{made_for}.
Every row is a candidate in the order of asking; `level` is its text, `feasible` and `fitness` the verdict, and columns
with a dot are the entries of `constraints`, `metrics` and `parts` of the judgement.
"""
    (out / "README.md").write_text(card, encoding="utf-8")
    return number
