"""The table of rule generators, and making one by name."""

from __future__ import annotations

from collections.abc import Mapping

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.generators.rules.constructive import ConstructiveRules
from pcg.generators.rules.contract import RuleGenerator
from pcg.generators.rules.evolve import EvolvingRules
from pcg.generators.rules.novelty import NovelRules
from pcg.generators.rules.qd import MapElitesRules
from pcg.generators.rules.random import RandomRules
from pcg.generators.rules.space import RuleSpace

RULE_GENERATORS: Mapping[str, type[RuleGenerator]] = {
    kind.name: kind for kind in (RandomRules, ConstructiveRules, EvolvingRules, NovelRules, MapElitesRules)
}
"""All rule generators by name. Each class tells `name`, `help`, `papers`, `parameters` and whether it `learns`."""


def make_rule_generator(name: str, space: RuleSpace, *, seed: int, **params: object) -> RuleGenerator:
    """A rule generator for a sprite set and its levels.

    Raises:
        PcgError: for unknown names and bad values.

    >>> import pcg                                                                # doctest: +SKIP
    >>> game = pcg.load("boxes")                                                  # doctest: +SKIP
    >>> space = RuleSpace.of(game.definition.source, game.levels)                 # doctest: +SKIP
    >>> print(make_rule_generator("constructive", space, seed=1).ask(1)[0].genotype)   # doctest: +SKIP
    """
    if name not in RULE_GENERATORS:
        near = nearest(name, RULE_GENERATORS)
        hint = f", did you mean `{near}`?" if near else f" (there are: {', '.join(RULE_GENERATORS)})"
        raise PcgError(f"unknown rule generator `{name}`{hint}")
    return RULE_GENERATORS[name](space, seed=seed, **params)
