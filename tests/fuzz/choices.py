"""Sources of the random decisions of a generated game: one interface, so that hypothesis can shrink them, atheris
can steer them by coverage, and a seed can repeat them in another process.

A source only has to draw integers. Small numbers are the plain choices everywhere in the generator, so that a source
that has run dry (atheris) or is being shrunk (hypothesis) ends in the smallest game.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(ABC):
    """A source of decisions."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included; `low` is the plainest."""

    def chance(self, percent: int) -> bool:
        """True in about `percent` of 100 draws; False is the plain choice."""
        return self.integer(0, 99) >= 100 - percent

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the plainest."""
        return options[self.integer(0, len(options) - 1)]

    def several(self, options: Sequence[T], low: int, high: int) -> list[T]:
        """From `low` to `high` options, repetitions allowed."""
        return [self.pick(options) for _ in range(self.integer(low, high))]


class SeededChoices(Choices):
    """Decisions of a seed: the same in every process."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class DrawnChoices(Choices):
    """Decisions of hypothesis: `draw` is what `st.composite` hands to its function, or `data.draw`."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw
        self._strategies: dict[tuple[int, int], st.SearchStrategy[int]] = {}

    def integer(self, low: int, high: int) -> int:
        strategy = self._strategies.get((low, high))
        if strategy is None:
            strategy = self._strategies[low, high] = st.integers(low, high)
        return self._draw(strategy)


class FuzzedChoices(Choices):
    """Decisions of atheris: `provider` is a `FuzzedDataProvider`, which gives the smallest value when it is empty."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider

    def integer(self, low: int, high: int) -> int:
        return int(self._provider.ConsumeIntInRange(low, high))
