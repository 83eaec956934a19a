"""Elites of a portfolio: good levels, no two of them alike, from which parents are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.evaluators.metrics.skeletons import StructuralShape

PRESSURE = 3
"""Levels drawn for each parent, of which the best is taken."""


@dataclass(frozen=True, slots=True)
class Elite:
    """A level that was evaluated."""

    text: str
    value: float
    """Fitness, or how nearly the constraints are kept, in [0, 1]."""
    id: int


class Elites:
    """The best levels at a distance of at least `niche` from one another.

    Args:
        size: most that are kept.
        niche: least distance, in [0, 1].
        shape: what is compared of a level text.
    """

    def __init__(self, size: int, niche: float, shape: Callable[[str], StructuralShape]) -> None:
        self.size = size
        self.niche = niche
        self._shape_of = shape
        self.members: list[Elite] = []
        """Levels, best first."""
        self.shapes: list[StructuralShape] = []
        """Their shapes, in the same order; empty without a niche."""
        self._texts: set[str] = set()

    def knows(self, text: str) -> bool:
        """Return True for a level that is one of these."""
        return text in self._texts

    def nearness(self, text: str, reach: float) -> float:
        """Return how near a level is to the nearest of these: 1 for the same, 0 from a distance of `reach` on."""
        shape = self._shape_of(text)
        return max(0.0, max((1.0 - shape.distance(other) / reach for other in self.shapes), default=0.0))

    def add(self, one: Elite) -> bool:
        """Add a level unless a better one is like it, and remove worse ones like it; returns True if it was added."""
        if one.text in self._texts:
            return False
        members, shapes = self.members, self.shapes
        if self.niche > 0.0:
            shape = self._shape_of(one.text)
            near = [k for k, other in enumerate(shapes) if shape.distance(other) < self.niche]
            if any(members[k].value >= one.value for k in near):
                return False
            gone = set(near)
            pairs = [(m, s) for k, (m, s) in enumerate(zip(members, shapes, strict=True)) if k not in gone]
            pairs.append((one, shape))
            pairs.sort(key=lambda pair: (-pair[0].value, pair[0].id))
            del pairs[self.size :]
            self.members, self.shapes = [m for m, _ in pairs], [s for _, s in pairs]
        else:
            self.members = sorted([*members, one], key=lambda m: (-m.value, m.id))[: self.size]
        self._texts = {m.text for m in self.members}
        return one.text in self._texts

    def rank(self, one: Elite) -> int:
        """Return the number of elites that are better than a level."""
        return sum(other.value > one.value for other in self.members)

    def draw(self, rng: np.random.Generator, number: int) -> list[Elite]:
        """Return up to `number` different parents, each the best of a few."""
        drawn: list[Elite] = []
        for _ in range(number):
            rest = [m for m in self.members if m not in drawn]
            if rest:
                drawn.append(rest[int(rng.integers(len(rest), size=PRESSURE).min())])
        return drawn

    def state(self) -> list[list[Any]]:
        """Return the levels as JSON."""
        return [[one.text, one.value, one.id] for one in self.members]

    def load_state(self, state: Iterable[Sequence[Any]]) -> None:
        """Take the levels that `state` returned."""
        self.members = [Elite(str(text), float(value), int(number)) for text, value, number in state]
        self.shapes = [self._shape_of(one.text) for one in self.members] if self.niche > 0.0 else []
        self._texts = {one.text for one in self.members}
