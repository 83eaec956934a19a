"""The rules of a tournament: how long agents may think, how long a game lasts, and the points for each end.

The numbers are those of the General Video Game AI competitions (reference/agents 11.1). With a budget of forward-model
calls instead of time, nothing is measured, and equal tournaments have equal results on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents.base import Budget
from pcg.evaluators.agents.playout import MAX_TICKS

WON, LOST, NO_WINNER, DISQUALIFIED = 1, 0, -1, -100
"""Results of a player; the values are the reference's result keys (reference/loop 3.10)."""
DISQUALIFIED_SCORE = -1000.0
OUTCOME_NAMES: Mapping[int, str] = {
    WON: "won",
    LOST: "lost",
    NO_WINNER: "undecided",
    DISQUALIFIED: "disqualified",
}  # fmt: skip

CONSTRUCTION_MS = 1000.0
GRACE_MS = 10.0
"""An action later than the time budget is replaced by NIL; this much later still, its agent is disqualified."""
STALL_SECONDS = 10.0


@dataclass(frozen=True)
class Rules:
    """The rules of a tournament.

    Args:
        budget: per decision. Milliseconds are CPU time of the thread and are enforced: an action that comes later is
            replaced by NIL, one more than `GRACE_MS` later disqualifies.
            Forward-model calls are what agents are asked to keep to; compiled agents do.
        max_ticks: ticks after which a play ends undecided, if its game has not ended it before.
        construction_ms: CPU time for making an agent and preparing it for a game; only with a time budget.
        stall: seconds of wall time that an agent written in Python may take for a decision, or for its construction,
            before it is stopped by force. It is no limit of thought but a guard: no CPU clock notices an agent that
            sleeps.

    >>> rules = Rules(Budget(milliseconds=40))
    >>> rules.judge(39.9), rules.judge(45.0), rules.judge(50.0), rules.judge(50.5)
    ('in time', 'late', 'late', 'overtime')
    """

    budget: Budget = field(default_factory=Budget)
    max_ticks: int = MAX_TICKS
    construction_ms: float = CONSTRUCTION_MS
    stall: float = STALL_SECONDS

    def __post_init__(self) -> None:
        for name, low in (("max_ticks", 1), ("construction_ms", 1), ("stall", 0.001)):
            value = getattr(self, name)
            if not value >= low:
                raise PcgError(f"rules: {name} is {value}, expected at least {low}")

    @property
    def timed(self) -> bool:
        """True when the budget is time."""
        return self.budget.milliseconds is not None

    def judge(self, milliseconds: float) -> str:
        """The verdict on a decision that took so much CPU time: "in time", "late" or "overtime"."""
        limit = self.budget.milliseconds
        if limit is None or milliseconds <= limit:
            return "in time"
        return "overtime" if milliseconds > limit + GRACE_MS else "late"

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "calls": self.budget.calls,
            "milliseconds": self.budget.milliseconds,
            "max_ticks": self.max_ticks,
            "construction_ms": self.construction_ms,
            "stall": self.stall,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Rules:
        """The inverse of `to_json`."""
        budget = Budget(calls=data["calls"], milliseconds=data["milliseconds"])
        return cls(budget, data["max_ticks"], data["construction_ms"], data["stall"])


def settle(outcome: int, score: float) -> tuple[int, float]:
    """Outcome and score as they are reported: a disqualified player has -1000, a winner at least something.

    >>> settle(WON, -3.0), settle(LOST, -3.0), settle(DISQUALIFIED, 12.0)
    ((1, 1.0), (0, -3.0), (-100, -1000.0))
    """
    if outcome == DISQUALIFIED:
        return outcome, DISQUALIFIED_SCORE
    if outcome == WON and score <= 0:
        return outcome, 1.0
    return outcome, score
