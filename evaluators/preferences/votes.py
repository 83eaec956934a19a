"""The table of votes that everything here works on: one row for each answer to "which of these two?".

A vote is plain data: who was asked, which two items were shown in which order, and what was answered. Tables go to CSV
and JSON lines and come back unchanged. Nothing here knows where votes come from; the study application writes them,
and so can any spreadsheet.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean, nearest

FOUR_WAY: tuple[str, ...] = ("first", "second", "both", "neither")
"""The answers of the generation competitions; the order is that of the last axis of `PairCounts.counts`."""
TWO_WAY: tuple[str, ...] = ("first", "second")
OUTCOMES: tuple[str, ...] = ("win", "loss", "")
"""Outcomes of a play; the empty text is a play that was given up, or none at all."""
PREFER = "prefer"
"""The usual question."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One answer of one participant about one pair of items.

    >>> Vote("p1", "ruins", "caves", "first").preferred
    'ruins'
    """

    participant: str
    """Random id."""
    first: str
    """Item shown first (left)."""
    second: str
    """Item shown second (right)."""
    answer: str
    """One of `FOUR_WAY` where the question asks for a preference; other questions may have other answers."""
    question: str = PREFER
    time: float = 0.0
    """Seconds since the epoch."""
    first_outcome: str = ""
    """One of `OUTCOMES`."""
    second_outcome: str = ""
    seconds: float = 0.0
    """Taken for the pair."""
    check: str = ""
    """Name of the attention check when the pair was one; such votes are not analysed."""

    @property
    def preferred(self) -> str | None:
        """The item that was preferred, None for a tie."""
        return self.first if self.answer == "first" else self.second if self.answer == "second" else None


def preferences(votes: Iterable[Vote], question: str | None = None) -> list[Vote]:
    """The votes that an analysis is about: of one question, without attention checks.

    Args:
        votes: any.
        question: which one; None takes `prefer` where it was asked, else the only question there is.

    Raises:
        PcgError: for a question that nobody was asked, several of which none is `prefer`, an answer that is no
            preference, or an item beside itself.
    """
    real = [vote for vote in votes if not vote.check]
    asked = dict.fromkeys(vote.question for vote in real)
    if question is None:
        question = next(iter(asked), PREFER) if len(asked) < 2 else PREFER
        if asked and question not in asked:
            raise PcgError(f"several questions were asked ({', '.join(asked)}): say which is to be analysed")
    elif real and question not in asked:
        hint = did_you_mean(question, asked, f" (asked were: {', '.join(asked)})")
        raise PcgError(f"nobody was asked the question `{question}`{hint}")
    chosen = [vote for vote in real if vote.question == question]
    for vote in chosen:
        if vote.answer not in FOUR_WAY:
            raise PcgError(
                f"the answer `{vote.answer}` of participant {vote.participant} to `{question}` is no preference: "
                f"expected one of {', '.join(FOUR_WAY)}"
            )
        if vote.first == vote.second:
            raise PcgError(
                f"participant {vote.participant} was shown `{vote.first}` beside itself; such a pair can only be an "
                "attention check"
            )
    return chosen


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Votes counted by pair, order and answer.

    `counts` has shape (pairs, 2, 4): its second axis says which item was shown first (0: item `one`, 1: item `two`),
    its last one what was answered (item `one` preferred, item `two` preferred, both, neither). Pairs without votes
    are left out unless they were asked for.
    """

    items: tuple[str, ...]
    one: NDArray[np.intp]
    """Index of the item of each pair with the smaller index, shape (pairs,)."""
    two: NDArray[np.intp]
    counts: NDArray[np.float64]

    @property
    def votes(self) -> float:
        """Number of votes counted."""
        return float(self.counts.sum())

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Item -> its number."""
        return {item: k for k, item in enumerate(self.items)}

    def wins(self) -> NDArray[np.float64]:
        """Number of times the item of the row was preferred to that of the column, shape (items, items)."""
        return self._matrix(self.counts.sum(axis=1))

    def ties(self, answer: str | None = None) -> NDArray[np.float64]:
        """Number of times a pair got `both`, `neither` or (None) either; symmetric, shape (items, items)."""
        both = self.counts.sum(axis=1)[:, 2:]
        chosen = both.sum(axis=1) if answer is None else both[:, ("both", "neither").index(answer)]
        return self._matrix(np.stack([chosen, chosen], axis=1))

    def appearances(self) -> NDArray[np.float64]:
        """Number of times each item was shown, shape (items,)."""
        shown = self.counts.sum(axis=(1, 2))
        return np.asarray(
            np.bincount(self.one, shown, len(self.items)) + np.bincount(self.two, shown, len(self.items)), np.float64
        )

    def _matrix(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix = np.zeros((len(self.items), len(self.items)))
        matrix[self.one, self.two] = counts[:, 0]
        matrix[self.two, self.one] = counts[:, 1]
        return matrix


def items_of(votes: Iterable[Vote]) -> tuple[str, ...]:
    """All items that occur, sorted."""
    return tuple(sorted({item for vote in votes for item in (vote.first, vote.second)}))


def cells_of(votes: Sequence[Vote], items: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each vote the number of its pair in the list of all pairs, and of its cell (order, answer) within the pair.

    The list of all pairs is (0, 1), (0, 2), ..., as `numpy.triu_indices` has it.

    Raises:
        PcgError: for an item that is not among `items`.
    """
    index = {item: k for k, item in enumerate(items)}
    number = {answer: k for k, answer in enumerate(FOUR_WAY)}
    try:
        a = np.array([index[vote.first] for vote in votes], np.intp)
        b = np.array([index[vote.second] for vote in votes], np.intp)
    except KeyError as error:
        name = str(error.args[0])
        hint = did_you_mean(name, index)
        raise PcgError(f"a vote is about the item `{name}`, which is none of the {len(index)} items{hint}") from None
    answer = np.array([number[vote.answer] for vote in votes], np.intp)
    swapped = a > b
    one, two = np.where(swapped, b, a), np.where(swapped, a, b)
    outcome = np.where(swapped & (answer < 2), 1 - answer, answer)
    pair = one * len(items) - one * (one + 1) // 2 + two - one - 1
    return pair, swapped * 4 + outcome


