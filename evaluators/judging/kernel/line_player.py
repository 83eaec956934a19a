"""Novices at m,n,k-games: flat players that look at lines one move ahead, and whole games between two of them.

A player values a free cell by the lines that could still be made through it: a window (a place for a line) without
pieces of the other is worth `fade` to the power of the pieces that it would lack after the move. Windows of the other
count as well, times the weight of blocking. The chance of a cell is its value to the power of the player's sharpness,
in misere games of its inverse. Who can win at once mostly does; now and then a player moves anywhere. The values of all
cells are kept up to date, so a move costs as much as the windows through one cell and one pass over the board.

The player is ours, after what Collins et al. (Nature 655, 2026) describe of their intuitive gamer, and van Opheusden et
al. (Nature 618, 2023) of players of four in a row: flat, noisy, led by features of lines. Tables and scratch memory are
made by `pcg.evaluators.judging.line_play`.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import entry_point, inner, load64, load_double, store64, store_double, view_of

SIDE = np.dtype(
    [
        ("length", "i8"),  # pieces that the player's line needs
        ("count", "i8"),  # of its windows
        ("windows", "i8"),  # int64[count, 2]: first cell and step
        ("weights", "i8"),  # float64[count]: how well a window is seen
        ("starts", "i8"),  # int64[cells + 1]: where the windows through a cell begin in `through`
        ("through", "i8"),  # int64[...]: numbers of windows
        ("initial", "i8"),  # float64[cells]: values on the empty board
        ("centre", "i8"),  # float64[cells]: preference of the seat for the middle
        ("own", "i8"),  # int64[count]: pieces of the player in a window
        ("blocked", "i8"),  # int64[count]: pieces of the other
        ("values", "i8"),  # float64[cells]: value of a piece of the player in the cell
        ("completes", "i8"),  # int64[cells]: windows that a piece there would fill
        ("sharpness", "i8"),  # of the seat's choices, 0 and more
        ("blocking", "f8"),  # weight of the other's windows
        ("lapse", "f8"),  # chance to move anywhere
        ("oversight", "f8"),  # share of it where a win is at hand
        ("outlook", "f8"),  # what all open windows are worth together
        ("start", "f8"),  # the same on the empty board
    ],
    align=True,
)

GAMES = np.dtype(
    [
        ("cells", "i8"),
        ("misere", "i8"),
        ("opening0", "i8"),
        ("opening1", "i8"),
        ("sides", "i8"),  # SIDE[2]
        ("fade", "i8"),  # float64[longest line + 2]: powers of what a missing piece costs
        ("board", "i8"),  # int64[cells]: 1 where a piece is
        ("chances", "i8"),  # float64[cells]
        ("rng", "i8"),  # a java.util.Random state
    ],
    align=True,
)

SIDE_BYTES = SIDE.itemsize
CLEAR_LEAD = 0.02
"""Share of all open windows by which one player's must outweigh the other's to be a lead."""
SMALLEST = 1e-12
"""Value of a cell without any window."""

# one row of results, all float64
WINNER, PLIES, THREATS, DANGER, CHANGES, BEHIND, FOCUS, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7

side_at = view_of(SIDE)
games_at = view_of(GAMES)


@inner
def side_of(games, player):
    """Address of a player's tables."""
    return games_at(games).sides + SIDE_BYTES * player


@inner
def start_game(games):
    """Make the board empty."""
    g = games_at(games)
    for cell in range(g.cells):
        store64(g.board + 8 * cell, 0)
    for player in range(2):
        s = side_at(side_of(games, player))
        s.outlook = s.start
        for window in range(s.count):
            store64(s.own + 8 * window, 0)
            store64(s.blocked + 8 * window, 0)
        for cell in range(g.cells):
            store_double(s.values + 8 * cell, load_double(s.initial + 8 * cell))
            store64(s.completes + 8 * cell, 0)
        if s.length == 1:
            for window in range(s.count):
                store64(s.completes + 8 * load64(s.windows + 16 * window), 1)


@inner
def change_window(games, player, window, change, completing):
    """Add to the value, and to the count of completed windows, of every cell in a window."""
    s = side_at(side_of(games, player))
    cell = load64(s.windows + 16 * window)
    step = load64(s.windows + 16 * window + 8)
    for _ in range(s.length):
        store_double(s.values + 8 * cell, load_double(s.values + 8 * cell) + change)
        if completing != 0:
            store64(s.completes + 8 * cell, load64(s.completes + 8 * cell) + completing)
        cell += step


@inner
def put_piece(games, mover, cell):
    """Place a piece and bring the values of all windows through it up to date; 1 when it completes a line."""
    g = games_at(games)
    store64(g.board + 8 * cell, 1)
    made = 0
    for player in range(2):
        s = side_at(side_of(games, player))
        for k in range(load64(s.starts + 8 * cell), load64(s.starts + 8 * cell + 8)):
            window = load64(s.through + 8 * k)
            own = load64(s.own + 8 * window)
            blocked = load64(s.blocked + 8 * window)
            weight = load_double(s.weights + 8 * window)
            now = weight * load_double(g.fade + 8 * (s.length - 1 - own)) if own < s.length else 0.0
            if player == mover:
                store64(s.own + 8 * window, own + 1)
                if blocked == 0:
                    after = 0.0
                    if own + 1 < s.length:
                        after = weight * load_double(g.fade + 8 * (s.length - 2 - own))
                    else:
                        made = 1
                    s.outlook = s.outlook + weight * (
                        load_double(g.fade + 8 * (s.length - 1 - own)) - load_double(g.fade + 8 * (s.length - own))
                    )
                    change_window(games, player, window, after - now, 1 if own + 2 == s.length else 0)
            else:
                store64(s.blocked + 8 * window, blocked + 1)
                if blocked == 0:
                    s.outlook = s.outlook - weight * load_double(g.fade + 8 * (s.length - own))
                    change_window(games, player, window, -now, -1 if own + 1 == s.length else 0)
    return made


