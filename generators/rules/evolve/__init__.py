"""Rules by evolution: feasible and infeasible rule sets in two populations."""

PROVIDES = {"evolve": "generator:EvolvingRules"}
"""Rule generators of this package: name -> module and class."""
