"""Grammatical evolution of missions and spaces, on DEAP.

O'Neill and Ryan, Grammatical Evolution (2001): evolution changes codons, and the grammar makes of any codons a level
that keeps its rules. So every child has a mission that can be done, and a space that enforces it where that is
possible; what is looked for is quality of play. Levels that break a constraint form a population of their own
(FI-2pop: Kimbrough, Koehler, Lu, Wood 2008), and levels too like a better one stand back (clearing, Petrowski 1996).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from deap import base, creator, tools

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.wants import Want
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import Candidate, LevelGenerator
from pcg.generators.levels.distance import Codes, code_distance, codes
from pcg.generators.levels.grammar.builder import Builder, Built, Draft
from pcg.generators.levels.grammar.decisions import Codons
from pcg.generators.levels.grammar.generator import GRAMMAR_PARAMETERS
from pcg.generators.levels.grammar.genome import Genome, cross, draw, mutate
from pcg.generators.levels.grammar.language import read_grammar

# DEAP makes classes at run time and complains when the same name is made twice.
if not hasattr(creator, "MissionQuality"):
    creator.create("MissionQuality", base.Fitness, weights=(1.0,))
    creator.create("MissionIndividual", list, fitness=creator.MissionQuality)


def individual(genome: Genome, level: str, value: float, id: int) -> Any:
    """A DEAP individual: the codons, its fitness (or constraint value) set; `id` breaks ties, older first."""
    made = creator.MissionIndividual([*genome.mission, *genome.space])
    made.fitness.values = (value,)
    made.genome, made.level, made.id = genome, level, id
    return made


class GrammaticalEvolution(LevelGenerator):
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
        Parameter("niche", 0.5, "levels closer than this to a better one stand back", 0.0, 1.0, "distance"),
        Parameter("fresh", 0.1, "share of children made anew rather than bred", 0.0, 1.0),
    )
    learns = True

    def __init__(self, context: LevelContext, *, seed: int, wants: str | Sequence[Want] = (), **params: object) -> None:
        super().__init__(context, seed=seed, wants=wants, **params)
        grammar = read_grammar(str(self.settings["grammar"]))
        self.builder = Builder(self.context, grammar, str(self.settings["layout"]), self.number("loops"))
        self.generation = 0
        self.feasible: list[Any] = []
        self.infeasible: list[Any] = []
        self._queue: list[tuple[Genome, str, str]] = []
        self._out: dict[int, Genome] = {}
        self._told: list[tuple[Any, bool]] = []
        self._toolbox = base.Toolbox()
        self._toolbox.register("mate", cross)
        self._toolbox.register("mutate", mutate, changes=self.integer("changes"))
        self._toolbox.register("survive", tools.selBest)

    # -- from codons to a level ----------------------------------------------------------------------------------------

    def express(self, genome: Genome) -> Built:
        """The level a genotype stands for, with its mission."""
        return self._express(genome)[0]

    def _express(self, genome: Genome) -> tuple[Built, dict[str, int]]:
        """The level, and how many codons of each part were read."""
        wraps = self.integer("wraps")
        chosen = Codons(genome.size, 0)
        width, height = chosen.number(*self.widths), chosen.number(*self.heights)
        choices = Codons(genome.mission, wraps)
        mission = self.builder.mission(choices, self.integer("nodes") or self.builder.size(width, height))
        read = {"mission": choices.used}

        def drafts() -> Iterator[Draft]:
            for attempt in range(self.integer("tries")):
                spaces = Codons(genome.space, wraps)
                rng = np.random.default_rng(np.random.SeedSequence([*genome.details, attempt]))
                draft = self.builder.draft(mission, spaces, rng, width, height)
                read["space"] = spaces.used
                yield draft

        rest = np.random.default_rng(np.random.SeedSequence([*genome.details, self.integer("tries")]))
        return self.builder.first_good(drafts(), rest, self.integer("walk")), read

    # -- ask and tell --------------------------------------------------------------------------------------------------

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates; none while a generation is not told completely."""
        if not self._queue and not self._out:
            self._next_generation()
        taken, self._queue = self._queue[:n], self._queue[n:]
        first, self._next = self._next, self._next + len(taken)
        found = []
        for i, (genome, level, origin) in enumerate(taken):
            self._out[first + i] = genome
            found.append(Candidate(first + i, level, origin, self.generation))
        return found

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations; the last one of a generation decides who survives."""
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            value = evaluation.fitness if evaluation.feasible else evaluation.constraint
            genome = self._out.pop(candidate.id)
            self._told.append((individual(genome, candidate.level, value, candidate.id), evaluation.feasible))
        if not self._out and not self._queue:
            self._select()

    def _select(self) -> None:
        size = self.integer("population")
        self._told.sort(key=lambda told: int(told[0].id))
        children = {flag: [one for one, feasible in self._told if feasible is flag] for flag in (True, False)}
        self.feasible = self._survivors(self.feasible + children[True], size)
        self.infeasible = self._survivors(self.infeasible + children[False], size)
        self._told = []

    def _survivors(self, members: list[Any], size: int) -> list[Any]:
        """The best `size`, those whose level is too like a better one's last, equal ones left out."""
        kept: list[Any] = []
        shapes: list[Codes] = []
        back: list[Any] = []
        seen: set[str] = set()
        for one in self._toolbox.survive(members, len(members)):
            if one.level in seen:
                continue
            seen.add(one.level)
            shape = codes(one.level)
            if len(kept) < size and all(code_distance(shape, other) >= self.number("niche") for other in shapes):
                kept.append(one)
                shapes.append(shape)
            else:
                back.append(one)
        return (kept + back)[:size]

    # -- breeding ------------------------------------------------------------------------------------------------------

    def _next_generation(self) -> None:
        """Fill the queue: first with random genotypes, later with children."""
        first = not self.feasible and not self.infeasible
        if not first:
            self.generation += 1
        rng = self.rng(self.generation)
        known = {one.level for one in self.feasible + self.infeasible}
        self._queue = []
        for _ in range(self.integer("population") if first else self.integer("offspring")):
            for _ in range(5):
                if first or rng.random() < self.number("fresh"):
                    genome, origin = draw(rng, self.integer("codons")), "codons"
                else:
                    genome, origin = self._child(rng)
                level = self.express(genome).level
                if level not in known:
                    break
            known.add(level)
            self._queue.append((genome, level, origin))

    def _child(self, rng: np.random.Generator) -> tuple[Genome, str]:
        pool = self.infeasible if rng.random() < self.number("infeasible") else self.feasible
        pool = pool or self.feasible or self.infeasible
        genome = self._parent(rng, pool)
        used = self._express(genome)[1]
        if rng.random() < self.number("crossover"):
            other = self.feasible if self.feasible and rng.random() < 0.5 else pool
            genome = self._toolbox.mate(genome, self._parent(rng, other), rng, used)
            if rng.random() < self.number("mutation"):
                genome = self._toolbox.mutate(genome, rng, used=used)
            return genome, "crossover"
        return self._toolbox.mutate(genome, rng, used=used), "mutation"

    def _parent(self, rng: np.random.Generator, pool: Sequence[Any]) -> Genome:
        """The best of a few drawn members (DEAP's own tournament draws from the global generator)."""
        drawn = [pool[int(i)] for i in rng.integers(0, len(pool), size=self.integer("tournament"))]
        best = min(drawn, key=lambda one: (-one.fitness.values[0], one.id))
        found: Genome = best.genome
        return found

    # -- resuming ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Populations, the rest of the generation's queue, what was told of it so far, and the codons of those out."""

        def pack(one: Any) -> list[Any]:
            return [one.genome.to_json(), one.level, one.fitness.values[0], one.id]

        return {
            "next": self._next,
            "generation": self.generation,
            "feasible": [pack(one) for one in self.feasible],
            "infeasible": [pack(one) for one in self.infeasible],
            "queue": [[genome.to_json(), level, origin] for genome, level, origin in self._queue],
            "out": [[id, self._out[id].to_json()] for id in sorted(self._out)],
            "told": [[*pack(one), feasible] for one, feasible in self._told],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""

        def unpack(packed: Sequence[Any]) -> Any:
            genome, level, value, id = packed
            return individual(Genome.from_json(genome), str(level), float(value), int(id))

        super().load_state_dict(state)
        self.generation = int(state["generation"])
        self.feasible = [unpack(packed) for packed in state["feasible"]]
        self.infeasible = [unpack(packed) for packed in state["infeasible"]]
        self._queue = [(Genome.from_json(g), str(level), str(origin)) for g, level, origin in state["queue"]]
        self._out = {int(id): Genome.from_json(genome) for id, genome in state["out"]}
        self._told = [(unpack(packed), bool(feasible)) for *packed, feasible in state["told"]]
