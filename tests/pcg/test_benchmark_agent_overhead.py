"""Decisions are written down whole, and done again they leave the same states (benchmarks/agent_overhead.py)."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.agent_overhead import AGENTS, overhead, play_noting
from pcg.engine.game import load
from pcg.engine.model import Pool
from pcg.evaluators.agents import make_agent
from pcg.evaluators.agents.compiled import Record


def pools_of(record: Record) -> list[Pool]:
    """Memory for states that an agent's record points to."""
    kept = record._kept.values()
    deeper = [pool for one in kept if isinstance(one, Record) for pool in pools_of(one)]
    return [one for one in kept if isinstance(one, Pool)] + deeper


@pytest.mark.parametrize("game", ["hunt", "boxes"])
@pytest.mark.parametrize("name", AGENTS)
def test_decisions_done_again_from_their_log_leave_the_same_states(name: str, game: str) -> None:
    start = load(game).start(0, seed=1)
    agent: Any = make_agent(name, seed=1, budget=60)
    agent.reset(start)
    memory = [pool.memory for pool in pools_of(agent._record)]
    before = [block.copy() for block in memory]
    states, logs = play_noting(agent, start, 4)
    assert len(states) == 4 and not any(log.grew for log in logs)
    assert sum(log.count("advance") for log in logs) == agent.calls
    after = [block.copy() for block in memory]
    for block, old in zip(memory, before, strict=True):
        block[:] = old
    for log in logs:
        log.repeating()()
    assert all((block == new).all() for block, new in zip(memory, after, strict=True))


def test_watching_changes_no_decision_and_rows_say_what_was_measured() -> None:
    row = overhead("boxes", "olets", calls=50, ticks=3, goes=2)
    alone: Any = make_agent("olets", seed=1, budget=50)
    state = load("boxes").start(0, seed=1)
    alone.reset(state)
    for _ in range(3):
        state.advance(alone.act(state))
    assert row["calls"] == alone.calls and row["stream"] == alone._record["random"]
