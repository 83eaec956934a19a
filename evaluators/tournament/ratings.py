"""Ratings of agents with their uncertainty: Wilson intervals of win rates, and Glicko-2 ratings.

Glicko-2 follows Mark Glickman, Example of the Glicko-2 system (2013), step by step. The packages for it on PyPI are
not used: the best known one has the rating where the paper has its deviation in the equation of the volatility, which
the paper's example, with a rating of 0 on that scale, cannot show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

TAU = 0.5
"""The rate at which volatility may change; the paper's example has 0.5."""
SCALE = 173.7178
"""Points of a rating per unit of the scale on which Glicko-2 computes."""
_TOLERANCE = 1e-6


def wilson(wins: int, plays: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a share.

    Args:
        wins: successes.
        plays: trials; without any, the interval is (0, 1).
        confidence: in (0, 1).

    >>> tuple(round(end, 3) for end in wilson(3, 10))
    (0.108, 0.603)
    """
    if plays == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest

    interval = binomtest(wins, plays).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)


@dataclass(frozen=True, slots=True)
class Rating:
    """A Glicko-2 rating: about 95 % sure that the strength is within two `deviation` of `rating`."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


def update(player: Rating, games: Sequence[tuple[Rating, float]], tau: float = TAU) -> Rating:
    """The rating after one rating period.

    Args:
        player: before it.
        games: (opponent before the period, 1 won / 0.5 drawn / 0 lost) for each game.
        tau: the system constant.

    >>> after = update(Rating(1500, 200), [(Rating(1400, 30), 1), (Rating(1550, 100), 0), (Rating(1700, 300), 0)])
    >>> round(after.rating, 2), round(after.deviation, 2), round(after.volatility, 5)
    (1464.05, 151.52, 0.06)
    """
    mu, phi = (player.rating - 1500) / SCALE, player.deviation / SCALE
    if not games:
        return Rating(player.rating, SCALE * math.hypot(phi, player.volatility), player.volatility)
    inverse = gain = 0.0
    for opponent, score in games:
        g = 1 / math.sqrt(1 + 3 * (opponent.deviation / SCALE / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-g * (mu - (opponent.rating - 1500) / SCALE)))
        inverse += g * g * expected * (1 - expected)
        gain += g * (score - expected)
    v = 1 / inverse
    sigma = _volatility(player.volatility, phi, v, v * gain, tau)
    deviation = 1 / math.sqrt(1 / (phi * phi + sigma * sigma) + inverse)
    return Rating(1500 + SCALE * (mu + deviation * deviation * gain), SCALE * deviation, sigma)


def _volatility(sigma: float, phi: float, v: float, delta: float, tau: float) -> float:
    """Step 5 of the paper: the zero of f by the Illinois algorithm."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e = math.exp(x)
        square = phi * phi + v + e
        return e * (delta * delta - square) / (2 * square * square) - (x - a) / (tau * tau)

    left = a
    if delta * delta > phi * phi + v:
        right = math.log(delta * delta - phi * phi - v)
    else:
        k = 1
        while f(a - k * tau) < 0:
            k += 1
        right = a - k * tau
    f_left, f_right = f(left), f(right)
    while abs(right - left) > _TOLERANCE:
        middle = left + (left - right) * f_left / (f_right - f_left)
        f_middle = f(middle)
        if f_middle * f_right <= 0:
            left, f_left = right, f_right
        else:
            f_left /= 2
        right, f_right = middle, f_middle
    return math.exp(left / 2)


def rate(periods: Iterable[Sequence[tuple[str, str, float]]]) -> Mapping[str, Rating]:
    """Ratings of players after rating periods.

    Args:
        periods: per period games as (player, opponent, the player's result: 1, 0.5 or 0). Everybody starts at 1500 +-
            350; who does not play in a period only becomes less certain.

    >>> ratings = rate([[("a", "b", 1.0), ("b", "a", 0.0)]])
    >>> ratings["a"].rating > 1500 > ratings["b"].rating
    True
    """
    ratings: dict[str, Rating] = {}
    for period in periods:
        before = ratings
        games: dict[str, list[tuple[Rating, float]]] = {name: [] for name in before}
        for one, other, result in period:
            games.setdefault(one, []).append((before.get(other, Rating()), result))
            games.setdefault(other, []).append((before.get(one, Rating()), 1.0 - result))
        ratings = {name: update(before.get(name, Rating()), played) for name, played in games.items()}
    return ratings
