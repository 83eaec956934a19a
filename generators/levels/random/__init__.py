"""Things at random places: the baseline of reference/generators 12.2."""

from pcg.generators.levels.random.generator import RandomGenerator

__all__ = ["RandomGenerator"]
