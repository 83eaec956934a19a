"""Solvability of levels: the agents that play a level to find out if it can be won, their order and their limits.

The question is answered by the first win, so the cheap and likely winners come first, and a player at a loss waits for
the others. Nothing is cut short for good: before a level counts as not won, everybody has played to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pcg.engine.state import State
from pcg.evaluators.agents import Agent, Play, Playout, begin, make_agent
from pcg.evaluators.analysis import GameAnalysis

Player = tuple[str, int]
"""An agent as `make_agent` reads it, and its forward-model calls per decision."""

PLANNER = "solver:checks=1"
"""Keeps a plan that holds in another future: as many wins as planning anew before every action, for two thirds of the
cost."""
WAY_PLANNER = "solver:checks=1,estimate=way,max_nodes=500"
"""The same, led by the way around the walls: for levels in which the straight line to the goal leads nowhere."""
WAY_CALLS = 500
"""Forward-model calls of a decision of the `WAY_PLANNER`, which wins or is lost within few of them. Without chance it
may not search for longer before its first decision either: going on from where a short search leads is what helps."""
MOST_CALLS = 16_000
"""Forward-model calls after which the `WAY_PLANNER` gives up."""
CHEAP = 300
"""Forward-model calls of a decision of the agents that are asked for a further opinion."""
FIRST_CALLS = 6_000
"""Forward-model calls after which a planner without a win lets the others play first: of its wins nine in ten take
fewer, and a play without a win takes some 140,000."""
PATIENCE = 100
"""Ticks a planner plays when the others have not won: of its wins nineteen in twenty come sooner."""
PATIENT_CALLS = 60_000
"""Forward-model calls after which it stops sooner: ten times those within which nine in ten of its wins come."""
CROWD, CROWDED = 4096, 16
"""Moving sprites, and those as a multiple of what the level has room for at the start, beyond which a play is broken
off: where sprites multiply without end every tick takes milliseconds, and the plays of one level would take hours."""
HALF_WAY = 0.6
"""The progress of a play that is not lost and has done half of what there is to do; such a planner plays to the end."""


def capable_players(analysis: GameAnalysis, planner_budget: int, budget: int) -> tuple[Player, ...]:
    """The capable agents for games of chance.

    Where there are goals to go to, planning wins soonest and without detours; where the thing is to react (to survive,
    to shoot from a line), searching does, cheaply or, if need be, widely.
    """
    planner, searcher = (PLANNER, planner_budget), ("mcts", budget)
    if analysis.mobility == "freely" and any(e.kind != "timeout" for e in analysis.wins):
        return planner, (WAY_PLANNER, WAY_CALLS), ("guided", CHEAP), ("olets", CHEAP), searcher
    return searcher, ("olets", CHEAP), planner


class SolvabilityPlays:
    """The plays of one level, and what they cost.

    Args:
        analysis: of the game.
        seed_of: the seed of the agent of the k-th play.
    """

    def __init__(self, analysis: GameAnalysis, seed_of: Callable[[int], int]) -> None:
        self.analysis = analysis
        self.calls = 0
        """Forward-model calls of all plays, the ticks played among them."""
        self._seed_of = seed_of
        self._weak: dict[str, Agent] = {}
        self._most_room: int | None = None

    def play(self, start: State, agent: str, k: int, max_ticks: int, budget: int | None = None) -> Playout:
        """The k-th play, to its end."""
        return self._go_on(self._begin(start, agent, k, max_ticks, budget))

    def play_weak(self, start: State, agent: str, k: int, max_ticks: int) -> Playout:
        """The k-th play, to its end, of an agent whose play takes little longer than making it: made once per level."""
        made = self._weak.get(agent)
        if made is None:
            made = self._weak[agent] = make_agent(agent)
        made.seed = self._seed_of(k)
        begun = begin(start, made, max_ticks=max_ticks)
        playout = begun.go_on()
        self.calls += begun.calls + begun.ticks
        return playout

    def _begin(self, start: State, agent: str, k: int, max_ticks: int, budget: int | None) -> Play:
        self._most_room = max(CROWD, CROWDED * start.context.room)
        return begin(start, make_agent(agent, seed=self._seed_of(k), budget=budget), max_ticks=max_ticks)

    def _go_on(self, begun: Play, ticks: int | None = None, calls: int | None = None) -> Playout:
        before = begun.calls + begun.ticks
        playout = begun.go_on(ticks, calls, self._most_room)
        self.calls += begun.calls + begun.ticks - before
        return playout

    def in_turns(
        self, start: State, players: Sequence[Player], attempt: int, longest: int
    ) -> Iterator[tuple[str, Playout]]:
        """Plays of the players, one after the other, each with the player's agent; the first win answers the question.

        A planner mostly wins soon or never, and every tick of its play is dear; so it plays until it has spent
        `FIRST_CALLS`, and goes on only if nobody else wins: for `PATIENCE` ticks, and to the end if it has come half of
        the way by then.
        """
        waiting: list[tuple[str, Play]] = []
        for place, (agent, budget) in enumerate(players):
            if agent == WAY_PLANNER:
                yield agent, self.by_way(start, attempt, longest)
                continue
            begun = self._begin(start, agent, attempt, longest, budget)
            if agent == PLANNER and place < len(players) - 1:
                playout = self._go_on(begun, PATIENCE, FIRST_CALLS)
                if not begun.ended:
                    waiting.append((agent, begun))
                    continue
            else:
                playout = self._go_on(begun)
            yield agent, playout
        for agent, begun in waiting:
            playout = self._go_on(begun, PATIENCE, PATIENT_CALLS)
            if not begun.ended and self.progress(start, playout) >= HALF_WAY:
                playout = self._go_on(begun)
            yield agent, playout

    def within(self, start: State, player: Player, longest: int, calls: int) -> Playout:
        """The play of a player, broken off after so many forward-model calls."""
        agent, budget = player
        most = {PLANNER: FIRST_CALLS, WAY_PLANNER: MOST_CALLS}.get(agent, calls)
        return self._go_on(self._begin(start, agent, 0, longest, budget), calls=min(calls, most))

    def by_way(self, start: State, attempt: int, longest: int) -> Playout:
        """The play of the planner that knows the walls; once more where it is lost, which does not take long."""
        playout = self._go_on(self._begin(start, WAY_PLANNER, attempt, longest, WAY_CALLS), calls=MOST_CALLS)
        if playout.winner == 0:
            again = self._begin(start, WAY_PLANNER, 400 + attempt, longest, WAY_CALLS)
            playout = self._go_on(again, calls=MOST_CALLS)
        return playout

    def progress(self, start: State, playout: Playout) -> float:
        """The progress towards winning of a play that was not won, in [0, 0.9]: the share of the goal reached."""
        reached = 0.0
        before, after = start.model.type_counts(start.address), playout.counts
        for ending in self.analysis.wins:
            first, last = (sum(counts[t] for t in ending.types) for counts in (before, after))
            if ending.kind == "vanish" and first > ending.limit:
                reached = max(reached, (first - last) / (first - ending.limit))
            elif ending.kind == "appear" and ending.limit > first:
                reached = max(reached, (last - first) / (ending.limit - first))
            elif ending.kind == "timeout" and ending.limit > 0:
                reached = max(reached, playout.ticks / ending.limit)
        share = max(0.0, min(1.0, reached))
        return 0.6 * share + (0.0 if playout.winner == 0 else 0.3)
