"""Base classes of games on boards on which pieces stay where they are put, and of their positions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from pcg.engine.kernel.protocol import MODEL
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke6
from pcg.engine.model import Model
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

_MARKS = ".XO"


class BoardGame:
    """Game of two players who put pieces on a board in turn."""

    kernel: ClassVar[Any]
    """Module of the compiled functions of the game."""
    address: int
    """Of the game's record, for the kernel."""
    stride: int
    """Bytes of a position."""

    def start(self, level: Any = 0, seed: int = 0) -> Any:
        """Return the empty board."""
        raise NotImplementedError

    def random_games(self, count: int, seed: int = 0, start: BoardState | None = None) -> tuple[int, int, int]:
        """Play games at random.

        Args:
            count: number of games.
            seed: of the moves.
            start: position that all games begin with; the empty board by default.

        Returns:
            The numbers of games that the first player won, that the second won, and that were drawn.

        >>> from pcg.engine.boards import ConnectX
        >>> sum(ConnectX().random_games(1000, seed=1))
        1000
        """
        tally = np.zeros(3, dtype=np.int64)
        spare = np.zeros(self.stride // 8, dtype=np.int64)
        stream = np.array([scramble(seed)], dtype=np.int64)
        state = self.start() if start is None else start
        where = (int(spare.ctypes.data), int(stream.ctypes.data), count, int(tally.ctypes.data))
        invoke6(self.kernel.random_games.address, self.address, state.address, *where)
        first, second, drawn = tally.tolist()
        return first, second, drawn


class BoardState:
    """Position of a game of two players who put pieces on a board in turn.

    Args:
        game: the game.
        memory: int64, the position as the kernel has it.
    """

    __slots__ = ("_head", "_memory", "address", "game")

    game: Any
    piece: ClassVar[str] = "piece"
    """Name of what is put on the board."""
    kernel: ClassVar[Any]
    """Module of the compiled functions of the game."""
    head: ClassVar[Any]
    """Structure at the start of the memory: `mover`, `ply`, `ended`, `forfeit` and `winner`."""

    def __init__(self, game: Any, memory: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        self.game = game
        self._memory = memory
        self.address = int(memory.ctypes.data)
        self._head = self.head.from_address(self.address)

    def __repr__(self) -> str:
        begun = f"{type(self).__name__}: {self.tick + 1} {self.piece}s"
        if not self.is_over:
            return f"<{begun}, player {self.mover} to move>"
        winner = self._head.winner
        return f"<{begun}, {'drawn' if winner == self.kernel.NOBODY else f'player {winner} won'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.game, self._memory.tobytes())

    @property
    def model(self) -> Model:
        """The compiled forward model."""
        model: Model = self.game.model
        return model

    @property
    def mover(self) -> int:
        """Number of the player to move, 0 or 1."""
        return int(self._head.mover)

    @property
    def tick(self) -> int:
        """Number of the last piece put on the board, -1 before the first."""
        return int(self._head.ply) - 1

    @property
    def is_over(self) -> bool:
        """True when the game has ended."""
        return bool(self._head.ended)

    @property
    def forfeited(self) -> bool:
        """True when the game ended with a move that cannot be made."""
        return bool(self._head.forfeit)

    @property
    def winner(self) -> tuple[Outcome, Outcome]:
        """Outcome of each player; NO_WINNER for both after a draw."""
        winner = self._head.winner
        if winner == self.kernel.NOBODY:
            return Outcome.NO_WINNER, Outcome.NO_WINNER
        won, lost = Outcome.PLAYER_WINS, Outcome.PLAYER_LOSES
        return (won, lost) if winner == 0 else (lost, won)

    @property
    def score(self) -> tuple[float, float]:
        """1 for who won, -1 for who lost."""
        winner = self._head.winner
        return (0.0, 0.0) if winner == self.kernel.NOBODY else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    @property
    def board(self) -> list[int]:
        """The cells, row by row from the top: 0 empty, 1 and 2 the players' pieces."""
        cells = np.empty(self.game.rows * self.game.columns, dtype=np.int64)
        invoke3(self.kernel.read_cells.address, self.game.address, self.address, int(cells.ctypes.data))
        found: list[int] = cells.tolist()
        return found

    def advance(self, action: str | int | Sequence[str | int | None] | None) -> None:
        """Play a move.

        Args:
            action: a name or code of the player to move, or a pair of which the other's does not count.

        Raises:
            PcgError: for an action that does not exist.
        """
        if not isinstance(action, str) and isinstance(action, Sequence):
            if len(action) != 2:
                raise PcgError(f"{len(action)} actions, expected one for each of the 2 players")
            action = action[self.mover]
        names = self.game.action_names
        if isinstance(action, str):
            if action not in names:
                hint = did_you_mean(action, names, f", expected NIL or {names[1]} to {names[-1]}")
                raise PcgError(f"unknown action `{action}`{hint}")
            code = names.index(action)
        else:
            code = 0 if action is None else operator.index(action)
        self._play(code - 1)

    def _play(self, place: int) -> None:
        """Let the player to move put a piece at a place, counted from 0; what cannot be done loses the game."""
        raise NotImplementedError

    def copy(self) -> Self:
        """An independent copy."""
        return type(self)(self.game, self._memory.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def key(self) -> int:
        """A 64-bit hash of the position."""
        return int(invoke2(self.kernel.model_key.address, self.game.address, self.address))

    def render(self) -> str:
        """The board as text: X and O, a dot where nothing is."""
        cells, width = self.board, self.game.columns
        return "\n".join("".join(_MARKS[cell] for cell in cells[at : at + width]) for at in range(0, len(cells), width))


def whole(name: str, value: object, most: int) -> int:
    """Return a whole number from 1 to `most`.

    Raises:
        PcgError: the value is none.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise PcgError(f"{name} is {value!r}, expected a whole number from 1 to {most}") from None
    if not 1 <= number <= most:
        raise PcgError(f"{name} is {number}, expected a whole number from 1 to {most}")
    return number


def board_model(game: Any, kernel: Any, actions: int) -> Model:
    """Return the forward model of a game on a board.

    Args:
        game: with the attributes `address`, `stride` (bytes of a position) and `action_names`.
        kernel: module of the compiled functions of the game.
        actions: most legal actions in a position.
    """
    record = np.zeros(1, dtype=MODEL)
    m = record[0]
    m["game"] = game.address
    m["players"] = 2
    m["max_actions"] = actions
    m["must_move"] = 1
    for field in (
        "copy", "advance", "over", "outcome", "score", "actions", "key", "reseed", "features", "events", "atoms",
    ):  # fmt: skip
        m[field] = getattr(kernel, f"model_{field}").address
    return Model(
        record,
        room=1,
        stride_of=lambda room: game.stride,
        format_blocks=_leave_blocks,
        stochastic=False,
        owner=game,
        action_names=game.action_names,
        definition=game,
        engine="boards",
    )


def _leave_blocks(address: int, room: int, stride: int, count: int) -> None:
    """Leave new blocks as they are: copying a position writes all of it."""


def _restore(kind: type[BoardState], game: Any, memory: bytes) -> BoardState:
    return kind(game, np.frombuffer(memory, dtype=np.int64).copy())
