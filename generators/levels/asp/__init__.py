"""Levels by answer-set programming (clingo, extra `asp`): constraints that are kept, or an explanation which clash."""

from pcg.generators.levels.asp.aims import Aims, pose
from pcg.generators.levels.asp.generator import AnswerSetGenerator
from pcg.generators.levels.asp.mechanics import PuzzleRules, puzzle_rules
from pcg.generators.levels.asp.problem import Demand, Problem
from pcg.generators.levels.asp.search import ClashError, Found, find, hints
from pcg.generators.levels.asp.solving import Limits, OutOfTimeError, has_clingo

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
