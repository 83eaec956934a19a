"""What a run that evolves rules is to do: the configuration, as a dataclass and as a TOML file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import SECTIONS as LEVEL_SECTIONS
from pcg.runs.config import read_sections, read_toml, toml_text

SECTIONS: Mapping[str, tuple[Parameter, ...]] = {
    "run": (
        *(p for p in LEVEL_SECTIONS["run"] if p.name in ("game", "reading")),
        Parameter("generator", "evolve", "name of the rule generator"),
        Parameter("levels", "all", "levels of the game that are played: all, or as in 0-2,4"),
        Parameter("start", "nothing", "what the search begins with: nothing, or the game's own rules",
                  choices=("nothing", "own")),
        Parameter("drop", 0.0, "share of the game's own rules that is taken out before the search begins with them",
                  0.0, 1.0),
        Parameter("count", 10, "games wanted", 1, 10_000),
        Parameter("seed", 1, "equal seeds give equal results", 0, 2**63 - 1),
        Parameter("distance", 0.4, "rule sets nearer to each other than this do not both count", 0.0, 1.0),
        Parameter("window", 16, "evaluations under way at most, whatever the number of workers", 1, 10_000),
        Parameter("checkpoint", 200, "evaluations between two checkpoints", 1, 1_000_000),
        Parameter("confirm", 20, "plays of every agent in each finalist at the end; 0: no such plays", 0, 10_000),
        Parameter("finalists", 20, "best games that are played so; those that hold their order come first", 1, 1000),
    ),
    "budget": LEVEL_SECTIONS["budget"],
}  # fmt: skip
"""The sections of the file whose keys are fixed; `generator` and `evaluation` hold parameters of those."""


@dataclass(frozen=True)
class RulesRun:
    """The configuration of a run that makes rules for the sprites and levels of a game.

    At least one of `seconds` and `evaluations` limits it (0: no limit). With `evaluations` alone the result is the
    same on every machine and with any number of workers.
    """

    game: str
    generator: str = "evolve"
    levels: str = "all"
    start: str = "nothing"
    drop: float = 0.0
    count: int = 10
    seed: int = 1
    seconds: float = 0.0
    evaluations: int = 0
    reading: str = ""
    distance: float = 0.4
    window: int = 16
    checkpoint: int = 200
    confirm: int = 20
    finalists: int = 20
    generator_parameters: Mapping[str, Setting] = field(default_factory=dict)
    evaluation_parameters: Mapping[str, Setting] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for section, parameters in SECTIONS.items():
            for parameter in parameters:
                value = parameter.accept(getattr(self, parameter.name), f"section [{section}]")
                object.__setattr__(self, parameter.name, value)
        if not self.game:
            raise PcgError("the run has no game: expected a built-in name or a file")
        if not self.seconds and not self.evaluations:
            raise PcgError(
                "the run has no budget: expected a time (`seconds`) or a number of evaluations (`evaluations`)"
            )
        if self.drop and self.start != "own":
            raise PcgError(f"drop is {self.drop:g}, but the run does not start with the game's own rules (start=own)")

    def with_budget(self, *, seconds: float | None = None, evaluations: int | None = None) -> RulesRun:
        """The same run with another budget; what is None stays."""
        changes = {"seconds": seconds, "evaluations": evaluations}
        return dataclasses.replace(self, **{k: v for k, v in changes.items() if v is not None})  # type: ignore[arg-type]

    def to_toml(self) -> str:
        """As the text of a configuration file."""
        fixed = [(name, {p.name: getattr(self, p.name) for p in parameters}) for name, parameters in SECTIONS.items()]
        free = [("generator", dict(self.generator_parameters)), ("evaluation", dict(self.evaluation_parameters))]
        return toml_text([*fixed, *free])

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], source: str = "configuration") -> RulesRun:
        """The configuration in the parsed form of a file.

        Raises:
            PcgError: for unknown sections or keys (with the nearest known one) and for bad values.
        """
        fixed = read_sections(data, SECTIONS, ("generator", "evaluation"), source)
        return cls(
            **{"game": "", **fixed},
            generator_parameters=dict(data.get("generator", {})),
            evaluation_parameters=dict(data.get("evaluation", {})),
        )


def read_rules_config(path: Path | str) -> RulesRun:
    """Read the configuration of a run that makes rules.

    Raises:
        PcgError: when it cannot be read, is no TOML, or says something unknown.
    """
    return RulesRun.from_mapping(read_toml(path), str(path))
