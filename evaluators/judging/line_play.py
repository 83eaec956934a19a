"""Games between novices at m,n,k-games, as people imagine them from the rules: a crowd, and players of three strengths.

People who judge a game that they never played simulate a few plays of flat, noisy players in their heads (Collins et
al., People use fast and flat simulation to reason about new games, Nature 655, 2026). No two people are alike:
the *crowd* is a fixed sample of players whose habits lie in ranges, and averages over it stand for averages over
people. The ranges are assumptions about people, chosen once; nothing in them is refitted when judgements change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.boards import MnkGame
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke3
from pcg.evaluators.judging.kernel import line_player as kernel

Plays = NDArray[np.float64]
"""Results of games, shape (games, `kernel.FIELDS`): winner, plies, threats, danger, changes, behind, focus."""


@dataclass(frozen=True)
class Novice:
    """Habits of a player.

    Args:
        fade: what a line is worth that lacks one piece more, 0 to 1.
        sharpness: power of values in choices; 0 moves at random.
        blocking: weight of the other's lines.
        lapse: chance to move anywhere.
        centre: preference for the middle, 0 for none.
        slant: how well diagonal lines are seen, 0 to 1.
    """

    fade: float = 0.05
    sharpness: int = 4
    blocking: float = 0.8
    lapse: float = 0.12
    centre: float = 0.5
    slant: float = 0.6


RANDOM = Novice(sharpness=0, lapse=1.0, centre=0.0)
CARELESS = Novice(sharpness=2, blocking=0.5, lapse=0.25)
TYPICAL = Novice()
CAREFUL = Novice(sharpness=8, blocking=1.0, lapse=0.0, slant=0.9)
LADDER = (RANDOM, CARELESS, TYPICAL, CAREFUL)
"""Players from random to careful."""
OVERSIGHT = 0.2
"""Lapses are so much rarer where a win is at hand."""


def _crowd(count: int) -> tuple[Novice, ...]:
    """Players spread evenly over the ranges of habits: multiples of square roots of primes, modulo 1 (Richtmyer)."""
    steps = [math.sqrt(prime) for prime in (2, 3, 5, 7, 11)]
    players = []
    for k in range(1, count + 1):
        u = [k * step % 1.0 for step in steps]
        players.append(
            Novice(
                fade=round(0.02 * 7.5 ** u[0], 4),
                sharpness=2 + int(7 * u[1]),
                blocking=round(0.4 * 4 ** u[2], 3),
                lapse=round(0.25 * u[3], 3),
                centre=(0.0, 0.5, 1.5)[k % 3],
                slant=round(0.4 + 0.5 * u[4], 3),
            )
        )
    return tuple(players)


CROWD = _crowd(24)
"""Players that stand for people: fade 0.02-0.15, sharpness 2-8, blocking 0.4-1.6, lapses 0-0.25, slant 0.4-0.9."""


class LinePlayers:
    """Novices who play one m,n,k-game.

    >>> plays = LinePlayers(MnkGame(3, 3, 3)).play(TYPICAL, RANDOM, 100, seed=1)
    >>> bool((plays[:, 0] == 0).mean() > 0.8)
    True
    """

    def __init__(self, game: MnkGame) -> None:
        self.game = game
        cells = game.rows * game.columns
        self._memory: list[Any] = []
        self._sides = np.zeros(2, dtype=kernel.SIDE)
        self._windows = [game.windows(player) for player in (0, 1)]
        self._members = []
        for player in (0, 1):
            windows, length = self._windows[player], game.length[player]
            members = windows[:, :1] + windows[:, 1:] * np.arange(length)  # cells, shape (windows, length)
            self._members.append(members)
            order = np.argsort(members.ravel(), kind="stable")
            through = order // length
            starts = np.searchsorted(members.ravel()[order], np.arange(cells + 1))
            side = self._sides[player]
            side["length"], side["count"] = length, len(windows)
            for field, array in (
                ("windows", windows),
                ("starts", starts.astype(np.int64)),
                ("through", through.astype(np.int64)),
                ("own", np.zeros(len(windows), dtype=np.int64)),
                ("blocked", np.zeros(len(windows), dtype=np.int64)),
                ("values", np.zeros(cells)),
                ("completes", np.zeros(cells, dtype=np.int64)),
            ):
                side[field] = self._keep(array)
        rows, columns = np.divmod(np.arange(cells), game.columns)
        down = (rows - (game.rows - 1) / 2) / max(1, game.rows - 1)
        across = (columns - (game.columns - 1) / 2) / max(1, game.columns - 1)
        self._from_middle = 4 * (down * down + across * across)
        self._record = np.zeros(1, dtype=kernel.GAMES)
        record: Any = self._record[0]
        record["cells"], record["misere"] = cells, int(game.misere)
        record["opening0"], record["opening1"] = game.opening
        record["sides"] = self._sides.ctypes.data
        record["board"] = self._keep(np.zeros(cells, dtype=np.int64))
        record["chances"] = self._keep(np.zeros(cells))

    def _keep(self, array: NDArray[Any]) -> int:
        """Address of an array that lives as long as this object."""
        self._memory.append(array)
        return int(array.ctypes.data)

    def _slanted(self, player: int) -> NDArray[np.bool_]:
        """True for each of a player's windows that is diagonal."""
        ends = np.divmod(self._members[player][:, [0, -1]], self.game.columns)
        rows, columns = (part[:, 0] != part[:, 1] for part in ends)
        slanted: NDArray[np.bool_] = rows & columns
        return slanted

    def play(self, first: Novice, second: Novice, count: int, seed: int = 0) -> Plays:
        """Play games.

        Args:
            first: the player who begins; both see lines as this one does (`fade`, `slant`).
            second: the other player.
            count: games.
            seed: of all draws.

        Returns:
            A row for each game, see `Plays`; the winner is 0, 1 or -1 for a draw.
        """
        fade = np.cumprod(np.r_[1.0, np.full(max(self.game.length) + 1, first.fade)])
        scratch: list[NDArray[Any]] = [fade]
        for player, novice in enumerate((first, second)):
            side = self._sides[player]
            length = self.game.length[player]
            weights = np.where(self._slanted(player), first.slant, 1.0)
            initial = np.zeros(self.game.rows * self.game.columns)
            np.add.at(initial, self._members[player].ravel(), np.repeat(weights * fade[length - 1], length))
            centre = 1.0 / (1.0 + novice.centre * self._from_middle)
            scratch += [weights, initial, centre]
            side["weights"], side["initial"], side["centre"] = (a.ctypes.data for a in (weights, initial, centre))
            side["sharpness"], side["blocking"] = novice.sharpness, novice.blocking
            side["lapse"], side["oversight"] = novice.lapse, OVERSIGHT if novice.lapse < 1 else 1.0
            side["start"] = weights.sum() * fade[length]
        stream = np.array([scramble(seed)], dtype=np.int64)
        record: Any = self._record[0]
        record["fade"], record["rng"] = fade.ctypes.data, stream.ctypes.data
        plays = np.zeros((count, kernel.FIELDS))
        invoke3(kernel.play_games.address, int(self._record.ctypes.data), count, int(plays.ctypes.data))
        del scratch  # alive until here
        return plays
