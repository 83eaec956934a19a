"""Evolution strategies with self-adapted numbers of edits."""

PROVIDES = {"es": "generator:EvolutionStrategyGenerator"}
"""Level generators of this package: name -> module and class."""
