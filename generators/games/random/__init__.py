"""Random games: the baseline."""

PROVIDES = {"random": "generator:RandomGames"}
"""Game generators of this package: name -> module and class."""
