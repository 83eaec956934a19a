"""Logarithms and powers of whole arrays with the same bits on every machine (`pcg.engine.kernel.exponents`).

NumPy's own choose instructions by processor, and their last bits differ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcg.engine.kernel import exponents
from pcg.engine.kernel.runtime import invoke2


def logarithms(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithm of each value, of the same shape; -inf for 0, NaN below.

    >>> logarithms([1.0, 0.0])
    array([  0., -inf])
    """
    result = np.array(values, dtype=np.float64, order="C")
    invoke2(exponents.logarithms.address, int(result.ctypes.data), result.size)
    return result


def powers(base: float, count: int) -> NDArray[np.float64]:
    """Return base ** 0, base ** 1, ..., `count` of them.

    >>> powers(0.5, 3)
    array([1.  , 0.5 , 0.25])
    """
    result = np.full(max(count, 1), base, dtype=np.float64)
    invoke2(exponents.powers.address, int(result.ctypes.data), count)
    return result[:count]
