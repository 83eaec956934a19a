"""Novices at any game of two players: flat players that know the rules alone, and whole games between two of them.

A player who looks ahead takes a move that wins at once, avoids moves that lose at once and, where the players move in
turn, those after which the other can win at once. The moves that remain it values by a few random playouts each, of a
few moves only, and draws one with a chance that grows with its value. Now and then it moves anywhere. Everything goes
through the forward-model protocol, so bit boards and rule sheets are played alike.

After Collins et al. (Nature 655, 2026), whose intuitive gamer is flat and takes few samples; where theirs knows what a
good line is, this one has playouts, for the rules of any game say no more than who has won. Memory is made by
`pcg.evaluators.judging.board_play`.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    WON,
    advance_state,
    copy_state,
    is_over,
    legal_actions,
    may_wait,
    outcome,
    score,
)
from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import entry_point, inner, load64, load_double, store64, store_double, view_of
from pcg.evaluators.judging.kernel.line_player import (
    BEHIND,
    CHANGES,
    DANGER,
    FIELDS,
    FOCUS,
    PLIES,
    THREATS,
    WINNER,
)

SEAT = np.dtype(
    [
        ("looks", "i8"),  # 1: sees moves that win or lose at once
        ("considered", "i8"),  # moves that are valued
        ("samples", "i8"),  # playouts for each
        ("sharpness", "i8"),  # power of values in choices
        ("lapse", "f8"),  # chance to move anywhere
    ],
    align=True,
)

BOARD_GAMES = np.dtype(
    [
        ("model", "i8"),
        ("root", "i8"),  # the state that games start from
        ("state", "i8"),  # blocks: the game
        ("after", "i8"),  # after a move
        ("reply", "i8"),  # after the other's answer, or at the end of a playout
        ("moves", "i8"),  # int64[2][max_actions + 1]
        ("others", "i8"),  # the same, for a state ahead
        ("row", "i8"),  # bytes of a player's row of these
        ("joint", "i8"),  # int64[2]
        ("picked", "i8"),  # int64[2]: the moves of this turn
        ("values", "i8"),  # float64[max_actions + 1]
        ("seats", "i8"),  # SEAT[2]
        ("rng", "i8"),  # a java.util.Random state
        ("horizon", "i8"),  # ticks after which a game is broken off
        ("goals", "i8"),  # 1: scores are goal values from 0 to 100
        ("decisions", "i8"),  # results of the game at hand: turns with a choice
        ("threats", "f8"),
        ("danger", "f8"),
        ("focus", "f8"),
        ("estimate", "f8"),  # what the last choice was worth to the first player, 0 to 1
    ],
    align=True,
)

SEAT_BYTES = SEAT.itemsize
EVEN, LEAD = 0.5, 0.08
"""Value of an even game, and how far it must be from that to be a lead."""
OVERSIGHT = 0.2
"""Lapses are so much rarer where a win is at hand."""

seat_at = view_of(SEAT)
games_at = view_of(BOARD_GAMES)


@inner
def list_moves(games, state, moves):
    """Write both players' moves; NIL is the last one of who may wait. Returns in bits who has a choice."""
    g = games_at(games)
    choosers = 0
    for player in range(2):
        row = moves + player * g.row
        count = legal_actions(g.model, state, player, row + 8)
        if count == 0 or may_wait(g.model, count) == 1:
            store64(row + 8 + 8 * count, 0)
            count += 1
        store64(row, count)
        if count > 1:
            choosers |= 1 << player
    return choosers


@inner
def move_of(games, moves, player, k):
    """The k-th listed move of a player."""
    return load64(moves + player * games_at(games).row + 8 + 8 * k)


@inner
def advance_at_random(games, state, moves):
    """Play one tick in which everybody moves at random. OK or GROW."""
    g = games_at(games)
    for player in range(2):
        count = load64(moves + player * g.row)
        store64(g.joint + 8 * player, move_of(games, moves, player, next_int(g.rng, count) if count > 1 else 0))
    return advance_state(g.model, state, g.joint)


