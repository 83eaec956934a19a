"""Wins of levels for evaluations: a small proof, guided by what the game's own levels have taught.

What is learned comes from the game's own levels alone, so that the answer for a level does not depend on which levels
were looked at before, nor on the process that looks; and never from the level itself. It is two things: which methods
win, and how dear that is. Where own levels are won cheaply, a level that takes ten times as much is given up; where
that is dear, the budget is the bound. A level unlike them may take less, and no level takes all of the budget only
because own levels are not won: a search that fails is mostly a failure at any length.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play
from pcg.evaluators.proving.prover import Experience, Proof, ProofSearch

QUICK = 20_000
"""Forward-model calls of a first search without experience from own levels; most wins take fewer."""
LEAST_SHARE, TYPICAL_SHARE = 10, 2.5
"""Divisors of the budget: for every level and for own levels that give experience; for levels like the game's own."""
VAIN_SHARE = 20
"""Divisor of the budget for levels of a game whose own levels a long search does not win."""
DEARER = 10
"""A search may take at least so many times the calls of the most expensive win of an own level."""
TIDY = 25_000
"""Forward-model calls spent on shortening a win."""


_SHARED: dict[tuple[object, ...], LevelWins] = {}
_SHARING = threading.Lock()
_AT_MOST = 16


@dataclass(frozen=True)
class Found:
    """Result of the search for a win of a level."""

    actions: list[str] | None
    """Actions that win with the first seed; None without a win."""
    calls: int
    """Forward-model calls made."""
    impossible: bool = False
    """True when a search has shown that the level cannot be won, in a game without chance."""


class LevelWins:
    """Searches for wins of levels of one game. Safe to use from several threads at once.

    Args:
        game: the game.
        levels: its own, which teach what wins.
        calls: forward-model calls of a search, 0: nothing is searched.
        max_ticks: longest win of an own level.
        seed: of the game's randomness where own levels are searched.
    """

    def __init__(self, game: Game, levels: Sequence[str], calls: int, max_ticks: int, seed: int) -> None:
        self._game = game
        self._levels = [level.strip("\n") for level in levels]
        self._calls = calls
        self._max_ticks = max_ticks
        self._seed = seed
        self._searches: dict[int, Proof | None] = {}
        self._lock = threading.RLock()

    def _own(self, number: int) -> Proof | None:
        """A win of an own level, found without experience by a small search."""
        with self._lock:
            if number not in self._searches:
                self._searches[number] = None
                with contextlib.suppress(PcgError):
                    budget = self._calls // LEAST_SHARE
                    search = self._search(
                        self._levels[number], self._seed, budget, self._max_ticks, Experience(), tidy=0
                    )
                    self._searches[number] = search.result()
            return self._searches[number]

    def experience(self, others: Sequence[int]) -> Experience:
        """Return the experience with some of the game's own levels.

        Args:
            others: numbers of the levels.
        """
        found = Experience()
        for k in others:
            proof = self._own(k)
            if proof is not None:
                found.note(proof.method, proof.calls)
        return found

    def budget(self, others: Sequence[int], typical: bool = False) -> int:
        """Return the forward-model calls of a search for a level.

        Args:
            others: numbers of own levels that show what it takes.
            typical: whether the level is like them, so that it can probably be won: the more there is to find out.
        """
        wins = [self._own(k) for k in others]
        least = int(self._calls / (TYPICAL_SHARE if typical and wins else LEAST_SHARE))
        dear = [DEARER * win.calls if win is not None else 0 for win in wins]
        return max(least, min(int(self._calls / (1.0 if typical else TYPICAL_SHARE)), max(dear, default=0)))

    def quick(self, level: str, seed: int, tidy: int = QUICK) -> Proof | None:
        """Return a win that a quick search finds without experience.

        Args:
            level: text of the level.
            seed: of the game's randomness.
            tidy: forward-model calls for making the win shorter.
        """
        budget = min(QUICK, self._calls)
        return self._search(level, seed, budget, self._max_ticks, Experience(), tidy).result() if budget else None

    def practised(self, level: str, seed: int, calls: int, others: Sequence[int]) -> Found:
        """Return a win by the methods that win own levels, where one of these takes more than a quick search.

        Args:
            level: text of the level.
            seed: of the game's randomness.
            calls: forward-model calls that may be made.
            others: numbers of own levels to learn from.
        """
        known = self.experience(others)
        if calls <= 0 or not any(spent > QUICK for each in known.wins.values() for spent in each):
            return Found(None, 0)
        search = self._search(level, seed, calls, self._max_ticks, known, tidy=0)
        proof = search.result()
        return Found(decode_play(proof.play) if proof is not None else None, search.calls)

    def own_share(self, calls: int) -> float:
        """Return the share of the game's own levels that are won within so many forward-model calls, in [0, 1].

        Args:
            calls: no more than experience with own levels takes.
        """
        found = [self._own(k) for k in range(len(self._levels))]
        return sum(proof is not None and proof.calls <= calls for proof in found) / max(1, len(found))

    def wins_own(self, level: str) -> bool:
        """Tell whether an own level is won by the small search that gives experience, whatever chance brings.

        Args:
            level: its text.
        """
        proof = self._own(self._levels.index(level.strip("\n")))
        return proof is not None and not proof.foresight

    def find(
        self,
        level: str,
        seeds: Sequence[int],
        max_ticks: int,
        others: Sequence[int] = (),
        *,
        typical: bool = False,
        worth: Callable[[], bool] = lambda: True,
    ) -> Found:
        """Look for a win of a level.

        A search foresees what chance will bring. So that luck alone wins no level, one with chance must be won in the
        future of every seed.

        Args:
            level: text of the level.
            seeds: of the game's randomness; the first is that of the win.
            max_ticks: longest win.
            others: numbers of own levels to learn from; they are searched when a quick search has failed.
            typical: whether the level is like them.
            worth: asked once when a quick search has failed, whether a long one is made, or one that is little longer.
        """
        first: Proof | None = None
        spent = 0
        for seed in seeds:
            proof: Proof | None = None
            tidy = TIDY if first is None else 0
            for quick in (True, False):
                budget = min(QUICK, self._calls) if quick else self.budget(others, typical)
                if proof is not None or budget == 0 or (not quick and budget <= QUICK):
                    continue
                if not quick and first is None and not worth():
                    budget = min(budget, self._calls // VAIN_SHARE)
                known = Experience() if quick else self.experience(others)
                search = self._search(level, seed, budget, max_ticks, known, tidy)
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

    def _search(self, level: str, seed: int, budget: int, max_ticks: int, known: Experience, tidy: int) -> ProofSearch:
        return ProofSearch(self._game, level, seed, budget, None, max_ticks, tidy, known, None)


def wins_of(game: Game, levels: Sequence[str], calls: int, max_ticks: int, seed: int) -> LevelWins:
    """Return the searches for wins of a game's levels: the same for all who ask alike in this process.

    A run's generator and its evaluator both learn from own levels, which are searched once for them. The arguments are
    those of `LevelWins`; how a level's text begins and ends makes no difference.
    """
    key = (game.digest, *(level.strip("\n") for level in levels), calls, max_ticks, seed)
    with _SHARING:
        if key not in _SHARED:
            while len(_SHARED) >= _AT_MOST:
                del _SHARED[next(iter(_SHARED))]
            _SHARED[key] = LevelWins(game, levels, calls, max_ticks, seed)
        return _SHARED[key]
