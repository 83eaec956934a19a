"""Measures of plays and levels, each a function of one thing that gives one number.

`registry` is the table of all of them: name, range, source.
"""

from pcg.evaluators.metrics.play import path_coverage, variety
from pcg.evaluators.metrics.registry import METRICS, STAGES, Metric

__all__ = ["METRICS", "STAGES", "Metric", "path_coverage", "variety"]
