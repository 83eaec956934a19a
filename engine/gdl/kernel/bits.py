"""Words of 64 bits: counting and choosing bits, and the random numbers of playouts."""

from __future__ import annotations

from pcg.engine.kernel.random import next_bits
from pcg.engine.kernel.runtime import clear_low, count_bits, inner, load64, store64

_MASK48 = (1 << 48) - 1
_MASK24 = (1 << 24) - 1
_MIX = 0x5851F42D4C95
_STEP = 0x9E3779B97F


@inner
def choose_bit(word, k):
    """The place of the k-th bit set, from 0; the word has more than k."""
    at = 0
    width = 32
    while width > 0:
        low = count_bits(word & ((1 << width) - 1))
        if k >= low:
            k -= low
            word = word >> width
            at += width
        width = width >> 1
    return at


@inner
def times(x, factor):
    """Product modulo 2^48 of two numbers below 2^48, without overflow."""
    low = (x & _MASK24) * (factor & _MASK24)
    cross = ((x >> 24) * (factor & _MASK24) & _MASK24) + ((x & _MASK24) * (factor >> 24) & _MASK24)
    return (low + ((cross & _MASK24) << 24)) & _MASK48


@inner
def stream(address, seed, number):
    """Begin random stream `number` of a seed at an address: streams of neighbouring numbers have nothing in common."""
    x = ((seed & _MASK48) ^ times(number & _MASK48, _STEP)) & _MASK48
    for _ in range(3):
        x = x ^ (x >> 25)
        x = times(x, _MIX)
        x = (x + (seed >> 48 & 0xFFFF) + 0x632B) & _MASK48
    store64(address, x ^ (x >> 25))
    return 0


@inner
def draw(address, bound):
    """A number from 0 to bound - 1; none is drawn when there is only one. At most 2^31 - 1."""
    if bound <= 1:
        return 0
    return (next_bits(address, 32) * bound) >> 32


__all__ = ["choose_bit", "clear_low", "count_bits", "draw", "load64", "stream", "times"]
