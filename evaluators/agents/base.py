"""The contract of agents: `Agent` looks at a state and names an action.

It serves compiled agents and those that users write in Python. An agent's parameters are declared once, in the body of
its class (`parameter`). `Budget` says how much it may simulate per decision. `GameState` lists the little that agents
may expect of a state, whatever engine it is of.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from pcg.engine.model import Model
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, Setting, resolve

S = TypeVar("S", int, float, bool, str)

NO_RULES, CHANCE, RULES = "", "chance", "rules"
"""Answers of `Agent.reads_rules`: nothing of the rules, whether a level has chance, what sprites and goals are."""

DEFAULT_CALLS = 1000
"""Forward-model calls per decision when nothing else is said."""


class AgentError(PcgError):
    """An agent that does not exist, was given wrong parameters, or answered nonsense."""


class GameState(Protocol):
    """A state as agents see it: `pcg.engine.state.State` and the like of other engines.

    `score` is a float, for several players a tuple; `actions` are the names of the available actions without NIL, for
    several players a tuple of such tuples.
    """

    @property
    def address(self) -> int:
        """Address of the state's block."""

    @property
    def model(self) -> Model:
        """The compiled forward model."""

    @property
    def tick(self) -> int:
        """Number of the last tick played."""

    @property
    def score(self) -> Any:
        """The score."""

    @property
    def is_over(self) -> bool:
        """True once the game has ended."""

    @property
    def actions(self) -> tuple[Any, ...]:
        """Names of the available actions."""

    def key(self) -> int:
        """A 64-bit hash: states that behave alike from here on have equal keys."""

    def copy(self) -> GameState:
        """An independent copy."""

    def advance(self, action: Any, /) -> Any:
        """Play one tick."""


@runtime_checkable
class Game(Protocol):
    """Something that starts plays: `pcg.engine.game.Game`."""

    def start(self, level: Any = 0, seed: int = 0) -> GameState:
        """The first state of a level."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limit on an agent's simulation for one decision.

    Args:
        calls: forward-model calls (advances). An agent starts no further iteration once they are made. Decisions are
            reproducible.
        milliseconds: CPU time of the thread, as in the competitions (reference/agents 11.1). Decisions then depend on
            the machine and its load, and are not reproducible.

    Exactly one of the two; without any, `DEFAULT_CALLS` calls.

    >>> Budget(calls=500)
    Budget(calls=500)
    >>> Budget.read("40ms")
    Budget(milliseconds=40.0)
    """

    calls: int | None = None
    milliseconds: float | None = None

    def __post_init__(self) -> None:
        if self.calls is None and self.milliseconds is None:
            object.__setattr__(self, "calls", DEFAULT_CALLS)
        if self.calls is not None and self.milliseconds is not None:
            raise AgentError("a budget is either forward-model calls or milliseconds, not both")
        if self.calls is not None and (isinstance(self.calls, bool) or not 1 <= self.calls <= 2**40):
            raise AgentError(f"a budget of {self.calls} forward-model calls, expected at least 1")
        if self.milliseconds is not None and not (math.isfinite(self.milliseconds) and self.milliseconds > 0):
            raise AgentError(f"a budget of {self.milliseconds} ms, expected more than 0")

    def __repr__(self) -> str:
        given = f"calls={self.calls}" if self.calls is not None else f"milliseconds={self.milliseconds}"
        return f"Budget({given})"

    @classmethod
    def read(cls, given: Budget | int | str | None) -> Budget:
        """A budget from a number of calls, a text such as ``"500"`` or ``"40ms"``, or None for the default."""
        if isinstance(given, Budget):
            return given
        if given is None:
            return cls()
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|calls)?\s*", str(given))
        if match and match[2] == "ms":
            return cls(milliseconds=float(match[1]))
        if match and "." not in match[1]:
            return cls(calls=int(match[1]))
        raise AgentError(f"a budget of `{given}`, expected forward-model calls (`1000`) or milliseconds (`40ms`)")


class Timer:
    """Clock of a decision, or of an agent's construction: processor time of the thread, as in the competitions.

    Args:
        budget: milliseconds allowed; infinite where nothing is measured.

    >>> timer = Timer(40.0)
    >>> timer.budget, 0 <= timer.elapsed < 40, timer.elapsed + timer.left <= 40
    (40.0, True, True)
    """

    __slots__ = ("_started", "budget")

    def __init__(self, budget: float = math.inf) -> None:
        self.budget = budget
        self._started = time.thread_time_ns()

    @property
    def elapsed(self) -> float:
        """Milliseconds since the clock was started."""
        return (time.thread_time_ns() - self._started) / 1e6

    @property
    def left(self) -> float:
        """Milliseconds that are left; negative once it is too late."""
        return self.budget - self.elapsed

    def __repr__(self) -> str:
        return f"<timer, {self.elapsed:.1f} of {self.budget:g} ms>"


