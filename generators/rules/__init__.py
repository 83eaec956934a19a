"""Generators of rules for a given sprite set and level, and their genotypes."""

from pcg.generators.rules.contract import RuleCandidate, RuleGenerator
from pcg.generators.rules.genes import Rule, RuleSet, Termination
from pcg.generators.rules.made_levels import LevelMaker
from pcg.generators.rules.registry import RULE_GENERATORS, make_rule_generator, register
from pcg.generators.rules.space import RuleSpace

__all__ = [
    "RULE_GENERATORS",
    "LevelMaker",
    "Rule",
    "RuleCandidate",
    "RuleGenerator",
    "RuleSet",
    "RuleSpace",
    "Termination",
    "make_rule_generator",
    "register",
]
