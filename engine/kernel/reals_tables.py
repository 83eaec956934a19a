"""Tables and constants of the elementary functions, computed when the module is imported, in integers.

Every number here is a whole multiple of 2^-192 (2^-1300 for 2/pi), found with the classic series and rounded once to a
double by Python's division of integers, which rounds correctly. So no machine's library has a part in any of them,
and none is copied from anywhere. The series: pi by Machin's formula (1706), logarithms by atanh of 1/(2n+1), the
angles of the table by the difference of two arctangents, their sines and cosines by addition of angles, and the powers
of two by repeated square roots. Muller, "Elementary Functions" (2016), has them all.
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.runtime import NUMBA

_BITS = 192
_ONE = 1 << _BITS


def _atan_inverse(n: int, bits: int) -> int:
    """Arctangent of 1/n, in units of 2^-bits."""
    power, total, k = (1 << bits) // n, 0, 1
    while power:
        total += power // k if k & 2 == 0 else -(power // k)
        power //= n * n
        k += 2
    return total


def _pi(bits: int) -> int:
    """Pi in units of 2^-bits, by Machin's formula; the last 64 bits of the computation are thrown away."""
    return (16 * _atan_inverse(5, bits + 64) - 4 * _atan_inverse(239, bits + 64)) >> 64


def _log_ratio(n: int) -> int:
    """Logarithm of (n + 1) / n, which is twice the atanh of 1 / (2 n + 1)."""
    power, total, k = _ONE // (2 * n + 1), 0, 1
    while power:
        total += power // k
        power //= (2 * n + 1) ** 2
        k += 2
    return 2 * total


def _arctangent(a: int, b: int) -> int:
    """Arctangent of a / b, at most 1/64."""
    power, total, k = (a << _BITS) // b, 0, 1
    while power:
        total += power // k if k & 2 == 0 else -(power // k)
        power = power * a * a // (b * b)
        k += 2
    return total


def _sine_and_cosine(a: int, b: int) -> tuple[int, int]:
    """Sine and cosine of a / b by their series."""
    term, sums, k = _ONE, [0, 0, 0, 0], 0
    while term:
        sums[k & 3] += term
        k += 1
        term = term * a // (b * k)
    return sums[1] - sums[3], sums[0] - sums[2]


def _leading(value: int, bits: int) -> int:
    """The value with all but its leading bits cleared."""
    drop = max(0, abs(value).bit_length() - bits)
    return (abs(value) >> drop << drop) * (1 if value >= 0 else -1)


def _split(value: int, bits: int) -> tuple[float, float]:
    """A double with this many leading bits of the value, and the rest as another."""
    high = _leading(value, bits)
    return high / _ONE, (value - high) / _ONE


def _multiple(value: int, bits: int) -> tuple[float, float]:
    """The nearest multiple of 2^-bits as a double, and the rest as another."""
    high = (value + (1 << (_BITS - bits - 1))) >> (_BITS - bits) << (_BITS - bits)
    return high / _ONE, (value - high) / _ONE


def _frozen(values: list[float] | list[int]) -> object:
    """A table as compiled code wants it; without the compiler a list, whose elements are Python's own numbers."""
    return np.array(values) if NUMBA else values


# --- angles ---

_PI = _pi(_BITS)
_ONE_OVER_PI = (1 << 2600) // _pi(1300)

TWO_OVER_PI: float = (2 << _BITS) / _PI
HALF_PI_1 = _split(_PI >> 1, 33)[0]
HALF_PI_2, HALF_PI_3 = _split((_PI >> 1) - _leading(_PI >> 1, 33), 33)
"""The first 33 bits of pi/2 above, the next 33, and the rest: products of the first two with 20 bits are exact."""
HALF_PI, HALF_PI_LOW = _split(_PI >> 1, 53)
HALF_PI_TOP, HALF_PI_BOTTOM = _split(_PI >> 1, 26)
PI, PI_LOW = _split(_PI, 53)

LIMB = 28
"""Bits of one digit of the long multiplication by 2/pi; products of two digits, and sums of a few, fit a word."""
LIMBS = _frozen(
    [0, 0] + [(2 * _ONE_OVER_PI >> (1300 - LIMB * (k + 1))) & ((1 << LIMB) - 1) for k in range(1176 // LIMB)]
)
"""2/pi in digits of 28 bits after two that are 0: enough for the largest double."""


def _circle() -> tuple[list[float], list[float]]:
    sines: list[float] = []
    arcs: list[float] = []
    s1, c1 = _sine_and_cosine(1, 64)
    s, c, angle = 0, _ONE, 0
    for k in range(65):
        sines += [*_split(s, 26), *_split(c, 26)]
        s, c = (s * c1 + c * s1) >> _BITS, (c * c1 - s * s1) >> _BITS
        arcs += _split(angle, 53)
        angle += _arctangent(64, 4096 + k * (k + 1))
    return sines, arcs


_sines, _arcs = _circle()
SINES = _frozen(_sines)
"""Of every k/64: 26 bits of the sine, the rest of it, 26 bits of the cosine, the rest of it."""
ARCS = _frozen(_arcs)
"""Of every k/64: its arctangent, and what that rounding left."""

# --- logarithms ---

_LN2 = sum(_log_ratio(n) for n in range(512, 1024))
LN2, LN2_LOW = _multiple(_LN2, 42)
"""ln 2 as a multiple of 2^-42 (times any exponent, and plus the logarithms below, it is exact) and the rest."""

LOG_START = 0x3FE6000000000000
"""Bits of 0.6875: mantissas run from here to twice that, in 128 intervals of equal bits."""


def _logarithms() -> list[float]:
    of = {512: 0}
    for n in range(512, 760):
        of[n + 1] = of[n] + _log_ratio(n)
    for n in range(511, 340, -1):
        of[n] = of[n + 1] - _log_ratio(n)
    found: list[float] = []
    for k in range(128):
        # below 1 an interval is 1/256 wide, above 1/128; beside 1 the factor must be 1, where the logarithm is 0
        middle = 704 + 4 * k + 2 if k < 80 else 1024 + 8 * (k - 80) + 4
        number = 512 if k in (79, 80) else round(512 * 1024 / middle)
        found += [number / 512.0, *_multiple(-of[number], 42)]
    return found


LOGS = _frozen(_logarithms())
"""Of every interval: a factor of 10 bits that brings its mantissas near 1, and minus its logarithm in two doubles."""

# --- powers ---

_STEPS = 128
STEPS_PER_UNIT: float = (_STEPS << _BITS) / _LN2
STEP, STEP_LOW = _split(_LN2 // _STEPS, 35)
"""ln 2 / 128: 35 bits, whose products with 18 bits are exact, and the rest."""


def _powers() -> list[float]:
    root = 2 * _ONE
    for _ in range(7):
        root = math.isqrt(root << _BITS)
    found: list[float] = []
    value = _ONE
    for _ in range(_STEPS):
        found += _split(value, 53)
        value = (value * root) >> _BITS
    return found


POWERS = _frozen(_powers())
"""Of every k: 2^(k/128), and what that rounding left."""
