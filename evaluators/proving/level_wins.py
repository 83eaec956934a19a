"""Wins of levels for evaluations: a small proof, guided by what the game's own levels have taught.

What is learned comes from the game's own levels alone, so that the answer for a level does not depend on which levels
were looked at before, nor on the process that looks; and never from the level itself. It is two things: which methods
win, and how dear that is. Where own levels are won cheaply, a level that takes ten times as much is given up; where
that is dear, or few are won, there is no use in a long search or every use, and the budget says how long.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play
from pcg.evaluators.proving.prover import Experience, Proof, ProofSearch

LEAST_SHARE = 4
"""Part of the budget that every level may take."""
DEARER = 10
"""Times as much as the dearest win of an own level is what a search may take at least."""
TIDY = 25_000
"""Forward-model calls for making a win shorter."""


@dataclass(frozen=True)
class Found:
    """The answer for a level."""

    actions: list[str] | None
    """They win with the first seed; None without a win."""
    calls: int
    """Forward-model calls made."""
    impossible: bool = False
    """It is certain that the level cannot be won with that seed, and nothing is left to chance."""


class LevelWins:
    """Searches for wins of levels of one game. Safe to use from several threads at once.

    Args:
        game: the game.
        levels: its own levels, which teach what wins.
        calls: forward-model calls of a search, 0: nothing is searched.
        max_ticks: longest win of an own level.
        seed: of the game's randomness where own levels are searched.
    """

    def __init__(self, game: Game, levels: Sequence[str], calls: int, max_ticks: int, seed: int) -> None:
        self._game = game
        self._levels = levels
        self._calls = calls
        self._max_ticks = max_ticks
        self._seed = seed
        self._searches: dict[int, tuple[ProofSearch | None, Proof | None]] = {}
        self._lock = threading.RLock()

    def _own(self, number: int) -> tuple[ProofSearch | None, Proof | None]:
        """The search for a win of an own level without experience, and the win."""
        with self._lock:
            found = self._searches.get(number)
            if found is None:
                try:
                    search = self._search(self._levels[number], self._seed, self._calls, self._max_ticks, Experience())
                    found = search, search.result()
                    search.made.clear()  # they hold much memory
                except PcgError:
                    found = None, None
                self._searches[number] = found
            return found

    def experience(self, others: Sequence[int]) -> Experience:
        """Return the experience with some of the game's own levels.

        Args:
            others: numbers of the levels.
        """
        found = Experience()
        for k in others:
            search, proof = self._own(k)
            if search is not None and proof is not None:
                found.note(proof.method, search.experience.wins[proof.method][0])
        return found

    def budget(self, others: Sequence[int]) -> int:
        """Return the forward-model calls of a search for a level that is none of the game's own.

        Args:
            others: numbers of own levels that show what it takes.
        """
        least = self._calls // LEAST_SHARE
        dearest = max((proof.calls for k in others if (proof := self._own(k)[1]) is not None), default=0)
        return max(least, min(self._calls, DEARER * dearest))

    def find(
        self, level: str, seeds: Sequence[int], max_ticks: int, others: Sequence[int] = (), own: int | None = None
    ) -> Found:
        """Look for a win of a level.

        A search foresees what chance will bring. So that luck alone wins no level, one with chance must be won in the
        future of every seed.

        Args:
            level: text of the level.
            seeds: of the game's randomness; the first is that of the win.
            max_ticks: longest win.
            others: numbers of own levels to learn from.
            own: number of the level itself where it is one of them; its search is then made only once, with the seed
                that all own levels are searched with.
        """
        if self._calls == 0:
            return Found(None, 0)
        known = self.experience(others)
        budget = self.budget(others)
        first: Proof | None = None
        spent = 0
        for k, seed in enumerate(seeds):
            proof: Proof | None = None
            wanted = budget
            if k == 0 and own is not None:
                made, proof = self._own(own)
                if made is not None:
                    spent += made.calls
                    if made.decided:
                        return Found(None, spent, not made.start.model.stochastic)
                # what won the others is all that is new
                seed, wanted = self._seed, min(self._calls, sum(calls for _, calls in known.favourites()))
            if proof is None and wanted > 0:
                search = self._search(level, seed, wanted, max_ticks, known, TIDY if k == 0 else 0)
                proof = search.result()
                spent += search.calls
                if search.decided:
                    return Found(None, spent, not search.start.model.stochastic)
            if proof is None:
                return Found(None, spent)
            first = first or proof
            if not proof.foresight:
                break
        return Found(decode_play(first.play) if first is not None else None, spent)

    def _search(
        self, level: str, seed: int, budget: int, max_ticks: int, known: Experience, tidy: int = TIDY
    ) -> ProofSearch:
        copied = Experience({name: list(calls) for name, calls in known.wins.items()})
        return ProofSearch(self._game, level, seed, budget, None, max_ticks, tidy, copied, None)
