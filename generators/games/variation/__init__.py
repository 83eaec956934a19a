"""Variations of games: a bounded number of lines is changed."""

PROVIDES = {"variation": "generator:GameVariations"}
"""Game generators of this package: name -> module and class."""
