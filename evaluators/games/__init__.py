"""Judging whole games: rule sets that nobody has written, played by a ladder of agents.

`GameEvaluator(levels).evaluate(game, seed)` gives a `GameEvaluation`; docs/game-evaluation.md says what it looks at.
"""

from pcg.evaluators.games.behaviour import names as behaviour_names
from pcg.evaluators.games.evaluation import AgentPerformance, GameEvaluation, RecordedPlay
from pcg.evaluators.games.evaluator import CONSTRAINTS, PARAMETERS, GameEvaluator

__all__ = [
    "CONSTRAINTS",
    "PARAMETERS",
    "AgentPerformance",
    "GameEvaluation",
    "GameEvaluator",
    "RecordedPlay",
    "behaviour_names",
]
