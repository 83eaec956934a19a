"""Filling a batch of Sokoban levels whose winning plans are unlike each other.

Levels that are pairwise unlike are an independent set of a graph, levels joined when their plans are too alike. About
one pair in three is, so that taking what fits ends early; the set is therefore improved as in the local searches for
independent sets (Andrade, Resende and Werneck 2012): a level that clashes with exactly one of the set takes its place
when it clashes with less of what is found anyway, which makes room for others. Each level of the set is matched with a
control that it obeys; matches are changed along augmenting paths.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke2
from pcg.integrations.pcg_benchmark import boxes_kernel, likeness_kernel
from pcg.integrations.pcg_benchmark.sokoban_kernel import FLOOR
from pcg.integrations.pcg_benchmark.twins import Likeness, SokobanTwin

_TRIES = 400
"""Levels bred in one call of the kernel."""
_LEARN = 16
"""Every so many levels found, one becomes a parent however much it is like others."""
_EASY = 0.35
"""Ratio of two plans up to which they are not alike at all."""
_ALIKE = 8
"""Parents of one kind."""
_LENGTHS = 32
"""Kinds of parents by the length of their plans, four for each doubling."""
_LONGEST = 190
"""Symbols of a plan that is kept."""
_WARMTH = 3.0
"""How much more a level may be like the others than the one whose place it takes, on average."""


class Crowd:
    """Plans to be unlike, in places that may be empty."""

    def __init__(self, places: int, likeness: Likeness, full: float) -> None:
        self._record = np.zeros(1, likeness_kernel.CROWD)
        self._texts = np.zeros((places, _LONGEST), np.int8)
        self._lengths = np.full(places, -1, np.int32)
        self._order = np.arange(places, dtype=np.int32)
        self.weights = np.zeros(places, np.int32)
        pointed: dict[str, NDArray[Any]] = {
            "weights": self.weights,
            "texts": self._texts,
            "lengths": self._lengths,
            "order": self._order,
        }
        for name, array in pointed.items():
            self._record[name] = array.ctypes.data
        numbers = {"easy": _EASY, "pair": likeness.address, "stride": _LONGEST, "places": places, "full": full}
        for name, number in numbers.items():
            self._record[name] = number
        self.address = int(self._record.ctypes.data)

    def put(self, place: int, text: NDArray[np.int8]) -> None:
        """Let a plan of at most `_LONGEST` symbols take a place."""
        self._texts[place, : len(text)] = text
        self._lengths[place] = len(text)


class BoxSearch:
    """Search for a batch of contents of one of the Sokoban problems; used as `BatchSearch` is.

    Args:
        environment: of the benchmark, from `pcg_benchmark.make`.
        name: of the problem.
        controls: what each content of the batch shall do, from the problem's control space.
        seed: of everything drawn here; the environment's spaces are seeded with it too.

    Attributes:
        judged: levels that were solved so far.
    """

    def __init__(self, environment: Any, name: str, controls: Sequence[Any], seed: int) -> None:
        environment.seed(seed)
        self.problem = environment._problem
        self.controls = list(controls)
        self.rng = np.random.default_rng([seed, 4])
        self.twin = SokobanTwin(self.problem)
        self.twin.skip_distances()
        self.height, self.width = self.twin.height, self.twin.width
        count = len(self.controls)
        cells = self.height * self.width
        most = max(1, min((cells - 1) // 2, self.twin.most_boxes, self.height + self.width))
        self._obeys = [
            [slot for slot, control in enumerate(self.controls) if self._control(boxes, control) >= 1]
            for boxes in range(most + 1)
        ]
        full = float(self.problem._diversity)
        self.crowd = Crowd(count, self.twin.likeness, full)
        self._levels: list[NDArray[np.int8] | None] = [None] * count
        self._boxes = np.zeros(count, np.int64)
        self._weights = np.zeros((count, count), np.int64)
        self._degree = np.zeros(count, np.int64)
        self._limit = 1 << 40
        self._holder: list[int] = [-1] * count  # place of the crowd that each slot is matched with
        self._parents = np.zeros((_LENGTHS * 5 * _ALIKE, cells), np.int8)
        self._kinds: dict[tuple[int, int], list[int]] = {}
        self._wanted = np.array([bool(slots) for slots in self._obeys], np.int8)
        self._trial = np.zeros(1, boxes_kernel.TRIAL)
        for field, value in (
            ("level", self.twin.address), ("crowd", self.crowd.address), ("height", self.height),
            ("width", self.width), ("parents", self._parents.ctypes.data), ("most_boxes", most),
            ("wanted", self._wanted.ctypes.data), ("least_moves", self._least_moves()), ("limit", 1 << 40),
            ("word", 1 + int(self.rng.integers(2147483645))),
        ):  # fmt: skip
            self._trial[field] = value
        self._address = int(self._trial.ctypes.data)

    @property
    def judged(self) -> int:
        return int(self._trial["tries"][0])

    def run(
        self,
        *,
        evaluations: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """Search until every control has its level or the budget is spent; see `BatchSearch.run`."""
        end = None if seconds is None else time.monotonic() + seconds
        if not self._wanted.any():
            evaluations = 0
        turn = 0
        while self._unsettled and (evaluations is None or self.judged < evaluations):
            if end is not None and time.monotonic() >= end:
                break
            tries = _TRIES if evaluations is None else min(_TRIES, evaluations - self.judged)
            learning = turn % _LEARN == 0
            self._trial["limit"] = 1 << 40 if learning else self._limit
            if invoke2(boxes_kernel.explore.address, self._address, tries):
                self._consider()
                if learning:
                    self._parent()
            turn += 1
            if progress is not None and turn % 50 == 0:
                progress(self.judged, len(self.controls) - self._unsettled)
        return self._answers()

    @property
    def _unsettled(self) -> int:
        """Controls without a level, and levels that are too like another one."""
        return len(self.controls) - int(
            (((self._weights >= likeness_kernel.CLASH).sum(axis=0) == 0) & (self._boxes > 0)).sum()
        )

    # --- one level ----------------------------------------------------------------------------------------------------

    def _consider(self) -> None:
        """Let the level that the kernel found take the place of one that is more like the others, or an empty one."""
        text = self.twin.text()
        if len(text) > _LONGEST:
            return
        boxes = int(self._trial["boxes"][0])
        weights = self.crowd.weights.astype(np.int64)
        empty = np.flatnonzero(self._boxes == 0)
        if len(empty) and self._match(int(empty[0]), boxes):
            self._settle(int(empty[0]), text, boxes, weights)
            return
        gain = self._degree + weights - int(weights.sum())
        gain[self._boxes == 0] = -1 << 40
        worst = -_WARMTH * self.rng.exponential()
        for place in np.argsort(-gain, kind="stable")[:8].tolist():
            if gain[place] < worst:
                return
            before = list(self._holder)
            self._holder = [-1 if held == place else held for held in self._holder]
            if self._match(place, boxes):
                self._settle(place, text, boxes, weights)
                return
            self._holder = before

    def _settle(self, place: int, text: NDArray[np.int8], boxes: int, weights: NDArray[np.int64]) -> None:
        self.crowd.put(place, text)
        self._levels[place], self._boxes[place] = self.twin.level(), boxes
        self._weights[place] = self._weights[:, place] = weights
        self._weights[place, place] = 0
        self._degree = self._weights.sum(axis=0)
        room = self._boxes == 0
        self._limit = 1 << 40 if room.any() else int(self._degree.max()) + likeness_kernel.CLASH
        self._parent()

    def _parent(self) -> None:
        """Let the level have children, perhaps in place of one whose plan is as long with as large a share of pushes.

        Long plans are rare among the children of others, and few are like them.
        """
        text = self.twin.text()
        pushes = float((text >= 4).mean())
        kind = (min(int(4 * np.log2(len(text))), _LENGTHS - 1), int(4.999 * pushes))
        rows = self._kinds.setdefault(kind, [])
        if len(rows) < _ALIKE:
            rows.append(int(self._trial["parent_count"][0]))
            self._trial["parent_count"] += 1
        self._parents[rows[int(self.rng.integers(len(rows)))]] = self.twin.level().ravel()

    def _match(self, place: int, boxes: int) -> bool:
        """Match a place with a control by an augmenting path (Berge 1957); places of others may change theirs."""
        asked: set[int] = set()

        def find(who: int, number: int) -> bool:
            for slot in self._obeys[number]:
                if slot in asked:
                    continue
                asked.add(slot)
                holder = self._holder[slot]
                if holder < 0 or find(holder, self._boxes[holder]):
                    self._holder[slot] = who
                    return True
            return False

        return find(place, boxes)

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
        """For each control its level; for those without, any level of the set, or an empty one."""
        known = [level for level in self._levels if level is not None]
        empty = np.full((self.height, self.width), FLOOR, np.int8)
        answers: list[Any] = []
        for slot, place in enumerate(self._holder):
            level = self._levels[place] if place >= 0 else None
            if level is None:
                level = known[slot % len(known)] if known else empty
            answers.append(level.astype(int).tolist())
        return answers
