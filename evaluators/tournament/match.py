"""One match: agents play a game by the rules, and whatever they do wrong is their loss and nobody else's.

Compiled agents with a budget of calls play without the GIL (`agents.playout`); any other agent is asked tick by tick,
watched and, with a time budget, measured. Both ways give the same play.
"""

from __future__ import annotations

import contextlib
import gc
import math
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke3
from pcg.evaluators.agents import AGENTS, Agent, CompiledAgent, make_agent, play
from pcg.evaluators.agents.base import GameState, Timer, hears_results
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.kernel.decision import DECISION, imagine_state
from pcg.evaluators.agents.playout import outcomes_of
from pcg.evaluators.agents.registry import read_agent
from pcg.evaluators.evaluation import encode_play
from pcg.evaluators.tournament.games import Entry
from pcg.evaluators.tournament.rules import DISQUALIFIED, NO_WINNER, Rules, settle
from pcg.evaluators.tournament.schedule import Match

_LONGEST = 300
"""Characters of a message that are kept."""

Watch = Callable[[str, int, int], None]
"""Told what is about to happen: (phase, player, tick); phase is "construction", "decision" or "" for our own work."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of an agent.

    Attributes:
        player: who.
        agent: its name in the tournament.
        tick: number of the tick it was asked about, 0 for the first; -1 while it was made.
        kind: "construction" (could not be made), "raised", "nonsense" (answered no action), "overtime", "stalled"
            (stopped by force) or "died" (took its process down).
        message: what happened, in one line.
    """

    player: int
    agent: str
    tick: int
    kind: str
    message: str


