"""Games by grammatical evolution: codons choose among the productions of the VGDL grammar."""

from pcg.generators.games.ge.generator import GrammaticalGames

__all__ = ["GrammaticalGames"]
