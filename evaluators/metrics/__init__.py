"""Measures of plays and levels, each a function of one thing that gives one number."""

from pcg.evaluators.metrics.play import path_coverage, variety

__all__ = ["path_coverage", "variety"]
