"""Things at random places: the baseline of spec 04 section 2.1."""

from pcg.generators.levels.random.generator import RandomGenerator

__all__ = ["RandomGenerator"]
