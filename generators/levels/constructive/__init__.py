"""Laid out, filled and furnished in one go (spec 04 section 2.2)."""

PROVIDES = {"constructive": "generator:ConstructiveGenerator"}
"""Level generators of this package: name -> module and class."""
