"""The cellular-automaton generator: rock from automata of several families, joined by tunnels; objects are placed by
distance.

Johnson, Yannakakis, Togelius: Cellular automata for real-time generation of infinite cave levels (2010). The approach
(caves, regions joined, things placed by distance) won the first level generation competition for general games (Khalifa
et al. 2016). Besides caves there are the rules of `automata`, any rule in the notation B3/S23, tables and fashions
that are evolved for the game, and areas of other tiles than rock (`areas`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Mask
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels import automata
from pcg.generators.levels.automata import RULES, Table
from pcg.generators.levels.ca import rule_search
from pcg.generators.levels.ca.areas import lay_areas
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.terrain import LEAST, MOST, TERRAIN_PARAMETERS, TerrainGenerator, wear

FAMILIES = ("caves", *RULES, "custom", "table", "evolved", "fashion")
DENSE = 0.45
"""Mazes and the like are allowed this much rock where the game's levels have less, or nothing of them is left."""
EVOLVED = 3
"""Rules that are evolved for a game; each level gets one of them."""


class CellularAutomatonGenerator(TerrainGenerator):
    """Caves, mazes, and what other automata make."""

    name = "ca"
    help = "caves, mazes and more from cellular automata, joined by tunnels, objects placed by distance"
    papers = (
        "Johnson, Yannakakis, Togelius: Cellular automata for real-time generation of infinite cave levels (2010)",
        "Ashlock: Evolvable fashion-based cellular automata for generating cavern systems (CIG 2015)",
        "Pech, Hingston, Masek, Lam: Evolving cellular automata for maze generation (ACALCI 2015)",
    )
    parameters = (
        *TERRAIN_PARAMETERS,
        Parameter("steps", 3, "how often the rule of caves smooths the noise", 0, 20),
        Parameter("birth", 5, "caves: neighbouring rock from which an open cell becomes rock", 1, 9, "cells of 8"),
        Parameter("survival", 4, "caves: neighbouring rock from which rock stays rock", 0, 9, "cells of 8"),
        Parameter("rule", "caves", "the family of automata; evolved and fashion: rules evolved for the game",
                  choices=("mixed", *FAMILIES)),
        Parameter("custom", "B3/S12345", "rule for rule=custom: births/survivals by number of neighbours"),
        Parameter("table", "000001111 000011111", "18 digits for rule=table: what open cells, then rock, become"),
        Parameter("density", 0.4, "rock to start with, for rule=custom and rule=table", 0.0, 1.0),
        Parameter("areas", True, "let other tiles that lie in areas take part"),
    )  # fmt: skip

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        try:
            self._custom = automata.parse_rule(str(self.settings["custom"]))
            self._table = automata.parse_table(str(self.settings["table"]))
        except PcgError as error:
            raise PcgError(f"generator {self.name}: {error}") from None
        self._tables: list[Table] = []
        self._fashions: list[NDArray[np.float64]] = []

    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """Run the automaton on noise, worn down to the share that is wanted."""
        rule = str(self.settings["rule"])
        if rule == "mixed":
            names = [name for name in FAMILIES if name not in ("custom", "table")]
            rule = names[int(rng.integers(len(names)))]
        if rule == "caves":
            return automata.caves(
                rng, shape, share, self.integer("steps"), self.integer("birth"), self.integer("survival")
            )
        rock = self._others(rule, rng, shape, share)
        wear(rng, rock, max(share, DENSE * min(1.0, self.number("walls"))))
        return rock

    def _others(self, rule: str, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        if rule in RULES:
            text, density, steps = RULES[rule]
            return automata.run(rng.random(shape) < density, automata.parse_rule(text), steps)
        if rule in ("custom", "table"):
            table = self._custom if rule == "custom" else self._table
            return automata.run(rng.random(shape) < self.number("density"), table, 40)
        wanted = float(np.clip(1.2 * self.context.wall_share * self.number("walls"), LEAST, MOST))
        # Evolved once for all levels of a generator, from numbers of their own: levels keep to their ids.
        if rule == "evolved":
            if not self._tables:
                self._tables = [rule_search.evolve_table(self.rng(0, 1, k), wanted) for k in range(EVOLVED)]
            table = self._tables[int(rng.integers(EVOLVED))]
            return automata.run(rng.random(shape) < 0.45, table, rule_search.STEPS)
        if not self._fashions:
            self._fashions = [rule_search.evolve_fashion(self.rng(0, 2, k), wanted) for k in range(EVOLVED)]
        for _ in range(6):
            start = rng.integers(0, rule_search.STATES, shape)
            end = automata.fashion_automaton(start, self._fashions[int(rng.integers(EVOLVED))], rule_search.STEPS)
            rock = rule_search.rock_states(end, share)
            if 0.5 * share <= float(rock.mean()) <= share + 0.2:
                break  # fashions may die out
        return rock

    def decorate(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """The areas of other tiles."""
        if self.settings["areas"]:
            lay_areas(builder, rng)
