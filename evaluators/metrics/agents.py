"""Metrics from the plays of agents of different skill, as an evaluation of a level makes them.

An evaluation stops at the first stage that fails, so many of these are not known of bad levels. Plays are made by
`pcg.evaluators.fitness`; whole profiles of agents are in `profile`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pcg.evaluators.agents import Playout
from pcg.evaluators.metrics.profile import play_value
from pcg.evaluators.metrics.registry import AGENTS, metric
from pcg.evaluators.metrics.sources import KHALIFA, NIELSEN

LONG = 400
"""Ticks of a winning play from which on length makes a level no more difficult."""


@dataclass
class AgentPlays:
    """Plays of one level, filled in as an evaluation goes on."""

    longest: int = 0
    """Ticks after which a play is given up."""
    idle: Sequence[Playout] = ()
    """Plays of a player who does nothing."""
    weak: Sequence[Playout] = ()
    """Plays of weak agents."""
    won: Playout | None = None
    """The winning play, once the plays of weak agents are compared with it."""
    win: float | None = None
    """1 when a capable agent wins, else how near the best came; None until they have played."""
    proved: bool = False
    """A search has proved that the level can or cannot be won."""
    winnable: float | None = None
    """Chance that the level can be won, in [0, 1]; None where nobody has asked."""
    nodes: int | None = None
    """States that the solver visited before it found the winning play; None when it did not."""
    calls: int | None = None
    """Forward-model calls of the whole evaluation, None before its end."""


@metric(
    "playability", "1 when a capable agent wins, 0 when that is proved impossible, else how near the best came", 0, 1,
    stage=AGENTS, source=KHALIFA,
)  # fmt: skip
def playability(plays: AgentPlays) -> float | None:
    """The nearest that capable agents come to a win, in [0, 1]."""
    return plays.win


@metric(
    "proof", "1 when a search has proved that the level can or cannot be won, 0 when agents only tried", 0, 1,
    stage=AGENTS, whole=True,
)  # fmt: skip
def proof(plays: AgentPlays) -> float | None:
    """1 for a proved answer, 0 for one that agents found by trying."""
    return None if plays.win is None else int(plays.proved)


@metric(
    "winnable", "chance that the level can be won: 1 when it was, else by what the game's own levels show", 0, 1,
    stage=AGENTS, source="MacKenzie et al. 2002",
)  # fmt: skip
def winnable(plays: AgentPlays) -> float | None:
    """Chance that the level can be won (`pcg.evaluators.winnability`), in [0, 1]."""
    return plays.winnable


@metric(
    "idle_ticks", "ticks that a player lives who does nothing", stage=AGENTS, unit="ticks", source=KHALIFA, whole=True
)
def idle_ticks(plays: AgentPlays) -> float | None:
    """The median over plays of the ticks that a player lives who does nothing."""
    if not plays.idle:
        return None
    return sorted(plays.longest if p.winner != 0 else p.ticks for p in plays.idle)[len(plays.idle) // 2]


@metric(
    "idle_death", "share of the plays of a player who does nothing that are lost", 0, 1, stage=AGENTS, source=KHALIFA
)
def idle_death(plays: AgentPlays) -> float | None:
    """Share of the idle plays that are lost, in [0, 1]."""
    return sum(p.winner == 0 for p in plays.idle) / len(plays.idle) if plays.idle else None


@metric("gap", "how much better the winning play is than those of weak agents", 0, 1, stage=AGENTS, source=NIELSEN)
def gap(plays: AgentPlays) -> float | None:
    """Difference of the values of the winning play and, on the average, of weak ones, in [0, 1]."""
    if plays.won is None or not plays.weak:
        return None
    values = [play_value(weak.winner == 1, weak.winner != -1, float(weak.score)) for weak in plays.weak]
    weakness = math.fsum(values) / len(values)
    return max(0.0, min(1.0, (play_value(True, True, float(plays.won.score)) - weakness) / 0.9))


@metric("weak_wins", "share of the weak agents' plays that are won", 0, 1, stage=AGENTS, source=NIELSEN)
def weak_wins(plays: AgentPlays) -> float | None:
    """Share of the weak agents' plays that are won, in [0, 1]."""
    return sum(p.winner == 1 for p in plays.weak) / len(plays.weak) if plays.weak else None


@metric(
    "nodes", "states that the solver visited before it found the winning play", stage=AGENTS, unit="states", whole=True
)
def nodes(plays: AgentPlays) -> float | None:
    """States that the solver visited, None where it found no winning play."""
    return plays.nodes


@metric("calls", "forward-model calls that the evaluation took", stage=AGENTS, unit="calls", whole=True)
def calls(plays: AgentPlays) -> float | None:
    """Forward-model calls of the evaluation, ticks played included."""
    return plays.calls


@metric(
    "difficulty", "how seldom weak agents win, how often they are lost, and how long a win takes, each a third", 0, 1,
    stage=AGENTS, source=f"after {NIELSEN}",
)  # fmt: skip
def difficulty(plays: AgentPlays) -> float | None:
    """Mean of the shares of the weak agents' plays that are not won and that are lost, and of the length of the
    winning play on a logarithmic scale to `LONG` ticks, in [0, 1].
    """
    if plays.won is None or not plays.weak:
        return None
    wins: float = sum(p.winner == 1 for p in plays.weak) / len(plays.weak)
    lost: float = sum(p.winner == 0 for p in plays.weak) / len(plays.weak)
    length: float = min(1.0, math.log1p(plays.won.ticks) / math.log1p(LONG))
    return ((1.0 - wins) + lost + length) / 3.0
