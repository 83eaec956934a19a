"""Laid out, filled and furnished in one go (spec 04 section 2.2)."""

from pcg.generators.levels.constructive.generator import ConstructiveGenerator, construct, draw_style

__all__ = ["ConstructiveGenerator", "construct", "draw_style"]
