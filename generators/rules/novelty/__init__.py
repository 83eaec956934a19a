"""Rule sets that play unlike any before: novelty search with local competition."""

PROVIDES = {"novelty": "generator:NoveltySearchRules"}
"""Rule generators of this package: name -> module and class."""
