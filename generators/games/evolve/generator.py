"""Whole games by evolution: sprites, mapping, rules and levels change together.

The first generation holds the games to begin with, some of their crossings, and mutants of these. A child is a mutant
(`pcg.generators.games.operators`) or a crossing (`pcg.generators.games.recombination`) of what did well. With
`max_edits` the whole search keeps within that many lines of one of the games to begin with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter
from pcg.generators.games.genes import GameGenotype, game_edits
from pcg.generators.games.operators import mutate
from pcg.generators.games.population import PARAMETERS, EvolutionaryGames, child_of, genotype_of
from pcg.generators.games.recombination import cross, has_parts_of_both, own_features, parts
from pcg.generators.population import Child, Individual

_REMEMBERED = 2000
"""Games of which is known whether they have parts of several."""
_NEAR = 8
"""Tries to make a child that keeps within the bound on edits, each with fewer changes."""


class EvolvingGames(EvolutionaryGames):
    """FI-2pop over whole games."""

    name = "evolve"
    help = "breeds games, levels with them, by how well they tell good players from bad ones"
    papers = (
        "Browne, Maire: Evolutionary Game Design (2010)",
        "Nielsen, Barros, Togelius, Nelson: Towards Generating Arcade Game Rules with VGDL (2015)",
        "Cook, Colton, Gow: The ANGELINA Videogame Design System (2017)",
        "Kimbrough, Koehler, Lu, Wood: On a Feasible-Infeasible Two-Population Genetic Algorithm (2008)",
    )
    parameters = (
        *PARAMETERS.values(),
        Parameter(
            "both",
            0.5,
            "of several games to begin with: share of games that are to have parts of more than one",
            0.0,
            1.0,
        ),
        Parameter("levels", 1.0, "how often levels change, as a multiple of the usual", 0.0, 20.0),
    )
    bounded: ClassVar[bool] = True

    def __init__(self, start: Any, *, seed: int, max_edits: int = 0, **params: Any) -> None:
        super().__init__(start, seed=seed, max_edits=max_edits, **params)
        self._own = own_features(self.repaired_start)
        self._mixed: dict[str, bool] = {}
        if max_edits:
            for game, repaired_start in zip(self.start, self.repaired_start, strict=True):
                need = game_edits(game, repaired_start)
                if need >= max_edits:
                    raise PcgError(
                        f"generator {self.name}: a game to begin with must be repaired in {need} lines before it can "
                        f"be changed, expected max_edits of at least {need + 1}, got {max_edits}"
                    )

    # -- parts of more than one game -----------------------------------------------------------------------------------

    def _quota(self, size: int) -> int:
        """Number of games, out of so many, that are to have parts of several: mutants of one game soon outdo all
        crossings, which are rough at first, so crossings have places of their own.
        """
        return round(self.number("both") * size) if len(self.repaired_start) > 1 and not self.max_edits else 0

    def _is_mixed(self, text: str, data: Mapping[str, Any]) -> bool:
        known = self._mixed.get(text)
        if known is None:
            known = self._mixed[text] = has_parts_of_both(parts(GameGenotype.from_json(data), self._own))
        return known

    def _fits(self, child: Child, place: int) -> bool:
        return place >= self._quota(self.integer("offspring")) or self._is_mixed(child.text, child.note[0])

    def _survivors(self, members: list[Individual], size: int) -> list[Individual]:
        quota = self._quota(size)
        if not quota:
            return super()._survivors(members, size)
        mixed = super()._survivors([one for one in members if self._is_mixed(one.text, one.note[0])], quota)
        kept = {one.id for one in mixed}
        found = mixed + super()._survivors([one for one in members if one.id not in kept], size - len(mixed))
        if len(self._mixed) > _REMEMBERED:
            self._mixed = {one.text: self._mixed[one.text] for one in members}
        return self._ranked(found)

    # -- children ------------------------------------------------------------------------------------------------------

    def _first(self) -> list[Child]:
        return [child_of(game, "start") for game in self.repaired_start]

    def _base(self, rng: np.random.Generator) -> GameGenotype:
        return self.repaired_start[int(rng.integers(len(self.repaired_start)))]

    def _fresh(self, rng: np.random.Generator) -> Child:
        if len(self.repaired_start) > 1 and rng.random() < self.number("crossover"):
            a, b = rng.permutation(len(self.repaired_start))[:2].tolist()
            made = cross(self.repaired_start[a], self.repaired_start[b], rng, most=self.most)
            if self._near(made):
                return child_of(made, "crossover of starts")
        return child_of(self._mutated(self._base(rng), rng), "mutated start")

    def _mutant(self, parent: Individual, rng: np.random.Generator) -> Child:
        return child_of(self._mutated(genotype_of(parent), rng), "mutation", parent)

    def _crossed(self, one: Individual, other: Individual, mutate: bool, rng: np.random.Generator) -> Child:
        made = cross(genotype_of(one), genotype_of(other), rng, most=self.most)
        if not self._near(made):
            return self._mutant(one, rng)
        return child_of(self._mutated(made, rng) if mutate else made, "crossover", one, other)

    def _mutated(self, game: GameGenotype, rng: np.random.Generator) -> GameGenotype:
        changes, levels = self._changes(rng), self.number("levels")
        if not self.max_edits:
            return mutate(game, rng, changes=changes, most=self.most, levels=levels)
        for k in range(_NEAR):
            small = bool(k >= _NEAR // 2 or rng.random() < 0.5)
            made = mutate(game, rng, changes=max(1, changes - k), most=self.most, levels=levels, small=small)
            if made != game and self._near(made):
                return made
        # the parent is at the bound: begin again
        base = self._base(rng)
        for _ in range(_NEAR):
            made = mutate(base, rng, changes=1, most=self.most, levels=levels, small=True)
            if self._near(made):
                return made
        return base

    def _near(self, game: GameGenotype) -> bool:
        """Return whether a game is within `max_edits` lines of one of those to begin with."""
        return not self.max_edits or any(game_edits(given, game) <= self.max_edits for given in self.start)
