"""m,n,k-games from Python: the game, its positions, and its forward model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from pcg.engine.boards import mnk_kernel as kernel
from pcg.engine.boards.position import BoardGame, BoardState, board_model, whole
from pcg.engine.kernel.runtime import invoke2, invoke3, structure
from pcg.engine.vgdl.diagnostics import PcgError

MOST = 100
"""Rows and columns that a board can have, and pieces that a line or a first move can need."""

LINES = {"orthogonal": 0b0011, "diagonal": 0b1100, "orthogonal+diagonal": 0b1111}
"""Directions of the lines that count, as bits of `mnk_kernel.WAYS`."""


class MnkGame(BoardGame):
    """Two players place pieces in free cells in turn; who first has a line of so many pieces wins, or loses.

    The game that Tic-Tac-Toe (3,3,3) and Gomoku (15,15,5) belong to, with the variants of a study of how people judge
    games that they have not played (Collins et al., People use fast and flat simulation to reason about new games,
    Nature 655, 2026).

    Args:
        rows: of the board, 1 to `MOST`.
        columns: of the board, 1 to `MOST`.
        length: pieces in a line, or a pair of numbers where the players differ. A line may be longer than the board:
            then it cannot be made.
        misere: whether who makes a line loses.
        lines: which count, a key of `LINES`, or a pair.
        opening: pieces of a player's first move, or a pair.

    Raises:
        PcgError: a number out of range, or lines of no such name.

    A move that cannot be made (a cell that is taken, or none at all) loses the game. Action codes are 1 + cell, counted
    row by row from the top; their names are PLACE0, PLACE1 and so on.

    >>> state = MnkGame(3, 3, 3).start()
    >>> for cell in (4, 0, 2, 8, 6):
    ...     state.place(cell)
    >>> state.winner[0].name
    'PLAYER_WINS'
    >>> MnkGame(10, 10, (4, 3), lines=("diagonal", "orthogonal+diagonal"), opening=(2, 1))
    MnkGame(10, 10, (4, 3), lines=('diagonal', 'orthogonal+diagonal'), opening=(2, 1))
    """

    name = "mnk"
    players = 2
    kernel: ClassVar[Any] = kernel

    def __init__(
        self,
        rows: int = 3,
        columns: int = 3,
        length: int | tuple[int, int] = 3,
        *,
        misere: bool = False,
        lines: str | tuple[str, str] = "orthogonal+diagonal",
        opening: int | tuple[int, int] = 1,
    ) -> None:
        self.rows = whole("rows", rows, MOST)
        self.columns = whole("columns", columns, MOST)
        self.length = tuple(whole("length", value, MOST) for value in _pair(length))
        self.misere = bool(misere)
        self.lines = _pair(lines)
        for name in self.lines:
            if name not in LINES:
                raise PcgError(f"no lines {name!r}, expected one of {', '.join(LINES)}")
        self.opening = tuple(whole("opening", value, MOST) for value in _pair(opening))
        cells = self.rows * self.columns
        words = -(-cells // 64)
        middle = ((self.rows - 1) / 2, (self.columns - 1) / 2)

        def from_middle(cell: int) -> tuple[float, int]:
            return (cell // self.columns - middle[0]) ** 2 + (cell % self.columns - middle[1]) ** 2, cell

        self._order = np.array(sorted(range(cells), key=from_middle), dtype=np.int64)
        self._windows = tuple(self._find_windows(player) for player in (0, 1))
        self._record = np.zeros(1, dtype=kernel.MNK)
        record: Any = self._record[0]
        record["rows"], record["columns"], record["misere"] = self.rows, self.columns, int(self.misere)
        record["words"], record["bytes"] = words, kernel.HEAD + 16 * words
        record["order"] = self._order.ctypes.data
        for player in (0, 1):
            record[f"length{player}"] = self.length[player]
            record[f"ways{player}"] = LINES[self.lines[player]]
            record[f"opening{player}"] = self.opening[player]
            record[f"windows{player}"] = self._windows[player].ctypes.data
            record[f"window_count{player}"] = len(self._windows[player])
        self.address = int(self._record.ctypes.data)
        self.stride = int(record["bytes"])
        self.action_names = ("NIL", *(f"PLACE{cell}" for cell in range(cells)))
        self.model = board_model(self, kernel, self.rows * self.columns)
        self._empty = np.zeros(self.stride // 8, dtype=np.int64)
        invoke2(kernel.clear.address, self.address, int(self._empty.ctypes.data))

    def __repr__(self) -> str:
        def brief(pair: tuple[Any, ...]) -> Any:
            return pair[0] if pair[0] == pair[1] else pair

        text = f"MnkGame({self.rows}, {self.columns}, {brief(self.length)}"
        text += ", misere=True" if self.misere else ""
        text += f", lines={brief(self.lines)!r}" if self.lines != ("orthogonal+diagonal",) * 2 else ""
        return text + (f", opening={brief(self.opening)!r})" if self.opening != (1, 1) else ")")

    def __reduce__(self) -> tuple[Any, ...]:
        return _game, (self.rows, self.columns, self.length, self.misere, self.lines, self.opening)

    def windows(self, player: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return first cell and step of every place where a line of the player can be, int64[windows, 2].

        >>> len(MnkGame(3, 3, 3).windows(0))
        8
        """
        return self._windows[player].copy()

    def _find_windows(self, player: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        reach = self.length[player] - 1
        ways = LINES[self.lines[player]]
        found: list[tuple[int, int]] = []
        for way, (down, across) in enumerate(kernel.WAYS):
            if ways >> way & 1 and (reach > 0 or not found):  # a line of one piece is one place in all directions
                for row in range(self.rows - down * reach):
                    for column in range(self.columns):
                        if 0 <= column + across * reach < self.columns:
                            found.append((row * self.columns + column, down * self.columns + across))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def start(self, level: Any = 0, seed: int = 0) -> MnkState:
        """The empty board. There is one level and no chance: both arguments are there for those who start any game."""
        if level != 0:
            raise PcgError(f"{self.name} has no level {level!r}, expected 0")
        return MnkState(self, self._empty.copy())


class MnkState(BoardState):
    """Position of a game. As agents expect of a state of two players, score, winner and actions are pairs.

    Made by `MnkGame.start`.
    """

    __slots__ = ()

    game: MnkGame
    kernel: ClassVar[Any] = kernel
    head: ClassVar[Any] = structure(kernel.MNK_STATE)

    @property
    def cells(self) -> list[int]:
        """The free cells, row by row from the top; none when the game is over."""
        return [] if self.is_over else [cell for cell, mark in enumerate(self.board) if mark == 0]

    @property
    def actions(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of each player's actions, row by row from the top; none for who is not to move."""
        own = tuple(f"PLACE{cell}" for cell in self.cells)
        return (own, ()) if self.mover == 0 else ((), own)

    def place(self, cell: int) -> None:
        """The player to move places a piece; what cannot be done loses the game. A finished game stays as it is."""
        invoke3(kernel.place.address, self.game.address, self.address, cell)

    def _play(self, place: int) -> None:
        self.place(place)


def _pair(value: Any) -> tuple[Any, Any]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return value, value
    if len(value) != 2:
        raise PcgError(f"{value!r}, expected one value or one for each of the 2 players")
    return value[0], value[1]


def _game(
    rows: int, columns: int, length: tuple[int, int], misere: bool, lines: tuple[str, str], opening: tuple[int, int]
) -> MnkGame:
    return MnkGame(rows, columns, length, misere=misere, lines=lines, opening=opening)
