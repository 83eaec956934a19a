"""m,n,k-games on bit boards: placing pieces, finding lines, the forward-model protocol, and whole random games.

A cell is bit ``row * columns + column``, rows counted from the top; each player has as many words as the board needs.
Lines are looked for through the last piece, in the directions that count for its player. The two players may need
lines of different lengths, in different directions; who completes a line wins or, in misere games, loses. Either may
place several pieces in its first move.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.hashing import mix
from pcg.engine.kernel.protocol import LOST, OK, UNDECIDED, WON
from pcg.engine.kernel.random import next_bits
from pcg.engine.kernel.runtime import (
    copy_bytes,
    entry_point,
    inner,
    load64,
    load_double,
    store64,
    store_double,
    view_of,
)

NOBODY = -1
"""Value of `winner` while the game goes on, and after a draw."""

WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps (down, across) of the four directions of a line; bit k of `ways` says that the k-th counts."""

MNK = np.dtype(
    [
        ("rows", "i8"),
        ("columns", "i8"),
        ("misere", "i8"),  # 1: who completes a line loses
        ("words", "i8"),  # words per player
        ("bytes", "i8"),  # of a state
        ("order", "i8"),  # int64[cells]: the cells, those in the middle first
        ("length0", "i8"),  # pieces in a line, for each player
        ("length1", "i8"),
        ("ways0", "i8"),  # directions that count, one bit each
        ("ways1", "i8"),
        ("opening0", "i8"),  # pieces of the first move
        ("opening1", "i8"),
        ("windows0", "i8"),  # int64[count, 2]: first cell and step of every place where a line of the player can be
        ("windows1", "i8"),
        ("window_count0", "i8"),
        ("window_count1", "i8"),
    ],
    align=True,
)

MNK_STATE = np.dtype(
    [
        ("ply", "i8"),  # pieces placed
        ("mover", "i8"),  # whose turn it is, 0 or 1
        ("left", "i8"),  # pieces that the player still places in this move
        ("ended", "i8"),
        ("winner", "i8"),  # 0, 1 or NOBODY
        ("forfeit", "i8"),  # 1: the game ended with a move that cannot be made
        # then the words of each player
    ],
    align=True,
)
HEAD = MNK_STATE.itemsize

mnk_at = view_of(MNK)
position_at = view_of(MNK_STATE)


# --- pieces and lines -------------------------------------------------------------------------------------------------


@inner
def has_piece(gm: int, st: int, player: int, cell: int) -> int:
    """1 when the player has a piece in the cell."""
    return (load64(st + HEAD + 8 * (player * mnk_at(gm).words + (cell >> 6))) >> (cell & 63)) & 1


@inner
def is_free(gm: int, st: int, cell: int) -> int:
    """1 when the cell is on the board and nothing is in it."""
    g = mnk_at(gm)
    if cell < 0 or cell >= g.rows * g.columns:
        return 0
    at = st + HEAD + 8 * (cell >> 6)
    return 1 - (((load64(at) | load64(at + 8 * g.words)) >> (cell & 63)) & 1)


@inner
def run_length(gm: int, st: int, player: int, cell: int, down: int, across: int, most: int) -> int:
    """Pieces of the player next to a cell in one direction, the cell not counted; `most` at most."""
    g = mnk_at(gm)
    row = cell // g.columns + down
    column = cell % g.columns + across
    count = 0
    while count < most and 0 <= row < g.rows and 0 <= column < g.columns:
        if has_piece(gm, st, player, row * g.columns + column) == 0:
            break
        count += 1
        row += down
        column += across
    return count


@inner
def completes_line(gm: int, st: int, player: int, cell: int) -> int:
    """1 when a piece of the player in that cell is, or would be, part of a line that counts."""
    g = mnk_at(gm)
    length = g.length0 if player == 0 else g.length1
    ways = g.ways0 if player == 0 else g.ways1
    for way in range(4):
        if (ways >> way) & 1 == 1:
            down = 0 if way == 0 else 1
            across = (1 if way == 0 else 0) if way < 2 else (1 if way == 2 else -1)
            run = run_length(gm, st, player, cell, down, across, length)
            run += run_length(gm, st, player, cell, -down, -across, length)
            if run + 1 >= length:
                return 1
    return 0


# --- moves ------------------------------------------------------------------------------------------------------------


@inner
def place_piece(gm: int, st: int, cell: int) -> None:
    """Let the player to move place a piece; a cell that is taken or does not exist loses the game at once."""
    g = mnk_at(gm)
    p = position_at(st)
    mover = p.mover
    if is_free(gm, st, cell) == 0:
        p.ended = 1
        p.forfeit = 1
        p.winner = 1 - mover
        return
    at = st + HEAD + 8 * (mover * g.words + (cell >> 6))
    store64(at, load64(at) | (1 << (cell & 63)))
    p.ply = p.ply + 1
    p.left = p.left - 1
    if completes_line(gm, st, mover, cell) == 1:
        p.ended = 1
        p.winner = 1 - mover if g.misere == 1 else mover
    elif p.ply == g.rows * g.columns:
        p.ended = 1
    elif p.left == 0:
        p.mover = 1 - mover
        p.left = g.opening1 if p.ply == g.opening0 else 1


@entry_point("i8(i8, i8)")
def clear(gm: int, st: int) -> int:
    """Make the block at `st` the empty board."""
    g = mnk_at(gm)
    for at in range(st, st + g.bytes, 8):
        store64(at, 0)
    p = position_at(st)
    p.winner = NOBODY
    p.left = g.opening0
    return OK


@entry_point("i8(i8, i8, i8)")
def place(gm: int, st: int, cell: int) -> int:
    """One move, for Python. Returns whether the game has ended."""
    p = position_at(st)
    if p.ended == 0:
        place_piece(gm, st, cell)
    return p.ended