@inner
def advance_with(games, state, moves, player, move):
    """Play one tick in which a player makes a move and the other moves at random. OK or GROW."""
    g = games_at(games)
    count = load64(moves + (1 - player) * g.row)
    other = move_of(games, moves, 1 - player, next_int(g.rng, count) if count > 1 else 0)
    store64(g.joint + 8 * player, move)
    store64(g.joint + 8 * (1 - player), other)
    return advance_state(g.model, state, g.joint)


@inner
def worth(games, state, player):
    """What a state is worth to a player: 1 won, 0 lost, goal values between, 1/2 while nothing is decided."""
    g = games_at(games)
    if is_over(g.model, state) == 1 and g.goals == 1:
        return score(g.model, state, player) / 100.0
    result = outcome(g.model, state, player)
    return 1.0 if result == WON else 0.0 if result == LOST else 0.5


@inner
def other_can_win(games, player):
    """1 when the other, alone with a choice in the state `after`, can win at once; 0 if not; -1 for GROW."""
    g = games_at(games)
    if is_over(g.model, g.after) == 1:
        return 0
    if list_moves(games, g.after, g.others) != 1 << (1 - player):
        return 0
    for k in range(load64(g.others + (1 - player) * g.row)):
        if copy_state(g.model, g.reply, g.after) == GROW:
            return -1
        if advance_with(games, g.reply, g.others, 1 - player, move_of(games, g.others, 1 - player, k)) == GROW:
            return -1
        if is_over(g.model, g.reply) == 1 and outcome(g.model, g.reply, 1 - player) == WON:
            return 1
    return 0


@inner
def playout(games, player):
    """Worth, to a player, of the end of random play from the state `after`; -1 for GROW."""
    g = games_at(games)
    if copy_state(g.model, g.reply, g.after) == GROW:
        return -1.0
    ticks = 0
    while ticks < g.horizon and is_over(g.model, g.reply) == 0:
        list_moves(games, g.reply, g.others)
        if advance_at_random(games, g.reply, g.others) == GROW:
            return -1.0
        ticks += 1
    return worth(games, g.reply, player)


@inner
def look_ahead(games, player, count, choosers):
    """Value every move by its next moment: 1 wins at once, 0 loses at once or lets the other, else 1/2. OK or GROW."""
    g = games_at(games)
    lost = 0
    open_to_win = 0
    for k in range(count):
        value = EVEN
        if copy_state(g.model, g.after, g.state) == GROW:
            return GROW
        if advance_with(games, g.after, g.moves, player, move_of(games, g.moves, player, k)) == GROW:
            return GROW
        if is_over(g.model, g.after) == 1:
            value = worth(games, g.after, player)
            lost += 1 if value < EVEN else 0
        elif choosers == 1 << player:
            found = other_can_win(games, player)
            if found < 0:
                return GROW
            if found == 1:
                value = 0.0
                open_to_win += 1
        store_double(g.values + 8 * k, value)
    g.danger = g.danger + 1.0 * lost / count
    if open_to_win > 0:
        g.threats = g.threats + 1.0
    return OK


@inner
def sample_moves(games, player, count):
    """Value some of the moves that are neither won nor lost at once by playouts; -1 for the others. OK or GROW."""
    g = games_at(games)
    s = seat_at(g.seats + SEAT_BYTES * player)
    best = 0.0
    left = 0
    for k in range(count):
        value = load_double(g.values + 8 * k)
        best = value if value > best else best
    for k in range(count):
        left += 1 if load_double(g.values + 8 * k) == best else 0
    wanted = s.considered
    for k in range(count):
        value = load_double(g.values + 8 * k)
        if value < best:
            store_double(g.values + 8 * k, -1.0)
            continue
        # a sample without replacement: each with the chance that the rest of the sample still needs it
        take = 1 if next_int(g.rng, left) < wanted else 0
        left -= 1
        if take == 0:
            store_double(g.values + 8 * k, -1.0)
            continue
        wanted -= 1
        if best > EVEN or best < EVEN or s.samples == 0:
            continue
        total = 0.0
        for _ in range(s.samples):
            if copy_state(g.model, g.after, g.state) == GROW:
                return GROW
            if advance_with(games, g.after, g.moves, player, move_of(games, g.moves, player, k)) == GROW:
                return GROW
            result = playout(games, player)
            if result < 0.0:
                return GROW
            total += result
        store_double(g.values + 8 * k, total / s.samples)
    return OK


