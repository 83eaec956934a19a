"""Connect-k on bit boards: dropping discs, finding lines, the forward-model protocol, and whole random games.

Cell (row, column) is bit ``column * (rows + 1) + row``, rows counted from the bottom; the unused bit above every column
keeps lines from running from one column into the next (the layout of Tromp's and Pons' Connect Four programs). Boards
of up to 63 bits keep one word per player in the state record, where a line is found by shifting. Larger ones keep the
heights of the columns and as many words as they need behind it, and look along the lines through the last disc.
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

NARROW_BITS = 63
"""Bits of the boards that fit into one word; the sign is left alone."""

NOBODY = -1
"""Value of `winner` while the game goes on, and after a draw."""

CONNECT = np.dtype(
    [
        ("rows", "i8"),
        ("columns", "i8"),
        ("inarow", "i8"),
        ("height", "i8"),  # bits per column: rows + 1
        ("narrow", "i8"),  # 1: one word per player
        ("words", "i8"),  # words per player of a wide board, else 0
        ("bytes", "i8"),  # of a state
        ("order", "i8"),  # int64[columns]: the columns, those in the middle first
        ("windows", "i8"),  # int64[window_count, 2]: first bit and step of every place where a line can be
        ("window_count", "i8"),
    ],
    align=True,
)

CONNECT_STATE = np.dtype(
    [
        ("ply", "i8"),  # discs dropped
        ("mover", "i8"),  # whose turn it is, 0 or 1
        ("ended", "i8"),
        ("winner", "i8"),  # 0, 1 or NOBODY
        ("forfeit", "i8"),  # 1: the game ended with a move that cannot be made
        ("discs0", "i8"),  # narrow boards: the bits of each player
        ("discs1", "i8"),
        # wide boards go on with int64 heights[columns] and the words of each player
    ],
    align=True,
)
HEAD = CONNECT_STATE.itemsize

connect_at = view_of(CONNECT)
position_at = view_of(CONNECT_STATE)


# --- bits -------------------------------------------------------------------------------------------------------------


@inner
def words_at(gm, st, player):
    """Address of a player's words on a wide board."""
    g = connect_at(gm)
    return st + HEAD + 8 * (g.columns + player * g.words)


@inner
def has_disc(gm, st, player, bit):
    """1 when the player has a disc at that bit."""
    if connect_at(gm).narrow == 1:
        p = position_at(st)
        return ((p.discs0 if player == 0 else p.discs1) >> bit) & 1
    return (load64(words_at(gm, st, player) + 8 * (bit >> 6)) >> (bit & 63)) & 1


@inner
def put_disc(gm, st, player, bit):
    """Give the player a disc at that bit."""
    if connect_at(gm).narrow == 1:
        p = position_at(st)
        if player == 0:
            p.discs0 = p.discs0 | (1 << bit)
        else:
            p.discs1 = p.discs1 | (1 << bit)
        return
    at = words_at(gm, st, player) + 8 * (bit >> 6)
    store64(at, load64(at) | (1 << (bit & 63)))


@inner
def free_bit(gm, st, column):
    """The bit where a disc dropped into the column comes to rest, -1 when the column is full."""
    g = connect_at(gm)
    if g.narrow == 1:
        p = position_at(st)
        taken = ((p.discs0 | p.discs1) >> (column * g.height)) & ((1 << g.rows) - 1)
        if taken == (1 << g.rows) - 1:
            return -1
        row = 0
        while (taken >> row) & 1 == 1:
            row += 1
        return column * g.height + row
    row = load64(st + HEAD + 8 * column)
    return -1 if row == g.rows else column * g.height + row


# --- lines ------------------------------------------------------------------------------------------------------------


@inner
def in_line(bits, step, count):
    """1 when `count` bits are set at distances of `step`."""
    m = bits
    for k in range(1, count):
        m = m & (bits >> (k * step))
        if m == 0:
            return 0
    return 1 if m != 0 else 0


@inner
def has_line(bits, height, count):
    """1 when there is a line in a word: up, across, and on both diagonals."""
    if in_line(bits, 1, count) == 1 or in_line(bits, height, count) == 1:
        return 1
    if in_line(bits, height - 1, count) == 1 or in_line(bits, height + 1, count) == 1:
        return 1
    return 0


@inner
def run_length(gm, st, player, column, row, across, up):
    """Discs of the player next to a cell in one direction, the cell not counted; no more than a line needs."""
    g = connect_at(gm)
    count = 0
    c = column + across
    r = row + up
    while count + 1 < g.inarow and 0 <= c < g.columns and 0 <= r < g.rows:
        if has_disc(gm, st, player, c * g.height + r) == 0:
            break
        count += 1
        c += across
        r += up
    return count


@inner
def line_through(gm, st, player, bit):
    """1 when a disc of the player at that bit is part of a line."""
    g = connect_at(gm)
    if g.narrow == 1:
        p = position_at(st)
        return has_line(p.discs0 if player == 0 else p.discs1, g.height, g.inarow)
    column = bit // g.height
    row = bit - column * g.height
    for way in range(4):
        across = 0 if way == 0 else 1
        up = 1 if way == 0 else way - 2
        run = run_length(gm, st, player, column, row, across, up)
        run += run_length(gm, st, player, column, row, -across, -up)
        if run + 1 >= g.inarow:
            return 1
    return 0


