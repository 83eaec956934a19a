"""Filling a batch of Sokoban levels whose winning plans are unlike each other.

Levels that are pairwise unlike are an independent set of a graph, levels joined when their plans are too alike. About
one pair in three is, so that taking what fits ends early; the set is therefore improved as in the local searches for
independent sets (Andrade, Resende and Werneck 2012). Levels that are too like only one or two of the set wait in a
pool. One of them takes the place of the only one in its way when another of the pool can then join too, or, now and
then, when it is too like fewer of the pool, which makes room for others. Each level of the set is matched with a
control that it obeys; matches are changed along augmenting paths.

What the set lacks are unusual levels, so most of the time goes into breeding: parents are kept for each length of plan
and share of pushes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.kernel.runtime import invoke2, invoke3
from pcg.integrations.pcg_benchmark import boxes_kernel, likeness_kernel
from pcg.integrations.pcg_benchmark.sokoban_kernel import FLOOR
from pcg.integrations.pcg_benchmark.twins import Likeness, SokobanTwin

_TRIES = 400
"""Levels bred in one call of the kernel."""
_POOL = 1500
"""Levels in the pool, those of the set among them; four for each control if that is more."""
_CLOSE = 2
"""How many of the set a level may be too like to wait."""
_LONGEST = 190
"""Symbols of a plan that is kept; the benchmark compares plans of 200 symbols otherwise than shorter ones."""
_WARMTH = 4.0
"""How many more of the pool a level may be too like than the one whose place it takes, on average."""
_LENGTHS = 4 * 14
"""Kinds of parents by the length of their plans: four for each step of its square root."""
_PUSHES = 5
"""Kinds of parents by the share of pushes in their plans."""
_ALIKE = 8
"""Parents of one kind."""


class Crowd:
    """Plans to be unlike, in places that may be empty.

    Attributes:
        alike: for each place, whether the last plan that was compared is too like the one there; shape (places,).
    """

    def __init__(self, places: int, likeness: Likeness, full: float) -> None:
        self._record = np.zeros(1, likeness_kernel.CROWD)
        self._texts = np.zeros((places, _LONGEST), np.int8)
        self.lengths = np.full(places, -1, np.int32)
        self._order = np.arange(places, dtype=np.int32)
        self.alike = np.zeros(places, np.int8)
        pointed: dict[str, NDArray[Any]] = {
            "alike": self.alike,
            "texts": self._texts,
            "lengths": self.lengths,
            "order": self._order,
        }
        for name, array in pointed.items():
            self._record[name] = array.ctypes.data
        for name, number in {"pair": likeness.address, "stride": _LONGEST, "places": places, "full": full}.items():
            self._record[name] = number
        self.address = int(self._record.ctypes.data)

    def put(self, place: int, text: NDArray[np.int8]) -> None:
        """Let a plan of at most `_LONGEST` symbols take a place."""
        self._texts[place, : len(text)] = text
        self.lengths[place] = len(text)

    def clear(self, place: int) -> None:
        """Leave a place empty."""
        self.lengths[place] = -1

    def text(self, place: int) -> NDArray[np.int8]:
        """The plan in a place."""
        return self._texts[place, : self.lengths[place]].copy()

    def meet(self, text: NDArray[np.int8]) -> NDArray[np.int8]:
        """For each place, whether a plan is too like the one there."""
        kept = np.ascontiguousarray(text)
        invoke3(likeness_kernel.meet.address, self.address, int(kept.ctypes.data), len(kept))
        return self.alike.copy()


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
        self.set = Crowd(count, self.twin.likeness, full)
        size = max(_POOL, 4 * count)
        self.pool = Crowd(size, self.twin.likeness, full)
        self._levels = np.zeros((size, cells), np.int8)
        self._boxes = np.zeros(size, np.int64)
        self._rows = np.full(count, -1)  # of the pool, for each place of the set
        self._inside = np.zeros(size, bool)
        self._alike = np.zeros((size, count), np.int8)
        self._holder: list[int] = [-1] * count  # place of the set that each slot is matched with
        self._parents = np.zeros((_LENGTHS * _PUSHES * _ALIKE, cells), np.int8)
        self._kinds: dict[tuple[int, int], list[int]] = {}
        self._wanted = np.array([bool(slots) for slots in self._obeys], np.int8)
        self._trial = np.zeros(1, boxes_kernel.TRIAL)
        for field, value in (
            ("level", self.twin.address), ("crowd", self.set.address), ("height", self.height),
            ("width", self.width), ("parents", self._parents.ctypes.data), ("most_boxes", most),
            ("wanted", self._wanted.ctypes.data), ("least_moves", self._least_moves()), ("limit", _CLOSE),
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
            if invoke2(boxes_kernel.explore.address, self._address, tries):
                self._consider()
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
        """Let the level that the kernel found wait in the pool, and change the set if this serves it."""
        self._parent()
        row = self._admit()
        if self.pool.lengths.min() >= 0:
            waiting = np.where(self._inside, 0, self._alike.sum(axis=1))
            self._trial["limit"] = min(_CLOSE, max(1, int(waiting.max())))
        alike = int(self._alike[row].sum())
        if alike == 0:
            self._insert(row)
        elif alike == 1:
            self._swap(row)

    def _admit(self) -> int:
        """Put the level into the pool, in place of one that is too like at least as many of the set."""
        alike = self.set.alike.copy()
        free = np.flatnonzero(self.pool.lengths < 0)
        if len(free):
            row = int(free[0])
        else:
            close = np.where(self._inside, -1, self._alike.sum(axis=1))
            worst = np.flatnonzero(close == close.max())
            row = int(worst[int(self.rng.integers(len(worst)))])
        self.pool.put(row, self.twin.text())
        self._levels[row] = self.twin.level().ravel()
        self._boxes[row] = int(self._trial["boxes"][0])
        self._alike[row] = alike
        return row

    def _insert(self, row: int, alike: NDArray[np.int8] | None = None) -> bool:
        """Let a level that is unlike the set join it, if there is a control for it."""
        empty = np.flatnonzero(self._rows < 0)
        if not len(empty) or not self._match(int(empty[0]), int(self._boxes[row])):
            return False
        place = int(empty[0])
        text = self.pool.text(row)
        self.set.put(place, text)
        self._alike[:, place] = self.pool.meet(text) if alike is None else alike
        self._rows[place] = row
        self._inside[row] = True
        return True

    def _remove(self, place: int) -> None:
        self._inside[self._rows[place]] = False
        self._rows[place] = -1
        self.set.clear(place)
        self._alike[:, place] = 0
        self._holder = [-1 if held == place else held for held in self._holder]

    def _swap(self, row: int) -> None:
        """Let a level take the place of the only one that it is too like.

        Two may take it where another one of the pool stood back for that one alone. Without this the level must be too
        like fewer of the pool, more or less.
        """
        place = int(self._alike[row].argmax())
        alike = self.pool.meet(self.pool.text(row))
        partners = (self._alike.sum(axis=1) == 1) & (self._alike[:, place] == 1) & ~self._inside & (alike == 0)
        gain = int(self._alike[:, place].sum()) - int(alike.sum())
        if not partners.any() and gain < -_WARMTH * self.rng.exponential():
            return
        before = list(self._holder)
        old = int(self._rows[place])
        old_alike = self._alike[:, place].copy()
        self._remove(place)
        if not self._insert(row, alike):
            self._rows[place] = old
            self._inside[old] = True
            self.set.put(place, self.pool.text(old))
            self._alike[:, place] = old_alike
            self._holder = before
            return
        self._fill()

    def _fill(self) -> None:
        """Let levels of the pool that are unlike the set join it."""
        tried: set[int] = set()
        while self.size < len(self.controls):
            free = np.flatnonzero((self._alike.sum(axis=1) == 0) & ~self._inside & (self.pool.lengths >= 0))
            free = np.array([row for row in free.tolist() if row not in tried])
            if not len(free):
                return
            row = int(free[int(self.rng.integers(len(free)))])
            tried.add(row)
            self._insert(row)

    def _parent(self) -> None:
        """Let the level have children, perhaps in place of one whose plan is as long with as large a share of pushes.

        Long plans are rare among the children of others, and few are like them.
        """
        text = self.twin.text()
        pushes = float((text >= 4).mean())
        kind = (int(4 * math.sqrt(len(text))), min(int(_PUSHES * pushes), _PUSHES - 1))
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
        close = self._alike.sum(axis=1)
        waiting = [
            row
            for row in np.argsort(close, kind="stable").tolist()
            if self.pool.lengths[row] >= 0 and not self._inside[row]
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
