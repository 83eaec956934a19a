"""The configuration of runs that tune a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pcg.evaluators.parameters import Parameter, Setting, resolve
from pcg.generators.tuning.plays import PLAY_PARAMETERS
from pcg.runs.config import LOAD, RunConfig
from pcg.runs.experiments.levels_config import SECTIONS as LEVEL_SECTIONS

SECTIONS: Mapping[str, tuple[Parameter, ...]] = {
    "run": (
        *(p for p in LEVEL_SECTIONS["run"] if p.name in ("game", "reading")),
        Parameter(
            "params", "", "parameters and their values, with blanks between, as in sprite.bat.speed=0.2..1.0:0.1"
        ),
        Parameter("target", "", "what the game is to be like, as in win_rate:mcts=0.5; several with ; between"),
        Parameter("optimiser", "ntbea", "name of the optimiser"),
        Parameter("levels", "all", "levels that are played: all, or as in 0-2,4"),
        Parameter("seed", 1, "equal seeds give equal results", 0, 2**63 - 1),
        Parameter("window", 4, "evaluations under way at most, whatever the number of workers", 1, 10_000),
        Parameter("checkpoint", 25, "evaluations between two checkpoints", 1, 1_000_000),
        Parameter("finalists", 16, "best settings that are played again, with other seeds, at the end", 1, 1000),
        Parameter("confirm", 60, "plays of each agent in the last round of that; 0: no such plays", 0, 1_000_000),
        LOAD,
    ),
    "budget": LEVEL_SECTIONS["budget"],
}
"""The sections of the file whose keys are fixed; `optimiser` holds parameters of that, `evaluation` how to play."""


@dataclass(frozen=True)
class TuningRun(RunConfig):
    """The configuration of a run that tunes a game."""

    kind = "tuning"
    sections = SECTIONS
    free = ("optimiser", "evaluation")

    game: str
    params: str = ""
    target: str = ""
    optimiser: str = "ntbea"
    levels: str = "all"
    seed: int = 1
    seconds: float = 0.0
    evaluations: int = 0
    reading: str = ""
    window: int = 4
    checkpoint: int = 25
    finalists: int = 16
    confirm: int = 60
    load: str = ""
    optimiser_parameters: Mapping[str, Setting] = field(default_factory=dict)
    evaluation_parameters: Mapping[str, Setting] = field(default_factory=dict)

    def _check(self) -> None:
        accepted = resolve(PLAY_PARAMETERS, self.evaluation_parameters, "section [evaluation]")
        object.__setattr__(self, "evaluation_parameters", accepted)
        super()._check()
