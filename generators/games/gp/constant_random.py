"""Random-number generator whose every draw comes from one number, so that a number in a tree encodes a drawn value."""

from __future__ import annotations

from typing import Any

import numpy as np


class ConstantRandom:
    """The draws of `numpy.random.Generator` that values of parameters take, all from one number.

    Args:
        value: in [0, 1].

    >>> third = ConstantRandom(1 / 3)
    >>> third.uniform(0, 30), third.integers(2, 8), third.choice(2, p=[0.2, 0.8])
    (10.0, 4, 1)
    """

    def __init__(self, value: float) -> None:
        self._value = min(max(value, 0.0), 1.0 - 1e-9)

    def random(self) -> float:
        """Return the number itself, in [0, 1)."""
        return self._value

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return the point between `low` and `high` that the number stands for."""
        return low + (high - low) * self._value

    def integers(self, low: int, high: int | None = None) -> int:
        """Return a whole number from 0 below `low`, or from `low` below `high`."""
        first, last = (0, low) if high is None else (low, high)
        return first + min(int(self._value * (last - first)), last - first - 1)

    def choice(self, count: int, p: Any = None) -> int:
        """Return a whole number below `count`, chosen with probabilities `p`."""
        if p is None:
            return self.integers(count)
        return min(int(np.searchsorted(np.cumsum(np.asarray(p)), self._value, side="right")), count - 1)
