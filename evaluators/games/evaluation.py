"""The verdict on one game: what an evaluation hands to a generator of rules and to the log of a run.

Plain data that goes to JSON and back unchanged. How it is arrived at is in `evaluator`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from pcg.evaluators.evaluation import decode_play

CONSTRAINTS: Mapping[str, str] = {
    "size": "the game has not too many rules and types",
    "check": "the game and its levels give no warning, and there is one avatar",
    "goal": "some termination can be won",
    "sense": "what wins can come about and is no scenery, and neither dying nor bumping pays",
    "sprites": "the sprites do not multiply beyond the bound",
    "work": "no tick and no play does too much",
    "idle": "doing nothing does not win",
    "start": "a player who does nothing is not lost in the first moments",
    "playable": "a random player plays for a while",
    "chance": "a random player wins at most 30 % of its plays",
    "places": "movers and the avatar stay inside the map and out of walls",
    "winnable": "two levels can be won, or the only one, and not by the avatar's death",
    "length": "in most levels a win takes some time",
    "rules": "every rule is executed in somebody's play",
    "score": "where rules change the score it is no constant, stays in range, and is not best for doing nothing",
    "resistance": "a danger that moves ends a play, or anything one of who looks ahead, or what is pushed counts",
}
"""The constraints by name; all values lie in [0, 1] and 1 means kept.

A constraint that is not kept has as its value: of `size`, `start`, `playable`, `length`, `rules` and `places` the share
that is as asked for; of `check` 1 / (1 + warnings); of `sprites` and `work` how long the shortest such play lasted; of
`idle` the share of the plays that doing nothing does not win; of `chance` 1 for as many wins as are allowed, 0 for
all; of `winnable` how near the nearest play came: 0.6 of the way to a goal, and 0.3 for not being lost, more where one
level of two can be won; of `score` and `resistance` 0.5 or 0; of `goal` and `sense` 0.
"""

RANDOM_WINS = 0.3
"""Share of its plays that a random player may win; no game with more is ever kept."""
RULED_OUT = 0.2
"""Share of 40 plays up to which a true share of more than `RANDOM_WINS` can be ruled out (binomial, 11 %)."""

STAGES = ("check", "complete", "confirmed")
"""Stages that an evaluation can reach, beside the agents of the ladder: only the rules were looked at; everything was
measured; everything was measured by `GameEvaluator.confirm`."""


@dataclass(frozen=True, slots=True)
class RecordedPlay:
    """One play, to be seen again: `game.start(level, seed)` and then `actions`."""

    agent: str
    level: int
    """Index into the evaluator's levels."""
    seed: int
    won: bool
    score: float
    play: str = field(repr=False)
    """One letter per tick; see `pcg.evaluators.evaluation.encode_play`."""

    @property
    def actions(self) -> list[str]:
        """The play as action names."""
        return decode_play(self.play)


@dataclass(frozen=True, slots=True)
class AgentPerformance:
    """The performance of one agent of the ladder in a game, over `plays` plays."""

    agent: str
    plays: int
    wins: int
    losses: int
    performance: float
    """Mean value of a play, in (0, 1): nine tenths the outcome, one tenth the score (reference/generators 12.8)."""
    low: float
    high: float
    """Bounds of its 90 % interval."""
    score: float
    """Mean."""
    ticks: float
    """Mean."""
    rules: tuple[int, ...] = field(default=(), repr=False)
    """Indices into `GameDefinition.effects` of what was executed in any of its plays."""


@dataclass(frozen=True)
class GameEvaluation:
    """The evaluation of a game.

    A `feasible` game has every entry of `constraints` at 1 and a `fitness` in [0, 1]; the others have fitness 0 and are
    ranked by `constraint`, the mean of `constraints`, in which what was not looked at any more counts as 0. `stage` is
    the last thing that was done: a name of `STAGES`, or the agent of the ladder that played last. `reason`
    says in one line why the evaluation ended before its end, or why the game is not feasible; "" for feasible games.
    """

    feasible: bool
    fitness: float
    constraint: float
    constraints: Mapping[str, float]
    reason: str
    stage: str
    profile: tuple[AgentPerformance, ...]
    """The agents that played, weakest first."""
    metrics: Mapping[str, float] = field(repr=False)
    behaviour: tuple[float, ...] = field(default=(), repr=False)
    """The behaviour descriptor, in [0, 1] by the names of `behaviour.names`: for novelty and for archives."""
    mechanics: tuple[str, ...] = field(default=(), repr=False)
    """The rules that took effect in somebody's play, named as in `pcg.evaluators.mechanics`."""
    best: RecordedPlay | None = field(default=None, repr=False)
    """A winning play of the strongest agent that wins; without a win the best play of the strongest that played."""
    weak: RecordedPlay | None = field(default=None, repr=False)
    """The worst play of a weak agent, one that acts."""
    unused: tuple[int, ...] = ()
    """Indices into `GameDefinition.effects` of the rules that no play executed, once all agents have played."""
    calls: int = 0
    """Forward-model calls and ticks of all plays."""
    work: int = 0
    """Their work, in executions of effects."""
    levels: tuple[str, ...] = field(default=(), repr=False)
    """The levels that were made for the game and on which it was judged; empty where those given were used."""

    @classmethod
    def unreadable(cls, reason: str) -> GameEvaluation:
        """The verdict on rules of which no game can be made."""
        return cls(False, 0.0, 0.0, dict.fromkeys(CONSTRAINTS, 0.0), reason, "check", (), {})

    @property
    def ordered(self) -> bool:
        """True when every agent performs strictly better than the one before it."""
        return len(self.profile) > 1 and all(a.performance < b.performance for a, b in pairwise(self.profile))

    @property
    def separated(self) -> bool:
        """True when the 90 % intervals of the weakest and the strongest agent do not overlap, the strongest above."""
        return len(self.profile) > 1 and self.profile[0].high < self.profile[-1].low

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            **{name: getattr(self, name) for name in self.__dataclass_fields__},
            "constraints": dict(self.constraints),
            "metrics": dict(self.metrics),
            "profile": [{**asdict(p), "rules": list(p.rules)} for p in self.profile],
            "behaviour": list(self.behaviour),
            "mechanics": list(self.mechanics),
            "unused": list(self.unused),
            "levels": list(self.levels),
            "best": asdict(self.best) if self.best is not None else None,
            "weak": asdict(self.weak) if self.weak is not None else None,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameEvaluation:
        """The inverse of `to_json`; other keys of `data` are ignored."""
        values = {name: data[name] for name in cls.__dataclass_fields__ if name != "levels"}
        values["levels"] = tuple(data.get("levels", ()))
        values["profile"] = tuple(AgentPerformance(**{**p, "rules": tuple(p["rules"])}) for p in data["profile"])
        values["behaviour"] = tuple(data["behaviour"])
        values["mechanics"] = tuple(data["mechanics"])
        values["unused"] = tuple(data["unused"])
        for name in ("best", "weak"):
            values[name] = RecordedPlay(**data[name]) if data[name] is not None else None
        return cls(**values)
