"""Temporal-difference back-up for tree search: the lambda-returns of SARSA-UCT(lambda).

Plain tree search backs up what a whole simulation is worth. Here an action's value learns from the reward of its own
tick and, by shares, from what the tree already says about the next action and from what this simulation saw later:
G_k = r_k + gamma ((1 - lambda) Q_(k+1) + lambda G_(k+1)), where Q is 0 below the tree. The step size is one over the
visits, so that a value is the mean of its returns; with lambda and gamma 1 it is the mean sum of rewards. Source:
Vodopivec, Samothrakis and Ster, On Monte Carlo Tree Search and Reinforcement Learning, 2017 (Sarsa-UCT(lambda), with
the bounds of the values kept for every node).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import LOST, WON, is_over, outcome, score
from pcg.engine.kernel.runtime import inner, load32, load_double, store_double, view_of
from pcg.evaluators.agents.kernel.decision import decision_at
from pcg.evaluators.agents.kernel.tree import tree_at

RETURNS = np.dtype(
    [
        ("trace", "f8"),  # lambda
        ("discount", "f8"),  # gamma
        ("others", "f8"),  # share of the best other player's gain that counts as a loss
        ("rewards", "i8"),  # float64[depth + 1]: of the ticks of the current simulation
        ("worth", "f8"),  # of the state before the next tick
    ],
    align=True,
)

returns_at = view_of(RETURNS)


@inner
def worth_of(decision: int, state: int) -> float:
    """The score, with the bonus of a win or the malus of a loss once the game is over, less a share of the others'."""
    d = decision_at(decision)
    t = tree_at(d.search)
    r = returns_at(t.returns)
    value = score(d.model, state, d.player)
    if r.others > 0.0 and d.players > 1:
        best = -1.0e300
        for player in range(d.players):
            if player != d.player:
                best = max(best, score(d.model, state, player))
        value -= r.others * best
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            value += t.win_bonus
        elif result == LOST:
            value -= t.win_bonus
    return value


@inner
def begin_rewards(decision: int, state: int) -> None:
    """Begin a simulation from this state."""
    returns_at(tree_at(decision_at(decision).search).returns).worth = worth_of(decision, state)


@inner
def note_reward(decision: int, state: int, depth: int) -> None:
    """Write down the reward of the tick that led to this state, `depth` ticks below the root."""
    r = returns_at(tree_at(decision_at(decision).search).returns)
    worth = worth_of(decision, state)
    store_double(r.rewards + 8 * depth, worth - r.worth)
    r.worth = worth


@inner
def back_up_returns(decision: int, length: int, ticks: int) -> None:
    """Let the `length` nodes of the path learn their lambda-returns of a simulation of so many ticks.

    A node stands for the action that leads to it: node k learns the return of tick k - 1. Its bounds are those of the
    returns of the actions below it, by which they are compared.
    """
    d = decision_at(decision)
    t = tree_at(d.search)
    r = returns_at(t.returns)
    later = 0.0
    following = 0.0  # what the tree said of the action after the one at hand
    for step in range(ticks):
        k = ticks - 1 - step
        later = load_double(r.rewards + 8 * k) + r.discount * ((1.0 - r.trace) * following + r.trace * later)
        following = 0.0
        if k + 1 < length:
            node = load32(t.path + 4 * (k + 1))
            visits = load_double(t.visits + 8 * node)
            total = load_double(t.total + 8 * node)
            if visits > 0.0:
                following = total / visits
            store_double(t.visits + 8 * node, visits + 1.0)
            store_double(t.total + 8 * node, total + later)
        if k < length:
            above = load32(t.path + 4 * k)
            if later < load_double(t.low + 8 * above):
                store_double(t.low + 8 * above, later)
            if later > load_double(t.high + 8 * above):
                store_double(t.high + 8 * above, later)
    root = load32(t.path)
    store_double(t.visits + 8 * root, load_double(t.visits + 8 * root) + 1.0)
