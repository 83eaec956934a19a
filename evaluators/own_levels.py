"""Constraints relaxed to what the game's own levels keep.

People made these levels to be played, so a constraint that they break under the same evaluation is wrong for this game,
or its bound is. As in the judge of levels, a level is compared with all own levels but the one it is most like, so that
no level is evidence for itself or for a copy. An own level is evaluated once, when a level breaks a constraint, and
only up to the stage of that constraint.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from pcg.evaluators.judging.level_reference import LevelProfile

if TYPE_CHECKING:
    from pcg.evaluators.judging.levels import LevelJudge
    from pcg.evaluators.level_evaluation import LevelEvaluation
    from pcg.evaluators.metrics.text import LevelText

T = TypeVar("T")

SEED = 1
"""Seed of the evaluations of own levels."""
USUAL_SPREAD = 0.5
"""Usual standard deviation of the logarithm of the lengths of wins, among the levels of one game. That of lives (of a
player who looks one step ahead, where own levels are lost within 160 ticks) is taken to be the same."""
TRUST = 6.0
"""Weight of the usual standard deviation against the observed one, in levels."""
UNUSUAL = 0.01
"""Predicted share of levels of the game with a shorter win, or life, than the bound."""


class OwnLevels:
    """Evaluations of a game's own levels, for comparison. Safe to use from several threads at once.

    Args:
        judge: of the game's levels; its levels are meant.
        make: begins the evaluation of a text with a seed.
    """

    def __init__(self, judge: LevelJudge, make: Callable[[str, int], LevelEvaluation]) -> None:
        self._judge = judge
        self._make = make
        self._made: dict[int, LevelEvaluation] = {}
        self._lock = threading.RLock()

    def others(self, level: LevelText) -> list[int]:
        """Return the indices of the own levels that a level is compared with: all but the one it is most like."""
        judge = self._judge
        profile: LevelProfile = judge.reference.profile(judge.view(level))
        return judge.reference.others(judge.reference.nearest(profile))

    def number_of(self, text: str) -> int | None:
        """Return the index of an own level by its text; None for other texts."""
        levels = [own.strip() for own in self._judge.levels]
        return levels.index(text.strip()) if text.strip() in levels else None

    def known(self, number: int, look: Callable[[LevelEvaluation], T]) -> T:
        """Return what an evaluation of an own level says; it goes no further than that takes.

        Args:
            number: of the level among those of the judge.
            look: what is wanted of the evaluation.
        """
        with self._lock:
            made = self._made.get(number)
            if made is None:
                made = self._made[number] = self._make(self._judge.levels[number], SEED)
                made.of_game = True
                made.read()
            return look(made)

    def least(self, wanted: float, others: Sequence[int], look: Callable[[LevelEvaluation], float]) -> float:
        """Return a lower bound, relaxed to the least value of the own levels named.

        Args:
            wanted: the bound.
            others: numbers of own levels.
            look: the value of one.
        """
        return min([wanted, *(self.known(k, look) for k in others)])

    def least_life(self, wanted: int, others: Sequence[int], look: Callable[[LevelEvaluation], int]) -> int:
        """Return how long a player has to live, relaxed to what the own levels named let expect of one more.

        Args:
            wanted: the bound, in ticks.
            others: numbers of own levels.
            look: ticks that the player lives in one.
        """
        lives = [self.known(k, look) for k in others]
        return max(1, min([wanted, *lives, math.floor(shortest_expected(lives, wanted))]))

    def counts(self, others: Sequence[int]) -> list[Mapping[int, int]]:
        """Return the numbers of sprites, by type, of the own levels named."""
        return [self.known(k, lambda one: one.seen.sprites) for k in others]

    def won(self, number: int) -> bool:
        """Tell whether the search that is made for levels wins an own level."""
        return self.won_cheaply(number) or self.known(number, lambda one: one.search.won is not None)

    def won_cheaply(self, number: int) -> bool:
        """Tell whether a small part of that search wins an own level already."""
        return self.known(number, lambda one: one.cheap_win)

    def hard(self, others: Sequence[int]) -> list[int]:
        """Return those of the own levels named that are not won cheaply."""
        return [k for k in others if not self.won_cheaply(k)]

    def least_length(self, wanted: int, others: Sequence[int]) -> int:
        """Return the shortest win of a level, relaxed to what the wins of own levels let expect of one more.

        These are wins of a quick search: those that are not won quickly are longer rather than shorter.
        """
        lengths = [self.known(k, lambda one: one.quick_length) for k in others]
        return max(1, min(wanted, math.floor(shortest_expected([n for n in lengths if n is not None], wanted))))


def shortest_expected(lengths: Sequence[int], otherwise: float) -> float:
    """Return the length below which a win, or a life, in one more level of a game would be unusual (a prediction
    bound after Student).

    Args:
        lengths: of wins or lives in some levels, in ticks.
        otherwise: the answer where there are none.

    >>> shortest_expected([90, 110, 120, 95], 20) > 20 > 10 > shortest_expected([10, 12, 30, 11], 20)
    True
    """
    if not lengths:
        return otherwise
    logs = [math.log(max(1, n)) for n in lengths]
    mean = math.fsum(logs) / len(logs)
    squares = math.fsum((x - mean) ** 2 for x in logs) + TRUST * USUAL_SPREAD**2
    degrees = len(logs) - 1 + TRUST
    spread = math.sqrt(squares / degrees * (1.0 + 1.0 / len(logs)))
    from scipy.special import stdtrit  # slow to import, and few commands come here

    return math.exp(mean + float(stdtrit(degrees, UNUSUAL)) * spread)
