"""Objects at random cells: the baseline (reference/generators 12.1)."""

PROVIDES = {"random": "generator:RandomGenerator"}
"""Level generators of this package: name -> module and class."""
