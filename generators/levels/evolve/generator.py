"""The evolutionary generator: a feasible-infeasible two-population genetic algorithm, on DEAP.

Levels that break a constraint evolve towards keeping all, those that keep them towards quality; children move to the
population they belong to (FI-2pop: Kimbrough, Koehler, Lu, Wood 2008; for levels of any VGDL game Khalifa et al.
2016, spec 04 section 2.4). Other than there, the next generation competes with its parents, and levels too like a
better one stand back (clearing, Petrowski 1996), so that the best ten are ten levels and not one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from deap import base, creator, tools

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.wants import Want
from pcg.generators.levels.constructive import construct, draw_style
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, Candidate, LevelGenerator
from pcg.generators.levels.distance import Codes, code_distance, codes
from pcg.generators.levels.layout import draw_size
from pcg.generators.levels.operators import crossover, mutate, resize
from pcg.generators.levels.random import RandomGenerator
from pcg.generators.levels.repair import repair
from pcg.generators.levels.site import Site

# DEAP makes classes at run time and complains when the same name is made twice.
if not hasattr(creator, "LevelQuality"):
    creator.create("LevelQuality", base.Fitness, weights=(1.0,))
    creator.create("LevelIndividual", list, fitness=creator.LevelQuality)


def individual(level: str, value: float, id: int) -> Any:
    """A DEAP individual: the rows of a level, its fitness (or constraint value) set; `id` breaks ties, older first."""
    made = creator.LevelIndividual(level.split("\n"))
    made.fitness.values = (value,)
    made.id = id
    return made


class EvolvingGenerator(LevelGenerator):
    """FI-2pop over tile grids."""

    name = "evolve"
    help = "two populations evolve, one towards keeping all constraints and one towards quality of play"
    papers = (
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (EJOR 2008)",
        "Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (GECCO 2016)",
        "Petrowski: A Clearing Procedure as a Niching Method for Genetic Algorithms (ICEC 1996)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("population", 40, "members of either population", 4, 10_000),
        Parameter("offspring", 40, "children per generation", 2, 10_000),
        Parameter("crossover", 0.6, "share of children with two parents", 0.0, 1.0),
        Parameter("mutation", 0.5, "share of the children of two parents that are mutated as well", 0.0, 1.0),
        Parameter("edits", 4, "most mutations of one child", 1, 100),
        Parameter("resize", 0.05, "share of children that grow or shrink by a row or column", 0.0, 1.0),
        Parameter("infeasible", 0.35, "share of children bred from the infeasible population", 0.0, 1.0),
        Parameter("tournament", 3, "members drawn for each parent, of which the best is taken", 1, 100),
        Parameter("niche", 0.5, "levels closer than this to a better one stand back", 0.0, 1.0, "distance"),
        Parameter("fresh", 0.1, "share of children made anew rather than bred", 0.0, 1.0),
    )
    learns = True

    def __init__(self, context: LevelContext, *, seed: int, wants: str | Sequence[Want] = (), **params: object) -> None:
        super().__init__(context, seed=seed, wants=wants, **params)
        self.generation = 0
        self.feasible: list[Any] = []
        self.infeasible: list[Any] = []
        self._queue: list[tuple[str, str]] = []
        self._out = 0
        self._told: list[tuple[Any, bool]] = []
        self._toolbox = self._make_toolbox()

    def _make_toolbox(self) -> Any:
        toolbox = base.Toolbox()
        toolbox.register("mate", crossover, self.context)
        toolbox.register("mutate", mutate, self.context, edits=self.integer("edits"))
        toolbox.register("resize", resize, self.context, widths=self.widths, heights=self.heights)
        toolbox.register("survive", tools.selBest)
        return toolbox

    # -- ask and tell --------------------------------------------------------------------------------------------------

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates; none while a generation is not told completely."""
        if not self._queue and self._out == 0:
            self._next_generation()
        taken, self._queue = self._queue[:n], self._queue[n:]
        self._out += len(taken)
        first, self._next = self._next, self._next + len(taken)
        return [Candidate(first + i, level, origin, self.generation) for i, (level, origin) in enumerate(taken)]

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations; the last one of a generation decides who survives."""
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            value = evaluation.fitness if evaluation.feasible else evaluation.constraint
            self._told.append((individual(candidate.level, value, candidate.id), evaluation.feasible))
            self._out -= 1
        if self._out == 0 and not self._queue:
            self._select()

    def _select(self) -> None:
        size = self.integer("population")
        self._told.sort(key=lambda told: int(told[0].id))
        children = {flag: [one for one, feasible in self._told if feasible is flag] for flag in (True, False)}
        self.feasible = self._survivors(self.feasible + children[True], size)
        self.infeasible = self._survivors(self.infeasible + children[False], size)
        self._told = []

    def _survivors(self, members: list[Any], size: int) -> list[Any]:
        """The best `size`, those that are too like a better one last, equal ones left out."""
        ranked = self._toolbox.survive(members, len(members))
        niche = self.number("niche")
        kept: list[Any] = []
        shapes: list[Codes] = []
        back: list[Any] = []
        seen: set[str] = set()
        for one in ranked:
            text = "\n".join(one)
            if text in seen:
                continue
            seen.add(text)
            shape = codes(text)
            if len(kept) < size and all(code_distance(shape, other) >= niche for other in shapes):
                kept.append(one)
                shapes.append(shape)
            else:
                back.append(one)
        return (kept + back)[:size]

    # -- breeding ------------------------------------------------------------------------------------------------------

    def _next_generation(self) -> None:
        """Fill the queue: first with new levels, later with children."""
        first = not self.feasible and not self.infeasible
        if not first:
            self.generation += 1
        rng = self.rng(self.generation)
        count = self.integer("population") if first else self.integer("offspring")
        known = {"\n".join(one) for one in self.feasible + self.infeasible}
        self._queue = []
        for k in range(count):
            for _ in range(5):
                level, origin = self._new(rng, k) if first or rng.random() < self.number("fresh") else self._child(rng)
                if level not in known:
                    break
            known.add(level)
            self._queue.append((level, origin))

    def _new(self, rng: np.random.Generator, k: int) -> tuple[str, str]:
        """A level made from nothing: of ten six constructed, three caves, one at random and then repaired."""
        context = self.context
        width, height = draw_size(rng, self.widths, self.heights)
        share = min(0.6, context.wall_share * rng.uniform(0.6, 1.4))
        turn = k % 10
        if turn == 9:
            scattered = RandomGenerator(context, seed=int(rng.integers(2**31)), **self._sizes())
            site = Site(context, context.palette.parse(scattered.generate(rng)))
            repair(site, rng)
            return site.text(), "random"
        style = "caves" if turn in (2, 5, 8) else draw_style(context, rng)
        site = Site.blank(context, width, height)
        construct(site, rng, style, share)
        repair(site, rng)
        return site.text(), "ca" if style == "caves" else "constructive"

    def _sizes(self) -> dict[str, Any]:
        return {name: self.settings[name] for name in ("min_width", "max_width", "min_height", "max_height")}

    def _child(self, rng: np.random.Generator) -> tuple[str, str]:
        from_infeasible = rng.random() < self.number("infeasible")
        pool = self.infeasible if from_infeasible else self.feasible
        pool = pool or self.feasible or self.infeasible
        first = self._parent(rng, pool)
        if rng.random() < self.number("crossover"):
            # The other parent may come from the other side of feasibility: that is where the border runs.
            other = self.feasible if self.feasible and rng.random() < 0.5 else pool
            second = self._parent(rng, other)
            grid = self._toolbox.mate(first, second, rng)[int(rng.integers(2))]
            origin = "crossover"
            if rng.random() < self.number("mutation"):
                grid = self._toolbox.mutate(grid, rng)
        else:
            grid, origin = self._toolbox.mutate(first, rng), "mutation"
        if rng.random() < self.number("resize"):
            grid = self._toolbox.resize(grid, rng)
        site = Site(self.context, grid)
        repair(site, rng)
        return site.text(), origin

    def _parent(self, rng: np.random.Generator, pool: Sequence[Any]) -> Grid:
        """The best of a few drawn members (DEAP's own tournament draws from the global generator)."""
        drawn = [pool[int(i)] for i in rng.integers(0, len(pool), size=self.integer("tournament"))]
        best = min(drawn, key=lambda one: (-one.fitness.values[0], one.id))
        return self.context.palette.parse("\n".join(best))

    # -- resuming ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Populations, the rest of the generation's queue and what was told of it so far."""

        def pack(one: Any) -> list[Any]:
            return ["\n".join(one), one.fitness.values[0], one.id]

        return {
            "next": self._next,
            "generation": self.generation,
            "feasible": [pack(one) for one in self.feasible],
            "infeasible": [pack(one) for one in self.infeasible],
            "queue": [list(entry) for entry in self._queue],
            "out": self._out,
            "told": [[*pack(one), feasible] for one, feasible in self._told],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""
        super().load_state_dict(state)
        self.generation = int(state["generation"])
        self.feasible = [individual(*packed) for packed in state["feasible"]]
        self.infeasible = [individual(*packed) for packed in state["infeasible"]]
        self._queue = [(str(level), str(origin)) for level, origin in state["queue"]]
        self._out = int(state["out"])
        self._told = [(individual(*packed), bool(feasible)) for *packed, feasible in state["told"]]
