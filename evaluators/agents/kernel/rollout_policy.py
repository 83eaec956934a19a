"""A rollout policy that evolves while it is used: a softmax over weighted distances, and a (1+1)-ES over the weights.

The probability of action i is proportional to exp(a_i), or to exp(-a_i) when `sign` is -1 (the text on planning in
GVGAI), where a_i is the sum over the kinds of sprites seen so far of w_ij times the distance f_j to the nearest of kind
j. Weights are drawn around 0, so that both signs describe the same policies. A kind seen for the first time appends a
column of zeros to the weights. Offspring are judged by the rewards of their rollouts. Sources: Lucas, Samothrakis and
Perez, Fast Evolutionary Adaptation for Monte Carlo Tree Search, 2014; Perez, Samothrakis and Lucas 2014 for the growing
weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pcg.engine.kernel.exponents import exponential, logarithm
from pcg.engine.kernel.random import next_double
from pcg.engine.kernel.reals_tables import POWERS, STEPS_PER_UNIT
from pcg.engine.kernel.runtime import (
    bits_double,
    copy_bytes,
    inlined,
    inner,
    load8,
    load64,
    load_double,
    store8,
    store64,
    store_double,
    times,
    view_of,
)

POLICY = np.dtype(
    [
        ("kinds", "i8"),  # columns the weights have room for
        ("actions", "i8"),  # action codes
        ("sign", "f8"),  # 1 or -1: of a_i in the softmax
        ("chosen", "i8"),  # int64[chosen_count]: kinds whose distances are features, in order
        ("chosen_count", "i8"),
        ("sigma", "f8"),  # standard deviation of a mutation, per cell of distance
        ("rollouts", "i8"),  # rollouts that judge one vector of weights
        ("lasting", "i8"),  # int64[1 + kinds], float64[kinds][actions]: the next three, one behind the other
        ("seen", "i8"),  # address of the number of columns
        ("columns", "i8"),  # int64[kinds]: column of each kind, -1: not seen yet
        ("parent", "i8"),  # float64[kinds][actions]: the weights, column by column
        ("saved", "i8"),  # the lasting part as it was before the decision
        ("child", "i8"),  # float64[kinds][actions]: those of the offspring
        ("played", "i8"),  # int8[actions]: 1 for action codes that were ever weighed
        ("rest", "i8"),  # float64[pairs][4]: place and draws of the pairs of weights of other codes, still to be made
        ("rest_count", "i8"),
        ("drawn", "i8"),  # size of the weights when they were drawn
        ("terms", "i8"),  # int64[2 * kinds], scratch: address of the column of each kind in sight, distance with sign
        ("values", "i8"),  # float64[actions]: a_i of the available actions, then exp(a_i) where it has to be exact
        ("weights", "i8"),  # float64[actions], scratch: exp(a_i), nearly
        ("offspring", "i8"),  # 1: the offspring is being judged, 0: the parent, in a state new to it
        ("fitness", "f8"),  # mean reward of the parent
        ("sum", "f8"),  # of the rewards of the vector being judged
        ("done", "i8"),  # its rollouts so far
    ],
    align=True,
)

policy_at = view_of(POLICY)

_POWERS: Any = POWERS
_SHIFTED = 1 << 18
_STEP = math.log(2.0) / 128.0
_MARGIN = 1e-6
"""Share of the sum of exponentials that a draw must be apart from a boundary, for approximate ones to tell its side."""
_MASK48 = (1 << 48) - 1


def _jump(draws: int) -> tuple[int, int]:
    """Factor and summand of so many steps of java.util.Random's generator at once."""
    factor, summand = 1, 0
    for _ in range(draws):
        factor, summand = factor * 0x5DEECE66D & _MASK48, (summand * 0x5DEECE66D + 0xB) & _MASK48
    return factor, summand


_FACTORS = tuple(_jump(draws)[0] for draws in range(5))
_SUMMANDS = tuple(_jump(draws)[1] for draws in range(5))


# --- draws ------------------------------------------------------------------------------------------------------------


@inlined
def after(state: int, draws: int) -> int:
    """The state of a random generator after up to four draws from another state."""
    return ((times(state, _FACTORS[draws]) & _MASK48) + _SUMMANDS[draws]) & _MASK48


