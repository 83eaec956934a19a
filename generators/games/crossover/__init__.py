"""Crossover of games: types and rules of two of them on the levels of one."""

from pcg.generators.games.crossover.generator import CrossedGames

__all__ = ["CrossedGames"]
