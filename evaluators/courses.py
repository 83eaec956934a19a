"""Courses of levels: a few of many, in an order of rising difficulty that introduces one kind of object at a time.

A course is a chain of levels, each harder than the one before, no two alike. A new kind of object should come alone,
among few others, and where it does not kill a beginner; kinds that are known can then be combined (Butler,
Smith, Liu, Popović: A Mixed-Initiative Tool for Designing Level Progressions in Games, UIST 2013; Horn, Cooper,
Deterding: Adapting Cognitive Task Analysis to Elicit the Skill Chain of a Game, 2017). The chain is found by beam
search through the levels in the order of their difficulty.
"""

from __future__ import annotations

import bisect
import functools
import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcg.evaluators.parameters import Setting

BEAM = 8
"""Width of the beam: chains of a length that are kept for each level that they end with; no two know the same."""
LEAST_STEP = 0.004
"""Least difference in difficulty from one level to the next, but for one that only introduces something."""
EQUAL = 6
"""Digits in which difficulties are equal."""
CROWD = 8.0
"""Penalty for each further kind of object that is new in the same level: more than all `STEP`s of a course of ten
levels and a kind that is late in all of them, for else a course of even steps can win over one without crowds."""
COMPANY = 0.06
"""Penalty for each known kind of object in a level that introduces a new one."""
DANGER = 0.4
"""Penalty for a level with a new kind of object, times the share of plays that are lost on it."""
COVERED = 3.5
"""Reward for each kind of object that the course introduces; two at once are worth a little less than neither."""
EARLY = 0.05
"""Penalty for each kind of object that had better be known before one that is new."""
LATE = 0.1
"""Penalty for each kind of object that is still to come, of a level after the first that introduces nothing."""
STEP = 0.6
"""Penalty for the squared relative difference of a step in difficulty from an even step, at most 1."""
DOUBT = 0.3
"""Penalty for two levels of which either may be the harder one: twice the chance that they stand the wrong way around,
by the errors of their difficulties."""
PLACE = 100.0
"""Reward for each level of the course; it outweighs all others."""
EVALUATION: Mapping[str, Setting] = {"min_kinds": 0.0, "min_length": 8, "min_cover": 0.0}
"""Settings of the evaluation for courses: first levels are short and have few objects, of few kinds."""


@dataclass(frozen=True)
class Lesson:
    """A level that can be part of a course.

    Args:
        difficulty: in [0, 1].
        quality: in [0, 1].
        elements: kinds of objects in it that not every level of the game needs.
        lost: share of plays that are lost on it, in [0, 1].
        shape: what `alike` compares.
        error: standard error of the difficulty.
    """

    difficulty: float
    quality: float
    elements: frozenset[str]
    lost: float = 0.0
    shape: Any = None
    error: float = 0.0


@dataclass(frozen=True)
class _Chain:
    """A course from its beginning up to some level."""

    places: tuple[int, ...]
    known: frozenset[str]
    value: float


def choose_course(
    lessons: Sequence[Lesson], count: int, alike: Callable[[Any, Any], bool] = lambda one, other: False,
    order: Sequence[str] = (),
) -> list[int]:  # fmt: skip
    """Return the indices of the levels of a course, in order; fewer than `count` where no more fit together.

    Args:
        lessons: levels to choose from.
        count: levels wanted.
        alike: whether two shapes are too like each other for one course.
        order: kinds of objects in the order in which a beginner had better meet them; of others it does not matter.

    >>> pool = [Lesson(0.1, 0.5, frozenset()), Lesson(0.5, 0.5, frozenset({"door", "bat"})),
    ...         Lesson(0.3, 0.5, frozenset({"door"})), Lesson(0.4, 0.5, frozenset({"bat"}))]
    >>> choose_course(pool, 4)
    [0, 2, 3, 1]
    """
    by_difficulty = sorted(range(len(lessons)), key=lambda k: _place(lessons[k]))
    if not by_difficulty:
        return []
    low, high = lessons[by_difficulty[0]].difficulty, lessons[by_difficulty[-1]].difficulty
    even = max(LEAST_STEP, (high - low) / max(1, count - 1))
    there = frozenset[str]().union(*(lesson.elements for lesson in lessons))
    rank = {kind: place for place, kind in enumerate(kind for kind in order if kind in there)}

    @functools.cache
    def introducing(k: int, known: frozenset[str]) -> float:
        """Return the worth of a level after others that have introduced some kinds, wherever it stands."""
        new = lessons[k].elements - known
        left = [place for kind, place in rank.items() if kind not in known and kind not in new]
        early = sum(place < rank[kind] for kind in new & rank.keys() for place in left)
        return PLACE + _introduction(lessons[k], known) - EARLY * early

    @functools.cache
    def idle(k: int, known: frozenset[str]) -> float:
        """Return the penalty of a level that introduces nothing after others, while there is more to come."""
        return 0.0 if lessons[k].elements - known else LATE * len(there - known)

    ending: dict[int, list[_Chain]] = {}
    best: _Chain | None = None
    for k in by_difficulty:
        lesson = lessons[k]
        near = frozenset(other for other in ending if alike(lesson.shape, lessons[other].shape))
        found: list[tuple[float, tuple[int, ...], frozenset[str]]] = [(-introducing(k, frozenset()), (), frozenset())]
        for other, earlier in ending.items():
            low_step = lesson.difficulty - lessons[other].difficulty < LEAST_STEP
            risen = _rise(lessons[other], lesson, even)
            found += [
                (-(chain.value + risen + introducing(k, chain.known) - idle(k, chain.known)), chain.places, chain.known)
                for chain in earlier
                if len(chain.places) < count and near.isdisjoint(chain.places)
                and not (low_step and len(lesson.elements - chain.known) != 1)
            ]  # fmt: skip
        ending[k] = _fittest(found, k, lesson.elements, count)
        for chain in ending[k]:
            if best is None or chain.value > best.value + 1e-12:
                best = chain
    return list(best.places) if best is not None else []


