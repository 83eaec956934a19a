"""What a run that makes whole games is to do: the configuration, as a dataclass and as a TOML file."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import read_sections, read_toml, toml_text
from pcg.runs.rules_config import SECTIONS as RULES_SECTIONS

_SHARED = {p.name: p for p in RULES_SECTIONS["run"]}
SECTIONS: Mapping[str, tuple[Parameter, ...]] = {
    "run": (
        Parameter("games", "", "games to begin with: built-in names or files, with blanks between them, quoted as in a "
                               "shell where they have blanks themselves"),
        _SHARED["reading"],
        Parameter("generator", "evolve", "name of the generator of games"),
        Parameter("levels", "all", "levels of each game that are taken: all, or as in 0-2,4"),
        Parameter("max_edits", 0, "most lines in which a game may differ from the nearest of those to begin with; "
                                  "0: no bound", 0, 100_000),
        _SHARED["count"],
        _SHARED["seed"],
        dataclasses.replace(_SHARED["distance"], default=0.15,
                            help="games nearer to each other than this do not both count"),
        *(_SHARED[name] for name in ("window", "checkpoint", "confirm", "finalists")),
    ),
    "budget": RULES_SECTIONS["budget"],
}  # fmt: skip
"""The sections of the file whose keys are fixed; `generator` and `evaluation` hold parameters of those."""


@dataclass(frozen=True)
class GamesRun:
    """The configuration of a run that makes games out of games.

    At least one of `seconds` and `evaluations` limits it (0: no limit). With `evaluations` alone the result is the
    same on every machine and with any number of workers.
    """

    games: str
    generator: str = "evolve"
    levels: str = "all"
    max_edits: int = 0
    count: int = 10
    seed: int = 1
    seconds: float = 0.0
    evaluations: int = 0
    reading: str = ""
    distance: float = 0.15
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
        if not self.sources:
            raise PcgError("the run has no game to begin with: expected built-in names or files")
        if not self.seconds and not self.evaluations:
            raise PcgError(
                "the run has no budget: expected a time (`seconds`) or a number of evaluations (`evaluations`)"
            )

    @property
    def sources(self) -> tuple[str, ...]:
        """The games to begin with, one by one."""
        try:
            return tuple(shlex.split(self.games))
        except ValueError as error:
            raise PcgError(f"games `{self.games}`: {error}, expected names with blanks between them") from None

    def with_budget(self, *, seconds: float | None = None, evaluations: int | None = None) -> GamesRun:
        """The same run with another budget; what is None stays."""
        changes = {"seconds": seconds, "evaluations": evaluations}
        return dataclasses.replace(self, **{k: v for k, v in changes.items() if v is not None})  # type: ignore[arg-type]

    def to_toml(self) -> str:
        """As the text of a configuration file."""
        fixed = [(name, {p.name: getattr(self, p.name) for p in parameters}) for name, parameters in SECTIONS.items()]
        free = [("generator", dict(self.generator_parameters)), ("evaluation", dict(self.evaluation_parameters))]
        return toml_text([*fixed, *free])

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], source: str = "configuration") -> GamesRun:
        """The configuration in the parsed form of a file.

        Raises:
            PcgError: for unknown sections or keys (with the nearest known one) and for bad values.
        """
        fixed = read_sections(data, SECTIONS, ("generator", "evaluation"), source)
        return cls(
            **{"games": "", **fixed},
            generator_parameters=dict(data.get("generator", {})),
            evaluation_parameters=dict(data.get("evaluation", {})),
        )


def read_games_config(path: Path | str) -> GamesRun:
    """Read the configuration of a run that makes games.

    Raises:
        PcgError: when it cannot be read, is no TOML, or says something unknown.
    """
    return GamesRun.from_mapping(read_toml(path), str(path))
