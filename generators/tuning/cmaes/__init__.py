"""CMA-ES over game spaces."""

PROVIDES = {"cmaes": "optimiser:CovarianceTuner"}
"""Optimisers of this package: name -> module and class."""
