"""New levels from the game's own ones."""

PROVIDES = {"variation": "generator:VariationGenerator"}
"""Level generators of this package: name -> module and class."""
