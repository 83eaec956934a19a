"""Missions from graph grammars and spaces from shape grammars, drawn at random or evolved."""

PROVIDES = {"grammar": "generator:GrammarGenerator", "ge": "evolution:GrammaticalEvolution"}
"""Level generators of this package: name -> module and class."""