def count_votes(votes: Iterable[Vote], items: Sequence[str] | None = None, question: str | None = None) -> PairCounts:
    """Count votes by pair, order and answer.

    Args:
        votes: any; see `preferences` for those that count.
        items: in the order wanted; those that occur, sorted, without it.
        question: see `preferences`.

    >>> counts = count_votes([Vote("p1", "b", "a", "first"), Vote("p2", "a", "b", "neither")])
    >>> counts.items, counts.wins().tolist(), counts.ties("neither").tolist()
    (('a', 'b'), [[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    chosen = preferences(votes, question)
    names = tuple(items) if items is not None else items_of(chosen)
    pair, cell = cells_of(chosen, names)
    return counts_of_cells(names, *np.unique(pair, return_inverse=True), cell)


def counts_of_cells(
    items: tuple[str, ...], pairs: NDArray[np.intp], which: NDArray[np.intp], cell: NDArray[np.intp]
) -> PairCounts:
    """Counts from the pairs that occur, the place of each vote's pair among them, and its cell within the pair."""
    flat = np.bincount(which * 8 + cell, minlength=8 * len(pairs)).astype(np.float64)
    one, two = pair_items(pairs, len(items))
    return PairCounts(items, one, two, flat.reshape(len(pairs), 2, 4))


