"""Chances that what is made in some way can be won, learned from evaluations: ways that bring what nobody wins, which
costs more to find out than any other fault, are gone less often.

Which plans of games, and which changes, come to nothing depends on the sprites and their levels: in levels whose
crates cannot reach anything, no game of pushing is won. The chance of a way is its share of winnable rule sets so far,
with one given in advance (a Beta posterior with a hopeful prior), as in adaptive operator selection by probability
matching (Fialho et al. 2010).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pcg.generators.contract import EvaluationProtocol

LOST = "nobody wins"
"""Reason of evaluations that found no win in any level; with more words, one that found some."""


def is_lost(evaluation: EvaluationProtocol) -> bool:
    """Return True where an evaluation ended because nobody wins any level."""
    return str(getattr(evaluation, "reason", "")) == LOST


class Chances:
    """Numbers of rule sets by the way in which they were made, and of those among them that were won.

    Example:
        >>> chances = Chances()
        >>> chances.of("push")
        1.0
        >>> for won in (False, False, True):
        ...     chances.note("push", won)
        >>> chances.of("push")
        0.5
    """

    def __init__(self) -> None:
        self._made: dict[str, list[int]] = {}

    def note(self, way: str, won: bool) -> None:
        """Count a rule set that was won, or that nobody wins."""
        made = self._made.setdefault(way, [0, 0])
        made[0] += won
        made[1] += 1

    def of(self, way: str) -> float:
        """Return the chance that a rule set made in some way can be won, in (0, 1]."""
        won, made = self._made.get(way, (0, 0))
        return (won + 1) / (made + 1)

    def order(self, ways: Iterable[str], rng: np.random.Generator) -> list[str]:
        """Return ways in an order drawn by their chances: each is next with its share of what is left (weighted
        sampling without replacement: Efraimidis, Spirakis 2006).
        """
        drawn = {way: float(rng.random()) ** (1.0 / self.of(way)) for way in ways}
        return sorted(drawn, key=lambda way: -drawn[way])

    def state(self) -> Mapping[str, Sequence[int]]:
        """Return all numbers, to go on from."""
        return {way: list(made) for way, made in sorted(self._made.items())}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self._made = {way: [int(number) for number in made] for way, made in state.items()}
