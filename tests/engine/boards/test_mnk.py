"""m,n,k-games: the bit boards against a plain reading of the rules and against their own rule sheets in GDL."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest

from pcg.engine import gdl
from pcg.engine.boards import MnkGame, MnkState, mnk_kernel, rule_sheet
from pcg.engine.kernel.runtime import invoke5
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError
from tests.support.tiers import first_fast

pytestmark = pytest.mark.kernel

ALL, STRAIGHT, SLANTED = "orthogonal+diagonal", "orthogonal", "diagonal"
GAMES = [
    MnkGame(3, 3, 3),
    MnkGame(4, 4, 3, opening=(1, 2)),
    MnkGame(3, 3, (3, 2), lines=(SLANTED, ALL), opening=(2, 1)),
    MnkGame(4, 3, 3, misere=True),
    MnkGame(2, 5, 3, lines=STRAIGHT),
    MnkGame(1, 5, 2),
    MnkGame(4, 4, (4, 3), lines=(STRAIGHT, ALL)),
    MnkGame(2, 2, 3),  # no line can be made
    MnkGame(2, 2, 1),
    MnkGame(2, 2, 2, opening=3),
]
LARGE = [
    MnkGame(10, 10, 5),
    MnkGame(9, 12, (4, 5), lines=(SLANTED, STRAIGHT)),
    MnkGame(8, 8, 4, misere=True),
    MnkGame(19, 19, 5, opening=(2, 1)),
]


class Plain:
    """The rules, spelt out on a dictionary of cells."""

    def __init__(self, game: MnkGame) -> None:
        self.game = game
        self.cells: dict[tuple[int, int], int] = {}
        turns = [0] * game.opening[0] + [1] * game.opening[1]
        self.turns = itertools.chain(turns, itertools.cycle((0, 1)))
        self.mover = next(self.turns)
        self.winner: int | None = None

    @property
    def free(self) -> list[int]:
        whole = itertools.product(range(self.game.rows), range(self.game.columns))
        return [r * self.game.columns + c for r, c in whole if (r, c) not in self.cells]

    @property
    def over(self) -> bool:
        return self.winner is not None or not self.free

    def place(self, cell: int) -> None:
        row, column = divmod(cell, self.game.columns)
        self.cells[row, column] = self.mover
        length, lines = self.game.length[self.mover], self.game.lines[self.mover]
        ways = [(0, 1), (1, 0)] * (STRAIGHT in lines) + [(1, 1), (1, -1)] * (SLANTED in lines)
        for (down, across), begin in itertools.product(ways, range(length)):
            line = [(row + (k - begin) * down, column + (k - begin) * across) for k in range(length)]
            if all(self.cells.get(place) == self.mover for place in line):
                self.winner = 1 - self.mover if self.game.misere else self.mover
        self.mover = next(self.turns)


@pytest.mark.parametrize("game", GAMES + LARGE, ids=repr)
def test_random_games_go_as_the_rules_say(game: MnkGame) -> None:
    draw = random.Random(repr(game))
    for _ in range(6):
        state, plain = game.start(), Plain(game)
        while not plain.over:
            assert not state.is_over
            assert state.mover == plain.mover
            assert state.cells == plain.free
            assert state.actions[state.mover] == tuple(f"PLACE{cell}" for cell in plain.free)
            assert state.actions[1 - state.mover] == ()
            cell = draw.choice(plain.free)
            state.place(cell)
            plain.place(cell)
        assert state.is_over
        assert state.score == {None: (0.0, 0.0), 0: (1.0, -1.0), 1: (-1.0, 1.0)}[plain.winner]
        assert state.actions == ((), ())


def perft(state: Any, depth: int, moves: Any) -> int:
    """Leaves of the tree of play."""
    if depth == 0 or state.is_over:
        return 1
    count = 0
    for move in moves(state):
        following = state.copy()
        following.advance(move)
        count += perft(following, depth - 1, moves)
    return count


def test_trees_of_play_have_known_sizes() -> None:
    game = MnkGame(3, 3, 3)
    sizes = [perft(game.start(), depth, lambda state: state.actions[state.mover]) for depth in range(1, 6)]
    assert sizes == [9, 72, 504, 3024, 15120]
    assert perft(MnkGame(2, 2, 2).start(), 4, lambda state: state.actions[state.mover]) == 24  # always won at the third


@pytest.mark.full
def test_tic_tac_toe_ends_in_255168_ways() -> None:
    assert perft(MnkGame(3, 3, 3).start(), 9, lambda state: state.actions[state.mover]) == 255168


def sheet_moves(state: Any) -> list[list[str]]:
    """Joint moves of a sheet in which one role moves at a time."""
    first, second = state.legal("first"), state.legal("second")
    return [list(joint) for joint in itertools.product(first, second)]


@pytest.mark.parametrize("game", first_fast(GAMES, 3), ids=repr)
def test_the_rule_sheet_is_the_same_game(game: MnkGame) -> None:
    sheet = gdl.load(rule_sheet(game))
    assert not [warning for warning in sheet.warnings if "piece" not in str(warning)]
    assert perft(sheet.start(), 3, sheet_moves) == perft(game.start(), 3, lambda state: state.actions[state.mover])
    draw = random.Random(repr(game))
    for _ in range(4):
        state, other = game.start(), sheet.start()
        while not state.is_over:
            assert not other.is_over
            assert other.legal(1 - state.mover) == ("wait",)
            places = {f"(place {c // game.columns + 1} {c % game.columns + 1})": c for c in state.cells}
            assert set(other.legal(state.mover)) == set(places)
            move = draw.choice(sorted(places))
            other.advance(["wait" if role != state.mover else move for role in (0, 1)])
            state.place(places[move])
        assert other.is_terminal
        assert other.winner == tuple(int(score) for score in state.score)


@pytest.mark.full
def test_a_large_board_is_the_same_game_as_its_sheet() -> None:
    game = MnkGame(5, 6, (4, 3), lines=(ALL, SLANTED), opening=(1, 2))
    test_the_rule_sheet_is_the_same_game(game)


def test_random_games_are_won_as_often_as_by_the_sheet() -> None:
    game = MnkGame(4, 4, 3)
    fast = np.array(game.random_games(4000, seed=1)) / 4000
    playouts = gdl.load(rule_sheet(game)).playouts(1000, seed=1)
    won = np.mean(np.array(playouts.goals)[:, 0] == 100)
    assert abs(fast[0] - won) < 0.06


def test_copies_are_independent_and_survive_pickling() -> None:
    state = MnkGame(9, 9, 5, opening=(2, 1)).start()
    for cell in (40, 41, 3):
        state.place(cell)
    for twin in (state.copy(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin.board == state.board
        assert twin.key() == state.key()
        twin.place(0)
        assert twin.board != state.board
        assert twin.key() != state.key()
    game = pickle.loads(pickle.dumps(GAMES[2]))
    assert repr(game) == repr(GAMES[2])


def test_a_move_that_cannot_be_made_loses() -> None:
    for action in ("NIL", None, 0, 10, "PLACE0"):
        state = MnkGame(3, 3, 3).start()
        state.advance("PLACE0")
        state.advance(action)
        assert state.forfeited
        assert state.winner == (Outcome.PLAYER_WINS, Outcome.PLAYER_LOSES)


def test_features_count_open_windows() -> None:
    game = MnkGame(3, 3, (3, 2), lines=(STRAIGHT, ALL))
    state = game.start()
    for cell in (0, 4, 2):  # X . X over . O .
        state.place(cell)
    out = np.zeros(8)
    count = invoke5(mnk_kernel.model_features.address, game.address, state.address, 0, out.ctypes.data, 8)
    # X: rows 0 (two pieces), columns 0 and 2 (one each). O: 2 pieces in a row, so every pair with the middle is open
    # but those with the two corners of X.
    assert count == 5
    assert out[:5].tolist() == [2.0, 1.0, 0.0, 6.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows is 0, expected a whole number from 1 to 100"),
        ({"length": (3, "4")}, "length is '4'"),
        ({"lines": "sideways"}, "no lines 'sideways', expected one of orthogonal, diagonal, orthogonal"),
        ({"opening": (1, 2, 3)}, "expected one value or one for each of the 2 players"),
    ],
)
def test_wrong_parameters_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PcgError, match=message):
        MnkGame(**arguments)


def test_unknown_actions_are_refused() -> None:
    state: MnkState = MnkGame(3, 3, 3).start()
    with pytest.raises(PcgError, match="did you mean `PLACE8`"):
        state.advance("PLACE88")
    with pytest.raises(PcgError, match="3 actions, expected one for each"):
        state.advance([1, 2, 3])
    with pytest.raises(PcgError, match="has no level 1"):
        state.game.start(level=1)
