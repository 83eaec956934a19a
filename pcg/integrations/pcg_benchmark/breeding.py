"""Breeding of contents for a set in which all are unlike, from all that are good, whether they serve the set or not.

Climbs that each look for one content more end early where few contents are unlike each other: what is found is what is
common, and what is rare is in nobody's way. So all good contents are kept in an `IndependentSet` and have children.
Many parents are those that few of the set are in the way of: their children are likelier to fit in. The others are
drawn evenly over each number that the problem's `info` tells of contents (of things, of moves, ...), so that those far
from the common ones, where there is room, have as many children as all of those; some are drawn from those that obey a
control which nothing in the set is matched with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from pcg.integrations.pcg_benchmark.contents import Layout, Member, Vector
from pcg.integrations.pcg_benchmark.independent_set import IndependentSet, PairTable, Table
from pcg.integrations.pcg_benchmark.operators import Operators, Steps

ROOM = 6_000
"""Good contents that are kept."""
ROOM_BY_PAIRS = 1_500
"""The same where each pair is a question of its own."""
WORK = 60
"""Comparisons for the sake of the set, for each content that was judged."""
WORK_BY_PAIRS = 12
"""The same where each pair is a question of its own."""
NEW = 5
"""Children that are drawn, at most, until one is not known: a third of the good ones would be."""
REMEMBERED = 1_000_000
"""Children that are known, at most, before all are forgotten."""
NEARLY = 0.6
"""Share of parents that the fewest of the set are in the way of, of some that are drawn from those outside it; where
each pair is a question of its own the set is worked on too little for that to be of use."""
DRAWN = 3
"""Contents that are drawn for that."""
SPREAD = 0.95
"""Share of other parents that are drawn evenly over what is told of contents, not over the contents."""
OPEN = 0.5
"""Share of these that are drawn from what obeys a control that no content of the set is matched with."""
LACKING = 0.8
"""The same while contents that are unlike the set stay outside, because no control is left for them."""
ALIKE = 4
"""Contents of one number of which parents are drawn: the latest, and some of those before."""
NUMBERS = 10_000
"""Numbers that are told apart before the older half of them is forgotten."""
STEPS = 20_000
"""Steps of each tabu search for a larger set."""


class Breeding:
    """Good contents of a problem, the set chosen from them, and their children.

    Args:
        problem: answers `diversity` and `controlability`; where it has a `table`, that compares many contents at once.
        controls: what each content of the set shall do.
        layout: of the contents.
        rng: of everything drawn here.
        steps: that children are made by, too; they learn from those that are kept.
    """

    def __init__(
        self,
        problem: Any,
        controls: Sequence[Any],
        layout: Layout,
        rng: np.random.Generator,
        steps: Steps | None = None,
    ) -> None:
        self.problem = problem
        self.steps = Steps(layout, rng) if steps is None else steps
        self.operators = Operators(layout, self.steps)
        self.rng = rng
        self.parents = _Parents(rng)
        self._controls: dict[str, tuple[Any, list[int], _Parents]] = {}  # equal controls are asked about once
        self._obeying: list[_Parents] = []  # parents that obey the control of each slot
        for slot, control in enumerate(controls):
            _, same, obeying = self._controls.setdefault(repr(control), (control, [], _Parents(rng)))
            same.append(slot)
            self._obeying.append(obeying)
        own: Callable[[int], Table] | None = getattr(problem, "table", None)
        self._work, room, self._nearly = (WORK_BY_PAIRS, ROOM_BY_PAIRS, 0.0) if own is None else (WORK, ROOM, NEARLY)
        table = own or self._pairs
        self.compares_many = own is not None
        self.set = IndependentSet(len(controls), room, table(len(controls)), table(room), rng)
        self.members: dict[bytes, Member] = {}
        self._judged = 0
        self._known: set[bytes] = set()  # digests of children that were judged

    def _pairs(self, places: int) -> PairTable:
        return PairTable(places, lambda one, other: float(self.problem.diversity(one, other)) < 1.0)

    def offer(self, member: Member, obeys: Sequence[int] = ()) -> bool:
        """Keep a good content, and let it join the set if it serves it; return whether it is kept.

        Args:
            member: the content.
            obeys: controls that it is taken to obey beside those that it does.
        """
        if not self.set.chosen.takes(member.info):
            return False
        slots = set(obeys)
        parents = [self.parents]
        for control, same, obeying in self._controls.values():
            if float(self.problem.controlability(member.info, control)) >= 1:
                slots.update(same)
            if not slots.isdisjoint(same):
                parents.append(obeying)
        key = member.vector.tobytes()
        if not slots or self.set.knows(key):
            return False
        numbers = numbers_of(member.info)
        for kept in parents:
            kept.add(member, numbers)
        row = self.set.offer(key, member.info, self.rng.permutation(sorted(slots)).tolist())
        if row < 0:
            return False
        self.members[key] = member
        if len(self.members) > 2 * self.set.room:  # those that had to go
            self.members = {key: member for key, member in self.members.items() if self.set.knows(key)}
        return True

    def chosen(self, slot: int) -> Member | None:
        """Return the content of the set that a control is matched with."""
        row = self.set.held(slot)
        return None if row < 0 else self.members[self.set.key(row)]

    def breed(self, judge: Callable[[Vector], Member]) -> None:
        """Judge a child, keep it if it is good, and improve the set for as long as that is due."""
        for _ in range(NEW):
            parent, other = self._parent(), self._member(self._any())
            vector, used = self.operators.vary(self.rng, parent.vector, other.vector)
            key = blake2b(vector.tobytes(), digest_size=8).digest()
            if key not in self._known:
                break
            self.operators.learn(used, False)
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known.add(key)
        member = judge(vector)
        self._judged += 1
        kept = member.quality >= 1 and self._is_new(member, parent) and self.offer(member)
        if kept:
            self.steps.learn(parent.vector, vector)
        self.operators.learn(used, kept)
        size = len(self.set.rows)
        while self.set.compared < self._work * self._judged and self.set.size < size and self.set.improve():
            pass

    def search(self, stop: Callable[[], bool]) -> None:
        """Search for a larger set in all that is kept; not where each pair is a question of its own."""
        if self.compares_many:
            self.set.search(STEPS, self._judged, stop)

    def _is_new(self, member: Member, parent: Member) -> bool:
        """Tell whether a child is at all unlike its parent: copies need not be kept."""
        return float(self.problem.diversity(parent.info, member.info)) > 0

    def _member(self, row: int) -> Member:
        return self.members[self.set.key(row)]

    def _any(self) -> int:
        return int(self.rng.integers(self.set.used))

    def _parent(self) -> Member:
        """Return a content to have a child."""
        if self._nearly and self.rng.random() < self._nearly:
            rows = self.rng.integers(self.set.used, size=DRAWN)
            outside = rows[~self.set.inside[rows]]
            if len(outside):
                return self._member(int(outside[self.set.tight[outside].argmin()]))
        if self.rng.random() < SPREAD:
            parents = self.parents
            if self.rng.random() < (LACKING if self.set.lacks_controls() else OPEN):
                slots = [slot for slot, place in enumerate(self.set.holder) if place < 0]
                if slots:
                    parents = self._obeying[slots[int(self.rng.integers(len(slots)))]]
            member = parents.draw()
            if member is not None:
                return member
        return self._member(self._any())


class _Parents:
    """Contents by the numbers that are told of them, of which one is drawn evenly over these."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.kinds: dict[tuple[str, float], list[Member]] = {}
        self._each: list[list[Member]] = []

    def add(self, member: Member, numbers: Mapping[str, float]) -> None:
        """Let a content be a parent, in place of another one of its numbers where these have many."""
        if len(self._each) >= NUMBERS:  # what is told in fractions hardly comes again
            self.kinds = dict(list(self.kinds.items())[NUMBERS // 2 :])
            self._each = list(self.kinds.values())
        for kind in numbers.items():
            alike = self.kinds.get(kind)
            if alike is None:
                self._each.append(self.kinds.setdefault(kind, [member]))
            elif len(alike) < ALIKE:
                alike.append(member)
            else:
                alike[int(self._rng.integers(ALIKE))] = member

    def draw(self) -> Member | None:
        """Return a content, None while there is none."""
        if not self._each:
            return None
        alike = self._each[int(self._rng.integers(len(self._each)))]
        return alike[int(self._rng.integers(len(alike)))]


def numbers_of(info: Any) -> dict[str, float]:
    """Return the numbers that an `info` tells of a content, and how many entries its lists and texts have.

    >>> numbers_of({"crates": 2, "solution": "ulld", "content": None})
    {'crates': 2.0, 'solution': 4.0}
    """
    found = {}
    for name, value in info.items() if isinstance(info, Mapping) else ():
        if isinstance(value, (int, float, np.integer, np.floating)):
            found[name] = float(value)
        elif hasattr(value, "__len__"):
            found[name] = float(len(value))
    return found
