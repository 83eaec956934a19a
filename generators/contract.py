"""The ask/tell contract of all generators, whatever they make.

`ask(n)` hands out candidates, `tell` takes their evaluations in the order in which they were asked for; a generator
that does not learn ignores what it is told (ask/tell as in pyribs and CMA-ES libraries). Evaluating, storing and
stopping are the caller's business. Levels, rule sets and whole games add what their candidates are made of.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from pcg.evaluators.parameters import Parameter, Setting, resolve

__all__ = ["EvaluationProtocol", "Generator", "HasId"]


class HasId(Protocol):
    """Protocol of candidates: each has a number."""

    @property
    def id(self) -> int:
        """0, 1, 2, ... in the order of asking."""


class EvaluationProtocol(Protocol):
    """Protocol of evaluations of a candidate."""

    @property
    def feasible(self) -> bool:
        """True if all constraints are met."""

    @property
    def fitness(self) -> float:
        """Quality of a feasible candidate, in [0, 1]; 0 for others."""

    @property
    def constraint(self) -> float:
        """Degree to which the constraints are met, in [0, 1]."""


class Genotype(Protocol):
    """Plain data that a candidate stands for."""

    def to_json(self) -> Any:
        """Return the genotype as JSON."""


T = TypeVar("T")
G = TypeVar("G", bound=Genotype)
C = TypeVar("C", bound=HasId)
V = TypeVar("V", bound=EvaluationProtocol)


class Generator(ABC, Generic[C, V]):
    """Base of all generators of candidates C that learn, if they do, from evaluations V.

    What comes out depends on what it is made for, the seed, the parameters and what was told, and on nothing else.
    Between an `ask` and the `tell` of its candidates other calls of `ask` may come; a generator that cannot go on
    without being told first returns fewer candidates than asked for, possibly none.

    Subclasses name themselves in the class variables, read settled parameters from `self.settings` and implement `ask`.
    """

    name: ClassVar[str]
    help: ClassVar[str]
    papers: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    learns: ClassVar[bool] = False
    """True if being told changes what comes next; a run of one that does not learn may stop as soon as it has enough.
    """

    steady: ClassVar[bool] = False
    """True if a candidate depends on how many were told when it was asked for, and not on whole generations alone."""

    told_any_time: ClassVar[bool] = False
    """True if candidates are the same however soon the generator is told of evaluations; a run then tells it of each as
    soon as it can.
    """

    def __init__(self, *, seed: int, **params: object) -> None:
        self.seed = seed
        self.settings: dict[str, Setting] = resolve(self.parameters, params, f"generator {self.name}")
        self._next = 0

    @abstractmethod
    def ask(self, n: int) -> list[C]:
        """At most `n` new candidates, with consecutive ids."""

    def tell(self, candidates: Sequence[C], evaluations: Sequence[V]) -> None:
        """Take the evaluations of candidates, in the order of their ids; nothing is learnt here from them."""
        del candidates, evaluations

    def bar(self) -> float:
        """The fitness below which a feasible candidate that is out now is of no use, so that its evaluation may end
        early; the same from the asking to the telling of a candidate, whatever comes between.
        """
        return 0.0

    def assisted(self, build: Callable[[], Self], count: int) -> AbstractContextManager[None]:
        """Let other processes help to make candidates, for the time of a `with`; candidates stay the same.

        Nothing is helped here: generators say so that take longer for a candidate than its evaluation takes.

        Args:
            build: makes the same generator again, in another process; can be pickled.
            count: processes.
        """
        del build, count
        return nullcontext()

    def findings(self) -> dict[str, Any]:
        """Findings of the search beside the candidates themselves (a front, the best settings), as JSON; {} for
        nothing. Levels in it, under "level", are written out by a run.
        """
        return {}

    def state_dict(self) -> dict[str, Any]:
        """Everything that decides what comes next, as JSON; candidates that are out are not part of it."""
        return {"next": self._next}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on as the generator whose `state_dict` this was (made for the same, with equal seed and parameters)."""
        self._next = int(state["next"])

    def archive(self) -> Mapping[str, Any] | None:
        """Archive over measures, as JSON (`archive.json` of a run folder); None for a
        generator that keeps none.
        """
        return None

    def statistics(self) -> Mapping[str, float]:
        """Numbers about what was found so far, cheap enough to ask for after every candidate; coverage and QD score of
        an archive.
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


class IndependentMixin(Generator[C, V], Generic[C, V, T]):
    """A generator whose k-th candidate depends on k alone, not on the others: it says how one is made.

    T is what is made: a level text, a rule set, a game.
    """

    told_any_time = True

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> T:
        """Make one."""

    @abstractmethod
    def _wrapped(self, number: int, made: T) -> C:
        """Return the candidate with this id."""

    def ask(self, n: int) -> list[C]:
        """Return `n` new candidates."""
        first, self._next = self._next, self._next + n
        return [self._wrapped(k, self.generate(self.rng(k))) for k in range(first, first + n)]


@dataclass(frozen=True)
class GenotypeCandidate(Generic[G]):
    """A candidate that is plain data and has parents: a rule set or a whole game, to be evaluated."""

    id: int
    """0, 1, 2, ... in the order of asking."""
    genotype: G
    origin: str
    """Name of the generator or of the operator that made it."""
    generation: int = 0
    parents: tuple[int, ...] = ()
    """Ids of the candidates it was bred from."""

    def to_json(self) -> dict[str, Any]:
        """Return the candidate as a JSON object."""
        return {
            "id": self.id, "genotype": self.genotype.to_json(), "origin": self.origin, "generation": self.generation,
            "parents": list(self.parents),
        }  # fmt: skip

    @classmethod
    def _read(cls, data: Mapping[str, Any], genotype: G) -> Self:
        """Return the candidate of a JSON object, but for its genotype, which has been read."""
        parents = tuple(int(p) for p in data["parents"])
        return cls(int(data["id"]), genotype, str(data["origin"]), int(data["generation"]), parents)
