"""The table of agents: name, class, parameters, one line of help, and the source.

`make_agent`, the command line and the documentation read this table. An agent enters it by the decorator `register`,
in a user's file as in ours, or as an entry point of the group ``pcg.agents`` of an installed package (an `AgentType`).
Our own agents are imported when their entry is first read: a program that plays with one of them does not wait for the
kernels of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pcg.engine.registry import Registry, part_registrar
from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.agents.base import CHANCE, NO_RULES, RULES, Agent, AgentError, Budget, Timer
from pcg.evaluators.parameters import Parameter, resolve

A = TypeVar("A", bound=Agent)

_FIRST = ("nothing", "random", "onestep", "mcts")
"""Agents that lists begin with, the simple ones; the rest follow by name."""
_REGISTERED = re.compile(r'^@register\(\s*"(\w+)"((?:(?!^class ).)*)^class ', re.MULTILINE | re.DOTALL)
"""Name and other arguments of a decorator of a class."""


@dataclass(frozen=True, slots=True)
class AgentType:
    """An entry of the table.

    Attributes:
        name: what people call the agent.
        cls: its class, called with keywords ``seed``, ``budget``, ``player`` and the parameters.
        help: a phrase that says what it does.
        params: by default those that the class declares.
        paper: source of the method.
    """

    name: str
    cls: type[Agent]
    help: str
    params: tuple[Parameter, ...] = ()
    paper: str = ""

    @property
    def reads_rules(self) -> str:
        """Part of a game's rules that it reads with its default parameters (`Agent.reads_rules`)."""
        return self.cls.reads_rules

    def __post_init__(self) -> None:
        if not self.params:
            object.__setattr__(self, "params", self.cls.parameters)


def _declared(attended: bool) -> dict[str, str]:
    """Names of the agents that the files of this folder register, with their modules, read without importing them."""
    found: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        for name, rest in _REGISTERED.findall(path.read_text(encoding="utf-8")):
            if ("attended=True" in rest) == attended:
                found[name] = f"pcg.evaluators.agents.{path.stem}"
    first = [name for name in _FIRST if name in found]
    return {name: found[name] for name in dict.fromkeys([*first, *sorted(found)])}


AGENTS: Registry[AgentType] = Registry("agent", builtin=_declared(attended=False), group="pcg.agents")
"""All agents that play by themselves, by name."""
ATTENDED: Registry[AgentType] = Registry("agent", builtin=_declared(attended=True))
"""Agents that need a person at the keyboard; apart, so that whoever goes through `AGENTS` never waits for one."""


def register(name: str, help: str, *, paper: str = "", attended: bool = False) -> Callable[[type[A]], type[A]]:
    """Add the agent class below to the table, so that `make_agent` and the command line know it.

    Args:
        name: what people call the agent.
        help: a phrase that says what it does.
        paper: source of the method.
        attended: it needs a person at the keyboard.

    Raises:
        PcgError: when another agent has that name.

    >>> @register("waiter", "waits for ever")
    ... class Waiter(Agent):
    ...     def act(self, state):
    ...         return None
    >>> make_agent("waiter", seed=3)
    <agent Waiter, seed 3>
    >>> AGENTS.unregister("waiter")
    """

    def add(cls: type[A]) -> type[A]:
        entry = AgentType(name, cls, help, paper=paper)
        table, other = (ATTENDED, AGENTS) if attended else (AGENTS, ATTENDED)
        known = table[name] if table.loaded(name) is not None else None
        if name in other or (known is not None and known.cls is not cls):
            raise AgentError(f"there is an agent `{name}` already")
        table.register(name, entry)
        return cls

    return add


