"""Feasible-infeasible two-population evolution (spec 04 section 2.4)."""

from pcg.generators.levels.evolve.generator import EvolvingGenerator

__all__ = ["EvolvingGenerator"]
