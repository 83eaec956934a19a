"""Alpha-beta search for boards: memory and parameters around `kernel.alphabeta`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.heuristics import HEURISTICS, prepare_heuristic
from pcg.evaluators.agents.kernel.alphabeta import ALPHABETA, FRAME, decide_alphabeta
from pcg.evaluators.agents.registry import register
from pcg.evaluators.parameters import NamesOf


@register(
    "alphabeta",
    "alpha-beta search with iterative deepening, for boards",
    paper="Knuth and Moore, An Analysis of Alpha-Beta Pruning, 1975; Sturtevant and Korf, On Pruning Techniques for "
    "Multi-Player Games, 2000",
)
class AlphaBeta(CompiledAgent):
    """Alpha-beta search, deepened tick by tick as far as the depth and the budget allow.

    Made for two players who take turns in games without chance. Several others are taken to stand together, players who
    move at once to see the move, and chance to fall as in one imagined future. Equally good moves are chosen from at
    random.
    """

    entry_point: ClassVar[EntryPoint] = decide_alphabeta

    depth: int = parameter(4, "ticks looked ahead at most", low=1, high=200)
    heuristic: str = parameter("score", "what a state is worth where the search ends", choices=NamesOf(HEURISTICS))

    @property
    def rules_read(self) -> str:
        """Part of the rules that its heuristic reads."""
        return HEURISTICS.find(self.heuristic).reads_rules

    def prepare(self, model: Model, record: Record) -> None:
        prepare_heuristic(model, record, self.heuristic)
        frames = model.players * self.depth + 1
        search = record.own("search", Record(ALPHABETA, most=self.depth))
        search.point("frames", np.zeros(frames, dtype=FRAME))
        search.point("options", np.zeros((frames, model.max_actions + 1), dtype=np.int64))
        search.point("joints", np.zeros((self.depth, model.players), dtype=np.int64))
        search["option_bytes"] = 8 * (model.max_actions + 1)
        search["stride"] = search.point_to_pool("states", model.pool(self.depth + 1)).stride
