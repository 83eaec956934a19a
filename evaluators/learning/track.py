"""Rules and runner of the learning track: a limited time to learn on some levels, then plays on others.

In 2017 an entry had five minutes per game to learn on three levels, and played each of the other two ten times; in 2018
two levels were public and three secret, there were three games, and a decision might take 100 ms instead of 40 (Perez
Liebana et al., General Video Game Artificial Intelligence, 2019, chapter 2, section 4). Learners see observations of
the environments and never simulate. Steps instead of minutes make a run reproducible.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy.typing as npt

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents.base import Budget
from pcg.evaluators.tournament.ratings import wilson
from pcg.evaluators.tournament.rules import DISQUALIFIED, NO_WINNER, WON, Rules, settle

if TYPE_CHECKING:
    from pcg.engine.envs import VectorEnv
    from pcg.engine.game import Game


@dataclass(frozen=True)
class LearningTrack:
    """Rules of a learning track.

    Args:
        training: numbers of the levels that may be learned on.
        test: numbers of the levels that are played afterwards.
        seconds: of wall time for learning one game.
        steps: ticks of training plays instead, all plays together; the same learner then learns the same everywhere.
        plays: of each test level, each with another seed.
        decision_ms: processor time per decision in the test; late actions count as in tournaments. Not measured where
            learning is counted in steps.
        max_ticks: of a play.
        parallel: training plays side by side.

    >>> CIG2017
    <learning track: 300 s on levels 0, 1, 2, then 10 plays on each of 3, 4 at 40 ms>
    """

    training: tuple[int, ...] = (0, 1, 2)
    test: tuple[int, ...] = (3, 4)
    seconds: float | None = 300.0
    steps: int | None = None
    plays: int = 10
    decision_ms: float = 40.0
    max_ticks: int = 2000
    parallel: int = 32

    def __post_init__(self) -> None:
        if (self.seconds is None) == (self.steps is None):
            raise PcgError("a learning track lasts for seconds or for steps, one of the two")
        if min(self.seconds or 1, self.steps or 1, self.plays, self.max_ticks, self.parallel) <= 0:
            raise PcgError("a learning track needs more than 0 seconds or steps, plays, ticks and parallel plays")
        if not self.training or not self.test or set(self.training) & set(self.test):
            raise PcgError(
                f"levels {self.training} to learn on and {self.test} to play: expected some of each, and others"
            )

    def __repr__(self) -> str:
        length = f"{self.seconds:g} s" if self.seconds is not None else f"{self.steps:,} steps"
        names = (", ".join(map(str, levels)) for levels in (self.training, self.test))
        on, then = names
        return (
            f"<learning track: {length} on levels {on}, then {self.plays} plays on each of {then}"
            f" at {self.decision_ms:g} ms>"
        )


CIG2017 = LearningTrack()
"""The track of 2017."""
GYM2018 = LearningTrack(training=(0, 1), test=(2, 3, 4), decision_ms=100.0)
"""The track of 2018, of which the text does not say how long entries may learn: five minutes here too."""


class Clock:
    """Remaining time to learn: seconds of wall time, or ticks of training plays.

    >>> clock = Clock(steps=10)
    >>> clock.spend(4); clock.share, clock.over
    (0.4, False)
    """

    def __init__(self, *, seconds: float | None = None, steps: int | None = None) -> None:
        self.seconds, self.steps = seconds, steps
        self.spent = 0
        """Ticks of training plays so far."""
        self._started = time.monotonic()

    def spend(self, steps: int) -> None:
        """Count ticks of training plays."""
        self.spent += steps

    @property
    def share(self) -> float:
        """Share of the time that has passed; 1 and more when it is over."""
        if self.steps is not None:
            return self.spent / self.steps
        return (time.monotonic() - self._started) / (self.seconds or math.inf)

    @property
    def over(self) -> bool:
        """True when the time is up."""
        return self.share >= 1


class Learner(ABC):
    """An entry of the learning track: learns on training plays, then acts on what it is shown.

    Args:
        seed: of its randomness.
    """

    observation: ClassVar[str] = "planes"
    """The observation that it wants, see `docs/environments.md`."""

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    @abstractmethod
    def learn(self, plays: VectorEnv, clock: Clock) -> None:
        """Learn by playing until the clock is over.

        Args:
            plays: training plays on random training levels, not reset yet; they restart in the step in which they end
                (SAME_STEP), and rewards hold `win_bonus` for wins and losses.
            clock: has to be told of every tick of every play (`spend`).
        """

    @abstractmethod
    def act(self, observation: Any, mask: npt.NDArray[Any]) -> int:
        """Return the index of the action to play in a test.

        Args:
            observation: of one play.
            mask: bool (actions,): what the avatar can do.
        """

    def result(self, won: bool, score: float) -> None:  # noqa: B027 - optional
        """Take note of the end of a test play. Optional."""


@dataclass(frozen=True)
class TrackPlay:
    """A test play: level, seed, outcome (as `evaluators.tournament.rules` has them), score, ticks, late actions."""

    level: int
    seed: int
    outcome: int
    score: float
    ticks: int
    late: int = 0


@dataclass(frozen=True)
class TrackResult:
    """Result of a learner in one game.

    Attributes:
        game: its name.
        plays: the test plays.
        steps: ticks of training plays.
        seconds: of wall time that learning took.
    """

    game: str
    plays: tuple[TrackPlay, ...]
    steps: int
    seconds: float = field(compare=False)

    @property
    def wins(self) -> int:
        """Test plays won."""
        return sum(play.outcome == WON for play in self.plays)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the share of test plays won."""
        return wilson(self.wins, len(self.plays))

    @property
    def score(self) -> float:
        """Mean score of the test plays."""
        return math.fsum(play.score for play in self.plays) / max(1, len(self.plays))


