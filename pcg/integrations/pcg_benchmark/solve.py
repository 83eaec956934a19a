"""Our search on a problem of the PCG Benchmark, and the benchmark's three scores of what came out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.integrations.pcg_benchmark.package import make_environment
from pcg.integrations.pcg_benchmark.search import BatchSearch

_DRAWS = 100
"""Tries to draw a control."""


@dataclass(frozen=True)
class ProblemResult:
    """Scores of a batch, as the benchmark gives them.

    Attributes:
        problem: its name.
        quality: share of contents that pass.
        diversity: share of contents that are unlike the others.
        controllability: share of contents that do what their control asks.
        judged: contents that the benchmark was asked about during the search.
        seconds: on the clock, of the search without the final scoring.
        contents: the batch, in the problem's content space.
        controls: one for each content.
    """

    problem: str
    quality: float
    diversity: float
    controllability: float
    judged: int
    seconds: float
    contents: list[Any] = field(repr=False)
    controls: list[Any] = field(repr=False)


def solve_problem(
    name: str,
    *,
    count: int = 100,
    seed: int = 1,
    evaluations: int | None = 20_000,
    seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[int, int], None] | None = None,
    search: Callable[[Any, list[Any], int], Any] = BatchSearch,
) -> ProblemResult:
    """Make a batch of contents for a problem, each for a control drawn from the problem's control space.

    Args:
        name: of the problem, as in ``"zelda-v0"``.
        count: contents wanted.
        seed: of the controls and of the search.
        evaluations: contents that the benchmark may judge.
        seconds: on the clock; given, the result depends on the machine.
        clock: `time.process_time` counts processor time instead of wall time.
        progress: called now and then with the numbers of judged contents and of finished ones.
        search: called with the environment, the controls and the seed, makes something with the
            method `run` and the attribute `judged` of `BatchSearch`.

    Raises:
        PcgError: when the benchmark is not installed, does not know the problem, or a number is out of range.

    >>> solve_problem("zelda-v0", count=5, evaluations=2000).quality  # doctest: +SKIP
    1.0
    """
    if count < 1:
        raise PcgError(f"count is {count}, expected at least 1")
    if seed < 0:
        raise PcgError(f"seed is {seed}, expected at least 0")
    if evaluations is not None and evaluations < 1:
        raise PcgError(f"evaluations is {evaluations}, expected at least 1 or None")
    if seconds is not None and not seconds > 0:
        raise PcgError(f"seconds is {seconds}, expected more than 0 or None")
    if evaluations is None and seconds is None:
        raise PcgError("neither evaluations nor seconds is given, expected at least one of the two")
    environment = make_environment(name)
    environment.seed(seed)
    controls = [_control(environment) for _ in range(count)]
    searching = search(environment, controls, seed)
    started = clock()
    contents = searching.run(evaluations=evaluations, seconds=seconds, clock=clock, progress=progress)
    spent = clock() - started
    quality, diversity, controllability, _, _ = environment.evaluate(contents, controls)
    return ProblemResult(
        name, float(quality), float(diversity), float(controllability), searching.judged, spent, contents, controls
    )


def _control(environment: Any) -> Any:
    """Draw a control; `building` divides by the sum of what it draws, and fails when that is 0."""
    for _ in range(_DRAWS):
        try:
            return environment.control_space.sample()
        except (ArithmeticError, ValueError):
            continue
    raise PcgError(f"the problem `{environment._name}` could not draw a control in {_DRAWS} tries")
