"""Division, sine, cosine, arctangent and remainder of doubles, with the same bits on every machine and in plain Python.

Machines' libraries differ in the last bit of such functions, and Python refuses some operands that compiled code takes
without a word. These use nothing but additions, multiplications, divisions, comparisons and whole numbers, which
IEEE 754 and Numba fix to the bit; a NaN is always the same NaN. Nearly every result is the correctly rounded one: no
error above 0.501 units in the last place is known. Logarithms and powers are in `exponents`.

The methods: sums and products with their rounding errors (Dekker 1971; Knuth, "The Art of Computer Programming" 2,
4.2.2), halves of doubles instead of fused operations, reduction by pi/2 in parts (Cody and Waite 1980) and by the
digits of 2/pi for what is large or nearly a multiple (Payne and Hanek 1983), and from there Taylor's series around the
nearest of 65 points in a table (Tang 1991; Muller, "Elementary Functions", 2016).
"""

from __future__ import annotations

import math

from pcg.engine.kernel.reals_tables import (
    ARCS,
    HALF_PI,
    HALF_PI_1,
    HALF_PI_2,
    HALF_PI_3,
    HALF_PI_BOTTOM,
    HALF_PI_LOW,
    HALF_PI_TOP,
    LIMB,
    LIMBS,
    PI,
    PI_LOW,
    SINES,
    TWO_OVER_PI,
)
from pcg.engine.kernel.runtime import bits_double, double_bits, inlined, inner

INFINITY = math.inf
NAN = math.nan

_FRACTION = (1 << 52) - 1
_IMPLICIT = 1 << 52
_SIGN = -(1 << 63)
_TOP = -(1 << 27)  # keeps 26 bits of a double; a product of two such is exact
_MOST = -(1 << 8)  # keeps 45 bits; a product with 7 bits is exact
_DIGIT = (1 << LIMB) - 1
_UNIT = 1.0 / (1 << LIMB)
_EIGHTH = 0.7853981633974483  # below this much no reduction is needed
_LONG = math.ldexp(1.0, 20)  # from here on the products of the short reduction are not exact
_NEAR = math.ldexp(1.0, -18)  # so near a multiple of pi/2 the short reduction leaves too few bits
_SLIGHT = math.ldexp(1.0, -32)  # a ratio below it is its own arctangent, to 2^-65 of it
_LARGE = math.ldexp(1.0, 500)
_SMALL = math.ldexp(1.0, -500)
_UP = math.ldexp(1.0, 600)
_DOWN = math.ldexp(1.0, -600)


@inner
def quotient(a, b):
    """Quotient of a and b; an infinity when only b is 0, and always the same NaN."""
    if b == 0.0:
        if a != a or a == 0.0:
            return NAN
        return INFINITY if (double_bits(a) ^ double_bits(b)) >= 0 else -INFINITY
    c = a / b
    if c != c:
        return NAN
    return c


@inlined
def top_half(x):
    """The leading 26 bits of x."""
    return bits_double(double_bits(x) & _TOP)


# --- sine and cosine ---


