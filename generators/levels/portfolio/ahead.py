"""Drafts made ahead of time, in other processes.

The next candidates of a portfolio depend on one another in little: on the bandit, on the record of tryouts, and, while
there are few good levels, on the levels under way. So assistants draft them at the same time, each as if those before
it changed none of that, and say what they took for granted. Where that proves right, the draft is what the generator
would have made itself; where not, it is thrown away and made anew. So candidates are the same with any number of
assistants, as with branch prediction or optimistic simulation in parallel (Jefferson: Virtual Time, 1985).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pcg.engine.model import RESERVE
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.metrics.skeletons import StructuralShape
from pcg.evaluators.processes import WorkerProcess, begin_worker
from pcg.generators.levels.contract import Candidate, Evaluation
from pcg.generators.levels.portfolio.tryouts import Tryout

if TYPE_CHECKING:
    from pcg.generators.levels.portfolio.generator import PortfolioGenerator

ASSISTANTS = 8
"""Most processes that draft for one run; each has some 200 MB of memory."""
FIRST = 2
"""Number of the candidate with which assistants begin: the first levels are not to wait for a processor."""
KEPT = 1 << 28
"""Bytes of the memory of searches that an assistant keeps for the next."""
JOIN = 2.0
"""Seconds in which an assistant that was ended is gone."""


class Verdict(NamedTuple):
    """Verdict on a candidate, as a portfolio learns it."""

    number: int
    level: str
    origin: str
    feasible: bool
    value: float
    """Fitness of a feasible level, else how nearly it keeps the constraints, in [0, 1]."""

    @classmethod
    def of(cls, candidate: Candidate, evaluation: Evaluation) -> Verdict:
        """Return the verdict that an evaluation is."""
        value = evaluation.fitness if evaluation.feasible else evaluation.constraint
        return cls(candidate.id, candidate.level, candidate.origin, evaluation.feasible, value)


class Chosen(NamedTuple):
    """A choice of a family by the bandit."""

    before: Any
    """State of the draws, as numpy has it."""
    family: str
    after: Any

    def repeats(self, generator: PortfolioGenerator) -> bool:
        """Choose as well, and tell whether it comes to the same."""
        bits = np.random.PCG64()
        bits.state = self.before
        return generator.choose_family(np.random.Generator(bits)) == self.family and bits.state == self.after


class InVain(NamedTuple):
    """Drafts of a family of which nothing came."""

    family: str

    def repeats(self, generator: PortfolioGenerator) -> bool:
        """Tell the bandit; always comes to the same."""
        generator.bandit.reward(self.family, 0.0, made=False)
        return True


class TriedOut(NamedTuple):
    """A tryout."""

    tryout: Tryout

    def repeats(self, generator: PortfolioGenerator) -> bool:
        """Count it, and tell whether it would be made in the same way."""
        return generator.tryouts.repeats(self.tryout)


class WentOn(NamedTuple):
    """A question whether further drafts are made."""

    drafts: int
    answer: bool

    def repeats(self, generator: PortfolioGenerator) -> bool:
        """Tell whether the answer is the same."""
        return generator.goes_on(self.drafts) == self.answer


class Limited(NamedTuple):
    """The most batches of drafts, and what they are next time."""

    before: int
    after: int

    def repeats(self, generator: PortfolioGenerator) -> bool:
        """Take those of next time, and tell whether there were as many."""
        same = generator.batches == self.before
        generator.batches = self.after
        return same


Step = Chosen | InVain | TriedOut | WentOn | Limited
"""Step of a draft: something of the record of others that it takes for granted, or adds to."""


class Grounds(NamedTuple):
    """The record of earlier drafts that the next one depends on, beside the verdicts and the levels under way."""

    bandit: Mapping[str, Any]
    tryouts: Mapping[str, Any]
    batches: int


class Job(NamedTuple):
    """A draft to be made."""

    number: int
    """Of the candidate."""
    applied: int
    """Number of verdicts on which `grounds` rest."""
    known: int
    """Number of verdicts that the draft is to be made with."""
    verdicts: Sequence[Verdict]
    """Those that the assistant was not told yet, up to the last that is needed."""
    grounds: Grounds
    under_way: Mapping[int, str]
    """Levels under way, by number."""


class Draft(NamedTuple):
    """A level that an assistant has drafted."""

    number: int
    text: str
    family: str
    steps: Sequence[Step]
    """Decisions by the record of earlier drafts, in order."""
    first: bool
    """True if no other level was taken to be under way or known."""
    under_way: Mapping[int, str]
    """Levels that were taken to be under way, by number; none where nothing was compared with them."""
    compared: Sequence[StructuralShape]
    """Drafts that were found to be unlike those."""


class Trail:
    """Notes on a draft while it is made."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.looked = False
        """True once a draft was compared with levels under way."""
        self.compared: list[StructuralShape] = []
        """Drafts that were found to be unlike known levels."""


class Assistant:
    """A generator in another process that drafts what it is asked for.

    Args:
        generator: of the same game, seed and parameters as the one it assists, in the same state.
    """

    def __init__(self, generator: PortfolioGenerator) -> None:
        self.generator = generator
        self._rewards: dict[int, tuple[str, float]] = {}
        """Family and reward by the number of the verdict, of those that may not have reached `Job.grounds`."""

    def draft(self, job: Job) -> Draft:
        """Return the draft of a candidate."""
        generator = self.generator
        for verdict in job.verdicts:
            self._rewards[verdict.number] = verdict.origin, generator.take(verdict)
        self._rewards = {number: found for number, found in self._rewards.items() if number >= job.applied}
        generator.stand_on(job.grounds)
        for number in range(job.applied, job.known):
            generator.reward(*self._rewards[number])
        under_way = {number: text for number, text in job.under_way.items() if number >= job.known}
        return generator.draft(job.number, job.known, under_way)


