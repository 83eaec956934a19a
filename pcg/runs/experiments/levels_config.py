"""The configuration of runs that generate levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pcg.evaluators.metrics.scores import APART
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import LOAD, RunConfig

SECTIONS: Mapping[str, tuple[Parameter, ...]] = {
    "run": (
        Parameter("game", "", "built-in name or file of the game"),
        Parameter(
            "reading", "", "how the game text is read; empty: as `load` decides", choices=("", "strict", "gvgai")
        ),
        Parameter("generator", "portfolio", "name of the level generator"),
        Parameter("want", "", "what levels are to be like, as in enemies=3, symmetry>=0.8"),
        Parameter("count", 10, "levels wanted", 1, 10_000),
        Parameter("seed", 1, "equal seeds give equal levels", 0, 2**63 - 1),
        Parameter(
            "distance",
            APART,
            "levels nearer to each other than this do not both count; less where the game's "
            "own levels are nearer to each other",
            0.0,
            1.0,
        ),
        Parameter(
            "variety",
            1.0,
            "fitness that a level may lack for each unit of distance by which the set of levels becomes more varied, "
            "up to the distance of the game's own levels; 0: the best ones whatever they are like",
            0.0,
            100.0,
        ),
        Parameter("window", 16, "evaluations under way at most, whatever the number of workers", 1, 10_000),
        Parameter("checkpoint", 25, "evaluations between two checkpoints", 1, 1_000_000),
        Parameter(
            "progression", False, "whether the levels are to be a course: easy ones first, one new thing at a time"
        ),
        LOAD,
    ),
    "budget": (
        Parameter("seconds", 0.0, "stop after this time; 0: no limit of time", 0.0, 1e9, "s"),
        Parameter("evaluations", 0, "stop after so many evaluations; 0: no limit", 0, 10**12),
    ),
}
"""The sections of the file whose keys are fixed; `generator` and `evaluation` hold parameters of those."""


@dataclass(frozen=True)
class LevelRun(RunConfig):
    """The configuration of a run that generates levels.

    >>> print(LevelRun("boxes", evaluations=50).to_toml().splitlines()[1])
    game = "boxes"
    """

    kind = "levels"
    sections = SECTIONS

    game: str
    generator: str = "portfolio"
    count: int = 10
    seed: int = 1
    seconds: float = 0.0
    evaluations: int = 0
    reading: str = ""
    want: str = ""
    distance: float = APART
    variety: float = 1.0
    window: int = 16
    checkpoint: int = 25
    progression: bool = False
    load: str = ""
    generator_parameters: Mapping[str, Setting] = field(default_factory=dict)
    evaluation_parameters: Mapping[str, Setting] = field(default_factory=dict)
