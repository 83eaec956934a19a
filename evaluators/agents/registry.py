"""The table of agents: name, parameters with types, defaults and ranges, one line of help, and the source.

`make_agent`, the command line and the documentation read this table; `register` adds to it. Our own agents are
imported, and with that registered, when their entry is first read: a program that plays with one of them does not wait
for the kernels of all.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pcg.engine.vgdl.diagnostics import nearest
from pcg.evaluators.agents.base import Agent, AgentError, Budget
from pcg.evaluators.parameters import Parameter, resolve


@dataclass(frozen=True, slots=True)
class AgentType:
    """An entry of the table. `paper` is the source of the method."""

    name: str
    cls: type[Agent]
    help: str
    params: tuple[Parameter, ...] = ()
    paper: str = ""


class _Table(MutableMapping[str, AgentType]):
    """Entries by name; those named with a module come when that is imported."""

    def __init__(self, **modules: str) -> None:
        self._modules = modules
        self._entries: dict[str, AgentType | None] = dict.fromkeys(modules)

    def __getitem__(self, name: str) -> AgentType:
        if self._entries[name] is None:
            import_module(f"pcg.evaluators.agents.{self._modules[name]}")
        entry = self._entries[name]
        assert entry is not None, f"module {self._modules[name]} registers no agent `{name}`"
        return entry

    def __setitem__(self, name: str, entry: AgentType) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def loaded(self, name: str) -> AgentType | None:
        """The entry, None when there is none yet."""
        return self._entries.get(name)


AGENTS = _Table(
    nothing="simple",
    random="simple",
    onestep="simple",
    replay="simple_players",
    greedytree="greedy_tree",
    mcts="mcts",
    enhanced="mcts",
    kbfastevo="fast_evo",
    olets="olets",
    rhea="rhea",
    randomsearch="rhea",
    ga="ga",
    iw="width",
    ybcriber="width",
    solver="solver",
    valuefield="value_field",
    guided="guided",
    alphabeta="alphabeta",
    pcg="portfolio",
    flatmc="boards",
    uct="boards",
    mmcts="boards",
    mmctsown="boards",
)
"""All agents that play by themselves, by name."""
ATTENDED = _Table(human="simple_players")
"""Agents that need a person at the keyboard; apart, so that whoever goes through `AGENTS` never waits for one."""


def register(entry: AgentType, *, attended: bool = False) -> AgentType:
    """Add an agent to the table, so that `make_agent` and the command line know it.

    The class is called with keywords ``seed``, ``budget``, ``player`` and the parameters of the entry. An `attended`
    agent needs a person to play.
    """
    for table in (AGENTS, ATTENDED):
        known = table.loaded(entry.name)
        if known is not None and known.cls is not entry.cls:
            raise AgentError(f"there is an agent `{entry.name}` already")
    (ATTENDED if attended else AGENTS)[entry.name] = entry
    return entry


def agent_type(name: str) -> AgentType:
    """The agent of that name, whether it needs a person or not; KeyError without one."""
    return ATTENDED[name] if name in ATTENDED else AGENTS[name]


def agent_names() -> list[str]:
    """All names: those of `AGENTS`, then those of `ATTENDED`."""
    return [*AGENTS, *ATTENDED]


@dataclass(frozen=True, slots=True)
class AgentText:
    """What a text such as ``"mcts:depth=12,budget=40ms"`` says; `budget` is None when it says none."""

    name: str
    params: dict[str, str]
    budget: str | None = None


def read_agent(text: str) -> AgentText:
    """Take apart how people name an agent: a name of `agent_names()`, then parameters.

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
    name: str, *, seed: int = 0, budget: Budget | int | str | None = None, player: int = 0, **params: Any
) -> Agent:
    """An agent by name.

    Args:
        name: a name of `agent_names()`, also with parameters: ``"mcts:depth=12,budget=40ms"``. Keywords win over what
            it says.
        seed: of the agent's own randomness. Same seed, same decisions (unless the budget is time).
        budget: a `Budget`, a number of forward-model calls, or a text such as ``"40ms"``.
        player: which player of a game of several to be.
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
    agent: Agent = factory(seed=seed, budget=Budget.read(budget), player=player, **values)
    return agent