@dataclass(frozen=True)
class MatchResult:
    """The result of a match.

    Attributes:
        match: what was played.
        outcomes: per player 1 won, 0 lost, -1 undecided, -100 disqualified.
        scores: per player, as `rules.settle` reports them.
        ticks: ticks played.
        calls: forward-model calls of all agents that count them.
        late: per player, actions that were replaced by NIL because they came late.
        fault: why the match ended early, or None.
        play: what was played, per player: a letter per tick (`evaluation.encode_play`), of a rule sheet the moves with
            semicolons between.
        timing: what differs between equal matches: `seconds` of wall time, `cpu` seconds, `slowest` decision in ms.
    """

    match: Match
    outcomes: tuple[int, ...]
    scores: tuple[float, ...]
    ticks: int
    calls: int = 0
    late: tuple[int, ...] = ()
    fault: Fault | None = None
    play: tuple[str, ...] = field(default=(), repr=False)
    timing: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object, without `timing`."""
        match, fault = self.match, self.fault
        return {
            "id": match.id, "game": match.game, "level": match.level, "repeat": match.repeat, "seed": match.seed,
            "agents": list(match.agents), "outcomes": list(self.outcomes), "scores": list(self.scores),
            "ticks": self.ticks, "calls": self.calls, "late": list(self.late), "play": list(self.play),
            "fault": None if fault is None else {name: getattr(fault, name) for name in Fault.__slots__},
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchResult:
        """The inverse of `to_json`."""
        where = {name: data[name] for name in ("id", "game", "level", "repeat", "seed")}
        return cls(
            Match(**where, agents=tuple(data["agents"])),
            tuple(data["outcomes"]),
            tuple(data["scores"]),
            data["ticks"],
            data["calls"],
            tuple(data["late"]),
            None if data["fault"] is None else Fault(**data["fault"]),
            tuple(data["play"]),
        )


def forfeit(match: Match, fault: Fault, ticks: int = 0) -> MatchResult:
    """The result of a match of which only is known who spoiled it: disqualified, the others undecided."""
    ends = [settle(DISQUALIFIED if p == fault.player else NO_WINNER, 0.0) for p in range(len(match.agents))]
    return MatchResult(
        match, tuple(o for o, _ in ends), tuple(s for _, s in ends), ticks, late=(0,) * len(ends), fault=fault
    )  # fmt: skip


_warm: set[tuple[str, int]] = set()


def warm_up(text: str, player: int, state: GameState) -> None:
    """Let one of our own agents decide once, unmeasured: the first use of a kernel loads compiled code.

    The reference warms its virtual machine up before a match as well (reference/agents 11.1). Agents of others may take
    any time, so they are not asked.
    """
    name = read_agent(text).name
    ours = name in AGENTS and AGENTS[name].cls.__module__.startswith("pcg.")
    if ours and (text, player) not in _warm:
        _warm.add((text, player))
        agent = make_agent(text, budget=64, player=player)
        agent.reset(state.copy())
        agent.act(state.copy())


class _Foul(Exception):
    """Ends a match through the fault of an agent."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class _Match:
    """A match being played tick by tick."""

    def __init__(self, match: Match, state: GameState, rules: Rules, watch: Watch) -> None:
        self.match = match
        self.rules = rules
        self.watch = watch
        self.state = state
        self.late = [0] * len(match.agents)
        self.played: list[tuple[str, ...]] = []
        self.slowest = 0.0

    def foul(self, player: int, kind: str, message: str) -> _Foul:
        tick = -1 if kind == "construction" else len(self.played)
        return _Foul(Fault(player, self.match.agents[player], tick, kind, message[:_LONGEST]))

    def seat(self) -> list[Agent]:
        """Make the agents and prepare them for the game, each within its time."""
        agents = []
        for player, text in enumerate(self.match.agents):
            if self.rules.timed:
                warm_up(text, player, self.state)
            self.watch("construction", player, -1)
            started = time.thread_time()
            budget = None if read_agent(text).budget else self.rules.budget
            timer = Timer(self.rules.construction_ms if self.rules.timed else math.inf)
            try:
                agent = make_agent(text, seed=self.match.agent_seed(player), budget=budget, player=player, timer=timer)
                agent.timer = timer
                agent.reset(self.state.copy())
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # agents may do anything, sys.exit() included
                raise self.foul(player, "construction", describe(error)) from None
            spent = 1000 * (time.thread_time() - started)
            self.watch("", player, -1)
            if self.rules.timed and spent > self.rules.construction_ms:
                message = f"took {spent:.0f} ms to be made, {self.rules.construction_ms:.0f} are allowed"
                raise self.foul(player, "construction", message)
            agents.append(agent)
        return agents

    def ask(self, player: int, agent: Agent, seen: GameState) -> str:
        """The action of an agent by the rules."""
        self.watch("decision", player, len(self.played))
        started = time.thread_time()
        try:
            agent.timer = Timer(math.inf if self.rules.budget.milliseconds is None else self.rules.budget.milliseconds)
            answer: object = agent.act(seen)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self.foul(player, "raised", describe(error)) from None
        spent = 1000 * (time.thread_time() - started)
        self.watch("", player, len(self.played))
        self.slowest = max(self.slowest, spent)
        verdict = self.rules.judge(spent)
        if verdict == "overtime":
            raise self.foul(player, "overtime", f"took {spent:.1f} ms, the budget is {self.rules.budget}")
        names = self.state.model.action_names
        if answer is None:
            answer = names[0]
        # exactly a text: a subclass could raise when it is compared
        if type(answer) is not str or answer not in names:
            raise self.foul(player, "nonsense", f"answered {_shown(answer)}, expected one of {', '.join(names)}")
        if verdict == "late":
            self.late[player] += 1
            return names[0]
        return answer

    def play(self, agents: Sequence[Agent]) -> None:
        """Play to the end."""
        model = self.state.model
        streams = [Record(DECISION, model=model.address, random=scramble(agent.seed)) for agent in agents]
        while len(self.played) < self.rules.max_ticks and not self.state.is_over:
            actions = []
            for player, (agent, stream) in enumerate(zip(agents, streams, strict=True)):
                # as `playout` does: a copy, with another future
                seen = self.state.copy()
                invoke3(imagine_state.address, stream.address, seen.address, self.state.address)
                actions.append(self.ask(player, agent, seen))
            self.state.advance(actions if len(actions) > 1 else actions[0])
            self.played.append(tuple(actions))

    def tell_result(self, agents: Sequence[Agent]) -> None:
        """Tell the agents that the game is over; nothing that they do now changes the result."""
        for player, agent in enumerate(agents):
            if hears_results(agent):
                self.watch("decision", player, len(self.played))
                try:
                    agent.result(self.state.copy())
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    print(f"{self.match.agents[player]}: its `result` failed: {describe(error)}", file=sys.stderr)
                self.watch("", player, len(self.played))

    def result(self, calls: int, fault: Fault | None) -> MatchResult:
        outcomes, scores = outcomes_of(self.state)
        winners = [int(outcome) for outcome in outcomes]
        if fault is not None:
            winners[fault.player] = DISQUALIFIED
        ends = [settle(w, s) for w, s in zip(winners, scores, strict=True)]
        letters = tuple(_written(self.state, (actions[p] for actions in self.played)) for p in range(len(winners)))
        return MatchResult(
            self.match, tuple(o for o, _ in ends), tuple(s for _, s in ends), len(self.played), calls,
            tuple(self.late), fault, letters, {"slowest": round(self.slowest, 3)},
        )  # fmt: skip


