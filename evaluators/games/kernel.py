"""One bounded play of a VGDL game by one agent, with what an evaluation needs noted on the way.

Like `agents.playout_kernel`, but for games nobody has written: what the play may cost is bounded in counts, never by a
clock, so that a play ends the same way everywhere. Instead of the events it notes which cells the avatar visits, how
often the score changes, how many sprites there are, and what the work was.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.layout import FIRED, context_at, state_at
from pcg.engine.kernel.protocol import (
    GROW,
    OK,
    advance_state,
    avatar_cell,
    copy_state,
    count_types,
    is_over,
    outcome,
    score,
    work_of,
)
from pcg.engine.kernel.runtime import entry_point, inner, load8, store8, store64, view_of
from pcg.evaluators.agents.kernel.decision import decision_at, take_decision

AGENT_GROW = 2
"""Answer of `play_trial` besides OK and GROW: the agent's memory is too small."""
BROKEN = 3
"""Another: the kernel has left a table, which only bounds checks find out, and which is a mistake of ours."""

WENT_ON, TICK_WORK, SPRITES, PLAY_WORK = 0, 1, 2, 3
"""Reasons that stop a play: nothing, too much work in a tick, too many sprites, too much work in all."""

TRIAL = np.dtype(
    [
        ("model", "i8"),
        ("game", "i8"),  # the CONTEXT
        ("agent", "i8"),  # address of the DECISION record
        ("live", "i8"),  # address of the state now
        ("next", "i8"),  # address of the block for the state after this tick
        ("max_ticks", "i8"),
        ("budget", "i8"),  # forward-model calls per decision
        ("allowance", "i8"),  # work that the play may cost, simulations included
        ("decided", "i8"),  # 1: the action of this tick is chosen already
        ("ticks", "i8"),  # ticks played
        ("actions", "i8"),  # int8[max_ticks]: what was played
        ("visited", "i8"),  # int8[cells]: where the avatar was, zeros at first
        # --- what comes out ---
        ("work", "i8"),  # of the ticks played; simulated ones are counted in the agent's record
        ("most", "i8"),  # most moving sprites at a time
        ("cells", "i8"),  # cells visited
        ("changes", "i8"),  # ticks that changed the score
        ("stop", "i8"),  # WENT_ON, TICK_WORK, SPRITES, PLAY_WORK
        ("over", "i8"),
        ("outcome", "i8"),
        ("score", "f8"),
        ("fired", "i8"),  # int8[n_effects]: 1 for every effect executed
        ("counts", "i8"),  # int32[n_types]: living sprites at the end
    ],
    align=True,
)

trial_at = view_of(TRIAL)


@inner
def visit(trial):
    """Note the cell of the avatar."""
    t = trial_at(trial)
    cell = avatar_cell(t.model, t.live, 0)
    if cell >= 0 and load8(t.visited + cell) == 0:
        store8(t.visited + cell, 1)
        t.cells += 1


@inner
def choose(trial):
    """Ask the agent for its action of this tick, with what is left of the allowance. OK or AGENT_GROW."""
    t = trial_at(trial)
    d = decision_at(t.agent)
    before = d.toil
    d.budget = t.budget
    d.allowance = t.allowance - t.work
    if take_decision(t.agent, t.live) == GROW:
        # the decision is made again, and must not cost twice
        d.toil = before
        return AGENT_GROW
    store8(t.actions + t.ticks, d.chosen)
    t.decided = 1
    return OK


@inner
def advance_trial(trial):
    """Play the chosen action on a copy and make the copy the live state. OK, GROW or BROKEN."""
    t = trial_at(trial)
    if copy_state(t.model, t.next, t.live) == GROW:
        return GROW
    d = decision_at(t.agent)
    # the record's scratch for joint actions is free between decisions
    store64(d.joint, load8(t.actions + t.ticks))
    status = advance_state(t.model, t.next, d.joint)
    if status != OK:
        return GROW if status == GROW else BROKEN
    if score(t.model, t.next, 0) != score(t.model, t.live, 0):
        t.changes += 1
    live = t.live
    t.live = t.next
    t.next = live
    s = state_at(t.live)
    t.work += work_of(t.model, t.live)
    if s.slots > t.most:
        t.most = s.slots
    g = context_at(t.game)
    if s.work > g.max_work:
        t.stop = SPRITES if s.slots >= g.max_moving else TICK_WORK
    return OK


@inner
def report(trial):
    """Write how the play has ended, which effects were executed, and what is left on the board."""
    t = trial_at(trial)
    t.over = is_over(t.model, t.live)
    t.outcome = outcome(t.model, t.live, 0)
    t.score = score(t.model, t.live, 0)
    flags = t.live + state_at(t.live).at_effects
    for e in range(context_at(t.game).n_effects):
        if load8(flags + e) & FIRED:
            store8(t.fired + e, 1)
    count_types(t.model, t.live, t.counts)


@entry_point("i8(i8)")
def play_trial(trial):
    """Play until the game ends, `max_ticks`, or a bound; after another answer than OK the play can go on."""
    t = trial_at(trial)
    if t.ticks == 0:
        visit(trial)
    while t.ticks < t.max_ticks and t.stop == WENT_ON and is_over(t.model, t.live) == 0:
        if t.work + decision_at(t.agent).toil >= t.allowance:
            t.stop = PLAY_WORK
            break
        status = OK
        if t.decided == 0:
            status = choose(trial)
        if status == OK:
            status = advance_trial(trial)
        if status != OK:
            return status
        t.decided = 0
        t.ticks += 1
        visit(trial)
    report(trial)
    return OK
