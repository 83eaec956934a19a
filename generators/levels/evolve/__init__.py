"""Feasible-infeasible two-population evolution (spec 04 section 2.4)."""

PROVIDES = {"evolve": "generator:FI2PopGenerator"}
"""Level generators of this package: name -> module and class."""
