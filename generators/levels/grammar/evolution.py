"""Grammatical evolution of missions and spaces, on DEAP.

O'Neill and Ryan, Grammatical Evolution (2001): evolution changes codons, and the grammar makes of any codons a level
that keeps its rules. So every child has a mission that can be done, and a space that enforces it where that is
possible; what is looked for is quality of play. Levels that break a constraint form a population of their own
(FI-2pop: Kimbrough, Koehler, Lu, Wood 2008), and levels too like a better one stand back (clearing, Petrowski 1996).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import Candidate
from pcg.generators.levels.grammar.builder import Builder, Built, Draft
from pcg.generators.levels.grammar.decisions import CodonDecisions
from pcg.generators.levels.grammar.generator import GRAMMAR_PARAMETERS
from pcg.generators.levels.grammar.genome import Genome, cross, draw, mutate
from pcg.generators.levels.grammar.language import read_grammar
from pcg.generators.levels.population import TwoPopulationLevelGenerator
from pcg.generators.population import Child, Individual, tournament


class GrammaticalEvolution(TwoPopulationLevelGenerator):
    """FI-2pop over codons."""

    name = "ge"
    help = "grammatical evolution: codons choose the rules of missions and spaces"
    papers = (
        "O'Neill, Ryan: Grammatical Evolution (IEEE Transactions on Evolutionary Computation 5(4), 2001)",
        "Shaker, Nicolau, Yannakakis, Togelius, O'Neill: Evolving Levels for Super Mario Bros Using Grammatical"
        " Evolution (CIG 2012)",
        "Dormans: Adventures in Level Design (PCGames 2010)",
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (EJOR 2008)",
    )
    parameters = (
        *GRAMMAR_PARAMETERS,
        Parameter("codons", 40, "codons for the mission, and as many for its space", 1, 10_000),
        Parameter("wraps", 2, "how often reading starts over when all codons are used", 0, 100),
        Parameter("tries", 4, "attempts at a sound level of one genotype, with other details", 1, 1000),
        Parameter("population", 40, "members of either population", 4, 10_000),
        Parameter("offspring", 40, "children per generation", 2, 10_000),
        Parameter("crossover", 0.6, "share of children with two parents", 0.0, 1.0),
        Parameter("mutation", 0.6, "share of the children of two parents that are mutated as well", 0.0, 1.0),
        Parameter("changes", 4, "most codons one mutation changes", 1, 1000),
        Parameter("infeasible", 0.35, "share of children bred from the infeasible population", 0.0, 1.0),
        Parameter("tournament", 3, "members drawn for each parent, of which the best is taken", 1, 100),
        Parameter("niche", 0.18, "levels closer than this to a better one stand back", 0.0, 1.0, "distance"),
        Parameter("fresh", 0.1, "share of children made anew rather than bred", 0.0, 1.0),
    )

    def __init__(self, context: LevelContext, *, seed: int, **params: Any) -> None:
        super().__init__(context, seed=seed, **params)
        grammar = read_grammar(str(self.settings["grammar"]))
        self.builder = Builder(self.context, grammar, str(self.settings["layout"]), self.number("loops"))

    # -- from codons to a level ----------------------------------------------------------------------------------------

    def express(self, genome: Genome) -> Built:
        """The level a genotype stands for, with its mission."""
        return self._express(genome)[0]

    def _express(self, genome: Genome) -> tuple[Built, dict[str, int]]:
        """The level, and how many codons of each part were read."""
        wraps = self.integer("wraps")
        chosen = CodonDecisions(genome.size, 0)
        width, height = chosen.number(*self.widths), chosen.number(*self.heights)
        choices = CodonDecisions(genome.mission, wraps)
        mission = self.builder.mission(choices, self.integer("nodes") or self.builder.size(width, height))
        read = {"mission": choices.used}

        def drafts() -> Iterator[Draft]:
            for attempt in range(self.integer("tries")):
                spaces = CodonDecisions(genome.space, wraps)
                rng = np.random.default_rng(np.random.SeedSequence([*genome.details, attempt]))
                draft = self.builder.draft(mission, spaces, rng, width, height)
                read["space"] = spaces.used
                yield draft

        rest = np.random.default_rng(np.random.SeedSequence([*genome.details, self.integer("tries")]))
        return self.builder.first_good(drafts(), rest, self.integer("walk")), read

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates, each with its genotype as its note."""
        asked = super().ask(n)
        return [replace(one, note=json.dumps(self._now.out[one.id].note[0], separators=(",", ":"))) for one in asked]

    def about(self, candidate: Candidate) -> dict[str, Any]:
        """The mission of a level; nothing of one from the log of a version that did not write genotypes."""
        if not candidate.note:
            return {}
        return {"mission": self.express(Genome.from_json(json.loads(candidate.note))).mission.to_json()}

    # -- breeding ------------------------------------------------------------------------------------------------------

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        """Random genotypes first, later children; each makes a level that is new if five tries are enough for it."""
        members = self.feasible + self.infeasible
        known = {one.text for one in members}
        made: list[Child] = []
        for _ in range(self.integer("offspring") if members else self.integer("population")):
            for _ in range(5):
                if not members or rng.random() < self.number("fresh"):
                    genome, origin = draw(rng, self.integer("codons")), "codons"
                else:
                    genome, origin = self._child(rng)
                level = self.express(genome).level
                if level not in known:
                    break
            known.add(level)
            made.append(Child(level, origin, (genome.to_json(),)))
        return made

    def _child(self, rng: np.random.Generator) -> tuple[Genome, str]:
        pool, changes = self._pool(rng), self.integer("changes")
        genome = self._parent(rng, pool)
        used = self._express(genome)[1]
        if rng.random() < self.number("crossover"):
            other = self.feasible if self.feasible and rng.random() < 0.5 else pool
            genome = cross(genome, self._parent(rng, other), rng, used)
            if rng.random() < self.number("mutation"):
                genome = mutate(genome, rng, used=used, changes=changes)
            return genome, "crossover"
        return mutate(genome, rng, used=used, changes=changes), "mutation"

    def _parent(self, rng: np.random.Generator, pool: Sequence[Individual]) -> Genome:
        return Genome.from_json(tournament(rng, pool, self.integer("tournament")).note[0])
