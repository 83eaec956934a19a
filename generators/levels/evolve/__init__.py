"""Feasible-infeasible two-population evolution (reference/generators 12.4)."""

from pcg.generators.levels.evolve.generator import EvolvingGenerator

__all__ = ["EvolvingGenerator"]
