"""Novices at any game of two players: flat players that know the rules alone, and whole games between two of them.

A player who looks ahead takes a move that wins at once and avoids moves that lose at once. Of the others it considers
some: where the players move in turn it shuns those after which the other can win at once and thinks of the other's
winning moves too; the rest it values by a few random playouts each, of some fifty ticks, and draws one with a chance
that grows with its value. Now and then it moves anywhere. Everything goes through the forward-model protocol, so bit
boards and rule sheets are played alike.

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
        ("depth", "i8"),  # ticks after which a playout is broken off
        ("goals", "i8"),  # 1: scores are goal values from 0 to 100
        ("decisions", "i8"),  # results of the game at hand: turns with a choice
        ("threats", "f8"),
        ("danger", "f8"),
        ("focus", "f8"),
        ("estimate", "f8"),  # what the moves of the last choice were worth to the first player, 0 to 1
    ],
    align=True,
)

SEAT_BYTES = SEAT.itemsize
EVEN, LEAD = 0.5, 0.08
"""Value of an even game, and how far it must be from that to be a lead."""
PENDING, LEFT_OUT = 2.0, -1.0
"""In the place of the value of a move: to be valued, and not considered."""
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
    """Return the value of a state to a player: 1 won, 0 lost, goal values between, 1/2 while nothing is decided."""
    g = games_at(games)
    if is_over(g.model, state) == 1 and g.goals == 1:
        return score(g.model, state, player) / 100.0
    result = outcome(g.model, state, player)
    return 1.0 if result == WON else 0.0 if result == LOST else 0.5


@inner
def winning_answer(games, player):
    """1 + the code of a move by which the other, alone with a choice in the state `after`, wins at once.

    0 where there is none, -1 for GROW.
    """
    g = games_at(games)
    if is_over(g.model, g.after) == 1:
        return 0
    if list_moves(games, g.after, g.others) != 1 << (1 - player):
        return 0
    for k in range(load64(g.others + (1 - player) * g.row)):
        answer = move_of(games, g.others, 1 - player, k)
        if copy_state(g.model, g.reply, g.after) == GROW:
            return -1
        if advance_with(games, g.reply, g.others, 1 - player, answer) == GROW:
            return -1
        if is_over(g.model, g.reply) == 1 and outcome(g.model, g.reply, 1 - player) == WON:
            return 1 + answer
    return 0


@inner
def playout(games, player):
    """Worth, to a player, of some ticks of random play from the state `after`; -1 for GROW."""
    g = games_at(games)
    if copy_state(g.model, g.reply, g.after) == GROW:
        return -1.0
    ticks = 0
    while ticks < g.depth and is_over(g.model, g.reply) == 0:
        list_moves(games, g.reply, g.others)
        if advance_at_random(games, g.reply, g.others) == GROW:
            return -1.0
        ticks += 1
    return worth(games, g.reply, player)


@inner
def look_ahead(games, player, count):
    """Value every move by what it does at once: 1 wins, 0 loses, else 1/2. OK or GROW."""
    g = games_at(games)
    lost = 0
    for k in range(count):
        value = EVEN
        if copy_state(g.model, g.after, g.state) == GROW:
            return GROW
        if advance_with(games, g.after, g.moves, player, move_of(games, g.moves, player, k)) == GROW:
            return GROW
        if is_over(g.model, g.after) == 1:
            value = worth(games, g.after, player)
            lost += 1 if value < EVEN else 0
        store_double(g.values + 8 * k, value)
    g.danger = g.danger + 1.0 * lost / count
    return OK


@inner
def value_move(games, player, k, choosers):
    """Value a move by the other's answers and by playouts. 1 + the code of an answer that wins, 0, or -1 for GROW."""
    g = games_at(games)
    s = seat_at(g.seats + SEAT_BYTES * player)
    move = move_of(games, g.moves, player, k)
    if choosers == 1 << player:
        if copy_state(g.model, g.after, g.state) == GROW:
            return -1
        if advance_with(games, g.after, g.moves, player, move) == GROW:
            return -1
        answer = winning_answer(games, player)
        if answer != 0:
            store_double(g.values + 8 * k, 0.0)
            return answer
    total = 0.0
    for _ in range(s.samples):
        if copy_state(g.model, g.after, g.state) == GROW:
            return -1
        if advance_with(games, g.after, g.moves, player, move) == GROW:
            return -1
        result = playout(games, player)
        if result < 0.0:
            return -1
        total += result
    store_double(g.values + 8 * k, total / s.samples)
    return 0


@inner
def pick_moves(games, player, count, best):
    """Mark the moves that are considered, a sample of those of the best value, as PENDING, the others as LEFT_OUT."""
    g = games_at(games)
    left = 0
    for k in range(count):
        left += 1 if load_double(g.values + 8 * k) == best else 0
    wanted = seat_at(g.seats + SEAT_BYTES * player).considered
    for k in range(count):
        mark = LEFT_OUT
        if load_double(g.values + 8 * k) == best:
            # without replacement: each with the chance that the rest of the sample still needs it
            if next_int(g.rng, left) < wanted:
                mark = PENDING
                wanted -= 1
            left -= 1
        store_double(g.values + 8 * k, mark)


@inner
def value_moves(games, player, count, choosers):
    """Value the moves that are considered; where the other threatens to win, also its winning moves. OK or GROW.

    In games of placing pieces the move that wins for one is the move that stops it for the other.
    """
    g = games_at(games)
    best = 0.0
    for k in range(count):
        value = load_double(g.values + 8 * k)
        best = value if value > best else best
    pick_moves(games, player, count, best)
    threatened = 0
    pending = 1
    while pending == 1:
        pending = 0
        for k in range(count):
            if load_double(g.values + 8 * k) != PENDING:
                continue
            if best != EVEN:
                store_double(g.values + 8 * k, best)
                continue
            answer = value_move(games, player, k, choosers)
            if answer < 0:
                return GROW
            if answer > 0:
                threatened = 1
                for j in range(count):
                    if move_of(games, g.moves, player, j) == answer - 1 and load_double(g.values + 8 * j) == LEFT_OUT:
                        store_double(g.values + 8 * j, PENDING)
                        pending = 1
    g.threats = g.threats + threatened
    return OK


@inner
def draw_move(games, player, count):
    """Draw a move by the values of those that were considered; keeps their mean as the estimate.

    Not their best: the best of a few noisy values flatters whoever is to move.
    """
    g = games_at(games)
    s = seat_at(g.seats + SEAT_BYTES * player)
    total = 0.0
    worth_of_all = 0.0
    considered = 0
    for k in range(count):
        value = load_double(g.values + 8 * k)
        if value == LEFT_OUT:
            continue
        worth_of_all += value
        considered += 1
        chance = 1.0
        for _ in range(s.sharpness):
            chance = chance * (value + 0.02)
        total += chance
    rest = next_double(g.rng) * total
    pick = 0
    part = 0.0
    for k in range(count):
        value = load_double(g.values + 8 * k)
        if value == LEFT_OUT:
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
    mean = worth_of_all / considered
    g.estimate = mean if player == 0 else 1.0 - mean
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
        if look_ahead(games, player, count) == GROW or value_moves(games, player, count, choosers) == GROW:
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
