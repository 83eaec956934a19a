"""Rules by evolution: feasible and infeasible rule sets in two populations."""

from pcg.generators.rules.evolve.generator import EvolvingRules

__all__ = ["EvolvingRules"]
