"""Random rules: the baseline."""

PROVIDES = {"random": "generator:RandomRules"}
"""Rule generators of this package: name -> module and class."""
