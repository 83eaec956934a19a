"""Knowledge from the events of an agent's simulations: how often each type was met, and what that did to the score.

A knowledge base has an item for every kind of sprite met by the avatar, and another for those met by what the avatar
made: a number of occurrences Z and a mean change of score x. It gives rollouts that score nothing a reward: for what
happened seldom (curiosity) and for coming near what is unknown or was worth something (experience). Source: Perez,
Samothrakis and Lucas, Knowledge-based Fast Evolutionary MCTS for General Video Game Playing, 2014.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import last_events
from pcg.engine.kernel.runtime import copy_bytes, inner, load8, load64, load_double, store64, store_double, view_of

EVENT_ROOM = 64
"""Events of one tick that are looked at."""

KNOWLEDGE = np.dtype(
    [
        ("kinds", "i8"),  # kinds of sprites; item k: the avatar met kind k, item kinds + k: what it made met kind k
        ("used", "i8"),  # int8[kinds]: 1 for kinds that have items; events of others are not learnt
        ("alpha", "f8"),  # weight of curiosity
        ("beta", "f8"),  # weight of experience
        ("counts", "i8"),  # int64[2 * kinds]: Z, occurrences of each item
        ("gains", "i8"),  # float64[2 * kinds]: x, mean change of score at its occurrences; lies behind the counts
        ("saved", "i8"),  # counts and gains as they were before the decision
        ("before", "i8"),  # int64[2 * kinds]: Z_0, occurrences before the rollout
        ("distances", "i8"),  # float64[kinds]: D_0, cells to the nearest of each kind before the rollout, -1: none
        ("events", "i8"),  # int64[EVENT_ROOM][4]: those of a tick
    ],
    align=True,
)

knowledge_at = view_of(KNOWLEDGE)


@inner
def save_knowledge(knowledge: int) -> None:
    """Remember what is known, in case the decision has to be made again."""
    k = knowledge_at(knowledge)
    copy_bytes(k.saved, k.counts, 32 * k.kinds)


@inner
def restore_knowledge(knowledge: int) -> None:
    """Forget what was learnt since `save_knowledge`."""
    k = knowledge_at(knowledge)
    copy_bytes(k.counts, k.saved, 32 * k.kinds)


@inner
def mark_start(knowledge: int, features: int, pairs: int) -> None:
    """Keep the distances D_0 of a state whose features lie at an address."""
    k = knowledge_at(knowledge)
    for kind in range(k.kinds):
        distance = -1.0
        if kind < pairs:
            distance = load_double(features + 16 * kind + 8)
        store_double(k.distances + 8 * kind, distance)


@inner
def begin_rollout(knowledge: int) -> None:
    """Keep the occurrences Z_0."""
    k = knowledge_at(knowledge)
    copy_bytes(k.before, k.counts, 16 * k.kinds)


@inner
def learn(knowledge: int, item: int, change: float) -> None:
    """Count one occurrence of an item, in a tick that changed the score by so much."""
    k = knowledge_at(knowledge)
    count = load64(k.counts + 8 * item) + 1
    mean = load_double(k.gains + 8 * item)
    store64(k.counts + 8 * item, count)
    store_double(k.gains + 8 * item, mean + (change - mean) / count)


@inner
def learn_events(knowledge: int, model: int, state: int, change: float) -> None:
    """Learn from the last tick of a state; each of its events is held to have changed the score."""
    k = knowledge_at(knowledge)
    for event in range(last_events(model, state, k.events, EVENT_ROOM)):
        at = k.events + 32 * event
        kind = load64(at + 16)
        if 0 <= kind < k.kinds and load8(k.used + kind) != 0:
            learn(knowledge, kind + k.kinds * load64(at), change)


@inner
def learn_contacts(knowledge: int, features: int, pairs: int) -> None:
    """Count a collision with every kind that the avatar overlaps in the state of these features and never met before.

    Colliding with a kind that no rule mentions is no event; without this such kinds would attract the avatar for ever.
    """
    k = knowledge_at(knowledge)
    for kind in range(min(k.kinds, pairs)):
        distance = load_double(features + 16 * kind + 8)
        if (
            load8(k.used + kind) != 0
            and 0.0 <= distance < 1.0
            and load64(k.counts + 8 * kind) + load64(k.counts + 8 * (k.kinds + kind)) == 0
        ):
            learn(knowledge, kind, 0.0)


@inner
def curiosity(knowledge: int) -> float:
    """Delta Z of the rollout: the sum of Z_F for what happened for the first time, of Z_F / Z_0 - 1 for the rest."""
    k = knowledge_at(knowledge)
    total = 0.0
    for item in range(2 * k.kinds):
        start = load64(k.before + 8 * item)
        end = load64(k.counts + 8 * item)
        if start == 0:
            total += end
        elif end != start:
            total += end / start - 1.0
    return total


@inner
def experience(knowledge: int, features: int, pairs: int) -> float:
    """Delta D of the rollout: the sum of 1 - D_F / D_0 over the kinds never met, and those whose x is positive.

    A kind that is not there before or after the rollout, or was in the avatar's cell before, adds nothing. Whether the
    avatar or what it made has met a kind does not matter here: the distance is the same.
    """
    k = knowledge_at(knowledge)
    total = 0.0
    for kind in range(min(k.kinds, pairs)):
        start = load_double(k.distances + 8 * kind)
        end = load_double(features + 16 * kind + 8)
        if start > 0.0 and end >= 0.0 and load8(k.used + kind) != 0:
            made = k.kinds + kind
            known = load64(k.before + 8 * kind) + load64(k.before + 8 * made)
            gain = load64(k.counts + 8 * kind) * load_double(k.gains + 8 * kind)
            gain += load64(k.counts + 8 * made) * load_double(k.gains + 8 * made)
            if known == 0 or gain > 0.0:
                total += 1.0 - end / start
    return total