@part_registrar("agent")
def adopt(name: str, cls: type[Agent]) -> None:
    """Register a plain agent class of a user under a name; the first line of its docstring is its help.

    Raises:
        PcgError: it is no agent class, or another agent has that name.
    """
    if not (isinstance(cls, type) and issubclass(cls, Agent)):
        raise AgentError(f"`{name}` is no agent: expected a class derived from pcg.Agent with a method `act`")
    known = AGENTS.loaded(name)
    if known is None or known.cls is not cls:
        register(name, (cls.__doc__ or "an agent of one's own").strip().splitlines()[0])(cls)


def agent_type(name: str) -> AgentType:
    """The agent of that name, whether it needs a person or not; KeyError without one."""
    return ATTENDED[name] if name in ATTENDED else AGENTS[name]


def agent_names() -> list[str]:
    """All names: those of `AGENTS`, then those of `ATTENDED`."""
    return [*AGENTS, *ATTENDED]


RULES_READ = {NO_RULES: "no", CHANCE: "chance", RULES: "yes"}
"""Entries of the column "reads rules" of tables of agents, by `Agent.rules_read`."""


def rules_column(text: str) -> str:
    """Return what a table says of an agent named in a text: whether it reads rules; "?" of agents not known here.

    >>> [rules_column(text) for text in ("mcts", "iw", "iw:chance=observed", "mcts:guidance=1", "unheard of")]
    ['no', 'chance', 'no', 'yes', '?']
    """
    try:
        return RULES_READ[make_agent(text).rules_read]
    except PcgError:
        return "?"


@dataclass(frozen=True, slots=True)
class AgentText:
    """Name, parameters and budget of a text such as ``"mcts:depth=12,budget=40ms"``; `budget` is None without one."""

    name: str
    params: dict[str, str]
    budget: str | None = None


def read_agent(text: str) -> AgentText:
    """Split a text that names an agent: a name of `agent_names()`, then parameters.

    Raises:
        AgentError: unknown agent (with the nearest name), or something that is not ``parameter=value``.

    >>> read_agent("mcts:depth=12, budget=40ms")
    AgentText(name='mcts', params={'depth': '12'}, budget='40ms')
    """
    name, _, rest = text.partition(":")
    name = name.strip()
    known = agent_names()
    if name not in known:
        close = nearest(name, known)
        hint = f", did you mean `{close}`?" if close else f" (expected one of {', '.join(known)})"
        raise AgentError(f"unknown agent `{name}`{hint}")
    given: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise AgentError(f"agent {name}: `{part}`, expected parameter=value")
        given[key.strip()] = value.strip()
    budget = given.pop("budget", None)
    return AgentText(name, given, budget)


def make_agent(
    name: str,
    *,
    seed: int = 0,
    budget: Budget | int | str | None = None,
    player: int = 0,
    timer: Timer | None = None,
    **params: Any,
) -> Agent:
    """Return an agent by name.

    Args:
        name: a name of `agent_names()`, also with parameters: ``"mcts:depth=12,budget=40ms"``. Keywords win over what
            it says.
        seed: of the agent's own randomness. Same seed, same decisions (unless the budget is time).
        budget: a `Budget`, a number of forward-model calls, or a text such as ``"40ms"``.
        player: which player of a game of several to be.
        timer: of the construction, for the constructor to look at.
        params: parameters of the agent, see ``AGENTS[name].params``.

    Raises:
        PcgError: unknown agent or parameter, or a value out of range.

    >>> make_agent("mcts:depth=12", seed=1, budget=500)
    <agent MCTS, Budget(calls=500), seed 1>
    """
    text = read_agent(name)
    entry = agent_type(text.name)
    budget = text.budget if budget is None else budget
    given: dict[str, Any] = {**text.params, **params}
    values = resolve(entry.params, given, f"agent {name}")
    factory: Any = entry.cls
    if timer is None:
        made: Agent = factory(seed=seed, budget=Budget.read(budget), player=player, **values)
        return made
    # in place before the constructor runs, which may have any signature
    agent: Agent = factory.__new__(factory)
    agent.timer = timer
    factory.__init__(agent, seed=seed, budget=Budget.read(budget), player=player, **values)
    return agent
