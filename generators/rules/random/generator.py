"""Rules drawn at random (reference/generators 12.6, in its sensible reading).

The reference draws five rules whose effects need no parameters, and a win condition half the time. Here every effect of
the registry is drawn with values for its parameters, and there is always a way to win and, if the player can vanish, to
lose.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter
from pcg.generators.rules.contract import IndependentRuleGenerator
from pcg.generators.rules.genes import RuleSet
from pcg.generators.rules.operators import repair_rules
from pcg.generators.rules.space import RuleSpace


class RandomRules(IndependentRuleGenerator):
    """Rules drawn at random."""

    name = "random"
    help = "rules and terminations drawn at random from all that fit the sprites"
    papers = ("Khalifa, Green, Perez-Liebana, Togelius: General Video Game Rule Generation (2017)",)
    parameters = (
        Parameter("min_rules", 3, "fewest rules drawn", 1, 200),
        Parameter("max_rules", 12, "most rules drawn", 1, 200),
    )

    def __init__(self, space: RuleSpace, *, seed: int, **params: object) -> None:
        super().__init__(space, seed=seed, **params)
        low, high = self.integer("min_rules"), self.integer("max_rules")
        if low > high:
            raise PcgError(f"generator random: min_rules is {low}, expected at most max_rules, which is {high}")

    def generate(self, rng: np.random.Generator) -> RuleSet:
        """One rule set."""
        count = int(rng.integers(self.integer("min_rules"), self.integer("max_rules") + 1))
        rules = tuple(self.space.draw_rule(rng) for _ in range(count))
        terminations = (self.space.draw_termination(rng, win=True),)
        return repair_rules(self.space, RuleSet(rules, terminations), rng, most=self.integer("max_rules"))
