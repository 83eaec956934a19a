"""Rolling-horizon evolution: plans are evolved by playing them on the forward model; the start of the best is played.

The defaults are those of the reference's sample agent (reference/agents 11.8): Perez et al., Rolling Horizon Evolution
versus Tree Search, 2013; Gaina et al., Analysis of Vanilla Rolling Horizon Evolution Parameters, 2017. Switches add the
shift buffer, rollouts after the plan and the statistical tree (Gaina et al., Rolling Horizon Evolution Enhancements,
2017), seeds (Gaina et al., Population Seeding Techniques, 2017), macro-actions (2013), and evolution of the rival's
plans beside the own (Liu et al., Rolling Horizon Coevolutionary Planning for Two-Player Video Games, 2016).
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.exponents import logarithm
from pcg.engine.kernel.protocol import GROW, OK, is_over
from pcg.engine.kernel.random import next_bits, next_int
from pcg.engine.kernel.runtime import entry_point, inner, load32, load64, load_double, store64, view_of
from pcg.evaluators.agents.kernel.decision import (
    EPSILON,
    NIL,
    begin_decision,
    decision_at,
    imagine,
    noise,
    take_decision,
)
from pcg.evaluators.agents.kernel.plan import (
    DECIDED,
    FIRST_DECISION,
    RETRIED,
    action_of,
    choices,
    judge,
    plans_at,
    play_at_random,
    play_plan,
    repeat,
)
from pcg.evaluators.agents.kernel.plan_tree import (
    add_node,
    child_of,
    find_children,
    make_root,
    node_of,
    plan_tree_at,
    restore_tree,
    save_tree,
)
from pcg.evaluators.agents.kernel.population import (
    bank_at,
    best_rank,
    breed,
    clear,
    genes_at,
    is_child,
    judged,
    mutate,
    next_turn,
    population_at,
    randomize,
    rank_of_slot,
    restore_bank,
    row_at,
    save_bank,
    set_value,
    shift,
)
from pcg.evaluators.agents.kernel.tree import tree_at

NO_SEED, GREEDY_SEED, TREE_SEED = 0, 1, 2
"""Source of the first plan of a population: chance, one-step look-ahead, Monte Carlo tree search."""

BY_PLAN, BY_VISITS, BY_VALUE, BY_BOUND = 0, 1, 2, 3
"""Criterion for the final action: the best plan, or the statistical tree's visits, means or upper confidence bounds."""

RHEA = np.dtype(
    [
        ("plans", "i8"),  # address of a PLANS record
        ("population", "i8"),  # address of a POPULATION record
        ("tree", "i8"),  # address of a PLAN_TREE record; 0: no statistical tree
        ("future", "i8"),  # address of a second state block for simulations
        ("samples", "i8"),  # simulations of each plan, averaged
        ("rollouts", "i8"),  # random continuations after the plan, averaged; 0: the state after the plan is judged
        ("rollout_length", "i8"),
        ("shift", "i8"),  # 1: plans live on after a tick
        ("seed", "i8"),  # NO_SEED, GREEDY_SEED or TREE_SEED
        ("seed_calls", "i8"),  # forward-model calls of the tree search that finds a seed
        ("seeder", "i8"),  # address of its DECISION record
        ("recommend", "i8"),
        ("exploration", "f8"),  # K of UCB1 in BY_BOUND
        ("pending", "i8"),  # RETRIED, DECIDED or FIRST_DECISION
        ("played", "i8"),  # code of the action chosen last
        ("stream", "i8"),  # the agent's random stream after `begin`
        ("value", "f8"),  # of the last simulation
    ],
    align=True,
)

rhea_at = view_of(RHEA)


# --- from one decision to the next ---


