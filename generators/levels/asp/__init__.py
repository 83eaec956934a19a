"""Levels by answer-set programming (clingo, extra `asp`): constraints that are kept, or an explanation which clash."""

from pcg.generators.levels.asp.clingo_solver import Limits, OutOfTimeError, has_clingo
from pcg.generators.levels.asp.constraints import Aims, pose
from pcg.generators.levels.asp.generator import AnswerSetGenerator
from pcg.generators.levels.asp.problem import Demand, Problem
from pcg.generators.levels.asp.search import ClashError, Found, find, hints
from pcg.generators.levels.asp.transition_model import PuzzleRules, puzzle_rules

__all__ = [
    "Aims",
    "AnswerSetGenerator",
    "ClashError",
    "Demand",
    "Found",
    "Limits",
    "OutOfTimeError",
    "Problem",
    "PuzzleRules",
    "find",
    "has_clingo",
    "hints",
    "pose",
    "puzzle_rules",
]
