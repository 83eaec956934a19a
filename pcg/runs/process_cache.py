"""Cache of one process for what its evaluations share, such as an evaluator, which takes long to build."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ProcessCache(Generic[K, V]):
    """Values by key, the last few that were made; each is built once, whichever thread comes first.

    Args:
        build: makes the value of a key.
        most: values that are kept.

    >>> squares = ProcessCache(lambda k: print("building") or k * k)
    >>> squares.get(3), squares.get(3)
    building
    (9, 9)
    """

    def __init__(self, build: Callable[[K], V], most: int = 4) -> None:
        self._build = build
        self._most = most
        self._lock = threading.Lock()
        self._values: dict[K, V] = {}

    def get(self, key: K) -> V:
        """Return the value of a key, built if it is not there."""
        with self._lock:
            if key not in self._values:
                self._put(key, self._build(key))
            return self._values[key]

    def put(self, key: K, value: V) -> None:
        """Take a value that was built elsewhere, as by the run itself."""
        with self._lock:
            self._put(key, value)

    def _put(self, key: K, value: V) -> None:
        self._values[key] = value
        if len(self._values) > self._most:
            del self._values[next(iter(self._values))]