# --- moves ------------------------------------------------------------------------------------------------------------


@inner
def drop_disc(gm, st, column):
    """Let the player to move drop a disc; a column that is full or does not exist loses the game at once."""
    g = connect_at(gm)
    p = position_at(st)
    mover = p.mover
    bit = -1
    if 0 <= column < g.columns:
        bit = free_bit(gm, st, column)
    if bit < 0:
        p.ended = 1
        p.forfeit = 1
        p.winner = 1 - mover
        return
    put_disc(gm, st, mover, bit)
    if g.narrow == 0:
        at = st + HEAD + 8 * column
        store64(at, load64(at) + 1)
    p.ply = p.ply + 1
    p.mover = 1 - mover
    if line_through(gm, st, mover, bit) == 1:
        p.ended = 1
        p.winner = mover
    elif p.ply == g.rows * g.columns:
        p.ended = 1


@entry_point("i8(i8, i8)")
def clear(gm, st):
    """Make the block at `st` the empty board."""
    for at in range(st, st + connect_at(gm).bytes, 8):
        store64(at, 0)
    position_at(st).winner = NOBODY
    return OK


@entry_point("i8(i8, i8, i8)")
def drop(gm, st, column):
    """One move, for Python. Returns whether the game has ended."""
    p = position_at(st)
    if p.ended == 0:
        drop_disc(gm, st, column)
    return p.ended


@entry_point("i8(i8, i8, i8, i8)")
def set_up(gm, st, cells, mover):
    """Make a position from int64 cells[rows * columns], row by row from the top: 0, 1 or 2; OK, or 1 + a bad cell.

    A cell is bad when it holds something else, or a disc with nothing below it.
    """
    g = connect_at(gm)
    p = position_at(st)
    for at in range(st, st + g.bytes, 8):
        store64(at, 0)
    p.winner = NOBODY
    p.mover = mover
    for cell in range(g.rows * g.columns - 1, -1, -1):
        mark = load64(cells + 8 * cell)
        if mark < 0 or mark > 2:
            return 1 + cell
        if mark != 0:
            column = cell % g.columns
            bit = column * g.height + g.rows - 1 - cell // g.columns
            if free_bit(gm, st, column) != bit:
                return 1 + cell
            put_disc(gm, st, mark - 1, bit)
            if g.narrow == 0:
                at = st + HEAD + 8 * column
                store64(at, load64(at) + 1)
            p.ply = p.ply + 1
            if line_through(gm, st, mark - 1, bit) == 1:
                p.ended = 1
                p.winner = mark - 1
    if p.ply == g.rows * g.columns:
        p.ended = 1
    return OK


@entry_point("i8(i8, i8, i8)")
def read_cells(gm, st, cells):
    """Write the board to int64 cells[rows * columns], row by row from the top: 0, 1 or 2."""
    g = connect_at(gm)
    for cell in range(g.rows * g.columns):
        bit = cell % g.columns * g.height + g.rows - 1 - cell // g.columns
        store64(cells + 8 * cell, has_disc(gm, st, 0, bit) + 2 * has_disc(gm, st, 1, bit))
    return OK


# --- the protocol -----------------------------------------------------------------------------------------------------


@entry_point("i8(i8, i8, i8)")
def model_copy(gm, to, source):
    """Protocol: an exact copy."""
    copy_bytes(to, source, connect_at(gm).bytes)
    return OK


@entry_point("i8(i8, i8, i8)")
def model_advance(gm, st, joint):
    """Protocol: the move of the player whose turn it is; action k + 1 drops into column k."""
    p = position_at(st)
    if p.ended == 0:
        drop_disc(gm, st, load64(joint + 8 * p.mover) - 1)
    return OK


@entry_point("i8(i8, i8)")
def model_over(gm, st):
    """Protocol: whether the game has ended."""
    return position_at(st).ended


@inner
def result_of(st, player):
    """WON, LOST or UNDECIDED."""
    winner = position_at(st).winner
    if winner == NOBODY:
        return UNDECIDED
    return WON if winner == player else LOST


@entry_point("i8(i8, i8, i8)")
def model_outcome(gm, st, player):
    """Protocol: the outcome for a player; a draw stays undecided."""
    return result_of(st, player)


@entry_point("f8(i8, i8, i8)")
def model_score(gm, st, player):
    """Protocol: 1 for a win, -1 for a loss, else 0."""
    return 1.0 * result_of(st, player)


