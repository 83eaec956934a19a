"""Crossover of games: types and rules of two of them on the levels of one."""

PROVIDES = {"crossover": "generator:CrossoverGames"}
"""Game generators of this package: name -> module and class."""
