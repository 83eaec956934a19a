"""Hashes of states: values folded into 62 bits, without signed overflow."""

from __future__ import annotations

import math

from pcg.engine.kernel.runtime import inner


@inner
def mix(h, value):
    """Fold a value into a 62-bit hash without overflow: two 31-bit lanes, each multiplied modulo a prime."""
    low = h & 0x7FFFFFFF
    high = (h >> 31) & 0x7FFFFFFF
    word = value & 0xFFFFFFFF
    # modulo 2^31 - 1 and 2^31 - 19: what lies above 31 bits counts once or 19 times, and less than twice that is left
    low = (low ^ (word & 0x7FFFFFFF)) * 1103515245 + 12345 + (word >> 31)
    low = (low & 0x7FFFFFFF) + (low >> 31)
    low = low - 2147483647 if low >= 2147483647 else low
    high = (high + word) * 69621 + low
    high = (high & 0x7FFFFFFF) + 19 * (high >> 31)
    high = high - 2147483629 if high >= 2147483629 else high
    return (high << 31) | low


@inner
def mix_double(h, value):
    """Fold a double, exact to 1/4096, which separates all speeds and directions that games use."""
    value = value * 4096.0 + 0.5
    if not -4e18 < value < 4e18:
        # beyond 64 bits, or NaN
        return mix(h, 1 if value > 0.0 else -1)
    return mix(h, math.floor(value))
