"""Games between novices at any game of two players who know its rules alone: a look ahead and random playouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.gdl import GdlGame
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke3
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.judging.kernel import board_player as kernel
from pcg.evaluators.judging.kernel.line_player import FIELDS
from pcg.evaluators.judging.line_play import Plays


@dataclass(frozen=True)
class Sampler:
    """Habits of a player.

    Args:
        considered: moves that it values; 0 for one that moves at random.
        samples: random playouts of each.
        sharpness: power of values in choices.
        lapse: chance to move anywhere.
    """

    considered: int = 8
    samples: int = 2
    sharpness: int = 4
    lapse: float = 0.1


LADDER = (
    Sampler(considered=0, lapse=1.0),
    Sampler(considered=4, samples=1, sharpness=2, lapse=0.25),
    Sampler(),
    Sampler(considered=12, samples=4, sharpness=8, lapse=0.0),
)
"""Players from random to careful."""

CROWD = tuple(
    Sampler(considered, samples, sharpness, lapse)
    for considered, samples, sharpness, lapse in (
        (4, 1, 2, 0.2), (6, 2, 4, 0.05), (8, 1, 8, 0.15), (8, 3, 6, 0.0), (10, 2, 3, 0.1), (12, 3, 5, 0.02),
    )
)  # fmt: skip
"""Players that stand for people."""

HORIZON = 400
"""Ticks after which a game is broken off; nobody has won it."""

DEPTH = 50
"""Ticks of a playout: people's simulations are partial; who has not won by then is taken to be even."""


class SamplingPlayers:
    """Novices who play one game of two players.

    Raises:
        PcgError: the game has other than two players.

    >>> import pcg
    >>> plays = SamplingPlayers(pcg.load("nim")).play(LADDER[2], LADDER[0], 30, seed=1)
    >>> bool((plays[:, 0] == 0).mean() > 0.5)
    True
    """

    def __init__(self, game: Any) -> None:
        model = game.start().model
        if model.players != 2:
            raise PcgError(f"a game of {model.players} players, expected one of two")
        self.game, self._model = game, model

    def play(self, first: Sampler, second: Sampler, count: int, seed: int = 0) -> Plays:
        """Play games from the start; a row for each, see `Plays`."""
        while True:
            plays = self._play(first, second, count, seed)
            if plays is not None:
                return plays
            self._model.grow()

    def _play(self, first: Sampler, second: Sampler, count: int, seed: int) -> Plays | None:
        model, root = self._model, self.game.start()
        pool = model.pool(3)
        row = model.max_actions + 2
        moves, others = np.zeros((2, row), dtype=np.int64), np.zeros((2, row), dtype=np.int64)
        joint, picked = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
        values = np.zeros(row)
        stream = np.array([scramble(seed)], dtype=np.int64)
        seats = np.zeros(2, dtype=kernel.SEAT)
        for seat, player in zip(seats, (first, second), strict=True):
            seat["looks"], seat["considered"], seat["samples"] = (
                player.considered > 0,
                player.considered,
                player.samples,
            )
            seat["sharpness"], seat["lapse"] = player.sharpness, player.lapse
        record = np.zeros(1, dtype=kernel.BOARD_GAMES)
        games: Any = record[0]
        games["model"], games["root"] = model.address, root.address
        for k, block in enumerate(("state", "after", "reply")):
            games[block] = pool.address + k * pool.stride
        arrays = {"moves": moves, "others": others, "joint": joint, "picked": picked, "values": values, "rng": stream}
        for field, array in arrays.items():
            games[field] = array.ctypes.data
        games["seats"], games["row"], games["horizon"] = seats.ctypes.data, 8 * row, HORIZON
        games["depth"] = DEPTH
        games["goals"] = isinstance(self.game, GdlGame)
        plays = np.zeros((count, FIELDS))
        done = invoke3(kernel.play_board_games.address, int(record.ctypes.data), count, int(plays.ctypes.data))
        return None if done == GROW else plays
