"""The registry of optimisers, and making one by name."""

from __future__ import annotations

from typing import TypeVar

from pcg.generators.registry import GeneratorRegistry
from pcg.generators.tuning.contract import Optimiser
from pcg.generators.tuning.space import GameSpace

G = TypeVar("G", bound=Optimiser)

OPTIMISERS: GeneratorRegistry[Optimiser] = GeneratorRegistry(
    "optimiser",
    Optimiser,  # type: ignore[type-abstract]
    package="pcg.generators.tuning",
    group="pcg.optimisers",
)
"""All optimisers by name. Each class tells `name`, `help`, `papers` and `parameters`."""


def register(optimiser: type[G]) -> type[G]:
    """Add an optimiser of one's own under its `name`; a decorator of its class.

    Raises:
        PcgError: when the class is no complete optimiser, or another one has that name.

    >>> @register
    ... class FirstPoint(Optimiser):
    ...     name = "first_point"
    ...     help = "the point to begin with, again and again"
    ...
    ...     def ask(self, n):
    ...         return [self._candidate(self.start, self.name) for _ in range(n)]
    >>> OPTIMISERS["first_point"]([3, 4], start=[1, 2]).ask(1)[0].point
    (1, 2)
    >>> OPTIMISERS.unregister("first_point")
    """
    return OPTIMISERS.add(optimiser)


def make_optimiser(name: str, space: GameSpace, *, seed: int, **params: object) -> Optimiser:
    """Make an optimiser of a game space by name.

    Args:
        name: a key of `OPTIMISERS`.
        space: what is searched; the search begins at the game as it is.
        seed: equal seeds give equal points.
        params: parameters of the optimiser; see its `parameters`.

    Raises:
        PcgError: for unknown names and bad values.
    """
    ordered = [parameter.ordered for parameter in space.parameters]
    return OPTIMISERS.find(name)(space.sizes, ordered=ordered, start=space.start, seed=seed, **params)
