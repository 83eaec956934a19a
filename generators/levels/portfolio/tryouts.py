"""Tryouts of drafts: quick plays before a level is handed over to be evaluated.

An evaluation spends a hundred times as much on a level that it does not win as on one that is won at once, so a game's
levels are made sooner if drafts that are not won at once make way for others. That helps only where some drafts are won
quickly and some are not: where next to none is, a longer search decides, and where nearly all are, an evaluation does.
Giving up early what may never end is what restarts do (Gomes, Selman, Kautz: Boosting Combinatorial Search Through
Randomization, AAAI 1998).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext

FIRST, LEAST, MOST = 80_000, 10_000, 120_000
"""Forward-model calls of a tryout before one was won, and their bounds after."""
DEARER = 3
"""Times as many calls as the dearest win took may a tryout make."""
HOPELESS = 0.2
"""Expected share of drafts won quickly below which drafts are not tried."""
RARE = 0.1
"""The same where some were won: a lost level costs a hundred times as much as a draft."""
TRUSTED = 0.02
"""The same where tryouts are `telling`."""
PERSISTENT = 3.0
"""Drafts that are made for one level while tryouts lose them, in multiples of those that one win takes on average."""
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
        targets: of the levels.
    """

    def __init__(self, context: LevelContext, targets: Sequence[Target] = ()) -> None:
        levels = [context.palette.text(grid) for grid in context.examples]
        self._targets = targets
        self._game = Game(context.definition, levels, reading="gvgai")
        waiting = any(ending.kind == "timeout" for ending in context.analysis.wins)
        self.possible = self._game.players == 1 and not waiting
        """False where a win takes as long as the rules say, so that none is quick."""
        self.tried = self.won = 0.0
        self.dearest = 0
        """Forward-model calls of the dearest win."""

    @cached_property
    def _evaluator(self) -> LevelEvaluator:
        return LevelEvaluator(self._game, self._targets)

    @property
    def expected(self) -> float:
        """Expected share of drafts that are won quickly, in (0, 1)."""
        return (self.won + 1.0) / (self.tried + 2.0)

    @property
    def patience(self) -> int:
        """Drafts after which one that tryouts do not win may be handed over; 0 where that tells nothing."""
        share = self.expected
        worth = self.possible and (self.won >= 1.0 or (share < HOPELESS and self.telling))
        return math.ceil(PERSISTENT / max(TRUSTED, share)) if worth else 0

    @cached_property
    def telling(self) -> bool:
        """True where half of the game's own levels are won as quickly, so that a draft that is lost is at fault."""
        return self._evaluator.wins.own_share(FIRST) >= 0.5

    def lost(self, text: str, rng: np.random.Generator) -> bool:
        """Tell whether a level breaks a constraint or, where a search is worth while, is not won by a small one.

        Args:
            text: of the level.
            rng: draws.
        """
        calls = 0
        if self._searches(rng):
            calls = FIRST if not self.dearest else min(MOST, max(LEAST, DEARER * self.dearest))
        found, spent = self._evaluator.quick_verdict(text, int(rng.integers(2**31)), calls)
        if spent:  # a level that breaks a constraint before it is searched does not tell how wins are found
            self.tried += 1.0
            if found:
                self.won += 1.0
                self.dearest = max(self.dearest, spent)
        return found is False

    def _searches(self, rng: np.random.Generator) -> bool:
        """Tell whether a win of the next draft is searched for."""
        if not self.possible:
            return False
        share = self.expected
        least = RARE if self.won >= 1.0 else HOPELESS
        if (share >= least or (share >= TRUSTED and self.telling)) and (share <= EASY or rng.random() < SAMPLED):
            return True
        self.tried *= MEMORY
        self.won *= MEMORY
        return False

    def state_dict(self) -> dict[str, Any]:
        """Return the record as JSON."""
        return {"tried": self.tried, "won": self.won, "dearest": self.dearest}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load the record of another."""
        self.tried, self.won = float(state["tried"]), float(state["won"])
        self.dearest = int(state["dearest"])
