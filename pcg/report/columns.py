"""Tables of numbers that go to a temporary file a few thousand rows at a time, as runs of millions of levels have."""

from __future__ import annotations

import os
import tempfile
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

    >>> with Columns(["enemies", "density"]) as table:
    ...     table.add({"enemies": 3, "density": 0.25})
    ...     table.add({"enemies": 5})
    ...     table["enemies"].tolist(), table["density"].tolist(), table.rows
    ([3.0, 5.0], [0.25, nan], 2)
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._recent = np.empty((len(names), ROWS))
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
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; of other names than those of the columns nothing is kept."""
        place = self.rows % ROWS
        for column, name in zip(self._recent, self.names, strict=True):
            column[place] = row.get(name, np.nan)
        self.rows += 1
        if place == ROWS - 1:
            self._file = self._file or tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the table
            self._file.seek(0, os.SEEK_END)
            self._file.write(self._recent.tobytes())

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Return a column."""
        place = self.names.index(name)
        column = np.empty(self.rows)
        whole = self.rows - self.rows % ROWS
        if self._file is not None:
            for start in range(0, whole, ROWS):
                self._file.seek(8 * (start * len(self.names) + place * ROWS))
                column[start : start + ROWS] = np.frombuffer(self._file.read(8 * ROWS))
        column[whole:] = self._recent[place, : self.rows - whole]
        return column
