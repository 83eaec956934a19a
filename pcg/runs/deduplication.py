"""Which candidate was the first of its kind, for runs of any length: a table of 48 bytes per candidate.

A dictionary of digests takes four times as much, in small objects that stay for the whole run.
"""

from __future__ import annotations

import numpy as np

_LEAST = 1024
_FULL = 0.5


class FirstOccurrences:
    """Numbers by keys of 16 random bytes, such as the beginning of a digest; open addressing.

    >>> seen = FirstOccurrences()
    >>> seen.setdefault(b"0123456789abcdef", 4), seen.setdefault(b"0123456789abcdef", 7), len(seen)
    (4, 4, 1)
    """

    def __init__(self) -> None:
        self._resize(_LEAST)

    def __len__(self) -> int:
        return self._count

    def setdefault(self, key: bytes, number: int) -> int:
        """The number that the key had first: this one, which is 0 or more, if it is new."""
        if self._count >= _FULL * len(self._numbers):
            self._grow()
        return self._put(int.from_bytes(key[:8], "little"), int.from_bytes(key[8:16], "little"), number)

    def __getitem__(self, key: bytes) -> int:
        """The number of a key that was met. Raises KeyError for any other."""
        at = self._place(int.from_bytes(key[:8], "little"), int.from_bytes(key[8:16], "little"))
        number = int(self._numbers[at])
        if number < 0:
            raise KeyError(key)
        return number

    def _resize(self, room: int) -> None:
        self._keys = np.zeros((room, 2), np.uint64)
        self._numbers = np.full(room, -1, np.int64)
        self._count = 0

    def _place(self, low: int, high: int) -> int:
        """Where a key is, or would be put."""
        mask = len(self._numbers) - 1
        at = low & mask
        while self._numbers[at] >= 0 and (int(self._keys[at, 0]), int(self._keys[at, 1])) != (low, high):
            at = (at + 1) & mask
        return at

    def _put(self, low: int, high: int, number: int) -> int:
        at = self._place(low, high)
        if self._numbers[at] < 0:
            self._keys[at] = low, high
            self._numbers[at] = number
            self._count += 1
        return int(self._numbers[at])

    def _grow(self) -> None:
        keys, numbers = self._keys, self._numbers
        self._resize(2 * len(numbers))
        for at in np.flatnonzero(numbers >= 0).tolist():
            self._put(int(keys[at, 0]), int(keys[at, 1]), int(numbers[at]))
