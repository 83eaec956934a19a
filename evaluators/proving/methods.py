"""Methods of the prover: ways to look for a win of one level, each of which can be gone on with.

A method is asked to search until it has made so many forward-model calls in all, and answers with the winning actions
once it has them. What it does depends on the level, its seed and that number alone.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pcg.engine.kernel.protocol import GROW
from pcg.engine.state import State
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.agents import MAX_TICKS, Pair, Play, begin, make_agent, play, replay
from pcg.evaluators.agents.base import AgentError
from pcg.evaluators.agents.compiled import Record, grow_model
from pcg.evaluators.agents.graph_search import GraphSearch
from pcg.evaluators.agents.kernel import solver
from pcg.evaluators.agents.kernel.decision import DECISION
from pcg.evaluators.agents.kernel.pair_distances import MOST_PAIRS
from pcg.evaluators.analysis import GameAnalysis, analyse, is_continuous
from pcg.evaluators.proving.contacts import Contacts
from pcg.evaluators.proving.exploration import MOST_ROOM, Cells, Exploration
from pcg.evaluators.proving.guidance import Outlasting, cells_of, meetings_to_win
from pcg.evaluators.proving.way import Way
from pcg.evaluators.pushing import PushBoard, PushRules, PushSearch, push_rules
from pcg.evaluators.requirements import requirements
from pcg.evaluators.win_distance import PER_GOAL, distance_weights, pairs

SLICE = 20_000
"""Forward-model calls between two looks at the clock or at Ctrl-C."""
FLIGHT = 8
"""Ticks that a searched action lasts where the avatar moves by the pixel."""
SHARES: dict[str, float] = {
    "explore-coarse": 2.0,
    "explore-contacts": 3.0,
    "explore-outlasting": 2.0,
    "explore-fine": 0.5,
    "explore-whole": 0.5,
    "ybcriber": 0.25,
    "olets": 0.25,
}
"""Calls of a method as a multiple of those of the others; by what wins the levels that take long."""
LATER_SHARES: dict[str, float] = {**SHARES, "explore-contacts": 9.0}
"""The same for later turns: what lies between two contacts is played without a look, so that a call takes less time."""
LED = 5
"""Of 8 choices of the next cell, how many are led by the estimate; none in explorations that are free."""
DETOUR = -0.05
"""Part of the estimate for each tick played: of two cells with the same promise, the one reached sooner goes on."""
AGENTS: dict[str, int] = {"ybcriber": 300, "olets": 300}
"""Planning agents that play when everything else fails, with their forward-model calls per decision."""

_STATES = 32 * 2**20
"""Bytes of states that A* keeps; it plays again what it needs beyond these, to the same end."""
_TRUST = 5.0
"""Weight of the estimate where an action lasts several ticks: it counts cells."""
_LEAST, _QUIET = 50_000, 4
"""Forward-model calls before an exploration can be stale, and times as many as led to its last new cell."""


class Method(ABC):
    """A search for a win of one state."""

    calls = 0
    """Forward-model calls made so far."""
    ended = False
    """True when going on would find nothing more."""
    stale = False
    """True when nothing new has turned up for so long that other methods should have their turns first."""
    proved_impossible = False
    """True when it is certain that there is no win."""
    estimate = math.inf
    """The least estimate of the ticks to a win so far, of a method that has one."""

    @abstractmethod
    def go_on(self, calls: int) -> tuple[str, ...] | None:
        """Search until so many calls are made in all; returns the winning actions, None without any so far."""


class Waiting(Method):
    """Does nothing until the game is over."""

    def __init__(self, state: State, max_ticks: int) -> None:
        self._state = state
        self._max_ticks = max_ticks

    def go_on(self, calls: int) -> tuple[str, ...] | None:
        if self.ended:
            return None
        done = play(self._state, "nothing", max_ticks=self._max_ticks)
        self.calls, self.ended = done.ticks, True
        return done.actions if done.winner == 1 else None


class GraphSearching(Method):
    """A* over the states of a level without chance, with more room when the first is full."""

    _ROOMS = (300_000, 3_000_000)

    def __init__(
        self,
        state: State,
        weights: Sequence[float] | None,
        joined: Sequence[Pair],
        stride: int,
        max_ticks: int,
    ) -> None:
        self._state = state
        self._model = state.model  # one for all searches: a state makes another each time, without the room it has got
        self._max_ticks = max_ticks
        self._weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        self._pairs = joined
        self._stride = stride
        self._rooms = list(self._ROOMS)
        self._before = 0
        self._search: GraphSearch | None = None

    def go_on(self, calls: int) -> tuple[str, ...] | None:
        while not self.ended and self.calls < calls:
            if self._search is None:
                self._search = self._begin(self._rooms[0])
            search = self._search
            search.record["pause_at"] = calls - self._before
            answer = search.go_on()
            self.calls = self._before + int(search.record["calls"])
            if answer == solver.PAUSED:
                break
            self._before, self._search = self.calls, None
            if answer == GROW:
                self.ended = search.room >= MOST_ROOM
                if not self.ended:
                    grow_model(self._model, search.room)
                continue
            solution = search.solution(answer)
            if solution.status == "solved":
                return solution.actions
            self.proved_impossible = solution.status == "unsolvable"
            self._rooms.pop(0)
            self.ended = answer != solver.NODES_SPENT or not self._rooms
        return None

    def _begin(self, nodes: int) -> GraphSearch:
        model = self._model
        decision = Record(DECISION, model=model.address, players=1)
        decision.point("own", np.zeros(model.max_actions + 1, dtype=np.int64))
        decision.point("joint", np.zeros(1, dtype=np.int64))
        search = GraphSearch(
            model, decision, max_nodes=nodes, algorithm="astar", weights=self._weights, max_ticks=self._max_ticks,
            weight=1.0 if self._stride == 1 else _TRUST, blocks=_STATES // model.stride, stride=self._stride,
            pairs=self._pairs,
        )  # fmt: skip
        search.begin(self._state.address)
        return search


class Pushing(Method):
    """Search by pushes, where experiments have told what is pushed, where to, and what nothing is known to come of.

    What the board leaves out can only keep it from finding a win; a win that it finds is played to make sure.
    """

    _ROOMS = (200_000, 4_000_000)
    _TRUST = 3.0

    def __init__(self, state: State, board: PushBoard, max_ticks: int) -> None:
        self._state = state
        self._board = board
        self._max_ticks = max_ticks
        self._rooms = list(self._ROOMS)
        self._before = 0
        self._search: PushSearch | None = None

    def go_on(self, calls: int) -> tuple[str, ...] | None:
        while not self.ended and self.calls < calls:
            if self._search is None:
                self._search = PushSearch(self._board, trust=self._TRUST, room=self._rooms.pop(0))
            search = self._search
            found = search.go_on(calls - self._before)
            self.calls = self._before + search.expanded
            if found is None:
                break
            self._before, self._search = self.calls, None
            if found.status == "solved":
                self.ended = True
                self.calls += found.moves
                if found.moves <= self._max_ticks and replay(self._state, found.actions)[-1].winner == 1:
                    return found.actions
            self.ended = found.status != "budget" or not self._rooms
        return None


class Exploring(Method):
    """Exploration from remembered states (`exploration`)."""

    def __init__(self, make: Callable[[], Exploration]) -> None:
        self._make = make
        self._made: Exploration | None = None
        self._met = 0
        self._met_at = 0

    def go_on(self, calls: int) -> tuple[str, ...] | None:
        if self._made is None:
            self._made = self._make()
        made = self._made
        won = made.go_on(calls)
        self.calls, self.ended = made.calls, made.ended
        if made.cells > self._met:
            self._met, self._met_at = made.cells, self.calls
        self.estimate = made.least_estimate
        self.stale = self.calls > max(_LEAST, _QUIET * self._met_at)
        return made.actions() if won else None


class Playing(Method):
    """Plays of a planning agent, one after the other with other seeds."""

    def __init__(self, state: State, agent: str, budget: int, max_ticks: int) -> None:
        self._state = state
        self._max_ticks = max_ticks
        self._agent = agent
        self._budget = budget
        self._plays = 0
        self._before = 0
        self._play: Play | None = None

    def go_on(self, calls: int) -> tuple[str, ...] | None:
        while self.calls < calls:
            if self._play is None:
                agent = make_agent(self._agent, seed=self._plays, budget=self._budget)
                self._play = begin(self._state, agent, max_ticks=self._max_ticks)
                self._plays += 1
            played = self._play
            playout = played.go_on(calls=calls - self._before)
            self.calls = self._before + played.calls + played.ticks
            if playout.winner == 1:
                return playout.actions
            if played.ended:
                self._before, self._play = self.calls, None
        return None


class GameMethods:
    """The methods for the levels of one game.

    Args:
        definition: the rules of the game.

    Attributes:
        names: of the methods, cheapest first.
    """

    def __init__(self, definition: GameDefinition) -> None:
        self.analysis: GameAnalysis = analyse(definition)
        required = requirements(self.analysis)
        weights = distance_weights(self.analysis, required)
        self._weights = weights if any(weights) else None
        joined = (*pairs(self.analysis, required), *meetings_to_win(self.analysis)) if self._weights else ()
        self._pairs = joined[:MOST_PAIRS]
        self._smooth = any(is_continuous(definition.types[t]) for t in self.analysis.start_avatars)
        walks = bool(self._weights) and not self._smooth
        self._way = Way.of(self.analysis, weights) if walks else None
        self._way_of_contacts = Way.of(self.analysis, weights, with_gates=True) if walks else None
        # an avatar that takes several ticks to a cell stands between two of them in most
        slow = any(0 < self._speed(t) < 1 for t in self.analysis.avatars)
        grain = "place" if slow and not self._smooth else "coarse"
        self._contacts = Contacts.of(self.analysis)
        self._cells = cells_of(self.analysis, required, grain, self._contacts)
        self._made: dict[str, Callable[[State, int, int], Method]] = {
            "waiting": lambda state, seed, ticks: Waiting(state, ticks)
        }
        self._pushing: PushRules | None = push_rules(definition)
        if self._pushing is not None:
            self._made["pushes"] = self._by_pushes
        self._made["astar"] = functools.partial(self._searching, 1)
        if self._smooth:
            self._made["astar-stride"] = functools.partial(self._searching, FLIGHT)
        self._outlasting = Outlasting.of(self.analysis)
        for name, cells in self._cells.items():
            self._made[f"explore-{name}"] = functools.partial(self._exploring, cells, self._haste(name))
        for agent in AGENTS:
            self._made[agent] = functools.partial(_playing, agent)
        self.names = tuple(self._made)

    def _speed(self, kind: int) -> float:
        """Cells per tick of an avatar's type; 0 where the rules do not say, which is a cell."""
        speed = self.analysis.definition.types[kind].params.get("speed", 0)
        return float(speed) if isinstance(speed, int | float) else 0.0

    def suits(self, name: str, state: State) -> bool:
        """Tell whether a method is for the state: search needs a level without chance, pushing a board besides."""
        if name == "pushes":
            return not state.model.stochastic and self._pushing is not None and self._pushing.board(state) is not None
        return not (name.startswith("astar") and state.model.stochastic)

    def make(self, name: str, state: State, seed: int = 0, max_ticks: int = MAX_TICKS) -> Method:
        """Make a method for a state.

        Args:
            name: one of `names`.
            state: where to begin.
            seed: of what the method draws.
            max_ticks: longest win.
        """
        return self._made[name](state, seed, max_ticks)

    def _by_pushes(self, state: State, seed: int, max_ticks: int) -> Method:
        board = self._pushing.board(state) if self._pushing is not None else None
        if board is None:
            raise AgentError("the level has no board on which things are pushed")
        return Pushing(state, board, max_ticks)

    def _searching(self, stride: int, state: State, seed: int, max_ticks: int) -> Method:
        return GraphSearching(state, self._weights, self._pairs, stride, max_ticks)

    def _haste(self, name: str) -> dict[str, Any]:
        """Weight of the time that is played in an exploration: its arguments `haste`, `hasty` and `later`."""
        if name == "outlasting" and self._outlasting is not None:
            # one more to get rid of comes with every pause
            return {"haste": PER_GOAL / self._outlasting.pause, "hasty": self._outlasting.end, "later": DETOUR}
        return {"haste": 1.0 if name == "time" else DETOUR}

    def _exploring(self, cells: Cells, haste: dict[str, Any], state: State, seed: int, max_ticks: int) -> Method:
        hold, reach = (24, 192) if self._smooth else (6, 24)

        def make() -> Exploration:
            contacts = self._contacts if cells.regions else None
            way = self._way_of_contacts if cells.regions else self._way
            return Exploration(
                state, cells, weights=self._weights, pairs=self._pairs, way=way, contacts=contacts, seed=seed,
                led=LED, **haste, hold=hold, reach=reach, max_ticks=max_ticks,
            )  # fmt: skip

        return Exploring(make)


def _playing(agent: str, state: State, seed: int, max_ticks: int) -> Method:
    return Playing(state, agent, AGENTS[agent], max_ticks)
