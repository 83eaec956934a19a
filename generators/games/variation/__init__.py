"""Variations of games: a bounded number of lines is changed."""

from pcg.generators.games.variation.generator import GameVariations

__all__ = ["GameVariations"]