@entry_point("i8(i8, i8, i8)")
def read_cells(gm: int, st: int, cells: int) -> int:
    """Write the board to int64 cells[rows * columns], row by row from the top: 0, 1 or 2."""
    g = mnk_at(gm)
    for cell in range(g.rows * g.columns):
        store64(cells + 8 * cell, has_piece(gm, st, 0, cell) + 2 * has_piece(gm, st, 1, cell))
    return OK


# --- the protocol -----------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8, i8)")
def model_copy(gm: int, to: int, source: int) -> int:
    """Protocol: an exact copy."""
    copy_bytes(to, source, mnk_at(gm).bytes)
    return OK


@entry_point("i8(i8, i8, i8)")
def model_advance(gm: int, st: int, joint: int) -> int:
    """Protocol: the move of the player whose turn it is; action k + 1 places a piece in cell k."""
    p = position_at(st)
    if p.ended == 0:
        place_piece(gm, st, load64(joint + 8 * p.mover) - 1)
    return OK


@entry_point("i8(i8, i8)")
def model_over(gm: int, st: int) -> int:
    """Protocol: whether the game has ended."""
    return position_at(st).ended


@inner
def result_of(st: int, player: int) -> int:
    """WON, LOST or UNDECIDED."""
    winner = position_at(st).winner
    if winner == NOBODY:
        return UNDECIDED
    return WON if winner == player else LOST


@entry_point("i8(i8, i8, i8)")
def model_outcome(gm: int, st: int, player: int) -> int:
    """Protocol: the outcome for a player; a draw stays undecided."""
    return result_of(st, player)


@entry_point("f8(i8, i8, i8)")
def model_score(gm: int, st: int, player: int) -> float:
    """Protocol: 1 for a win, -1 for a loss, else 0."""
    return 1.0 * result_of(st, player)


@entry_point("i8(i8, i8, i8, i8)")
def model_actions(gm: int, st: int, player: int, out: int) -> int:
    """Protocol: the free cells, those in the middle first; none for who is not to move."""
    g = mnk_at(gm)
    p = position_at(st)
    if p.ended == 1 or p.mover != player:
        return 0
    count = 0
    for k in range(g.rows * g.columns):
        cell = load64(g.order + 8 * k)
        if is_free(gm, st, cell) == 1:
            store64(out + 8 * count, cell + 1)
            count += 1
    return count


@entry_point("i8(i8, i8)")
def model_key(gm: int, st: int) -> int:
    """Protocol: a hash of the board, of who is to move and how often, and of how the game ended."""
    p = position_at(st)
    h = mix(mix(362436069, p.mover + 2 * p.ended + 4 * (p.winner + 1)), p.left)
    for k in range(2 * mnk_at(gm).words):
        word = load64(st + HEAD + 8 * k)
        h = mix(mix(h, word), word >> 32)
    return h


@entry_point("i8(i8, i8, i8)")
def model_reseed(gm: int, st: int, seed: int) -> int:
    """Protocol: nothing is left to chance here."""
    return OK


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_features(gm: int, st: int, player: int, out: int, room: int) -> int:
    """Protocol: windows by number of pieces, for windows that hold pieces of one player only.

    A window is a place where a line of a player can be. First how many of the player's have 1, 2, ... up to all of the
    pieces they need and are empty otherwise, then the same for the other player's.
    """
    g = mnk_at(gm)
    total = g.length0 + g.length1
    count = total if room > total else room
    for k in range(count):
        store_double(out + 8 * k, 0.0)
    for turn in range(2):
        owner = player if turn == 0 else 1 - player
        length = g.length0 if owner == 0 else g.length1
        base = 0 if turn == 0 else total - length
        windows = g.windows0 if owner == 0 else g.windows1
        for k in range(g.window_count0 if owner == 0 else g.window_count1):
            cell = load64(windows + 16 * k)
            step = load64(windows + 16 * k + 8)
            own = 0
            others = 0
            for _ in range(length):
                own += has_piece(gm, st, owner, cell)
                others += has_piece(gm, st, 1 - owner, cell)
                cell += step
            at = base + own - 1
            if others == 0 and own > 0 and at < count:
                store_double(out + 8 * at, load_double(out + 8 * at) + 1.0)
    return count


@entry_point("i8(i8, i8, i8, i8)")
def model_events(gm: int, st: int, out: int, room: int) -> int:
    """Protocol: there are no events."""
    return 0


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_atoms(gm: int, st: int, player: int, out: int, room: int) -> int:
    """Protocol: no avatar, then one fact for each piece: its place and owner."""
    g = mnk_at(gm)
    count = 0
    if room > 0:
        store64(out, 0)
        count = 1
    for cell in range(g.rows * g.columns):
        owner = has_piece(gm, st, 0, cell) + 2 * has_piece(gm, st, 1, cell)
        if owner != 0 and count < room:
            store64(out + 8 * count, 2 * cell + owner)
            count += 1
    return count


# --- whole games ------------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def random_games(gm: int, st: int, spare: int, rng: int, count: int, tally: int) -> int:
    """Play `count` games at random from a position; adds wins of player 0, of player 1, and draws to int64 tally[3].

    `spare` is a state block; `rng` is the address of a java.util.Random state.
    """
    g = mnk_at(gm)
    cells = g.rows * g.columns
    for _ in range(count):
        copy_bytes(spare, st, g.bytes)
        p = position_at(spare)
        while p.ended == 0:
            cell = (cells * next_bits(rng, 31)) >> 31
            if is_free(gm, spare, cell) == 1:
                place_piece(gm, spare, cell)
        at = tally + 8 * (2 if p.winner == NOBODY else p.winner)
        store64(at, load64(at) + 1)
    return OK