def play_match(match: Match, entry: Entry, rules: Rules, watch: Watch | None = None) -> MatchResult:
    """Play a match.

    Args:
        match: who plays what.
        entry: the game.
        rules: the rules.
        watch: told before and after everything that agents do.

    Returns:
        The result; also when an agent raises, answers nonsense or is too slow, which `fault` then says.

    Raises:
        PcgError: when the game or its level cannot be read.
    """
    started, cpu = time.perf_counter(), time.thread_time()
    state: GameState = entry.start(match.level, match.seed)
    result = _play(match, state, rules, watch or (lambda phase, player, tick: None))
    spent = {"seconds": round(time.perf_counter() - started, 4), "cpu": round(time.thread_time() - cpu, 4)}
    return MatchResult(**{**vars(result), "timing": {**result.timing, **spent}})


def _play(match: Match, state: GameState, rules: Rules, watch: Watch) -> MatchResult:
    table = _Match(match, state, rules, watch)
    agents: list[Agent] = []
    try:
        agents = table.seat()
        compiled = [a for a in agents if isinstance(a, CompiledAgent) and a.reproducible and not hears_results(a)]
        if len(compiled) == len(agents) and not rules.timed:
            # should one of our own raise, the slow way below finds out which
            with contextlib.suppress(Exception):
                return _play_compiled(table, compiled)
            agents = table.seat()
        with _short_collections(rules.timed):
            table.play(agents)
            table.tell_result(agents)
    except _Foul as foul:
        return table.result(_calls(agents), foul.fault)
    return table.result(_calls(agents), None)


@contextlib.contextmanager
def _short_collections(wanted: bool) -> Iterator[None]:
    """Hide what is there from the garbage collector, so that it takes little of an agent's measured time."""
    if not wanted:
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _play_compiled(table: _Match, agents: Sequence[CompiledAgent]) -> MatchResult:
    done = play(table.state, agents, max_ticks=table.rules.max_ticks)
    one = len(agents) == 1
    ends = [
        settle(int(w), s)
        for w, s in zip([done.winner] if one else done.winner, [done.score] if one else done.score, strict=True)
    ]
    letters = tuple(_written(table.state, (a if one else a[p] for a in done.actions)) for p in range(len(agents)))
    return MatchResult(
        table.match, tuple(o for o, _ in ends), tuple(s for _, s in ends), done.ticks, done.calls,
        (0,) * len(agents), None, letters,
    )  # fmt: skip


def _written(state: GameState, actions: Iterable[str]) -> str:
    """One player's actions as text; in rule sheets a semicolon begins a comment, so no move has one."""
    return ";".join(actions) if hasattr(state.model.definition, "roles") else encode_play(actions)


def _calls(agents: Sequence[Agent]) -> int:
    return sum(int(calls) for agent in agents if isinstance(calls := getattr(agent, "calls", 0), int))


def describe(error: BaseException) -> str:
    """An exception in one line, with the place in the agent's code."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(its text cannot be shown)"
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text[: _LONGEST // 2]}{place}"


def _shown(answer: object) -> str:
    try:
        text = repr(answer)
    except BaseException:
        text = f"a {type(answer).__name__} that cannot be shown"
    return text if len(text) <= 80 else f"{text[:77]}..."
