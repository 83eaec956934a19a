"""Matches in worker processes: same results for any number, and no agent can hold up or bring down the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pcg.engine.registry import load_plugin
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import AGENTS, Budget
from pcg.evaluators.tournament import Match, Rules, run_matches, schedule, select_games, select_levels
from pcg.evaluators.tournament.workers import _Worker

MISBEHAVING = """
import os, signal, time
from pcg.evaluators.agents import Agent, register

class Base(Agent):
    def act(self, state):
        return "NIL"

class Stalls(Base):
    def act(self, state):
        while state.tick >= 3:
            time.sleep(60)

class Spins(Base):
    def reset(self, state):
        while True:
            pass

class Dies(Base):
    def act(self, state):
        if state.tick >= 2:
            os.kill(os.getpid(), signal.SIGKILL)

class Prints(Base):
    def act(self, state):
        print("thinking")

for made in (Stalls, Spins, Dies, Prints):
    register("test_" + made.__name__.lower(), "misbehaves")(made)
"""


@pytest.fixture
def misbehaving(tmp_path: Path):
    file = tmp_path / "misbehaving.py"
    file.write_text(MISBEHAVING)
    before = set(AGENTS)
    load_plugin(file)
    yield file
    for name in set(AGENTS) - before:
        AGENTS.unregister(name)


@pytest.mark.full
def test_results_come_in_order_and_do_not_depend_on_the_number_of_workers() -> None:
    entries = select_games(["hunt,duel"])
    matches = schedule(entries, ["mcts", "random"], select_levels("0-1", entries), 1)
    rules = Rules(Budget(calls=20), max_ticks=30)
    runs = [[r.to_json() for r in run_matches(matches, entries, rules, workers=n)] for n in (1, 2)]
    assert runs[0] == runs[1]
    assert [r["id"] for r in runs[0]] == list(range(len(matches)))


@pytest.mark.full
def test_agents_that_stall_or_die_lose_and_the_others_play_on(misbehaving: Path, capfd: pytest.CaptureFixture) -> None:
    entries = select_games(["hunt"])
    agents = ["test_stalls", "nothing", "test_spins", "test_dies", "test_prints"]
    matches = schedule(entries, agents, {"hunt": [0]}, 1)
    rules = Rules(Budget(calls=10), max_ticks=12, stall=5.0)  # what the others need, on a busy machine, too
    results = list(run_matches(matches, entries, rules, workers=2, plugins=[str(misbehaving)]))
    assert [r.match.id for r in results] == list(range(5))
    for result in results:
        agent, fault = result.match.agents[0], result.fault
        if agent in ("nothing", "test_prints"):
            assert fault is None and result.ticks == 12
            continue
        assert fault is not None and fault.agent == agent and result.scores == (-1000.0,)
        kind, tick = {
            "test_stalls": ("stalled", 4), "test_spins": ("stalled", -1), "test_dies": ("died", 3),
        }[agent]  # fmt: skip
        assert (fault.kind, fault.tick) == (kind, tick)
    assert "thinking" not in capfd.readouterr().out


def test_closing_the_iterator_ends_the_workers(misbehaving: Path) -> None:
    entries = select_games(["hunt"])
    matches = schedule(entries, ["nothing", "test_stalls"], {"hunt": [0]}, 1)
    rules = Rules(Budget(calls=10), max_ticks=12, stall=600)
    results = run_matches(matches, entries, rules, workers=1, plugins=[str(misbehaving)])
    assert next(results).match.agents == ("nothing",)
    import multiprocessing

    assert multiprocessing.active_children()
    results.close()
    assert not multiprocessing.active_children()


def test_stopping_finishes_what_has_begun_and_begins_nothing() -> None:
    entries = select_games(["hunt"])
    matches = schedule(entries, ["nothing"], {"hunt": [0]}, 20)
    played: list[int] = []
    rules = Rules(Budget(calls=10), max_ticks=5)
    for result in run_matches(matches, entries, rules, workers=1, stop=lambda: len(played) >= 3):
        played.append(result.match.id)
    assert 3 <= len(played) < 20 and played == list(range(len(played)))


def test_time_budgets_need_a_processor_per_play_and_levels_must_exist() -> None:
    entries = select_games(["hunt"])
    match = Match(0, "hunt", 0, 0, 1, ("nothing",))
    with pytest.raises(PcgError, match="with a time budget every play needs one of its own"):
        next(run_matches([match], entries, Rules(Budget(milliseconds=40)), workers=(os.cpu_count() or 1) + 1))
    with pytest.raises(PcgError, match="at least 1"):
        next(run_matches([match], entries, Rules(), workers=0))
    with pytest.raises(PcgError, match="hunt, level 99"):
        next(run_matches([Match(0, "hunt", 99, 0, 1, ("nothing",))], entries, Rules(), workers=1))


def test_time_in_which_the_program_was_stopped_is_no_fault_of_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("pcg.evaluators.tournament.workers.time.monotonic", lambda: now)
    worker = object.__new__(_Worker)
    worker._asked = worker._unseen = 0.0
    worker.match = Match(0, "hunt", 0, 0, 1, ("random",))
    worker.clock = [95.0, 0, 7, 2]  # asked five seconds ago
    assert worker.stalled(4.0) == 5.0
    worker.forgive(2.0)
    assert not worker.stalled(4.0)
    now = 102.0  # two more seconds, in which we looked
    worker.forgive(0.0)
    assert worker.stalled(4.0) == 5.0
    worker.clock[0] = 101.0  # asked anew: what was forgiven before is not carried over
    worker.forgive(0.0)
    now = 106.0
    assert worker.stalled(4.0) == 5.0
    worker.clock[0] = 0.0  # nobody is asked
    assert not worker.stalled(4.0)