@inner
def _reduced_by_digits(a):
    """Return the same as `_reduced`, for any a above 1/2, by long multiplication with the digits of 2/pi.

    With a = m 2^e, digits of 2/pi whose product with a is a multiple of 4 turns are left out, six digits after the
    point are kept: no double comes nearer to a multiple of pi/2 than 2^-62, so at least 106 bits remain.
    """
    word = double_bits(a)
    e = (word >> 52) - 1075
    m = (word & _FRACTION) | _IMPLICIT
    at = (e + 54) // LIMB  # the table starts with two digits of 0
    e = e + 2 * LIMB - LIMB * at
    m0 = (m & _DIGIT) << e
    m1 = ((m >> LIMB) << e) + (m0 >> LIMB)
    m0 = m0 & _DIGIT
    m2 = m1 >> LIMB
    m1 = m1 & _DIGIT
    t1 = LIMBS[at + 1]
    t2 = LIMBS[at + 2]
    t3 = LIMBS[at + 3]
    t4 = LIMBS[at + 4]
    t5 = LIMBS[at + 5]
    t6 = LIMBS[at + 6]
    d6 = m0 * t5 + m1 * t6 + m2 * LIMBS[at + 7]
    d5 = m0 * t4 + m1 * t5 + m2 * t6 + (d6 >> LIMB)
    d4 = m0 * t3 + m1 * t4 + m2 * t5 + (d5 >> LIMB)
    d3 = m0 * t2 + m1 * t3 + m2 * t4 + (d4 >> LIMB)
    d2 = m0 * t1 + m1 * t2 + m2 * t3 + (d3 >> LIMB)
    d1 = m0 * LIMBS[at] + m1 * t1 + m2 * t2 + (d2 >> LIMB)
    n = (m1 * LIMBS[at] + m2 * t1 + (d1 >> LIMB)) & 3
    # a fraction above 1/2 is taken from the next whole number: the digits' complement
    flip = _DIGIT if d1 & (1 << (LIMB - 1)) else 0
    f1 = ((d1 & _DIGIT) ^ flip) * _UNIT
    f2 = ((d2 & _DIGIT) ^ flip) * _UNIT * _UNIT
    f3 = ((d3 & _DIGIT) ^ flip) * _UNIT * _UNIT * _UNIT
    f4 = ((d4 & _DIGIT) ^ flip) * _UNIT * _UNIT * _UNIT * _UNIT
    f5 = ((d5 & _DIGIT) ^ flip) + ((d6 & _DIGIT) ^ flip) * _UNIT
    s = f1 + f2
    low = f2 - (s - f1)
    high = s + f3
    low += f3 - (high - s)
    s = high + f4
    low += f4 - (s - high)
    low += f5 * _UNIT * _UNIT * _UNIT * _UNIT * _UNIT
    high = s + low
    low = low - (high - s)
    p = top_half(high)
    rest = (high - p) * HALF_PI_TOP + high * HALF_PI_BOTTOM + low * HALF_PI
    p = p * HALF_PI_TOP
    high = p + rest
    low = rest - (high - p)
    if flip != 0:
        return -high, -low, n + 1
    return high, low, n


@inner
def _reduced(a):
    """Distance of a, above pi/4, to the nearest multiple of pi/2, in two doubles; and the multiple, modulo 4."""
    if a < _LONG:
        n = int(a * TWO_OVER_PI + 0.5)
        f = 1.0 * n
        t = a - f * HALF_PI_1
        w = -f * HALF_PI_2
        s = t + w
        v = s - t
        low = ((t - (s - v)) + (w - v)) - f * HALF_PI_3
        high = s + low
        low = low - (high - s)
        if high > _NEAR or high < -_NEAR:
            return high, low, n
    return _reduced_by_digits(a)


@inner
def _circular(a, quarter, sign):
    """Sine of a, not negative and finite, after so many quarter turns more; `sign` is a bit that turns its sign."""
    high = a
    low = 0.0
    n = quarter
    if a > _EIGHTH:
        high, low, n = _reduced(a)
        n = n + quarter
    # the quarter and the signs are as good as random: choosing by numbers is faster than by branches
    odd = n & 1
    turned = double_bits(high) & _SIGN
    sign = sign ^ (-(n & 2) << 62) ^ (turned & (odd - 1))
    low = bits_double(double_bits(low) ^ turned)
    high = abs(high)
    # with c the nearest 64th, and d = high + low - c: the sine is sin c cos d + cos c sin d, and the cosine
    # cos c cos d - sin c sin d, which is the same with other entries of the table
    place = int(high * 64.0 + 0.5)
    d = high - place * 0.015625
    place = 4 * place
    side = 1.0 - 2.0 * odd
    one_high = SINES[place + 2 * odd]
    one_low = SINES[place + 2 * odd + 1]
    other_high = SINES[place + 2 - 2 * odd] * side
    other_low = SINES[place + 3 - 2 * odd] * side
    top = top_half(d)
    dd = d * d
    even = dd * (dd * (1.0 / 24.0 - dd * (1.0 / 720.0)) - 0.5) - d * low
    uneven = d * dd * (dd * (1.0 / 120.0 - dd * (1.0 / 5040.0)) - 1.0 / 6.0)
    p = other_high * top
    s = one_high + p
    rest = (one_high + one_low) * even + (other_high + other_low) * uneven
    rest = rest + (one_low + (other_low * d + other_high * ((d - top) + low)))
    s = s + ((p - (s - one_high)) + rest)
    return bits_double(double_bits(s) ^ sign)


