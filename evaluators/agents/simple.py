"""Agents that do not search: doing nothing, random actions, and one-step look-ahead."""

from __future__ import annotations

from typing import ClassVar

from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import parameter
from pcg.evaluators.agents.compiled import CompiledAgent, Record
from pcg.evaluators.agents.heuristics import HEURISTICS, prepare_heuristic
from pcg.evaluators.agents.kernel.simple import decide_nothing, decide_onestep, decide_random
from pcg.evaluators.agents.registry import register
from pcg.evaluators.parameters import NamesOf


@register("nothing", "does nothing, ever")
class Nothing(CompiledAgent):
    """An agent that never does anything: a game that it wins needs no player."""

    entry_point: ClassVar[EntryPoint] = decide_nothing


@register("random", "plays available actions uniformly at random")
class Random(CompiledAgent):
    """An agent that plays an available action, uniformly at random."""

    entry_point: ClassVar[EntryPoint] = decide_random


@register(
    "onestep",
    "tries every action once and takes the best next state",
    paper="Perez Liebana et al., The 2014 General Video Game Playing Competition, 2016",
)
class OneStep(CompiledAgent):
    """One-step look-ahead: tries every available action once and plays the one whose next state looks best."""

    entry_point: ClassVar[EntryPoint] = decide_onestep

    heuristic: str = parameter("winscore", "what a good state is", choices=NamesOf(HEURISTICS))
    samples: int = parameter(1, "simulations per action, averaged; more help against chance", low=1, high=10_000)

    @property
    def rules_read(self) -> str:
        """Part of the rules that its heuristic reads."""
        return HEURISTICS.find(self.heuristic).reads_rules

    def prepare(self, model: Model, record: Record) -> None:
        record["search"] = self.samples
        prepare_heuristic(model, record, self.heuristic)