def parameter(
    default: S,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    unit: str = "",
    choices: Sequence[str] = (),
) -> S:
    """Declare a parameter in the body of an agent's class; its name is that of the attribute.

    Type checkers see the default; the class turns the declaration into an entry of `Agent.parameters`, which the
    constructor, `make_agent`, the command line and the documentation read.

    Args:
        default: value when none is given; its type is the parameter's.
        help: a phrase that says what it is.
        low: least number allowed.
        high: greatest number allowed.
        unit: of a number, as in "ticks".
        choices: texts allowed.

    >>> class Patient(Agent):
    ...     patience: int = parameter(3, "decisions to wait before moving", low=0)
    >>> Patient(patience=5).patience, Patient.parameters[0].help
    (5, 'decisions to wait before moving')
    >>> Patient(patience=-1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    pcg.engine.vgdl.diagnostics.PcgError: agent Patient: parameter `patience` is -1, expected ...
    """
    return cast(S, Parameter("", default, help, low, high, unit, choices))


def select(declared: Sequence[Parameter], *names: str) -> tuple[Parameter, ...]:
    """Return the parameters of those names, in that order, for a class that offers only some of its base's."""
    known = {one.name: one for one in declared}
    return tuple(known[name] for name in names)


def with_defaults(declared: Sequence[Parameter], **defaults: Setting) -> tuple[Parameter, ...]:
    """Return the parameters with other defaults for the named ones.

    >>> with_defaults([Parameter("depth", 10, "ticks looked ahead")], depth=15)[0].default
    15
    """
    unknown = set(defaults) - {one.name for one in declared}
    assert not unknown, f"no such parameters: {unknown}"
    return tuple(replace(one, default=defaults.get(one.name, one.default)) for one in declared)


class Agent:
    """A player. Subclasses implement `act`; that is all a user's agent needs.

    The caller asks `reset` once per game and then `act` once per tick, never on a finished game, and tells `result`
    once when the play is over. The state handed over belongs to the caller and must not be advanced: simulate on
    ``state.copy()``. None and actions that are not available count as doing nothing. `timer` runs during `reset` and
    `act`, and during the constructor where that is limited too.

        class Greedy(Agent):
            def act(self, state):
                def score_after(action):
                    future = state.copy()
                    future.advance(action)
                    return future.score
                return max(state.actions, key=score_after)

    Args:
        seed: of the agent's own randomness; `reset` starts it again, so a play depends on nothing played before.
        budget: simulation per decision; see `Budget.read`.
        player: number of the player, from 0, that the agent plays in a game of several.
        given: parameters of the class by name, see `parameter`; each becomes an attribute.

    Raises:
        PcgError: for an unknown parameter or a value out of range.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """Parameters of the class: those of its base, then its own; a class may state a selection of its base's."""
    reads_rules: ClassVar[str] = NO_RULES
    """Part of a game's rules that the agent reads with its default parameters. Agents of the competitions read none:
    they have the forward model and the observations only. `CHANCE` is `Model.stochastic`, `RULES` is more of it."""
    seed: int = 0
    player: int = 0
    budget: Budget = Budget()
    timer: Timer = Timer()
    """Clock of what the agent is being asked: how much time has passed, how much is left, how much was allowed."""

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        own = {name: replace(one, name=name) for name, one in vars(cls).items() if isinstance(one, Parameter)}
        for name, one in own.items():
            setattr(cls, name, one.default)
        cls.parameters = tuple(({one.name: one for one in cls.parameters} | own).values())

    def __init__(
        self, *, seed: int = 0, budget: Budget | int | str | None = None, player: int = 0, **given: object
    ) -> None:
        self.seed = int(seed)
        self.player = player
        self.budget = Budget.read(budget)
        for name, value in resolve(self.parameters, given, f"agent {type(self).__name__}").items():
            setattr(self, name, value)

    @property
    def rules_read(self) -> str:
        """Part of the rules that this agent reads with the parameters it has; of the class by default."""
        return self.reads_rules

    def reset(self, state: GameState) -> None:
        """Prepare for a game that starts at `state`."""

    def explore(self, state: GameState, budget: Budget) -> None:
        """Search from a state for which no decision is asked, as before the first move of a play.

        For agents that keep what they find until they decide; the others have no use for it.

        Args:
            state: where to search from; another player may have to move there.
            budget: of this search.
        """

    def act(self, state: Any) -> str | None:
        """The name of the action to play in `state`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it acts")

    def result(self, state: Any) -> None:
        """Take note of how the play ended, in a copy of its last state. Optional; called once, after the last action.

        A play also ends when its time is up (`max_ticks`): ``state.is_over`` tells the two apart.
        """

    def __repr__(self) -> str:
        return f"<agent {type(self).__name__}, seed {self.seed}>"


def hears_results(agent: Agent) -> bool:
    """Return True for an agent with a `result` of its own; only such ones are told."""
    return type(agent).result is not Agent.result


def decision_timer(agent: Agent) -> Timer:
    """Return a started clock for one decision by the agent's own budget."""
    milliseconds = agent.budget.milliseconds
    return Timer(math.inf if milliseconds is None else milliseconds)


def action_code(agent: object, name: object, names: Sequence[str]) -> int:
    """The code of the action that an agent answered; None is doing nothing (reference/agents 11.2)."""
    if name is None:
        return 0
    if isinstance(name, str) and name in names:
        return names.index(name)
    raise AgentError(f"{agent!r} answered {name!r}, expected one of {', '.join(names)}")
