"""A set of contents that are pairwise unlike, each matched with a control that it obeys.

Contents that are pairwise unlike are an independent set of a graph in which those that are too alike are joined. Taking
what fits ends early. So contents that do not fit are kept too, with who of the set is in their way, and the set is
improved as in the local searches for independent sets (Andrade, Resende and Werneck 2012): two contents take the place
of one that alone is in their way; where no two are found, one takes it, which makes room for others: the one that has
been outside for longest. Now and then one takes the place of two, without which exchanges go around in few sets; where
that leads to none as large for long, the search goes on from the largest. What was compared is kept. Matches with
controls are changed along augmenting paths (Berge 1957). Where many contents are compared at once, a tabu search
(`tabu`) now and then looks for a larger set among all that few of the set are in the way of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pcg.integrations.pcg_benchmark.tabu import TabuSearch

LOOKS = 24
"""Contents that are asked, at most, whether they and another can take the place of one."""
FORCED = 0.03
"""Share of exchanges in which one takes the place of two."""
BACK = 1000
"""Exchanges without a set as large as the largest after which that one is gone back to."""
CHANGE = 200
"""Comparisons that take as long as a change of the set."""
CROWDED = 5
"""Contents of the set that are in the way of one, at most, for which a tabu search considers it."""
AT_ONCE = 1000
"""Steps of such a search after which is asked whether there is time for more."""
Flags = NDArray[np.int8]
Places = NDArray[np.int64]


class Table(Protocol):
    """Contents in places that may be empty, and which of them another one is too like."""

    def takes(self, item: Any) -> bool:
        """Tell whether a content can be put here."""

    def use(self, places: int) -> None:
        """Look at the first places only; the others are empty."""

    def put(self, place: int, item: Any) -> None:
        """Let a content take a place."""

    def clear(self, place: int) -> None:
        """Leave a place empty."""

    def meet(self, item: Any) -> Flags:
        """Return for each place whether a content is too like the one there; the next call may change the array."""

    def meet_some(self, item: Any, places: Places) -> Flags:
        """Return for some places that are not empty whether a content is too like the one there."""


class PairTable:
    """A `Table` that asks about one pair after the other, in both orders.

    Args:
        places: their number.
        alike: whether two contents are too alike, as far as the order given tells.
    """

    def __init__(self, places: int, alike: Callable[[Any, Any], bool]) -> None:
        self._items: list[Any] = [None] * places
        self._alike = alike
        self._places = places

    def takes(self, item: Any) -> bool:
        """Every content can be put here."""
        return True

    def use(self, places: int) -> None:
        """Look at the first places only."""
        self._places = places

    def put(self, place: int, item: Any) -> None:
        """Let a content take a place."""
        self._items[place] = item

    def clear(self, place: int) -> None:
        """Leave a place empty."""
        self._items[place] = None

    def meet(self, item: Any) -> Flags:
        """Return for each place whether a content is too like the one there."""
        return self.meet_some(item, np.arange(self._places))

    def meet_some(self, item: Any, places: Places) -> Flags:
        """Return for some places whether a content is too like the one there."""
        others = (self._items[place] for place in places.tolist())
        return np.array([other is not None and self._too_alike(item, other) for other in others], np.int8)

    def _too_alike(self, one: Any, other: Any) -> bool:
        return self._alike(one, other) or self._alike(other, one)


class IndependentSet:
    """A set of unlike contents for some controls, chosen from all that are offered.

    Args:
        slots: number of controls.
        room: contents that are kept.
        chosen: table of `slots` places for the set.
        kept: table of `room` places for all contents.
        rng: draws which of several is taken.

    Attributes:
        items: contents that are kept, by row.
        chosen: table of the set; `rows` has the row of each of its places, -1 for an empty one.
        tight: how many of the set are in the way of each content that is kept; itself, for one inside.
        holder: place of the set that each control is matched with, or -1.
        size: of the set.
        most: size of the largest set so far, which `return_to_largest` goes back to.
        compared: pairs that were compared so far, and what took as long as comparing them.
    """

    def __init__(self, slots: int, room: int, chosen: Table, kept: Table, rng: np.random.Generator) -> None:
        self.rng = rng
        self.room = room
        self.chosen, self.kept = chosen, kept
        self.kept.use(0)
        self.items: list[Any] = []
        self._keys: list[bytes] = []
        self._known: set[bytes] = set()
        self._obeys: list[Sequence[int]] = []
        self._obeying = np.zeros((room, slots), bool)
        self.rows = np.full(slots, -1)
        self.inside = np.zeros(room, bool)
        self.alike = np.zeros((room, slots), np.int8)
        self.tight = np.zeros(room, np.int64)
        self.holder = [-1] * slots
        self.size = self.most = 0
        self.compared = 0
        self._todo: set[int] = set()  # places of the set that may have become worth two others
        self._largest = (self.rows.copy(), list(self.holder))
        self._in_largest = np.zeros(room, bool)
        self._exchanges = self._seen = 0  # exchanges so far, and when the set was as large as the largest
        self._left = np.zeros(room, np.int64)  # the exchange in which each content left the set
        self._offered = 0
        self._since = np.zeros(room, np.int64)  # contents offered before each that is kept
        self._until = np.full(room, -1)  # and before each was compared with all that were kept
        self._pairs = np.zeros((room, room), np.int8)  # what was found then

    @property
    def used(self) -> int:
        """Contents that are kept."""
        return len(self.items)

    def held(self, slot: int) -> int:
        """Row of the content that a control is matched with, or -1."""
        place = self.holder[slot]
        return -1 if place < 0 else int(self.rows[place])

    def key(self, row: int) -> bytes:
        """Return the key of a content that is kept."""
        return self._keys[row]

    def knows(self, key: bytes) -> bool:
        """Tell whether a content with this key is kept."""
        return key in self._known

    # --- one content --------------------------------------------------------------------------------------------------

    def offer(self, key: bytes, item: Any, obeys: Sequence[int]) -> int:
        """Keep a content, and change the set if that serves it.

        Args:
            key: equal for contents of which one is enough.
            item: the content, as tables take it.
            obeys: controls that it obeys.

        Returns:
            Its row, or -1 when it is not kept: it is known, or more of the set are in its way than in anyone's.
        """
        if key in self._known:
            return -1
        alike = self.chosen.meet(item)
        self.compared += self.size
        tight = int(np.count_nonzero(alike))
        row = self._row(tight)
        if row < 0:
            return -1
        self._known.add(key)
        self._keys[row], self.items[row], self._obeys[row] = key, item, obeys
        self._obeying[row] = False
        self._obeying[row, list(obeys)] = True
        self._offered += 1
        self._since[row], self._until[row], self._left[row] = self._offered, -1, 0
        self.kept.put(row, item)
        self.alike[row] = alike
        self.tight[row] = tight
        if tight == 0:
            self._insert(row)
        elif tight == 1:
            self._two_for_one(row)
        return row

    def _row(self, tight: int) -> int:
        """Return a free row, or that of a content that more of the set are in the way of; -1 if there is none."""
        row = self.used
        if row < self.room:
            self.items.append(None)
            self._keys.append(b"")
            self._obeys.append(())
            self.kept.use(self.used)
            return row
        tights = np.where(self.inside | self._in_largest, -1, self.tight)
        row = int(tights.argmax())
        if tights[row] <= tight:
            return -1
        self._known.discard(self._keys[row])
        return row

    def _insert(self, row: int) -> bool:
        """Let a content that is unlike the set join it, if there is a control for it."""
        empty = np.flatnonzero(self.rows < 0)
        if not len(empty) or not self._match(int(empty[0]), row):
            return False
        self._put(int(empty[0]), row)
        if self.size >= self.most:
            self._note_largest()
        return True

    def _note_largest(self) -> None:
        self.most = self.size
        self._largest = (self.rows.copy(), list(self.holder))
        self._in_largest = self.inside.copy()
        self._seen = self._exchanges

    def _put(self, place: int, row: int) -> None:
        """Let a content take an empty place."""
        self.chosen.put(place, self.items[row])
        self._column(place, self._compare(row))
        self.compared += CHANGE
        self.rows[place] = row
        self.inside[row] = True
        self.size += 1
        self._todo.add(place)

    def _compare(self, row: int) -> Flags:
        """Return for each content that is kept whether one of them is too like it."""
        used = self.used
        if self._until[row] < 0:
            self._pairs[row, :used] = self.kept.meet(self.items[row])[:used]
            self.compared += used
        else:
            others = np.flatnonzero(self._since[:used] > self._until[row])
            self._pairs[row, others] = self.kept.meet_some(self.items[row], others)
            self.compared += len(others)
        self._until[row] = self._offered
        return self._pairs[row, :used]

    def _compare_among(self, row: int, rows: Places) -> None:
        """Compare a content of some that are all compared, in order of row, with the others; that is not counted."""
        others = rows[self._since[rows] > self._until[row]]
        known = others[self._until[others] >= self._since[row]]
        self._pairs[row, known] = self._pairs[known, row]
        unknown = others[(self._until[others] < self._since[row]) & (others > row)]
        self._pairs[row, unknown] = self._pairs[unknown, row] = self.kept.meet_some(self.items[row], unknown)

    def _column(self, place: int, alike: Flags | int) -> None:
        tight, column = self.tight[: self.used], self.alike[: self.used, place]
        tight -= column
        column[:] = alike
        tight += column

    def _remove(self, place: int) -> None:
        row = self.rows[place]
        self.inside[row] = False
        self._left[row] = self._exchanges
        self.rows[place] = -1
        self.size -= 1
        self.chosen.clear(place)
        self._column(place, 0)
        self.holder = [-1 if held == place else held for held in self.holder]
        self._todo.discard(place)

    def _restore(self, rows: Places, holder: Sequence[int]) -> None:
        """Let the set be what it was."""
        for place in np.flatnonzero((self.rows != rows) & (self.rows >= 0)).tolist():
            self._remove(place)
        for place in np.flatnonzero(self.rows != rows).tolist():
            self._put(place, int(rows[place]))
        self.holder = list(holder)

    def return_to_largest(self) -> None:
        """Let the set be the largest so far."""
        self._restore(*self._largest)
        self._seen = self._exchanges

    # --- the set ------------------------------------------------------------------------------------------------------

    def _held_back(self, place: int) -> Places:
        """Rows of contents that only the one in a place is in the way of."""
        used = self.used
        return np.flatnonzero((self.tight[:used] == 1) & (self.alike[:used, place] == 1) & ~self.inside[:used])

    def _outside(self, blockers: int) -> Places:
        """Rows of contents outside the set that so many of it are in the way of."""
        return np.flatnonzero((self.tight[: self.used] == blockers) & ~self.inside[: self.used])

    def lacks_controls(self) -> bool:
        """Tell whether contents that are unlike the set stay outside, because no control is left for them."""
        return self.size < len(self.rows) and bool((self.tight[: self.used] == 0).any())

    def improve(self) -> bool:
        """Look whether two can take the place of one, or else let one take it; False when nothing was left to do."""
        if self._todo:
            place = self._todo.pop()
            self.compared += 1
            for row in self.rng.permutation(self._held_back(place))[:LOOKS].tolist():
                if self._two_for_one(row):
                    break
            return True
        if self._exchanges - self._seen > BACK:
            self.return_to_largest()
        waiting = self._outside(1)
        if self.rng.random() < FORCED and len(twice := self._outside(2)):
            waiting = twice
        if not len(waiting):
            return False
        if self.lacks_controls():  # who obeys an open one leaves another to those that nobody is in the way of
            serving = waiting[self._obeying[waiting][:, [held < 0 for held in self.holder]].any(axis=1)]
            waiting = serving if len(serving) else waiting
        row = int(waiting[self._left[waiting].argmin()])
        self._exchanges += 1
        self._left[row] = self._exchanges
        self._exchange(np.flatnonzero(self.alike[row]), (row,))
        return True

    def _two_for_one(self, row: int) -> bool:
        """Let a content and another one that is unlike it take the place of the one that is in the way of both."""
        place = int(self.alike[row].argmax())
        others = self._held_back(place)
        others = others[others != row]
        if not len(others):
            return False
        if self._until[row] < 0:
            alike = self.kept.meet_some(self.items[row], others)
            self.compared += len(others)
        else:
            alike = self._compare(row)[others]
        free = others[alike == 0]
        if not len(free):
            return False
        return self._exchange(np.array([place]), (row, int(free[int(self.rng.integers(len(free)))])))

    def _exchange(self, places: Places, rows: tuple[int, ...]) -> bool:
        """Let contents take the places of others; all as it was if there are no controls for them."""
        before = self.rows.copy(), list(self.holder)
        self.compared += CHANGE
        column = self.alike[: self.used, places].any(axis=1)
        for place in places.tolist():
            self._remove(place)
        if not all(self._insert(row) for row in rows):
            self._restore(*before)
            return False
        freed = np.flatnonzero(column & (self.tight[: self.used] == 1) & ~self.inside[: self.used])
        self._todo.update(np.unique(self.alike[freed].argmax(axis=1)).tolist())
        self._fill()
        return True

    def _fill(self) -> None:
        """Let contents that are unlike the set join it."""
        tried: set[int] = set()
        while self.size < len(self.rows):
            free = np.array([row for row in self._outside(0).tolist() if row not in tried])
            if not len(free):
                return
            row = int(free[int(self.rng.integers(len(free)))])
            tried.add(row)
            self._insert(row)

    def search(self, steps: int, seed: int, stop: Callable[[], bool] = lambda: False) -> bool:
        """Look for a larger set from the largest and from empty ones, among contents that few are in the way of.

        Args:
            steps: of the tabu search.
            seed: of what it draws.
            stop: asked now and then; the search ends early where it is true.

        Returns:
            Whether there is a larger set; it is the set then.
        """
        self.return_to_largest()
        rows = np.flatnonzero(self.tight[: self.used] <= CROWDED)
        for row in rows.tolist():
            if stop():
                return False
            self._compare_among(row, rows)
        slots = np.full(self.used, -1)
        for slot in range(len(self.rows)):
            if self.held(slot) >= 0:
                slots[self.held(slot)] = slot
        larger = TabuSearch(self._pairs[np.ix_(rows, rows)], self._obeying[rows], slots[rows], seed=seed)
        for _ in range(0, steps, AT_ONCE):
            if stop() or larger.run(AT_ONCE) == len(self.rows):
                break
        if larger.most <= self.most:
            return False
        held = np.full(len(self.rows), -1)
        matched = larger.largest >= 0
        held[larger.largest[matched]] = rows[matched]
        self._replace(held)
        return True

    def _replace(self, held: Places) -> None:
        """Let the set be the contents of some rows, one for each control or -1, which are unlike each other."""
        rows = np.where(np.isin(self.rows, held), self.rows, -1)
        joining = np.setdiff1d(held[held >= 0], rows)
        rows[np.flatnonzero(rows < 0)[: len(joining)]] = joining
        places = {int(row): place for place, row in enumerate(rows.tolist()) if row >= 0}
        self._restore(rows, [places.get(int(row), -1) for row in held])
        self._note_largest()

    def _match(self, place: int, row: int) -> bool:
        """Match a place with a control that a content obeys by an augmenting path; other places may change theirs."""
        asked: set[int] = set()

        def find(who: int, obeys: Sequence[int]) -> bool:
            for slot in obeys:
                if slot in asked:
                    continue
                asked.add(slot)
                holder = self.holder[slot]
                if holder < 0 or find(holder, self._obeys[int(self.rows[holder])]):
                    self.holder[slot] = who
                    return True
            return False

        return find(place, self._obeys[row])