@entry_point("i8(i8, i8, i8, i8)")
def model_actions(gm, st, player, out):
    """Protocol: the columns with room for a disc, those in the middle first; none for who is not to move."""
    g = connect_at(gm)
    p = position_at(st)
    if p.ended == 1 or p.mover != player:
        return 0
    count = 0
    top = g.rows - 1
    if g.narrow == 1:
        taken = p.discs0 | p.discs1
        for k in range(g.columns):
            column = load64(g.order + 8 * k)
            if (taken >> (column * g.height + top)) & 1 == 0:
                store64(out + 8 * count, column + 1)
                count += 1
        return count
    for k in range(g.columns):
        column = load64(g.order + 8 * k)
        if load64(st + HEAD + 8 * column) < g.rows:
            store64(out + 8 * count, column + 1)
            count += 1
    return count


@entry_point("i8(i8, i8)")
def model_key(gm, st):
    """Protocol: a hash of the board, of who is to move, and of how the game ended."""
    g = connect_at(gm)
    p = position_at(st)
    h = mix(88172645463, p.mover + 2 * p.ended + 4 * (p.winner + 1))
    if g.narrow == 1:
        h = mix(mix(h, p.discs0), p.discs0 >> 32)
        return mix(mix(h, p.discs1), p.discs1 >> 32)
    at = words_at(gm, st, 0)
    for k in range(2 * g.words):
        word = load64(at + 8 * k)
        h = mix(mix(h, word), word >> 32)
    return h


@entry_point("i8(i8, i8, i8)")
def model_reseed(gm, st, seed):
    """Protocol: nothing is left to chance here."""
    return OK


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_features(gm, st, player, out, room):
    """Protocol: windows by number of discs, for windows with discs of one player only.

    A window is a place where a line can be. First how many have 1, 2, ..., `inarow` discs of the player and are empty
    otherwise, then the same for the other player: 2 * inarow numbers.
    """
    g = connect_at(gm)
    count = 2 * g.inarow if room > 2 * g.inarow else room
    for k in range(count):
        store_double(out + 8 * k, 0.0)
    for k in range(g.window_count):
        bit = load64(g.windows + 16 * k)
        step = load64(g.windows + 16 * k + 8)
        mine = 0
        theirs = 0
        for _ in range(g.inarow):
            mine += has_disc(gm, st, player, bit)
            theirs += has_disc(gm, st, 1 - player, bit)
            bit += step
        place = -1
        if theirs == 0 and mine > 0:
            place = mine - 1
        elif mine == 0 and theirs > 0:
            place = g.inarow + theirs - 1
        if 0 <= place < count:
            store_double(out + 8 * place, load_double(out + 8 * place) + 1.0)
    return count


@entry_point("i8(i8, i8, i8, i8)")
def model_events(gm, st, out, room):
    """Protocol: there are no events."""
    return 0


@entry_point("i8(i8, i8, i8, i8, i8)")
def model_atoms(gm, st, player, out, room):
    """Protocol: no avatar, then one fact for each disc: its place and owner."""
    g = connect_at(gm)
    count = 0
    if room > 0:
        store64(out, 0)
        count = 1
    for column in range(g.columns):
        for row in range(g.rows):
            bit = column * g.height + row
            owner = has_disc(gm, st, 0, bit) + 2 * has_disc(gm, st, 1, bit)
            if owner == 0:
                break
            if count < room:
                store64(out + 8 * count, 2 * bit + owner)
                count += 1
    return count


# --- whole games ------------------------------------------------------------------------------------------------------


@inner
def play_narrow(gm, st, rng):
    """Play a narrow board to its end at random without touching the state; returns who won, or NOBODY.

    A column is drawn until one has room, so all that have are equally likely. Everything stays in registers.
    """
    g = connect_at(gm)
    p = position_at(st)
    height = g.height
    inarow = g.inarow
    columns = g.columns
    full = (1 << g.rows) - 1
    mover = p.mover
    mine = p.discs0 if mover == 0 else p.discs1
    theirs = p.discs1 if mover == 0 else p.discs0
    left = g.rows * columns - p.ply
    while left > 0:
        at = height * ((columns * next_bits(rng, 31)) >> 31)
        taken = mine | theirs
        # adding the lowest cell of a column to its discs carries up to the first free one
        disc = (taken + (1 << at)) & ~taken & (full << at)
        if disc != 0:
            mine = mine | disc
            if has_line(mine, height, inarow) == 1:
                return mover
            other = theirs
            theirs = mine
            mine = other
            mover = 1 - mover
            left -= 1
    return NOBODY


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def random_games(gm, st, spare, rng, count, tally):
    """Play `count` games at random from a position; adds wins of player 0, of player 1, and draws to int64 tally[3].

    `spare` is a state block, used by wide boards; `rng` is the address of a java.util.Random state.
    """
    g = connect_at(gm)
    p = position_at(st)
    for _ in range(count):
        winner = p.winner
        if p.ended == 0 and g.narrow == 1:
            winner = play_narrow(gm, st, rng)
        elif p.ended == 0:
            copy_bytes(spare, st, g.bytes)
            s = position_at(spare)
            while s.ended == 0:
                column = (g.columns * next_bits(rng, 31)) >> 31
                if free_bit(gm, spare, column) >= 0:
                    drop_disc(gm, spare, column)
            winner = s.winner
        at = tally + 8 * (2 if winner == NOBODY else winner)
        store64(at, load64(at) + 1)
    return OK
