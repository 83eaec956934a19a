"""CMA-ES over the parameters of a constructive generator."""

PROVIDES = {"cmaes": "generator:CMAESGenerator"}
"""Level generators of this package: name -> module and class."""
