"""The configuration of a run of interactive evolution, as a dataclass and as a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import read_sections, read_toml, toml_text
from pcg.runs.experiments.levels_config import SECTIONS as LEVEL_SECTIONS

SECTIONS: Mapping[str, tuple[Parameter, ...]] = {
    "run": (
        *(p for p in LEVEL_SECTIONS["run"] if p.name in ("game", "reading", "want", "seed")),
        Parameter("population", 8, "levels that are shown at a time", 4, 24),
        Parameter("elites", 2, "best liked levels that stay for the next generation", 0, 12),
        Parameter("litter", 4, "children bred for each one that is shown", 1, 50),
        Parameter("fresh", 0.15, "share of the shown that are new rather than bred", 0.0, 1.0),
        Parameter("crossover", 0.6, "share of children with two parents", 0.0, 1.0),
        Parameter("edits", 4, "most mutations of a child", 1, 50),
        Parameter("distance", 0.03, "levels nearer to each other than this are not shown together", 0.0, 1.0),
        Parameter("boldness", 0.5, "how much what is not known yet of the preference speaks for a child", 0.0, 5.0),
    ),
}
"""The section of the file whose keys are fixed; `generator` and `evaluation` hold parameters of those."""
FREE = ("generator", "evaluation")


@dataclass(frozen=True)
class BreedingRun:
    """The configuration of a run; fields are the keys of `SECTIONS`.

    Raises:
        PcgError: for values out of range.
    """

    game: str
    reading: str = ""
    want: str = ""
    seed: int = 1
    population: int = 8
    elites: int = 2
    litter: int = 4
    fresh: float = 0.15
    crossover: float = 0.6
    edits: int = 4
    distance: float = 0.03
    boldness: float = 0.5
    generator_parameters: Mapping[str, Setting] = field(default_factory=dict)
    evaluation_parameters: Mapping[str, Setting] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for section, parameters in SECTIONS.items():
            for parameter in parameters:
                value = parameter.accept(getattr(self, parameter.name), f"section [{section}]")
                object.__setattr__(self, parameter.name, value)
        if not self.game:
            raise PcgError("the run has no game: expected a built-in name or a file")
        if self.elites >= self.population:
            raise PcgError(
                f"section [run]: elites = {self.elites}, expected less than population, which is {self.population}"
            )

    def to_toml(self) -> str:
        """As the text of a configuration file."""
        fixed = [(name, {p.name: getattr(self, p.name) for p in ps}) for name, ps in SECTIONS.items()]
        return toml_text([*fixed, *((name, dict(getattr(self, f"{name}_parameters"))) for name in FREE)])

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], source: str = "configuration") -> BreedingRun:
        """The configuration in the parsed form of a file.

        Raises:
            PcgError: for unknown sections or keys (with the nearest known one) and for bad values.
        """
        fixed = read_sections(data, SECTIONS, FREE, source)
        return cls(**{"game": "", **fixed, **{f"{name}_parameters": dict(data.get(name, {})) for name in FREE}})


def read_breeding(path: Path | str) -> BreedingRun:
    """Read a configuration file.

    Raises:
        PcgError: when it cannot be read, is no TOML, or says something unknown.
    """
    return BreedingRun.from_mapping(read_toml(path), str(path))
