"""NSGA-II: levels that are good in several respects at once."""

from pcg.generators.levels.nsga2.generator import ParetoGenerator
from pcg.generators.levels.nsga2.objectives import Objective, parse_objectives

__all__ = ["Objective", "ParetoGenerator", "parse_objectives"]
