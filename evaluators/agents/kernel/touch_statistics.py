"""Statistics of touched sprites, and the attraction of each kind of sprite that follows from them.

Every simulated tick is a lesson: what was touched by the avatar or by what it shot, how the score changed, and whether
the avatar died of it. The heuristic draws towards kinds that gave points or are not known yet, and away from deadly
ones. After the reports on YBCriber (competition winner at CEEC 2015), in our own reading.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import features, last_events
from pcg.engine.kernel.runtime import inner, load64, load_double, store64, store_double, view_of
from pcg.evaluators.agents.kernel.decision import decision_at

KNOWLEDGE = np.dtype(
    [
        ("kinds", "i8"),  # types of sprites; 0: nothing is learnt
        ("events", "i8"),  # int64[4 * event_room]: scratch
        ("event_room", "i8"),
        ("touches", "i8"),  # int64[2 * kinds]: ticks with a touch of the kind: by the avatar, then by its projectiles
        ("deaths", "i8"),  # int64[2 * kinds]: in how many of them the avatar died
        ("points", "i8"),  # float64[2 * kinds]: sum of the changes of score in them
        ("worth", "i8"),  # float64[kinds]: between -1 (keep away) and 1 (go there)
    ],
    align=True,
)

knowledge_at = view_of(KNOWLEDGE)

_RESOURCE, _PORTAL, _AVATAR = 4, 3, 1
_UNKNOWN = 0.3
_USEFUL = 0.2
_SHOT = 0.6


@inner
def learn(decision: int, knowledge: int, state: int, points: float, died: int) -> None:
    """Note what was touched in the tick that led to the state, and what came of it."""
    d = decision_at(decision)
    w = knowledge_at(knowledge)
    if w.kinds == 0:
        return
    for i in range(last_events(d.model, state, w.events, w.event_room)):
        kind = load64(w.events + 32 * i + 16)
        if 0 <= kind and kind < w.kinds:
            if load64(w.events + 32 * i) != 0:
                kind += w.kinds
            store64(w.touches + 8 * kind, load64(w.touches + 8 * kind) + 1)
            store64(w.deaths + 8 * kind, load64(w.deaths + 8 * kind) + died)
            store_double(w.points + 8 * kind, load_double(w.points + 8 * kind) + points)


@inner
def mean_points(knowledge: int, kind: int) -> float:
    """Mean change of score in the ticks with a touch of the kind; 0 without any."""
    w = knowledge_at(knowledge)
    touches = load64(w.touches + 8 * kind)
    if touches == 0:
        return 0.0
    return load_double(w.points + 8 * kind) / touches


@inner
def judge_kinds(decision: int, knowledge: int) -> None:
    """Work out what each kind is worth from what is known by now."""
    d = decision_at(decision)
    w = knowledge_at(knowledge)
    most = 0.0
    for kind in range(2 * w.kinds):
        most = max(most, mean_points(knowledge, kind))
    for kind in range(w.kinds):
        touches = load64(w.touches + 8 * kind)
        shots = load64(w.touches + 8 * (kind + w.kinds))
        category = load64(d.kinds + 8 * kind)
        worth = 0.0
        if category != _AVATAR:
            if touches + shots == 0:
                worth = _UNKNOWN
            elif category == _RESOURCE or category == _PORTAL:
                worth = _USEFUL
            if touches > 0:
                mean = mean_points(knowledge, kind)
                if 2 * load64(w.deaths + 8 * kind) > touches:
                    worth = -_UNKNOWN
                elif mean > 0.0:
                    worth = 0.5 + 0.5 * mean / most
                elif mean < 0.0:
                    worth = 0.0
            mean = mean_points(knowledge, kind + w.kinds)
            if mean > 0.0:
                worth = max(worth, _SHOT * (0.5 + 0.5 * mean / most))
        store_double(w.worth + 8 * kind, worth)


@inner
def attraction(decision: int, knowledge: int, state: int) -> float:
    """Return the value of the avatar's position, in [-1, 1]: the best thing near, and the worst beside it."""
    d = decision_at(decision)
    w = knowledge_at(knowledge)
    best = 0.0
    worst = 0.0
    for kind in range(features(d.model, state, d.player, d.features, 2 * w.kinds) // 2):
        distance = load_double(d.features + 16 * kind + 8)
        worth = load_double(w.worth + 8 * kind)
        if distance >= 0.0:
            if worth > 0.0:
                best = max(best, worth * 8.0 / (8.0 + distance))
            elif worth < 0.0:
                worst = min(worst, worth / (1.0 + distance))
    return best + worst
