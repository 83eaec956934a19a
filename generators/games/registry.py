"""The registry of generators of games, and making one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pcg.generators.games.contract import GameGenerator
from pcg.generators.games.genes import GameGenotype
from pcg.generators.registry import GeneratorRegistry

G = TypeVar("G", bound=GameGenerator)

GAME_GENERATORS: GeneratorRegistry[GameGenerator] = GeneratorRegistry(
    "game generator",
    GameGenerator,  # type: ignore[type-abstract]
    package="pcg.generators.games",
    group="pcg.game_generators",
)
"""All generators of games by name. Each class tells `name`, `help`, `papers`, `parameters`, whether it `learns`, the
`least` number of games it begins with, and whether it can keep to a bound on edits (`bounded`)."""


def register(generator: type[G]) -> type[G]:
    """Add a generator of games of one's own under its `name`; a decorator of its class.

    Raises:
        PcgError: when the class is no complete generator of games, or another one has that name.

    >>> from pcg.generators.games.contract import IndependentGameGenerator
    >>> @register
    ... class Copies(IndependentGameGenerator):
    ...     name = "copies"
    ...     help = "the games to begin with, as they are"
    ...
    ...     def generate(self, rng):
    ...         return self.repaired_start[int(rng.integers(len(self.repaired_start)))]
    >>> "copies" in GAME_GENERATORS
    True
    >>> GAME_GENERATORS.unregister("copies")
    """
    return GAME_GENERATORS.add(generator)


def make_game_generator(
    name: str, start: Sequence[GameGenotype], *, seed: int, max_edits: int = 0, **params: object
) -> GameGenerator:
    """Make a generator of games.

    Args:
        name: of the generator; `GAME_GENERATORS` lists them.
        start: games to begin with; some use their levels alone.
        seed: equal seeds give equal games.
        max_edits: most lines in which a game may differ from the nearest of `start`; 0: no such bound.
        params: parameters of the generator.

    Raises:
        PcgError: for unknown names and bad values, and games that cannot be begun with.

    >>> import pcg
    >>> from pcg.generators.games.genes import game_edits
    >>> start = GameGenotype.of(pcg.load("boxes"))
    >>> (candidate,) = make_game_generator("variation", [start], seed=1, max_edits=2).ask(1)
    >>> 1 <= game_edits(start, candidate.genotype) <= 2
    True
    """
    return GAME_GENERATORS.find(name)(start, seed=seed, max_edits=max_edits, **params)