def pair_items(pairs: NDArray[np.intp], n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The two items of pairs given by their number in the list of all pairs of `n` items."""
    one, two = np.triu_indices(n, 1)
    return one[pairs], two[pairs]


# -- files -------------------------------------------------------------------------------------------------------------

_FIELDS = tuple(field.name for field in fields(Vote))
_REQUIRED = ("participant", "first", "second", "answer")
_NUMBERS = ("time", "seconds")


def write_votes(votes: Iterable[Vote], path: str | Path) -> None:
    """Write a table of votes: JSON lines where the name ends in ``.jsonl``, else CSV with a heading."""
    path = Path(path)
    if path.suffix == ".jsonl":
        lines = (json.dumps({n: getattr(v, n) for n in _FIELDS}, ensure_ascii=False) + "\n" for v in votes)
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows([getattr(vote, name) for name in _FIELDS] for vote in votes)
    path.write_text(text.getvalue(), encoding="utf-8", newline="\n")


def read_votes(path: str | Path) -> list[Vote]:
    """Read a table of votes, CSV or JSON lines (``.jsonl``).

    Participant, first, second and answer must be there, the other fields of `Vote` may be missing, and further columns
    are not looked at.

    Raises:
        PcgError: naming file, line, column and what was expected.
    """
    path = Path(path)
    return [_vote(row, path, line) for line, row in _rows(path, _REQUIRED, _FIELDS)]


def read_groups(path: str | Path) -> dict[str, str]:
    """Read which group (generator) each item belongs to.

    The file is CSV or JSON lines with the columns `item` and `group`, or a JSON object from item to group.

    Raises:
        PcgError: naming file, line and what was expected; for an item in two groups.
    """
    path = Path(path)
    if path.suffix == ".json":
        data = _json(_text(path), path, 1)
        if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
            raise PcgError(f"{path}: expected a JSON object from item to group, both texts")
        return dict(data)
    groups: dict[str, str] = {}
    for line, row in _rows(path, ("item", "group"), ("item", "group")):
        item, group = str(row["item"]), str(row["group"])
        if not item or not group:
            raise PcgError(f"{path}:{line}: the {'item' if not item else 'group'} is empty")
        if groups.setdefault(item, group) != group:
            raise PcgError(f"{path}:{line}: `{item}` is in the groups `{groups[item]}` and `{group}`")
    return groups


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise PcgError(f"{path}: not UTF-8 text (byte {error.start})") from None


def _json(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise PcgError(f"{path}:{line + error.lineno - 1}:{error.colno}: not JSON: {error.msg}") from None


def _rows(path: Path, required: Sequence[str], known: Sequence[str]) -> list[tuple[int, dict[str, Any]]]:
    """(line, row by column) of a CSV or JSON-lines file."""
    text = _text(path)
    if path.suffix == ".jsonl":
        rows = []
        for line, part in enumerate(text.split("\n"), start=1):
            if part.strip():
                row = _json(part, path, line)
                if not isinstance(row, dict):
                    raise PcgError(f"{path}:{line}: expected a JSON object, found `{part.strip()[:40]}`")
                _check_columns(path, line, list(row), required, known)
                rows.append((line, row))
        return rows
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: list[tuple[int, dict[str, Any]]] = []
    try:
        heading = next(reader, [])
        _check_columns(path, 1, heading, required, known)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(heading):
                raise PcgError(f"{path}:{reader.line_num}: {len(cells)} columns, the heading has {len(heading)}")
            found.append((reader.line_num, dict(zip(heading, cells, strict=True))))
    except csv.Error as error:
        raise PcgError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    return found


def _check_columns(path: Path, line: int, found: Sequence[str], required: Sequence[str], known: Sequence[str]) -> None:
    for name in required:
        if name not in found:
            near = nearest(name, found)
            hint = f", is `{near}` meant?" if near and near not in known else f" (found: {', '.join(found) or 'none'})"
            raise PcgError(f"{path}:{line}: there is no column `{name}`{hint}")
    for name in found:
        if name not in known and (near := nearest(name, [n for n in known if n not in found])):
            raise PcgError(f"{path}:{line}: unknown column `{name}`, did you mean `{near}`?")


def _vote(row: Mapping[str, Any], path: Path, line: int) -> Vote:
    values: dict[str, Any] = {}
    for name in _FIELDS:
        value = row.get(name)
        if value is None or value == "":
            if name in _REQUIRED:
                raise PcgError(f"{path}:{line}: `{name}` is empty")
            continue
        if name in _NUMBERS:
            values[name] = _number(value, path, line, name)
        elif not isinstance(value, str):
            raise PcgError(f"{path}:{line}: `{name}` is {value!r}, expected text")
        else:
            values[name] = value
    for name in ("first_outcome", "second_outcome"):
        if values.get(name, "") not in OUTCOMES:
            raise PcgError(f"{path}:{line}: `{name}` is `{values[name]}`, expected win, loss or nothing")
    vote = Vote(**values)
    if vote.question == PREFER and vote.answer not in FOUR_WAY:
        hint = did_you_mean(vote.answer, FOUR_WAY)
        raise PcgError(f"{path}:{line}: the answer is `{vote.answer}`, expected one of {', '.join(FOUR_WAY)}{hint}")
    return vote


def _number(value: Any, path: Path, line: int, name: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise PcgError(f"{path}:{line}: `{name}` is {value!r}, expected a number of seconds of at least 0")
    return number
