"""The verdict on one level: what an evaluation hands to a generator and to the log of a run.

Plain data that goes to JSON and back unchanged. How it is arrived at is in `fitness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pcg.evaluators.judging.judgement import Part
from pcg.evaluators.mechanics import MECHANIC

STAGES: tuple[str, ...] = ("static", "idle", "capable", "complete")
"""Stages that an evaluation can reach: only the text was looked at; doing nothing was played; a capable agent played;
everything was measured."""

LETTERS: Mapping[str, str] = {
    "NIL": ".", "UP": "U", "LEFT": "L", "DOWN": "D", "RIGHT": "R", "USE": "X", "ESCAPE": "E",
}  # fmt: skip
"""Action name -> the letter it has in a play written as one string."""
_NAMES = {letter: name for name, letter in LETTERS.items()}


def encode_play(actions: Iterable[str]) -> str:
    """Action names as one letter each.

    >>> encode_play(["RIGHT", "NIL", "USE"])
    'R.X'
    """
    return "".join(LETTERS[a] for a in actions)


def decode_play(play: str) -> list[str]:
    """The action names of a play written by `encode_play`."""
    return [_NAMES[letter] for letter in play]


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of a level.

    `feasible` levels have every entry of `constraints` at 1 and a `fitness` in [0, 1]; the others have fitness 0 and
    are ranked by `constraint`, the mean of `constraints`. `metrics` holds what could be measured, by the names of
    `pcg.evaluators.metrics.METRICS`; values of targeted sprites are there too. `play` is the winning play of agent
    `winner` started with `seed`, and `mechanics` names the rules that take effect in it. `targets` says how nearly each
    target is met, in [0, 1], 1 for achieved; in JSON, and so in files of runs, it is called `wants`. `parts` are those
    of the judgement of a feasible level, each with a sentence.
    """

    feasible: bool
    fitness: float
    constraint: float
    constraints: Mapping[str, float]
    metrics: Mapping[str, float]
    stage: str
    winner: str = ""
    seed: int = 0
    play: str = field(default="", repr=False)
    targets: Mapping[str, float] = field(default_factory=dict)
    mechanics: tuple[str, ...] = field(default=(), repr=False)
    parts: tuple[Part, ...] = field(default=(), repr=False)

    def measure(self, name: str) -> float | None:
        """A metric, or whether a mechanic takes effect in the winning play (1 or 0); None for what is not known."""
        if name.startswith(MECHANIC):
            return float(name in self.mechanics) if self.winner else None
        return self.metrics.get(name)

    @property
    def actions(self) -> list[str]:
        """The winning play as action names."""
        return decode_play(self.play)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "feasible": self.feasible,
            "fitness": self.fitness,
            "constraint": self.constraint,
            "constraints": dict(self.constraints),
            "metrics": dict(self.metrics),
            "stage": self.stage,
            "winner": self.winner,
            "seed": self.seed,
            "play": self.play,
            "wants": dict(self.targets),
            "mechanics": list(self.mechanics),
            "parts": parts_to_json(self.parts),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evaluation:
        """The inverse of `to_json`; other keys of `data` are ignored, and logs of old may lack the last three."""
        names = {name: "wants" if name == "targets" else name for name in cls.__dataclass_fields__}
        old: dict[str, Any] = {"targets": {}, "mechanics": (), "parts": {}}
        values = {name: data[key] if name not in old else data.get(key, old[name]) for name, key in names.items()}
        values |= {"mechanics": tuple(values["mechanics"]), "parts": parts_from_json(values["parts"])}
        return cls(**values)


def parts_to_json(parts: Iterable[Part]) -> dict[str, dict[str, Any]]:
    """Return the parts of a judgement as a JSON object by name, as `Judgement.as_dict` has them."""
    return {p.name: {"value": p.value, "weight": p.weight, "sentence": p.sentence} for p in parts}


def parts_from_json(data: Mapping[str, Mapping[str, Any]]) -> tuple[Part, ...]:
    """The inverse of `parts_to_json`, in the judge's order; the sources are known by the names."""
    from pcg.evaluators.judging.level_parts import SOURCES, in_order  # metrics of sets of levels import this module

    return tuple(
        Part(name, float(p["value"]), str(p["sentence"]), float(p["weight"]), SOURCES.get(name, ""))
        for name, p in in_order(data).items()
    )
