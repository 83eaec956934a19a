"""Random search over game spaces: the baseline."""

PROVIDES = {"random": "optimiser:RandomTuner"}
"""Optimisers of this package: name -> module and class."""
