"""Playing whole games: `play` lets agents play from a state to the end and says what happened.

Compiled agents with a reproducible budget play without the GIL (`kernel.playout`), so that threads evaluate many games
side by side; any other agent is asked tick by tick. Both ways give the same playout.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from pcg.engine.arguments import named_arguments
from pcg.engine.kernel.protocol import GROW, LOST, UNDECIDED, WON
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke1, invoke2, invoke3
from pcg.engine.state import Outcome
from pcg.evaluators.agents.base import (
    Agent,
    AgentError,
    Game,
    GameState,
    Timer,
    action_code,
    decision_timer,
    hears_results,
)
from pcg.evaluators.agents.compiled import Array, CompiledAgent, Record, grow_model
from pcg.evaluators.agents.kernel.decision import DECISION, imagine_state
from pcg.evaluators.agents.kernel.playout import (
    AGENT_GROW,
    EVENT_WORDS,
    LOG_FULL,
    PLAY,
    duplicate,
    log_events,
    measure,
    play_out,
)
from pcg.evaluators.agents.registry import make_agent

MAX_TICKS = 2000
"""Ticks after which a play ends, as in the competitions (reference/agents 11.1)."""

CONSTRUCTION_MS = 1000.0
"""Milliseconds to prepare an agent with a budget of time, as in the competitions (reference/agents 11.1)."""

_SLICE = 64  # ticks between two looks at Ctrl-C
_LOG_ROOM = 4096
_WINNERS = {UNDECIDED: Outcome.NO_WINNER, LOST: Outcome.PLAYER_LOSES, WON: Outcome.PLAYER_WINS}


@dataclass(frozen=True, slots=True)
class Playout:
    """Record of one play.

    Attributes:
        actions: what was played, one name per tick; for several players one tuple of names per tick.
        score: the final score; for several players one per player.
        winner: the `Outcome`; for several players one per player.
        ticks: ticks played.
        over: whether the game ended, rather than being stopped after `max_ticks`.
        events: how often sprites of two types met with an effect, by (active type id, passive type id).
        calls: forward-model calls the compiled agents made, together.
        counts: living sprites of each type at the end, by type id.
        states: the states before every tick and at the end, when asked for.
    """

    actions: tuple[Any, ...]
    score: Any
    winner: Any
    ticks: int
    over: bool
    events: Mapping[tuple[int, int], int]
    calls: int = 0
    counts: tuple[int, ...] = field(default=(), repr=False)
    states: tuple[Any, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        winners = [self.winner] if isinstance(self.winner, Outcome) else self.winner
        return f"<playout of {self.ticks} ticks, score {self.score}, {', '.join(w.name for w in winners)}>"


def outcomes_of(state: GameState) -> tuple[list[Outcome], list[float]]:
    """Per player the outcome of a state, NO_WINNER while nothing is decided, and the score."""
    players = state.model.players
    record = Record(PLAY, model=state.model.address, players=players)
    scores = record.point("scores", np.zeros(players, dtype=np.float64))
    outcomes = record.point("outcomes", np.zeros(players, dtype=np.int64))
    invoke2(measure.address, record.address, state.address)
    return [_WINNERS[outcome] for outcome in outcomes.tolist()], scores.tolist()


class Play(ABC):
    """A play that has begun and can be gone on with, bit by bit; see `begin`.

    Agents keep what they have planned and learned between two bits: a play in bits is the play in one go.
    """

    def __init__(self, state: GameState, agents: Sequence[Agent], max_ticks: int) -> None:
        self.model = model = state.model
        self.max_ticks = max_ticks
        self.record = Record(PLAY, model=model.address, players=model.players, max_ticks=max_ticks)
        self.scores = self.record.point("scores", np.zeros(model.players, dtype=np.float64))
        self.outcomes = self.record.point("outcomes", np.zeros(model.players, dtype=np.int64))
        self.events: Counter[tuple[int, int]] = Counter()
        self._agents = agents
        self._told = False
        self._log = self._new_log(_LOG_ROOM)

    @property
    @abstractmethod
    def ticks(self) -> int:
        """Ticks played so far."""

    @property
    def calls(self) -> int:
        """Forward-model calls the compiled agents have made so far."""
        return sum(getattr(agent, "calls", 0) for agent in self._agents)

    @property
    def room(self) -> int:
        """Number of moving sprites that the states of the play, and those that its agents simulate, have room for."""
        return max(self.model.room, *(getattr(agent, "room", 0) for agent in self._agents))

    @property
    @abstractmethod
    def ended(self) -> bool:
        """True when the play is over: the game has ended, or `max_ticks` are played."""

    def go_on(self, ticks: int | None = None, calls: int | None = None, room: int | None = None) -> Playout:
        """Play on.

        Args:
            ticks: in all, after which to stop; by default the play's `max_ticks`.
            calls: forward-model calls in all, after which no further tick is begun; by default without limit.
            room: moving sprites; once a state of the play, or one that an agent has simulated, had more of them than
                this, no further tick is begun. By default without limit.

        Returns:
            The playout so far.
        """
        until = self.max_ticks if ticks is None else min(ticks, self.max_ticks)
        most_room = math.inf if room is None else room
        if calls is None and self.room <= most_room:
            self._advance(until, most_room)
        elif calls is not None:
            while self.ticks < until and self.calls < calls and self.room <= most_room and not self.ended:
                self._advance(self.ticks + 1, most_room)
        if self.ended and not self._told:
            self._told = True
            self._tell_result()
        return self._playout()

    def _tell_result(self) -> None:  # noqa: B027 - compiled plays are of agents that need not be told
        """Tell the agents that the play is over."""

    @abstractmethod
    def _advance(self, until: int, most_room: float) -> None:
        """Play on until so many ticks are played, the game is over, or a tick has taken more room."""

    @abstractmethod
    def _playout(self) -> Playout:
        """The playout so far."""

    def _new_log(self, room: int) -> Array:
        self.record["log_room"] = room
        self.record["log_used"] = 0
        return self.record.point("log", np.empty((room, EVENT_WORDS), dtype=np.int64))

    def _drain(self) -> None:
        """Count the logged events and empty the log."""
        used = self.record["log_used"]
        self.events.update(zip(self._log[:used, 1].tolist(), self._log[:used, 2].tolist(), strict=True))
        self.record["log_used"] = 0

    def _make_room_in_log(self) -> None:
        """Empty the log; if it was empty, make it larger: one tick has more events than it holds."""
        if self.record["log_used"] == 0:
            self._log = self._new_log(2 * len(self._log))
        else:
            self._drain()

    def _result(self, address: int, actions: Sequence[Any], states: Sequence[Any] = ()) -> Playout:
        """The playout up to the state at `address`."""
        invoke2(measure.address, self.record.address, address)
        self._drain()
        winners = [_WINNERS[outcome] for outcome in self.outcomes.tolist()]
        one = self.model.players == 1
        return Playout(
            actions=tuple(actions),
            score=self.scores.tolist()[0] if one else tuple(self.scores.tolist()),
            winner=winners[0] if one else tuple(winners),
            ticks=len(actions),
            over=bool(self.record["over"]),
            events=dict(sorted(self.events.items())),
            calls=self.calls,
            counts=self.model.type_counts(address),
            states=tuple(states),
        )


class _CompiledPlay(Play):
    """Of compiled agents with reproducible budgets: without the GIL."""

    _agents: Sequence[CompiledAgent]

    def __init__(self, state: GameState, agents: Sequence[CompiledAgent], max_ticks: int) -> None:
        super().__init__(state, agents, max_ticks)
        model, record = self.model, self.record
        self._actions = record.point("actions", np.zeros((max_ticks, model.players), dtype=np.int64))
        record.point("agents", np.array([agent.bind(model) for agent in agents], dtype=np.int64))
        self._room = 0
        self._hold(state.address)
        self._over = False

    @property
    def ticks(self) -> int:
        return int(self.record["ticks"])

    @property
    def ended(self) -> bool:
        return self._over or self.ticks == self.max_ticks

    def _hold(self, address: int) -> None:
        """Get two state blocks, and make the first equal to the state at `address`."""
        while True:
            self._room = self.model.room
            pool = self.model.pool(2)
            if invoke3(duplicate.address, self.model.address, pool.address, address) != GROW:
                break
            grow_model(self.model, self._room)
        self.record.point_to_pool("live", pool)
        self.record["next"] = pool.address + pool.stride

    def _advance(self, until: int, most_room: float) -> None:
        record = self.record
        while True:
            record["pause_at"] = min(until, record["ticks"] + _SLICE)
            answer = invoke1(play_out.address, record.address)
            if answer == GROW:
                grow_model(self.model, self._room)
                self._hold(record["live"])
            elif answer == AGENT_GROW:
                self._agents[record["decided"]].enlarge()
            elif answer == LOG_FULL:
                self._make_room_in_log()
            else:
                self._over = bool(record["over"])
                if self._over or record["ticks"] >= until:
                    break
            if answer in (GROW, AGENT_GROW) and self.room > most_room:
                until = min(until, int(record["ticks"]) + 1)

    def _playout(self) -> Playout:
        names, one = self.model.action_names, self.model.players == 1
        codes = self._actions[: self.ticks].tolist()
        played = [names[c[0]] if one else tuple(names[k] for k in c) for c in codes]
        return self._result(self.record["live"], played)


class _PythonPlay(Play):
    """Of any agents: they are asked tick by tick."""

    def __init__(self, state: GameState, agents: Sequence[Agent], max_ticks: int, keep_states: bool) -> None:
        super().__init__(state, agents, max_ticks)
        self._streams = [
            Record(DECISION, model=self.model.address, random=scramble(agent.seed)) for agent in self._agents
        ]
        self._state = state.copy()
        self._played: list[Any] = []
        self._states: list[Any] | None = [state.copy()] if keep_states else None

    @property
    def ticks(self) -> int:
        return len(self._played)

    @property
    def ended(self) -> bool:
        return self._state.is_over or self.ticks == self.max_ticks

    def _advance(self, until: int, most_room: float) -> None:
        names, state = self.model.action_names, self._state
        while self.ticks < until and self.room <= most_room and not state.is_over:
            answers = []
            for agent, stream in zip(self._agents, self._streams, strict=True):
                # a copy, so that agents can do no harm, with another future, so that they cannot foresee chance
                seen = state.copy()
                invoke3(imagine_state.address, stream.address, seen.address, state.address)
                agent.timer = decision_timer(agent)
                answers.append(names[action_code(agent, agent.act(seen), names)])
            action = answers[0] if self.model.players == 1 else tuple(answers)
            state.advance(action)
            self._played.append(action)
            while invoke2(log_events.address, self.record.address, state.address) == LOG_FULL:
                self._make_room_in_log()
            if self._states is not None:
                self._states.append(state.copy())

    def _tell_result(self) -> None:
        for agent in self._agents:
            if hears_results(agent):
                agent.result(self._state.copy())

    def _playout(self) -> Playout:
        return self._result(self._state.address, self._played, self._states or ())


def begin(
    game: Game | GameState,
    agent: Agent | str | Sequence[Agent | str],
    *,
    level: Any = 0,
    seed: int = 0,
    max_ticks: int = MAX_TICKS,
    keep_states: bool = False,
) -> Play:
    """Begin a play without playing a tick; for the arguments and errors see `play`.

    >>> from pcg.engine.game import load
    >>> begun = begin(load("boxes"), "nothing", max_ticks=5)
    >>> begun.go_on(ticks=2).ticks, begun.go_on().ticks
    (2, 5)
    """
    if max_ticks < 0:
        raise AgentError(f"max_ticks is {max_ticks}, expected 0 or more")
    # asked for its one method: the check of a protocol takes as long as a short play
    state = cast(Game, game).start(level, seed=seed) if hasattr(game, "start") else game
    given = [agent] if isinstance(agent, (Agent, str)) else list(agent)
    agents = [make_agent(a, seed=seed, player=k) if isinstance(a, str) else a for k, a in enumerate(given)]
    players = state.model.players
    if len(agents) != players:
        raise AgentError(f"{len(agents)} agents for a game of {players} player(s)")
    for player, one in enumerate(agents):
        if one.player != player:
            raise AgentError(f"{one!r} is made for player {one.player}, but stands at place {player}")
        one.timer = Timer(CONSTRUCTION_MS) if one.budget.milliseconds is not None else Timer()
        one.reset(state)
    compiled = [one for one in agents if isinstance(one, CompiledAgent) and one.reproducible and not hears_results(one)]
    if len(compiled) == players and not keep_states:
        return _CompiledPlay(state, compiled, max_ticks)
    return _PythonPlay(state, agents, max_ticks, keep_states)


@named_arguments
def play(
    game: Game | GameState | str | os.PathLike[str],
    agent: Agent | str | Sequence[Agent | str],
    *,
    level: Any = 0,
    seed: int = 0,
    max_ticks: int = MAX_TICKS,
    keep_states: bool = False,
) -> Playout:
    """Let agents play a game from a state to its end.

    Args:
        game: a game or its name, started on `level` with `seed`; or a state to play on from (not changed).
        agent: an agent, or one per player. A name (see `make_agent`) makes an agent with seed `seed`.
        level: level of the game: an index, text, path or Level.
        seed: of the game's randomness.
        max_ticks: when to stop a game that does not end.
        keep_states: whether the playout holds the states on the way.

    Raises:
        AgentError: wrong number of agents, an agent of another player, an answer that is no action.

    >>> from pcg.engine.game import load
    >>> play(load("boxes"), "nothing", max_ticks=5)
    <playout of 5 ticks, score 0.0, NO_WINNER>
    """
    if isinstance(game, str | os.PathLike):
        from pcg.engine.game import load

        game = load(game if isinstance(game, str) else Path(game))
    return begin(game, agent, level=level, seed=seed, max_ticks=max_ticks, keep_states=keep_states).go_on()


def replay(state: GameState, actions: Sequence[Any]) -> list[Any]:
    """The states of a recorded play: copies of `state` before each action, and the last one.

    >>> from pcg.engine.game import load
    >>> start = load("boxes").start(level=0, seed=1)
    >>> [s.tick for s in replay(start, ["UP", "UP"])]  # a tick is numbered once it is played
    [-1, 0, 1]
    """
    state = state.copy()
    states = [state.copy()]
    for action in actions:
        state.advance(action)
        states.append(state.copy())
    return states
