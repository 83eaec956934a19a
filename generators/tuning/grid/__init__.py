"""Grid search over game spaces."""

PROVIDES = {"grid": "optimiser:GridTuner"}
"""Optimisers of this package: name -> module and class."""