@inner
def move_on(decision: int) -> None:
    """A tick was played: go on with the macro-action that it began, or with the plans for what comes after it."""
    r = rhea_at(decision_at(decision).search)
    b = bank_at(population_at(r.population).bank)
    if b.left > 0:
        b.left = b.left - 1
        return
    b.held = r.played
    b.left = plans_at(r.plans).macro - 1
    b.seeding = int(r.seed != NO_SEED)
    b.seeded = 0
    if r.shift == 1:
        shift(decision, r.population)
    else:
        clear(r.population)
    if r.tree != 0:
        child = -1
        if r.shift == 1:
            child = child_of(r.tree, 0, r.played)
        if child >= 0:
            make_root(r.tree, child)
        else:
            plan_tree_at(r.tree).used = 0


@inner
def begin(decision: int) -> None:
    """Start a decision: after a reset, after a tick, or again because states had outgrown their memory."""
    r = rhea_at(decision_at(decision).search)
    b = bank_at(population_at(r.population).bank)
    if r.pending == RETRIED:
        restore_bank(r.population)
        if r.tree != 0:
            restore_tree(r.tree)
        store64(decision, r.stream)  # what the shift buffer drew is drawn already
        return
    if r.pending == FIRST_DECISION:
        clear(r.population)
        b.left = 0
        b.held = NIL
        b.seeding = int(r.seed != NO_SEED)
        b.seeded = 0
        if r.tree != 0:
            plan_tree_at(r.tree).used = 0
    else:
        move_on(decision)
    save_bank(r.population)
    if r.tree != 0:
        if plan_tree_at(r.tree).used == 0:
            add_node(r.tree, -1, NIL)
        save_tree(r.tree)
    r.stream = load64(decision)


# --- judging plans ---


@inner
def start_simulation(decision: int, state: int) -> int:
    """Copy the state to `work` and play what is left of the macro-action on it. OK or GROW."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    b = bank_at(population_at(r.population).bank)
    if imagine(decision, d.work, state) == GROW:
        return GROW
    if repeat(decision, r.plans, d.work, b.held, -1, b.left) < 0:
        return GROW
    return OK


@inner
def count_trace(decision: int, value: float) -> None:
    """Count the plan played last and its value in the statistical tree."""
    r = rhea_at(decision_at(decision).search)
    p = plans_at(r.plans)
    t = plan_tree_at(r.tree)
    k = 0
    depth = 0
    while k >= 0:
        n = node_of(r.tree, k)
        n.visits = n.visits + 1.0
        n.total = n.total + value
        child = -1
        if depth < p.traced:
            action = load64(p.trace + 8 * depth)
            child = child_of(r.tree, k, action)
            if child < 0 and t.used < t.room:
                child = add_node(r.tree, k, action)
        k = child
        depth += 1


@inner
def draw_opponent(decision: int, side: int) -> int:
    """Address of the genes of a random plan of the other side; 0 when it has none yet."""
    r = rhea_at(decision_at(decision).search)
    p = population_at(r.population)
    if p.sides == 1:
        return 0
    count = p.size
    if bank_at(p.bank).generation == 0:
        count = judged(r.population, 1 - side)
    if count == 0:
        return 0
    rank = next_int(decision, count)
    return genes_at(r.population, 1 - side, row_at(r.population, 1 - side, rank))


@inner
def simulate(decision: int, state: int, side: int, row: int) -> int:
    """Play a plan once and write what it was worth to `value`. OK or GROW."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    if start_simulation(decision, state) == GROW:
        return GROW
    mine = genes_at(r.population, side, row)
    replies = draw_opponent(decision, side)
    player = d.player
    if side == 1:
        player = plans_at(r.plans).rival
        genes = mine
        mine = replies
        replies = genes
    played = play_plan(decision, r.plans, d.work, mine, replies)
    if played < 0:
        return GROW
    if r.rollouts == 0 or is_over(d.model, d.work) != 0:
        r.value = judge(decision, r.plans, d.work, player, played)
    else:
        total = 0.0
        count = 0
        while count < r.rollouts and (count == 0 or d.calls < d.budget):
            if imagine(decision, r.future, d.work) == GROW:
                return GROW
            more = play_at_random(decision, r.plans, r.future, r.rollout_length)
            if more < 0:
                return GROW
            total += judge(decision, r.plans, r.future, player, played + more)
            count += 1
        r.value = total / count
    if r.tree != 0 and side == 0:
        count_trace(decision, r.value)
    return OK


