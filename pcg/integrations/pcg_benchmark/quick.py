"""Which problems have a compiled twin, and asking it instead of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pcg.integrations.pcg_benchmark.adventures import MOST_CELLS, DaveTwin, DungeonTwin
from pcg.integrations.pcg_benchmark.twins import BinaryTwin, SokobanTwin, ZeldaTwin

Twin = BinaryTwin | DaveTwin | DungeonTwin | SokobanTwin | ZeldaTwin
TWINS: Mapping[str, Callable[[Any], Twin]] = {
    "binary": BinaryTwin,
    "ddave": DaveTwin,
    "mdungeons": DungeonTwin,
    "sokoban": SokobanTwin,
    "zelda": ZeldaTwin,
}
"""Family of problems (the first part of its name) -> its twin."""


class _WithTwin:
    """A problem whose slow questions are answered by its twin."""

    def __init__(self, problem: Any, twin: Twin) -> None:
        self.info, self.diversity = twin.info, twin.diversity
        self.quality, self.controlability = problem.quality, problem.controlability


def quick(name: str, problem: Any) -> Any:
    """The problem itself, or what answers its four questions with the help of a twin where there is one."""
    twin = TWINS.get(name.partition("-")[0])
    if twin is None or (twin in (DaveTwin, DungeonTwin) and np.size(problem._content_space.sample()) > MOST_CELLS):
        return problem
    return _WithTwin(problem, twin(problem))