def _place(lesson: Lesson) -> tuple[float, int]:
    """Return what levels are sorted by: of those that are as hard, the ones with few kinds of objects come first."""
    return round(lesson.difficulty, EQUAL), len(lesson.elements)  # means of equal numbers differ in their last digits


def _introduction(lesson: Lesson, known: frozenset[str]) -> float:
    """Return the reward of a level after others that have introduced some kinds of objects."""
    new = lesson.elements - known
    worth = lesson.quality + COVERED * len(new)
    if new:
        worth -= CROWD * (len(new) - 1) + COMPANY * len(lesson.elements & known) + DANGER * lesson.lost
    return worth


def _rise(before: Lesson, lesson: Lesson, even: float) -> float:
    """Return the reward of the step in difficulty from a level to the next one, at most 0."""
    step = lesson.difficulty - before.difficulty
    error = math.hypot(lesson.error, before.error)
    doubt = DOUBT * math.erfc(step / (math.sqrt(2.0) * error)) if error > 0.0 else 0.0
    return -STEP * min(1.0, ((step - even) / even) ** 2) - doubt


def _fittest(
    found: list[tuple[float, tuple[int, ...], frozenset[str]]], k: int, elements: frozenset[str], count: int
) -> list[_Chain]:
    """Return the best chains of each length that end with a level, one for all that introduce the same.

    Args:
        found: of each chain its negative value, the places before this one, and what these introduce.
        k: the level.
        elements: of the level.
        count: levels wanted.
    """
    kept: dict[tuple[int, frozenset[str]], _Chain] = {}
    room = [BEAM] * (count + 1)
    for cost, before, known in sorted(found, key=lambda chain: chain[:2]):
        length = len(before) + 1
        if room[length] and (key := (length, known | elements)) not in kept:
            kept[key] = _Chain((*before, k), key[1], -cost)
            room[length] -= 1
    return list(kept.values())


def introduced(elements: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return the kinds of objects that each level of a course introduces.

    >>> [sorted(new) for new in introduced([frozenset("a"), frozenset("ab"), frozenset("b")])]
    [['a'], ['b'], []]
    """
    known: frozenset[str] = frozenset()
    found = []
    for own in elements:
        found.append(own - known)
        known |= own
    return found


class Introductions:
    """Kinds of objects that courses of some levels introduce one at a time while difficulty rises; 8 bytes a level.

    Args:
        levels: difficulty and kinds of objects of each.

    >>> sorted(Introductions([(0.1, frozenset("a")), (0.2, frozenset("ab")), (0.3, frozenset("abcd"))]).missing())
    ['c', 'd']
    >>> sorted(Introductions([(0.3, frozenset("a")), (0.2, frozenset("ab")), (0.1, frozenset("b"))]).missing())
    []
    """

    def __init__(self, levels: Iterable[tuple[float, frozenset[str]]] = ()) -> None:
        self._difficulties: dict[frozenset[str], array[float]] = {}  # in order
        for difficulty, kinds in levels:
            self.add(difficulty, kinds)

    def add(self, difficulty: float, kinds: frozenset[str]) -> None:
        """Add a level."""
        known = self._difficulties.setdefault(kinds, array("d"))
        value = round(difficulty, EQUAL)
        place = bisect.bisect_left(known, value)
        if place == len(known) or known[place] != value:
            known.insert(place, value)

    def missing(self) -> frozenset[str]:
        """Return the kinds that no course introduces one at a time; what all levels have needs no introduction."""
        there = frozenset[str]().union(*self._difficulties)
        known = there.intersection(*self._difficulties)
        reached = -math.inf
        # A course that knows more can go wherever one that knows less can, so no introduction is ever better left out.
        while True:
            following = [
                (values[place], kinds)
                for kinds, values in self._difficulties.items()
                if len(kinds - known) == 1 and (place := bisect.bisect_left(values, reached)) < len(values)
            ]
            if not following:
                return there - known
            reached, new = min(following, key=lambda one: one[0])
            known |= new
