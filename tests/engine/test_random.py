"""java.util.Random, against known values of the Java class."""

from __future__ import annotations

import numpy as np
import pytest

from pcg.engine.kernel.random import next_bits, next_double, next_float, next_int, scramble
from pcg.engine.kernel.runtime import entry_point, invoke3, store_double

pytestmark = pytest.mark.kernel


@entry_point("i8(i8, i8, i8)")
def draw_ints(state, bound, out):
    from_bits = next_bits(state, 32) if bound == 0 else next_int(state, bound)
    return from_bits + 0 * out


@entry_point("i8(i8, i8, i8)")
def draw_reals(state, kind, out):
    store_double(out, next_double(state) if kind == 0 else next_float(state))
    return 0


class JavaRandom:
    def __init__(self, seed: int) -> None:
        self.memory = np.array([scramble(seed), 0], np.int64)
        self.at = int(self.memory.ctypes.data)

    def ints(self, bound: int, n: int) -> list[int]:
        return [invoke3(draw_ints.address, self.at, bound, 0) for _ in range(n)]

    def reals(self, kind: int, n: int) -> list[float]:
        found = []
        for _ in range(n):
            invoke3(draw_reals.address, self.at, kind, self.at + 8)
            found.append(float(self.memory.view(np.float64)[1]))
        return found


def signed(bits: int) -> int:
    return bits - 2**32 if bits >= 2**31 else bits


@pytest.mark.parametrize(
    ("seed", "words", "fours", "tens", "doubles", "floats"),
    [
        (
            0,
            [-1155484576, -723955400],
            [2, 3, 0, 2, 2, 1, 2, 0, 2, 3],
            [0, 8, 9, 7, 5, 3, 1, 1],
            [0.730967787376657, 0.24053641567148587],
            [0.73096776, 0.831441],
        ),
        (
            42,
            [-1170105035, 234785527],
            [2, 0, 2, 0, 1, 3, 1, 2, 2, 0],
            [0, 3, 8, 4, 0, 5, 5, 8],
            [0.7275636800328681, 0.6832234717598454],
            [0.7275637, 0.054665208],
        ),
        (
            -1,
            [1155099827, 1887904451],
            [1, 1, 0, 2, 2, 2, 1, 1, 3, 0],
            [3, 5, 9, 9, 4, 8, 7, 8],
            [0.26894263088050496, 0.012269981921235296],
            [0.2689426, 0.43956196],
        ),
    ],
)
def test_streams_equal_those_of_java(seed, words, fours, tens, doubles, floats):
    assert [signed(b) for b in JavaRandom(seed).ints(0, 2)] == words
    assert JavaRandom(seed).ints(4, 10) == fours
    assert JavaRandom(seed).ints(10, 8) == tens
    assert JavaRandom(seed).reals(0, 2) == doubles
    assert [np.float32(v) for v in JavaRandom(seed).reals(1, 2)] == [np.float32(v) for v in floats]


def test_a_bound_above_half_the_range_rejects_like_java():
    assert JavaRandom(42).ints(2**30 + 1, 3) == [117392763, 102948884, 662969970]


def test_a_choice_among_one_still_draws():
    source = JavaRandom(7)
    before = int(source.memory[0])
    assert source.ints(1, 1) == [0]
    assert int(source.memory[0]) != before
