"""Feasible-infeasible two-population evolution (reference/generators 12.4)."""

PROVIDES = {"evolve": "generator:FI2PopGenerator"}
"""Level generators of this package: name -> module and class."""
