"""Agents that do not search: nothing, random, one-step look-ahead; and the table of state heuristics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pcg.engine.boards import ConnectX
from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.evaluators.agents.base import AgentError
from pcg.evaluators.agents.compiled import Array, CompiledAgent, Record
from pcg.evaluators.agents.goals import goal_weights
from pcg.evaluators.agents.kernel import heuristics as heuristics_kernel
from pcg.evaluators.agents.kernel import simple as simple_kernel
from pcg.evaluators.agents.registry import AgentType, register
from pcg.evaluators.parameters import Parameter

_LINE = 1e6
_THEIR_LINE = 1e4
_THEIR_THREAT = 100.0


@dataclass(frozen=True, slots=True)
class Heuristic:
    """How good a state looks: an entry point ``f8(decision, state)`` and one line of help."""

    name: str
    entry_point: EntryPoint
    help: str


HEURISTICS: Mapping[str, Heuristic] = {
    h.name: h
    for h in (
        Heuristic("winscore", heuristics_kernel.win_score, "the score; -1000 when lost, +1000 when won"),
        Heuristic(
            "simple",
            heuristics_kernel.simple_state,
            "the score, less 10 d^2 to the nearest portal; without portals less 100 per NPC and d^2/100 to the nearest",
        ),
        Heuristic(
            "goals",
            heuristics_kernel.goal_distance,
            "the score, less 10 per sprite that must vanish to win and 1 per cell to the nearest of each kind",
        ),
        Heuristic(
            "windows",
            heuristics_kernel.weighted_features,
            "for boards with lines: own lines a million each, lines but for a gap 1; the other's -10000 and -100",
        ),
    )
}
"""State heuristics by name (reference/agents 11.4)."""


def prepare_features(model: Model, record: Record) -> None:
    """Memory for the features of a model, and the category of each pair of them."""
    known = {name: index for index, name in enumerate(heuristics_kernel.CATEGORIES)}
    kinds = np.array([known.get(c, 0) for c in model.categories], dtype=np.int64)
    record["kind_count"] = len(kinds)
    record.point("kinds", kinds)
    record.point("features", np.zeros(2 * len(kinds) + 1, dtype=np.float64))


def prepare_weights(record: Record, weights: Array) -> None:
    """Let the heuristic of a decision be the features times the weights."""
    record["kind_count"] = len(weights) // 2
    record.point("features", np.zeros(len(weights), dtype=np.float64))
    record.point("weights", np.ascontiguousarray(weights, dtype=np.float64))
    record["heuristic"] = heuristics_kernel.weighted_features.address


def prepare_heuristic(model: Model, record: Record, name: str) -> None:
    """Memory and weights for a heuristic of the table, and its entry_point.

    Raises:
        AgentError: the heuristic is not for this game.
    """
    prepare_features(model, record)
    if name == "goals":
        weights = goal_weights(model)
        prepare_weights(record, weights if weights is not None else np.zeros(0))
    elif name == "windows":
        prepare_weights(record, window_weights(model))
    record["heuristic"] = HEURISTICS[name].entry_point.address


def window_weights(model: Model) -> Array:
    """Weights of the windows of a ConnectX board by the discs in them: the heuristic of Kaggle's course on game AI.

    float64[2 * inarow]; on a board where one disc is a line nothing lacks a single disc.

    Raises:
        AgentError: the game is another one.
    """
    if not isinstance(model.definition, ConnectX):
        raise AgentError(f"the heuristic `windows` is for ConnectX, not for {model!r}")
    inarow = model.definition.inarow
    weights = np.zeros(2 * inarow, dtype=np.float64)
    weights[inarow - 1], weights[2 * inarow - 1] = _LINE, -_THEIR_LINE
    if inarow > 1:
        weights[inarow - 2], weights[2 * inarow - 2] = 1.0, -_THEIR_THREAT
    return weights


class Nothing(CompiledAgent):
    """Never does anything."""

    entry_point: ClassVar[EntryPoint] = simple_kernel.decide_nothing


class Random(CompiledAgent):
    """Plays an available action, uniformly at random."""

    entry_point: ClassVar[EntryPoint] = simple_kernel.decide_random


class OneStep(CompiledAgent):
    """Tries every available action once and plays the one whose next state looks best.

    Args:
        heuristic: name of a state heuristic, see `HEURISTICS`.
        samples: simulations of each action, whose values are averaged; more than one helps in stochastic games.
    """

    entry_point: ClassVar[EntryPoint] = simple_kernel.decide_onestep

    def __init__(self, *, heuristic: str = "winscore", samples: int = 1, **common: Any) -> None:
        self.heuristic = HEURISTICS[heuristic]
        self.samples = samples
        super().__init__(**common)

    def prepare(self, model: Model, record: Record) -> None:
        record["search"] = self.samples
        prepare_heuristic(model, record, self.heuristic.name)


register(AgentType("nothing", Nothing, "does nothing, ever"))
register(AgentType("random", Random, "plays available actions uniformly at random"))
register(
    AgentType(
        "onestep",
        OneStep,
        "tries every action once and takes the best next state",
        (
            Parameter("heuristic", "winscore", "what a good state is", choices=tuple(HEURISTICS)),
            Parameter("samples", 1, "simulations per action, averaged", low=1, high=10_000),
        ),
        "Perez Liebana et al., The 2014 General Video Game Playing Competition, 2016",
    )
)
