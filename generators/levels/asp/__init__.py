"""Levels by answer-set programming (clingo, extra `asp`): constraints that are kept, or an explanation which clash."""

PROVIDES = {"asp": "generator:AnswerSetGenerator"}
"""Level generators of this package: name -> module and class."""
