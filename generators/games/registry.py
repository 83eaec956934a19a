"""The table of generators of games, and making one by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.generators.games.contract import GameGenerator
from pcg.generators.games.crossover import CrossedGames
from pcg.generators.games.evolve import EvolvingGames
from pcg.generators.games.genes import GameGenotype
from pcg.generators.games.gp import TreeGames
from pcg.generators.games.random import RandomGames
from pcg.generators.games.variation import GameVariations

GAME_GENERATORS: Mapping[str, type[GameGenerator]] = {
    kind.name: kind for kind in (RandomGames, GameVariations, CrossedGames, EvolvingGames, TreeGames)
}
"""All generators of games by name. Each class tells `name`, `help`, `papers`, `parameters`, whether it `learns`, the
`least` number of games it begins with, and whether it can keep to a bound on edits (`bounded`)."""


def make_game_generator(
    name: str, start: Sequence[GameGenotype], *, seed: int, max_edits: int = 0, **params: object
) -> GameGenerator:
    """A generator of games.

    Args:
        name: of the generator; `GAME_GENERATORS` lists them.
        start: games to begin with; some use their levels alone.
        seed: equal seeds give equal games.
        max_edits: most lines in which a game may differ from the nearest of `start`; 0: no such bound.
        params: parameters of the generator.

    Raises:
        PcgError: for unknown names and bad values, and games that cannot be begun with.

    >>> import pcg                                                                # doctest: +SKIP
    >>> start = [GameGenotype.of(pcg.load("boxes"))]                              # doctest: +SKIP
    >>> print(make_game_generator("variation", start, seed=1).ask(1)[0].genotype.text())   # doctest: +SKIP
    """
    if name not in GAME_GENERATORS:
        near = nearest(name, GAME_GENERATORS)
        hint = f", did you mean `{near}`?" if near else f" (there are: {', '.join(GAME_GENERATORS)})"
        raise PcgError(f"unknown game generator `{name}`{hint}")
    return GAME_GENERATORS[name](start, seed=seed, max_edits=max_edits, **params)
