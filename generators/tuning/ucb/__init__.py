"""Search of game spaces by upper confidence bounds, one bandit per parameter."""

PROVIDES = {"ucb": "optimiser:UCBOptimiser"}
"""Optimisers of this package: name -> module and class."""
