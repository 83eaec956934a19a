"""NSGA-II: levels that are good in several respects at once."""

PROVIDES = {"nsga2": "generator:NSGA2Generator"}
"""Level generators of this package: name -> module and class."""
