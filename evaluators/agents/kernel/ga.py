"""A microbial genetic algorithm over plans, one pool per first action (reference/agents 11.10).

Two plans of an action's pool are played after that action; the worse takes over some genes of the better and mutates.
The action whose tournaments saw the best value is played. The pools stay for the whole game. Sources: Harvey, The
Microbial Genetic Algorithm, 2009; Perez Liebana et al., The 2014 General Video Game Playing Competition, 2016.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import GROW, OK, is_over
from pcg.engine.kernel.random import next_double, next_int
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
from pcg.evaluators.agents.kernel.decision import begin_decision, decision_at, imagine
from pcg.evaluators.agents.kernel.plan import (
    DECIDED,
    FIRST_DECISION,
    RETRIED,
    choices,
    judge,
    play_plan,
    random_gene,
    tick,
)

GA = np.dtype(
    [
        ("plans", "i8"),  # address of a PLANS record
        ("pools", "i8"),  # int64[1 + (max_actions + 1) * size * length]: number of pools, and their genes
        ("saved", "i8"),  # a copy: as it was at the start of the decision
        ("bytes", "i8"),  # size of the block
        ("size", "i8"),  # plans in a pool
        ("length", "i8"),  # genes of a plan
        ("recombination", "f8"),  # probability that the loser takes over a gene of the winner
        ("mutation", "f8"),  # probability that a gene of the loser is drawn anew
        ("sweeps", "i8"),  # bound of the tournaments in each pool per decision; 0: none
        ("best", "i8"),  # float64[max_actions + 1]: best value seen after each action
        ("turn", "i8"),  # tournaments of this decision
        ("pending", "i8"),  # RETRIED, DECIDED or FIRST_DECISION
        ("value", "f8"),  # of the last simulation
    ],
    align=True,
)

ga_at = view_of(GA)

_NOISE = 1e-5


@inner
def plan_at(decision: int, pool: int, k: int) -> int:
    """Address of the genes of plan k of a pool."""
    g = ga_at(decision_at(decision).search)
    return g.pools + 8 + 8 * g.length * (g.size * pool + k)


@inner
def begin(decision: int, count: int) -> None:
    """Start a decision among so many actions; pools made for another number of actions are drawn anew."""
    g = ga_at(decision_at(decision).search)
    if g.pending == RETRIED:
        copy_bytes(g.pools, g.saved, g.bytes)
    else:
        if g.pending == FIRST_DECISION:
            store64(g.pools, 0)
        copy_bytes(g.saved, g.pools, g.bytes)
    if load64(g.pools) != count:
        store64(g.pools, count)
        for k in range(count * g.size * g.length):
            store64(g.pools + 8 + 8 * k, random_gene(decision))
    for pool in range(count):
        store_double(g.best + 8 * pool, -1.0e300)
    g.turn = 0


@inner
def simulate(decision: int, state: int, action: int, genes: int) -> int:
    """Play an action and then a plan; what that was worth is in `value`. OK or GROW."""
    d = decision_at(decision)
    g = ga_at(d.search)
    if imagine(decision, d.work, state) == GROW or tick(decision, g.plans, d.work, action, -1) == GROW:
        return GROW
    played = play_plan(decision, g.plans, d.work, genes, 0)
    if played < 0:
        return GROW
    if is_over(d.model, d.work) != 0 and played > 0:
        played -= 1  # the tick that ends the game counts no longer
    g.value = judge(decision, g.plans, d.work, d.player, played)
    return OK


@inner
def infect(decision: int, winner: int, loser: int) -> None:
    """Let the plan at `loser` take over genes of the plan at `winner`, and mutate."""
    g = ga_at(decision_at(decision).search)
    for k in range(g.length):
        if next_double(decision) < g.recombination:
            store64(loser + 8 * k, load64(winner + 8 * k))
    for k in range(g.length):
        if next_double(decision) < g.mutation:
            store64(loser + 8 * k, random_gene(decision))


@inner
def note_best(decision: int, pool: int, value: float) -> None:
    """Remember the best value seen after the pool's action; ties are broken by chance."""
    best = ga_at(decision_at(decision).search).best + 8 * pool
    store_double(best, max(load_double(best), value + _NOISE * next_double(decision)))


@inner
def hold_tournament(decision: int, state: int, pool: int, action: int) -> int:
    """Let two plans of a pool compete. OK or GROW."""
    d = decision_at(decision)
    g = ga_at(d.search)
    i = next_int(decision, g.size)
    j = next_int(decision, g.size)
    while i == j:
        j = next_int(decision, g.size)
    one = plan_at(decision, pool, i)
    two = plan_at(decision, pool, j)
    if simulate(decision, state, action, one) == GROW:
        return GROW
    first = g.value
    note_best(decision, pool, first)
    if d.calls < d.budget:
        if simulate(decision, state, action, two) == GROW:
            return GROW
        note_best(decision, pool, g.value)
        if first > g.value:
            infect(decision, one, two)
        else:
            infect(decision, two, one)
    return OK


@entry_point("i8(i8, i8)")
def decide_ga(decision: int, state: int) -> int:
    """Hold tournaments in all pools in turn until the budget (or `sweeps`) is spent; play what saw the best value."""
    d = decision_at(decision)
    g = ga_at(d.search)
    if begin_decision(decision, state) == 0:
        return OK
    count = choices(decision, g.plans, state, d.player, d.own)
    if d.resume == 0:
        begin(decision, count)
    g.pending = RETRIED
    if count > 1:  # a forced move needs no search
        while d.calls < d.budget and (g.sweeps == 0 or g.turn < g.sweeps * count):
            pool = g.turn % count
            if hold_tournament(decision, state, pool, load64(d.own + 8 * pool)) == GROW:
                return GROW
            g.turn = g.turn + 1
    chosen = 0
    for pool in range(count):
        if load_double(g.best + 8 * pool) > load_double(g.best + 8 * chosen):
            chosen = pool
    d.chosen = load64(d.own + 8 * chosen)
    g.pending = DECIDED
    return OK
