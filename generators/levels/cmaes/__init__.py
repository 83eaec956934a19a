"""CMA-ES over the parameters of a constructive generator."""

from pcg.generators.levels.cmaes.generator import TuningGenerator

__all__ = ["TuningGenerator"]
