"""Choices of a derivation: drawn at random, or read from the codons of a genotype.

A derivation asks for one choice after the other and does not know which of the two answers. With codons the same
grammar becomes the mapping of grammatical evolution (O'Neill and Ryan 2001): each codon takes one choice, and when
all are read the reading starts over, a limited number of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

CODON = 1 << 16
"""Codons are whole numbers from 0 to this, exclusive."""


class Decisions(Protocol):
    """Takes the choices of a derivation."""

    def choose(self, weights: Sequence[float]) -> int:
        """An index, as likely as its weight; weights are positive or 0, at least one is positive."""
        ...

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        ...

    @property
    def spent(self) -> bool:
        """True if a derivation should come to an end by the shortest way."""
        ...


class RandomDecisions:
    """Choices drawn from a generator of random numbers."""

    spent = False

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def choose(self, weights: Sequence[float]) -> int:
        """An index, as likely as its weight."""
        return _index(weights, self._rng.random())

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return int(self._rng.integers(low, high + 1))


class CodonDecisions:
    """Choices read from codons.

    Args:
        codons: whole numbers in [0, CODON), at least one.
        wraps: how often reading may start over; after that every choice is the first one and `spent` is true.
    """

    def __init__(self, codons: Sequence[int], wraps: int) -> None:
        self._codons = codons
        self._left = len(codons) * (1 + wraps)
        self.used = 0
        """Choices taken so far."""

    @property
    def spent(self) -> bool:
        """True if all codons are read as often as they may be."""
        return self.used >= self._left

    def choose(self, weights: Sequence[float]) -> int:
        """The index a codon stands for: codons are shared out among the indices by weight."""
        if sum(w > 0 for w in weights) == 1:
            return next(i for i, w in enumerate(weights) if w > 0)  # no choice, no codon
        return _index(weights, self._read() / CODON)

    def number(self, low: int, high: int) -> int:
        """The number a codon stands for, by the rule of remainders."""
        return low + self._read() % (high - low + 1) if high > low else low

    def _read(self) -> int:
        if self.spent:
            return 0
        codon = self._codons[self.used % len(self._codons)]
        self.used += 1
        return codon


def _index(weights: Sequence[float], share: float) -> int:
    left = share * sum(weights)
    last = 0
    for i, weight in enumerate(weights):
        if weight > 0:
            last = i
            if left < weight:
                return i
            left -= weight
    return last
