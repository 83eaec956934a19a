"""Random games: the baseline."""

from pcg.generators.games.random.generator import RandomGames

__all__ = ["RandomGames"]
