"""Wave function collapse: levels in which every small window is one of the game's own levels'.

Gumin: WaveFunctionCollapse (2016); Karth and Smith: WaveFunctionCollapse is constraint solving in the wild (FDG 2017).
Contradictions are taken back, then attempts start afresh, then smaller patterns serve; single tiles that may stand
anywhere always come to an end. What the rules call for is seen to by repair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.evaluators.level_grid import Grid, Mask
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.examples import DRAWS, SYMMETRY, ExampleGenerator, mirrored, symmetry_of
from pcg.generators.levels.wfc.patterns import Patterns, learn
from pcg.generators.levels.wfc.solve import solve


class WaveFunctionCollapseGenerator(ExampleGenerator):
    """Patterns of the game's own levels, put together anew."""

    name = "wfc"
    help = "wave function collapse over the game's own levels, repaired"
    papers = (
        "Gumin: WaveFunctionCollapse (2016)",
        "Karth, Smith: WaveFunctionCollapse is constraint solving in the wild (FDG 2017)",
        "Mohr, Henderson: Arc and path consistency revisited (Artificial Intelligence 28, 1986)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        SYMMETRY,
        DRAWS,
        Parameter("model", "overlapping", "windows that overlap, or single tiles with their neighbours",
                  choices=("overlapping", "tiled")),
        Parameter("size", 2, "side of the overlapping windows", 2, 4, "cells"),
        Parameter("patience", 200, "decisions taken back before starting afresh", 0, 100000),
        Parameter("restarts", 4, "attempts before patterns get smaller", 1, 1000),
    )  # fmt: skip

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        super().__init__(context, seed=seed, targets=targets, **params)
        self._learnt: dict[tuple[int, bool], Patterns] = {}

    def fill(self, partial: Grid, locked: Mask, rng: np.random.Generator) -> Grid:
        """A level all of whose windows occur in the examples, as far as its locked cells allow that."""
        largest = self.integer("size") if self.settings["model"] == "overlapping" else 1
        avatars = self.context.palette.avatars
        for size, loose in [*((n, False) for n in range(largest, 0, -1)), (1, True)]:
            patterns = self._patterns(size, loose, partial, locked)
            found = solve(
                patterns, partial, locked, frozenset(avatars), rng,
                restarts=self.integer("restarts"), patience=self.integer("patience"),
            )  # fmt: skip
            if found is not None:
                return found
        return np.where(locked, partial, self.context.palette.empty).astype(np.int16)

    def _patterns(self, size: int, loose: bool, partial: Grid, locked: Mask) -> Patterns:
        """The patterns of the examples; those of what is locked are added, so that a drawing need not be like them."""
        if not locked.any():
            key = (size, loose)
            if key not in self._learnt:
                self._learnt[key] = learn(self._examples(), size, len(self.context.palette.tiles), loose=loose)
            return self._learnt[key]
        return learn(
            self._examples(), size, len(self.context.palette.tiles), [(partial, locked)], loose=loose,
        )  # fmt: skip

    def _examples(self) -> list[Grid]:
        return mirrored(self.context.examples, symmetry_of(self.context, str(self.settings["symmetry"])))
