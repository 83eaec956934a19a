"""Random search over game spaces: the baseline."""

PROVIDES = {"random": "optimiser:RandomSearch"}
"""Optimisers of this package: name -> module and class."""
