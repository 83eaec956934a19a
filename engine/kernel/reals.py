"""Operations on doubles that Python refuses for some operands, with the results that IEEE 754 (and Java) have for them.

Compiled code divides by zero and takes the cosine of infinity without a word; Python raises. With these, both agree.
"""

from __future__ import annotations

import math

from pcg.engine.kernel.runtime import inner

INFINITY = math.inf


@inner
def quotient(a, b):
    """Quotient of a and b; an infinity, or NaN for 0/0, when b is 0."""
    if b == 0.0:
        return a * math.copysign(INFINITY, b)
    return a / b


@inner
def cosine(x):
    """Cosine of x; NaN for an infinity."""
    if abs(x) == INFINITY:
        return x - x
    return math.cos(x)


@inner
def sine(x):
    """Sine of x; NaN for an infinity."""
    if abs(x) == INFINITY:
        return x - x
    return math.sin(x)


@inner
def arctangent(y, x):
    """Angle of the vector (x, y); of a NaN in it the NaN itself, whose bits Python would change."""
    if x != x or y != y:
        return x - y
    return math.atan2(y, x)
