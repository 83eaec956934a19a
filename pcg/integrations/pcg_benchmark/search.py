"""Search for a batch of contents: one for each control, all of full quality, all different from each other.

The three scores of the benchmark ask for a set, so a set is searched: every control is a slot, and whatever is judged
is offered to all slots that are still open. A slot is settled by a content of full quality that does what its control
asks and is unlike everything settled before; until then it keeps the best it has seen, from which most of its next
contents are bred (a local search per slot with neutral moves, in the manner of MAP-Elites, whose cells are the
controls here). Until anything of full quality is known, the slots share one population that is bred for quality alone:
a hundred searches for the first good content would find it a hundred times later.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.integrations.pcg_benchmark.contents import Layout, Vector
from pcg.integrations.pcg_benchmark.starting_contents import starting_contents, tile_mapping

_ELITES = 400
_POPULATION = 60
"""Contents that are bred for quality as long as none is good."""
_TOURNAMENT = 3
_PATIENCE = 60
"""A slot begins anew when so many contents that would do were too like the settled ones."""
_STAY = 10
"""Contents bred in a row for one slot."""


@dataclass(frozen=True, eq=False)
class Member:
    """A judged content."""

    vector: Vector
    info: Any
    quality: float


class BatchSearch:
    """Search for a batch of contents of one problem.

    Args:
        environment: of the benchmark, from `pcg_benchmark.make`.
        name: of the problem; says which of our games it is like, if any.
        controls: what each content of the batch shall do, from the problem's control space.
        seed: of everything drawn here; the environment's spaces are seeded with it too.
        problem: answers `info`, `quality`, `diversity` and `controlability` instead of the environment's problem.

    Attributes:
        judged: contents that the benchmark has judged so far.
        settled: for each control the content that settled it, or None.
    """

    def __init__(self, environment: Any, name: str, controls: Sequence[Any], seed: int, *, problem: Any = None) -> None:
        self.environment = environment
        # the pairwise diversity is nowhere else
        self.problem = environment._problem if problem is None else problem
        environment.seed(seed)
        self.layout = Layout(environment.content_space)
        self.controls = list(controls)
        self.rng = np.random.default_rng([seed, 2])
        self.judged = 0
        self.settled: list[Member | None] = [None] * len(self.controls)
        self._best: list[tuple[float, Member] | None] = [None] * len(self.controls)
        self._spare: list[tuple[float, Member] | None] = [None] * len(self.controls)
        self._kept: list[tuple[float, Member] | None] = [None] * len(self.controls)
        self._tries = [0] * len(self.controls)
        self._good: list[tuple[float, Member] | None] = [None] * len(self.controls)
        self._population: list[Member] = []
        self._elites: list[Member] = []
        self._front: list[Member] = []  # settled ones, those in whose way others stood last first
        self._seeds: Iterator[Vector] = starting_contents(name, self.layout, seed)
        self._tiles = tile_mapping(name)

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
        end = None if seconds is None else clock() + seconds
        turn = 0
        while self._open and (evaluations is None or self.judged < evaluations):
            if end is not None and clock() >= end:
                break
            # a slot is worked on for a while, so that its comparisons are with the same others
            slot = self._open[turn // _STAY % len(self._open)]
            turn += 1
            self._offer(self._judge(self._vary(slot)), slot)
            if progress is not None and turn % 50 == 0:
                progress(self.judged, len(self.controls) - len(self._open))
        return [self.layout.content(self._answer(slot)) for slot in range(len(self.controls))]

    @property
    def _open(self) -> list[int]:
        return [slot for slot, member in enumerate(self.settled) if member is None]

    def _answer(self, slot: int) -> Vector:
        settled = self.settled[slot]
        if settled is not None:
            return settled.vector
        known = self._spare[slot] or self._kept[slot] or self._good[slot] or self._best[slot]
        return self.layout.sample(self.rng) if known is None else known[1].vector

    # --- judging ------------------------------------------------------------------------------------------------------

    def _judge(self, vector: Vector) -> Member:
        """Ask the problem about a content."""
        self.judged += 1
        info = self.problem.info(self.layout.content(vector))
        return Member(vector, info, float(self.problem.quality(info)))

    def _offer(self, member: Member, slot: int) -> None:
        """Let the slot it was made for have a look, and all open ones if it is good."""
        good = member.quality >= 1
        looking = self._open if good else [slot]
        fit = [(k, float(self.problem.controlability(member.info, self.controls[k]))) for k in looking]
        if good:
            self._remember(member)
            fulfilling = [k for k, value in fit if value >= 1]
            if fulfilling:
                self._settle(member, fulfilling, slot)
        else:
            self._improve(member)
        for k, value in fit:
            known = self._best[k]
            score = member.quality + value
            if known is None or score >= known[0]:  # equal ones replace each other: plateaus are crossed so
                self._best[k] = (score, member)
            held = self._good[k]
            if good and (held is None or value > held[0] or (value == held[0] and k == slot)):
                self._good[k] = (value, member)

    def _improve(self, member: Member) -> None:
        """Let a content that is not good into the population, in place of the worst one that is no better."""
        if self._elites:
            self._population = []  # from now on good ones are bred
        elif len(self._population) < _POPULATION:
            self._population.append(member)
        else:
            qualities = np.array([one.quality for one in self._population])
            worst = np.flatnonzero(qualities == qualities.min())
            if member.quality >= qualities.min():
                self._population[int(worst[int(self.rng.integers(len(worst)))])] = member

    def _remember(self, member: Member) -> None:
        if len(self._elites) < _ELITES:
            self._elites.append(member)
        else:
            self._elites[int(self.rng.integers(_ELITES))] = member

    def _settle(self, member: Member, fulfilling: Sequence[int], slot: int) -> None:
        """Settle one of the slots, or keep the member for those whose spare is more like the settled ones."""
        without = [k for k in fulfilling if self._spare[k] is None]
        own = self._spare[slot if slot in fulfilling else fulfilling[0]]
        similarity = self._total_similarity(member, math.inf if without or own is None else own[0])
        if similarity == 0:
            # the slot that has found least so far: others will have their chance
            place = without[0] if without else slot if slot in fulfilling else fulfilling[0]
            self.settled[place] = member
            self._front.insert(0, member)
            for k in self._open:  # who waits has one more to be unlike
                spare = self._spare[k]
                if spare is not None:
                    self._spare[k] = (spare[0] + self._similarity(spare[1], member), spare[1])
            return
        for k in fulfilling:
            spare = self._spare[k]
            if spare is None or similarity <= spare[0]:
                if spare is None or similarity < spare[0]:
                    self._tries[k] = 0
                self._spare[k] = (similarity, member)
            elif k == slot:
                self._tries[k] += 1
                if self._tries[k] >= _PATIENCE:
                    kept = self._kept[k]
                    if kept is None or spare[0] < kept[0]:
                        self._kept[k] = spare
                    self._tries[k] = 0
                    self._best[k] = self._spare[k] = None  # begin this slot anew

    def _similarity(self, one: Member, other: Member) -> float:
        """Return the similarity of two contents, 0 when they count as different."""
        return 1.0 - float(self.problem.diversity(one.info, other.info))

    def _total_similarity(self, member: Member, limit: float) -> float:
        """Return the summed similarity to the settled ones; infinite as soon as that exceeds `limit`.

        Who is in the way is asked first the next time. Some problems do not answer the same the other way round; that
        is asked only of a member that could settle, because comparing is what takes most of the time.
        """
        total = 0.0
        for reverse in (False, True):
            for place, other in enumerate(self._front):
                like = self._similarity(other, member) if reverse else self._similarity(member, other)
                if like > 0:
                    total += like
                    self._front[: place + 1] = [other, *self._front[:place]]
                    if total > limit:
                        return math.inf
            if total > 0:
                break
        return total

    # --- breeding -----------------------------------------------------------------------------------------------------

    def _vary(self, slot: int) -> Vector:
        """Something to try for a slot: a change of its best or of an elite, or a new start."""
        rng = self.rng
        best = self._best[slot]
        chance = rng.random()
        if best is None or chance < 0.1 or (not self._elites and len(self._population) < _POPULATION):
            return next(self._seeds)
        parent = best[1]
        spare, good = self._spare[slot], self._good[slot]
        if not self._elites:
            parent = self._select()
        elif spare is not None and chance < 0.5:
            parent = spare[1]
        elif chance < (0.65 if good is None else 0.25):
            parent = self._elites[int(rng.integers(len(self._elites)))]
        elif good is not None and chance < 0.85:
            parent = good[1]
        other = self._elites[int(rng.integers(len(self._elites)))] if self._elites else self._select()
        vector = parent.vector.copy()
        for _ in range(1 + int(rng.geometric(0.5))):
            if self.layout.grid is not None:
                self._change_grid(vector.reshape(self.layout.grid), other.vector.reshape(self.layout.grid))
            else:
                self._change_numbers(vector, other.vector)
        vector = self.layout.inside(vector)
        return vector if self._tiles is None else self._tiles.repair(vector, rng)

    def _select(self) -> Member:
        """The best of a few of the population."""
        drawn = [self._population[int(at)] for at in self.rng.integers(len(self._population), size=_TOURNAMENT)]
        return max(drawn, key=lambda member: member.quality)

    def _change_grid(self, grid: Vector, other: Vector) -> None:
        """One change in place: a cell, a swap, a move of something rare, a line, a patch of another, a mirror image."""
        rng = self.rng
        height, width = grid.shape
        y, x = int(rng.integers(height)), int(rng.integers(width))
        kind = int(rng.integers(10))
        if kind < 3:
            grid[y, x] = self.layout.draw(rng, y * width + x)
        elif kind < 5:
            v, u = int(rng.integers(height)), int(rng.integers(width))
            grid[y, x], grid[v, u] = grid[v, u], grid[y, x]
        elif kind < 7:
            values, counts = np.unique(grid, return_counts=True)
            rare = values[counts <= max(1, grid.size // 8)]
            cells = np.argwhere(np.isin(grid, rare))
            if len(cells):
                v, u = cells[int(rng.integers(len(cells)))].tolist()
                grid[y, x], grid[v, u] = grid[v, u], grid[y, x]
        elif kind < 8:
            values, counts = np.unique(grid, return_counts=True)
            value = values[int(rng.choice(len(values), p=counts / counts.sum()))]
            long = 2 + int(rng.integers(max(1, max(height, width) // 2)))
            if rng.random() < 0.5:
                grid[y, x : x + long] = value
            else:
                grid[y : y + long, x] = value
        elif kind < 9:
            rows, columns = 1 + int(rng.integers(height)), 1 + int(rng.integers(width))
            grid[y : y + rows, x : x + columns] = other[y : y + rows, x : x + columns]
        else:
            grid[:] = (grid[::-1], grid[:, ::-1], grid[::-1, ::-1])[int(rng.integers(3))].copy()

    def _change_numbers(self, vector: Vector, other: Vector) -> None:
        """One change in place: a number drawn anew or moved a little, or a stretch of another's."""
        rng = self.rng
        at = int(rng.integers(len(vector)))
        kind = int(rng.integers(4))
        if kind < 2:
            vector[at] = self.layout.draw(rng, at)
        elif kind < 3:
            span = self.layout.high[at] - self.layout.low[at]
            vector[at] += rng.normal() * max(0.1 * span, 1.0 if self.layout.whole[at] else 0.0)
        else:
            end = at + 1 + int(rng.integers(max(1, len(vector) // 4)))
            vector[at:end] = other[at:end]
