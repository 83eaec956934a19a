"""The configuration of runs that make whole games."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.parameters import Parameter, Setting
from pcg.runs.config import RunConfig
from pcg.runs.experiments.rules_config import SECTIONS as RULES_SECTIONS

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
        dataclasses.replace(_SHARED["make_levels"], default=0,
                            help="levels made for each game, on which it is judged and with which it is kept; its own "
                                 "levels then only say how large they are and how much is in them; 0: its own levels"),
        *(_SHARED[name] for name in (
            "window", "checkpoint", "confirm", "finalists", "finish", "dress", "judge", "load",
        )),
    ),
    "budget": RULES_SECTIONS["budget"],
}  # fmt: skip
"""The sections of the file whose keys are fixed; `generator` and `evaluation` hold parameters of those."""


@dataclass(frozen=True)
class GamesRun(RunConfig):
    """The configuration of a run that makes games out of games."""

    kind = "games"
    sections = SECTIONS
    subject = "games"

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
    make_levels: int = 0
    finish: int = 1
    dress: int = 1
    judge: int = 1
    load: str = ""
    generator_parameters: Mapping[str, Setting] = field(default_factory=dict)
    evaluation_parameters: Mapping[str, Setting] = field(default_factory=dict)

    def _check(self) -> None:
        if not self.sources:
            raise PcgError("the run has no game to begin with: expected built-in names or files")
        if self.make_levels and self.max_edits:
            raise PcgError(
                f"max_edits is {self.max_edits} and counts rows of levels, but make_levels is {self.make_levels}: "
                "expected one of them to be 0"
            )

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the games to begin with, one by one."""
        try:
            return tuple(shlex.split(self.games))
        except ValueError as error:
            raise PcgError(f"games `{self.games}`: {error}, expected names with blanks between them") from None
