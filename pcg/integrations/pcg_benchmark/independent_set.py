"""A set of contents that are pairwise unlike, each matched with a control that it obeys.

Contents that are pairwise unlike are an independent set of a graph in which those that are too alike are joined. Taking
what fits ends early. So contents that do not fit are kept too, with who of the set is in their way, and the set is
improved as in the local searches for independent sets (Andrade, Resende and Werneck 2012): two contents take the place
of one that alone is in their way; where no two are found, one takes it, which makes room for others. Matches with
controls are changed along augmenting paths (Berge 1957).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

LOOKS = 24
"""Contents that are asked, at most, whether they and another can take the place of one."""
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
        compared: pairs that were compared so far.
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
        self.rows = np.full(slots, -1)
        self.inside = np.zeros(room, bool)
        self.alike = np.zeros((room, slots), np.int8)
        self.tight = np.zeros(room, np.int64)
        self.holder = [-1] * slots
        self.size = 0
        self.compared = 0
        self._todo: set[int] = set()  # places of the set that may have become worth two others

    @property
    def used(self) -> int:
        """Contents that are kept."""
        return len(self.items)

    def held(self, slot: int) -> int:
        """Row of the content that a control is matched with, or -1."""
        place = self.holder[slot]
        return -1 if place < 0 else int(self.rows[place])

    def waiting(self, slot: int) -> list[int]:
        """Rows of contents outside the set that obey a control, those that the fewest are in the way of first."""
        order = np.argsort(self.tight[: self.used], kind="stable").tolist()
        return [row for row in order if not self.inside[row] and slot in self._obeys[row]]

    def key(self, row: int) -> bytes:
        """Return the key of a content that is kept."""
        return self._keys[row]

    def knows(self, key: bytes) -> bool:
        """Tell whether a content with this key is kept."""
        return key in self._known

    # --- one content --------------------------------------------------------------------------------------------------

    def offer(self, key: bytes, item: Any, obeys: Sequence[int], alike: Flags | None = None) -> int:
        """Keep a content, and change the set if that serves it.

        Args:
            key: equal for contents of which one is enough.
            item: the content, as tables take it.
            obeys: controls that it obeys.
            alike: what `chosen.meet` says of it, where that is known.

        Returns:
            Its row, or -1 when it is not kept: it is known, or more of the set are in its way than in anyone's.
        """
        if key in self._known:
            return -1
        if alike is None:
            alike = self.chosen.meet(item)
            self.compared += self.size
        tight = int(np.count_nonzero(alike))
        row = self._row(tight)
        if row < 0:
            return -1
        self._known.add(key)
        self._keys[row], self.items[row], self._obeys[row] = key, item, obeys
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
        row = int(np.where(self.inside, -1, self.tight).argmax())
        if self.tight[row] <= tight:
            return -1
        self._known.discard(self._keys[row])
        return row

    def _insert(self, row: int) -> bool:
        """Let a content that is unlike the set join it, if there is a control for it."""
        empty = np.flatnonzero(self.rows < 0)
        if not len(empty) or not self._match(int(empty[0]), row):
            return False
        place = int(empty[0])
        self.chosen.put(place, self.items[row])
        self._column(place, self.kept.meet(self.items[row])[: self.used])
        self.compared += self.used
        self.rows[place] = row
        self.inside[row] = True
        self.size += 1
        self._todo.add(place)
        return True

    def _column(self, place: int, alike: Flags | int) -> None:
        tight, column = self.tight[: self.used], self.alike[: self.used, place]
        tight -= column
        column[:] = alike
        tight += column

    def _remove(self, place: int) -> None:
        self.inside[self.rows[place]] = False
        self.rows[place] = -1
        self.size -= 1
        self.chosen.clear(place)
        self._column(place, 0)
        self.holder = [-1 if held == place else held for held in self.holder]
        self._todo.discard(place)

    # --- the set ------------------------------------------------------------------------------------------------------

    def _held_back(self, place: int) -> Places:
        """Rows of contents that only the one in a place is in the way of."""
        used = self.used
        return np.flatnonzero((self.tight[:used] == 1) & (self.alike[:used, place] == 1) & ~self.inside[:used])

    def improve(self) -> bool:
        """Look whether two can take the place of one, or else let one take it; False when nothing was left to do."""
        if self._todo:
            place = self._todo.pop()
            self.compared += 1
            for row in self.rng.permutation(self._held_back(place))[:LOOKS].tolist():
                if self._two_for_one(row):
                    break
            return True
        waiting = np.flatnonzero((self.tight[: self.used] == 1) & ~self.inside[: self.used])
        if not len(waiting):
            return False
        row = int(waiting[int(self.rng.integers(len(waiting)))])
        self.compared += 1
        self._exchange(int(self.alike[row].argmax()), (row,))
        return True

    def _two_for_one(self, row: int) -> bool:
        """Let a content and another one that is unlike it take the place of the one that is in the way of both."""
        place = int(self.alike[row].argmax())
        others = self._held_back(place)
        others = others[others != row]
        if not len(others):
            return False
        alike = self.kept.meet_some(self.items[row], others)
        self.compared += len(others)
        free = others[alike == 0]
        return bool(len(free)) and self._exchange(place, (row, int(free[int(self.rng.integers(len(free)))])))

    def _exchange(self, place: int, rows: tuple[int, ...]) -> bool:
        """Let contents take the place of one; all as it was if there are no controls for them."""
        before, old, column = list(self.holder), int(self.rows[place]), self.alike[: self.used, place].copy()
        self._remove(place)
        joined: list[int] = []
        for row in rows:
            if not self._insert(row):
                break
            joined.append(row)
        if len(joined) < len(rows):
            for row in joined:
                self._remove(int(np.flatnonzero(self.rows == row)[0]))
            self.rows[place] = old
            self.inside[old] = True
            self.size += 1
            self.chosen.put(place, self.items[old])
            self._column(place, column)
            self.holder = before
            return False
        freed = np.flatnonzero((column == 1) & (self.tight[: self.used] == 1) & ~self.inside[: self.used])
        self._todo.update(np.unique(self.alike[freed].argmax(axis=1)).tolist())
        self._fill()
        return True

    def _fill(self) -> None:
        """Let contents that are unlike the set join it."""
        tried: set[int] = set()
        while self.size < len(self.rows):
            free = np.flatnonzero((self.tight[: self.used] == 0) & ~self.inside[: self.used])
            free = np.array([row for row in free.tolist() if row not in tried])
            if not len(free):
                return
            row = int(free[int(self.rng.integers(len(free)))])
            tried.add(row)
            self._insert(row)

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
