"""The registry of level generators, and making one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pcg.evaluators.targets import Target
from pcg.generators.levels.context import HasLevels, LevelContext, require_single_player
from pcg.generators.levels.contract import LevelGenerator
from pcg.generators.registry import GeneratorRegistry

G = TypeVar("G", bound=LevelGenerator)

GENERATORS: GeneratorRegistry[LevelGenerator] = GeneratorRegistry(
    "level generator",
    LevelGenerator,  # type: ignore[type-abstract]
    package="pcg.generators.levels",
    group="pcg.level_generators",
)
"""All level generators by name. Each class tells `name`, `help`, `papers`, `parameters` and whether it `learns`."""


def register(generator: type[G]) -> type[G]:
    """Add a level generator of one's own under its `name`; a decorator of its class.

    `make_generator`, `pcg levels` and all that lists generators know it from then on.

    Raises:
        PcgError: when the class is no complete level generator, or another one has that name.

    >>> from pcg.generators.levels.contract import IndependentGenerator
    >>> @register
    ... class Empty(IndependentGenerator):
    ...     name = "empty"
    ...     help = "an avatar on bare ground"
    ...
    ...     def generate(self, rng):
    ...         palette = self.context.palette
    ...         height, width = self.heights[0], self.widths[0]
    ...         grid = [[palette.empty] * width for _ in range(height)]
    ...         grid[height // 2][width // 2] = palette.avatars[0]
    ...         return palette.text(grid)
    >>> import pcg
    >>> len(pcg.make_generator("empty", pcg.load("boxes"), seed=1, min_height=6, max_height=6).ask(3))
    3
    >>> GENERATORS.unregister("empty")
    """
    return GENERATORS.add(generator)


def generator_class(name: str) -> type[LevelGenerator]:
    """Return the class of a generator.

    Raises:
        PcgError: for an unknown name, with the nearest known one.
    """
    return GENERATORS.find(name)


def make_generator(
    name: str, game: HasLevels | LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
) -> LevelGenerator:
    """Make a level generator for a game.

    Args:
        name: of the generator; `GENERATORS` lists them.
        game: a game with its own levels (possibly none), or a context worked out before.
        seed: equal seeds give equal levels.
        targets: what levels are to be like, as ``"enemies=3, symmetry>=0.8"`` or as read by `parse_targets`. Search
            follows the fitness of a `LevelEvaluator` with the same targets.
        params: parameters of the generator; see its `parameters`.

    Raises:
        PcgError: for unknown names, bad values, targets that no level can meet, or a game without a level
            alphabet to build from.

    >>> import pcg
    >>> generator = pcg.make_generator("constructive", pcg.load("boxes"), seed=1, max_width=9)
    >>> [candidate.id for candidate in generator.ask(2)], max(generator.widths)
    ([0, 1], 9)
    """
    kind = generator_class(name)
    context = game if isinstance(game, LevelContext) else LevelContext.of(game)
    require_single_player(context)
    return kind(context, seed=seed, targets=targets, **params)
