"""The shell of every compiled agent: the record of one decision, and one simulated tick.

A `DECISION` record is an agent as a kernel sees it: its game model, its own random stream, its budget, and the address
of the entry point that decides. It knows nothing of any particular search. Agents see copies of the real state with
random streams of their own (`imagine`): what will really happen stays hidden from them, as in the competitions
(reference/agents 11.2).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import (
    GROW,
    advance_state,
    copy_state,
    is_over,
    legal_actions,
    may_wait,
    reseed,
    work_of,
)
from pcg.engine.kernel.random import next_bits, next_double, next_int
from pcg.engine.kernel.runtime import call2, entry_point, inlined, inner, load64, processor_time, store64, view_of

NIL = 0
"""Code of the action that does nothing, in every engine."""

EPSILON = 1e-6
"""Size of the noise that breaks ties (reference/agents 11.2)."""

LOOK_AT_CLOCK = 4
"""Simulated ticks between two looks at the clock, which take as long as a quick tick."""

DECISION = np.dtype(
    [
        ("random", "i8"),  # the agent's java.util.Random; first, so that the record's address is the stream's
        ("model", "i8"),  # address of the MODEL record
        ("player", "i8"),  # whom the agent plays
        ("players", "i8"),
        ("decide", "i8"),  # address of an entry point i8(decision, state)
        ("heuristic", "i8"),  # address of an entry point f8(decision, state); 0: none
        ("budget", "i8"),  # forward-model calls (advances) after which no further iteration starts
        ("deadline", "i8"),  # processor time of the thread (ns) at which the budget counts as spent; 0: none
        ("allowance", "i8"),  # work of simulated ticks after which the budget counts as spent; 0: none
        ("toil", "i8"),  # work of the ticks simulated so far, counted while there is an allowance
        ("calls", "i8"),  # spent on the current decision
        ("spent", "i8"),  # spent on all decisions since the last reset
        ("resume", "i8"),  # 1: continue the search of the previous call instead of starting a new one
        ("chosen", "i8"),  # the answer: an action code
        ("joint", "i8"),  # int64[players]: the joint action of a simulated tick
        ("own", "i8"),  # int64[max_actions + 1]: the own actions in the state at hand
        ("slot", "i8"),  # int64[max_actions + 1]: scratch, one entry per own action
        ("other", "i8"),  # int64[max_actions + 1]: the actions of another player
        ("work", "i8"),  # address of a state block for simulations
        ("search", "i8"),  # address of the record of the agent's own kernel
        ("kinds", "i8"),  # int64[kind_count]: category id of each pair of features (`kernel.heuristics`)
        ("kind_count", "i8"),
        ("features", "i8"),  # float64[2 * kind_count]: scratch
        ("weights", "i8"),  # float64[2 * kind_count]: of the features, for `heuristics.weighted_features`
        ("field", "i8"),  # address of a DISTANCE_FIELD or PAIR_DISTANCES record, 0: none
    ],
    align=True,
)

decision_at = view_of(DECISION)


@inner
def take_decision(decision: int, state: int) -> int:
    """Let the agent decide about `state`; the answer is in `chosen`. GROW leaves the random stream as it was."""
    d = decision_at(decision)
    before = load64(decision)
    spent = d.spent - d.calls * d.resume  # a resumed search has reported its earlier calls already
    status = call2(d.decide, decision, state)
    if status == GROW:
        store64(decision, before)
    else:
        d.spent = spent + d.calls
    return status


@entry_point("i8(i8, i8)")
def decide(decision: int, state: int) -> int:
    """Let the agent decide about the state: OK or GROW."""
    return take_decision(decision, state)


@inner
def begin_decision(decision: int, state: int) -> int:
    """Choose NIL for now, and count calls from 0 unless a search is resumed; returns 1 while the game goes on."""
    d = decision_at(decision)
    if d.resume == 0:
        d.calls = 0
    d.chosen = NIL
    return 1 - is_over(d.model, state)


@inlined
def with_waiting(model: int, players: int, actions: int, count: int) -> int:
    """Append NIL to `count` available actions of one's own where it is a choice; returns how many there are then."""
    if count == 0 or (players > 1 and may_wait(model, count) == 1):
        store64(actions + 8 * count, NIL)
        count += 1
    return count


@inner
def own_actions(decision: int, state: int) -> int:
    """Write the player's actions in a game that goes on to `own`; returns how many (at least one).

    One player: the available actions; several: NIL is the last of them, unless a player who can move has to. A player
    who cannot act does nothing.
    """
    d = decision_at(decision)
    return with_waiting(d.model, d.players, d.own, legal_actions(d.model, state, d.player, d.own))


@inner
def actions_left(decision: int, state: int) -> int:
    """Write the player's actions to `own` as `own_actions` does; returns how many, 0 when the game is over."""
    d = decision_at(decision)
    count = legal_actions(d.model, state, d.player, d.own)
    if count == 0 and is_over(d.model, state) != 0:
        return 0
    return with_waiting(d.model, d.players, d.own, count)


@inner
def actions_of(decision: int, state: int, player: int) -> int:
    """Write what any player can do to `other`, NIL last where it is possible; returns how many (at least one)."""
    d = decision_at(decision)
    count = legal_actions(d.model, state, player, d.other)
    if may_wait(d.model, count) == 1:
        store64(d.other + 8 * count, NIL)
        count += 1
    return count


@inlined
def count_call(decision: int) -> None:
    """Count a simulated tick; when it is time, the rest of the budget is gone."""
    d = decision_at(decision)
    d.calls = d.calls + 1
    if d.deadline != 0 and d.calls % LOOK_AT_CLOCK == 0 and processor_time() >= d.deadline:
        d.budget = min(d.budget, d.calls)


@inner
def advance_joint(decision: int, state: int) -> int:
    """Simulate one tick with the joint action in `joint`, at the cost of a call and its work. OK or GROW."""
    d = decision_at(decision)
    count_call(decision)
    status = advance_state(d.model, state, d.joint)
    if d.allowance != 0:
        d.toil = d.toil + work_of(d.model, state)
        if d.toil >= d.allowance:
            d.budget = min(d.budget, d.calls)
    return status


@inner
def step(decision: int, state: int, action: int) -> int:
    """Simulate a tick with the player's action; the other players draw theirs (reference/agents 11.7). OK or GROW."""
    d = decision_at(decision)
    for player in range(d.players):
        choice = action
        if player != d.player:
            count = actions_of(decision, state, player)
            choice = load64(d.other + 8 * next_int(decision, count))
        store64(d.joint + 8 * player, choice)
    return advance_joint(decision, state)


@inner
def imagine(decision: int, to: int, state: int) -> int:
    """Copy the state and give the copy a random stream of its own. OK or GROW."""
    d = decision_at(decision)
    status = copy_state(d.model, to, state)
    seed = next_bits(decision, 32) << 16
    reseed(d.model, to, seed + next_bits(decision, 16))
    return status


@entry_point("i8(i8, i8, i8)")
def imagine_state(decision: int, to: int, state: int) -> int:
    """`imagine`, for Python."""
    return imagine(decision, to, state)


@inner
def noise(decision: int, value: float) -> float:
    """The value, disturbed by a millionth to break ties."""
    return (value + EPSILON) * (1.0 + EPSILON * (next_double(decision) - 0.5))
