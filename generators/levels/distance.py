"""How different two levels look: `pcg.evaluators.metrics.distances` under the name that generators know."""

from pcg.evaluators.metrics.distances import Codes, code_distance, codes, level_distance

__all__ = ["Codes", "code_distance", "codes", "level_distance"]
