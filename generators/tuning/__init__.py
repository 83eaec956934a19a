"""Parameter tuning of game spaces: which values make a game what it is to be.

A `GameSpace` is a game text with parameters, an `Objective` says what plays of a game are worth, and an optimiser of
`OPTIMISERS` (ask and tell) chooses points of the space. `pcg.runs.run_tuning` drives them.
"""

from pcg.generators.tuning.contract import Candidate, Judgement, Tuner
from pcg.generators.tuning.evaluation import Judged, judge_game
from pcg.generators.tuning.objectives import KINDS, Objective, Result
from pcg.generators.tuning.parameters import TuningParameter, read_parameters
from pcg.generators.tuning.plays import PlayRecord, play_games
from pcg.generators.tuning.registry import OPTIMISERS, make_tuner, register
from pcg.generators.tuning.space import GameSpace

__all__ = [
    "KINDS",
    "OPTIMISERS",
    "Candidate",
    "GameSpace",
    "Judged",
    "Judgement",
    "Objective",
    "PlayRecord",
    "Result",
    "Tuner",
    "TuningParameter",
    "judge_game",
    "make_tuner",
    "play_games",
    "read_parameters",
    "register",
]
