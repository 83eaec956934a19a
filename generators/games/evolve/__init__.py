"""Games by evolution: feasible and infeasible games in two populations."""

from pcg.generators.games.evolve.generator import EvolvingGames

__all__ = ["EvolvingGames"]
