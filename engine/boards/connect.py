"""Connect-k from Python: the game, its positions, and its forward model."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from pcg.engine.boards import kernel as kernel
from pcg.engine.boards.position import BoardGame, BoardState, board_model, whole
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke4, structure
from pcg.engine.vgdl.diagnostics import PcgError

MOST = 100
"""Rows and columns that a board can have."""

_WAYS = ((0, 1), (1, 0), (1, -1), (1, 1))


class ConnectX(BoardGame):
    """Two players drop discs into columns; who first has `inarow` of them in a line, in any direction, wins.

    Args:
        rows: of the board, 1 to `MOST`.
        columns: of the board, 1 to `MOST`.
        inarow: discs in a line that win.

    Raises:
        PcgError: a number out of range, or a line longer than the board.

    A move that cannot be made (a full column, or none at all) loses the game. Action codes are 1 + column; their names
    are DROP0, DROP1 and so on.

    >>> state = ConnectX(rows=6, columns=7, inarow=4).start()
    >>> for column in (3, 0, 3, 0, 3, 0, 3):
    ...     state.drop(column)
    >>> state.winner[0].name
    'PLAYER_WINS'
    """

    name = "connectx"
    players = 2
    kernel: ClassVar[Any] = kernel

    def __init__(self, rows: int = 6, columns: int = 7, inarow: int = 4) -> None:
        self.rows = whole("rows", rows, MOST)
        self.columns = whole("columns", columns, MOST)
        self.inarow = whole("inarow", inarow, MOST)
        if self.inarow > max(self.rows, self.columns):
            raise PcgError(
                f"inarow is {self.inarow}, but no line on a board of {self.rows} rows and {self.columns} columns is "
                f"that long, expected at most {max(self.rows, self.columns)}"
            )
        height = self.rows + 1
        bits = self.columns * height
        narrow = bits <= kernel.NARROW_BITS
        words = 0 if narrow else -(-bits // 64)
        middle = (self.columns - 1) / 2
        order = sorted(range(self.columns), key=lambda column: (abs(column - middle), column))
        self._order = np.array(order, dtype=np.int64)
        self._windows = self._find_windows(height)
        self._record = np.zeros(1, dtype=kernel.CONNECT)
        self._record[0] = (
            self.rows,
            self.columns,
            self.inarow,
            height,
            int(narrow),
            words,
            kernel.HEAD + (0 if narrow else 8 * (self.columns + 2 * words)),
            self._order.ctypes.data,
            self._windows.ctypes.data,
            len(self._windows),
        )
        self.address = int(self._record.ctypes.data)
        self.stride = int(self._record[0]["bytes"])
        self.action_names = ("NIL", *(f"DROP{column}" for column in range(self.columns)))
        self.model = board_model(self, kernel, self.columns)
        self._empty = np.zeros(self.stride // 8, dtype=np.int64)
        invoke2(kernel.clear.address, self.address, int(self._empty.ctypes.data))

    def __repr__(self) -> str:
        return f"ConnectX(rows={self.rows}, columns={self.columns}, inarow={self.inarow})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ConnectX, (self.rows, self.columns, self.inarow)

    @property
    def narrow(self) -> bool:
        """True when a player's discs fit into one word."""
        return bool(self._record[0]["narrow"])

    def _find_windows(self, height: int) -> Any:
        """First bit and step of every place where a line can be, int64[windows, 2]."""
        reach = self.inarow - 1
        found = []
        for across, up in _WAYS[: 1 if self.inarow == 1 else 4]:
            for column in range(self.columns - across * reach):
                for row in range(self.rows):
                    if 0 <= row + up * reach < self.rows:
                        found.append((column * height + row, across * height + up))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def start(self, level: Any = 0, seed: int = 0) -> ConnectState:
        """The empty board. There is one level and no chance: both arguments are there for those who start any game."""
        if level != 0:
            raise PcgError(f"{self.name} has no level {level!r}, expected 0")
        return ConnectState(self, self._empty.copy())

    def position(self, board: Iterable[int], mover: int | None = None) -> ConnectState:
        """The position with the discs of a board.

        Args:
            board: rows * columns cells, row by row from the top: 0 empty, 1 and 2 the players' discs.
            mover: whose turn it is, 0 or 1; without it the player with fewer discs, the first one when equal.

        Raises:
            PcgError: cells missing, other values, or discs with nothing below them.
        """
        try:
            cells = np.array([operator.index(cell) for cell in board], dtype=np.int64)
        except (TypeError, OverflowError):
            raise PcgError("a board of something else than whole numbers, expected 0, 1 and 2") from None
        if len(cells) != self.rows * self.columns:
            raise PcgError(f"a board of {len(cells)} cells, expected {self.rows * self.columns}")
        if mover is None:
            mover = int(np.count_nonzero(cells == 1) > np.count_nonzero(cells == 2))
        memory = np.empty(self.stride // 8, dtype=np.int64)
        where = (int(memory.ctypes.data), int(cells.ctypes.data), _player(mover))
        bad = invoke4(kernel.set_up.address, self.address, *where) - 1
        if bad >= 0:
            row, column = divmod(bad, self.columns)
            what = f"{cells[bad]}" if not 0 <= cells[bad] <= 2 else "a disc with nothing below it"
            raise PcgError(f"the board has {what} in row {row} (from the top), column {column}")
        return ConnectState(self, memory)


class ConnectState(BoardState):
    """Position of a game. As agents expect of a state of two players, score, winner and actions are pairs.

    Made by `ConnectX.start` and `ConnectX.position`.
    """

    __slots__ = ()

    game: ConnectX
    piece: ClassVar[str] = "disc"
    kernel: ClassVar[Any] = kernel
    head: ClassVar[Any] = structure(kernel.CONNECT_STATE)

    @property
    def columns(self) -> list[int]:
        """The columns that have room for a disc, from left to right; none when the game is over."""
        if self.is_over:
            return []
        return [column for column, cell in enumerate(self.board[: self.game.columns]) if cell == 0]

    @property
    def actions(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of each player's actions, from left to right; none for who is not to move."""
        own = tuple(f"DROP{column}" for column in self.columns)
        return (own, ()) if self.mover == 0 else ((), own)

    def drop(self, column: int) -> None:
        """The player to move drops a disc; what cannot be done loses the game. A finished game stays as it is."""
        invoke3(kernel.drop.address, self.game.address, self.address, column)

    def _play(self, place: int) -> None:
        self.drop(place)


def _player(mover: int) -> int:
    if mover not in (0, 1):
        raise PcgError(f"player {mover!r}, expected 0 or 1")
    return int(mover)
