"""Games by grammatical evolution (O'Neill, Ryan 2001), with codons of their own for each set of the game.

The levels are those of the games to begin with; all else is derived. Mutants have other codons among those that were
read, crossings take the head of a set's codons from one parent and the tail from the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.games.game_repair import mend
from pcg.generators.games.ge.derivation import SETS, Derivation, as_codons, random_codons
from pcg.generators.games.genes import GameGenotype
from pcg.generators.games.genotype_choices import CODONS, mending_rng
from pcg.generators.games.population import PARAMETERS, BreedingGames, child_of
from pcg.generators.population import Child, Individual

Genome = dict[str, Any]
"""`base`: which of the games to begin with gives the levels; `codons`: those of each set."""


class GrammaticalGames(BreedingGames):
    """FI-2pop over codons that derive games."""

    name = "ge"
    help = "codons choose among the productions of the VGDL grammar; terminals come from the registry"
    papers = (
        "O'Neill, Ryan: Grammatical Evolution (2001)",
        "Lourenço, Pereira, Costa: Unveiling the Properties of Structured Grammatical Evolution (2016)",
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (2008)",
    )
    parameters = (
        *PARAMETERS.values(),
        Parameter("codons", 120, "codons of each set; read from the beginning again when they run out", 1, 10_000),
    )

    def _first(self) -> list[Child]:
        return []

    def _fresh(self, rng: np.random.Generator) -> Child:
        base = int(rng.integers(len(self.start)))
        return self._derived({"base": base, "codons": random_codons(rng, self.integer("codons"))}, "derivation")

    def _mutant(self, parent: Individual, rng: np.random.Generator) -> Child:
        return self._derived(self._changed(_genome(parent), rng), "mutation", parent)

    def _crossed(self, one: Individual, other: Individual, mutate: bool, rng: np.random.Generator) -> Child:
        a, b = _genome(one), _genome(other)
        used = self._derivation(a).used() if self._derivation(a).text() else {}
        codons = {}
        for name in SETS:
            mine, theirs = a["codons"][name], b["codons"][name]
            draw = float(rng.random())
            if draw < 0.3:
                codons[name] = list(theirs)
            elif draw < 0.6:
                codons[name] = list(mine)
            else:
                cut = int(rng.integers(1 + min(len(mine), max(1, used.get(name, 1)))))
                codons[name] = [*mine[:cut], *theirs[cut:]]
        made: Genome = {"base": a["base"], "codons": codons}
        return self._derived(self._changed(made, rng) if mutate else made, "crossover", one, other)

    def _changed(self, genome: Genome, rng: np.random.Generator) -> Genome:
        """Some of the codons that are read get another value."""
        derivation = self._derivation(genome)
        derivation.text()
        used = derivation.used()
        codons = {name: list(genome["codons"][name]) for name in SETS}
        for _ in range(self._changes(rng)):
            # early sets decide what later ones mean, so they change less often than they are long
            name = SETS[int(rng.choice(len(SETS), p=[0.25, 0.1, 0.5, 0.15]))]
            at = int(rng.integers(max(1, min(len(codons[name]), used[name]))))
            codons[name][at] = int(rng.integers(CODONS))
        return {"base": genome["base"], "codons": codons}

    def _derivation(self, genome: Genome) -> Derivation:
        return Derivation(genome["codons"], self.sound[genome["base"]])

    def _derived(self, genome: Genome, origin: str, *parents: Individual) -> Child:
        return child_of(self.game_of(genome), origin, *parents, more=genome)

    def game_of(self, genome: Genome) -> GameGenotype:
        """The game that a genome stands for."""
        made = self._derivation(genome).genotype()
        return mend(made, mending_rng(str(made)), most=self.most)


def _genome(one: Individual) -> Genome:
    data = one.note[2]
    return {"base": int(data["base"]), "codons": as_codons(data["codons"])}
