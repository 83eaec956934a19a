"""Tryouts of drafts: quick plays before a level is handed over to be evaluated.

An evaluation spends a hundred times as much on a level that it does not win as on one that is won at once, so a game's
levels are made sooner if drafts that are not won at once make way for others. That helps only where some drafts are won
quickly and some are not: where next to none is, a longer search decides, and where nearly all are, an evaluation does.
Giving up early what may never end is what restarts do (Gomes, Selman, Kautz: Boosting Combinatorial Search Through
Randomization, AAAI 1998).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from pcg.engine.game import Game
from pcg.evaluators.fitness import LevelEvaluator
from pcg.generators.levels.context import LevelContext

FIRST, LEAST, MOST = 80_000, 10_000, 120_000
"""Forward-model calls of a tryout before one was won, and their bounds after."""
DEARER = 3
"""Times as many calls as the dearest win took may a tryout make."""
HOPELESS = 0.2
"""Expected share of drafts won quickly below which drafts are not tried."""
EASY = 0.95
"""Expected share above which only some drafts are tried."""
SAMPLED = 0.25
"""Share of these."""
MEMORY = 0.97
"""Factor by which what was seen counts less for each draft that is not tried, so that tryouts are taken up again."""


class Tryouts:
    """Quick plays of the drafts of one game, with a record of how many were won.

    Args:
        context: of the game.
    """

    def __init__(self, context: LevelContext) -> None:
        levels = [context.palette.text(grid) for grid in context.examples]
        self._game = Game(context.definition, levels, reading="gvgai")
        waiting = any(ending.kind == "timeout" for ending in context.analysis.wins)
        self.possible = self._game.players == 1 and not waiting
        """False where a win takes as long as the rules say, so that none is quick."""
        self.tried = self.won = 0.0
        self.dearest = 0
        """Forward-model calls of the dearest win."""

    @cached_property
    def _evaluator(self) -> LevelEvaluator:
        return LevelEvaluator(self._game)

    @property
    def expected(self) -> float:
        """Expected share of drafts that are won quickly, in (0, 1)."""
        return (self.won + 1.0) / (self.tried + 2.0)

    def wanted(self, rng: np.random.Generator) -> bool:
        """Tell whether the next draft is to be tried."""
        if not self.possible:
            return False
        share = self.expected
        if share >= HOPELESS and (share <= EASY or rng.random() < SAMPLED):
            return True
        self.tried *= MEMORY
        self.won *= MEMORY
        return False

    def wins(self, text: str, seed: int) -> bool:
        """Tell whether a level is won quickly, and remember it."""
        limit = FIRST if not self.dearest else min(MOST, max(LEAST, DEARER * self.dearest))
        won, calls = self._evaluator.quick_win(text, seed, limit)
        self.tried += 1.0
        if won:
            self.won += 1.0
            self.dearest = max(self.dearest, calls)
        return won

    def state_dict(self) -> dict[str, Any]:
        """Return the record as JSON."""
        return {"tried": self.tried, "won": self.won, "dearest": self.dearest}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load the record of another."""
        self.tried, self.won = float(state["tried"]), float(state["won"])
        self.dearest = int(state["dearest"])
