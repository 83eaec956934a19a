"""CMA-ES over game spaces."""

PROVIDES = {"cmaes": "optimiser:CMAESOptimiser"}
"""Optimisers of this package: name -> module and class."""
