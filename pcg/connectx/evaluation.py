"""Making environments, and playing many episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.connectx.agents import AgentLike, name_of
from pcg.connectx.configuration import NAME
from pcg.connectx.environment import Environment
from pcg.engine.vgdl.diagnostics import PcgError, nearest

Rewards = list[int | None]


def make(
    environment: str = NAME,
    configuration: Mapping[str, Any] | None = None,
    info: Mapping[str, Any] | None = None,
    steps: Sequence[Any] | None = None,
    debug: bool = False,
) -> Environment:
    """An environment.

    Args:
        environment: "connectx", the one there is.
        configuration: what differs from the defaults: `rows`, `columns`, `inarow`, `actTimeout`, ...
        info: anything that is to be kept with the episode.
        steps: recorded steps to go on from.
        debug: show what agents print and raise.

    Raises:
        PcgError: another environment, a bad configuration, or bad steps.

    >>> env = make("connectx", {"rows": 4, "columns": 4, "inarow": 3, "seed": 1})
    >>> steps = env.run(["middle", "leftmost"])
    >>> [agent.reward for agent in steps[-1]]
    [1, -1]
    """
    if environment != NAME:
        near = nearest(str(environment), [NAME])
        raise PcgError(
            f"no environment {environment!r}, " + (f"did you mean `{NAME}`?" if near else f"expected `{NAME}`")
        )
    return Environment(configuration, steps=steps, info=info, debug=debug)


def evaluate(
    environment: str | Environment,
    agents: Sequence[AgentLike],
    configuration: Mapping[str, Any] | None = None,
    steps: Sequence[Any] | None = None,
    num_episodes: int = 1,
    debug: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Rewards]:
    """Play episodes; returns the two rewards of each.

    Args:
        environment: "connectx", or an environment whose configuration is taken.
        agents: two of what `Environment.run` takes. The first one begins every episode.
        configuration: as for `make`. With a `seed`, episode k has the seed `seed + k`.
        steps: recorded steps that every episode goes on from.
        num_episodes: how many.
        debug: as for `make`.
        progress: called with the episodes played and their number, after each.

    >>> evaluate("connectx", ["negamax", "leftmost"], {"seed": 1}, num_episodes=2)
    [[1, -1], [1, -1]]
    """
    if isinstance(num_episodes, bool) or not isinstance(num_episodes, int) or num_episodes < 0:
        raise PcgError(f"num_episodes is {num_episodes!r}, expected a whole number of at least 0")
    given: Mapping[str, Any] = configuration or {}
    if isinstance(environment, Environment):
        given = {**environment.configuration, **given}
        environment = NAME
    env = make(environment, given, debug=debug)
    env._players(agents)
    seed = env.configuration.seed
    rewards: list[Rewards] = []
    for number in range(num_episodes):
        if seed is not None:
            env.configuration["seed"] = seed + number
        if steps:
            env = make(environment, env.configuration, steps=steps, debug=debug)
        else:
            env.reset()
        env.run(agents)
        rewards.append([agent.reward for agent in env.state])
        if progress is not None:
            progress(number + 1, num_episodes)
    return rewards


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Results of two agents against each other. `str` gives the lines that the course prints.

    Attributes:
        names: of the agents.
        wins: episodes won by each.
        draws: episodes without a winner or a fault.
        faults: episodes ended by an invalid move, an error or a timeout of each.
    """

    names: tuple[str, str]
    wins: tuple[int, int]
    draws: int
    faults: tuple[int, int]

    @property
    def played(self) -> int:
        """Episodes."""
        return sum(self.wins) + self.draws + sum(self.faults)

    @property
    def percentages(self) -> tuple[float, float]:
        """Shares of the episodes that each has won, 0 to 100."""
        return (100 * self.wins[0] / max(1, self.played), 100 * self.wins[1] / max(1, self.played))

    def interval(self, agent: int) -> tuple[float, float]:
        """The 95 % Wilson interval of an agent's share of wins, 0 to 1."""
        from pcg.evaluators.tournament import wilson

        return wilson(self.wins[agent], self.played)

    def __str__(self) -> str:
        lines = [
            f"agent {k + 1} ({name}): won {self.percentages[k]:g} %, {self.faults[k]} invalid plays"
            for k, name in enumerate(self.names)
        ]
        return "\n".join([*lines, f"drawn: {self.draws} of {self.played}"])


def get_win_percentages(
    agent1: AgentLike,
    agent2: AgentLike,
    n_rounds: int = 100,
    configuration: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcomes:
    """Let two agents play; each begins half of the rounds (the first one the smaller half).

    >>> outcomes = get_win_percentages("onestep", "random", 20, {"seed": 1})
    >>> outcomes.played, outcomes.percentages[0] > 80
    (20, True)
    """
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, int) or n_rounds < 1:
        raise PcgError(f"n_rounds is {n_rounds!r}, expected a whole number of at least 1")
    half = n_rounds // 2
    given = dict(configuration or {})

    def seen(before: int) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, total: progress(before + done, n_rounds)

    results = evaluate(NAME, [agent1, agent2], given, num_episodes=half, progress=seen(0))
    if given.get("seed") is not None:
        given["seed"] += half
    others = evaluate(NAME, [agent2, agent1], given, num_episodes=n_rounds - half, progress=seen(half))
    results += [[b, a] for a, b in others]
    return Outcomes(
        names=(name_of(agent1), name_of(agent2)),
        wins=(results.count([1, -1]), results.count([-1, 1])),
        draws=results.count([0, 0]),
        faults=(results.count([None, 0]), results.count([0, None])),
    )