@inner
def evaluate(decision: int, state: int, side: int, row: int) -> int:
    """Give the plan in a row the mean value of `samples` simulations. OK or GROW."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    total = 0.0
    count = 0
    while count < r.samples and (count == 0 or d.calls < d.budget):
        if simulate(decision, state, side, row) == GROW:
            return GROW
        total += r.value
        count += 1
    set_value(r.population, side, row, total / count)
    return OK


# --- seeds ---


@inner
def seed_rank(population: int) -> int:
    """Return the place of the seed in the first generation: first, or in the place of the worst plan carried on."""
    p = population_at(population)
    if bank_at(p.bank).carried > 0:
        return p.size - 1
    return 0


@inner
def sow(decision: int, action: int) -> None:
    """Append an action to the seed."""
    r = rhea_at(decision_at(decision).search)
    b = bank_at(population_at(r.population).bank)
    genes = genes_at(r.population, 0, row_at(r.population, 0, seed_rank(r.population)))
    if b.seeded == 0:
        randomize(decision, r.population, genes, 1)
    store64(genes + 8 * b.seeded, -1 - action)
    b.seeded = b.seeded + 1


@inner
def seed_greedily(decision: int, state: int) -> int:
    """Append to the seed what looks best one action ahead of its end. OK or GROW."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    p = plans_at(r.plans)
    b = bank_at(population_at(r.population).bank)
    if b.seeded == 0 and start_simulation(decision, state) == GROW:
        return GROW
    if b.seeded == p.length or is_over(d.model, d.work) != 0:
        b.seeding = 0
        return OK
    best = -1.0e300
    chosen = NIL
    for i in range(choices(decision, r.plans, d.work, d.player, d.own)):
        action = load64(d.own + 8 * i)
        if imagine(decision, r.future, d.work) == GROW:
            return GROW
        if repeat(decision, r.plans, r.future, action, -1, p.macro) < 0:
            return GROW
        value = noise(decision, judge(decision, r.plans, r.future, d.player, 0))
        if value > best:
            best = value
            chosen = action
    sow(decision, chosen)
    if repeat(decision, r.plans, d.work, chosen, -1, p.macro) < 0:
        return GROW
    return OK


@inner
def seed_by_search(decision: int, state: int) -> int:
    """Let a tree search look from where the plan starts, and sow its most visited line. OK or GROW."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    s = decision_at(r.seeder)
    b = bank_at(population_at(r.population).bank)
    before = s.calls
    s.resume = 1
    if b.seeding == 1:
        if start_simulation(decision, state) == GROW:
            return GROW
        seed = next_bits(decision, 32) << 16
        store64(r.seeder, seed + next_bits(decision, 16))
        before = 0
        s.resume = 0
        b.seeding = 2
    s.budget = min(r.seed_calls, before + max(1, d.budget - d.calls))
    if take_decision(r.seeder, d.work) == GROW:
        return GROW
    d.calls = d.calls + s.calls - before
    if s.calls < s.budget or s.calls >= r.seed_calls:
        b.seeding = 0
        if s.calls > 0:  # no search has been made for a forced move
            sow_line(decision)
    return OK


@inner
def sow_line(decision: int) -> None:
    """Sow the most visited line of the seeder's tree."""
    r = rhea_at(decision_at(decision).search)
    t = tree_at(decision_at(r.seeder).search)
    p = plans_at(r.plans)
    b = bank_at(population_at(r.population).bank)
    k = 0
    while k >= 0 and b.seeded < p.length:
        child = load32(t.first + 4 * k)
        k = -1
        most = 0.0
        while child >= 0:
            if load_double(t.visits + 8 * child) > most:
                most = load_double(t.visits + 8 * child)
                k = child
            child = load32(t.sibling + 4 * child)
        if k >= 0:
            sow(decision, load32(t.action + 4 * k))


# --- the search ---


