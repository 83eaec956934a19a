"""Common ground of all environments: the actions of a game, the levels to play, and the seeds of further plays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pcg.engine.context import Context
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.ids import ACTIONS
from pcg.engine.kernel.random import scramble
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.game import Game

LevelSource = int | str | Path | Level
Levels = LevelSource | Sequence[LevelSource]
"""One level, or several of which every play gets one at random."""


class ActionTable:
    """The discrete actions of a game: NIL, then what any avatar that the game can have is able to do.

    Attributes:
        names: action names by index; the same for all levels and players.
        codes: int64 (A,) engine codes by index.
        legal: int8 (types + 1, A): 1 where an avatar of that type has the action, NIL always; the last row is for a
            player without an avatar, or a game that is over.
    """

    def __init__(self, game: Game) -> None:
        tables = game.tables
        own: dict[int, set[int]] = {}
        for role in tables.roles:
            row = tables.types[role.id]
            if role.possible and int(row["bits"]) & L.T_AVATAR_CLASS:
                own[role.id] = set(tables.actions[role.id])
        codes = [0, *sorted(set().union(*own.values()) - {0})]
        self.names = tuple(ACTIONS[code] for code in codes)
        self.codes = np.array(codes, np.int64)
        self.legal = np.zeros((len(tables.names) + 1, len(codes)), np.int8)
        self.legal[:, 0] = 1
        for kind, actions in own.items():
            self.legal[kind] = [code == 0 or code in actions for code in codes]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<actions {' '.join(self.names)}>"

    def code(self, index: int) -> int:
        """The engine code of an action index. Raises PcgError when there is none."""
        if not 0 <= index < len(self.names):
            raise PcgError(f"action {index} is out of range, expected 0 to {len(self.names) - 1}: {self.names}")
        return int(self.codes[index])


def contexts_of(game: Game, levels: Levels) -> list[Context]:
    """The game compiled for each level of an environment. Raises PcgError for no level or a bad one."""
    several = levels if isinstance(levels, Sequence) and not isinstance(levels, str) else [levels]
    found = [game.context(level) for level in several]
    if not found:
        raise PcgError(f"{game.name}: an environment needs at least one level")
    return found


_MULTIPLIER, _INCREMENT, _MASK = np.uint64(0x5DEECE66D), np.uint64(0xB), np.uint64((1 << 48) - 1)


class SeedStreams:
    """One endless stream of game seeds for each of several environments, each following from one seed.

    The first play after `begin(seed)` has that very seed, so that it equals ``game.start(level, seed)``. The later ones
    are what ``java.util.Random(1000 * seed + 5)`` gives, 31 bits each; with several levels, their numbers are drawn
    from it too. So what environment k plays depends on its own seed only, in whatever batch it runs.
    """

    def __init__(self, count: int) -> None:
        self._streams = np.zeros(count, np.uint64)
        self._first: dict[int, int] = {}

    def begin(self, seeds: Sequence[int], which: npt.NDArray[np.int64]) -> None:
        """Set the streams numbered `which` to these seeds."""
        for number, seed in zip(which.tolist(), seeds, strict=True):
            self._streams[number] = scramble(1000 * seed + 5)
            self._first[number] = seed

    def _draw(self, which: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        # uint64 wraps around, and 2^48 divides 2^64
        streams = (self._streams[which] * _MULTIPLIER + _INCREMENT) & _MASK
        self._streams[which] = streams
        return (streams >> np.uint64(17)).astype(np.int64)

    def levels(self, which: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """A number below `count` for each, for choosing a level; nothing is drawn when there is no choice."""
        if count == 1:
            return np.zeros(len(which), np.int64)
        return (self._draw(which) * count) >> 31

    def generators(self, which: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The states of the game's and the auxiliary generator at the start of the next play of each."""
        seeds = self.seeds(which)
        return (
            np.array([scramble(seed) for seed in seeds], np.int64),
            np.array([scramble(1000 * seed + 4) for seed in seeds], np.int64),
        )

    def seeds(self, which: npt.NDArray[np.int64]) -> list[int]:
        """The seed of the next play of each."""
        if not self._first:
            return self._draw(which).tolist()  # type: ignore[no-any-return]
        pending = [number in self._first for number in which.tolist()]
        drawn = iter(self._draw(which[~np.array(pending, np.bool_)]).tolist())
        return [
            self._first.pop(number) if first else next(drawn)
            for number, first in zip(which.tolist(), pending, strict=True)
        ]
