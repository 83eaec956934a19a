"""Pushing puzzles worth solving, by playing backwards, search among layouts, and simplification."""

PROVIDES = {"puzzle": "generator:PuzzleGenerator"}
"""Level generators of this package: name -> module and class."""
