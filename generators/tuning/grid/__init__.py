"""Grid search over game spaces."""

PROVIDES = {"grid": "optimiser:GridSearch"}
"""Optimisers of this package: name -> module and class."""
