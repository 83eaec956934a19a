"""Games by genetic programming: trees of typed primitives build types, rules and terminations."""

from pcg.generators.games.gp.generator import TreeGames

__all__ = ["TreeGames"]
