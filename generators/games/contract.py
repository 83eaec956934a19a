"""The contract of generators of whole games: that of all generators (`pcg.generators.contract`), for games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pcg.engine.lazy import cached_property
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.contract import EvaluationProtocol, Generator, GenotypeCandidate, IndependentMixin
from pcg.generators.games.game_repair import repair_game, space_of
from pcg.generators.games.genes import GameGenotype


class GameCandidate(GenotypeCandidate[GameGenotype]):
    """A game to be evaluated."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameCandidate:
        """Return the candidate whose `to_json` this was."""
        return cls._read(data, GameGenotype.from_json(data["genotype"]))


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
    """True if it can keep to `max_edits`."""

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
    def repaired_start(self) -> tuple[GameGenotype, ...]:
        """The games to begin with, repaired."""
        return tuple(repair_game(game, self.rng(0xF1A5, k), most=self.most) for k, game in enumerate(self.start))

    @property
    def most(self) -> int:
        """Rules that a game may have: as many as those to begin with, at least `max_rules` (40 without it)."""
        own = max((len(game.rules.rules) for game in self.start), default=0)
        return max(own, int(self.settings.get("max_rules", 40)))


class IndependentGameGenerator(IndependentMixin[GameCandidate, EvaluationProtocol, GameGenotype], GameGenerator):
    """Base of the generators whose k-th game depends on k alone; they implement `generate`."""

    def _wrapped(self, number: int, made: GameGenotype) -> GameCandidate:
        return GameCandidate(number, made, self.name)
