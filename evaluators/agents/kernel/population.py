"""Populations of plans: ranks, tournaments, crossover, mutation, and the shift buffer.

A population of P plans has 2P rows, so that children are written beside their parents; `order` lists the rows, those of
the population first, by rank. There are two sides: the own plans, and the rival's when they are evolved as well. All
that changes lies in one block of memory (`BANK` and the arrays behind it), which is saved at the start of a decision.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.random import next_double, next_int
from pcg.engine.kernel.runtime import copy_bytes, inner, load64, load_double, store64, store_double, view_of
from pcg.evaluators.agents.kernel.plan import random_gene

NO_CROSSOVER, UNIFORM, ONE_POINT = 0, 1, 2
"""Kinds of crossover."""

BANK = np.dtype(
    [
        ("generation", "i8"),  # 0: the first plans are being judged
        ("slot", "i8"),  # plans judged in this generation
        ("turn", "i8"),  # the side whose plan comes next
        ("carried", "i8"),  # plans of the first generation that have genes already
        ("left", "i8"),  # ticks for which the action held must still be played
        ("held", "i8"),  # code of that action
        ("seeded", "i8"),  # genes of the seed found so far
        ("seeding", "i8"),  # 1: the seed is being looked for
        ("low", "f8"),  # least and greatest value met in this search
        ("high", "f8"),
    ],
    align=True,
)

POPULATION = np.dtype(
    [
        ("bank", "i8"),  # address of a BANK record; the arrays below lie behind it
        ("saved", "i8"),  # a copy of the block: as it was at the start of the decision
        ("bytes", "i8"),  # size of the block
        ("genes", "i8"),  # int64[2][2 * size][length]
        ("values", "i8"),  # float64[2][2 * size]
        ("order", "i8"),  # int64[2][2 * size]: rows, those of the population by rank, then those of children
        ("picks", "i8"),  # int64[tournament]: scratch
        ("size", "i8"),  # P
        ("length", "i8"),  # genes of a plan
        ("sides", "i8"),  # 1, or 2 when the rival's plans are evolved as well
        ("elite", "i8"),  # plans that live on as they are
        ("redo", "i8"),  # plans that are judged anew in every generation, the first by rank
        ("tournament", "i8"),  # plans drawn, of which the best two are parents
        ("crossover", "i8"),
        ("mutations", "i8"),  # genes drawn anew in every child
        ("fresh", "i8"),  # 1: children are random plans (random search)
    ],
    align=True,
)

bank_at = view_of(BANK)
population_at = view_of(POPULATION)


# --- rows and ranks ---


@inner
def row_at(population: int, side: int, rank: int) -> int:
    """The row of a rank."""
    p = population_at(population)
    return load64(p.order + 8 * (2 * p.size * side + rank))


@inner
def genes_at(population: int, side: int, row: int) -> int:
    """Address of the genes of a row."""
    p = population_at(population)
    return p.genes + 8 * p.length * (2 * p.size * side + row)


@inner
def value_at(population: int, side: int, rank: int) -> float:
    """Value of the plan at a rank."""
    p = population_at(population)
    return load_double(p.values + 8 * (2 * p.size * side + row_at(population, side, rank)))


@inner
def set_value(population: int, side: int, row: int, value: float) -> None:
    """Write the value of a row, and widen the bounds of values met."""
    p = population_at(population)
    b = bank_at(p.bank)
    store_double(p.values + 8 * (2 * p.size * side + row), value)
    b.low = min(b.low, value)
    b.high = max(b.high, value)


@inner
def swap(population: int, side: int, a: int, b: int) -> None:
    """Exchange two ranks."""
    p = population_at(population)
    base = p.order + 16 * p.size * side
    row = load64(base + 8 * a)
    store64(base + 8 * a, load64(base + 8 * b))
    store64(base + 8 * b, row)


@inner
def sort(population: int, side: int, count: int) -> None:
    """Bring the first `count` ranks into order, the best first; equal plans keep theirs."""
    for end in range(1, count):
        k = end
        while k > 0 and value_at(population, side, k) > value_at(population, side, k - 1):
            swap(population, side, k, k - 1)
            k -= 1


@inner
def judged(population: int, side: int) -> int:
    """Plans judged in this generation."""
    b = bank_at(population_at(population).bank)
    if side == 0 and b.turn == 1:
        return b.slot + 1
    return b.slot


@inner
def born(population: int, side: int) -> int:
    """Children that have a value."""
    p = population_at(population)
    if bank_at(p.bank).generation == 0:
        return 0
    return max(0, judged(population, side) - p.redo)


@inner
def rank_of_slot(population: int, slot: int) -> int:
    """Return the place in `order` of plan number `slot` of this generation."""
    p = population_at(population)
    if bank_at(p.bank).generation == 0 or slot < p.redo:
        return slot
    return p.size + slot - p.redo


@inner
def is_child(population: int, slot: int) -> int:
    """1 when plan number `slot` of this generation is a child, which is bred before it is judged."""
    p = population_at(population)
    return int(bank_at(p.bank).generation > 0 and slot >= p.redo)


@inner
def best_rank(population: int, side: int) -> int:
    """Rank of the best plan judged so far; rank 0 when there is none."""
    p = population_at(population)
    count = p.size
    if bank_at(p.bank).generation == 0:
        count = judged(population, side)
    best = 0
    for rank in range(count):
        if value_at(population, side, rank) > value_at(population, side, best):
            best = rank
    for rank in range(p.size, p.size + born(population, side)):
        if value_at(population, side, rank) > value_at(population, side, best):
            best = rank
    return best


# --- variation ---


@inner
def randomize(decision: int, population: int, genes: int, start: int) -> None:
    """Draw the genes from number `start` on."""
    for k in range(start, population_at(population).length):
        store64(genes + 8 * k, random_gene(decision))


@inner
def mutate(decision: int, population: int, genes: int) -> None:
    """Draw genes at random positions anew; they may stay what they are."""
    p = population_at(population)
    for _ in range(p.mutations):
        k = next_int(decision, p.length)
        store64(genes + 8 * k, random_gene(decision))


@inner
def draw_parents(decision: int, population: int) -> int:
    """A tournament of different plans: the ranks of the two best, as first * size + second."""
    p = population_at(population)
    entrants = max(2, min(p.tournament, p.size))
    first = p.size
    second = p.size
    for k in range(entrants):
        rank = next_int(decision, p.size)
        earlier = 0
        while earlier < k:  # draw again what has been drawn
            if load64(p.picks + 8 * earlier) == rank:
                rank = next_int(decision, p.size)
                earlier = 0
            else:
                earlier += 1
        store64(p.picks + 8 * k, rank)
        if rank < first:
            second = first
            first = rank
        elif rank < second:
            second = rank
    return first * p.size + second


@inner
def cross(decision: int, population: int, one: int, two: int, child: int) -> None:
    """Write a mixture of the plans at addresses `one` and `two` to `child`."""
    p = population_at(population)
    cut = p.length
    if p.crossover == ONE_POINT and p.length > 1:
        cut = 1 + next_int(decision, p.length - 1)
    for k in range(p.length):
        parent = one
        if p.crossover == UNIFORM:
            if next_double(decision) < 0.5:
                parent = two
        elif k >= cut:
            parent = two
        store64(child + 8 * k, load64(parent + 8 * k))


@inner
def breed(decision: int, population: int, side: int, row: int) -> None:
    """Write a child of the population to a row."""
    p = population_at(population)
    child = genes_at(population, side, row)
    if p.fresh == 1:
        randomize(decision, population, child, 0)
        return
    one = genes_at(population, side, row_at(population, side, 0))
    two = one
    if p.size > 1:
        pair = draw_parents(decision, population)
        one = genes_at(population, side, row_at(population, side, pair // p.size))
        two = genes_at(population, side, row_at(population, side, pair % p.size))
    cross(decision, population, one, two, child)
    mutate(decision, population, child)


@inner
def rank_again(population: int) -> None:
    """Sort both sides by value."""
    p = population_at(population)
    for side in range(p.sides):
        sort(population, side, p.size)


@inner
def end_generation(population: int) -> None:
    """Let the children take the places of all but the elite; a population of one keeps the better, or the newer."""
    p = population_at(population)
    b = bank_at(p.bank)
    for side in range(p.sides):
        if b.generation > 0:
            if p.size == 1:
                old = value_at(population, side, 0)
                new = value_at(population, side, 1)
                if new > old or (new == old and p.fresh == 0):
                    swap(population, side, 0, 1)
            else:
                for k in range(p.elite, p.size):
                    swap(population, side, k, p.size + k - p.elite)
    rank_again(population)
    b.generation = b.generation + 1
    b.slot = 0


@inner
def next_turn(population: int) -> None:
    """A plan has been judged: go on to the other side, the next plan, or the next generation."""
    p = population_at(population)
    b = bank_at(p.bank)
    b.turn = b.turn + 1
    if b.turn < p.sides:
        return
    b.turn = 0
    b.slot = b.slot + 1
    if b.generation == 0:
        if b.slot == p.size:
            end_generation(population)
    elif b.slot == p.redo + p.size - p.elite:
        end_generation(population)
    elif b.slot == p.redo:
        rank_again(population)


# --- from one decision to the next ---


@inner
def clear(population: int) -> None:
    """Start over: no plans, no bounds."""
    p = population_at(population)
    b = bank_at(p.bank)
    b.generation = 0
    b.slot = 0
    b.turn = 0
    b.carried = 0
    b.low = 1.0e300
    b.high = -1.0e300
    for side in range(2):
        for k in range(2 * p.size):
            store64(p.order + 8 * (2 * p.size * side + k), k)


@inner
def settle(population: int) -> int:
    """Rank all plans that have a value, children of an unfinished generation too; returns how many have genes."""
    p = population_at(population)
    b = bank_at(p.bank)
    known = p.size
    for side in range(p.sides):
        count = judged(population, side)
        if b.generation == 0:
            sort(population, side, count)
            known = min(known, max(count, b.carried))
        else:
            for rank in range(p.size, p.size + born(population, side)):
                if value_at(population, side, rank) > value_at(population, side, p.size - 1):
                    swap(population, side, rank, p.size - 1)
                    sort(population, side, p.size)
    return known


@inner
def shift(decision: int, population: int) -> None:
    """The shift buffer: drop the first gene of every plan and draw a new last one; all are to be judged again."""
    p = population_at(population)
    b = bank_at(p.bank)
    known = settle(population)
    for side in range(p.sides):
        for rank in range(known):
            genes = genes_at(population, side, row_at(population, side, rank))
            for k in range(p.length - 1):
                store64(genes + 8 * k, load64(genes + 8 * (k + 1)))
            randomize(decision, population, genes, p.length - 1)
    b.generation = 0
    b.slot = 0
    b.turn = 0
    b.carried = known
    b.low = 1.0e300
    b.high = -1.0e300


@inner
def save_bank(population: int) -> None:
    """Remember the populations as they are."""
    p = population_at(population)
    copy_bytes(p.saved, p.bank, p.bytes)


@inner
def restore_bank(population: int) -> None:
    """Make the populations what they were when they were saved."""
    p = population_at(population)
    copy_bytes(p.bank, p.saved, p.bytes)
