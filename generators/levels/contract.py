"""The contract of level generators: that of all generators (`pcg.generators.contract`), for levels of a game."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter, Setting
from pcg.evaluators.target_feasibility import check_targets
from pcg.evaluators.target_parsing import resolve_targets
from pcg.evaluators.targets import Target
from pcg.generators.contract import Generator, IndependentMixin
from pcg.generators.levels.context import LevelContext

__all__ = ["Candidate", "DelayedGenerator", "Evaluation", "LevelGenerator"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A level to be evaluated. Its text is its genotype, unless `note` says otherwise."""

    id: int
    """0, 1, 2, ... in the order of asking."""
    level: str
    """VGDL level text in the game's own mapping, rows joined by newlines, all of one length."""
    origin: str
    """Name of the generator or of the operator that made it."""
    generation: int = 0
    note: str = ""
    """Note from which the generator tells more of the level (`LevelGenerator.about`), "" for none."""

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        data = {"id": self.id, "level": self.level, "origin": self.origin, "generation": self.generation}
        return {**data, "note": self.note} if self.note else data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Candidate:
        """The inverse of `to_json`."""
        note = str(data.get("note", ""))
        return cls(int(data["id"]), str(data["level"]), str(data["origin"]), int(data["generation"]), note)


SIZE_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("min_width", 0, "narrowest level; 0: as the game's own levels", 0, 200, "cells"),
    Parameter("max_width", 0, "widest level; 0: as the game's own levels", 0, 200, "cells"),
    Parameter("min_height", 0, "lowest level; 0: as the game's own levels", 0, 200, "cells"),
    Parameter("max_height", 0, "highest level; 0: as the game's own levels", 0, 200, "cells"),
)
"""Parameters of every generator."""


class LevelGenerator(Generator[Candidate, Evaluation]):
    """Base of all level generators."""

    parameters: ClassVar[tuple[Parameter, ...]] = SIZE_PARAMETERS
    needs_levels: ClassVar[bool] = False
    """True if it learns from the game's own levels, so that it cannot serve games without any."""

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        super().__init__(seed=seed, **params)
        self.targets = resolve_targets(targets, context.analysis)
        """Targets of the levels. They reach every generator that learns through the fitness it is told. Wanted
        numbers of sprites are rules of `context.requirements` besides, and wanted sizes bound those of the levels, so
        that generators which build by these aim at them; others may read the targets here."""
        self.context = context.with_wanted_counts(self.targets)
        smallest, largest = self._range("width"), self._range("height")
        self.widths, self.heights = smallest, largest
        self.settings |= {
            "min_width": self.widths[0], "max_width": self.widths[1],
            "min_height": self.heights[0], "max_height": self.heights[1],
        }  # fmt: skip
        check_targets(self.targets, context.analysis, widths=self.widths, heights=self.heights)

    def judged_with(self, settings: Mapping[str, Setting]) -> None:
        """Take note of the settings of the evaluation of its levels, before it makes the first one.

        Args:
            settings: those that are not the default.
        """
        del settings

    def about(self, candidate: Candidate) -> dict[str, Any]:
        """Return what is known of one of this generator's levels beside its text, as JSON: `mission` (see
        `grammar.Mission.to_json`); {} for nothing.
        """
        del candidate
        return {}

    def _range(self, side: str) -> tuple[int, int]:
        low, high = int(self.settings[f"min_{side}"]), int(self.settings[f"max_{side}"])
        low, high = self._wanted_range(side, low, high)
        default_low, default_high = getattr(self.context, f"{side}s")
        least = self.context.smallest
        if low and high and low > high:
            raise PcgError(f"generator {self.name}: min_{side} is {low}, expected at most max_{side}, which is {high}")
        for name, value in ((f"min_{side}", low), (f"max_{side}", high)):
            if value and value < least:
                raise PcgError(f"generator {self.name}: {name} is {value}, expected at least {least} for this game")
        low = low or max(least, min(default_low, high or default_low))
        high = high or max(low, default_high)
        return low, high

    def _wanted_range(self, side: str, low: int, high: int) -> tuple[int, int]:
        """The range of a side (0: not given) within what is wanted of it."""
        for target in self.targets:
            if target.name == side:
                largest = next(int(p.high or 0) for p in SIZE_PARAMETERS if p.name == f"max_{side}")
                if target.high < self.context.smallest or target.low > largest:
                    between = f"{self.context.smallest} to {largest} cells"
                    raise PcgError(f"target `{target}`: the {side} of levels of this game is {between}")
                least = max(low, math.ceil(target.low)) if target.low > -math.inf else low
                most = min(high or math.inf, math.floor(target.high)) if target.high < math.inf else high
                if most and least > most:
                    raise PcgError(
                        f"generator {self.name}: target `{target}` contradicts {side}s of {low} to {high} cells"
                    )
                low, high = least, int(most)
        return low, high

    def __repr__(self) -> str:
        game = self.context.definition.name
        return f"<{type(self).__name__} for {game}, seed {self.seed}, {self._next} levels so far>"


class IndependentGenerator(IndependentMixin[Candidate, Evaluation, str], LevelGenerator):
    """Base of the generators whose k-th level depends on k alone; their `generate` makes a level text."""

    def _wrapped(self, number: int, made: str) -> Candidate:
        return Candidate(number, made, self.name)


class DelayedGenerator(LevelGenerator):
    """Base of the generators that learn from each evaluation a fixed number of levels after its candidate.

    Candidate k is made when the evaluations of all candidates up to k - `delay` have been learned from, and none of
    later ones. So up to `delay` evaluations go on side by side without a pause, and the outcome does not depend on how
    many there are or on how quickly they come. Subclasses have a parameter `delay`, in levels.
    """

    learns = True
    told_any_time = True

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        super().__init__(context, seed=seed, targets=targets, **params)
        self.waiting: deque[tuple[Candidate, Evaluation]] = deque()
        """Evaluations that have not taken effect yet, in the order of candidates."""
        self.applied = 0
        """Number of evaluations that were learned from."""

    def needed(self, number: int) -> int:
        """Return the number of evaluations that take effect before the candidate with this id is made."""
        return max(0, number + 1 - self.integer("delay"))

    @abstractmethod
    def _make(self, number: int) -> Candidate:
        """Make the candidate with this id."""

    @abstractmethod
    def _learn(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Take an evaluation into account, once and in the order of candidates."""

    def ask(self, n: int) -> list[Candidate]:
        """At most `n` candidates, as far as `delay` reaches beyond what was told."""
        made: list[Candidate] = []
        while len(made) < n:
            known = self.needed(self._next)
            if known > self.applied + len(self.waiting):
                break
            while self.applied < known:
                self._learn(*self.waiting.popleft())
                self.applied += 1
            made.append(self._make(self._next))
            self._next += 1
        return made

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations; they take effect when the level `delay` later is made."""
        self.waiting.extend(zip(candidates, evaluations, strict=True))

    def state_dict(self) -> dict[str, Any]:
        """The counts of candidates and evaluations, and the evaluations that have not taken effect yet."""
        waiting = [[candidate.to_json(), evaluation.to_json()] for candidate, evaluation in self.waiting]
        return {**super().state_dict(), "applied": self.applied, "waiting": waiting}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was."""
        super().load_state_dict(state)
        self.applied = int(state["applied"])
        self.waiting = deque((Candidate.from_json(c), Evaluation.from_json(e)) for c, e in state["waiting"])
