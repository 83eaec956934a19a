"""ConnectX in the engine: narrow and wide boards against a plain reading of the rules, and the protocol's promises."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import numpy as np
import pytest

from pcg.engine.boards import ConnectState, ConnectX
from pcg.engine.kernel.runtime import invoke4, invoke5
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError

pytestmark = pytest.mark.kernel

SIZES = [
    (6, 7, 4),
    (1, 1, 1),
    (3, 3, 3),
    (8, 7, 4),
    (6, 9, 5),
    (7, 8, 4),
    (2, 12, 3),
    (12, 2, 3),
    (9, 9, 5),
    (20, 11, 6),
]


class Plain:
    """The rules, spelt out on a list of rows from the bottom."""

    def __init__(self, rows: int, columns: int, inarow: int) -> None:
        self.rows, self.columns, self.inarow = rows, columns, inarow
        self.cells = [[0] * columns for _ in range(rows)]
        self.mover, self.winner = 1, 0

    def free(self) -> list[int]:
        return [c for c in range(self.columns) if self.cells[-1][c] == 0]

    def drop(self, column: int) -> None:
        row = next(r for r in range(self.rows) if self.cells[r][column] == 0)
        self.cells[row][column] = self.mover
        for up, across in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for begin in range(self.inarow):
                line = [(row + (k - begin) * up, column + (k - begin) * across) for k in range(self.inarow)]
                inside = all(0 <= r < self.rows and 0 <= c < self.columns for r, c in line)
                if inside and all(self.cells[r][c] == self.mover for r, c in line):
                    self.winner = self.mover
        self.mover = 3 - self.mover

    @property
    def over(self) -> bool:
        return self.winner != 0 or not self.free()

    def board(self) -> list[int]:
        return list(itertools.chain.from_iterable(reversed(self.cells)))


@pytest.mark.parametrize("size", SIZES)
def test_random_games_go_as_the_rules_say(size: tuple[int, int, int]) -> None:
    draw = random.Random(str(size))
    game = ConnectX(*size)
    assert game.narrow == (size[1] * (size[0] + 1) <= 63)
    for _ in range(6):
        state, plain = game.start(), Plain(*size)
        while not plain.over:
            assert state.mover == plain.mover - 1
            assert state.columns == plain.free()
            assert state.actions[state.mover] == tuple(f"DROP{c}" for c in plain.free())
            assert state.actions[1 - state.mover] == ()
            column = draw.choice(plain.free())
            state.drop(column)
            plain.drop(column)
            assert state.board == plain.board()
            assert state.is_over == plain.over
        won = {0: (0.0, 0.0), 1: (1.0, -1.0), 2: (-1.0, 1.0)}[plain.winner]
        assert state.score == won
        assert state.actions == ((), ())


@pytest.mark.parametrize("size", [(6, 7, 4), (9, 9, 5)])
def test_a_position_can_be_set_up_from_its_board(size: tuple[int, int, int]) -> None:
    draw, game = random.Random(3), ConnectX(*size)
    state = game.start()
    while not state.is_over:
        made = game.position(state.board)
        assert made.board == state.board
        assert (made.mover, made.is_over, made.tick, made.key()) == (state.mover, False, state.tick, state.key())
        state.drop(draw.choice(state.columns))
    made = game.position(state.board)
    assert made.is_over
    assert made.score == state.score


def test_copies_are_independent_and_survive_pickling() -> None:
    state = ConnectX().start()
    for column in (3, 3, 2):
        state.drop(column)
    for twin in (state.copy(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin.board == state.board
        assert twin.key() == state.key()
        twin.drop(0)
        assert twin.board != state.board
        assert twin.key() != state.key()


@pytest.mark.parametrize("size", [(6, 7, 4), (9, 9, 5)])
def test_a_move_that_cannot_be_made_loses(size: tuple[int, int, int]) -> None:
    game = ConnectX(*size)
    for action in ("NIL", None, 0, game.columns + 1):
        state = game.start()
        state.advance("DROP0")
        state.advance((None, action) if action != game.columns + 1 else action)
        assert state.is_over
        assert state.forfeited
        assert state.winner == (Outcome.PLAYER_WINS, Outcome.PLAYER_LOSES)
    state = game.start()
    for _ in range(game.rows):
        state.drop(1)
    assert not state.is_over
    state.drop(1)
    assert state.forfeited
    assert state.winner[state.mover] == Outcome.PLAYER_LOSES
    before = state.board
    state.drop(0)
    assert state.board == before  # a finished game stays as it is


def test_positions_reached_in_another_order_have_equal_keys() -> None:
    for size in ((6, 7, 4), (9, 9, 5)):
        first, second = ConnectX(*size).start(), ConnectX(*size).start()
        for column in (0, 1, 2, 3):
            first.drop(column)
        for column in (2, 3, 0, 1):
            second.drop(column)
        assert first.key() == second.key()
        first.drop(4)
        assert first.key() != second.key()


def windows(state: ConnectState, player: int) -> list[float]:
    """Windows by number of discs, the player's and then the other's, counted cell by cell."""
    game, found = state.game, [0.0] * (2 * state.game.inarow)
    board = state.board
    ways = ((0, 1), (1, 0), (1, 1), (1, -1))
    for row, column, (down, across) in itertools.product(range(game.rows), range(game.columns), ways):
        last = row + down * (game.inarow - 1), column + across * (game.inarow - 1)
        if not (0 <= last[0] < game.rows and 0 <= last[1] < game.columns):
            continue
        marks = [board[(row + k * down) * game.columns + column + k * across] for k in range(game.inarow)]
        own, other = marks.count(player + 1), marks.count(2 - player)
        if own and not other:
            found[own - 1] += 1
        elif other and not own:
            found[game.inarow + other - 1] += 1
    return found


@pytest.mark.parametrize("size", [(6, 7, 4), (4, 5, 3), (9, 9, 5)])
def test_features_count_windows_by_their_discs(size: tuple[int, int, int]) -> None:
    draw, game = random.Random(5), ConnectX(*size)
    out = np.zeros(2 * size[2])
    features = int(game.model._record[0]["features"])
    state = game.start()
    while not state.is_over:
        state.drop(draw.choice(state.columns))
        for player in (0, 1):
            count = invoke5(features, game.address, state.address, player, int(out.ctypes.data), len(out))
            assert out[:count].tolist() == windows(state, player)


def test_facts_are_the_discs() -> None:
    for size in ((6, 7, 4), (9, 9, 5)):
        game = ConnectX(*size)
        out = np.zeros(100, dtype=np.int64)
        atoms = int(game.model._record[0]["atoms"])
        state, seen = game.start(), set()
        for column in (0, 0, 1, 3):
            count = invoke5(atoms, game.address, state.address, 0, int(out.ctypes.data), 100)
            assert count == state.tick + 2
            assert seen < set(out[:count].tolist())
            seen = set(out[1:count].tolist())
            state.drop(column)


def test_the_middle_comes_first_in_the_list_of_actions() -> None:
    game = ConnectX()
    out = np.zeros(8, dtype=np.int64)
    count = invoke4(int(game.model._record[0]["actions"]), game.address, game.start().address, 0, int(out.ctypes.data))
    assert out[:count].tolist() == [4, 3, 5, 2, 6, 1, 7]


@pytest.mark.parametrize("size", [(6, 7, 4), (9, 9, 5)])
def test_whole_random_games_are_repeatable_and_begin_anywhere(size: tuple[int, int, int]) -> None:
    game = ConnectX(*size)
    assert game.random_games(50, seed=4) == game.random_games(50, seed=4)
    assert sum(game.random_games(50, seed=4)) == 50
    state = game.start()
    for _ in range(size[2] - 1):
        state.drop(0)
        state.drop(1)
    won, lost, drawn = game.random_games(60, seed=1, start=state)
    assert won > lost + drawn  # one column of seven or nine wins at once, and that again and again
    state.drop(0)
    assert game.random_games(10, start=state) == (10, 0, 0)


def test_random_games_on_a_board_without_lines_are_drawn() -> None:
    game = ConnectX(2, 2, 2)
    state = game.start()
    assert sum(game.random_games(20, start=state)) == 20
    tall = ConnectX(1, 3, 3)
    assert tall.random_games(20, seed=1) == (0, 0, 20)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0, 7, 4), "rows is 0, expected a whole number from 1 to 100"),
        ((6, 101, 4), "columns is 101"),
        ((6, 7, 0), "inarow is 0"),
        ((6, 7, 8), "inarow is 8, but no line on a board of 6 rows and 7 columns is that long, expected at most 7"),
        ((6.0, 7, 4), "rows is 6.0"),
        ((True, 7, 4), "rows is True"),
        (("6", 7, 4), "rows is '6'"),
    ],
)
def test_impossible_boards_are_refused(numbers: tuple[int, int, int], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        ConnectX(*numbers)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ([0] * 8, "a board of 8 cells, expected 9"),
        ([0, 0, 0, 0, 0, 0, 3, 0, 0], "the board has 3 in row 2"),
        ([0, 0, 0, 1, 0, 0, 0, 0, 0], "a disc with nothing below it in row 1 .from the top., column 0"),
        ([0.5] * 9, "something else than whole numbers"),
    ],
)
def test_impossible_positions_are_refused(board: list[int], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        ConnectX(3, 3, 3).position(board)


def test_unknown_actions_are_refused() -> None:
    state = ConnectX().start()
    with pytest.raises(PcgError, match="unknown action `DROP9`"):
        state.advance("DROP9")
    with pytest.raises(PcgError, match="3 actions, expected one for each of the 2 players"):
        state.advance(["NIL", "NIL", "NIL"])
    with pytest.raises(PcgError, match="no level 3"):
        state.game.start(level=3)
    assert repr(state) == "<ConnectState: 0 discs, player 0 to move>"
