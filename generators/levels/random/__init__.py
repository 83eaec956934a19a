"""Objects at random cells: the baseline (spec 04 section 2.1)."""

PROVIDES = {"random": "generator:RandomGenerator"}
"""Level generators of this package: name -> module and class."""
