"""Random mutation hill climbing over game spaces."""

PROVIDES = {"rmhc": "optimiser:HillClimber"}
"""Optimisers of this package: name -> module and class."""