@inlined
def double_of(first: int, second: int) -> float:
    """The number that `next_double` makes of two states that follow each other."""
    return ((first >> 22) * 134217728 + (second >> 21)) * 1.1102230246251565e-16


# --- weights ----------------------------------------------------------------------------------------------------------


@inner
def lasting_bytes(policy: int) -> int:
    """Size of what outlasts a decision."""
    p = policy_at(policy)
    words: int = 1 + p.kinds + p.kinds * p.actions
    return 8 * words


@inner
def begin_evolution(policy: int) -> None:
    """Start a decision with the parent: what it was worth in the state before says little about this one."""
    p = policy_at(policy)
    copy_bytes(p.saved, p.lasting, lasting_bytes(policy))
    p.offspring = 0
    p.sum = 0.0
    p.done = 0


@inner
def restore_policy(policy: int) -> None:
    """Forget what evolved since `begin_evolution`."""
    p = policy_at(policy)
    copy_bytes(p.lasting, p.saved, lasting_bytes(policy))


@inlined
def make_pair(policy: int, at: int, size: int, x: float, y: float, square: float) -> None:
    """Make two weights of the offspring that lie side by side, or the last one, from a point in the unit circle."""
    p = policy_at(policy)
    parent = p.parent + 8 * at
    child = p.child + 8 * at
    scale = p.sigma * math.sqrt(-2.0 * logarithm(square) / square)
    store_double(child, load_double(parent) + scale * x)
    if at + 1 < size:
        store_double(child + 8, load_double(parent + 8) + scale * y)


@inner
def mutate(policy: int, random: int) -> None:
    """Make the offspring: the parent with independent normal noise (polar method) on every weight.

    Weights of codes that no rollout has asked for are drawn and left at that: `make_rest` makes them.
    """
    p = policy_at(policy)
    size = load64(p.seen) * p.actions
    actions = p.actions
    played = p.played
    rest = p.rest
    state = load64(random)
    at = 0
    code = 0
    while at < size:
        # `next_double` twice; its four draws do not wait for each other
        x = 2.0 * double_of(after(state, 1), after(state, 2)) - 1.0
        y = 2.0 * double_of(after(state, 3), after(state, 4)) - 1.0
        state = after(state, 4)
        square = x * x + y * y
        if 0.0 < square < 1.0:
            second = code + 1 if code + 1 < actions else 0
            if load8(played + code) | load8(played + second) != 0:
                make_pair(policy, at, size, x, y, square)
            else:
                store64(rest, at)
                store_double(rest + 8, x)
                store_double(rest + 16, y)
                store_double(rest + 24, square)
                rest += 32
            at += 2
            code = second + 1 if second + 1 < actions else 0
    p.rest_count = (rest - p.rest) // 32
    p.drawn = size
    store64(random, state)


@inner
def make_rest(policy: int) -> None:
    """Make the weights of the offspring that `mutate` has left out."""
    p = policy_at(policy)
    for k in range(p.rest_count):
        rest = p.rest + 32 * k
        x = load_double(rest + 8)
        make_pair(policy, load64(rest), p.drawn, x, load_double(rest + 16), load_double(rest + 24))
    p.rest_count = 0


@inner
def begin_trial(policy: int, random: int) -> None:
    """Have the weights of the next rollout ready."""
    p = policy_at(policy)
    if p.offspring == 1 and p.done == 0:
        mutate(policy, random)


@inner
def end_trial(policy: int, reward: float) -> None:
    """Count the reward of a rollout; a judged offspring that is better than its parent takes its place."""
    p = policy_at(policy)
    p.sum = p.sum + reward
    p.done = p.done + 1
    if p.done < p.rollouts:
        return
    fitness = p.sum / p.done
    if p.offspring == 0:
        p.fitness = fitness
    elif fitness > p.fitness:
        p.fitness = fitness
        make_rest(policy)
        copy_bytes(p.parent, p.child, 8 * load64(p.seen) * p.actions)
    p.offspring = 1
    p.sum = 0.0
    p.done = 0


