"""Games by genetic programming on typed trees (Koza 1992; Montana 1995), with DEAP's trees and primitive sets.

Crossover exchanges subtrees of one type, mutation grows one anew or changes a terminal. DEAP's own operators draw from
Python's global random numbers; here all draws come from the generator's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import gp

from pcg.evaluators.parameters import Parameter
from pcg.generators.games.gp.initial_trees import initial_tree
from pcg.generators.games.gp.primitives import Game, Line, Rules, game_of, grow, names_of, primitives, tree_of
from pcg.generators.games.population import PARAMETERS, EvolutionaryGames, child_of
from pcg.generators.population import Child, Individual

Genome = dict[str, Any]
"""`base`: which of the games to begin with gives the levels; `tree`: names of its nodes."""


class GeneticProgrammingGames(EvolutionaryGames):
    """FI-2pop over trees that build games."""

    name = "gp"
    help = "trees of typed primitives, one for each class, effect and termination, build games"
    papers = (
        "Koza: Genetic Programming (1992)",
        "Montana: Strongly Typed Genetic Programming (1995)",
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (2008)",
    )
    parameters = (
        *PARAMETERS.values(),
        Parameter("templates", 0.7, "share of new trees with rules by templates; others are grown at random", 0.0, 1.0),
        Parameter("max_nodes", 600, "most nodes of a tree; larger children are given up", 20, 100_000),
    )

    def _first(self) -> list[Child]:
        return []

    def _fresh(self, rng: np.random.Generator) -> Child:
        base = int(rng.integers(len(self.start)))
        if rng.random() < self.number("templates"):
            tree = initial_tree(self.repaired_start[base], rng, self.most)
            return self._built({"base": base, "tree": names_of(tree)}, "planted")
        return self._built({"base": base, "tree": names_of(grow(Game, rng))}, "grown")

    def _mutant(self, parent: Individual, rng: np.random.Generator) -> Child:
        return self._built(self._changed(parent.note[2], rng), "mutation", parent)

    def _crossed(self, one: Individual, other: Individual, mutate: bool, rng: np.random.Generator) -> Child:
        mine, theirs = tree_of(one.note[2]["tree"]), tree_of(other.note[2]["tree"])
        kinds = [{n.ret.__name__ for n in tree if isinstance(n, gp.Primitive)} for tree in (mine, theirs)]
        shared = sorted((kinds[0] & kinds[1]) - {Game.__name__})
        wanted = shared[int(rng.integers(len(shared)))]
        at, source = (_pick([k for k, n in enumerate(t) if n.ret.__name__ == wanted], rng) for t in (mine, theirs))
        tree = [*mine]
        where, what = mine.searchSubtree(at), theirs.searchSubtree(source)
        tree[where] = theirs[what]
        if len(tree) > self.integer("max_nodes"):
            return self._mutant(one, rng)
        genome: Genome = {"base": one.note[2]["base"], "tree": names_of(tree)}
        return self._built(self._changed(genome, rng) if mutate else genome, "crossover", one, other)

    def _changed(self, genome: Genome, rng: np.random.Generator) -> Genome:
        """Some subtrees grown anew, terminals changed, list entries added or taken out."""
        tree = [*tree_of(genome["tree"])]
        for _ in range(self._changes(rng)):
            changed = _mutate(tree, rng)
            if len(changed) <= self.integer("max_nodes"):
                tree = changed
        return {"base": genome["base"], "tree": names_of(tree)}

    def _built(self, genome: Genome, origin: str, *parents: Individual) -> Child:
        base = self.repaired_start[genome["base"]]
        made = game_of(tree_of(genome["tree"]), base, self.most)
        return child_of(made, origin, *parents, more=genome)


def _pick(options: list[int], rng: np.random.Generator) -> int:
    return options[int(rng.integers(len(options)))]


def _mutate(nodes: list[Any], rng: np.random.Generator) -> list[Any]:
    """One change of a tree."""
    tree = gp.PrimitiveTree(nodes)
    draw = float(rng.random())
    terminals = [k for k, n in enumerate(tree) if isinstance(n, gp.Terminal)]
    joins = [k for k, n in enumerate(tree) if n.name.endswith("_join")]
    if draw < 0.4:
        at = _pick(terminals, rng)
        options = primitives().terminals[tree[at].ret]
        return [*tree[:at], options[int(rng.integers(len(options)))], *tree[at + 1 :]]
    if draw < 0.6 and joins:  # a list loses one of its halves
        at = _pick(joins, rng)
        left = tree.searchSubtree(at + 1)
        right = tree.searchSubtree(left.stop)
        kept = left if rng.random() < 0.5 else right
        whole = tree.searchSubtree(at)
        return [*tree[: whole.start], *tree[kept], *tree[whole.stop :]]
    if draw < 0.8:  # a rule more
        at = _pick([k for k, n in enumerate(tree) if n.ret is Rules], rng)
        whole = tree.searchSubtree(at)
        join, one = (next(p for p in primitives().primitives[Rules] if p.name == f"rules_{n}") for n in ("join", "one"))
        return [*tree[: whole.start], join, *tree[whole], one, *grow(Line, rng), *tree[whole.stop :]]
    at = _pick([k for k, n in enumerate(tree) if isinstance(n, gp.Primitive) and n.ret not in (Game, Rules)], rng)
    whole = tree.searchSubtree(at)
    return [*tree[: whole.start], *grow(tree[at].ret, rng, 2), *tree[whole.stop :]]
