"""Choices that come from a genotype instead of a generator of random numbers.

What draws types, rules and values asks for numbers in few ways. Codons of grammatical evolution, and numbers in a tree,
can answer the same questions, so that whatever can be drawn can be encoded as well.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

CODONS = 1 << 16
"""Codons are whole numbers below this."""


class Choices(ABC):
    """Answers as `numpy.random.Generator` would, from numbers in [0, 1) that `_next` gives."""

    @abstractmethod
    def _next(self) -> float:
        """The next number in [0, 1)."""

    def random(self) -> float:
        """A number in [0, 1)."""
        return self._next()

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A number between two."""
        return low + (high - low) * self._next()

    def integers(self, low: int, high: int | None = None) -> int:
        """A whole number from 0 below `low`, or from `low` below `high`."""
        first, last = (0, low) if high is None else (low, high)
        return first + min(int(self._next() * (last - first)), last - first - 1)

    def choice(self, count: int, p: Any = None) -> int:
        """A whole number below `count`, with chances `p`."""
        if p is None:
            return self.integers(count)
        return min(int(np.searchsorted(np.cumsum(np.asarray(p)), self._next(), side="right")), count - 1)


class Codons(Choices):
    """Choices from a list of codons, read from its beginning again when it is at its end.

    >>> codons = Codons([0, 32768])
    >>> [codons.integers(4) for _ in range(3)], codons.used
    ([0, 2, 0], 3)
    """

    def __init__(self, codons: Sequence[int]) -> None:
        self._codons = tuple(codons) or (0,)
        self.used = 0

    def _next(self) -> float:
        codon = self._codons[self.used % len(self._codons)]
        self.used += 1
        return codon / CODONS

    def number(self) -> int:
        """The next codon itself."""
        return int(self._next() * CODONS)


class Fixed(Choices):
    """Choices that all come from one number in [0, 1]."""

    def __init__(self, value: float) -> None:
        self._value = min(max(value, 0.0), 1.0 - 1e-9)

    def _next(self) -> float:
        return self._value


def mending_rng(text: str) -> np.random.Generator:
    """Random numbers for mending what a genotype says: they depend on that alone."""
    return np.random.default_rng(zlib.crc32(text.encode()))
