"""Attributes that threads ask for at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from pcg.engine.lazy import cached_property, shared_property


class Meeting:
    """Objects whose attribute is computed when as many threads as it has guests are computing it."""

    def __init__(self, barrier: threading.Barrier) -> None:
        self._barrier = barrier

    @cached_property
    def place(self) -> int:
        """Wait for the others."""
        return self._barrier.wait(timeout=10)


class Crossing:
    """Two attributes that ask for each other's like, as an own level's search and a level's do."""

    def __init__(self, other: Crossing | None, barrier: threading.Barrier) -> None:
        self._other = other
        self._barrier = barrier

    @cached_property
    def first(self) -> int:
        """Ask the other object for its second."""
        self._barrier.wait(timeout=10)
        return self._other.second + 1 if self._other is not None else 1

    @cached_property
    def second(self) -> int:
        """Ask the other object for its first."""
        self._barrier.wait(timeout=10)
        return self._other.first + 1 if self._other is not None else 2


class Counted:
    """An attribute that counts how often it is computed."""

    def __init__(self) -> None:
        self.computed = 0
        self.begun = threading.Event()

    @shared_property
    def value(self) -> object:
        """Take long enough for other threads to ask, too."""
        self.computed += 1
        self.begun.wait(timeout=0.2)
        return object()


def test_an_attribute_of_two_objects_is_computed_at_the_same_time() -> None:
    barrier = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        places = list(pool.map(lambda meeting: meeting.place, [Meeting(barrier), Meeting(barrier)]))
    assert sorted(places) == [0, 1]


def test_threads_that_ask_in_different_order_do_not_wait_for_each_other() -> None:
    both, alone = threading.Barrier(2), threading.Barrier(1)
    one, two = Crossing(Crossing(None, alone), both), Crossing(Crossing(None, alone), both)
    found: list[int] = []
    asking = [
        threading.Thread(target=lambda: found.append(one.first), daemon=True),
        threading.Thread(target=lambda: found.append(two.second), daemon=True),
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(timeout=20)
    assert sorted(found) == [2, 3]


def test_a_shared_attribute_is_computed_once_for_all_threads() -> None:
    counted = Counted()
    with ThreadPoolExecutor(4) as pool:
        values = list(pool.map(lambda _: counted.value, range(4)))
    assert counted.computed == 1
    assert len({id(value) for value in values}) == 1
    assert Counted().value is not values[0]
