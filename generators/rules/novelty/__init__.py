"""Rule sets that play unlike any before: novelty search with local competition."""

from pcg.generators.rules.novelty.generator import NovelRules

__all__ = ["NovelRules"]
