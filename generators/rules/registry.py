"""The registry of rule generators, and making one by name."""

from __future__ import annotations

from typing import TypeVar

from pcg.generators.registry import GeneratorRegistry
from pcg.generators.rules.contract import RuleGenerator
from pcg.generators.rules.space import RuleSpace

G = TypeVar("G", bound=RuleGenerator)

RULE_GENERATORS: GeneratorRegistry[RuleGenerator] = GeneratorRegistry(
    "rule generator",
    RuleGenerator,  # type: ignore[type-abstract]
    package="pcg.generators.rules",
    group="pcg.rule_generators",
)
"""All rule generators by name. Each class tells `name`, `help`, `papers`, `parameters` and whether it `learns`."""


def register(generator: type[G]) -> type[G]:
    """Add a rule generator of one's own under its `name`; a decorator of its class.

    Raises:
        PcgError: when the class is no complete rule generator, or another one has that name.

    >>> from pcg.generators.rules.contract import IndependentRuleGenerator
    >>> from pcg.generators.rules.genes import RuleSet
    >>> @register
    ... class NoRules(IndependentRuleGenerator):
    ...     name = "no_rules"
    ...     help = "games in which nothing happens"
    ...
    ...     def generate(self, rng):
    ...         return RuleSet((), ())
    >>> "no_rules" in RULE_GENERATORS
    True
    >>> RULE_GENERATORS.unregister("no_rules")
    """
    return RULE_GENERATORS.add(generator)


def make_rule_generator(name: str, space: RuleSpace, *, seed: int, **params: object) -> RuleGenerator:
    """Make a rule generator for a sprite set and its levels.

    Args:
        name: of the generator; `RULE_GENERATORS` lists them.
        space: the rules that can be written for the sprite set.
        seed: equal seeds give equal rule sets.
        params: parameters of the generator; see its `parameters`.

    Raises:
        PcgError: for unknown names and bad values.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> space = RuleSpace.of(game.definition.source, game.levels)
    >>> print(make_rule_generator("constructive", space, seed=1).ask(1)[0].genotype)
    mark hero > killSprite scoreChange=1
    box hero > bounceForward
    box box > undoAll
    hero EOS > stepBack
    SpriteCounter stype=mark limit=0 win=True
    """
    return RULE_GENERATORS.find(name)(space, seed=seed, **params)
