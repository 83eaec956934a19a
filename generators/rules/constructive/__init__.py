"""Rules by templates: what a designer would write for these sprites at first."""

PROVIDES = {"constructive": "generator:ConstructiveRules"}
"""Rule generators of this package: name -> module and class."""
