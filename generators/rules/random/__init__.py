"""Random rules: the baseline."""

from pcg.generators.rules.random.generator import RandomRules

__all__ = ["RandomRules"]
