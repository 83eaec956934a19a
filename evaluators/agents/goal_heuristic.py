"""Goal heuristic: weights of features that estimate how far a state is from being won, read from a game's rules.

Reads the analysis of a VGDL game: every sprite that must vanish counts, and so does the way to the nearest of them. It
is a guide, not a bound: an estimate may be too high (one move may remove many) or too low (walls, keys, detours).
"""

from __future__ import annotations

import numpy as np

from pcg.engine.model import Model
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents.compiled import Array
from pcg.evaluators.definition_cache import once_per_definition

PER_GOAL = 10.0
"""Ticks that a sprite which must vanish stands for, beside the way to it."""


def goal_weights(model: Model) -> Array | None:
    """Weights of the model's features whose sum estimates the ticks to a win; None when the rules do not say.

    float64[2 * types]: `PER_GOAL` for the number of each type that must vanish, and 1 for the distance of its nearest
    sprite in cells; the same for what must be collected first (a key for a door).
    """
    definition = model.definition
    if not isinstance(definition, GameDefinition):
        return None
    return _read(definition)


@once_per_definition
def _read(definition: GameDefinition) -> Array | None:
    # the analysis brings a graph library along, which most plays do not need
    from pcg.evaluators.analysis import analyse
    from pcg.evaluators.requirements import requirements

    analysis = analyse(definition)
    weights = np.zeros(2 * len(definition.types), dtype=np.float64)
    wanted: set[int] = set()
    for ending in analysis.wins:
        if ending.kind == "vanish":
            wanted.update(ending.types)
        elif ending.kind == "appear":
            for t in ending.types:
                weights[2 * t] = -PER_GOAL
    for need in requirements(analysis).needs:
        if need.base in wanted and analysis.has(need.other, "collectable"):
            wanted.add(need.other)
    for t in wanted:
        weights[2 * t] = PER_GOAL
        weights[2 * t + 1] = 1.0
    return weights if weights.any() else None
