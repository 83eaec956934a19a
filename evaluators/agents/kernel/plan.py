"""Plans: sequences of genes that stand for actions, and playing them on simulated states.

A gene is a large random number, taken modulo the number of actions in the state where it is played, so a plan makes
sense wherever the list of actions depends on the state. A negative gene -1 - c names action code c. A gene lasts for
`macro` ticks (macro-actions: Perez et al., Rolling Horizon Evolution versus Tree Search, 2013).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.exponents import power
from pcg.engine.kernel.protocol import GROW, is_over, legal_actions, may_wait
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import call2_double, inner, load64, store64, view_of
from pcg.evaluators.agents.kernel.decision import NIL, advance_joint, decision_at

GENES = 1 << 20
"""Random genes lie below; so far above any number of actions that the modulus is even."""

RETRIED, DECIDED, FIRST_DECISION = 0, 1, 2
"""State at the start of a decision: it is made again, the one before was made, it is the first since a reset."""

PLANS = np.dtype(
    [
        ("length", "i8"),  # genes of a plan
        ("macro", "i8"),  # ticks that a gene lasts
        ("idle", "i8"),  # 1: NIL is an action among the others
        ("rival", "i8"),  # the player whose actions may be planned too
        ("discount", "f8"),  # of the value, per tick simulated
        ("trace", "i8"),  # int64[length]: action codes of the plan played last
        ("traced", "i8"),  # how many
    ],
    align=True,
)

plans_at = view_of(PLANS)


@inner
def random_gene(decision: int) -> int:
    """Any gene."""
    return next_int(decision, GENES)


@inner
def choices(decision: int, plans: int, state: int, player: int, out: int) -> int:
    """Write the actions that a gene of the player chooses from to `out`; returns how many (at least one)."""
    d = decision_at(decision)
    count = legal_actions(d.model, state, player, out)
    if (count == 0 or d.players > 1 or plans_at(plans).idle == 1) and may_wait(d.model, count) == 1:
        store64(out + 8 * count, NIL)
        count += 1
    return count


@inner
def action_of(decision: int, plans: int, state: int, player: int, gene: int) -> int:
    """The action code that a gene of the player's plan stands for."""
    if gene < 0:
        return -1 - gene
    d = decision_at(decision)
    count = choices(decision, plans, state, player, d.other)
    return load64(d.other + 8 * (gene % count))


@inner
def tick(decision: int, plans: int, state: int, action: int, reply: int) -> int:
    """Play one tick: the action, the rival's `reply` (-1: drawn), and drawn actions of all others. OK or GROW."""
    d = decision_at(decision)
    p = plans_at(plans)
    for player in range(d.players):
        choice = action
        if player != d.player:
            choice = reply
            if player != p.rival or reply < 0:
                choice = action_of(decision, plans, state, player, random_gene(decision))
        store64(d.joint + 8 * player, choice)
    return advance_joint(decision, state)


@inner
def repeat(decision: int, plans: int, state: int, action: int, reply: int, ticks: int) -> int:
    """Play so many ticks alike, or until the game ends; returns the number played, -1 when the memory must grow."""
    d = decision_at(decision)
    played = 0
    while played < ticks and is_over(d.model, state) == 0:
        if tick(decision, plans, state, action, reply) == GROW:
            return -1
        played += 1
    return played


@inner
def play_plan(decision: int, plans: int, state: int, genes: int, replies: int) -> int:
    """Play the plan at address `genes` on the state, against the rival's plan at `replies` (0: drawn).

    Returns the ticks played, -1 when the memory must grow; the actions are in `trace`.
    """
    d = decision_at(decision)
    p = plans_at(plans)
    played = 0
    p.traced = 0
    while p.traced < p.length and is_over(d.model, state) == 0:
        action = action_of(decision, plans, state, d.player, load64(genes + 8 * p.traced))
        reply = -1
        if replies != 0:
            reply = action_of(decision, plans, state, p.rival, load64(replies + 8 * p.traced))
        store64(p.trace + 8 * p.traced, action)
        p.traced = p.traced + 1
        ticks = repeat(decision, plans, state, action, reply, p.macro)
        if ticks < 0:
            return -1
        played += ticks
    return played


@inner
def play_at_random(decision: int, plans: int, state: int, ticks: int) -> int:
    """Random actions for so many ticks or to the end; returns the ticks played, -1 when the memory must grow."""
    d = decision_at(decision)
    played = 0
    while played < ticks and is_over(d.model, state) == 0:
        action = action_of(decision, plans, state, d.player, random_gene(decision))
        if tick(decision, plans, state, action, -1) == GROW:
            return -1
        played += 1
    return played


@inner
def judge(decision: int, plans: int, state: int, player: int, ticks: int) -> float:
    """Return the heuristic value of the state for one of the players, discounted by the ticks that led to it."""
    d = decision_at(decision)
    own = d.player
    d.player = player
    value = call2_double(d.heuristic, decision, state)
    d.player = own
    discount = plans_at(plans).discount
    if discount != 1.0:
        value *= power(discount, 1.0 * ticks)
    return value
