"""Tryouts of drafts: quick plays before a level is handed over to be evaluated.

An evaluation spends a hundred times as much on a level that it does not win as on one that is won at once, so a game's
levels are made sooner if drafts that are not won at once make way for others. That helps only where some drafts are won
quickly and some are not: where next to none is, a longer search decides, and where nearly all are, an evaluation does.
Giving up early what may never end is what restarts do (Gomes, Selman, Kautz: Boosting Combinatorial Search Through
Randomization, AAAI 1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.parameters import Setting
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


class Tryout(NamedTuple):
    """A quick play of one draft."""

    drawn: float | None
    """Draw that decided whether a win was searched for, in [0, 1); None where chance had no part."""
    calls: int
    """Forward-model calls that the search was allowed; 0 for no search."""
    won: bool
    spent: int
    """Calls that it made."""


class Tryouts:
    """Quick plays of the drafts of one game, with a record of how many were won.

    Args:
        context: of the game.
        targets: of the levels.
    """

    def __init__(self, context: LevelContext, targets: Sequence[Target] = ()) -> None:
        levels = [context.palette.text(grid) for grid in context.examples]
        self._targets = targets
        self.settings: Mapping[str, Setting] = {}
        """Settings of the evaluation of the levels, but for the default."""
        self._game = Game(context.definition, levels, reading="gvgai")
        waiting = any(ending.kind == "timeout" for ending in context.analysis.wins)
        self.possible = self._game.players == 1 and not waiting
        """False where a win takes as long as the rules say, so that none is quick."""
        self.tried = self.won = 0.0
        self.dearest = 0
        """Forward-model calls of the dearest win."""
        self.note: Callable[[Tryout], None] = lambda tryout: None
        """Called with every tryout."""

    @cached_property
    def _evaluator(self) -> LevelEvaluator:
        return LevelEvaluator(self._game, self._targets, **self.settings)

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
        drawn: list[float] = []

        def draw() -> float:
            drawn.append(rng.random())
            return drawn[0]

        calls = self._calls(draw)
        found, spent = self._evaluator.quick_verdict(text, int(rng.integers(2**31)), calls)
        self._count(bool(found), spent)
        self.note(Tryout(drawn[0] if drawn else None, calls, bool(found), spent))
        return found is False

    def repeats(self, tryout: Tryout) -> bool:
        """Count a tryout that was made elsewhere, where it would be made here in the same way; tell whether it would.

        Args:
            tryout: whose level and draws are the same here.
        """
        asked = False

        def draw() -> float:
            nonlocal asked
            asked = True
            return math.nan if tryout.drawn is None else tryout.drawn

        if self._calls(draw) != tryout.calls or asked != (tryout.drawn is not None):
            return False
        self._count(tryout.won, tryout.spent)
        return True

    def _count(self, won: bool, spent: int) -> None:
        if spent:  # a level that breaks a constraint before it is searched does not tell how wins are found
            self.tried += 1.0
            if won:
                self.won += 1.0
                self.dearest = max(self.dearest, spent)

    def _calls(self, draw: Callable[[], float]) -> int:
        """Return the calls that a search for a win of the next draft may make; 0 for none.

        Args:
            draw: a number in [0, 1), where chance decides.
        """
        if not self.possible:
            return 0
        share = self.expected
        least = RARE if self.won >= 1.0 else HOPELESS
        if (share >= least or (share >= TRUSTED and self.telling)) and (share <= EASY or draw() < SAMPLED):
            return FIRST if not self.dearest else min(MOST, max(LEAST, DEARER * self.dearest))
        self.tried *= MEMORY
        self.won *= MEMORY
        return 0

    def state_dict(self) -> dict[str, Any]:
        """Return the record as JSON."""
        return {"tried": self.tried, "won": self.won, "dearest": self.dearest}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load the record of another."""
        self.tried, self.won = float(state["tried"]), float(state["won"])
        self.dearest = int(state["dearest"])
