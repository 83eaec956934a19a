"""New levels from the game's own ones."""

from pcg.generators.levels.variation.generator import VariationGenerator

__all__ = ["VariationGenerator"]
