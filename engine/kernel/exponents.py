"""Logarithm, exponential and power of doubles, with the same bits on every machine and in plain Python.

As in `reals`, only what IEEE 754 fixes to the bit is used, and nearly every result is the correctly rounded one: no
error above 0.501 units in the last place is known.

The methods are those of Tang (1989, 1990; Muller, "Elementary Functions", 2016): the mantissa times a factor of ten
bits from a table comes near 1, exactly, and Taylor's series does the rest; an exponent is reduced by 128ths of ln 2 in
two parts (Cody and Waite 1980). Leading terms are kept in two doubles (Dekker 1971).
"""

from __future__ import annotations

import math

from pcg.engine.kernel.reals import INFINITY, NAN, top_half
from pcg.engine.kernel.reals_tables import (
    LN2,
    LN2_LOW,
    LOG_START,
    LOGS,
    POWERS,
    STEP,
    STEP_LOW,
    STEPS_PER_UNIT,
)
from pcg.engine.kernel.runtime import bits_double, double_bits, entry_point, inner, load_double, store_double

_FRACTION = (1 << 52) - 1
_FACTOR = -(1 << 10)  # keeps 43 bits of a double; a product with ten bits is exact
_NORMAL = math.ldexp(1.0, -1022)
_TWO_54 = math.ldexp(1.0, 54)
_SHIFTED = 1 << 18  # more than any number of 128ths of ln 2, so that what is cut off is always a positive part
_TOP_POWER = math.ldexp(1.0, 1023)
_BIG = 800.0  # above it exponentials are infinite, below its negative 0
_EVEN = math.ldexp(1.0, 53)  # from here on all doubles are even whole numbers


@inner
def _logarithm_parts(x):
    """Logarithm of a finite positive x in two doubles, to about 2^-69 of its value."""
    k = 0
    if x < _NORMAL:
        x = x * _TWO_54
        k = -54
    word = double_bits(x) - LOG_START
    k = k + (word >> 52)
    word = word & _FRACTION
    m = bits_double(word + LOG_START)
    place = 3 * (word >> 45)
    factor = LOGS[place]
    # r = m * factor - 1 without an error, since factor has ten bits
    top = bits_double(double_bits(m) & _FACTOR)
    v = top * factor - 1.0
    w = (m - top) * factor
    r = v + w
    r_low = w - (r - v)
    f = 1.0 * k
    high = f * LN2 + LOGS[place + 1]
    top = top_half(r)
    half = 0.5 * top * top
    s = high + r
    low = r - (s - high)
    high = s - half
    low = low + ((s - high) - half)
    # the rest of r^2 / 2 (also that of r_low), and the series from r^3 on
    square = r * r
    tail = 1.0 / 7.0 + r * (r * (1.0 / 9.0 - r * (1.0 / 10.0)) - 1.0 / 8.0)
    tail = 1.0 / 3.0 + r * (r * (1.0 / 5.0 + r * (r * tail - 1.0 / 6.0)) - 1.0 / 4.0)
    rest = r_low - r * r_low - 0.5 * (r - top) * (r + top)
    low = low + ((f * LN2_LOW + LOGS[place + 2]) + rest + r * square * tail)
    return high, low


@inner
def logarithm(x):
    """Natural logarithm of x; minus infinity for 0, NaN for what is negative."""
    if x > 0.0:
        if x == INFINITY:
            return INFINITY
        high, low = _logarithm_parts(x)
        return high + low
    if x == 0.0:
        return -INFINITY
    return NAN


@inner
def _exponential_parts(high, low):
    """Exponential of high + low, for a sum between -800 and 800."""
    k = int(high * STEPS_PER_UNIT + (_SHIFTED + 0.5)) - _SHIFTED
    f = 1.0 * k
    v = high - f * STEP
    w = low - f * STEP_LOW
    r = v + w
    w = w - (r - v)
    # at most 2^-8.5
    square = r * r
    tail = w + square * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0)))))
    place = 2 * (k & 127)
    k = k >> 7
    power = POWERS[place]
    top = top_half(r)
    top_power = top_half(power)
    v = top * top_power
    w = POWERS[place + 1]
    w = w + (power * ((r - top) + tail) + (power - top_power + w) * top)
    s = power + v
    w = (v - (s - power)) + w
    if k > 1023:
        return (s + w) * _TOP_POWER * 2.0 if k == 1024 else INFINITY
    if k > -1022 or (k == -1022 and s + w >= 1.0):
        return (s + w) * bits_double((k + 1023) << 52)
    if k < -1076:
        return 0.0
    # a subnormal result has fewer bits: the sum with the power of two that has as many rounds to them, once
    large = bits_double((1 - k) << 52)
    v = large + s
    w = (s - (v - large)) + w
    s = (v + w) - large
    return s * bits_double((k + 1023 + 60) << 52) * bits_double((1023 - 60) << 52)


@inner
def exponential(x):
    """E to the power x."""
    if x != x:
        return NAN
    if x > _BIG:
        return INFINITY
    if x < -_BIG:
        return 0.0
    return _exponential_parts(x, 0.0)


@inner
def _power_of_positive(x, y):
    """The power of a finite positive x other than 1, for a finite y other than 0."""
    high, low = _logarithm_parts(x)
    s = high + low
    low = low - (s - high)
    high = s * y
    if high > _BIG:
        return INFINITY
    if high < -_BIG:
        return 0.0
    s_top = top_half(s)
    y_top = top_half(y)
    s_rest = s - s_top
    y_rest = y - y_top
    error = ((s_top * y_top - high) + s_top * y_rest + s_rest * y_top) + s_rest * y_rest
    return _exponential_parts(high, error + low * y)


@inner
def power(x, y):
    """X to the power y, as pow of C: also 1 for y = 0 or x = 1 whatever the other is, and NaN for a root of x < 0."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if x != x or y != y:
        return NAN
    if y == 1.0:
        return x
    if y == 2.0:
        return x * x
    a = abs(x)
    exponent = abs(y)
    if exponent == INFINITY:
        if a == 1.0:
            return 1.0
        return INFINITY if (a > 1.0) == (y > 0.0) else 0.0
    whole = True
    odd = False
    if exponent < _EVEN:
        n = int(exponent)
        whole = 1.0 * n == exponent
        odd = whole and n & 1 == 1
    if a == 0.0 or a == INFINITY:
        r = INFINITY if (a > 1.0) == (y > 0.0) else 0.0
    elif double_bits(x) < 0 and not whole:
        return NAN
    elif a == 1.0:
        r = 1.0
    else:
        r = _power_of_positive(a, y)
    if odd and double_bits(x) < 0:
        return -r
    return r


@entry_point("i8(i8, i8)")
def logarithms(values, count):
    """Put the logarithm in the place of each of `count` doubles."""
    for k in range(count):
        store_double(values + 8 * k, logarithm(load_double(values + 8 * k)))
    return 0


@entry_point("i8(i8, i8)")
def powers(values, count):
    """Put the k-th power of the first of `count` doubles in the k-th place."""
    base = load_double(values)
    for k in range(count):
        store_double(values + 8 * k, power(base, 1.0 * k))
    return 0
