"""Generators of whole games, and their genotypes."""

from pcg.generators.games.contract import GameCandidate, GameGenerator
from pcg.generators.games.genes import GameGenotype, Sprite, game_edits
from pcg.generators.games.registry import GAME_GENERATORS, make_game_generator, register

__all__ = [
    "GAME_GENERATORS",
    "GameCandidate",
    "GameGenerator",
    "GameGenotype",
    "Sprite",
    "game_edits",
    "make_game_generator",
    "register",
]
