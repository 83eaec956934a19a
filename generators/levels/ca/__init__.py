"""Caves from cellular automata."""

PROVIDES = {"ca": "generator:CellularAutomatonGenerator"}
"""Level generators of this package: name -> module and class."""
