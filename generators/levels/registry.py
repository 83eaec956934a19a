"""The registry of level generators, and making one by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from pcg.engine.arguments import named_arguments
from pcg.engine.registry import part_registrar
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import HasLevels, LevelContext, require_single_player
from pcg.generators.levels.contract import IndependentGenerator, LevelGenerator
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


@part_registrar("level-generator")
def adopt(name: str, generator: type[LevelGenerator] | Callable[[LevelContext, np.random.Generator], str]) -> None:
    r"""Register a plain level generator of a user under a name.

    Args:
        name: of the generator.
        generator: a class derived from `LevelGenerator`, which may lack `name` and `help`, or a function that makes one
            level text of a game's context and a random generator.

    Raises:
        PcgError: it is neither, or another generator has that name.

    >>> def plain(context, rng):
    ...     return "wwwww\nwA..w\nwwwww"
    >>> adopt("plain", plain)
    >>> GENERATORS["plain"].help
    "a level generator of one's own"
    >>> GENERATORS.unregister("plain")
    """
    if isinstance(generator, type):
        for attribute, text in (("name", name), ("help", _first_line(generator))):
            if not getattr(generator, attribute, ""):
                setattr(generator, attribute, text)
        if getattr(generator, "name", name) not in GENERATORS:
            GENERATORS.add(generator)
        return
    if not callable(generator):
        raise PcgError(f"`{name}` is no level generator: expected a class, or a function of a context and a generator")
    known = GENERATORS.loaded(name)
    if known is not None and getattr(known, "function", None) is generator:
        return
    members = {"name": name, "help": _first_line(generator), "function": staticmethod(generator), "generate": _generate}
    GENERATORS.add(type(name, (IndependentGenerator,), {**members, "__module__": generator.__module__}))


def _generate(self: Any, rng: np.random.Generator) -> str:
    """Make one level with the function of a user."""
    return str(self.function(self.context, rng))


def _first_line(part: object) -> str:
    lines = (part.__doc__ or "").strip().splitlines()
    return lines[0] if lines else "a level generator of one's own"


def generator_class(name: str) -> type[LevelGenerator]:
    """Return the class of a generator.

    Raises:
        PcgError: for an unknown name, with the nearest known one.
    """
    return GENERATORS.find(name)


@named_arguments
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
