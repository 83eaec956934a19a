"""Markov chains over a game's own levels (Snodgrass and Ontanon 2017; Dahlskog, Togelius and Nelson 2014)."""

from pcg.generators.levels.markov.generator import MarkovGenerator
from pcg.generators.levels.markov.model import Chain, offsets_of

__all__ = ["Chain", "MarkovGenerator", "offsets_of"]
