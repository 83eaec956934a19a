"""Random playouts of whole games for any number of players, who move one after the other or at once.

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
    is_over,
    legal_actions,
    may_wait,
    outcome,
    score,
)
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import (
    inner,
    load64,
    store64,
    store_double,
    view_of,
)
from pcg.evaluators.agents.kernel.decision import NIL, advance_joint, begin_decision, decision_at

JOINT_PLAYOUT = np.dtype(
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

playout_at = view_of(JOINT_PLAYOUT)

GOALS, OUTCOME, SCORE = 0, 1, 2
"""Value of an end: its score / 100; won 1, lost 0, else 1/2; or the outcome, and more with a higher score."""


@inner
def list_moves(decision: int, playout: int, state: int) -> int:
    """Write every player's moves; returns in bits which players have a choice.

    As for `own_actions`, NIL is the last move of everybody in games of several players unless one has to move. In
    rule sheets it stands for one of the legal moves, which the model then does not list.
    """
    d = decision_at(decision)
    b = playout_at(playout)
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
def draw_joint(decision: int, playout: int) -> None:
    """Let every player choose among the listed moves at random; what is forced takes no draw."""
    d = decision_at(decision)
    b = playout_at(playout)
    for player in range(d.players):
        count = load64(b.counts + 8 * player)
        k = 0
        if count > 1:
            k = next_int(decision, count)
        store64(d.joint + 8 * player, load64(b.moves + player * b.row + 8 * k))


@inner
def worth(decision: int, playout: int, state: int, player: int) -> float:
    """Return the value of a final state for a player, in [0, 1]."""
    d = decision_at(decision)
    payoff = playout_at(playout).payoff
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
def finish_playout(decision: int, playout: int, state: int) -> int:
    """Play at random to the end and write what it is worth to each player to `rewards`. OK or GROW.

    No further than the budget lasts: there are games that never end.
    """
    d = decision_at(decision)
    b = playout_at(playout)
    ticks = 0
    while (b.horizon == 0 or ticks < b.horizon) and d.calls < d.budget and is_over(d.model, state) == 0:
        list_moves(decision, playout, state)
        draw_joint(decision, playout)
        if advance_joint(decision, state) == GROW:
            return GROW
        ticks += 1
    for player in range(d.players):
        store_double(b.rewards + 8 * player, worth(decision, playout, state, player))
    b.done = b.done + 1
    return OK


@inner
def goes_on(decision: int, playout: int) -> int:
    """1 while the budget allows another playout."""
    d = decision_at(decision)
    b = playout_at(playout)
    if d.calls >= d.budget or (b.playouts > 0 and b.done >= b.playouts):
        return 0
    return 1


@inner
def begin_choice(decision: int, playout: int, state: int) -> int:
    """Start counting and list the moves; returns 1 when there is something to decide, else the answer is chosen."""
    d = decision_at(decision)
    b = playout_at(playout)
    if d.resume == 0:
        b.done = 0
    if begin_decision(decision, state) == 0:
        return 0
    list_moves(decision, playout, state)
    d.chosen = load64(b.moves + d.player * b.row)
    return 1 if load64(b.counts + 8 * d.player) > 1 else 0