@inner
def weigh_cells(games, mover, completing):
    """Write the chance of every cell, not normalised, 0 for taken ones; returns their sum.

    With `completing` 1 only cells that make a line have a chance.
    """
    g = games_at(games)
    s = side_at(side_of(games, mover))
    o = side_at(side_of(games, 1 - mover))
    total = 0.0
    least = load_double(g.fade + 8 * s.length)
    for cell in range(g.cells):
        chance = 0.0
        if load64(g.board + 8 * cell) == 0 and (completing == 0 or load64(s.completes + 8 * cell) > 0):
            value = load_double(s.values + 8 * cell) + s.blocking * load_double(o.values + 8 * cell)
            if value < 0.0:  # rounding, after many changes
                value = 0.0
            value = 1.0 / (value + least) if g.misere == 1 else value + SMALLEST
            chance = load_double(s.centre + 8 * cell)
            for _ in range(s.sharpness):
                chance = chance * value
        store_double(g.chances + 8 * cell, chance)
        total += chance
    return total


@inner
def draw_cell(games, total):
    """Draw a free cell with the chances that were written."""
    g = games_at(games)
    rest = next_double(g.rng) * total
    pick = -1
    for cell in range(g.cells):
        if load_double(g.chances + 8 * cell) > 0.0:
            pick = cell
            rest -= load_double(g.chances + 8 * cell)
            if rest < 0.0:
                break
    return pick


@inner
def any_cell(games, free):
    """Draw any of the free cells."""
    g = games_at(games)
    k = next_int(g.rng, free)
    for cell in range(g.cells):
        if load64(g.board + 8 * cell) == 0:
            if k == 0:
                return cell
            k -= 1
    return -1


@inner
def completing_cells(games, player):
    """Number of free cells where a piece of the player makes a line."""
    g = games_at(games)
    s = side_at(side_of(games, player))
    count = 0
    for cell in range(g.cells):
        if load64(g.board + 8 * cell) == 0 and load64(s.completes + 8 * cell) > 0:
            count += 1
    return count


@inner
def leader(games, before):
    """Number of the player with the better outlook, or who led before where it is not clear."""
    g = games_at(games)
    first = side_at(side_of(games, 0)).outlook
    second = side_at(side_of(games, 1)).outlook
    gap = first - second
    if g.misere == 1:
        gap = -gap
    bar = CLEAR_LEAD * (first + second)
    if gap > bar:
        return 0
    if gap < -bar:
        return 1
    return before


@inner
def play_game(games, out):
    """Play one game and write a row of results."""
    g = games_at(games)
    start_game(games)
    mover = 0
    left = g.opening0
    ply = 0
    winner = -1
    lead = -1
    threats = 0
    changes = 0
    behind0 = 0
    behind1 = 0
    danger = 0.0
    focus = 0.0
    while ply < g.cells and winner < 0:
        free = g.cells - ply
        s = side_at(side_of(games, mover))
        own = completing_cells(games, mover)
        if g.misere == 1:
            danger += 1.0 * own / free
        elif completing_cells(games, 1 - mover) > 0:
            threats += 1
        total = weigh_cells(games, mover, 1 if own > 0 and g.misere == 0 else 0)
        lapse = s.lapse
        if own > 0 and g.misere == 0:
            lapse = lapse * s.oversight
        if next_double(g.rng) < lapse or total <= 0.0:
            cell = any_cell(games, free)
        else:
            cell = draw_cell(games, total)
        focus += load_double(g.chances + 8 * cell) / total if total > 0.0 else 0.0
        made = put_piece(games, mover, cell)
        ply += 1
        if made == 1:
            winner = 1 - mover if g.misere == 1 else mover
            break
        now = leader(games, lead)
        if lead >= 0 and now != lead:
            changes += 1
        lead = now
        if lead == 1:
            behind0 += 1
        elif lead == 0:
            behind1 += 1
        left -= 1
        if left == 0:
            mover = 1 - mover
            left = g.opening1 if ply == g.opening0 else 1
    behind = 0
    if winner >= 0:
        behind = behind0 if winner == 0 else behind1
    store_double(out + 8 * WINNER, 1.0 * winner)
    store_double(out + 8 * PLIES, 1.0 * ply)
    store_double(out + 8 * THREATS, 1.0 * threats / ply)
    store_double(out + 8 * DANGER, danger / ply)
    store_double(out + 8 * CHANGES, 1.0 * changes)
    store_double(out + 8 * BEHIND, 1.0 * behind / ply)
    store_double(out + 8 * FOCUS, focus / ply)


@entry_point("i8(i8, i8, i8)")
def play_games(games, count, out):
    """Play `count` games into float64 out[count, FIELDS]: winner (-1: nobody), plies, and what was seen on the way.

    Shares of the turns with a threat of the other, mean share of moves that lose at once, changes of the lead, share of
    the turns that the winner was behind, and the mean chance of the moves made.
    """
    for k in range(count):
        play_game(games, out + 8 * FIELDS * k)
    return OK
