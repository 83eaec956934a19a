"""Portfolio of families of level generators, of which a bandit lets those go on that prove themselves on a game."""

PROVIDES = {"portfolio": "generator:PortfolioGenerator"}
"""Level generators of this package: name -> module and class."""