@inner
def make_first(decision: int, side: int, rank: int) -> None:
    """Give a plan of the first generation genes, unless it has been carried on or sown: random, or a mutated seed."""
    r = rhea_at(decision_at(decision).search)
    p = population_at(r.population)
    b = bank_at(p.bank)
    genes = genes_at(r.population, side, row_at(r.population, side, rank))
    sown = 0
    if side == 0 and b.seeded > 0:
        sown = 1
    if rank < b.carried or (sown == 1 and rank == seed_rank(r.population)):
        return
    if sown == 1 and b.carried == 0:
        seed = genes_at(r.population, 0, row_at(r.population, 0, 0))
        for k in range(p.length):
            store64(genes + 8 * k, load64(seed + 8 * k))
        mutate(decision, r.population, genes)
    else:
        randomize(decision, r.population, genes, 0)


@inner
def iterate(decision: int, state: int) -> int:
    """One iteration: a step towards the seed, or one more plan made and judged. OK or GROW."""
    r = rhea_at(decision_at(decision).search)
    b = bank_at(population_at(r.population).bank)
    if b.seeding > 0:
        if r.seed == GREEDY_SEED:
            return seed_greedily(decision, state)
        return seed_by_search(decision, state)
    side = b.turn
    rank = rank_of_slot(r.population, b.slot)
    row = row_at(r.population, side, rank)
    if b.generation == 0:
        make_first(decision, side, rank)
    elif is_child(r.population, b.slot) == 1:
        breed(decision, r.population, side, row)
    if evaluate(decision, state, side, row) == GROW:
        return GROW
    next_turn(r.population)
    return OK


@inner
def by_tree(decision: int, state: int) -> int:
    """The action that the statistical tree recommends; NIL when it is empty."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    b = bank_at(population_at(r.population).bank)
    count = choices(decision, r.plans, state, d.player, d.own)
    find_children(decision, r.tree, 0, count)
    log_visits = logarithm(node_of(r.tree, 0).visits + 1.0)
    best = -1.0e300
    chosen = NIL
    for i in range(count):
        child = load64(d.slot + 8 * i)
        if child >= 0:
            n = node_of(r.tree, child)
            value = n.visits
            if r.recommend != BY_VISITS:
                value = n.total / (n.visits + EPSILON)
            if r.recommend == BY_BOUND:
                if b.low < b.high:
                    value = (value - b.low) / (b.high - b.low)
                value += r.exploration * math.sqrt(log_visits / (n.visits + EPSILON))
            value = noise(decision, value)
            if value > best:
                best = value
                chosen = load64(d.own + 8 * i)
    return chosen


@inner
def recommend(decision: int, state: int) -> int:
    """The action to play: what a macro-action demands, the start of the best plan, or what the tree says."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    b = bank_at(population_at(r.population).bank)
    if b.left > 0:
        return b.held
    if r.recommend != BY_PLAN and node_of(r.tree, 0).first >= 0:
        return by_tree(decision, state)
    rank = best_rank(r.population, 0)
    if b.generation == 0 and b.slot == 0 and b.seeded > 0:
        rank = seed_rank(r.population)
    gene = load64(genes_at(r.population, 0, row_at(r.population, 0, rank)))
    return action_of(decision, r.plans, state, d.player, gene)


@entry_point("i8(i8, i8)")
def decide_rhea(decision: int, state: int) -> int:
    """Evolve plans until the budget is spent and play the start of the best. OK or GROW."""
    d = decision_at(decision)
    r = rhea_at(d.search)
    if begin_decision(decision, state) == 0:
        return OK
    if d.resume == 0:
        begin(decision)
    r.pending = RETRIED
    if choices(decision, r.plans, state, d.player, d.own) > 1:
        while d.calls < d.budget:
            if iterate(decision, state) == GROW:
                return GROW
        d.chosen = recommend(decision, state)
    else:  # a forced move needs no search
        d.chosen = load64(d.own)
    r.played = d.chosen
    r.pending = DECIDED
    return OK
