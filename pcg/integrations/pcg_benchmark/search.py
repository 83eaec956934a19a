"""Search for a batch of contents: one for each control, all of full quality, all different from each other.

The search sees a problem through the benchmark's interface alone: the space of contents, and what `info`, `quality`,
`diversity` and `controlability` say. The three scores ask for a set, so a set is searched: every control is a slot,
filled by a content of full quality that does what its control asks and is unlike all that fill other slots.

Until anything of full quality is known, one population is bred for quality; later small ones go on, each from new
beginnings, because relatives are alike. All good contents go into a pool, and the set is improved as in local searches for independent sets (Andrade, Resende, Werneck 2012): a content that nothing
in the set is like takes an open slot, along an augmenting path if need be; one that a single content stands in the way
of takes its place if it is rarer. How rare a content is, is told by its likeness to a sample of the pool; rare ones are
parents more often (novelty search: Lehman, Stanley 2011). A slot that nothing of the kind fills is searched for by
itself, from what comes nearest to its control, then from what is least like the set. Which of these ways is gone next
is drawn in proportion to what each has brought for the set lately.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pcg.integrations.pcg_benchmark.contents import Layout, Vector
from pcg.integrations.pcg_benchmark.operators import Operators
from pcg.integrations.pcg_benchmark.starting_contents import starting_contents

POOL = 1500
"""Good contents that are kept to breed from."""
POPULATION = 80
"""Contents that are bred for quality as long as none is good."""
NURSERY = 10
"""The same, of a new beginning later on."""
WEANED = 1500
"""Contents after which a beginning that has brought nothing good is given up."""
TOURNAMENT = 3
SAMPLE = 12
"""Contents of the pool by which it is told how rare others are."""
RENEWED = 300
"""Good contents after which that sample is drawn anew."""
PATIENCE = 80
"""A slot begins anew after so many contents for it that were no nearer to filling it."""
STAY = 10
"""Contents bred in a row for one slot, or with one purpose; the clock is looked at between."""
ASKED = 8
"""Open slots, beside those that nothing obeys yet, that are asked whether a content would do for them."""
WAYS = ("slot", "rare", "anew")
"""What the next contents are made for: a slot, from rare parents, or a new beginning."""
LEAST = 0.1
"""Least share of each of these ways."""
PRIOR = 0.3
"""What a way is taken to have brought in a turn that it has not had."""
FADING = 0.97
"""Factor by which what a way has brought counts less with each turn."""


@dataclass(eq=False)
class Member:
    """A judged content."""

    vector: Vector
    info: Any
    quality: float
    common: float = math.nan
    """Share of a sample of the pool that it is like, in [0, 1]."""
    drawn: int = -1
    """The sample for which this was found."""
    obeys: set[int] = field(default_factory=set)
    """Controls that it fulfils; known of those that fill slots."""


class BatchSearch:
    """Search for a batch of contents of one problem.

    Args:
        environment: of the benchmark, from `pcg_benchmark.make`.
        controls: what each content of the batch shall do, from the problem's control space.
        seed: of everything drawn here; the environment's spaces are seeded with it too.
        problem: answers `info`, `quality`, `diversity` and `controlability` instead of the environment's problem.

    Attributes:
        judged: contents that the problem has judged so far.
        settled: for each control the content that fills its slot, or None.
    """

    def __init__(self, environment: Any, controls: Sequence[Any], seed: int, *, problem: Any = None) -> None:
        self.environment = environment
        # the pairwise diversity is nowhere else
        self.problem = environment._problem if problem is None else problem
        environment.seed(seed)
        self.layout = Layout(environment.content_space)
        self.controls = list(controls)
        self.rng = np.random.default_rng([seed, 2])
        self.operators = Operators(self.layout)
        self.judged = 0
        count = len(self.controls)
        self.settled: list[Member | None] = [None] * count
        self._nearest: list[tuple[float, Member] | None] = [None] * count  # by quality and control
        self._good: list[tuple[float, Member] | None] = [None] * count  # good ones, by control
        self._spare: list[tuple[float, Member] | None] = [None] * count  # good ones that obey, by likeness to the set
        self._kept: list[tuple[float, Member] | None] = [None] * count  # the same, of earlier beginnings
        self._tries = [0] * count
        self._population: list[Member] = []
        self._bred = 0
        self._brought = dict.fromkeys(WAYS, 0.0)
        self._turns = dict.fromkeys(WAYS, 0.0)
        self._pool: list[Member] = []
        self._sample: list[Member] = []
        self._drawn = 0
        self._found = 0
        self._front: list[Member] = []  # settled ones, those that others were like last first
        self._seeds: Iterator[Vector] = starting_contents(self.layout, seed)

    def run(
        self,
        *,
        evaluations: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """Search until all slots are filled or the budget is spent.

        Args:
            evaluations: contents that may be judged.
            seconds: on the clock (the result then depends on the machine).
            clock: `time.process_time` counts processor time instead of wall time.
            progress: called now and then with the numbers of judged contents and filled slots.

        Returns:
            One content per control: the one that fills its slot, or the best that was found.
        """
        end = None if seconds is None else clock() + seconds
        turn = 0
        while self._open and (evaluations is None or self.judged < evaluations):
            if end is not None and clock() >= end:
                break
            self._take_turn(turn, math.inf if evaluations is None else evaluations)
            turn += 1
            if progress is not None and turn % 5 == 0:
                progress(self.judged, len(self.controls) - len(self._open))
        return [self.layout.content(self._answer(slot)) for slot in range(len(self.controls))]

    def _take_turn(self, turn: int, evaluations: float) -> None:
        """Judge a few contents of one way; a slot is worked on for a while, so that the set stays the same."""
        way = "anew"
        if self._pool:
            weights = np.array([(self._brought[name] + PRIOR) / (self._turns[name] + 1.0) for name in WAYS])
            weights = np.maximum(weights, LEAST * weights.max())
            way = WAYS[int(self.rng.choice(len(WAYS), p=weights / weights.sum()))]
        open_slots = self._open
        slot = open_slots[turn % len(open_slots)]
        filled = len(self.controls) - len(open_slots)
        for _ in range(STAY):
            if self.judged >= evaluations or self.settled[slot] is not None:
                break
            if way == "anew":
                self._breed(slot)
            else:
                self._search(slot, way)
        for name in WAYS:
            self._brought[name] *= FADING
            self._turns[name] *= FADING
        self._brought[way] += len(self.controls) - len(self._open) - filled
        self._turns[way] += 1.0

    @property
    def _open(self) -> list[int]:
        return [slot for slot, member in enumerate(self.settled) if member is None]

    def _answer(self, slot: int) -> Vector:
        settled = self.settled[slot]
        if settled is not None:
            return settled.vector
        known = self._spare[slot] or self._kept[slot] or self._good[slot] or self._nearest[slot]
        if known is not None:
            return known[1].vector
        if self._population:
            return max(self._population, key=lambda member: member.quality).vector
        return self.layout.sample(self.rng)

    # --- judging ------------------------------------------------------------------------------------------------------

    def _judge(self, vector: Vector) -> Member:
        """Ask the problem about a content; one that it fails at has no quality."""
        self.judged += 1
        try:
            info = self.problem.info(self.layout.content(vector))
            return Member(vector, info, float(self.problem.quality(info)))
        except (ArithmeticError, LookupError, ValueError):
            return Member(vector, None, -1.0)

    def _control(self, member: Member, slot: int) -> float:
        """Return how well a content does what the control of a slot asks."""
        return float(self.problem.controlability(member.info, self.controls[slot]))

    def _similarity(self, one: Member, other: Member) -> float:
        """Return the similarity of two contents, 0 when they count as different."""
        return 1.0 - float(self.problem.diversity(one.info, other.info))

    def _commonness(self, member: Member) -> float:
        """Return the share of a sample of the pool that a content is like, in [0, 1]."""
        if not self._sample or self._found % RENEWED == 0:
            picked = self.rng.permutation(len(self._pool))[:SAMPLE].tolist()
            self._sample = [self._pool[k] for k in picked]
            self._drawn += 1
        if member.drawn != self._drawn:
            others = [other for other in self._sample if other is not member]
            like = sum(min(1.0, self._similarity(member, other)) for other in others)
            member.common = like / len(others) if others else 0.0
            member.drawn = self._drawn
        return member.common

    # --- beginnings ---------------------------------------------------------------------------------------------------

    def _breed(self, slot: int) -> None:
        """Judge a seed or a change of one of the population, and let it take the place of a worse one."""
        rng = self.rng
        population = self._population
        size = NURSERY if self._pool else POPULATION
        self._bred += 1
        if self._pool and self._bred > WEANED:
            self._begin_anew()
        if len(population) < size or rng.random() < 0.05:
            member, used, parent = self._judge(next(self._seeds)), [], None
        else:
            parent, other = self._select(), self._select()
            vector, used = self.operators.vary(rng, parent.vector, other.vector)
            member = self._judge(vector)
        if member.quality >= 1:
            self._begin_anew()
            self._offer(member, slot)
            return
        self.operators.learn(used, parent is not None and member.quality > parent.quality)
        if len(population) < size:
            population.append(member)
            return
        # the worst of a few, so that the population loses its variety slowly; equal ones replace each other
        drawn = rng.integers(len(population), size=TOURNAMENT).tolist()
        worst = min(drawn, key=lambda k: population[k].quality)
        if member.quality >= population[worst].quality:
            population[worst] = member

    def _begin_anew(self) -> None:
        """Forget the population."""
        self._population.clear()
        self._bred = 0

    def _select(self) -> Member:
        """Return the best of a few of the population."""
        drawn = [self._population[int(k)] for k in self.rng.integers(len(self._population), size=TOURNAMENT)]
        return max(drawn, key=lambda member: member.quality)

    # --- the set ------------------------------------------------------------------------------------------------------

    def _search(self, slot: int, way: str) -> None:
        """Judge a content made for a slot, or from a rare parent."""
        parent = self._parent(slot, way)
        other = self._pool[int(self.rng.integers(len(self._pool)))]
        vector, used = self.operators.vary(self.rng, parent.vector, other.vector)
        self.operators.learn(used, self._offer(self._judge(vector), slot))

    def _parent(self, slot: int, way: str) -> Member:
        """Return what the next content is a change of."""
        rng = self.rng
        if way == "rare":
            drawn = [self._pool[int(k)] for k in rng.integers(len(self._pool), size=TOURNAMENT)]
            return min(drawn, key=self._commonness)
        # of those that obey one is kept that is least like the set, and one that drifts, which leads away from relatives
        known = (self._spare[slot], self._good[slot], self._nearest[slot])
        weights = [share if one is not None else 0.0 for one, share in zip(known, (0.45, 0.3, 0.15), strict=True)]
        bounds = np.cumsum([*weights, 0.1])
        chosen = known[k] if (k := int(np.searchsorted(bounds, rng.random() * bounds[-1]))) < len(known) else None
        if chosen is not None:
            return chosen[1]
        return self._pool[int(rng.integers(len(self._pool)))]

    def _offer(self, member: Member, slot: int) -> bool:
        """Let the set and the open slots have a look at a content that was made for one of them; True if it is kept."""
        if member.quality < 0:
            return False
        if member.quality < 1:
            return self._come_near(member, slot, self._control(member, slot))
        self._remember(member)
        kept = False
        obeyed = []
        for k in self._open:
            value = self._control(member, k)
            self._come_near(member, k, value)
            good = self._good[k]
            if good is None or value > good[0] or (value == good[0] and k == slot):
                kept |= good is None or value > good[0]
                self._good[k] = (value, member)
            if value >= 1:
                obeyed.append(k)
        own = self._spare[slot if slot in obeyed else obeyed[0]] if obeyed else (0.0, member)
        without = any(self._spare[k] is None for k in obeyed)
        total, blocking = self._likeness(member, math.inf if without or own is None else own[0])
        if not blocking:
            return self._place(member, obeyed) or kept
        if len(blocking) == 1 and total < math.inf:
            self._replace(blocking[0], member)
        return self._spare_for(member, total, obeyed, slot) or kept

    def _come_near(self, member: Member, slot: int, control: float) -> bool:
        """Let a content be the nearest to what a slot asks; True if it is nearer than the one before."""
        known = self._nearest[slot]
        score = member.quality + control
        if known is None or score >= known[0]:  # equal ones replace each other: plateaus are crossed so
            self._nearest[slot] = (score, member)
        return known is None or score > known[0]

    def _remember(self, member: Member) -> bool:
        """Add a good content to the pool, in place of the most common of a few when it is full."""
        self._found += 1
        if len(self._pool) < POOL:
            self._pool.append(member)
            return False
        drawn = self.rng.integers(POOL, size=TOURNAMENT).tolist()
        most = max(drawn, key=lambda k: self._commonness(self._pool[k]))
        rarer = self._commonness(member) < self._commonness(self._pool[most])
        if rarer or self.rng.random() < 0.1:
            self._pool[most] = member
        return rarer

    def _spare_for(self, member: Member, total: float, obeyed: Sequence[int], slot: int) -> bool:
        """Keep a content for the slots that it obeys if it is less like the set; True if it is for one."""
        improved = False
        for k in obeyed:
            spare = self._spare[k]
            if spare is None or total <= spare[0]:
                if spare is None or total < spare[0]:
                    self._tries[k] = 0
                    improved = True
                self._spare[k] = (total, member)
            elif k == slot:
                self._tries[k] += 1
                if self._tries[k] >= PATIENCE:
                    kept = self._kept[k]
                    if kept is None or spare[0] < kept[0]:
                        self._kept[k] = spare
                    self._tries[k] = 0
                    self._nearest[k] = self._spare[k] = None  # begin this slot anew
        return improved

    def _place(self, member: Member, obeyed: Sequence[int]) -> bool:
        """Fill an open slot with a content that is like none of the set; a settled one may move to another slot."""
        member.obeys = {k for k in range(len(self.controls)) if k in obeyed or self._control(member, k) >= 1}
        if obeyed:
            # the slot that has found least so far: others will have their chance
            empty = [k for k in obeyed if self._spare[k] is None]
            self._put(member, empty[0] if empty else obeyed[0])
            return True
        free = set(self._open)
        for k in sorted(member.obeys):
            other = self.settled[k]
            if other is not None and other.obeys & free:
                self._put(other, min(other.obeys & free))
                self._put(member, k)
                return True
        return False

    def _put(self, member: Member, slot: int) -> None:
        """Fill a slot."""
        self.settled[slot] = member
        if all(member is not other for other in self._front):
            self._front.insert(0, member)
            self._update_spares(None, member)

    def _replace(self, other: Member, member: Member) -> None:
        """Put a content in the place of the one of the set that it is like, if it is no more common."""
        slot = next(k for k, one in enumerate(self.settled) if one is other)
        if self._control(member, slot) >= 1 and self._commonness(member) < self._commonness(other):
            member.obeys = {k for k in range(len(self.controls)) if self._control(member, k) >= 1}
            self.settled[slot] = member
            self._front = [member if one is other else one for one in self._front]
            self._update_spares(other, member)

    def _update_spares(self, gone: Member | None, new: Member) -> None:
        """Correct how much the spare contents are like the set."""
        for k in self._open:
            spare = self._spare[k]
            if spare is not None:
                less = 0.0 if gone is None else self._mutual_similarity(spare[1], gone)
                self._spare[k] = (max(0.0, spare[0] + self._mutual_similarity(spare[1], new) - less), spare[1])

    def _mutual_similarity(self, one: Member, other: Member) -> float:
        """Return the similarity of two contents; asked the other way round where the first answer is 0."""
        return self._similarity(one, other) or self._similarity(other, one)

    def _likeness(self, member: Member, limit: float) -> tuple[float, list[Member]]:
        """Return the summed similarity to the set, and up to two contents that are like a member.

        The sum is infinite as soon as it exceeds `limit` and two are known. Who was in the way is asked first the next
        time. Some problems do not answer the same the other way round; that is asked only where the first answer does
        not tell.
        """
        total = 0.0
        blocking: list[Member] = []
        for place, other in enumerate(self._front):
            like = self._mutual_similarity(member, other)
            if like > 0:
                total += like
                blocking.append(other)
                if len(blocking) == 1:
                    first = place
                elif total > limit:
                    total = math.inf
                    break
        if blocking:
            self._front[: first + 1] = [self._front[first], *self._front[:first]]
        return total, blocking[:2]
