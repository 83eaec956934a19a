"""The table of native evaluators by family of problems, and searches that ask them instead of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.pcg_benchmark.native_adventures import MOST_CELLS, NativeDave, NativeMiniDungeons
from benchmarks.pcg_benchmark.native_arcade import NativeArcade
from benchmarks.pcg_benchmark.native_buildings import NativeBuilding
from benchmarks.pcg_benchmark.native_bullets import NativeTalakat
from benchmarks.pcg_benchmark.native_isaac import NativeIsaac
from benchmarks.pcg_benchmark.native_maps import NativeBinary, NativeSokoban, NativeZelda
from pcg.integrations.pcg_benchmark import BatchSearch

NativeEvaluator = (
    NativeArcade
    | NativeBinary
    | NativeBuilding
    | NativeDave
    | NativeIsaac
    | NativeMiniDungeons
    | NativeSokoban
    | NativeTalakat
    | NativeZelda
)
NATIVE_EVALUATORS: Mapping[str, Callable[[Any], NativeEvaluator]] = {
    "arcade": NativeArcade,
    "binary": NativeBinary,
    "building": NativeBuilding,
    "ddave": NativeDave,
    "isaac": NativeIsaac,
    "mdungeons": NativeMiniDungeons,
    "sokoban": NativeSokoban,
    "talakat": NativeTalakat,
    "zelda": NativeZelda,
}
"""Family of problems (the first part of its name) -> its native evaluator."""


class _NativeProblem:
    """A problem whose slow questions are answered by its native evaluator.

    These are `info` and `diversity`, for some `quality`, and for buildings `controlability` too.
    """

    def __init__(self, problem: Any, evaluator: NativeEvaluator) -> None:
        self.info, self.diversity = evaluator.info, evaluator.diversity
        self.quality = getattr(evaluator, "quality", problem.quality)
        self.controlability = getattr(evaluator, "controlability", problem.controlability)
        self.table = getattr(evaluator, "table", None)
        self.info_of_leaves = getattr(evaluator, "info_of_leaves", None)


def native_problem(name: str, problem: Any) -> Any:
    """Return a problem with its native evaluator, or the problem itself where there is none.

    Mini Dungeons and Danger Dave of more than `MOST_CELLS` cells have none.
    """
    kind = NATIVE_EVALUATORS.get(name.partition("-")[0])
    if kind is None or (
        kind in (NativeDave, NativeMiniDungeons) and np.size(problem._content_space.sample()) > MOST_CELLS
    ):
        return problem
    return _NativeProblem(problem, kind(problem))


def native_search(environment: Any, controls: Sequence[Any], seed: int) -> BatchSearch:
    """Return the search for a batch with native evaluators; to be given to `solve_problem(search=...)`."""
    return BatchSearch(environment, controls, seed, problem=native_problem(environment._name, environment._problem))
