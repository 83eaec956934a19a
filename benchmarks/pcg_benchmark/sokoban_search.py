"""Filling a batch of Sokoban levels whose winning plans are unlike each other.

About one pair in three of plans of similar length is too alike, and hardly any where one plan is more than twice as
long: taking what fits ends early, and there is room for more only if long plans, which are rare, are found in numbers.
So levels are bred in compiled code from all that were good, parents for each length of plan and share of pushes, and
kept in an `IndependentSet`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark import sokoban_breeding_kernel
from benchmarks.pcg_benchmark.native_maps import NativeSokoban
from benchmarks.pcg_benchmark.plan_table import LONGEST, PlanTable
from benchmarks.pcg_benchmark.sokoban_kernel import FLOOR
from pcg.engine.kernel.runtime import invoke2
from pcg.integrations.pcg_benchmark.independent_set import IndependentSet

_TRIES = 400
"""Levels bred in one call of the kernel."""
_ROOM = 40_000
"""Levels that are kept."""
_ANY = 1 << 40
_WORK = 120
"""Comparisons of plans for the sake of the set, for each level that was solved."""
_LENGTHS = 4 * 14
"""Kinds of parents by the length of their plans: four for each step of its square root."""
_PUSHES = 5
"""Kinds of parents by the share of pushes in their plans."""
_ALIKE = 8
"""Parents of one kind."""


class SokobanSearch:
    """Search for a batch of contents of one of the Sokoban problems; used as `BatchSearch` is.

    Args:
        environment: of the benchmark, from `pcg_benchmark.make`.
        controls: what each content of the batch shall do, from the problem's control space.
        seed: of everything drawn here; the environment's spaces are seeded with it too.

    Attributes:
        judged: levels that were solved so far.
    """

    def __init__(self, environment: Any, controls: Sequence[Any], seed: int) -> None:
        environment.seed(seed)
        self.problem = environment._problem
        self.controls = list(controls)
        self.rng = np.random.default_rng([seed, 4])
        self.evaluator = NativeSokoban(self.problem)
        self.evaluator.skip_distances()
        self.height, self.width = self.evaluator.height, self.evaluator.width
        count = len(self.controls)
        cells = self.height * self.width
        most = max(1, min((cells - 1) // 2, self.evaluator.most_boxes, self.height + self.width))
        self._obeys = [
            [slot for slot, control in enumerate(self.controls) if self._control(boxes, control) >= 1]
            for boxes in range(most + 1)
        ]
        full = float(self.problem._diversity)
        self._plans, kept = (PlanTable(places, self.evaluator.similarity, full) for places in (count, _ROOM))
        self.set = IndependentSet(count, _ROOM, self._plans, kept, self.rng)
        self._levels = np.zeros((_ROOM, cells), np.int8)
        self._parents = np.zeros((_LENGTHS * _PUSHES * _ALIKE, cells), np.int8)
        self._kinds: dict[tuple[int, int], list[int]] = {}
        self._wanted = np.array([bool(slots) for slots in self._obeys], np.int8)
        self._trial = np.zeros(1, sokoban_breeding_kernel.TRIAL)
        for field, value in (
            ("level", self.evaluator.address), ("plans", self._plans.address), ("height", self.height),
            ("width", self.width), ("parents", self._parents.ctypes.data), ("most_boxes", most),
            ("wanted", self._wanted.ctypes.data), ("least_moves", self._least_moves()), ("limit", _ANY),
            ("longest", LONGEST), ("word", 1 + int(self.rng.integers(2147483645))),
        ):  # fmt: skip
            self._trial[field] = value
        self._address = int(self._trial.ctypes.data)

    @property
    def judged(self) -> int:
        return int(self._trial["tries"][0])

    @property
    def size(self) -> int:
        """Of the set: levels that are unlike each other, each matched with a control."""
        return self.set.size

    def run(
        self,
        *,
        evaluations: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """Search until every control has its level or the budget is spent; see `BatchSearch.run`."""
        end = None if seconds is None else clock() + seconds
        if not self._wanted.any():
            evaluations = 0
        turn = 0
        while self.size < len(self.controls) and (evaluations is None or self.judged < evaluations):
            if end is not None and clock() >= end:
                break
            tries = _TRIES if evaluations is None else min(_TRIES, evaluations - self.judged)
            if invoke2(sokoban_breeding_kernel.explore.address, self._address, tries):
                self._consider()
            while self.set.compared < _WORK * self.judged and self.size < len(self.controls) and self.set.improve():
                pass
            turn += 1
            if progress is not None and turn % 50 == 0:
                progress(self.judged, self.size)
        return self._answers()

    def _consider(self) -> None:
        """Keep the level that the kernel found, and change the set if this serves it."""
        text, level = self.evaluator.text(), self.evaluator.level().ravel()
        if self.set.knows(text.tobytes()):
            return
        self._parent(text)
        obeys = self._obeys[int(self._trial["boxes"][0])]
        row = self.set.offer(text.tobytes(), text, obeys, self._plans.alike)
        if row >= 0:
            self._levels[row] = level

    def _parent(self, text: NDArray[np.int8]) -> None:
        """Let the level have children, perhaps in place of one with as long a plan and as large a share of pushes."""
        pushes = float((text >= 4).mean())
        kind = (int(4 * math.sqrt(len(text))), min(int(_PUSHES * pushes), _PUSHES - 1))
        rows = self._kinds.setdefault(kind, [])
        if len(rows) < _ALIKE:
            rows.append(int(self._trial["parent_count"][0]))
            self._trial["parent_count"] += 1
        self._parents[rows[int(self.rng.integers(len(rows)))]] = self.evaluator.level().ravel()

    # --- what the problem wants ---------------------------------------------------------------------------------------

    def _info(self, boxes: int, moves: int) -> dict[str, Any]:
        return {"players": 1, "crates": boxes, "targets": boxes, "heuristic": 0, "solution": range(moves)}

    def _control(self, boxes: int, control: Any) -> float:
        return float(self.problem.controlability(self._info(boxes, 1), control))

    def _least_moves(self) -> int:
        """The fewest moves of full quality."""
        cells = self.height * self.width
        return next((n for n in range(1, cells * cells) if self.problem.quality(self._info(1, n)) >= 1), cells * cells)

    def _answers(self) -> list[Any]:
        """For each control its level; for those without, one that is kept, any of the set, or an empty one."""
        known = [row for row in self.set.rows.tolist() if row >= 0]
        taken: set[int] = set()
        answers: list[Any] = []
        for slot in range(len(self.controls)):
            row = self.set.held(slot)
            if row < 0:
                row = next((row for row in self.set.waiting(slot) if row not in taken), -1)
                taken.add(row)
            if row < 0 and known:
                row = known[slot % len(known)]
            level = self._levels[row] if row >= 0 else np.full(self.height * self.width, FLOOR, np.int8)
            answers.append(level.reshape(self.height, self.width).astype(int).tolist())
        return answers
