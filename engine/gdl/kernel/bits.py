"""Words of 64 bits: counting and choosing bits, and the random numbers of playouts."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from pcg.engine.kernel.random import next_bits
from pcg.engine.kernel.runtime import JIT, inner, load64, store64

_MASK48 = (1 << 48) - 1
_MASK24 = (1 << 24) - 1
_MIX = 0x5851F42D4C95
_STEP = 0x9E3779B97F


if JIT:

    @intrinsic
    def count_bits(typingctx: Any, word: Any) -> Any:
        """Number of bits set in a word."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), codegen

    @intrinsic
    def clear_low(typingctx: Any, word: Any) -> Any:
        """The word without its lowest bit; plain subtraction, which may overflow here."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.and_(args[0], builder.sub(args[0], context.get_constant(types.int64, 1)))

        return types.int64(types.int64), codegen

else:

    def clear_low(word: int) -> int:
        """The word without its lowest bit."""
        word &= 0xFFFFFFFFFFFFFFFF
        word &= word - 1
        return word - (1 << 64) if word >> 63 else word

    def count_bits(word: int) -> int:
        """Number of bits set in a word."""
        return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


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
