"""Search of game spaces by upper confidence bounds, one bandit per parameter."""

PROVIDES = {"ucb": "optimiser:BanditTuner"}
"""Optimisers of this package: name -> module and class."""
