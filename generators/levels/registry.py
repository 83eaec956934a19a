"""The table of level generators, and making one by name.

A generator's module is imported when it is first asked for, so that the libraries of one family (answer-set solver,
archives) are no burden to the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import HasLevels, LevelContext, require_single_player
from pcg.generators.levels.contract import LevelGenerator

_PLACES: Mapping[str, str] = {
    "random": "random:RandomGenerator",
    "minimal": "minimal:MinimalGenerator",
    "constructive": "constructive:ConstructiveGenerator",
    "ca": "ca:CellularGenerator",
    "noise": "noise:NoiseGenerator",
    "midpoint": "noise:MidpointGenerator",
    "growth": "noise:GrowthGenerator",
    "diggers": "noise:DiggerGenerator",
    "bsp": "noise:PartitionGenerator",
    "wfc": "wfc:CollapseGenerator",
    "markov": "markov:MarkovGenerator",
    "grammar": "grammar:GrammarGenerator",
    "asp": "asp:AnswerSetGenerator",
    "variation": "variation:VariationGenerator",
    "evolve": "evolve:EvolvingGenerator",
    "ge": "grammar:GrammaticalEvolution",
    "es": "es:StrategyGenerator",
    "nsga2": "nsga2:ParetoGenerator",
    "cmaes": "cmaes:TuningGenerator",
    "map-elites": "qd:MapElitesGenerator",
    "cvt-map-elites": "qd:CvtMapElitesGenerator",
    "constrained-map-elites": "qd:ConstrainedMapElitesGenerator",
}
"""Name of a generator -> package below this one, and the class in it."""


class _Table(Mapping[str, type[LevelGenerator]]):
    """Reads like a dictionary of classes and imports them one by one."""

    def __getitem__(self, name: str) -> type[LevelGenerator]:
        package, kind = _PLACES[name].split(":")
        found: type[LevelGenerator] = getattr(import_module(f"pcg.generators.levels.{package}"), kind)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)

    def __contains__(self, name: object) -> bool:
        return name in _PLACES


GENERATORS: Mapping[str, type[LevelGenerator]] = _Table()
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


def make_generator(
    name: str, game: HasLevels | LevelContext, *, seed: int, wants: str | Sequence[Target] = (), **params: object
) -> LevelGenerator:
    """A level generator for a game.

    Args:
        name: of the generator; `GENERATORS` lists them.
        game: a game with its own levels (possibly none), or a context worked out before.
        seed: equal seeds give equal levels.
        wants: what levels are to be like, as ``"enemies=3, symmetry>=0.8"`` or as read by `parse_targets`. Search
            follows the fitness of a `LevelEvaluator` with the same wants.
        params: parameters of the generator; see its `parameters`.

    Raises:
        PcgError: for unknown names, bad values, wants that no level can meet, or a game without a level
            alphabet to build from.

    >>> import pcg                                                                # doctest: +SKIP
    >>> print(pcg.make_generator("constructive", pcg.load("boxes"), seed=1).ask(1)[0].level)   # doctest: +SKIP
    """
    kind = generator_class(name)
    context = game if isinstance(game, LevelContext) else LevelContext.of(game)
    require_single_player(context)
    return kind(context, seed=seed, wants=wants, **params)
