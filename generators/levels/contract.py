"""The contract all level generators share: ask for candidates, tell how they fared.

`ask(n)` hands out levels, `tell` takes their evaluations in the order in which they were asked for; a generator that
does not learn ignores what it is told (ask/tell as in pyribs and CMA-ES libraries). Evaluating, storing and stopping
are the caller's business.
"""

from __future__ import annotations

import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.parameters import Parameter, Setting, resolve
from pcg.evaluators.wants import Want, check_wants, settle_wants
from pcg.generators.levels.context import LevelContext

__all__ = ["Candidate", "Evaluation", "LevelGenerator"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A level to be evaluated. Its text is its genotype, unless `note` says otherwise."""

    id: int
    """0, 1, 2, ... in the order of asking."""
    level: str
    """VGDL level text in the game's own mapping, rows joined by newlines, all of one length."""
    origin: str
    """How it was made: the name of a generator or of an operator."""
    generation: int = 0
    note: str = ""
    """What the generator must know to tell more of the level (`LevelGenerator.about`), "" for nothing."""

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


class LevelGenerator(ABC):
    """Base of all level generators.

    The levels depend on the game, the seed, the parameters and what was told, and on nothing else. Between an `ask`
    and the `tell` of its candidates other calls of `ask` may come; a generator that cannot go on without being told
    first returns fewer candidates than asked for, possibly none.

    Subclasses name themselves in the class variables, read settled parameters from `self.settings` and implement `ask`.
    """

    name: ClassVar[str]
    help: ClassVar[str]
    papers: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]] = SIZE_PARAMETERS
    learns: ClassVar[bool] = False
    """Whether being told changes what comes next; a run of one that does not learn may stop as soon as it has enough.
    """
    needs_levels: ClassVar[bool] = False
    """Whether it learns from the game's own levels, so that it cannot serve games without any."""

    def __init__(self, context: LevelContext, *, seed: int, wants: str | Sequence[Want] = (), **params: object) -> None:
        self.wants = settle_wants(wants, context.analysis)
        """What levels are to be like. They reach every generator that learns through the fitness it is told. Wanted
        numbers of sprites are rules of `context.requirements` besides, and wanted sizes bound those of the levels, so
        that generators which build by these aim at them; others may read the wants here."""
        self.context = context.aiming(self.wants)
        self.seed = seed
        self.settings: dict[str, Setting] = resolve(self.parameters, params, f"generator {self.name}")
        smallest, largest = self._range("width"), self._range("height")
        self.widths, self.heights = smallest, largest
        self.settings |= {
            "min_width": self.widths[0], "max_width": self.widths[1],
            "min_height": self.heights[0], "max_height": self.heights[1],
        }  # fmt: skip
        check_wants(self.wants, context.analysis, widths=self.widths, heights=self.heights)
        self._next = 0

    @abstractmethod
    def ask(self, n: int) -> list[Candidate]:
        """At most `n` new candidates, with consecutive ids."""

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take the evaluations of candidates, in the order of their ids; nothing is learnt here from them."""
        del candidates, evaluations

    def about(self, candidate: Candidate) -> dict[str, Any]:
        """What is known of one of this generator's levels beside its text, as JSON: `mission` (see
        `grammar.Mission.to_json`); {} for nothing.
        """
        del candidate
        return {}

    def findings(self) -> dict[str, Any]:
        """What the search has found out beside the levels themselves (a front, the best settings), as JSON; {} for
        nothing. Levels in it, under "level", are written out by a run.
        """
        return {}

    def state_dict(self) -> dict[str, Any]:
        """Everything that decides what comes next, as JSON; candidates that are out are not part of it."""
        return {"next": self._next}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was (same game, seed and parameters)."""
        self._next = int(state["next"])

    def archive(self) -> Mapping[str, Any] | None:
        """The levels kept for each combination of measures, as JSON (`archive.json` of a run folder); None for a
        generator that keeps none.
        """
        return None

    def statistics(self) -> Mapping[str, float]:
        """Numbers about what was found so far, cheap enough to ask for after every level; coverage and QD score of an
        archive.
        """
        return {}

    def rng(self, *key: int) -> np.random.Generator:
        """A generator of random numbers of its own for each key (a candidate's id, a generation)."""
        salt = zlib.crc32(self.name.encode())
        return np.random.default_rng(np.random.SeedSequence([self.seed, salt, *key]))

    def integer(self, name: str) -> int:
        """A whole-number parameter."""
        return int(self.settings[name])

    def number(self, name: str) -> float:
        """A numeric parameter."""
        return float(self.settings[name])

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
        for want in self.wants:
            if want.name == side:
                largest = next(int(p.high or 0) for p in SIZE_PARAMETERS if p.name == f"max_{side}")
                if want.high < self.context.smallest or want.low > largest:
                    between = f"{self.context.smallest} to {largest} cells"
                    raise PcgError(f"want `{want}`: the {side} of levels of this game is {between}")
                least = max(low, math.ceil(want.low)) if want.low > -math.inf else low
                most = min(high or math.inf, math.floor(want.high)) if want.high < math.inf else high
                if most and least > most:
                    raise PcgError(f"generator {self.name}: want `{want}` contradicts {side}s of {low} to {high} cells")
                low, high = least, int(most)
        return low, high

    def __repr__(self) -> str:
        game = self.context.definition.name
        return f"<{type(self).__name__} for {game}, seed {self.seed}, {self._next} levels so far>"


class IndependentGenerator(LevelGenerator):
    """A generator whose k-th level depends on k alone, not on the others: it only says how one level is made."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""

    def ask(self, n: int) -> list[Candidate]:
        """`n` new candidates."""
        first, self._next = self._next, self._next + n
        return [Candidate(k, self.generate(self.rng(k)), self.name) for k in range(first, first + n)]
