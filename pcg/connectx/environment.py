"""An episode of ConnectX: its state, the effect of an action, and agents playing it to the end.

The interface and the rules around the game (statuses, rewards, time limits) are those of Kaggle's environment of the
same name; what differs is listed in docs/connectx.md.
"""

from __future__ import annotations

import json
import operator
import random
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from pcg.connectx.agents import AgentFunction, AgentLike, AgentTable, Player, build_agent, name_of
from pcg.connectx.configuration import FAULTS, NAME, SPECIFICATION, VERSION, board, read_configuration, specification
from pcg.connectx.limits import Answer, OutOfTime, call
from pcg.connectx.replays import read_steps
from pcg.connectx.struct import Struct, plain
from pcg.engine.boards import ConnectState
from pcg.engine.state import Outcome
from pcg.engine.vgdl.diagnostics import PcgError, nearest

MODES = ("human", "ansi", "html", "ipython", "json")
State = list[Struct]
"""Fields of each of the two agents after a step: action, reward, info, observation, status."""


class Environment:
    """ConnectX with the interface of Kaggle's environments. Made by `make`.

    >>> env = Environment({"rows": 4, "columns": 5, "inarow": 3, "seed": 1})
    >>> env
    <connectx 4x5, 3 in a row: step 0, ACTIVE/INACTIVE>
    >>> state = env.step([2, None])
    >>> state[1].observation.board
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]

    Attributes:
        configuration: a `Struct`, see `read_configuration`.
        steps: the state after every step; the first one is the empty board.
        logs: for every step what each agent printed and how long it took.
        info: `TeamNames` are the names of the agents that played last.
        debug: whether what agents print and raise is shown.
    """

    name = NAME
    version = VERSION

    def __init__(
        self,
        configuration: Mapping[str, Any] | None = None,
        *,
        steps: Sequence[Any] | None = None,
        info: Mapping[str, Any] | None = None,
        debug: bool = False,
    ) -> None:
        self.configuration = read_configuration(configuration)
        self.debug = bool(debug)
        self.info = Struct(info or {})
        self.steps: list[State] = []
        self.logs: list[list[Struct]] = []
        seed = self.configuration.seed
        self.id = str(uuid.uuid4() if seed is None else uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(self.configuration)))
        config = self.configuration
        self.game = board(config.rows, config.columns, config.inarow)
        self._position: ConnectState = self.game.start()
        self._heights = [0] * config.columns
        self.reset()
        if steps:
            self._take_up(read_steps(steps, self.game))

    def __repr__(self) -> str:
        config = self.configuration
        statuses = "/".join(agent.status for agent in self.state)
        board = f"{config.rows}x{config.columns}, {config.inarow} in a row"
        return f"<connectx {board}: step {len(self.steps) - 1}, {statuses}>"

    # --- what can be seen ---

    @property
    def state(self) -> State:
        """The last state."""
        return self.steps[-1]

    @property
    def done(self) -> bool:
        """True when the episode has ended."""
        return all(agent.status not in ("ACTIVE", "INACTIVE") for agent in self.steps[-1])

    @property
    def agents(self) -> AgentTable:
        """The built-in agents by name."""
        return AgentTable(self.configuration.seed)

    @property
    def specification(self) -> Struct:
        """The specification of configurations, observations, actions and rewards."""
        return specification()

    @property
    def position(self) -> ConnectState:
        """The last position as a state of `pcg.engine.boards`; its own copy."""
        return self._position.copy()

    def observe(self, player: int) -> Struct:
        """A copy of what the agent at that place is shown."""
        seen = self.steps[-1][player].observation
        return Struct({**seen, "board": seen["board"].copy()})

    def toJSON(self) -> dict[str, Any]:
        """The episode as plain data: what `render(mode="json")` writes, and `make(steps=...)` reads."""
        return {
            "id": self.id,
            "name": NAME,
            "title": SPECIFICATION["title"],
            "description": SPECIFICATION["description"],
            "version": VERSION,
            "configuration": plain(self.configuration),
            "specification": plain(self.specification),
            "steps": plain(self.steps),
            "rewards": [agent.reward for agent in self.state],
            "statuses": [agent.status for agent in self.state],
            "schema_version": 1,
            "info": plain(self.info),
        }

    # --- stepping ---

    def reset(self, num_agents: int = 2) -> State:
        """Begin a new episode; returns its first state."""
        if num_agents != 2:
            raise PcgError(f"connectx is for 2 agents, not {num_agents!r}")
        config = self.configuration
        self._position = self.game.start()
        self._heights = [0] * config.columns
        empty = [0] * (config.rows * config.columns)
        self.steps = [
            [
                Struct(
                    action=0,
                    reward=0,
                    info=Struct(),
                    observation=Struct(
                        remainingOverageTime=config.agentTimeout, step=0, board=empty.copy(), mark=place + 1
                    ),
                    status="ACTIVE" if place == 0 else "INACTIVE",
                )
                for place in range(2)
            ]
        ]
        self.logs = [[Struct(), Struct()]]
        return self.state

    def step(self, actions: Sequence[Any]) -> State:
        """Play one move.

        Args:
            actions: one for each agent; that of the agent whose turn it is not does not count.

        Returns:
            The state after it: a column that does not exist or is full, and anything that is no whole number, ends the
            episode with the status INVALID and no reward for that agent.

        Raises:
            PcgError: the episode is over, or there are not two actions.
        """
        if self.done:
            raise PcgError("the episode is over: call reset before the next step")
        if isinstance(actions, str) or not isinstance(actions, Sequence) or len(actions) != 2:
            raise PcgError(f"actions are {actions!r}, expected a list of 2, one for each agent")
        return self._play(actions[self._position.mover])

    def _play(self, action: Any, answer: Answer | None = None) -> State:
        """Record what the agent whose turn it is answered: an action, or a fault."""
        mover = self._position.mover
        remaining = self.steps[-1][mover].observation["remainingOverageTime"]
        status = message = ""
        if answer is not None:
            limit = self.configuration["actTimeout"]
            if answer.duration > limit:
                remaining -= answer.duration - limit
            if isinstance(answer.error, OutOfTime) or remaining < 0:
                status, message = "TIMEOUT", f"no time left after {answer.duration:.3g} s"
                remaining = 0.0
            elif answer.error is not None:
                status, message = "ERROR", f"{type(answer.error).__name__}: {_text_of(answer.error)}"
        column = None if status else _column_of(action)
        if not status:
            message = self._objection(action, column)
            status = "INVALID" if message else ""
        if not status:
            assert column is not None
            self._heights[column] += 1
            self._position.drop(column)
        self._record(mover, column, status, message, remaining)
        if message and self.debug:
            print(f"connectx: agent {mover + 1}: {status}: {message}", file=sys.stderr)
        return self.state

    def _objection(self, action: Any, column: int | None) -> str:
        """Return the reason why an answer is no valid move, "" for a valid one."""
        config = self.configuration
        expected = f"expected a column from 0 to {config['columns'] - 1}"
        if column is None:
            return f"{_shown(action)} is no whole number, {expected}"
        if not 0 <= column < config["columns"]:
            return f"there is no column {_shown(column)}, {expected}"
        return "" if self._heights[column] < config["rows"] else f"column {column} is full"

    def _record(self, mover: int, column: int | None, status: str, message: str, remaining: float) -> None:
        """Add the state after a move, or after a fault that leaves the board as it was."""
        config, position, before = self.configuration, self._position, self.steps[-1]
        cells = before[mover].observation["board"].copy()
        rewards: list[int | None] = [0, 0]
        after = ["INACTIVE", "INACTIVE"]
        if status:
            after = ["DONE", "DONE"]
            after[mover], rewards[mover] = status, None
        else:
            assert column is not None
            cells[(config["rows"] - self._heights[column]) * config["columns"] + column] = mover + 1
            after[1 - mover] = "ACTIVE"
            if position.is_over:
                after = ["DONE", "DONE"]
                if position.winner[0] != Outcome.NO_WINNER:
                    rewards = [1, -1] if position.winner[0] == Outcome.PLAYER_WINS else [-1, 1]
            elif len(self.steps) + 1 >= config["episodeSteps"]:
                after = ["DONE", "DONE"]
        number = before[mover].observation["step"] + 1
        self.steps.append(
            [
                Struct(
                    action=(0 if place != mover else column),
                    reward=rewards[place],
                    info=Struct(error=message) if message and place == mover else Struct(),
                    observation=Struct(
                        remainingOverageTime=(
                            remaining if place == mover else before[place].observation["remainingOverageTime"]
                        ),
                        step=number,
                        board=cells.copy() if place else cells,
                        mark=place + 1,
                    ),
                    status=after[place],
                )
                for place in range(2)
            ]
        )
        self.logs.append([Struct(), Struct()])

    def _take_up(self, steps: list[State]) -> None:
        """Go on from recorded steps."""
        self.steps = steps
        self.logs = [[Struct(), Struct()] for _ in steps]
        last = steps[-1]
        cells = last[0].observation["board"]
        mover = 1 if last[1].status == "ACTIVE" else 0
        self._position = self.game.position(cells, mover)
        columns = self.configuration.columns
        self._heights = [sum(1 for cell in cells[column::columns] if cell) for column in range(columns)]

    # --- running ---

    def run(self, agents: Sequence[AgentLike]) -> list[State]:
        """Let two agents play an episode; goes on with recorded steps that the environment was made with.

        Args:
            agents: two of what `build_agent` takes. They see copies: whatever they do to them changes nothing.

        Returns:
            The steps. An agent that raises, takes too long or answers nonsense ends the episode, with its status.

        Raises:
            PcgError: not two agents, or one that does not exist.

        >>> env = Environment({"seed": 1})
        >>> steps = env.run(["negamax", lambda observation, configuration: 99])
        >>> [agent.status for agent in steps[-1]]
        ['DONE', 'INVALID']
        """
        players = self._players(agents)
        if self.done or len(self.steps) == 1:
            self.reset()
        self.info["TeamNames"] = [name_of(agent) for agent in agents]
        started = time.perf_counter()
        while not self.done and time.perf_counter() - started < self.configuration["runTimeout"]:
            self.act(players)
        return self.steps

    def _players(self, agents: Sequence[AgentLike | None]) -> list[AgentFunction]:
        """The functions of two agents; None stands for somebody who steps by hand."""
        if isinstance(agents, str) or not isinstance(agents, Sequence) or len(agents) != 2:
            raise PcgError(f"agents are {agents!r}, expected a list of 2")
        seed = self.configuration.seed
        draw = random.Random(seed)
        seeds = [draw.getrandbits(31) if seed is not None else None for _ in agents]
        return [_nobody if agent is None else build_agent(agent, own) for agent, own in zip(agents, seeds, strict=True)]

    def act(self, players: Sequence[AgentFunction]) -> State:
        """Ask the agent whose turn it is, and play its move."""
        mover = self._position.mover
        player = players[mover]
        seen = self.observe(mover)
        config = self.configuration
        if isinstance(player, Player):  # ours: nothing to be guarded against
            started = time.perf_counter()
            action = player(seen, config)
            answer = Answer(action, None, time.perf_counter() - started, "", "")
        else:
            answer = call(
                player,
                seen,
                Struct(config),
                seconds=config["actTimeout"] + seen["remainingOverageTime"],
                show=self.debug,
            )
        state = self._play(answer.value, answer)
        log = Struct(duration=round(answer.duration, 6), stdout=answer.stdout, stderr=answer.stderr)
        self.logs[-1][mover] = log
        return state

    def train(self, agents: Sequence[AgentLike | None]) -> Trainer:
        """An interface for training one agent against the other.

        Args:
            agents: two, of which None marks the one to train: ``[None, "random"]``.
        """
        return Trainer(self, agents)

    # --- showing ---

    def render(self, mode: str = "human", **options: Any) -> Any:
        """Show the episode.

        Args:
            mode: "ansi" gives the last board as text, "human" prints it; "html" gives a page that plays the episode,
                "ipython" shows it in a notebook; "json" gives `toJSON` as text.
            options: of the page: `width`, `height` (pixels), `step` (the first one shown), `autoplay`, `speed` (steps
                per second), `controls`, `header`.

        Raises:
            PcgError: an unknown mode or option (with the nearest known one), or no IPython.

        >>> print(Environment({"rows": 2, "columns": 3, "inarow": 3}).render("ansi"))
        +---+---+---+
        |   |   |   |
        +---+---+---+
        |   |   |   |
        +---+---+---+
          0   1   2
        agent 1 is to move
        """
        from pcg.connectx import rendering

        if mode not in MODES:
            near = nearest(str(mode), MODES)
            raise PcgError(
                f"no render mode {mode!r}" + (f", did you mean `{near}`?" if near else f", expected one of {MODES}")
            )
        page = rendering.read_options(options)
        if mode == "json":
            return json.dumps(self.toJSON())
        if mode == "html":
            return rendering.page(self, page)
        if mode == "ipython":
            rendering.show_in_notebook(self, page)
            return None
        text = rendering.text(self, colour=mode == "human" and sys.stdout.isatty())
        if mode == "ansi":
            return text
        print(text)
        return None


