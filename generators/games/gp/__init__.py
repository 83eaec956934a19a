"""Games by genetic programming: trees of typed primitives build types, rules and terminations."""

PROVIDES = {"gp": "generator:GeneticProgrammingGames"}
"""Game generators of this package: name -> module and class."""
