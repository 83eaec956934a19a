"""The N-tuple bandit evolutionary algorithm over game spaces."""

PROVIDES = {"ntbea": "optimiser:NTupleBandit"}
"""Optimisers of this package: name -> module and class."""
