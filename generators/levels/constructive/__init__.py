"""Walls, filler and objects, placed in one go by what the rules say about them."""

PROVIDES = {"constructive": "generator:ConstructiveGenerator"}
"""Level generators of this package: name -> module and class."""
