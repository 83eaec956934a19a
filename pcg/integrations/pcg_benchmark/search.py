"""Search for a batch of contents: one for each control, all of full quality, all different from each other.

The search sees a problem through the benchmark's interface alone: the space of contents, and what `info`, `quality`,
`diversity` and `controlability` say. The three scores ask for a set, so a set is searched: every control is a slot,
and a slot is settled by a content of full quality that does what its control asks and is unlike all settled before.

Each open slot has a climb: from a start by changes that are kept when they are no worse, so that plateaus are crossed
(a local search with neutral moves). It goes up by quality and control together, then, with both held, down by the
likeness to the settled contents. A climb that stands still is given up for a new one. Where climbs start from, and
whether they look at control or at quality first, is drawn in proportion to what such climbs have settled for what they
cost (probability matching, as in adaptive operator selection: Fialho et al. 2010): some problems give away contents of
full quality but for their control, others give away the control. Only a few climbs are under way at a time, and as
long as nothing of full quality is known, one that goes for quality alone: a hundred searches for the first good content
would find it a hundred times later. Where climbs settle nothing for long, contents are bred for all slots together
(`breeding`), for as long as that settles more of them, and at least as long as climbs had in vain. Where nothing was
bred and most of the budget is spent, the slots that are still open ask no more of control than good contents do by
chance, so that the rest goes into being unlike the others; when all are settled so, those that ask less are searched
on for contents that do all that their controls ask.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from pcg.integrations.pcg_benchmark.breeding import Breeding
from pcg.integrations.pcg_benchmark.contents import Layout, Member, Vector
from pcg.integrations.pcg_benchmark.operators import Operators, Steps
from pcg.integrations.pcg_benchmark.starting_contents import starting_contents

POOL = 1000
"""Good contents that are kept to start from and to take parts of."""
BEGINNINGS = 20
"""Drawn contents of which the best starts a climb."""
FEW = 50
"""Good contents that are all kept, one after another."""
SEEN_AGAIN = 0.1
"""Share of further good contents that are kept though they are no progress for a climb: most are close relatives."""
LOOKED_AT = 300
"""Good contents of which a climb starts from one that does best what its control asks."""
COMPARED = 8
"""Equally near ones of them of which the one is taken that is least like the settled contents."""
ACTIVE = 8
"""Slots that are searched for in turn, before others have theirs."""
STAY = 100
"""Contents without progress after which another slot has its turn."""
PATIENCE = 1000
"""Contents without progress after which a climb by quality and control is given up."""
PATIENCE_ALIKE = 300
"""The same, of a climb that has both and only becomes less like the settled contents."""
KICKS = (0.05, 0.15, 0.4)
"""Shares of a content that are changed at once to lead it away from its relatives."""
FIRST = 4.0
"""Weight of a control that is looked at first, relative to quality."""
SPENT = 1000.0
"""Contents that each way is taken to have cost for one slot before it is known."""
LENIENT = 0.75
"""Share of the budget after which, where none is bred, open slots ask no more of control than good contents have."""
UNKNOWN = 1e9
"""Likeness to the settled contents of an answer that was not compared with them."""
LEAST = 0.1
"""Least share of each way, relative to the best."""
STANDSTILL = 2000
"""Contents judged without a slot settled after which contents may be bred for all slots together."""
LATELY, SLOW = 5, 3.0
"""That is done when the last slots have taken so many times what a slot took in the middle case."""
TRIAL, FRUITLESS = 3000, 2.0
"""Contents bred after which climbs may go on; they do after so many times what a slot takes, without a slot settled."""
THOROUGH = (0.5, 0.8, 0.96)
"""Shares of the budget after which breeding looks for a larger set in all that it has kept."""
BRIEF = 1000
"""Contents judged without a slot settled after which breeding goes on if a slot took fewer contents than in climbs."""


@dataclass(eq=False)
class Way:
    """A kind of climb, and what it has brought.

    Attributes:
        start: "anew" from a drawn content, "near" from the good content nearest to the control, "kicked" from that
            with many changes, "any" from a good one.
        weight: of control, where quality has 1.
        settled: slots that such climbs have settled, and 1 in advance.
        spent: contents that they have cost, and `SPENT` in advance.
    """

    start: str
    weight: float
    settled: float = 1.0
    spent: float = SPENT


@dataclass(eq=False)
class Climb:
    """State of the search for a slot.

    Attributes:
        member: the content that the next one is a change of.
        way: that the climb goes.
        fit: quality and weighted control of the member.
        alike: summed similarity to the settled contents; infinite until quality and control are full.
        idle: contents since the last progress.
    """

    member: Member
    way: Way
    fit: float
    alike: float = math.inf
    idle: int = 0


class BatchSearch:
    """Search for a batch of contents of one problem.

    Args:
        environment: of the benchmark, from `pcg_benchmark.make`.
        controls: what each content of the batch shall do, from the problem's control space.
        seed: of everything drawn here; the environment's spaces are seeded with it too.
        problem: answers `info`, `quality`, `diversity` and `controlability` instead of the environment's problem;
            where it has `info_of_leaves`, that is asked in place of `info`, for the numbers of a content without its
            lists and dictionaries.

    Attributes:
        judged: contents that the problem has judged so far.
        settled: for each control the content that settled it, or None.
    """

    def __init__(self, environment: Any, controls: Sequence[Any], seed: int, *, problem: Any = None) -> None:
        # the pairwise diversity is nowhere else
        self.problem = environment._problem if problem is None else problem
        environment.seed(seed)
        self.layout = Layout(environment.content_space)
        of_leaves = getattr(self.problem, "info_of_leaves", None)
        self._info: Callable[[Vector], Any] = (
            (lambda vector: self.problem.info(self.layout.content(vector)))
            if of_leaves is None
            else (lambda vector: of_leaves(self.layout.inside(vector)))
        )
        self.controls = list(controls)
        self.rng = np.random.default_rng([seed, 2])
        # what helps a content towards quality and control, and what keeps both but leads away from others
        self._towards, self._away = Operators(self.layout), Operators(self.layout)
        self._steps = Steps(self.layout, np.random.default_rng([seed, 3]))  # for breeding
        self.judged = 0
        self.settled: list[Member | None] = [None] * len(self.controls)
        self._queue = list(range(len(self.controls)))  # open slots, those that are searched for first
        self._asked = [1.0] * len(self.controls)  # of control
        self._climbs: list[Climb | None] = [None] * len(self.controls)
        # worth, likeness to the settled contents, and the content, of the best answer for each slot
        self._best: list[tuple[float, float, Member] | None] = [None] * len(self.controls)
        self._ways = [Way(start, weight) for start in ("anew", "near", "kicked") for weight in (1.0, FIRST)]
        self._ways.append(Way("any", 1.0))
        self._pool: list[Member] = []
        self._given_up: list[Member] = []  # ends of climbs as long as nothing is good
        self._front: list[Member] = []  # settled ones, those in whose way others stood last first
        self._seeds: Iterator[Vector] = starting_contents(self.layout, seed)
        self._spent: Callable[..., bool] = lambda share=1.0: False
        self._share: Callable[[], float] = lambda: 0.0  # of the budget that is spent
        self._thorough = [*THOROUGH, math.inf]  # shares after which a larger set is still to be looked for thoroughly
        self._breeding: Breeding | None = None
        self._gained = 0  # contents judged when a slot was settled last, or breeding was given up
        self._took: list[int] = []  # contents judged for each slot settled by climbs
        self._lately: deque[int] = deque(maxlen=LATELY)  # contents judged when the last slots were settled
        self._patience = STANDSTILL
        self._pace = 0.0  # contents that each of the last slots took before breeding
        self._most = 0  # slots that were settled at a time
        self._vain = 0  # contents that climbs have taken since they settled a slot
        self._pays = False  # whether it took fewer when it was tried last

    def run(
        self,
        *,
        evaluations: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """Search until all slots are settled or the budget is spent.

        Args:
            evaluations: contents that may be judged.
            seconds: on the clock (the result then depends on the machine).
            clock: `time.process_time` counts processor time instead of wall time.
            progress: called now and then with the numbers of judged contents and settled slots.

        Returns:
            One content per control: the one that settled it, or the best that was found.
        """
        started = clock()
        most, longest = (math.inf if limit is None else limit for limit in (evaluations, seconds))
        self._share = lambda: max(self.judged / most, (clock() - started) / longest)
        self._spent = lambda share=1.0: self._share() >= share
        turn = 0
        lenient = False
        while self._queue and not self._spent():
            if not lenient and self._pool and self._breeding is None and self._spent(LENIENT):
                lenient = True
                self._relent()
            if self._stands_still():
                self._breed()
                if progress is not None:
                    progress(self.judged, len(self.controls) - len(self._queue))
                continue
            active = self._active()
            slot = active[turn % len(active)] if self._pool else 0
            turn += 1
            idle = 0
            while idle < STAY and not self._spent():
                idle = 0 if self._step(slot) else idle + 1
                if slot not in self._active():
                    break
            if progress is not None:
                progress(self.judged, len(self.controls) - len(self._queue))
        return [self.layout.content(vector) for vector in self._answers()]

    def _stands_still(self) -> bool:
        """Tell whether climbs have settled nothing for long, by what they have taken so far."""
        if len(self._pool) < FEW or None not in self.settled:
            return False
        if self._pays:
            return self.judged - self._gained >= BRIEF
        self._pace = (self.judged - self._lately[0]) / len(self._lately) if self._lately else float(self.judged)
        if self.judged - self._gained < self._patience:
            return False
        return self._would_not_end() or (bool(self._took) and self._pace >= SLOW * float(np.median(self._took)))

    def _would_not_end(self) -> bool:
        """Tell whether climbs, as slow as they are, leave slots open, where breeding compares many contents at once.

        Climbs that have been slow from the first slot on are no slower than they were. Where each pair is a question of
        its own, breeding is worked on too little to be of more use than they are.
        """
        if getattr(self.problem, "table", None) is None:
            return False
        share = max(self._share(), 1e-9)
        left = self.judged * (1.0 - share) / share
        return self._pace * self.settled.count(None) > left

    def _breed(self) -> None:
        """Breed contents for all slots together, for as long as that settles more of them."""
        if self._breeding is None:
            self._breeding = Breeding(self.problem, self.controls, self.layout, self.rng, self._steps)
        breeding = self._breeding
        for slot, member in enumerate(self.settled):
            if member is not None:
                breeding.offer(member, (slot,))
        for member in self._pool:
            breeding.offer(member)
        size, idle, bred, gains = breeding.set.most, 0, 0, 0
        self._vain += self.judged - self._gained
        self._pace = max(self._pace, float(self._vain))  # that climbs took fewer before says nothing of them now
        while breeding.set.most < len(self.controls) and not self._spent():
            if bred >= TRIAL and (bred > self._pace * (gains + 1) or idle >= FRUITLESS * self._pace):
                break
            breeding.breed(self._ask)
            bred += 1
            if self._spent(self._thorough[0]):
                self._thorough = [share for share in self._thorough if not self._spent(share)]
                breeding.search(self._spent)
            idle = 0 if breeding.set.most > size + gains else idle + 1
            gains = max(gains, breeding.set.most - size)
        breeding.set.return_to_largest()
        self._gained = self.judged
        self._lately = deque((at + bred for at in self._lately), LATELY)  # climbs did not take these
        self._pays = bred <= self._pace * gains
        self._patience = STANDSTILL if self._pays else max(STANDSTILL, bred)
        chosen = [breeding.chosen(slot) for slot in range(len(self.controls))]
        if len(chosen) - chosen.count(None) > self._number_settled():
            self._take_over(chosen)

    def _number_settled(self) -> int:
        return len(self.settled) - self.settled.count(None)

    def _take_over(self, settled: Sequence[Member | None]) -> None:
        """Let others than before be what slots are settled by."""
        self.settled = list(settled)
        self._most = self._number_settled()
        self._front = [member for member in settled if member is not None]
        self._queue = []
        for slot, member in enumerate(settled):
            if member is None or self._control(member, slot) < 1:
                self._queue.append(slot)
            climb, best = self._climbs[slot], self._best[slot]
            if member is not None:
                self._climbs[slot] = self._best[slot] = None
                self._asked[slot] = 1.0
                continue
            if climb is not None and climb.alike < math.inf:
                climb.alike = self._likeness(climb.member, slot, math.inf)
            if best is not None and best[0] >= 2:
                self._best[slot] = best[0], UNKNOWN, best[2]

    def _active(self) -> list[int]:
        """Return the slots that have their turn at present: those that no content has settled before the others."""
        unsettled = islice((slot for slot in self._queue if self.settled[slot] is None), ACTIVE)
        return list(unsettled) or self._queue[:ACTIVE]

    def _relent(self) -> None:
        """Let the open slots ask no more of control than half of the known good contents do."""
        for slot in self._queue:
            controls = [self._control(member, slot) for member in self._some_good(LOOKED_AT)]
            self._asked[slot] = min(1.0, float(np.median(controls)))
            if self._asked[slot] < 1:
                self._climbs[slot] = None

    def _answers(self) -> list[Vector]:
        """Return what each slot is answered with: what settled it, or the best that was found.

        Answers of open slots are like others in any case. The benchmark takes out the content that is most like all
        others until those left are unlike each other, so the more of the set such an answer is like, and the more of
        its kind there are, the less it is a settled content that is taken out in its place.
        """
        good = self._some_good(LOOKED_AT)
        crowding: dict[int, float] = {}
        return [self._answer(slot, good, crowding) for slot in range(len(self.controls))]

    def _answer(self, slot: int, good: Sequence[Member], crowding: dict[int, float]) -> Vector:
        settled, best, climb = self.settled[slot], self._best[slot], self._climbs[slot]
        if settled is not None:
            return settled.vector
        if not good:
            if best is not None:
                return best[2].vector
            return self.layout.sample(self.rng) if climb is None else climb.member.vector
        known = [*good, best[2]] if best is not None and best[0] >= 1 else good
        controls = [self._control(member, slot) for member in known]
        most = max(controls)
        nearest = [member for member, control in zip(known, controls, strict=True) if control == most][:COMPARED]
        for member in nearest:
            if id(member) not in crowding:
                crowding[id(member)] = self._likeness(member, slot, math.inf)
        return max(nearest, key=lambda member: crowding[id(member)]).vector

    # --- judging ------------------------------------------------------------------------------------------------------

    def _ask(self, vector: Vector) -> Member:
        """Ask the problem about a content."""
        self.judged += 1
        try:
            info = self._info(vector)
            return Member(vector, info, float(self.problem.quality(info)))
        except (ArithmeticError, LookupError, RecursionError, ValueError):  # counts of 0, grammars without end
            return Member(vector, None, -1.0)

    def _judge(self, vector: Vector) -> Member:
        """Ask the problem about a content; good ones go into the pool."""
        member = self._ask(vector)
        if member.quality >= 1:
            if not self._pool:
                self._climbs = [None] * len(self.controls)  # what has been climbed without the control
            if len(self._pool) < FEW or self.rng.random() < SEEN_AGAIN:
                self._remember(member)
        return member

    def _remember(self, member: Member) -> None:
        """Let a good content into the pool, and be the answer for all slots that it obeys and that have none so far."""
        if len(self._pool) < POOL:
            self._pool.append(member)
        else:
            self._pool[int(self.rng.integers(POOL))] = member
        for slot in self._queue.copy():
            best = self._best[slot]
            if (best is None or best[0] < 2) and self._control(member, slot) >= 1:
                self._keep(slot, 2.0, UNKNOWN, member)
                self._let_others(slot)

    def _control(self, member: Member, slot: int) -> float:
        """Return how well a content does what the control of a slot asks, in [0, 1]."""
        return float(self.problem.controlability(member.info, self.controls[slot]))

    def _fit(self, member: Member, slot: int, weight: float) -> float:
        """Return the worth of a content for a slot: quality and weighted control, quality alone until it is known."""
        if member.quality < 0 or not self._pool:
            return member.quality
        return member.quality + weight * min(self._asked[slot], self._control(member, slot))

    def _some_good(self, count: int) -> list[Member]:
        """Return contents of the pool, drawn at random."""
        if not self._pool:
            return []
        return [self._pool[int(k)] for k in self.rng.integers(len(self._pool), size=min(count, len(self._pool)))]

    def _similarity(self, one: Member, other: Member) -> float:
        """Return the similarity of two contents, 0 when they count as different."""
        return max(0.0, 1.0 - float(self.problem.diversity(one.info, other.info)))

    def _likeness(self, member: Member, slot: int, limit: float) -> float:
        """Return the summed similarity to the settled contents of other slots; infinite as soon as that exceeds
        `limit`.

        Who is in the way is asked first the next time. Some problems do not answer the same the other way round; that
        is asked only of a content that could settle, because comparing takes much of the time.
        """
        total = 0.0
        own = self.settled[slot]
        for reverse in (False, True):
            for place, other in enumerate(self._front):
                if other is own:
                    continue
                like = self._similarity(other, member) if reverse else self._similarity(member, other)
                if like > 0:
                    total += like
                    self._front[: place + 1] = [other, *self._front[:place]]
                    if total > limit:
                        return math.inf
            if total > 0:
                break
        return total

    # --- climbing -----------------------------------------------------------------------------------------------------

    def _step(self, slot: int) -> bool:
        """Go on with the climb of a slot by one content, or begin one; True if that was progress."""
        climb = self._climbs[slot]
        full = climb is not None and climb.alike < math.inf
        if climb is None or climb.idle > (PATIENCE_ALIKE if full else PATIENCE):
            if climb is not None and self._pool:
                self._let_others(slot)
                if full and self.settled[slot] is None and self._takes_a_place(slot, climb):
                    return True
                self._climbs[slot] = None
                return False
            if climb is not None:
                self._given_up = [*self._given_up[1 - BEGINNINGS :], climb.member]
            self._begin(slot)
            return True
        operators = self._away if full else self._towards
        others = self._pool or self._given_up or [climb.member]
        other = others[int(self.rng.integers(len(others)))]
        vector, used = operators.vary(self.rng, climb.member.vector, other.vector)
        climb.idle += 1
        if (vector == climb.member.vector).all():
            return False
        climb.way.spent += 1.0
        judged = self._judge(vector)
        if climb.member.quality >= 1 and judged.quality >= 1:
            self._steps.learn(climb.member.vector, judged.vector)
        progress = self._consider(judged, slot, climb)
        operators.learn(used, progress)
        if progress:
            climb.idle = 0
        return progress

    def _takes_a_place(self, slot: int, climb: Climb) -> bool:
        """Settle a slot by a content that is like a single settled one, whose slot is searched on from where it was.

        As many slots are settled as before, but the set is another, in which there may be more room (a swap, as local
        searches for independent sets make: Andrade, Resende and Werneck 2012).
        """
        member = climb.member
        alike = [
            other for other in self._front if self._similarity(member, other) + self._similarity(other, member) > 0
        ]
        if len(alike) != 1:
            return False
        (other,) = alike
        owner = next(k for k, settled in enumerate(self.settled) if settled is other)
        self._front.remove(other)
        self.settled[owner] = None
        self._settle(slot, member)
        if owner not in self._queue:
            self._queue.append(owner)
        self._asked[owner] = min(1.0, self._control(other, owner))  # what was enough for it is enough again
        fit, likeness = self._fit(other, owner, climb.way.weight), self._likeness(other, owner, math.inf)
        self._climbs[owner] = Climb(other, climb.way, fit, likeness)
        self._keep(owner, 2.0, UNKNOWN, other)
        return True

    def _let_others(self, slot: int) -> None:
        """Put an open slot behind all others."""
        self._queue.remove(slot)
        self._queue.append(slot)

    def _begin(self, slot: int) -> None:
        """Start a climb for a slot; what it starts from may settle the slot at once."""
        way = self._ways[0]
        if self._pool:
            shares = np.array([way.settled / way.spent for way in self._ways])
            shares = np.maximum(shares, LEAST * shares.max())
            way = self._ways[int(self.rng.choice(len(shares), p=shares / shares.sum()))]
        if way.start == "anew":
            drawn = [self._judge(next(self._seeds))]
            while len(drawn) < BEGINNINGS and not self._spent():
                drawn.append(self._judge(next(self._seeds)))
            way.spent += len(drawn)
            start = max(drawn, key=lambda member: self._fit(member, slot, way.weight))
        elif way.start in ("near", "kicked"):
            start = self._nearest(slot)
            if way.start == "kicked" and not self._spent():
                start = self._judge(self._kick(start.vector))
                way.spent += 1.0
        else:
            (start,) = self._some_good(1)
        climb = self._climbs[slot] = Climb(start, way, -math.inf)
        self._consider(start, slot, climb)

    def _kick(self, vector: Vector) -> Vector:
        """Return a content with a share of its numbers drawn anew or taken from another good one."""
        changed = self.rng.random(len(vector)) < self.rng.choice(KICKS)
        other = self.layout.sample(self.rng) if self.rng.random() < 0.5 else self._some_good(1)[0].vector
        kicked: Vector = np.where(changed, other, vector)
        return kicked

    def _nearest(self, slot: int) -> Member:
        """Return the good content of some that does best what a control asks, of equal ones the least like the set."""
        good = self._some_good(LOOKED_AT)
        best = self._best[slot]
        if best is not None and best[0] >= 1:
            good.append(best[2])
        controls = [self._control(member, slot) for member in good]
        nearest = [member for member, control in zip(good, controls, strict=True) if control == max(controls)]
        chosen, least = nearest[0], math.inf
        for member in nearest[:COMPARED] if max(controls) >= self._asked[slot] else ():
            likeness = self._likeness(member, slot, least)
            if likeness < least:
                chosen, least = member, likeness
        return chosen

    def _consider(self, member: Member, slot: int, climb: Climb) -> bool:
        """Let a content be the next stand of a climb unless it is worse, and settle the slot; True if it is better."""
        weight = climb.way.weight
        fit, known = self._fit(member, slot, weight), climb.fit
        if fit < known:
            return False
        if fit < 1 + weight * self._asked[slot]:
            climb.member, climb.fit = member, fit
            if member.quality >= 1 and fit > known:
                self._remember(member)
            if member.info is not None and self._pool:
                control = self._control(member, slot)
                self._keep(slot, float(member.quality >= 1) + 0.9 * (control >= 1) + 0.01 * control, 0.0, member)
            return fit > known
        likeness = self._likeness(member, slot, climb.alike)
        if likeness == 0:
            self._settle(slot, member)
            self._remember(member)
            climb.way.settled += 1.0
            return True
        if likeness == math.inf and climb.alike < math.inf:
            return False
        best = self._best[slot]
        if best is None or best[0] < 2:
            self._let_others(slot)  # they reach quality and control before any becomes unlike
        better = likeness < climb.alike
        climb.member, climb.fit, climb.alike = member, fit, likeness
        self._keep(slot, 2.0, likeness, member)
        return better

    def _keep(self, slot: int, worth: float, likeness: float, member: Member) -> None:
        """Let a content be the answer for a slot as long as it is open, unless the one known is better."""
        known = self._best[slot]
        if known is None or (worth, -likeness) >= (known[0], -known[1]):
            self._best[slot] = worth, likeness, member

    def _settle(self, slot: int, member: Member) -> None:
        """Settle a slot; who waits has one more to be unlike.

        A slot that has asked less of control is searched on for a content that does all that its control asks, which
        takes the place of this one.
        """
        before = self.settled[slot]
        if before is not None:
            self._front = [other for other in self._front if other is not before]
        self.settled[slot] = member
        number = self._number_settled()
        if number > self._most or before is not None:  # taking the place of another content is no gain
            self._most = max(self._most, number)
            self._took.append(self.judged - self._gained)
            self._vain = 0
            self._gained = self.judged
            self._lately.append(self.judged)
        self._climbs[slot] = self._best[slot] = None
        self._front.insert(0, member)
        self._queue.remove(slot)
        if self._control(member, slot) < 1:
            self._asked[slot] = 1.0
            self._queue.append(slot)
        for k in self._queue:
            climb, best = self._climbs[k], self._best[k]
            if climb is not None and climb.alike < math.inf:
                climb.alike += self._similarity(climb.member, member)
            if best is not None and best[0] >= 2:
                self._best[k] = best[0], best[1] + self._similarity(best[2], member), best[2]
