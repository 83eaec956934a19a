"""The configuration of runs that make rules for the sprites and levels of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import LOAD, RunConfig
from pcg.runs.experiments.levels_config import SECTIONS as LEVEL_SECTIONS

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
        Parameter("finalists", 20, "best games that are played so: by the judge, of four times as many", 1, 1000),
        Parameter("make_levels", 3, "levels made for the rules of each game, on which it is judged and with which it "
                                    "is kept; 0: the levels of the sprites", 0, 20),
        Parameter("finish", 1, "games that are kept get round points and a course of levels (with judge=1): 1 or 0",
                  0, 1),
        Parameter("dress", 1, "sprites of finished games get names and colours after their roles: 1 or 0", 0, 1),
        Parameter("judge", 1, "finalists are judged as by `pcg judge`, and ranked by that: 1 or 0", 0, 1),
        LOAD,
    ),
    "budget": LEVEL_SECTIONS["budget"],
}  # fmt: skip
"""The sections of the file whose keys are fixed; `generator` and `evaluation` hold parameters of those."""


@dataclass(frozen=True)
class RulesRun(RunConfig):
    """The configuration of a run that makes rules for the sprites and levels of a game."""

    kind = "rules"
    sections = SECTIONS

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
    make_levels: int = 3
    finish: int = 1
    dress: int = 1
    judge: int = 1
    load: str = ""
    generator_parameters: Mapping[str, Setting] = field(default_factory=dict)
    evaluation_parameters: Mapping[str, Setting] = field(default_factory=dict)

    def _check(self) -> None:
        super()._check()
        if self.drop and self.start != "own":
            raise PcgError(f"drop is {self.drop:g}, but the run does not start with the game's own rules (start=own)")
