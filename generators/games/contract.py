"""The contract all generators of whole games share: that of all generators (`pcg.generators.contract`), for games."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.contract import EvaluationProtocol, Generator
from pcg.generators.games.game_repair import mend, space_of
from pcg.generators.games.genes import GameGenotype


@dataclass(frozen=True)
class GameCandidate:
    """A game to be evaluated."""

    id: int
    """0, 1, 2, ... in the order of asking."""
    genotype: GameGenotype
    origin: str
    """How it was made: the name of a generator or of an operator."""
    generation: int = 0
    parents: tuple[int, ...] = ()
    """Ids of the candidates it was bred from."""

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "id": self.id, "genotype": self.genotype.to_json(), "origin": self.origin, "generation": self.generation,
            "parents": list(self.parents),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameCandidate:
        """The inverse of `to_json`."""
        genotype, parents = GameGenotype.from_json(data["genotype"]), tuple(int(p) for p in data["parents"])
        return cls(int(data["id"]), genotype, str(data["origin"]), int(data["generation"]), parents)


class GameGenerator(Generator[GameCandidate, EvaluationProtocol]):
    """Base of all generators of games.

    Args:
        start: games to begin with, each with at least one level.
        seed: equal seeds give equal games.
        max_edits: most lines in which a game may differ from the nearest of `start`
            (`pcg.generators.games.genes.game_edits`); 0: no such bound.
        params: see `parameters`.

    Raises:
        PcgError: for unknown or bad parameters, and for games that cannot be begun with.
    """

    least: ClassVar[int] = 1
    """Games that it needs to begin with."""
    bounded: ClassVar[bool] = False
    """Whether it can keep to `max_edits`."""

    def __init__(self, start: Sequence[GameGenotype], *, seed: int, max_edits: int = 0, **params: object) -> None:
        super().__init__(seed=seed, **params)
        self.start = tuple(start)
        self.max_edits = max_edits
        if len(self.start) < self.least:
            number = "one game" if self.least == 1 else f"{self.least} games"
            raise PcgError(f"generator {self.name}: expected at least {number} to begin with, got {len(self.start)}")
        if max_edits < 0:
            raise PcgError(f"max_edits is {max_edits}, expected 0 (no bound) or a number of lines")
        if max_edits and not self.bounded:
            raise PcgError(f"generator {self.name} cannot keep to max_edits (variation and evolve can)")
        for game in self.start:
            if not game.levels:
                raise PcgError("a game to begin with has no level")
        if self.start and space_of(self.start[0]) is None and not self.start[0].avatars:
            raise PcgError("the first game to begin with has no avatar, so nobody plays it")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} from {len(self.start)} games, seed {self.seed}, {self._next} games so far>"

    @cached_property
    def sound(self) -> tuple[GameGenotype, ...]:
        """The games to begin with, mended."""
        return tuple(mend(game, self.rng(0xF1A5, k), most=self.most) for k, game in enumerate(self.start))

    @property
    def most(self) -> int:
        """Rules that a game may have: as many as those to begin with, at least `max_rules` (40 without it)."""
        own = max((len(game.rules.rules) for game in self.start), default=0)
        return max(own, int(self.settings.get("max_rules", 40)))


class IndependentGameGenerator(GameGenerator):
    """A generator whose k-th game depends on k alone."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> GameGenotype:
        """One game."""

    def ask(self, n: int) -> list[GameCandidate]:
        """`n` new candidates."""
        first, self._next = self._next, self._next + n
        return [GameCandidate(k, self.generate(self.rng(k)), self.name) for k in range(first, first + n)]
