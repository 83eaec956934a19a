"""Generators of rules for a given sprite set and level, and their genotypes."""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.generators.rules.contract import RuleCandidate, RuleGenerator
from pcg.generators.rules.genes import Rule, RuleSet, Termination
from pcg.generators.rules.registry import RULE_GENERATORS, make_rule_generator, register
from pcg.generators.rules.space import RuleSpace

if TYPE_CHECKING:
    from pcg.generators.rules.made_levels import LevelMaker

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

# it makes levels with generators of levels, which listing those of rules need not import
__getattr__, __dir__ = _lazy_exports(__name__, {"LevelMaker": "made_levels"})