@inner
def draw_move(games, player, count):
    """Draw a move by the values of those that were considered; keeps their best as the estimate."""
    g = games_at(games)
    s = seat_at(g.seats + SEAT_BYTES * player)
    total = 0.0
    best = 0.0
    for k in range(count):
        value = load_double(g.values + 8 * k)
        if value < 0.0:
            continue
        best = value if value > best else best
        chance = 1.0
        for _ in range(s.sharpness):
            chance = chance * (value + 0.02)
        total += chance
    rest = next_double(g.rng) * total
    pick = 0
    part = 0.0
    for k in range(count):
        value = load_double(g.values + 8 * k)
        if value < 0.0:
            continue
        chance = 1.0
        for _ in range(s.sharpness):
            chance = chance * (value + 0.02)
        pick = k
        part = chance
        rest -= chance
        if rest < 0.0:
            break
    g.focus = g.focus + part / total
    g.estimate = best if player == 0 else 1.0 - best
    return pick


@inner
def choose(games, player, choosers):
    """Let a player with a choice decide. OK or GROW."""
    g = games_at(games)
    s = seat_at(g.seats + SEAT_BYTES * player)
    count = load64(g.moves + player * g.row)
    k = 0
    g.decisions = g.decisions + 1
    if s.looks == 0:
        k = next_int(g.rng, count)
    else:
        if look_ahead(games, player, count, choosers) == GROW or sample_moves(games, player, count) == GROW:
            return GROW
        k = draw_move(games, player, count)
        lapse = s.lapse
        if load_double(g.values + 8 * k) == 1.0:
            lapse = lapse * OVERSIGHT
        if next_double(g.rng) < lapse:
            k = next_int(g.rng, count)
    store64(g.picked + 8 * player, move_of(games, g.moves, player, k))
    return OK


@inner
def play_game(games, out):
    """Play one game and write a row of results. OK or GROW."""
    g = games_at(games)
    if copy_state(g.model, g.state, g.root) == GROW:
        return GROW
    g.decisions = 0
    g.threats = 0.0
    g.danger = 0.0
    g.focus = 0.0
    ticks = 0
    lead = -1
    changes = 0
    behind0 = 0
    behind1 = 0
    while ticks < g.horizon and is_over(g.model, g.state) == 0:
        choosers = list_moves(games, g.state, g.moves)
        g.estimate = -1.0
        for player in range(2):
            store64(g.picked + 8 * player, move_of(games, g.moves, player, 0))
            if (choosers >> player) & 1 == 1 and choose(games, player, choosers) == GROW:
                return GROW
        if advance_state(g.model, g.state, g.picked) == GROW:
            return GROW
        ticks += 1
        now = lead
        if g.estimate > EVEN + LEAD:
            now = 0
        elif 0.0 <= g.estimate < EVEN - LEAD:
            now = 1
        changes += 1 if lead >= 0 and now != lead else 0
        lead = now
        behind0 += 1 if lead == 1 else 0
        behind1 += 1 if lead == 0 else 0
    winner = -1
    for player in range(2):
        if is_over(g.model, g.state) == 1 and outcome(g.model, g.state, player) == WON:
            winner = player if winner < 0 else -1
    behind = 0
    if winner >= 0:
        behind = behind0 if winner == 0 else behind1
    turns = g.decisions if g.decisions > 0 else 1
    store_double(out + 8 * WINNER, 1.0 * winner)
    store_double(out + 8 * PLIES, 1.0 * g.decisions)
    store_double(out + 8 * THREATS, g.threats / turns)
    store_double(out + 8 * DANGER, g.danger / turns)
    store_double(out + 8 * CHANGES, 1.0 * changes)
    store_double(out + 8 * BEHIND, 1.0 * behind / (ticks if ticks > 0 else 1))
    store_double(out + 8 * FOCUS, g.focus / turns)
    return OK


@entry_point("i8(i8, i8, i8)")
def play_board_games(games, count, out):
    """Play `count` games into float64 out[count, FIELDS], as `line_player.play_games` does; plies count decisions.

    Returns OK, or GROW when a block of states was too small.
    """
    for k in range(count):
        if play_game(games, out + 8 * FIELDS * k) == GROW:
            return GROW
    return OK
