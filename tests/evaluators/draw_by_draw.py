"""Decisions of two searches held against each other, draw by draw, on small maps of every kind."""

from __future__ import annotations

from typing import Any

from tiny_engine import walk

from pcg.evaluators.agents import make_agent

MAPS: dict[str, dict[str, Any]] = {
    "corridor": {"rows": "A..c..G"},
    "pit": {"rows": "A..c..G\n..x...."},
    "wind": {"rows": "A.c.\n.x.G\nc...", "wind": 200},
    "limit": {"rows": "c.A.c", "limit": 6},
}
"""Name -> arguments of `tiny_engine.walk`: without chance, with a loss, with chance, and without a goal."""


def assert_decides_as(name: str, reference: Any, about: dict[str, Any], budget: int) -> None:
    """Hold six decisions of an agent and the state of its random generator against those of a reference.

    Args:
        name: of the agent; its seed is 11.
        reference: has `act(state)` and `random.state`, made with the same seed and budget.
        about: a map, of `MAPS`.
        budget: forward-model calls per decision.
    """
    state = walk(**about).start(seed=3)
    agent: Any = make_agent(name, seed=11, budget=budget)
    agent.reset(state)
    for _ in range(6):
        if state.is_over:
            break
        expected = reference.act(state)
        assert agent.act(state) == expected
        assert agent._record["random"] == reference.random.state
        state.advance(expected)
