"""Markov chains over a game's own levels (Snodgrass and Ontanon 2017; Dahlskog, Togelius and Nelson 2014)."""

PROVIDES = {"markov": "generator:MarkovGenerator"}
"""Level generators of this package: name -> module and class."""
