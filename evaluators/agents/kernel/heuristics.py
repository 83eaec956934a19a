"""State heuristics: values of a state for a player, without searching further.

A heuristic is an entry point ``f8(decision, state)``. Among these are the two of the reference's sample agents
(reference/agents 11.4); the second in the sensible reading: distances are measured from the avatar, and the nearest is
really the nearest. Others weigh the features of a state; solvers take such a sum for the ticks to a win.
"""

from __future__ import annotations

from pcg.engine.kernel.protocol import LOST, WON, features, is_over, outcome, score
from pcg.engine.kernel.runtime import entry_point, inner, load64, load_double
from pcg.evaluators.agents.kernel.decision import decision_at

CATEGORIES: tuple[str, ...] = ("", "avatar", "npc", "portal", "resource", "movable", "static")
"""Kinds of things that a model may count (`Model.categories`); the index is the category's id."""

_NPC = 2
_PORTAL = 3
_WIN = 1.0e9


@entry_point("f8(i8, i8)")
def win_score(decision: int, state: int) -> float:
    """The player's score; -1000 when lost, +1000 when won."""
    d = decision_at(decision)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == LOST:
            return -1000.0
        if result == WON:
            return 1000.0
    return score(d.model, state, d.player)


@inner
def lead(decision: int, state: int) -> float:
    """The player's score less the best of the others'."""
    d = decision_at(decision)
    own = score(d.model, state, d.player)
    if d.players == 1:
        return own
    best = -1.0e300
    for turn in range(1, d.players):
        best = max(best, score(d.model, state, (d.player + turn) % d.players))
    return own - best


@entry_point("f8(i8, i8)")
def score_lead(decision: int, state: int) -> float:
    """The player's score less the best of the others', which is even on a board until somebody has won."""
    return lead(decision, state)


@entry_point("f8(i8, i8)")
def simple_state(decision: int, state: int) -> float:
    """Score, minus 10 d^2 to the nearest portal; in a game without portals fewer and nearer NPCs are better.

    Distances d are in cells. Without portals: minus 100 for each NPC and d^2 / 100 to the nearest.
    """
    d = decision_at(decision)
    value = score(d.model, state, d.player)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == LOST:
            return -_WIN
        if result == WON:
            return _WIN + value
    count = features(d.model, state, d.player, d.features, 2 * d.kind_count) // 2
    npcs = 0.0
    npc_distance = -1.0
    has_portals = 0
    portal_distance = -1.0
    for k in range(count):
        kind = load64(d.kinds + 8 * k)
        alive = load_double(d.features + 16 * k)
        distance = load_double(d.features + 16 * k + 8)
        if kind == _NPC:
            npcs += alive
            if distance >= 0.0 and (npc_distance < 0.0 or distance < npc_distance):
                npc_distance = distance
        elif kind == _PORTAL:
            has_portals = 1
            if distance >= 0.0 and (portal_distance < 0.0 or distance < portal_distance):
                portal_distance = distance
    if has_portals == 1:
        if portal_distance > 0.0:
            value -= 10.0 * portal_distance * portal_distance
    else:
        value -= 100.0 * npcs
        if npc_distance > 0.0:
            value -= npc_distance * npc_distance / 100.0
    return value


_PER_POINT = 10.0
"""Ticks that a point stands for where nothing else is known of the way to a win."""


@inner
def weigh(decision: int, state: int) -> float:
    """Sum of the features (numbers alive, distances of the nearest) times their weights; an absent kind is 0 away."""
    d = decision_at(decision)
    value = 0.0
    for k in range(features(d.model, state, d.player, d.features, 2 * d.kind_count)):
        feature = load_double(d.features + 8 * k)
        if feature > 0.0:
            value += feature * load_double(d.weights + 8 * k)
    return value


@entry_point("f8(i8, i8)")
def weighted_features(decision: int, state: int) -> float:
    """The weighted sum of features: what solvers and guided searches take for the ticks to a win."""
    return weigh(decision, state)


@entry_point("f8(i8, i8)")
def features_less_points(decision: int, state: int) -> float:
    """The weighted sum of features less `_PER_POINT` per point of score: ticks to a win by what has been observed."""
    d = decision_at(decision)
    return weigh(decision, state) - _PER_POINT * score(d.model, state, d.player)


@entry_point("f8(i8, i8)")
def goal_distance(decision: int, state: int) -> float:
    """The score less the weighted sum of features; one billion when won, minus that when lost."""
    d = decision_at(decision)
    value = score(d.model, state, d.player)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == LOST:
            return -_WIN
        if result == WON:
            return _WIN + value
    return value - weigh(decision, state)
