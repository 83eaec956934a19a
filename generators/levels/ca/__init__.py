"""Caves from cellular automata."""

PROVIDES = {"ca": "generator:CellularGenerator"}
"""Level generators of this package: name -> module and class."""
