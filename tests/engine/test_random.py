"""java.util.Random, against known values of the Java class."""

from __future__ import annotations

import re
from pathlib import Path

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


def known_streams() -> list[list[list[float]]]:
    """Seed, then values of nextInt(), nextInt(4), nextInt(10), nextDouble(), nextFloat() (reference/randomness 5.2)."""
    page = Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "randomness.md"
    cells = [line.strip("|").split("|") for line in page.read_text(encoding="utf-8").splitlines()]
    return [[[float(v) for v in cell.split()] for cell in row] for row in cells if re.fullmatch(r" -?\d+ ", row[0])]


@pytest.mark.parametrize(("seed", "words", "fours", "tens", "doubles", "floats"), known_streams())
def test_streams_equal_those_of_java(seed, words, fours, tens, doubles, floats):
    number = int(seed[0])
    assert [signed(b) for b in JavaRandom(number).ints(0, 2)] == words
    assert JavaRandom(number).ints(4, 10) == fours
    assert JavaRandom(number).ints(10, 8) == tens
    assert JavaRandom(number).reals(0, 2) == doubles
    assert [np.float32(v) for v in JavaRandom(number).reals(1, 2)] == [np.float32(v) for v in floats]


def test_a_bound_above_half_the_range_rejects_like_java():
    assert JavaRandom(42).ints(2**30 + 1, 3) == [117392763, 102948884, 662969970]


def test_a_choice_among_one_still_draws():
    source = JavaRandom(7)
    before = int(source.memory[0])
    assert source.ints(1, 1) == [0]
    assert int(source.memory[0]) != before
