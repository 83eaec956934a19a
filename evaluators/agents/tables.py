"""Tables of functions that searches evaluate at small whole numbers over and over, made once by the same kernels."""

from __future__ import annotations

import functools

import numpy as np

from pcg.engine.kernel.exponents import logarithms, powers
from pcg.engine.kernel.runtime import invoke2
from pcg.evaluators.agents.compiled import Array

_LOGARITHMS = 1024
_POWERS = 256


@functools.cache
def first_logarithms() -> Array:
    """Logarithms of the whole numbers from 1 on: for numbers of visits.

    >>> first_logarithms()[:3].round(3).tolist()
    [0.0, 0.693, 1.099]
    """
    values = np.arange(1, _LOGARITHMS + 1, dtype=np.float64)
    invoke2(logarithms.address, int(values.ctypes.data), len(values))
    return values


@functools.lru_cache(maxsize=64)
def first_powers(base: float) -> Array:
    """Powers of a number from the 0th on: for discounts.

    >>> first_powers(0.5)[:4].tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    values = np.full(_POWERS, base, dtype=np.float64)
    invoke2(powers.address, int(values.ctypes.data), len(values))
    return values