def assist(build: Callable[[], PortfolioGenerator], state: Mapping[str, Any], orders: Connection) -> None:
    """Draft what comes as orders, in a process of its own, until it is ended.

    Args:
        build: makes the generator.
        state: of the one that is assisted (`state_dict`).
        orders: a `Job` at a time, answered with its `Draft`; an empty answer comes first.
    """
    begin_worker()
    RESERVE.limit = KEPT
    # what fails for good fails again where the draft is made next, and is told there
    with suppress(PcgError, MemoryError, OSError, EOFError), RESERVE.open():
        generator = build()
        generator.load_state_dict(state)
        assistant = Assistant(generator)
        orders.send(None)
        while True:
            orders.send(assistant.draft(orders.recv()))


class _Helper:
    """An assistant as the assisted process sees it."""

    def __init__(self, build: Callable[[], PortfolioGenerator], state: Mapping[str, Any], told: int) -> None:
        self.orders, theirs = get_context("spawn").Pipe()
        self.process = WorkerProcess(target=assist, args=(build, state, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.told = told
        """Number of verdicts that it knows."""
        self.job: int | None = -1
        """Number of the candidate that it drafts; None for none, -1 while it begins."""

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join(JOIN)
        self.orders.close()


class DraftsAhead:
    """Drafts of the next candidates of a generator, which assistants make.

    Args:
        generator: that is assisted.
        build: makes the same generator again, in another process; can be pickled.
        count: assistants. They begin with candidate `FIRST`; until they are there, nothing waits for them.
    """

    def __init__(self, generator: PortfolioGenerator, build: Callable[[], PortfolioGenerator], count: int) -> None:
        self._generator = generator
        self._build = build
        self._count = count
        self._helpers: list[_Helper] | None = None
        self._drafts: dict[int, Draft] = {}
        self._verdicts: dict[int, Verdict] = {}
        """Verdicts by number that some assistant does not know."""
        self._now = 0
        """Number of the candidate that is made now."""
        self._next = 0
        """Number of the first candidate that was given to none."""
        self.used = self.wasted = 0
        """Numbers of drafts that were taken, and that rested on the wrong grounds."""

    def tell(self, candidates: Sequence[Candidate], evaluations: Sequence[Evaluation]) -> None:
        """Take evaluations for the assistants."""
        for candidate, evaluation in zip(candidates, evaluations, strict=True):
            self._verdicts[candidate.id] = Verdict.of(candidate, evaluation)

    def draft(self, number: int) -> Draft | None:
        """Return the draft of the next candidate; None where it is to be made here.

        Args:
            number: of the candidate, whose verdicts have taken effect.
        """
        if self._helpers is None:
            if number < FIRST:
                return None
            self._begin()
        self._now, self._next = number, max(self._next, number + 1)
        self._drafts = {ahead: draft for ahead, draft in self._drafts.items() if ahead >= number}
        self._collect(False)
        if number not in self._drafts:
            self.give_out()
        while number not in self._drafts and any(helper.job == number for helper in self._helpers or ()):
            self._collect(True)
            if number not in self._drafts:
                self.give_out()
        draft = self._drafts.pop(number, None)
        if draft is None:
            return None
        if not self._generator.confirm(draft):
            self.wasted += 1
            self.give_out()
            return None
        self.used += 1
        return draft

    def close(self) -> None:
        """End the assistants."""
        for helper in self._helpers or ():
            helper.end()
        self._helpers = []

    def _begin(self) -> None:
        state = self._generator.state_dict()
        told = self._generator.applied
        self._verdicts = {candidate.id: Verdict.of(candidate, found) for candidate, found in self._generator.waiting}
        self._helpers = []
        with suppress(OSError):  # no more processes, or no memory for them: fewer assist
            for _ in range(self._count):
                self._helpers.append(_Helper(self._build, state, told))

    def _collect(self, waits: bool) -> None:
        """Take what assistants have made.

        Args:
            waits: until one has made something.
        """
        helpers = {helper.orders: helper for helper in self._helpers or ()}
        for ready in wait(list(helpers), None if waits else 0.0):
            assert isinstance(ready, Connection)
            helper = helpers[ready]
            try:
                draft = ready.recv()
            except (EOFError, OSError):  # it ended, whatever for; what it was to draft is made here
                helper.end()
                assert self._helpers is not None
                self._helpers.remove(helper)
                continue
            helper.job = None
            if draft is not None and draft.number >= self._now:
                self._drafts[draft.number] = draft

    def give_out(self) -> None:
        """Give the next candidates to the assistants that have none, as far as their verdicts are there."""
        generator = self._generator
        for helper in self._helpers or ():
            known = generator.needed(self._next)
            if known > generator.applied + len(generator.waiting):
                break
            if helper.job is not None:
                continue
            news = [self._verdicts[number] for number in range(helper.told, known)]
            under_way = {**generator.under_way, **{draft.number: draft.text for draft in self._drafts.values()}}
            try:
                helper.orders.send(Job(self._next, generator.applied, known, news, generator.grounds(), under_way))
            except OSError:
                continue  # it has ended; the next look at it tells
            helper.told, helper.job = max(helper.told, known), self._next
            self._next += 1
        least = min((helper.told for helper in self._helpers or ()), default=generator.applied)
        for number in [number for number in self._verdicts if number < least]:
            del self._verdicts[number]
