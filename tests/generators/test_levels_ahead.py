"""Levels that other processes draft ahead of time are those that the generator makes alone."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import cast

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.evaluators.evaluation import Evaluation
from pcg.generators.levels import Candidate, make_generator
from pcg.generators.levels.portfolio import ahead
from pcg.generators.levels.portfolio.ahead import (
    Assistant,
    Chosen,
    DraftsAhead,
    InVain,
    Job,
    Limited,
    TriedOut,
    Verdict,
)
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.generators.levels.portfolio.tryouts import FIRST, Tryout, Tryouts

FEW = {"drafts": 0.2, "polish": 4, "delay": 6}


def make(name: str = "boxes", seed: int = 1, lessons: float = 0.0) -> PortfolioGenerator:
    return cast(PortfolioGenerator, make_generator("portfolio", load(name), seed=seed, lessons=lessons, **FEW))


def judged(level: str) -> Evaluation:
    """A made-up verdict: a third of the levels is not feasible."""
    value = (sum(map(ord, level)) % 97) / 97
    feasible = value > 0.33
    return Evaluation(feasible, value if feasible else 0.0, 1.0 if feasible else value, {}, {}, "complete")


def told(generator: PortfolioGenerator, number: int, at_once: int = 3) -> list[Candidate]:
    """Candidates that are told their verdicts, `at_once` of them under way."""
    flight: list[Candidate] = []
    made: list[Candidate] = []
    while len(made) < number:
        flight += generator.ask(min(at_once - len(flight), number - len(made) - len(flight)))
        candidate = flight.pop(0)
        generator.tell([candidate], [judged(candidate.level)])
        made.append(candidate)
    return made


class Reordered(DraftsAhead):
    """Drafts that are made here, by an assistant that is always `lead` candidates ahead, wherever it may be."""

    def __init__(
        self, generator: PortfolioGenerator, lead: int, build: Callable[[], PortfolioGenerator] = make
    ) -> None:  # fmt: skip
        super().__init__(generator, build, 0)
        self._assistant = Assistant(build())
        self._lead = lead
        self._told = 0
        self._helpers = []

    def draft(self, number: int) -> ahead.Draft | None:
        generator = self._generator
        self._next = max(self._next, number)
        while self._next <= number + self._lead:
            known = generator.needed(self._next)
            if known > generator.applied + len(generator.waiting):
                break
            news = [self._verdicts[k] for k in range(self._told, known)]
            self._told = max(self._told, known)
            job = Job(self._next, generator.applied, known, news, generator.grounds(), dict(generator.under_way))
            self._drafts[self._next] = self._assistant.draft(job)
            self._next += 1
        return super().draft(number)


@pytest.mark.parametrize("lead", [1, 2, 4])
def test_levels_drafted_ahead_are_those_that_are_made_in_turn(lead: int) -> None:
    alone, helped = make(), make()
    helped._ahead = at = Reordered(helped, lead)
    assert told(helped, 24) == told(alone, 24)
    assert at.used >= 6 and at.used + at.wasted >= 20
    assert helped.state_dict() == alone.state_dict()


def test_lessons_drafted_ahead_rest_on_the_verdicts_on_earlier_lessons() -> None:
    build = partial(make, "dungeon", 2, 0.75)
    alone, helped, again = build(), build(), build()
    helped._ahead = at = Reordered(helped, 3, build)
    assert told(helped, 24) == told(alone, 24)
    assert at.used >= 6
    assert helped.state_dict() == alone.state_dict() and alone.lessons.state()[0]
    again.load_state_dict(alone.state_dict())
    assert told(again, 6) == told(alone, 6)


@contextmanager
def assisted(generator: PortfolioGenerator, build: Callable[[], PortfolioGenerator]) -> Iterator[DraftsAhead]:
    with generator.assisted(build, 2):
        assert generator._ahead is not None
        yield generator._ahead


def wait_for_assistants(at: DraftsAhead) -> None:
    deadline = time.monotonic() + 60.0
    while any(helper.job == -1 for helper in at._helpers or ()) and time.monotonic() < deadline:
        at._collect(False)
        time.sleep(0.05)


def test_other_processes_draft_the_same_levels() -> None:
    alone, helped = make(), make()
    with assisted(helped, make) as at:
        made = told(helped, 3)
        wait_for_assistants(at)
        made += told(helped, 17)
        assert at.used >= 4
        processes = [helper.process for helper in at._helpers or ()]
        assert len(processes) == 2 and all(process.is_alive() for process in processes)
    assert made == told(alone, 3) + told(alone, 17)
    assert not any(process.is_alive() for process in processes)


def test_assistants_that_die_or_cannot_begin_are_done_without() -> None:
    alone, helped = make(), make()
    with assisted(helped, make) as at:
        made = told(helped, 3)
        wait_for_assistants(at)
        made += told(helped, 3)
        for helper in at._helpers or ():
            helper.process.kill()
        made += told(helped, 6)
        assert not at._helpers
    expected = told(alone, 3) + told(alone, 3) + told(alone, 6)
    assert made == expected
    broken = make()
    with assisted(broken, partial(make, "no such game")) as at:
        found = told(broken, 3)
        wait_for_assistants(at)
        found += told(broken, 3)
        assert not at._helpers
    assert found == expected[:6]


def learn(generator: PortfolioGenerator) -> None:
    """Let the next evaluation take effect."""
    generator._learn(*generator.waiting.popleft())
    generator.applied += 1


def drafted(generator: PortfolioGenerator, number: int) -> ahead.Draft:
    """The draft of a candidate by an assistant that knows all of the generator."""
    other = make()
    other.load_state_dict(generator.state_dict())
    known = generator.needed(number)
    job = Job(number, generator.applied, known, (), generator.grounds(), dict(generator.under_way))
    return Assistant(other).draft(job)


def test_a_draft_on_other_grounds_is_not_taken() -> None:
    generator = make()
    told(generator, 5)
    generator.ask(1)
    learn(generator)
    draft = drafted(generator, 6)
    assert draft.compared and any(isinstance(step, Chosen) for step in draft.steps)
    before = generator.grounds()
    generator.batches = 1
    changed = generator.grounds()
    assert not generator.confirm(draft) and generator.grounds() == changed
    generator.stand_on(before)
    for name in generator.bandit.arms:  # another family would be chosen
        generator.bandit.reward(name, 0.0 if name == draft.family else 1.0)
    for _ in range(40):
        generator.bandit.reward(draft.family, 0.0)
    assert not generator.confirm(draft)
    generator.stand_on(before)
    under_way = dict(generator.under_way)
    generator.under_way[99] = draft.text  # it was found unlike all that was under way
    assert not generator.confirm(draft)
    generator.under_way = {**under_way, min(under_way): under_way[max(under_way)]}
    assert not generator.confirm(draft)
    assert not generator.confirm(draft._replace(compared=()))  # all were like what is not there
    generator.under_way = {}
    generator.applied = 0  # the first of all is chosen in another way
    assert not generator.confirm(draft)
    generator.under_way, generator.applied = under_way, 1
    assert generator.confirm(draft)
    other = make()
    told(other, 5)
    other.ask(1)
    learn(other)
    assert other._level(6) == (draft.text, draft.family)
    assert generator.grounds() == other.grounds()


def test_steps_are_repeated_where_they_come_to_the_same() -> None:
    generator = make()
    rng = np.random.default_rng(7)
    before = rng.bit_generator.state
    family = generator.choose_family(rng)
    chosen = Chosen(before, family, rng.bit_generator.state)
    assert chosen.repeats(generator)
    assert not Chosen(before, "another", rng.bit_generator.state).repeats(generator)
    assert not Chosen(before, family, before).repeats(generator)
    mean = generator.bandit.mean(family)
    assert InVain(family).repeats(generator) and generator.bandit.mean(family) < mean
    assert generator.bandit.times[family] == 0
    assert Limited(generator.batches, 3).repeats(generator) and generator.batches == 3
    assert not Limited(8, 4).repeats(generator)
    assert TriedOut(Tryout(None, FIRST, True, 100)).repeats(generator)
    assert (generator.tryouts.tried, generator.tryouts.won, generator.tryouts.dearest) == (1.0, 1.0, 100)
    assert not TriedOut(Tryout(None, FIRST, True, 100)).repeats(generator)  # the next may make fewer calls


def test_a_tryout_is_repeated_only_where_chance_had_the_same_part() -> None:
    tryouts = Tryouts(make().context)
    tryouts.tried = tryouts.won = 100.0  # nearly all are won, so few are tried
    calls = Tryouts(make().context)
    calls.tried = calls.won = 100.0
    assert not calls.repeats(Tryout(None, FIRST, True, 100))
    assert not calls.repeats(Tryout(None, 0, False, 0))  # chance would have been asked
    noted: list[Tryout] = []
    tryouts.note = noted.append
    level = load("boxes").levels[0].strip("\n")
    rng = np.random.default_rng(1)
    for _ in range(12):
        tryouts.lost(level, rng)
    assert {bool(one.calls) for one in noted} == {True, False} and all(one.drawn is not None for one in noted)
    again = Tryouts(make().context)
    again.tried = again.won = 100.0
    assert all(again.repeats(one) for one in noted)
    assert again.state_dict() == tryouts.state_dict()


def test_an_assistant_takes_rewards_that_have_not_reached_its_grounds() -> None:
    generator, other = make(), make()
    told(generator, 9)
    assistant = Assistant(other)
    text = generator.ask(1)[0].level
    verdicts = [Verdict(k, text + "\n" * k, "edits", True, 0.5) for k in range(4)]
    grounds = generator.grounds()
    first = assistant.draft(Job(5, 0, 0, verdicts[:0], grounds, {}))
    assert first.under_way == {}
    assistant.draft(Job(8, 0, 3, verdicts[:3], grounds, {1: text, 4: text}))
    assistant.draft(Job(9, 1, 4, verdicts[3:], grounds, {1: text, 4: text}))
    assert other.under_way == {4: text} and other.applied == 4
    expected = make()
    expected.stand_on(grounds)
    for k, verdict in enumerate(verdicts):
        reward = expected.take(verdict)
        if k >= 1:
            expected.reward("edits", reward)
    times = other.bandit.times["edits"]
    assert times == expected.bandit.times["edits"] == generator.bandit.times["edits"] + 3
