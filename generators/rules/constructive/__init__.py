"""Rules by templates: what a designer would write for these sprites at first."""

from pcg.generators.rules.constructive.generator import ConstructiveRules

__all__ = ["ConstructiveRules"]
