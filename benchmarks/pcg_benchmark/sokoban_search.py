"""Filling a batch of Sokoban levels whose winning plans are unlike each other.

Levels that are pairwise unlike are an independent set of a graph, levels joined when their plans are too alike. About
one pair in three of plans of similar length is, and hardly any where one plan is more than twice as long: taking what
fits ends early, and there is room for more only if long plans, which are rare, are found in numbers. So levels are bred
from all that were good, whether they serve the set or not, and kept. The set is improved as in the local searches for
independent sets (Andrade, Resende and Werneck 2012): two levels take the place of one that alone is in their way; where
no two are found, one takes it, which makes room for others. Each level of the set is matched with a control that it
obeys; matches are changed along augmenting paths.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pcg_benchmark import similarity_kernel, sokoban_breeding_kernel
from benchmarks.pcg_benchmark.native_maps import NativeSokoban, SimilarityRatio
from benchmarks.pcg_benchmark.sokoban_kernel import FLOOR
from pcg.engine.kernel.runtime import invoke2, invoke3

_TRIES = 400
"""Levels bred in one call of the kernel."""
_ROOM = 40_000
"""Levels that are kept."""
_ANY = 1 << 40
_WORK = 120
"""Comparisons of plans for the sake of the set, for each level that was solved."""
_LOOKS = 24
"""Levels that are asked, at most, whether they and another can take the place of one."""
_LONGEST = 190
"""Symbols of a plan that is kept; the benchmark compares plans of 200 symbols otherwise than shorter ones."""
_LENGTHS = 4 * 14
"""Kinds of parents by the length of their plans: four for each step of its square root."""
_PUSHES = 5
"""Kinds of parents by the share of pushes in their plans."""
_ALIKE = 8
"""Parents of one kind."""


class PlanTable:
    """Plans to be unlike, in places that may be empty.

    Attributes:
        alike: for each place, whether the last plan that was compared is too like the one there; shape (places,).
    """

    def __init__(self, places: int, similarity: SimilarityRatio, full: float) -> None:
        self._record = np.zeros(1, similarity_kernel.PLAN_TABLE)
        self._texts = np.zeros((places, _LONGEST), np.int8)
        self.lengths = np.full(places, -1, np.int32)
        self._order = np.arange(places, dtype=np.int32)
        self.alike = np.zeros(places, np.int8)
        self._counts = np.zeros((places, similarity_kernel.SYMBOLS), np.int32)
        self._own = np.zeros(similarity_kernel.SYMBOLS, np.int32)
        pointed: dict[str, NDArray[Any]] = {
            "alike": self.alike,
            "texts": self._texts,
            "lengths": self.lengths,
            "order": self._order,
            "counts": self._counts,
            "own": self._own,
        }
        for name, array in pointed.items():
            self._record[name] = array.ctypes.data
        for name, number in {"pair": similarity.address, "stride": _LONGEST, "places": places, "full": full}.items():
            self._record[name] = number
        self.address = int(self._record.ctypes.data)

    def use(self, places: int) -> None:
        """Look at the first places only; the others are empty."""
        self._record["places"] = places

    def put(self, place: int, text: NDArray[np.int8]) -> None:
        """Let a plan of at most `_LONGEST` symbols take a place."""
        self._texts[place, : len(text)] = text
        self._counts[place] = np.bincount(text, minlength=similarity_kernel.SYMBOLS)
        self.lengths[place] = len(text)

    def clear(self, place: int) -> None:
        """Leave a place empty."""
        self.lengths[place] = -1

    def text(self, place: int) -> NDArray[np.int8]:
        """The plan in a place."""
        return self._texts[place, : self.lengths[place]].copy()

    def meet(self, text: NDArray[np.int8]) -> NDArray[np.int8]:
        """For each place, whether a plan is too like the one there; a view that the next comparison changes."""
        kept = np.ascontiguousarray(text)
        invoke3(similarity_kernel.meet.address, self.address, int(kept.ctypes.data), len(kept))
        return self.alike

    def meet_some(self, text: NDArray[np.int8], places: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """For each of some places that are not empty, whether a plan is too like the one there."""
        kept, some = np.ascontiguousarray(text), np.ascontiguousarray(places, np.int32)
        self._record["some"], self._record["some_count"] = some.ctypes.data, len(some)
        invoke3(similarity_kernel.meet_some.address, self.address, int(kept.ctypes.data), len(kept))
        return self.alike[some]


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
        self.set = PlanTable(count, self.evaluator.similarity, full)
        self.kept = PlanTable(_ROOM, self.evaluator.similarity, full)
        self._used = 0
        self._known: set[bytes] = set()
        self._levels = np.zeros((_ROOM, cells), np.int8)
        self._boxes = np.zeros(_ROOM, np.int64)
        self._rows = np.full(count, -1)  # of those kept, for each place of the set
        self._inside = np.zeros(_ROOM, bool)
        self._alike = np.zeros((_ROOM, count), np.int8)
        self._tight = np.zeros(_ROOM, np.int64)  # sums of these rows: how many of the set are in the way
        self._todo: set[int] = set()  # places of the set that may have become worth two others
        self._compared = 0
        self._holder: list[int] = [-1] * count  # place of the set that each slot is matched with
        self._parents = np.zeros((_LENGTHS * _PUSHES * _ALIKE, cells), np.int8)
        self._kinds: dict[tuple[int, int], list[int]] = {}
        self._wanted = np.array([bool(slots) for slots in self._obeys], np.int8)
        self._trial = np.zeros(1, sokoban_breeding_kernel.TRIAL)
        for field, value in (
            ("level", self.evaluator.address), ("plans", self.set.address), ("height", self.height),
            ("width", self.width), ("parents", self._parents.ctypes.data), ("most_boxes", most),
            ("wanted", self._wanted.ctypes.data), ("least_moves", self._least_moves()), ("limit", _ANY),
            ("longest", _LONGEST), ("word", 1 + int(self.rng.integers(2147483645))),
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
            while self._compared < _WORK * self.judged and self.size < len(self.controls) and self._improve():
                pass
            turn += 1
            if progress is not None and turn % 50 == 0:
                progress(self.judged, self.size)
        return self._answers()

    @property
    def size(self) -> int:
        """Of the set: levels that are unlike each other, each matched with a control."""
        return int((self._rows >= 0).sum())

    # --- one level ----------------------------------------------------------------------------------------------------

    def _consider(self) -> None:
        """Keep the level that the kernel found, and change the set if this serves it."""
        text = self.evaluator.text()
        if text.tobytes() in self._known:
            return
        self._parent(text)
        row = self._keep(text)
        if row < 0:
            return
        if self._tight[row] == 0:
            self._insert(row)
        elif self._tight[row] == 1:
            self._two_for_one(row)

    def _keep(self, text: NDArray[np.int8]) -> int:
        """Its row: a free one, or that of a level that more of the set are in the way of; -1 if there is none."""
        tight = int(self.set.alike.sum())
        row = self._used
        if row < _ROOM:
            self._used += 1
            self.kept.use(self._used)
        else:
            row = int(np.where(self._inside, -1, self._tight).argmax())
            if self._tight[row] <= tight:
                return -1
            self._known.discard(self.kept.text(row).tobytes())
        self._known.add(text.tobytes())
        self.kept.put(row, text)
        self._levels[row] = self.evaluator.level().ravel()
        self._boxes[row] = int(self._trial["boxes"][0])
        self._alike[row] = self.set.alike
        self._tight[row] = tight
        return row

    def _insert(self, row: int) -> bool:
        """Let a level that is unlike the set join it, if there is a control for it."""
        empty = np.flatnonzero(self._rows < 0)
        if not len(empty) or not self._match(int(empty[0]), int(self._boxes[row])):
            return False
        place = int(empty[0])
        text = self.kept.text(row)
        self.set.put(place, text)
        self._column(place, self.kept.meet(text)[: self._used])
        self._compared += self._used
        self._rows[place] = row
        self._inside[row] = True
        self._todo.add(place)
        return True

    def _column(self, place: int, alike: NDArray[np.int8] | int) -> None:
        tight, column = self._tight[: self._used], self._alike[: self._used, place]
        tight -= column
        column[:] = alike
        tight += column

    def _remove(self, place: int) -> None:
        self._inside[self._rows[place]] = False
        self._rows[place] = -1
        self.set.clear(place)
        self._column(place, 0)
        self._holder = [-1 if held == place else held for held in self._holder]
        self._todo.discard(place)

    # --- the set ------------------------------------------------------------------------------------------------------

    def _waiting(self, place: int) -> NDArray[np.int64]:
        """Levels that only the one in a place is in the way of."""
        used = self._used
        return np.flatnonzero((self._tight[:used] == 1) & (self._alike[:used, place] == 1) & ~self._inside[:used])

    def _improve(self) -> bool:
        """Look whether two can take the place of one, or else let one take it; whether anything was left to do."""
        if self._todo:
            place = self._todo.pop()
            waiting = self._waiting(place)
            self._compared += 1
            for row in self.rng.permutation(waiting)[:_LOOKS].tolist():
                if self._two_for_one(row):
                    break
            return True
        waiting = np.flatnonzero((self._tight[: self._used] == 1) & ~self._inside[: self._used])
        if not len(waiting):
            return False
        row = int(waiting[int(self.rng.integers(len(waiting)))])
        self._compared += 1
        self._exchange(int(self._alike[row].argmax()), (row,))
        return True

    def _two_for_one(self, row: int) -> bool:
        """Let a level and another one that is unlike it take the place of the one that is in the way of both."""
        place = int(self._alike[row].argmax())
        others = self._waiting(place)
        others = others[others != row]
        if not len(others):
            return False
        alike = self.kept.meet_some(self.kept.text(row), others)
        self._compared += len(others)
        free = others[alike == 0]
        return bool(len(free)) and self._exchange(place, (row, int(free[int(self.rng.integers(len(free)))])))

    def _exchange(self, place: int, rows: tuple[int, ...]) -> bool:
        """Let levels take the place of one; all as it was if there are no controls for them."""
        before, old, column = list(self._holder), int(self._rows[place]), self._alike[: self._used, place].copy()
        self._remove(place)
        joined: list[int] = []
        for row in rows:
            if not self._insert(row):
                break
            joined.append(row)
        if len(joined) < len(rows):
            for row in joined:
                self._remove(int(np.flatnonzero(self._rows == row)[0]))
            self._rows[place] = old
            self._inside[old] = True
            self.set.put(place, self.kept.text(old))
            self._column(place, column)
            self._holder = before
            return False
        freed = np.flatnonzero((column == 1) & (self._tight[: self._used] == 1) & ~self._inside[: self._used])
        self._todo.update(np.unique(self._alike[freed].argmax(axis=1)).tolist())
        self._fill()
        return True

    def _fill(self) -> None:
        """Let levels that are unlike the set join it."""
        tried: set[int] = set()
        while self.size < len(self.controls):
            free = np.flatnonzero((self._tight[: self._used] == 0) & ~self._inside[: self._used])
            free = np.array([row for row in free.tolist() if row not in tried])
            if not len(free):
                return
            row = int(free[int(self.rng.integers(len(free)))])
            tried.add(row)
            self._insert(row)

    def _parent(self, text: NDArray[np.int8]) -> None:
        """Let the level have children, perhaps in place of one with as long a plan and as large a share of pushes."""
        pushes = float((text >= 4).mean())
        kind = (int(4 * math.sqrt(len(text))), min(int(_PUSHES * pushes), _PUSHES - 1))
        rows = self._kinds.setdefault(kind, [])
        if len(rows) < _ALIKE:
            rows.append(int(self._trial["parent_count"][0]))
            self._trial["parent_count"] += 1
        self._parents[rows[int(self.rng.integers(len(rows)))]] = self.evaluator.level().ravel()

    def _match(self, place: int, boxes: int) -> bool:
        """Match a place with a control by an augmenting path (Berge 1957); places of others may change theirs."""
        asked: set[int] = set()

        def find(who: int, number: int) -> bool:
            for slot in self._obeys[number]:
                if slot in asked:
                    continue
                asked.add(slot)
                holder = self._holder[slot]
                if holder < 0 or find(holder, int(self._boxes[self._rows[holder]])):
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
        """For each control its level; for those without, one of the pool, any of the set, or an empty one."""
        known = [row for row in self._rows.tolist() if row >= 0]
        waiting = [
            row for row in np.argsort(self._tight[: self._used], kind="stable").tolist() if not self._inside[row]
        ]
        answers: list[Any] = []
        for slot, place in enumerate(self._holder):
            if place >= 0:
                row = int(self._rows[place])
            else:
                row = next((row for row in waiting if slot in self._obeys[int(self._boxes[row])]), -1)
                if row >= 0:
                    waiting.remove(row)
                elif known:
                    row = known[slot % len(known)]
            level = self._levels[row] if row >= 0 else np.full(self.height * self.width, FLOOR, np.int8)
            answers.append(level.reshape(self.height, self.width).astype(int).tolist())
        return answers
