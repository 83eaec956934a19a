"""Pushing puzzles: games of boxes read off their rules, solved by pushes, taken apart by pulls, and measured."""

from pcg.evaluators.pushing.board import PushBoard, far_table, lone_pushes
from pcg.evaluators.pushing.difficulty import Difficulty, difficulty
from pcg.evaluators.pushing.rules import BoxRules, PushRules, difficulty_of, push_rules
from pcg.evaluators.pushing.solver import PullTable, PushSearch, PushSolution, solve_pushes

__all__ = [
    "BoxRules",
    "Difficulty",
    "PullTable",
    "PushBoard",
    "PushRules",
    "PushSearch",
    "PushSolution",
    "difficulty",
    "difficulty_of",
    "far_table",
    "lone_pushes",
    "push_rules",
    "solve_pushes",
]
