"""The ways to complete a level: the constructive tools, the generators that can complete, and the repair of drafts.

A generator takes part by having a method `complete(grid, locked, rng) -> grid`, as those that learn from a game's
levels do. What is not there for a game, or needs a library that is not installed, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.targets import Target
from pcg.generators.levels import GENERATORS, LevelContext
from pcg.generators.levels.constructive_completion import complete
from pcg.generators.levels.repair.completion import complete as complete_draft

Method = Callable[
    [LevelContext, str, NDArray[np.bool_], np.random.Generator, Sequence[Target], int],
    Sequence[str],
]
"""Context, level text, locked cells, random numbers, wants, how many levels -> up to so many levels."""

OPEN = "?"
"""Stands for a cell to be filled in, in the drafts that the repair reads."""
SECONDS = 6.0
"""Seconds that a solver may take for one suggestion."""


@dataclass(frozen=True)
class Completer:
    """One way to complete a level."""

    help: str
    method: Method


def completers(context: LevelContext) -> Mapping[str, Completer]:
    """The ways there are for a game, by name. The first, `constructive`, works for every game and never fails."""
    found = {"constructive": Completer("laid out and furnished around the locked cells", complete)}
    for name in GENERATORS:
        try:
            kind: Any = GENERATORS[name]
            if not hasattr(kind, "complete"):
                continue
            kind(context, seed=0)  # refuses games that it can do nothing for, those without levels say
        except (ImportError, PcgError):
            continue
        found[name] = Completer(str(kind.help), _by_generator(kind))
    found["solver"] = Completer("keeps every constraint that can be written down", _by_draft(everything=True))
    found["repair"] = Completer("keeps what is drawn where it can, locked or not", _by_draft(everything=False))
    return found


def _by_generator(kind: Any) -> Method:
    """Completions by a generator that has a method for it."""

    def method(
        context: LevelContext, level: str, locked: NDArray[np.bool_], rng: np.random.Generator,
        wants: Sequence[Target], count: int,
    ) -> Sequence[str]:  # fmt: skip
        generator = kind(context, seed=0)
        grid = context.palette.parse(level)
        made = [context.palette.text(generator.complete(grid, locked, rng)) for _ in range(count)]
        return list(dict.fromkeys(made))

    return method


def _by_draft(*, everything: bool) -> Method:
    """Completions by the repair: with `everything` that is not locked left open, else kept where it can be."""

    def method(
        context: LevelContext, level: str, locked: NDArray[np.bool_], rng: np.random.Generator,
        wants: Sequence[Target], count: int,
    ) -> Sequence[str]:  # fmt: skip
        rows = level.split("\n")
        if everything:
            rows = ["".join(c if on else OPEN for c, on in zip(row, held, strict=True))
                    for row, held in zip(rows, locked, strict=True)]  # fmt: skip
        return complete_draft(context, "\n".join(rows), locked, rng, wants, count=count, seconds=SECONDS)

    return method
