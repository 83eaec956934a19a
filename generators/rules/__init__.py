"""Rules for a given sprite set and level: generators, and what they work on."""

from pcg.generators.rules.contract import RuleCandidate, RuleGenerator
from pcg.generators.rules.genes import Ending, Rule, RuleSet
from pcg.generators.rules.registry import RULE_GENERATORS, make_rule_generator, register
from pcg.generators.rules.space import RuleSpace

__all__ = [
    "RULE_GENERATORS",
    "Ending",
    "Rule",
    "RuleCandidate",
    "RuleGenerator",
    "RuleSet",
    "RuleSpace",
    "make_rule_generator",
    "register",
]