WIN_BONUS = 100.0
"""Reward of a win in training plays, and with the other sign of a loss, beside the score."""


def run_track(game: Game, learner: Learner, track: LearningTrack = CIG2017, *, seed: int = 1) -> TrackResult:
    """Let a learner learn a game, and play.

    Args:
        game: for one player, with the levels of the track.
        learner: a new one; it keeps what it learned.
        track: the rules.
        seed: of the first training play; test plays have seeds from seed + 1,000,000 on, which no training play has.

    Raises:
        PcgError: a level that does not exist, or a game for several players.

    >>> import pcg
    >>> from pcg.evaluators.learning import LinearSarsa
    >>> short = LearningTrack(seconds=None, steps=2000, plays=1, max_ticks=50)
    >>> result = run_track(pcg.load("boxes"), LinearSarsa(seed=1), short)
    >>> len(result.plays), result.steps
    (2, 2016)
    """
    from pcg.engine.envs import VectorEnv

    if game.players != 1:
        raise PcgError(f"{game.name} is for {game.players} players; the learning track is for one")
    missing = [k for k in (*track.training, *track.test) if k >= len(game.levels)]
    if missing:
        raise PcgError(f"{game.name} has no level {missing[0]}, only 0 to {len(game.levels) - 1}")
    training = VectorEnv(
        game, track.parallel, list(track.training), observation=learner.observation, autoreset_mode="SameStep",
        max_ticks=track.max_ticks, win_bonus=WIN_BONUS,
    )  # fmt: skip
    training.reset(seed=seed)
    clock = Clock(seconds=track.seconds, steps=track.steps)
    started = time.monotonic()
    learner.learn(training, clock)
    seconds = time.monotonic() - started
    training.close()
    budget = Budget(milliseconds=track.decision_ms) if track.steps is None else Budget(calls=1)
    rules = Rules(budget, max_ticks=track.max_ticks)
    plays: list[TrackPlay] = []
    for level in track.test:
        plays += _test(game, learner, level, range(seed + 1_000_000, seed + 1_000_000 + track.plays), rules)
    return TrackResult(game.name, tuple(plays), clock.spent, seconds)


def _test(game: Game, learner: Learner, level: int, seeds: Sequence[int], rules: Rules) -> list[TrackPlay]:
    """Play the test plays of one level."""
    from pcg.engine.envs import Env

    found = []
    env = Env(game, level, observation=learner.observation, max_ticks=rules.max_ticks)
    for seed in seeds:
        observation, info = env.reset(seed=seed)
        ended, late, ticks, fouled = False, 0, 0, False
        while not ended and not fouled:
            before = time.thread_time()
            action = learner.act(observation, info["action_mask"])
            verdict = rules.judge(1000 * (time.thread_time() - before))
            late += verdict == "late"
            fouled = verdict == "overtime"
            if not fouled:
                observation, _, terminated, truncated, info = env.step(0 if verdict == "late" else action)
                ended = terminated or truncated
                ticks += 1
        won = DISQUALIFIED if fouled else int(info["winner"]) if terminated_by(info) else NO_WINNER
        outcome, score = settle(won, float(info["score"]))
        learner.result(outcome == WON, score)
        found.append(TrackPlay(level, seed, outcome, score, ticks, late))
    env.close()
    return found


def terminated_by(info: dict[str, Any]) -> bool:
    """Return True when a play has a winner or a loser."""
    return int(info["winner"]) in (0, 1)
