"""Rule sets by evolution (reference/generators 12.8, with its selection and its loop as they must be meant).

Feasible rule sets compete in fitness, infeasible ones in how nearly they keep the constraints (FI-2pop: Kimbrough et
al. 2008, as in Khalifa et al. 2017). Children are crossed at rule boundaries and mutated; long rule sets pay for their
length (parsimony pressure), and those that are too like a better one stand back, so that a population stays a set of
different games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter
from pcg.generators.contract import EvaluationProtocol
from pcg.generators.population import Child, GenotypePopulationGenerator, Individual, tournament
from pcg.generators.rules.constructive.generator import ConstructiveRules
from pcg.generators.rules.contract import RuleCandidate, RuleGenerator
from pcg.generators.rules.evolve.chances import Chances, is_lost
from pcg.generators.rules.genes import RuleSet, Shape, shape_distance, shape_of
from pcg.generators.rules.goal_plans import PLANS, draw_plan
from pcg.generators.rules.learned import LearnedSpace
from pcg.generators.rules.operators import cross, mutate, repair_rules
from pcg.generators.rules.playability_repair import ease, harden, lengthen_goal, repair_playability
from pcg.generators.rules.random.generator import RandomRules
from pcg.generators.rules.space import RuleSpace

_TRIES = 5
_LATER = 0.3
"""Part of the infeasible parents that is left when the feasible population is full."""
_ANEW, _OF_THE_UNWON = "anew", "of the unwon"
"""Ways of making rule sets, as `Chances` counts them: all that have no parents, and those with one that nobody wins."""
BREEDING: tuple[Parameter, ...] = (
    Parameter("offspring", 40, "children per generation", 1, 10_000),
    Parameter("constructive", 0.2, "share of the first generation made by templates", 0.0, 1.0),
    Parameter("random", 0.4, "share of it drawn at random; the rest are mutated templates", 0.0, 1.0),
    Parameter("crossover", 0.5, "share of children with two parents", 0.0, 1.0),
    Parameter("mutation", 0.7, "share of crossed children that are mutated as well", 0.0, 1.0),
    Parameter("changes", 3, "most changes per mutation; each number from 1 is as likely", 1, 50),
    Parameter(
        "infeasible", 0.35, "share of parents from the infeasible population, before the other is full", 0.0, 1.0
    ),
    Parameter("fresh", 0.2, "share of children made anew rather than bred", 0.0, 1.0),
    Parameter(
        "trimmed",
        0.4,
        "most children without rules that were never executed; with more to do, with a danger more, and with less of "
        "either half as many each",
        0.0,
        1.0,
    ),
    Parameter("tournament", 3, "members drawn, of which the best becomes a parent", 1, 100),
    Parameter("max_rules", 30, "most rules", 1, 200),
    Parameter(
        "settled",
        0.9,
        "chance with which bounds, goals and dangers that are missing are added, and draws follow "
        "what people write; 0: neither",
        0.0,
        1.0,
    ),
    Parameter(
        "goals", 0.7, "share of the sets made anew that are plans of whole games, with a goal of any family", 0.0, 1.0
    ),
    Parameter(
        "crowding", 0.01, "fitness that a rule set loses for each better one with the same goal and danger", 0.0, 1.0
    ),
)
"""Parameters of breeding."""


class EvolvingRules(GenotypePopulationGenerator[RuleCandidate, EvaluationProtocol], RuleGenerator):
    """FI-2pop over rule sets."""

    name = "evolve"
    help = "breeds rule sets from feasible and infeasible parents, by how well they tell good players from bad ones"
    papers: ClassVar[tuple[str, ...]] = (
        "Khalifa, Green, Perez-Liebana, Togelius: General Video Game Rule Generation (2017)",
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (2008)",
        "Jin, Branke: Evolutionary Optimization in Uncertain Environments (2005)",
        "Todd, Padula, Stephenson, Piette, Soemers, Togelius: GAVEL (2024)",
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("population", 40, "members kept in each of the two populations", 2, 10_000),
        *BREEDING,
        Parameter("niche", 0.15, "rule sets closer than this to a better one stand back", 0.0, 1.0, "distance"),
        Parameter("parsimony", 0.002, "fitness that every rule and termination costs", 0.0, 1.0),
        Parameter("again", 0.15, "most of a generation that are good rule sets evaluated once more", 0.0, 1.0),
    )

    def __init__(self, space: RuleSpace, *, seed: int, start: Sequence[RuleSet] = (), **params: Any) -> None:
        """`start` are rule sets that the first generation begins with, such as those of a known game."""
        super().__init__(space, seed=seed, **params)
        if self.number("settled") > 0.0:
            self.space = space = LearnedSpace(space)
        if self.number("constructive") + self.number("random") > 1:
            raise PcgError(
                f"generator {self.name}: constructive and random are more than 1 together, expected at most 1"
            )
        self.start = tuple(start)
        self._templates = ConstructiveRules(space, seed=seed)
        self._random = RandomRules(space, seed=seed)
        self._concepts: dict[int, tuple[float, float]] = {}
        """Goal and danger of members, and of what is being decided on, by id."""
        self._idle: list[tuple[float, int, RuleSet]] = []
        self._short: list[tuple[float, int, RuleSet]] = []
        self._easy: list[tuple[float, int, RuleSet]] = []
        self._lost: list[tuple[float, int, RuleSet]] = []
        self._chances = Chances()
        self._unwon: set[int] = set()
        """Members that nobody wins, and such of what is being decided on, by id."""

    def bar(self) -> float:
        """The fitness of the least of the feasible population, once that is full."""
        full = len(self.feasible) >= self.integer("population")
        return min(one.values[0] for one in self.feasible) if full else 0.0

    # -- children ------------------------------------------------------------------------------------------------------

    def _next_generation(self, rng: np.random.Generator) -> list[Child]:
        members = self.feasible + self.infeasible
        known = {one.text for one in members}
        made: list[Child] = []
        if not members:
            given = [
                _child(repair_rules(self.space, one, rng, most=self.integer("max_rules")), "start")
                for one in self.start
            ]
            made += given
            known |= {child.text for child in given}
        else:
            made += [child for child in self._trimmed() if child.text not in known]
            known |= {child.text for child in made}
            made += [child for child in self._mended(rng) if child.text not in known]
            known |= {child.text for child in made}
            made += self._reevaluations(self._replays())
        for _ in range(self.integer("offspring" if members else "population") - len(made)):
            made.append(self._new(rng, known))
        return made

    def _new(self, rng: np.random.Generator, known: set[str]) -> Child:
        """A child like none that is known, as far as a few tries find one: bred if there are parents, or made anew."""
        for _ in range(_TRIES):
            anew = not (self.feasible or self.infeasible) or rng.random() < self.number("fresh")
            child = self._fresh(rng) if anew else self._bred(rng)
            if child.text not in known:
                break
        known.add(child.text)
        return child

    def _share(self) -> float:
        """Less of the parents are infeasible the more feasible ones there are: measured on three games, 4 to 9 % of the
        children of the infeasible were feasible, and of the feasible 36 to 44 %, most of them better.
        """
        filled = min(1.0, len(self.feasible) / self.integer("population"))
        return self.number("infeasible") * (1.0 - (1.0 - _LATER) * filled)

    def _replays(self) -> int:
        """Evaluations of a generation that are of members seen before."""
        return round(float(self.settings.get("again", 0.0)) * self.integer("offspring"))

    def _fresh(self, rng: np.random.Generator) -> Child:
        """A rule set from nothing, or a mutated one of those to start with."""
        draw = float(rng.random())
        if self.start and draw < 0.5:
            base = self.start[int(rng.integers(len(self.start)))]
            return _child(self._mutated(base, rng), "mutated start")
        if isinstance(self.space, LearnedSpace) and float(rng.random()) < self.number("goals"):
            plan = draw_plan(self.space, rng, self._chances.order(PLANS, rng), pushed=self._chances.of("push"))
            if plan is not None:
                name, rules = plan
                made = repair_playability(self.space, rules, rng, share=1.0, most=self.integer("max_rules"))
                if rng.random() < 0.7:
                    return _child(made, name)
                return _child(self._mutated(made, rng), f"mutated {name}")
        draw = float(rng.random())
        if draw < self.number("random"):
            return _child(self._repaired(self._random.generate(rng), rng), "random")
        made = self._repaired(self._templates.generate(rng), rng)
        if draw < self.number("random") + self.number("constructive"):
            return _child(made, "constructive")
        return _child(self._mutated(made, rng), "mutated constructive")

    def _mutated(self, genotype: RuleSet, rng: np.random.Generator) -> RuleSet:
        changes = 1 + int(rng.integers(self.integer("changes")))
        return self._repaired(mutate(self.space, genotype, rng, changes=changes, most=self.integer("max_rules")), rng)

    def _repaired(self, genotype: RuleSet, rng: np.random.Generator) -> RuleSet:
        """Return a rule set with the bounds, goals and dangers that it lacks (`playability_repair`)."""
        if not isinstance(self.space, LearnedSpace):
            return genotype
        return repair_playability(
            self.space, genotype, rng, share=self.number("settled"), most=self.integer("max_rules")
        )

    def _parent(self, rng: np.random.Generator, pool: list[Individual]) -> Individual:
        """A member of a population that is to have a child."""
        return tournament(rng, pool, self.integer("tournament"))

    def _bred(self, rng: np.random.Generator) -> Child:
        pool = self._pool(rng)
        first = self._parent(rng, pool)
        genotype = _genotype(first)
        if rng.random() >= self.number("crossover"):
            if self._better_anew(rng, first):
                return self._fresh(rng)
            return _child(self._mutated(genotype, rng), "mutation", first)
        second = self._parent(rng, self.feasible if self.feasible and rng.random() < 0.5 else pool)
        if self._better_anew(rng, first, second):
            return self._fresh(rng)
        made = cross(self.space, genotype, _genotype(second), rng, most=self.integer("max_rules"))
        if rng.random() < self.number("mutation"):
            made = self._mutated(made, rng)
        return _child(made, "crossover", first, second)

    def _better_anew(self, rng: np.random.Generator, *parents: Individual) -> bool:
        """Return True for parents that nobody wins, as often as what is made anew can be won and their children not."""
        if self._unwon.isdisjoint(one.id for one in parents):
            return False
        return float(rng.random()) >= self._chances.of(_OF_THE_UNWON) / self._chances.of(_ANEW)

    def tell(self, candidates: Sequence[RuleCandidate], evaluations: Sequence[EvaluationProtocol]) -> None:
        """Take evaluations, and note what is wrong with those that a single change may mend: rules that are never
        executed, wins that are too short or come by chance, nothing in the way of the player, or too much.
        """
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            metrics = getattr(evaluation, "metrics", {})
            self._concepts[candidate.id] = float(metrics.get("goal", -1)), float(metrics.get("danger", -1))
            unused = _owners(candidate.genotype, getattr(evaluation, "unused", ()))
            held = getattr(evaluation, "constraints", {})
            if unused and [name for name, value in held.items() if value < 1.0] == ["rules"]:
                rules = tuple(rule for k, rule in enumerate(candidate.genotype.rules) if k not in unused)
                genotype = RuleSet(rules, candidate.genotype.terminations)
                self._idle.append((evaluation.constraint, candidate.id, genotype))
            noted = evaluation.constraint, candidate.id, candidate.genotype
            lost = is_lost(evaluation)
            if lost or held.get("winnable", 0.0) >= 1.0:
                self._chances.note(candidate.origin.removeprefix("mutated "), not lost)
                if not candidate.parents:
                    self._chances.note(_ANEW, not lost)
                elif candidate.origin in ("mutation", "crossover") and not self._unwon.isdisjoint(candidate.parents):
                    self._chances.note(_OF_THE_UNWON, not lost)
            # what was not looked at any more is 0
            if lost:
                self._lost.append(noted)
                self._unwon.add(candidate.id)
            elif 0.0 < held.get("length", 1.0) < 1.0 or ("random_wins" in metrics and held.get("chance", 1.0) < 1.0):
                self._short.append(noted)
            elif 0.0 < held.get("resistance", 1.0) < 1.0:
                self._easy.append(noted)
        super().tell(candidates, evaluations)

    def _select(self, told: list[tuple[Individual, bool]]) -> None:
        super()._select(told)
        self._forget()

    def _forget(self) -> None:
        """Forget what was noted of candidates that are no members."""
        kept = {one.id for one in self.feasible + self.infeasible}
        self._concepts = {number: concept for number, concept in self._concepts.items() if number in kept}
        self._unwon &= kept

    def _ranked(self, members: list[Individual]) -> list[Individual]:
        """Members, best first, each worth less for better ones with the same goal, and again with the same danger: so
        that the easiest family of games does not crowd out all others (fitness sharing: Goldberg, Richardson 1987).
        """
        better: Counter[tuple[float, ...]] = Counter()
        worth: dict[int, float] = {}
        price = self.number("crowding")
        for one in super()._ranked(members):
            goal, danger = self._concepts.get(one.id, (-1.0, -1.0))
            worth[id(one)] = one.values[0] - price * (better[goal,] + better[goal, danger]) / 2.0
            better.update([(goal,), (goal, danger)])
        parsimony = self.number("parsimony")
        return sorted(members, key=lambda one: (parsimony * self._length(one) - worth[id(one)], one.id))

    def _mended(self, rng: np.random.Generator) -> list[Child]:
        """Rule sets of the last generation that were won too soon or by chance, with more to do, those in which nothing
        stood in the way, with a danger, and those that nobody won, with less of either.
        """
        most = round(self.number("trimmed") * self.integer("offspring")) // 2
        groups = (
            (self._short, lengthen_goal, "lengthened"),
            (self._easy, harden, "hardened"),
            (self._lost, ease, "eased"),
        )
        self._short, self._easy, self._lost = [], [], []
        found: dict[str, Child] = {}
        space = self.space
        if not isinstance(space, LearnedSpace):
            return []
        for noted, change, origin in groups:
            number = round(most * self._chances.of(origin))
            for _, parent, genotype in sorted(noted, key=lambda entry: (-entry[0], entry[1]))[:number]:
                changed = change(space, genotype, rng)
                if changed is not None:
                    made = self._repaired(changed, rng)
                    found.setdefault(str(made), Child(str(made), origin, (made.to_json(), [parent])))
        return list(found.values())

    def _trimmed(self) -> list[Child]:
        """Rule sets of the last generation without the rules that were never executed, as far as that makes games."""
        most = round(self.number("trimmed") * self.integer("offspring"))
        ranked = sorted(self._idle, key=lambda entry: (-entry[0], entry[1]))
        self._idle = []
        found = {str(genotype): (genotype, parent) for _, parent, genotype in ranked if genotype.rules}
        return [Child(text, "trimmed", (genotype.to_json(), [parent]))
                for text, (genotype, parent) in list(found.items())[:most]]  # fmt: skip

    def _extra_state(self) -> dict[str, Any]:
        return {
            **super()._extra_state(),
            "concepts": [[number, *concept] for number, concept in sorted(self._concepts.items())],
            "idle": [[constraint, parent, one.to_json()] for constraint, parent, one in self._idle],
            "short": [[constraint, parent, one.to_json()] for constraint, parent, one in self._short],
            "easy": [[constraint, parent, one.to_json()] for constraint, parent, one in self._easy],
            "lost": [[constraint, parent, one.to_json()] for constraint, parent, one in self._lost],
            "chances": self._chances.state(),
            "unwon": sorted(self._unwon),
        }

    def _load_extra_state(self, state: Mapping[str, Any]) -> None:
        super()._load_extra_state(state)
        self._concepts = {int(number): (float(goal), float(danger)) for number, goal, danger in state["concepts"]}
        self._idle, self._short, self._easy, self._lost = (
            [(float(constraint), int(parent), RuleSet.from_json(one)) for constraint, parent, one in state[name]]
            for name in ("idle", "short", "easy", "lost")
        )
        self._chances.load(state["chances"])
        self._unwon = {int(number) for number in state["unwon"]}

    # -- what the populations ask --------------------------------------------------------------------------------------

    def _candidate(self, number: int, child: Child) -> RuleCandidate:
        genotype, parents = child.note
        return RuleCandidate(number, RuleSet.from_json(genotype), child.origin, self.generation, tuple(parents))

    def _length(self, one: Individual) -> int:
        return len(one)

    def _shape(self, one: Individual) -> Shape:
        return shape_of(_genotype(one))

    def _distance(self, one: Shape, other: Shape) -> float:
        return shape_distance(one, other)


def _child(genotype: RuleSet, origin: str, *parents: Individual) -> Child:
    return Child(str(genotype), origin, (genotype.to_json(), [parent.id for parent in parents]))


def _owners(genotype: RuleSet, effects: Sequence[int]) -> set[int]:
    """Numbers of the rules that some effects of a compiled game belong to; a timer is one after the other what it does
    and itself.
    """
    owners = [k for k, rule in enumerate(genotype.rules) for _ in range(2 if rule.effect == "addTimer" else 1)]
    return {owners[effect] for effect in effects if effect < len(owners)}


def _genotype(one: Individual) -> RuleSet:
    return RuleSet.from_json(one.note[0])
