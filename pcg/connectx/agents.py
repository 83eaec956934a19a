"""Agents: the built-in ones, and the conversion of functions, names and files to agents.

An agent is called with as many of ``(observation, configuration)`` as it takes and answers a column. It is given as a
function or other callable, the name of a built-in agent, a Python file or text of which the last function is taken, or
a number, which is then always the answer.
"""

from __future__ import annotations

import inspect
import operator
import random
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcg.connectx.configuration import board
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

Action = Any
AgentFunction = Callable[..., Action]
AgentLike = AgentFunction | str | int | Path

_WORK = 20_000_000
"""Budget of the built-in searches for an action: simulated moves times cells times discs in a line."""
_LEAST_CALLS = 100


class Player:
    """A built-in agent. Calling it with an observation and a configuration gives a column.

    Args:
        seed: of its randomness; drawn without one.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = secrets.randbits(31) if seed is None else seed
        self.random = random.Random(self.seed)

    def __repr__(self) -> str:
        return f"<built-in agent {type(self).__name__}, seed {self.seed}>"

    def __call__(self, observation: Any, configuration: Any) -> int:
        cells = observation["board"]
        return self.choose([k for k in range(configuration["columns"]) if cells[k] == 0])

    def choose(self, free: list[int]) -> int:
        """A column out of those that have room."""
        raise NotImplementedError


class RandomPlayer(Player):
    """Any column that has room."""

    def choose(self, free: list[int]) -> int:
        return free[int(self.random.random() * len(free))]


class LeftmostPlayer(Player):
    """The first column from the left that has room."""

    def choose(self, free: list[int]) -> int:
        return free[0]


class MiddlePlayer(Player):
    """The column in the middle, or the nearest one that has room."""

    def __call__(self, observation: Any, configuration: Any) -> int:
        cells, columns = observation["board"], configuration["columns"]
        middle = columns // 2
        return min((k for k in range(columns) if cells[k] == 0), key=lambda k: abs(k - middle))


class SearchPlayer(Player):
    """One of the toolkit's planning agents, which sees the position as a state of `pcg.engine.boards`.

    Args:
        text: names the agent, with parameters as in ``"alphabeta:depth=5"``.
        seed: of its randomness; drawn without one.
    """

    def __init__(self, text: str, seed: int | None = None) -> None:
        from pcg.evaluators.agents import make_agent

        super().__init__(seed)
        self.text = text
        self._make = make_agent
        make_agent(text)  # what is wrong with the text is said before the play begins
        self._agent: Any = None
        self._for: tuple[Any, int] | None = None

    def __repr__(self) -> str:
        return f"<built-in agent {self.text}, seed {self.seed}>"

    def __call__(self, observation: Any, configuration: Any) -> int:
        rows, columns, inarow = configuration["rows"], configuration["columns"], configuration["inarow"]
        game, player = board(rows, columns, inarow), int(observation["mark"]) - 1
        state = game.position(observation["board"], player)
        if self._for != (game, player):
            calls = max(_LEAST_CALLS, _WORK // (rows * columns * inarow))
            budget = None if "budget=" in self.text else calls
            self._agent = self._make(self.text, seed=self.seed, budget=budget, player=player)
            self._agent.reset(state)
            self._for = (game, player)
        return game.action_names.index(self._agent.act(state)) - 1


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An entry of the table of built-in agents. `make` is called with parameters as text, and a seed."""

    name: str
    help: str
    make: Callable[[str, int | None], Player]


def _without_parameters(cls: type[Player]) -> Callable[[str, int | None], Player]:
    def make(parameters: str, seed: int | None) -> Player:
        if parameters:
            raise PcgError(f"this agent has no parameters, but was given `{parameters}`")
        return cls(seed)

    return make


def _searching(text: str) -> Callable[[str, int | None], Player]:
    def make(parameters: str, seed: int | None) -> Player:
        return SearchPlayer(",".join(filter(None, (text, parameters))), seed)

    return make


BUILT_IN: dict[str, BuiltIn] = {
    entry.name: entry
    for entry in (
        BuiltIn("random", "any column that has room", _without_parameters(RandomPlayer)),
        BuiltIn("leftmost", "the first column from the left that has room", _without_parameters(LeftmostPlayer)),
        BuiltIn("middle", "the column in the middle, or the nearest that has room", _without_parameters(MiddlePlayer)),
        BuiltIn("onestep", "the move whose board looks best (windows)", _searching("onestep:heuristic=windows")),
        BuiltIn(
            "nstep",
            "alpha-beta, 3 moves ahead, with the same heuristic",
            _searching("alphabeta:heuristic=windows,depth=3"),
        ),
        BuiltIn("negamax", "alpha-beta, 4 moves ahead, sees wins and losses only", _searching("alphabeta:depth=4")),
        BuiltIn("mcts", "Monte Carlo tree search", _searching("uct:")),
    )
}
"""Built-in agents by name. Parameters may follow: ``"nstep:depth=5"``, ``"mcts:budget=100ms"``."""


