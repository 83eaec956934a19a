"""Parameter tuning of game spaces: the search for values that bring a game near to targets.

A `GameSpace` is a game text with parameters, an `Objective` values plays of a game, and an optimiser of
`OPTIMISERS` (ask and tell) chooses points of the space. `pcg.runs.run_tuning` drives them.
"""

from pcg.generators.tuning.contract import Candidate, Optimiser, PointEvaluation
from pcg.generators.tuning.evaluation import PlayedEvaluation, evaluate_game
from pcg.generators.tuning.objectives import KINDS, Objective, Result
from pcg.generators.tuning.parameters import TuningParameter, read_parameters
from pcg.generators.tuning.plays import PlayRecord, play_games
from pcg.generators.tuning.registry import OPTIMISERS, make_optimiser, register
from pcg.generators.tuning.space import GameSpace

__all__ = [
    "KINDS",
    "OPTIMISERS",
    "Candidate",
    "GameSpace",
    "Objective",
    "Optimiser",
    "PlayRecord",
    "PlayedEvaluation",
    "PointEvaluation",
    "Result",
    "TuningParameter",
    "evaluate_game",
    "make_optimiser",
    "play_games",
    "read_parameters",
    "register",
]
