"""Proofs that levels of a game can be won, as far as an evaluation of many games can afford them.

A proof costs a few thousand forward-model calls, less than one play of a strong agent, and finds wins that no agent of
the ladder does (`pcg.evaluators.proving`). So it is asked before the dear agents play, and most games that nobody can
win never meet these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pcg.engine.game import Game
from pcg.engine.vgdl.definition import Level
from pcg.evaluators.games.trials import play_seed
from pcg.evaluators.proving import Experience, Proof, prove

TICKS_PER_CELL = 12
"""Ticks of a win for each row and column of its level, at most: as long as plays of the judge of games last."""
_TURNS = 4
"""First turns of methods that the calls of a proof are enough for. With longer ones search is all that is tried, and
where the avatar shoots it loses itself in the places of its shots: a walk across an open field was won by nobody."""
_PROOF = 300_000
"""Number of the first play that proofs have the seeds of."""
_TIDY = 8
"""For so many calls of a proof one more may go into a shorter win."""


def longest_win(text: str) -> int:
    """Return the ticks that a win of a level takes, at most."""
    rows = text.split("\n")
    return TICKS_PER_CELL * (len(rows) + len(rows[0]))


def prove_briefly(
    game: Game, text: str, seed: int, calls: int, max_ticks: int, experience: Experience | None = None
) -> Proof | None:
    """Look for a win of a level with a few thousand calls, of which several methods have a part.

    Args:
        game: with one player.
        text: of the level.
        seed: of the play.
        calls: forward-model calls, at most.
        max_ticks: of the win.
        experience: of other levels of the game.
    """
    return prove(
        game, text, seed=seed, budget=calls, tidy=calls // _TIDY, max_ticks=max_ticks, experience=experience,
        first_turn=calls // _TURNS,
    )  # fmt: skip


@dataclass(frozen=True)
class Winnability:
    """Wins of a game's levels.

    Attributes:
        wanted: levels that are to be won.
        ticks: length of the win of each level that was won.
        wins: the wins themselves, each with the number of its level.
    """

    wanted: int
    ticks: tuple[int, ...] = ()
    wins: tuple[tuple[int, Proof], ...] = ()

    @property
    def proved(self) -> bool:
        """True when as many levels as are wanted can be won."""
        return len(self.ticks) >= self.wanted

    def long(self, least: int) -> float:
        """Return 1 where most wins take so many ticks, else how near that is: the median win as a share of it.

        >>> Winnability(2, (30, 40, 3)).long(20), Winnability(2, (5, 40)).long(20)
        (1.0, 0.25)
        """
        if not self.ticks:
            return 0.0
        ranked = sorted(self.ticks)
        return min(1.0, ranked[(len(ranked) - 1) // 2] / max(1, least))


def prove_levels(
    game: Game,
    levels: Sequence[Level],
    seed: int,
    calls: int,
    *,
    least_ticks: int,
    max_work: int,
    max_sprites: int,
) -> Winnability:
    """Look for wins of two levels of a game, or of the only one.

    Args:
        game: with one player.
        levels: read for it, tried in this order until it is clear whether enough can be won.
        seed: of the evaluation.
        calls: forward-model calls for each level.
        least_ticks: that a win may take, where the level's size does not allow more.
        max_work: of a tick, in executions of effects.
        max_sprites: moving sprites, or three times as many as a level starts with.
    """
    wanted = min(2, len(levels))
    game = game.copy()  # its contexts are limited below, those of other plays are not
    known = Experience()
    found: list[tuple[int, Proof]] = []
    for k, level in enumerate(levels):
        if len(found) >= wanted or len(found) + len(levels) - k < wanted:
            break
        context = game.context(level)
        context.limit(max_work, max(max_sprites, 3 * int(context.header(context.initial)["slots"])))
        longest = max(least_ticks, TICKS_PER_CELL * (level.width + level.height))
        proof = prove_briefly(game, "\n".join(level.rows), play_seed(seed, _PROOF + k), calls, longest, known)
        if proof is not None:
            found.append((k, proof))
    return Winnability(wanted, tuple(proof.ticks for _, proof in found), tuple(found))
