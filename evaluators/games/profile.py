"""Relative algorithm performance of a ladder of agents: means, intervals, differences, and the fitness they give.

A good game tells capable agents from weak ones (Nielsen, Barros, Togelius, Nelson: General Video Game Evaluation Using
Relative Algorithm Performance Profiles, 2015). The value of a play is that of the genetic rule generator of the GVGAI
framework (Khalifa et al.: General Video Game Rule Generation, 2017; reference/generators 12.8); its product of two
gaps, of which it only ever used the negative part, is replaced by `profile_fitness`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

CONFIDENCE = 0.9
"""Of all intervals, two-sided."""
_Z = 1.6448536269514722
_DEVIATION = 0.1


def interval(mean: float, n: int) -> tuple[float, float]:
    """The 90 % interval of the mean of n values in [0, 1]: Wilson's score interval.

    It is exact for wins and losses, and too wide for everything else, as no other values with this mean spread more. So
    it never has the width 0, not even for a few plays that end alike.

    >>> [round(x, 3) for x in interval(0.0, 20)]
    [0.0, 0.119]
    """
    if n == 0:
        return 0.0, 1.0
    centre = (mean + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z / (1 + _Z * _Z / n) * math.sqrt(max(0.0, mean * (1 - mean)) / n + _Z * _Z / (4 * n * n))
    return max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half))


@functools.lru_cache(maxsize=1024)
def _quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def difference(weaker: Sequence[float], stronger: Sequence[float]) -> tuple[float, float]:
    """Mean of the paired differences stronger - weaker, and the half width of its 90 % interval (Student's t).

    Values at one place come from plays of one level with one seed. Where all differences are alike the half width is 0:
    good enough to decide where the next play helps most, which is what it is for.

    >>> difference([0.0, 0.0, 0.5], [1.0, 1.0, 1.0])[0]
    0.8333333333333334
    """
    found = [b - a for a, b in zip(weaker, stronger, strict=False)]
    n = len(found)
    if n == 0:
        return 0.0, 1.0
    mean = math.fsum(found) / n
    if n == 1:
        return mean, 1.0
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in found) / (n - 1))
    return mean, _quantile(n - 1) * deviation / math.sqrt(n)


def certainty(weaker: Sequence[float], stronger: Sequence[float], plays: int) -> float:
    """The probability that the stronger of two agents has the larger mean in so many further plays, in [0, 1].

    Going by their paired plays, with a normal approximation: what is not known yet of the difference counts as much as
    the luck of the plays to come, so few plays are never certain. Plays that all differ alike still leave a doubt, that
    of one play which deviates by `_DEVIATION`.

    >>> round(certainty([0.0, 0.1, 0.0], [0.1, 0.0, 0.0], 20), 3)
    0.5
    >>> round(certainty([0.0, 0.0, 0.0], [0.9, 0.0, 0.0], 20), 2), round(certainty([0.0] * 9, [0.9] * 9, 20), 2)
    (0.87, 1.0)
    """
    found = [b - a for a, b in zip(weaker, stronger, strict=False)]
    n = len(found)
    if n == 0:
        return 0.5
    mean = math.fsum(found) / n
    variance = (math.fsum((x - mean) ** 2 for x in found) + _DEVIATION**2) / n
    return 0.5 * (1.0 + math.erf(mean / math.sqrt(2.0 * variance * (1.0 / n + 1.0 / plays))))


def separation(weakest: Sequence[float], strongest: Sequence[float], plays: int) -> float:
    """The probability that the intervals of two agents do not overlap in so many further plays, in [0, 1].

    That is `certainty` of a difference larger than what the two intervals then take.

    >>> round(separation([0.0] * 9, [0.2] * 9, 20), 2), round(separation([0.0] * 9, [0.9] * 9, 20), 2)
    (0.03, 1.0)
    """
    if not weakest or not strongest:
        return 0.0
    low, high = math.fsum(weakest) / len(weakest), math.fsum(strongest) / len(strongest)
    taken = interval(low, plays)[1] - low + high - interval(high, plays)[0]
    return certainty([value + taken for value in weakest], strongest, plays)


def profile_fitness(spread: float, steps: Sequence[float]) -> float:
    """Worth of a profile in [0, 1]: half how far the strongest is above the weakest, half how well all are in order.

    One pair of neighbours in the wrong order makes the whole order wrong, so the worst pair counts as much as all
    pairs together.

    Args:
        spread: performance of the strongest less that of the weakest; 0.9, a win against a loss, counts as full.
        steps: of all neighbours how certain their order is, from -1, certainly wrong, over 0, alike, to 1.

    >>> profile_fitness(0.9, [1.0, 1.0, 1.0, 1.0])
    1.0
    """
    order = 0.5 * (math.fsum(steps) / len(steps) + min(steps)) if steps else 0.0
    return 0.5 * max(0.0, min(1.0, spread / 0.9)) + 0.5 * max(0.0, order)
