"""Small levels with little more in them than winning takes."""

PROVIDES = {"minimal": "generator:MinimalGenerator"}
"""Level generators of this package: name -> module and class."""