def make_player(text: str, seed: int | None = None) -> Player:
    """The built-in agent of that name, or any of the toolkit's agents, with parameters.

    Raises:
        PcgError: there is none (with the nearest name), or a parameter is wrong.

    >>> make_player("nstep:depth=5", seed=1)
    <built-in agent alphabeta:heuristic=windows,depth=3,depth=5, seed 1>
    """
    from pcg.evaluators.agents.registry import AGENTS

    name, _, parameters = text.partition(":")
    name = name.strip()
    entry = BUILT_IN.get(name)
    if entry is not None:
        try:
            return entry.make(parameters.strip(), seed)
        except PcgError as error:
            raise PcgError(f"agent `{text}`: {error}") from None
    if name in AGENTS:
        return SearchPlayer(text, seed)
    hint = did_you_mean(name, BUILT_IN, f", expected one of {', '.join(BUILT_IN)}, or a Python file")
    raise PcgError(f"no agent `{text}`{hint}")


class AgentTable(Mapping[str, AgentFunction]):
    """The built-in agents as functions: ``env.agents["random"](observation, configuration)``.

    Every look-up makes a new agent, so that two of them share no randomness.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed

    def __repr__(self) -> str:
        return f"<agents {', '.join(BUILT_IN)}>"

    def __getitem__(self, name: str) -> AgentFunction:
        if name not in BUILT_IN:
            raise KeyError(name)
        return make_player(name, self._seed)

    def __iter__(self) -> Iterator[str]:
        return iter(BUILT_IN)

    def __len__(self) -> int:
        return len(BUILT_IN)


# --- what people hand over --------------------------------------------------------------------------------------------


def name_of(agent: AgentLike) -> str:
    """Return the name of an agent in tables and pictures."""
    if isinstance(agent, Path):
        return agent.stem
    if isinstance(agent, str):
        if _is_source(agent):
            return "code"
        return Path(agent).stem if agent.endswith(".py") else agent
    if isinstance(agent, int):
        return f"always {agent}"
    return str(getattr(agent, "__name__", type(agent).__name__))


def build_agent(agent: AgentLike, seed: int | None = None) -> AgentFunction:
    """A function of (observation, configuration) from whatever names an agent.

    Files and texts are run when the agent is first asked, so that what goes wrong in them counts as its own error.

    Raises:
        PcgError: there is no such agent or file, it is something else, or it takes more than two arguments.
    """
    if isinstance(agent, Player):
        return agent
    if isinstance(agent, str | Path):
        if isinstance(agent, str) and _is_source(agent):
            return _Loaded(agent, "<agent>", None)
        if isinstance(agent, Path) or agent.endswith(".py"):
            path = Path(agent)
            if not path.is_file():
                raise PcgError(f"no agent file `{agent}`")
            return _Loaded(None, str(path), path)
        return make_player(agent, seed)
    if callable(agent):
        return _taking_two(agent)
    try:
        if isinstance(agent, bool):
            raise TypeError
        column = operator.index(agent)
    except TypeError:
        raise PcgError(
            f"an agent cannot be {agent!r}, expected a function, a name ({', '.join(BUILT_IN)}), a Python file, "
            f"or a column"
        ) from None
    return lambda observation, configuration: column


def _is_source(text: str) -> bool:
    return "\n" in text or text.lstrip().startswith(("def ", "lambda"))


class _Loaded:
    """The last function that a file or text defines; found on the first call."""

    def __init__(self, source: str | None, name: str, path: Path | None) -> None:
        self._source = source
        self._name = name
        self._path = path
        self._agent: AgentFunction | None = None

    def __call__(self, observation: Any, configuration: Any) -> Action:
        if self._agent is None:
            self._agent = self._load()
        return self._agent(observation, configuration)

    def _load(self) -> AgentFunction:
        source = self._source
        if source is None:
            assert self._path is not None
            source = self._path.read_text(encoding="utf-8")
        names: dict[str, Any] = {"__name__": "agent", "__file__": self._name}
        folder = None if self._path is None else str(self._path.resolve().parent)
        if folder is not None:
            sys.path.insert(0, folder)
        try:
            if source.lstrip().startswith("lambda"):
                return _taking_two(eval(compile(source.strip(), self._name, "eval"), names))
            exec(compile(source, self._name, "exec"), names)
        finally:
            if folder is not None and folder in sys.path:
                sys.path.remove(folder)
        functions = [value for name, value in names.items() if callable(value) and name != "__builtins__"]
        if not functions:
            raise PcgError(f"{self._name} defines no function, expected an agent")
        return _taking_two(functions[-1])


def _taking_two(function: AgentFunction) -> AgentFunction:
    """The function as one of two arguments, of which it gets as many as it takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function  # built into Python, which does not say
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return function
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p.name for p in places[2:] if p.default is p.empty]
    needed += [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if needed:
        raise PcgError(
            f"agent {name_of(function)} wants `{needed[0]}`, expected at most two arguments: observation, configuration"
        )
    if len(places) == 0:
        return lambda observation, configuration: function()
    if len(places) == 1:
        return lambda observation, configuration: function(observation)
    return function
