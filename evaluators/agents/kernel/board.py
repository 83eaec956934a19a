"""Playouts of games for any number of players, and the flat Monte-Carlo player that needs nothing else.

What is common to the agents for boards: every player moves at random among its own legal moves, whoever else moves at
the same time, and the end is worth something between 0 and 1 to each of them. The agents of single players' video games
(`kernel.mcts`) see the others as part of the world instead.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    WON,
    advance_state,
    is_over,
    legal_actions,
    may_wait,
    outcome,
    score,
    work_of,
)
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    entry_point,
    inner,
    load64,
    load_double,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import NIL, count_call, decision_at, imagine

BOARD = np.dtype(
    [
        ("moves", "i8"),  # int64[players][max_actions + 1]: the legal moves in the state at hand
        ("row", "i8"),  # bytes of a player's row of it
        ("counts", "i8"),  # int64[players]: how many there are
        ("rewards", "i8"),  # float64[players]: what the end of the last playout is worth
        ("horizon", "i8"),  # ticks after which a playout is broken off, 0: never
        ("payoff", "i8"),  # GOALS, OUTCOME or SCORE
        ("playouts", "i8"),  # of a decision, after which no further one starts; 0: the budget alone decides
        ("done", "i8"),  # playouts of the current decision
        ("visits", "i8"),  # flat: float64[max_actions + 1], playouts by own move
        ("total", "i8"),  # flat: float64[max_actions + 1], sum of their rewards
    ],
    align=True,
)

board_at = view_of(BOARD)

GOALS, OUTCOME, SCORE = 0, 1, 2
"""What an end is worth: its score / 100; won 1, lost 0, else 1/2; or the outcome, and more with a higher score."""


@inner
def list_moves(decision: int, board: int, state: int) -> int:
    """Write every player's moves; returns in bits which players have a choice.

    As for `own_actions`, NIL is the last move of everybody in games of several players unless one has to move. In
    rule sheets it stands for one of the legal moves, which the model then does not list.
    """
    d = decision_at(decision)
    b = board_at(board)
    choosers = 0
    for player in range(d.players):
        row = b.moves + player * b.row
        count = legal_actions(d.model, state, player, row)
        if count == 0 or (d.players > 1 and may_wait(d.model, count) == 1):
            store64(row + 8 * count, NIL)
            count += 1
        store64(b.counts + 8 * player, count)
        if count > 1:
            choosers |= 1 << player
    return choosers


@inner
def draw_joint(decision: int, board: int) -> None:
    """Let every player choose among the listed moves at random; what is forced takes no draw."""
    d = decision_at(decision)
    b = board_at(board)
    for player in range(d.players):
        count = load64(b.counts + 8 * player)
        k = 0
        if count > 1:
            k = next_int(decision, count)
        store64(d.joint + 8 * player, load64(b.moves + player * b.row + 8 * k))


@inner
def play_joint(decision: int, state: int) -> int:
    """Simulate one tick with the joint move in `joint`. OK or GROW."""
    d = decision_at(decision)
    count_call(decision)
    status = advance_state(d.model, state, d.joint)
    if d.allowance != 0:
        d.toil = d.toil + work_of(d.model, state)
        if d.toil >= d.allowance:
            d.budget = min(d.budget, d.calls)
    return status


@inner
def worth(decision: int, board: int, state: int, player: int) -> float:
    """What a state is worth to a player as an end, from 0 to 1."""
    d = decision_at(decision)
    payoff = board_at(board).payoff
    if payoff == GOALS:
        return score(d.model, state, player) / 100.0
    result = outcome(d.model, state, player)
    value = 0.5
    if result == WON:
        value = 1.0
    elif result == LOST:
        value = 0.0
    if payoff == SCORE:
        points = score(d.model, state, player)
        value = 0.5 * value + 0.25 + 0.25 * points / (10.0 + abs(points))
    return value


@inner
def finish_playout(decision: int, board: int, state: int) -> int:
    """Play at random to the end and write what it is worth to each player to `rewards`. OK or GROW.

    No further than the budget lasts: there are games that never end.
    """
    d = decision_at(decision)
    b = board_at(board)
    ticks = 0
    while (b.horizon == 0 or ticks < b.horizon) and d.calls < d.budget and is_over(d.model, state) == 0:
        list_moves(decision, board, state)
        draw_joint(decision, board)
        if play_joint(decision, state) == GROW:
            return GROW
        ticks += 1
    for player in range(d.players):
        store_double(b.rewards + 8 * player, worth(decision, board, state, player))
    b.done = b.done + 1
    return OK


@inner
def goes_on(decision: int, board: int) -> int:
    """1 while the budget allows another playout."""
    d = decision_at(decision)
    b = board_at(board)
    if d.calls >= d.budget or (b.playouts > 0 and b.done >= b.playouts):
        return 0
    return 1


@inner
def begin_decision(decision: int, board: int, state: int) -> int:
    """Start counting and list the moves; returns 1 when there is something to decide, else the answer is chosen."""
    d = decision_at(decision)
    b = board_at(board)
    if d.resume == 0:
        d.calls = 0
        b.done = 0
    d.chosen = NIL
    if is_over(d.model, state) != 0:
        return 0
    list_moves(decision, board, state)
    d.chosen = load64(b.moves + d.player * b.row)
    return 1 if load64(b.counts + 8 * d.player) > 1 else 0


# --- flat Monte-Carlo -------------------------------------------------------------------------------------------------


@inner
def sample(decision: int, state: int, k: int) -> int:
    """One random playout after the player's k-th move. OK or GROW."""
    d = decision_at(decision)
    board = d.search
    b = board_at(board)
    if imagine(decision, d.work, state) == GROW:
        return GROW
    list_moves(decision, board, d.work)
    draw_joint(decision, board)
    store64(d.joint + 8 * d.player, load64(b.moves + d.player * b.row + 8 * k))
    if play_joint(decision, d.work) == GROW or finish_playout(decision, board, d.work) == GROW:
        return GROW
    store_double(b.visits + 8 * k, load_double(b.visits + 8 * k) + 1.0)
    store_double(b.total + 8 * k, load_double(b.total + 8 * k) + load_double(b.rewards + 8 * d.player))
    return OK


@entry_point("i8(i8, i8)")
def decide_flat(decision: int, state: int) -> int:
    """Playouts of the own moves in turn; the best mean, of equal ones the first. OK or GROW."""
    d = decision_at(decision)
    b = board_at(d.search)
    if begin_decision(decision, d.search, state) == 0:
        return OK
    count = load64(b.counts + 8 * d.player)
    if d.resume == 0:
        for k in range(count):
            store_double(b.visits + 8 * k, 0.0)
            store_double(b.total + 8 * k, 0.0)
    while goes_on(decision, d.search) == 1:
        if sample(decision, state, b.done % count) == GROW:
            return GROW
    best = -1.0
    choice = 0
    for k in range(count):
        visits = load_double(b.visits + 8 * k)
        if visits > 0.0:
            value = load_double(b.total + 8 * k) / visits
            if value > best:
                best = value
                choice = k
    list_moves(decision, d.search, state)
    d.chosen = load64(b.moves + d.player * b.row + 8 * choice)
    return OK
