"""Chance that a level can be won although a search has not found a win: a small model, learned from own levels.

By Bayes' rule the odds that a level can be won, after a search of a certain budget has found nothing, are the odds
before times the chance that such a search misses a win. How often it misses is learned from the game's own levels,
which can be won since people made them to be: of `tried` such levels it has won so many, on top of what it wins in
other games (a beta distribution). The odds before depend on how like the game's own levels the text is: of rubble few
levels can be won. Where the search wins none of the game's own levels, not having found a win tells nothing, and what
remains is what the text says. Where it wins all of them, a level has to be won, however likely it looks: the text does
not tell whether a key is behind its own door.

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
"""Chance from which on a level that was not won may be taken for one that can be."""


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


def must_be_won(won: int, own: int) -> bool:
    """Tell whether levels of a game have to be won: the search wins all of the game's own.

    Args:
        won: own levels that the search has won.
        own: number of own levels that it was tried on.

    >>> must_be_won(3, 4), must_be_won(4, 4)
    (False, True)
    """
    return won >= own


def may_count(text_value: float, own: int) -> bool:
    """Tell whether a level of which no win is found may still be taken for one that can be won: it is if the search
    wins none of the game's own levels.

    Args:
        text_value: what the judge of levels says of its text, in [0, 1].
        own: number of own levels that can be asked.

    >>> may_count(0.8, 4), may_count(0.3, 4), may_count(0.8, 0)
    (True, False, False)
    """
    return chance_winnable(text_value, 0, own) >= LIKELY


def ask_own_levels(text_value: float, asked: Sequence[Callable[[], bool]]) -> tuple[float, int, int]:
    """Ask own levels one after the other, which is dear, until one is lost, or it is settled that a level does not
    count as winnable.

    Args:
        text_value: what the judge of levels says of its text, in [0, 1].
        asked: for each own level a question whether the search wins it, the easiest first: those that come after one
            that was lost are taken for lost, too.

    Returns:
        The chance that the level can be won, or the highest that is still possible if that is below `LIKELY`; how many
        own levels were won; and how many were asked.

    >>> ask_own_levels(0.8, [lambda: True, lambda: False, lambda: False])[1:]
    (1, 2)
    >>> ask_own_levels(0.3, [lambda: False] * 4)[1:]
    (0, 0)
    """
    for won, question in enumerate(asked):
        highest = chance_winnable(text_value, won, len(asked))
        if highest < LIKELY:
            return highest, won, won
        if not question():
            return highest, won, won + 1
    return chance_winnable(text_value, len(asked), len(asked)), len(asked), len(asked)
