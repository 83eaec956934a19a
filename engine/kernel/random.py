"""java.util.Random, bit for bit, on a 48-bit state kept in memory (reference/randomness 5.2).

Every function takes the address of the 64-bit word that holds the state.
"""

from __future__ import annotations

from pcg.engine.kernel.runtime import inlined, inner, load64, store64, times

_MASK48 = (1 << 48) - 1
_MULTIPLIER = 0x5DEECE66D


def scramble(seed: int) -> int:
    """The internal state of ``new java.util.Random(seed)``.

    >>> scramble(1001)
    25214903684
    """
    return (seed ^ _MULTIPLIER) & _MASK48


@inlined
def following(state):
    """The state of the generator after another draw."""
    return ((times(state, _MULTIPLIER) & _MASK48) + 0xB) & _MASK48


@inner
def next_bits(address, bits):
    """The next `bits` (1 to 32) random bits as an unsigned number; advances the state."""
    state = following(load64(address))
    store64(address, state)
    return state >> (48 - bits)


@inner
def next_int(address, bound):
    """nextInt(bound) for bound >= 1: uniform over 0 .. bound-1; consumes a draw even for bound 1."""
    bits = next_bits(address, 31)
    if bound & (bound - 1) == 0:
        return (bound * bits) >> 31
    value = bits % bound
    # Java rejects when bits - value + (bound - 1) overflows 32 bits
    while bits - value + (bound - 1) > 0x7FFFFFFF:
        bits = next_bits(address, 31)
        value = bits % bound
    return value


@inner
def next_float(address):
    """NextFloat as a double: 24 random bits in [0, 1)."""
    return next_bits(address, 24) / 16777216.0


@inner
def next_double(address):
    """nextDouble: 53 random bits in [0, 1)."""
    high = next_bits(address, 26)
    low = next_bits(address, 27)
    return (high * 134217728 + low) * 1.1102230246251565e-16
