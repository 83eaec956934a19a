"""Alpha-beta search for boards: what its kernel needs, and its entry in the table."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.kernel import alphabeta as kernel
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.agents.simple import HEURISTICS, prepare_heuristic
from pcg.evaluators.parameters import Parameter

SCORE = "score"
"""The heuristic that is none: the score less the other's, which is even on a board until somebody has won."""


class AlphaBeta(CompiledAgent):
    """Alpha-beta search, deepened tick by tick as far as the depth and the budget allow.

    Made for two players who take turns in games without chance. Several others are taken to stand together, players who
    move at once to see the move, and chance to fall as in one imagined future. Equally good moves are chosen from at
    random.

    Args:
        depth: ticks looked ahead at most.
        heuristic: what a state is worth where the search ends: "score", or a name of `HEURISTICS`.
    """

    entry_point: ClassVar[EntryPoint] = kernel.decide_alphabeta

    def __init__(self, *, depth: int = 4, heuristic: str = SCORE, **common: Any) -> None:
        self.depth = depth
        self.heuristic = heuristic
        super().__init__(**common)

    def prepare(self, model: Model, record: Record) -> None:
        record["heuristic"] = 0
        if self.heuristic != SCORE:
            prepare_heuristic(model, record, self.heuristic)
        frames = model.players * self.depth + 1
        search = record.own("search", Record(kernel.ALPHABETA, most=self.depth))
        search.point("frames", np.zeros(frames, dtype=kernel.FRAME))
        search.point("options", np.zeros((frames, model.max_actions + 1), dtype=np.int64))
        search.point("joints", np.zeros((self.depth, model.players), dtype=np.int64))
        search["option_bytes"] = 8 * (model.max_actions + 1)
        search["stride"] = search.point_to_pool("states", model.pool(self.depth + 1)).stride


register(
    AgentType(
        "alphabeta",
        AlphaBeta,
        "alpha-beta search with iterative deepening, for boards",
        (
            Parameter("depth", 4, "ticks looked ahead at most", low=1, high=200),
            Parameter("heuristic", SCORE, "what a state is worth where the search ends", choices=(SCORE, *HEURISTICS)),
        ),
        "Knuth and Moore, An Analysis of Alpha-Beta Pruning, 1975; Sturtevant and Korf, On Pruning Techniques for "
        "Multi-Player Games, 2000",
    )
)
