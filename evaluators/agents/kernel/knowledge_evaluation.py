"""Knowledge-based evaluation: which kinds of things are worth going to, learned while searching.

Every kind has a weight, at first that of a thing of its category, then moved towards the change of score that its
meetings with the avatar (or what the avatar made) brought. A simulation without a change of score is worth how much
nearer it came to what has a positive weight (Perez, Samothrakis and Lucas 2014; Soemers, Sironi, Schuster and Winands
2016); what harms does not hold the avatar off, as it may stand in the way of more.
Distances are those of the protocol's features, straight across the grid; the paper searches paths.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import LOST, WON, features, is_over, last_events, outcome, score
from pcg.engine.kernel.runtime import copy_bytes, inner, load64, load_double, store_double, view_of
from pcg.evaluators.agents.kernel.decision import decision_at

KNOWLEDGE = np.dtype(
    [
        ("kinds", "i8"),  # number of kinds
        ("initial", "i8"),  # float64[kinds]: weights before anything is known
        ("weights", "i8"),  # float64[2 * kinds]: a weight and a learning rate for each kind
        ("committed", "i8"),  # the same as the last finished decision left it
        ("before", "i8"),  # float64[2 * kinds]: features of the state to decide about
        ("score", "f8"),  # its score
        ("events", "i8"),  # int64[MOST_EVENTS][4]: scratch
    ],
    align=True,
)

MOST_EVENTS = 16
"""Events of one tick that are looked at."""
FIRST_RATE, LEAST_RATE, RATE_DECAY = 0.8, 0.1, 0.75
"""Learning rate of a kind at its first event, at its last, and what it is multiplied by after each."""

knowledge_at = view_of(KNOWLEDGE)


@inner
def clear_knowledge(knowledge: int) -> None:
    """Forget everything learned."""
    k = knowledge_at(knowledge)
    for kind in range(k.kinds):
        store_double(k.weights + 16 * kind, load_double(k.initial + 8 * kind))
        store_double(k.weights + 16 * kind + 8, FIRST_RATE)


@inner
def recall(decision: int, knowledge: int, state: int, again: int) -> None:
    """Begin a decision about the state; `again` when it was begun before and failed for want of memory."""
    d = decision_at(decision)
    k = knowledge_at(knowledge)
    if again == 1:
        copy_bytes(k.weights, k.committed, 16 * k.kinds)
    else:
        copy_bytes(k.committed, k.weights, 16 * k.kinds)
    k.score = score(d.model, state, d.player)
    features(d.model, state, d.player, k.before, 2 * k.kinds)


@inner
def learn(decision: int, knowledge: int, state: int, before: float) -> None:
    """Learn from the events of the last tick, before which the score was `before`."""
    d = decision_at(decision)
    k = knowledge_at(knowledge)
    count = last_events(d.model, state, k.events, MOST_EVENTS)
    if count == 0:
        return
    gain = max(min(score(d.model, state, d.player) - before, 1.0), -1.0)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            gain = 1.0
        elif result == LOST:
            gain = -1.0
    for n in range(count):
        kind = load64(k.events + 32 * n + 16)
        if 0 <= kind < k.kinds:
            at = k.weights + 16 * kind
            rate = load_double(at + 8)
            store_double(at, load_double(at) + rate * (gain - load_double(at)))
            store_double(at + 8, max(LEAST_RATE, RATE_DECAY * rate))


@inner
def approach(decision: int, knowledge: int, state: int) -> float:
    """Return the progress of a state towards what has weight, in [-1/2, 1/2]; 0 when its score differs."""
    d = decision_at(decision)
    k = knowledge_at(knowledge)
    if score(d.model, state, d.player) != k.score:
        return 0.0
    total = 0.0
    for n in range(features(d.model, state, d.player, d.features, 2 * k.kinds) // 2):
        was = load_double(k.before + 16 * n + 8)
        weight = load_double(k.weights + 16 * n)
        if was > 0.0 and weight > 0.0:
            now = max(load_double(d.features + 16 * n + 8), 0.0)  # what is gone has been reached
            total += weight * (was - now) / was
    return 0.5 * total / (1.0 + abs(total))
