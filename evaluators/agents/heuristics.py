"""State heuristics: how good a state looks without searching further, by name, and what they need prepared.

Agents that judge states by a heuristic take its name as a parameter. Users add their own to `HEURISTICS`: an entry
point ``f8(decision, state)`` and, where it needs more than the features of a state, a function that prepares a record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pcg.engine.boards import ConnectX
from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.model import Model
from pcg.engine.registry import Registry
from pcg.evaluators.agents.base import NO_RULES, RULES, AgentError
from pcg.evaluators.agents.compiled import Array, Record
from pcg.evaluators.agents.goal_heuristic import goal_weights
from pcg.evaluators.agents.kernel.heuristics import (
    CATEGORIES,
    goal_distance,
    score_lead,
    simple_state,
    weighted_features,
    win_score,
)

_LINE = 1e6
_THEIR_LINE = 1e4
_THEIR_THREAT = 100.0


def prepare_features(model: Model, record: Record) -> None:
    """Give a DECISION record memory for the features of a model, and the category of each pair of them."""
    known = {name: index for index, name in enumerate(CATEGORIES)}
    kinds = np.array([known.get(c, 0) for c in model.categories], dtype=np.int64)
    record["kind_count"] = len(kinds)
    record.point("kinds", kinds)
    record.point("features", np.zeros(2 * len(kinds) + 1, dtype=np.float64))


def prepare_weights(record: Record, weights: Array) -> None:
    """Let the heuristic of a DECISION record be the features times the weights (float64[2 * kinds])."""
    record["kind_count"] = len(weights) // 2
    record.point("features", np.zeros(len(weights), dtype=np.float64))
    record.point("weights", np.ascontiguousarray(weights, dtype=np.float64))
    record["heuristic"] = weighted_features.address


def prepare_goals(model: Model, record: Record) -> None:
    """Prepare `goal_weights` as weights; none where the rules say nothing."""
    prepare_features(model, record)
    weights = goal_weights(model)
    prepare_weights(record, weights if weights is not None else np.zeros(0))


def prepare_windows(model: Model, record: Record) -> None:
    """Prepare `window_weights`.

    Raises:
        AgentError: the game is not ConnectX.
    """
    prepare_features(model, record)
    prepare_weights(record, window_weights(model))


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


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A state heuristic.

    Attributes:
        name: in `HEURISTICS`.
        entry_point: value of a state for the player of a decision, ``f8(decision, state)``; more is better.
        help: a phrase that says what it values.
        prepare: gives a DECISION record what the entry point reads; by default memory for features.
        reads_rules: part of a game's rules that it reads, as `Agent.reads_rules`.
    """

    name: str
    entry_point: EntryPoint
    help: str
    prepare: Callable[[Model, Record], None] = prepare_features
    reads_rules: str = NO_RULES


HEURISTICS: Registry[Heuristic] = Registry("state heuristic", group="pcg.heuristics")
"""State heuristics by name (reference/agents 11.4); packages add theirs by entry points of the group
``pcg.heuristics``."""

for _one in (
    Heuristic("winscore", win_score, "the score; -1000 when lost, +1000 when won"),
    Heuristic("score", score_lead, "the score less the best of the other players'"),
    Heuristic(
        "simple",
        simple_state,
        "the score, less 10 d^2 to the nearest portal; without portals less 100 per NPC and d^2/100 to the nearest",
    ),
    Heuristic(
        "goals",
        goal_distance,
        "the score, less 10 per sprite that must vanish to win and 1 per cell to the nearest of each kind",
        prepare_goals,
        RULES,
    ),
    Heuristic(
        "windows",
        weighted_features,
        "for boards with lines: own lines a million each, lines but for a gap 1; the other's -10000 and -100",
        prepare_windows,
        RULES,
    ),
):
    HEURISTICS.register(_one.name, _one)


def prepare_heuristic(model: Model, record: Record, name: str) -> None:
    """Let a DECISION record judge states by a heuristic of the table.

    Raises:
        PcgError: there is no such heuristic, or it is not for this game.
    """
    heuristic = HEURISTICS.find(name)
    heuristic.prepare(model, record)
    record["heuristic"] = heuristic.entry_point.address
