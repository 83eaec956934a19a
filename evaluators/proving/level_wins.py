"""Wins of levels for evaluations: a small proof, guided by what the game's own levels have taught.

What is learned comes from the game's own levels alone, once, so that the answer for a level does not depend on which
levels were looked at before, nor on the process that looks.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence

from pcg.engine.game import Game
from pcg.engine.vgdl import check_level
from pcg.evaluators.evaluation import decode_play
from pcg.evaluators.proving.prover import Experience, Proof, prove


class LevelWins:
    """Searches for wins of levels of one game.

    Args:
        game: the game; its own levels teach which methods win.
        calls: forward-model calls of a search, 0: nothing is searched.
    """

    def __init__(self, game: Game, calls: int) -> None:
        self._game = game
        self._calls = calls

    @functools.cached_property
    def experience(self) -> Experience:
        """Experience with the game's own levels; worked out when it is first needed."""
        found = Experience()
        for level in self._game.levels:
            if not check_level(level, self._game.definition, reading="gvgai", file="<level>"):
                prove(self._game, level, budget=self._calls, experience=found, tidy=0)
        return found

    def find(self, level: str, seeds: Sequence[int], max_ticks: int) -> tuple[list[str] | None, int]:
        """Look for a win of a level.

        A search foresees what chance will bring. So that luck alone wins no level, one with chance must be won in the
        future of every seed.

        Args:
            level: text of the level.
            seeds: of the game's randomness; the first is that of the win.
            max_ticks: longest win.

        Returns:
            The actions that win with the first seed, None without a win; and the forward-model calls made.
        """
        if self._calls == 0:
            return None, 0
        first: Proof | None = None
        spent = 0
        for seed in seeds:
            told = [0]

            def note(_: str, calls: int, told: list[int] = told) -> None:
                told.append(calls)

            proof = prove(
                self._game, level, seed=seed, budget=self._calls, experience=copy.deepcopy(self.experience),
                max_ticks=max_ticks, tidy=self._calls // 4 if first is None else 0,
                progress=note,
            )  # fmt: skip
            spent += told[-1] if proof is None else proof.calls
            if proof is None:
                return None, spent
            first = first or proof
            if not proof.foresight:
                break
        return decode_play(first.play) if first is not None else None, spent