@inner
def column_of(policy: int, kind: int) -> int:
    """The column of a kind; one of zeros is appended for a kind seen for the first time."""
    p = policy_at(policy)
    column: int = load64(p.columns + 8 * kind)
    if column < 0:
        column = load64(p.seen)
        store64(p.seen, column + 1)
        store64(p.columns + 8 * kind, column)
        for k in range(column * p.actions, (column + 1) * p.actions):
            store_double(p.parent + 8 * k, 0.0)
            store_double(p.child + 8 * k, 0.0)
    return column


@inner
def weigh_actions(policy: int, features: int, pairs: int, actions: int, count: int) -> None:
    """Write a_i of each of `count` action codes at `actions` to `values`, from features as the protocol gives them."""
    p = policy_at(policy)
    for i in range(count):
        played = p.played + load64(actions + 8 * i)
        if load8(played) == 0:
            store8(played, 1)
            make_rest(policy)
    weights = p.parent
    if p.offspring == 1:
        weights = p.child
    end = p.terms
    # what the loops read of the record in locals: after a store the compiler would read it again
    terms = p.terms
    values = p.values
    bytes_of_column = 8 * p.actions
    for at in range(p.chosen, p.chosen + 8 * p.chosen_count, 8):
        kind = load64(at)
        distance = load_double(features + 16 * kind + 8) if kind < pairs else -1.0
        if distance >= 0.0:
            store64(end, weights + bytes_of_column * column_of(policy, kind))
            store_double(end + 8, p.sign * distance)
            end += 16
    for i in range(count):
        action = 8 * load64(actions + 8 * i)
        value = 0.0
        for term in range(terms, end, 16):
            value += load_double(load64(term) + action) * load_double(term + 8)
        store_double(values + 8 * i, value)


@inner
def exponentiate(values: int, count: int) -> float:
    """Put exp(a_i - max a) in the place of each a_i; returns their sum, which is at least 1."""
    largest = load_double(values)
    for i in range(1, count):
        largest = max(largest, load_double(values + 8 * i))
    total = 0.0
    for i in range(count):
        value = load_double(values + 8 * i)
        weight = 1.0 if value == largest else exponential(value - largest)
        store_double(values + 8 * i, weight)
        total += weight
    return total


@inlined
def nearly_exponential(x: float) -> float:
    """The exponential of an x that is not positive, with an error below 1e-8; less than 1e-199 counts as 0."""
    if x < -460.0:
        return 0.0
    if x != x:
        return x
    k = int(x * STEPS_PER_UNIT + (_SHIFTED + 0.5)) - _SHIFTED
    r = x - (1.0 * k) * _STEP
    power: float = _POWERS[2 * (k & 127)] * bits_double(((k >> 7) + 1023) << 52)
    return power * (1.0 + r * (1.0 + r * 0.5))


@inner
def draw_nearly(policy: int, share: float, count: int) -> int:
    """Index that a share of the sum of exp(a_i) falls on, -1 where it is too close to a boundary to be sure."""
    p = policy_at(policy)
    values = p.values
    weights = p.weights
    largest = load_double(values)
    for i in range(1, count):
        largest = max(largest, load_double(values + 8 * i))
    total = 0.0
    for i in range(count):
        weight = nearly_exponential(load_double(values + 8 * i) - largest)
        store_double(weights + 8 * i, weight)
        total += weight
    left = share * total
    for i in range(count - 1):
        left -= load_double(weights + 8 * i)
        if left < -_MARGIN * total:
            return i
        if not left > _MARGIN * total:  # also not-a-number
            return -1
    return count - 1


@inner
def draw_softmax(policy: int, random: int, count: int) -> int:
    """Index of an action drawn with probability proportional to exp(a_i) from the a_i in `values`.

    Exponentials to the last bit are seldom needed to tell which one it is.
    """
    p = policy_at(policy)
    share = next_double(random)
    chosen = draw_nearly(policy, share, count)
    if chosen >= 0:
        return chosen
    left = share * exponentiate(p.values, count)
    for i in range(count - 1):
        left -= load_double(p.values + 8 * i)
        if left < 0.0:
            return i
    return count - 1
