"""Variations of given games: each differs from one of them in at most `max_edits` lines.

Drawn one by one, so that the k-th depends on nothing but k: for search within the bound there is `evolve` with
`max_edits`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.games.contract import IndependentGameGenerator
from pcg.generators.games.genes import GameGenotype, game_edits
from pcg.generators.games.operators import mutate

DEFAULT_EDITS = 5
_TRIES = 20


class GameVariations(IndependentGameGenerator):
    """Some lines of a game changed."""

    name = "variation"
    help = "a given game with at most max_edits lines changed (5 unless told), each game by itself"
    papers = ("Isaksen, Gopstein, Togelius, Nealen: Exploring Game Space of Minimal Action Games (2018)",)
    parameters = (
        Parameter("levels", 1.0, "how often levels change, as a multiple of the usual", 0.0, 20.0),
        Parameter("max_rules", 40, "most rules; or as many as the longest game to begin with", 1, 200),
    )
    bounded: ClassVar[bool] = True

    def generate(self, rng: np.random.Generator) -> GameGenotype:
        """One variation; the game itself, repaired, only where not one line of it can be changed within the bound."""
        k = int(rng.integers(len(self.start)))
        given, game = self.start[k], self.repaired_start[k]
        bound = self.max_edits or DEFAULT_EDITS
        wanted = 1 + int(rng.integers(bound))
        best = game
        for _ in range(_TRIES):
            made = mutate(best, rng, changes=1, most=self.most, levels=self.number("levels"),
                          small=bool(rng.random() < 0.6))  # fmt: skip
            if made != best and game_edits(given, made) <= bound:
                best = made
                if game_edits(given, best) >= wanted:
                    break
        return best
