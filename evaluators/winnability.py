"""Chance that a level can be won although a search has not found a win: a small model, learned from own levels.

By Bayes' rule the odds that a level can be won, after a search of a certain budget has found nothing, are the odds
before times the chance that such a search misses a win. How often it misses is learned from the game's own levels,
which can be won since people made them to be: of `tried` such levels it has won so many, on top of what it wins in
other games (a beta distribution). The odds before depend on how like the game's own levels the text is: of rubble few
levels can be won. Where the search wins the game's own levels, the answer is nearly 0; where it wins none, not having
found a win tells nothing, and what remains is what the text says.

The idea is that of imperfect detection in ecology, where a species that was not seen on a site is not therefore absent
(MacKenzie, Nichols, Lachman, Droege, Royle and Langtimm, Estimating site occupancy rates when detection probabilities
are less than one, 2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

FOUND, MISSED = 1.5, 0.4
"""Own levels of other games that a search has won and has not, as so many levels more of this game: the beta
distribution with the mean and variance of the shares of own levels won in 17 games of the corpus that are not held
out."""
AT_HALF, SLOPE = 0.6, 8.0
"""Value of the text at which every second level can be won, and by how much the logarithm of the odds grows for a value
of 1. Set more severely than what a logistic regression gives (0.34 and 4.8, on 79 levels of `random` and `constructive`
in 9 games, not held out, whose own levels are all won): those are games in which much can be won, and in the others
rubble had better not be taken for a level."""
LIKELY = 0.5
"""Chance from which on a level that was not won is taken for one that can be."""


def miss_rate(won: int, tried: int) -> float:
    """Return the chance that a search does not find a win of a level that has one.

    Args:
        won: levels that a search of the same budget has won, out of those known to be winnable.
        tried: number of these.

    >>> miss_rate(4, 4) < 0.1 < 0.7 < miss_rate(0, 4)
    True
    """
    return (MISSED + tried - won) / (FOUND + MISSED + tried)


def chance_winnable(text_value: float, won: int, tried: int) -> float:
    """Return the chance that a level can be won of which a search has found no win.

    Args:
        text_value: what the judge of levels says of its text, in [0, 1].
        won: levels of the game that a search of the same budget has won, out of those known to be winnable.
        tried: number of these; 0: nothing is known of the game, and the answer is 0.

    >>> chance_winnable(0.9, 4, 4) < LIKELY < chance_winnable(0.9, 1, 4)
    True
    >>> chance_winnable(0.3, 0, 4) < LIKELY
    True
    """
    if tried == 0:
        return 0.0
    odds = math.exp(SLOPE * (text_value - AT_HALF)) * miss_rate(won, tried)
    return odds / (1.0 + odds)


def ask_own_levels(text_value: float, asked: Sequence[Callable[[], bool]]) -> tuple[float, int, int]:
    """Ask own levels one after the other, which is dear, until it is settled whether a level counts as winnable.

    Args:
        text_value: what the judge of levels says of its text, in [0, 1].
        asked: for each own level a question whether the search wins it.

    Returns:
        The chance that the level can be won, how many own levels were won, and how many were asked. Where not all were,
        the chance is the highest that is still possible if it is below `LIKELY`, else the lowest.

    >>> ask_own_levels(0.8, [lambda: False, lambda: False, lambda: False])[1:]
    (0, 1)
    >>> ask_own_levels(0.3, [lambda: False] * 4)[1:]
    (0, 0)
    """
    won = 0
    for known in range(len(asked) + 1):
        left = len(asked) - known
        highest = chance_winnable(text_value, won, len(asked))
        lowest = chance_winnable(text_value, won + left, len(asked))
        if highest < LIKELY or lowest >= LIKELY:
            return (highest if highest < LIKELY else lowest), won, known
        won += asked[known]()
    raise AssertionError("with all own levels asked nothing is open")