@inner
def cosine(x):
    """Cosine of x; NaN for an infinity."""
    a = abs(x)
    if not a < INFINITY:
        return NAN
    return _circular(a, 1, 0)


@inner
def sine(x):
    """Sine of x; NaN for an infinity."""
    a = abs(x)
    if not a < INFINITY:
        return NAN
    return _circular(a, 0, double_bits(x) & _SIGN)


# --- arctangent ---


@inner
def _arc(a, b):
    """Arctangent of a / b in two doubles, for 0 < a < b and a ratio that is not slight."""
    if b > _LARGE:
        a = a * _DOWN
        b = b * _DOWN
    elif b < _SMALL:
        a = a * _UP
        b = b * _UP
    # with c the nearest 64th: arctan c + arctan d, where d = (a - b c) / (b + a c). A little less than the nearest, so
    # that the difference above is exact also for the first of them
    place = int(a / b * 64.0 + 0.49)
    c = place * 0.015625
    t = bits_double(double_bits(b) & _MOST)
    v = a - c * t
    w = c * (t - b)
    n = v + w
    n_low = w - (n - v)
    t = bits_double(double_bits(a) & _MOST)
    v = c * t
    m = b + v
    m_low = (v - (m - b)) + c * (a - t)
    d = n / m
    d_top = top_half(d)
    m_top = top_half(m)
    d_rest = d - d_top
    m_rest = m - m_top
    p = d * m
    error = ((d_top * m_top - p) + d_top * m_rest + d_rest * m_top) + d_rest * m_rest
    d_low = (((n - p) - error) + (n_low - d * m_low)) / m
    dd = d * d
    series = d * dd * (dd * (dd * (dd * (1.0 / 9.0) - 1.0 / 7.0) + 1.0 / 5.0) - 1.0 / 3.0)
    high = ARCS[2 * place]
    s = high + d
    return s, (d - (s - high)) + (ARCS[2 * place + 1] + (d_low + series))


@inner
def arctangent(y, x):
    """Angle of the vector (x, y), as atan2 of C; NaN when either is."""
    if x != x or y != y:
        return NAN
    a = abs(y)
    b = abs(x)
    steep = a > b
    if steep:
        a, b = b, a
    if a == b:
        high = ARCS[128] if a > 0.0 else 0.0
        low = ARCS[129] if a > 0.0 else 0.0
    elif a < b * _SLIGHT or b == INFINITY:
        high = a / b
        low = 0.0
    else:
        high, low = _arc(a, b)
    left = double_bits(x) < 0
    if steep or left:
        base = HALF_PI if steep else PI
        base_low = HALF_PI_LOW if steep else PI_LOW
        if not (steep and left):
            high = -high
            low = -low
        s = base + high
        low = (high - (s - base)) + (base_low + low)
        high = s
    high = high + low
    if double_bits(y) < 0:
        return -high
    return high


# --- remainder ---


@inner
def remainder(x, y):
    """Remainder of x / y with the sign of x, exact, as fmod of C; NaN for an infinite x or when y is 0."""
    a = abs(x)
    b = abs(y)
    if not a < INFINITY or y != y or b == 0.0:
        return NAN
    if a < b:
        return x
    word = double_bits(a)
    shift = word >> 52
    m = word & _FRACTION
    if shift > 0:
        m = m | _IMPLICIT
    else:
        shift = 1
    word = double_bits(b)
    e = word >> 52
    n = word & _FRACTION
    if e > 0:
        n = n | _IMPLICIT
    else:
        e = 1
    # long division in binary, ten digits at a time: 53 and 10 bits fit a word
    shift = shift - e
    m = m % n
    while shift > 0:
        step = min(shift, 10)
        m = (m << step) % n
        shift -= step
    if e >= 53:
        r = m * bits_double((e - 52) << 52)
    else:
        r = m * bits_double(1 << (e - 1))  # a subnormal unit
    if double_bits(x) < 0:
        return -r
    return r
