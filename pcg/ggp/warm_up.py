"""Compilation before the clock runs: one decision of an agent in a tiny game."""

from __future__ import annotations

from typing import Any

_SHEET = """
(role left) (role right)
(init (step 1))
(<= (legal ?r a) (role ?r))
(<= (legal ?r b) (role ?r))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= terminal (true (step 3)))
(<= (goal ?r 50) (role ?r))
"""


def warm_up(agent: str) -> None:
    """Compile, or load from the cache, what the agent needs to play a rule sheet.

    Raises:
        PcgError: there is no such agent.
    """
    from pcg.engine.gdl import load
    from pcg.evaluators.agents import Budget, make_agent

    game = load(_SHEET)
    state: Any = game.start()
    made = make_agent(agent, seed=0, budget=Budget(calls=20) if "budget=" not in agent else None)
    made.reset(state)
    made.act(state)
