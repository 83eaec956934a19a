"""Small levels with little more in them than winning takes."""

from pcg.generators.levels.minimal.generator import MinimalGenerator

__all__ = ["MinimalGenerator"]
