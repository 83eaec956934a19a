"""Random mutation hill climbing over game spaces."""

PROVIDES = {"rmhc": "optimiser:RandomMutationHillClimber"}
"""Optimisers of this package: name -> module and class."""
