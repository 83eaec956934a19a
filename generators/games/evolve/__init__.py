"""Games by evolution: feasible and infeasible games in two populations."""

PROVIDES = {"evolve": "generator:EvolvingGames"}
"""Game generators of this package: name -> module and class."""
