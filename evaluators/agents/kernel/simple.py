"""Agents without search: doing nothing, at random, and looking one tick ahead (reference/agents 11.3 and 11.4)."""

from __future__ import annotations

from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import call2_double, entry_point, load64
from pcg.evaluators.agents.kernel.decision import begin_decision, decision_at, imagine, noise, own_actions, step


@entry_point("i8(i8, i8)")
def decide_nothing(decision: int, state: int) -> int:
    """Always NIL."""
    begin_decision(decision, state)
    return OK


@entry_point("i8(i8, i8)")
def decide_random(decision: int, state: int) -> int:
    """One of the available actions, uniformly."""
    d = decision_at(decision)
    if begin_decision(decision, state) == 1:
        count = own_actions(decision, state)
        d.chosen = load64(d.own + 8 * next_int(decision, count))
    return OK


@entry_point("i8(i8, i8)")
def decide_onestep(decision: int, state: int) -> int:
    """The action whose next state the heuristic likes best, averaged over `search` simulations of it."""
    d = decision_at(decision)
    if begin_decision(decision, state) == 0:
        return OK
    d.calls = 0  # there is nothing to resume
    best = -1.0e300
    for k in range(own_actions(decision, state)):
        action = load64(d.own + 8 * k)
        value = 0.0
        for _ in range(d.search):
            if imagine(decision, d.work, state) == GROW or step(decision, d.work, action) == GROW:
                return GROW
            value += call2_double(d.heuristic, decision, d.work)
        value = noise(decision, value / d.search)
        if value > best:
            best = value
            d.chosen = action
    return OK