class Trainer:
    """One agent of an episode, stepped by hand while the other plays. Made by `Environment.train`.

    >>> trainer = Environment({"seed": 1}).train([None, "leftmost"])
    >>> observation = trainer.reset()
    >>> observation, reward, done, info = trainer.step(3)
    >>> observation.board[-7:], reward, done
    ([2, 0, 0, 1, 0, 0, 0], 0, False)
    """

    def __init__(self, environment: Environment, agents: Sequence[AgentLike | None]) -> None:
        self._agents = agents
        environment._players(agents)
        places = [place for place, agent in enumerate(agents) if agent is None]
        if len(places) != 1:
            raise PcgError("one of the agents must be None, the one to train")
        self.environment = environment
        self.place = places[0]
        self._players: list[AgentFunction] = []

    def __repr__(self) -> str:
        return f"<trainer of agent {self.place + 1} of {self.environment!r}>"

    def _wait(self) -> None:
        while not self.environment.done and self.environment.state[self.place].status == "INACTIVE":
            self.environment.act(self._players)

    def reset(self) -> Struct:
        """Begin an episode; returns the observation of the agent's first turn."""
        self.environment.reset()
        self._players = self.environment._players(self._agents)
        self._wait()
        return self.environment.observe(self.place)

    def step(self, action: Any) -> tuple[Struct, int | None, bool, Struct]:
        """Play the action, and let the other agent answer.

        Returns:
            Observation, reward (None after an invalid action), whether the episode is done, and the info.
        """
        if not self._players:
            raise PcgError("the trainer has not been reset yet")
        actions = [None, None]
        actions[self.place] = action
        self.environment.step(actions)
        self._wait()
        own = self.environment.state[self.place]
        return self.environment.observe(self.place), own.reward, self.environment.done, Struct(own.info)


def _nobody(observation: Any, configuration: Any) -> None:
    """Stands for the agent that is stepped by hand."""


def _column_of(action: Any) -> int | None:
    """The whole number that an answer is, numpy's included; None for anything else, truth values included."""
    if type(action) is int:
        return action
    if isinstance(action, bool):
        return None
    try:
        return operator.index(action)
    except Exception:  # an object of the agent's own, whose conversion may raise anything
        return None


def _shown(value: Any) -> str:
    """An answer in a message, cut short."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(no message)"
    return text if len(text) <= 500 else f"{text[:497]}..."


__all__ = ["FAULTS", "MODES", "Environment", "Trainer"]
