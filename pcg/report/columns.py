"""Tables of numbers that go to a temporary file a few thousand rows at a time, as runs of millions of levels have."""

from __future__ import annotations

import math
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

ROWS = 4096
"""Rows that are held in memory; a table of fewer has no file."""


class Columns(Mapping[str, NDArray[np.float64]]):
    """Table of numbers with a name for each column, NaN where a row has no such number.

    Args:
        names: of the columns.
        growing: take what rows name otherwise as further columns.

    >>> with Columns(["enemies", "density"]) as table:
    ...     table.add({"enemies": 3, "density": 0.25})
    ...     table.add({"enemies": 5})
    ...     table["enemies"].tolist(), table["density"].tolist(), table.rows
    ([3.0, 5.0], [0.25, nan], 2)
    """

    def __init__(self, names: Sequence[str] = (), *, growing: bool = False) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._growing = growing
        self._recent = [array("d") for _ in names]
        self._blocks: list[tuple[int, int]] = []  # where each block of rows begins in the file, and its columns
        self.rows = 0
        self._file: IO[bytes] | None = None

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Self:
        """Return a table of some rows."""
        table = cls(names)
        for row in rows:
            table.add(row)
        return table

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; unless the table is growing, nothing is kept of other names than those of its columns."""
        if self._growing:
            for name in row:
                if name not in self._places:
                    self._places[name] = len(self._places)
                    self._recent.append(array("d", [math.nan]) * (self.rows % ROWS))
        for column, name in zip(self._recent, self._places, strict=True):
            value = row.get(name)
            column.append(math.nan if value is None else value)
        self.rows += 1
        if self.rows % ROWS == 0:
            self._file = self._file or tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the table
            self._blocks.append((self._file.seek(0, os.SEEK_END), len(self._recent)))
            self._file.writelines(self._recent)
            self._recent = [array("d") for _ in self._recent]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Return a column."""
        self._places[name]
        column: NDArray[np.float64] = self.part([name], 0, self.rows)[0]
        return column

    def part(self, names: Sequence[str], first: int, end: int) -> NDArray[np.float64]:
        """Return the numbers of some rows.

        Args:
            names: of columns; one that there is not has no numbers.
            first: of the rows.
            end: number after the last of them.

        Returns:
            of shape (names, rows)
        """
        found = np.full((len(names), end - first), math.nan)
        for start in range(first - first % ROWS, end, ROWS):
            low, high = max(first, start), min(end, start + ROWS)
            for column, name in zip(found, names, strict=True):
                if name in self._places:
                    column[low - first : high - first] = self._read(start // ROWS, self._places[name], low % ROWS, high)
        return found

    def _read(self, block: int, place: int, low: int, end: int) -> Any:
        """Return the numbers of a column in a block, from a row of the block up to one of the table."""
        count = end - block * ROWS - low
        if block == len(self._blocks):
            return np.array(self._recent[place][low : low + count])
        begin, columns = self._blocks[block]
        if place >= columns:  # no row had it then
            return math.nan
        assert self._file is not None
        self._file.seek(begin + 8 * (place * ROWS + low))
        return np.frombuffer(self._file.read(8 * count))
