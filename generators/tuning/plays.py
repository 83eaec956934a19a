"""Plays of one game of a space: who plays, how often, with which seeds, and what is kept of each play.

Play k of every agent has the same level and seed, so that all agents have the same luck and differences between them
are seen sooner. Another `sample` of the same game has other seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import Budget, make_agent, play
from pcg.evaluators.agents.registry import ATTENDED, read_agent
from pcg.evaluators.metrics.profile import play_value
from pcg.evaluators.parameters import Parameter

PLAY_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("plays", 8, "plays of each agent in one evaluation, in turn on the levels", 1, 10_000),
    Parameter("budget", 100, "forward-model calls per decision, for agents that name no budget", 1, 1_000_000, "calls"),
    Parameter("max_ticks", 500, "plays end here", 1, 100_000, "ticks"),
)
"""Parameters of playing."""


@dataclass(frozen=True, slots=True)
class PlayRecord:
    """Record of one play.

    Attributes:
        level: number of the level.
        seed: of the game's randomness.
        outcome: 1 won, 0 lost, -1 undecided, as `Outcome` has them.
        score: at the end.
        ticks: played.
    """

    level: int
    seed: int
    outcome: int
    score: float
    ticks: int

    @property
    def won(self) -> bool:
        """True if the agent won."""
        return self.outcome == 1

    @property
    def value(self) -> float:
        """In (0, 1): mostly the outcome, a little the score; see `play_value`."""
        return play_value(self.outcome == 1, self.outcome != -1, self.score)

    def to_json(self) -> list[float]:
        """As a JSON array."""
        return [self.level, self.seed, self.outcome, self.score, self.ticks]

    @classmethod
    def from_json(cls, data: Sequence[float]) -> PlayRecord:
        """The inverse of `to_json`."""
        level, seed, outcome, score, ticks = data
        return cls(int(level), int(seed), int(outcome), float(score), int(ticks))


Plays = Mapping[str, Sequence[PlayRecord]]
"""The plays of each agent; play k of all agents has the same level and seed."""


def check_agent(text: str) -> str:
    """The name of an agent that can be asked the same twice.

    Raises:
        PcgError: for an unknown agent, bad parameters, one that needs a person, or a budget of time.
    """
    name = read_agent(text)
    if name.name in ATTENDED:
        raise PcgError(f"agent `{text}` needs a person at the keyboard and cannot be used to tune a game")
    if name.budget is not None and Budget.read(name.budget).milliseconds is not None:
        raise PcgError(f"agent `{text}`: results of a budget of time cannot be repeated; expected calls (budget=100)")
    make_agent(text)
    return text


def play_seed(seed: int, sample: int, k: int) -> int:
    """Seed of the k-th play in a sample; the same for all games of a run."""
    return int(np.random.SeedSequence([seed, sample, k]).generate_state(1)[0] >> 1)


def play_games(
    game: Game,
    agents: Sequence[str],
    levels: Sequence[int],
    *,
    plays: int,
    seed: int,
    sample: int,
    budget: int,
    max_ticks: int,
) -> dict[str, list[PlayRecord]]:
    """Let agents play a game.

    Args:
        game: with one player.
        agents: names with parameters.
        levels: numbers of the levels, played in turn.
        plays: of each agent.
        seed: of the run.
        sample: another number gives other plays.
        budget: forward-model calls per decision, of agents whose name says no budget.
        max_ticks: plays end here.

    Raises:
        PcgError: when the game cannot be played.
    """
    found: dict[str, list[PlayRecord]] = {}
    for agent in agents:
        own = read_agent(agent).budget is not None
        records = []
        for k in range(plays):
            one, level = play_seed(seed, sample, k), levels[k % len(levels)]
            player = make_agent(agent, seed=one, budget=None if own else budget)
            done = play(game.start(level, seed=one), player, max_ticks=max_ticks)
            records.append(PlayRecord(level, one, int(done.winner), float(done.score), done.ticks))
        found[agent] = records
    return found
