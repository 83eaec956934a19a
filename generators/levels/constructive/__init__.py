"""Levels that are laid out and filled in one go (reference/generators 12.3)."""

from pcg.generators.levels.constructive.generator import ConstructiveGenerator, construct, draw_style

__all__ = ["ConstructiveGenerator", "construct", "draw_style"]
