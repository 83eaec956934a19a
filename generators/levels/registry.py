"""The table of level generators, and making one by name."""

from __future__ import annotations

from collections.abc import Mapping

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.generators.levels.ca import CellularGenerator
from pcg.generators.levels.constructive import ConstructiveGenerator
from pcg.generators.levels.context import HasLevels, LevelContext, require_single_player
from pcg.generators.levels.contract import LevelGenerator
from pcg.generators.levels.evolve import EvolvingGenerator
from pcg.generators.levels.random import RandomGenerator

GENERATORS: Mapping[str, type[LevelGenerator]] = {
    kind.name: kind for kind in (RandomGenerator, ConstructiveGenerator, CellularGenerator, EvolvingGenerator)
}
"""All level generators by name. Each class tells `name`, `help`, `papers`, `parameters` and whether it `learns`."""


def generator_class(name: str) -> type[LevelGenerator]:
    """The class of a generator.

    Raises:
        PcgError: for an unknown name, with the nearest known one.
    """
    if name not in GENERATORS:
        near = nearest(name, GENERATORS)
        hint = f", did you mean `{near}`?" if near else f" (there are: {', '.join(GENERATORS)})"
        raise PcgError(f"unknown level generator `{name}`{hint}")
    return GENERATORS[name]


def make_generator(name: str, game: HasLevels | LevelContext, *, seed: int, **params: object) -> LevelGenerator:
    """A level generator for a game.

    Args:
        name: "random", "constructive", "ca" or "evolve".
        game: a game with its own levels (possibly none), or a context worked out before.
        seed: equal seeds give equal levels.
        params: parameters of the generator; see its `parameters`.

    Raises:
        PcgError: for unknown names, bad values, or a game without a level alphabet to build from.

    >>> import pcg                                                                # doctest: +SKIP
    >>> print(pcg.make_generator("constructive", pcg.load("boxes"), seed=1).ask(1)[0].level)   # doctest: +SKIP
    """
    kind = generator_class(name)
    context = game if isinstance(game, LevelContext) else LevelContext.of(game)
    require_single_player(context)
    return kind(context, seed=seed, **params)
