"""Memory of the process: large arrays are mapped by themselves, and code that is done with has no pages."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pcg.engine.game import load
from pcg.engine.memory import map_large_arrays, release_code

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="for Linux")

MAPPED = """
import ctypes
import numpy as np
from pcg.engine.memory import map_large_arrays

class Statistics(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena o s h mapped u f used free keep".split()]

library = ctypes.CDLL(None)
library.mallinfo2.restype = Statistics
if {asked}:
    assert map_large_arrays()
for _ in range(2):
    large = np.empty(1 << 24, dtype=np.int8)
    del large
before = library.mallinfo2().mapped
array = np.empty(1 << 22, dtype=np.int8)
print(library.mallinfo2().mapped - before >= array.nbytes)
"""
PAGES = """
import re
from pathlib import Path
import pcg

pcg.load("boxes").start(level=0, seed=1)
held, code = 0, False
for line in Path("/proc/self/smaps").read_text().splitlines():
    if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
        code = " r-xp " in line and line.endswith("libllvmlite.so")
    elif code and line.startswith("Rss:"):
        held += int(line.split()[1])
print(held < 10_000)
"""


def said(program: str) -> str:
    """Run a program of its own; returns what it prints."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


@linux
@pytest.mark.parametrize("asked", [False, True])
def test_a_large_array_is_mapped_by_itself_whatever_was_freed_before(asked: bool) -> None:
    if not map_large_arrays():
        pytest.skip("not glibc")
    assert said(MAPPED.format(asked=asked)) == str(asked)


@linux
def test_what_loads_the_kernels_keeps_no_pages_of_its_code() -> None:
    assert said(PAGES) == "True"


@linux
def test_code_that_was_given_back_runs_as_before() -> None:
    before = load("boxes").start(0, seed=1).to_bytes()
    assert release_code("no such library") == 0
    assert release_code("libllvmlite.so") > 0
    assert load("boxes").start(0, seed=1).to_bytes() == before


def test_a_level_played_with_few_states_has_memory_for_few() -> None:
    state = load("boxes").start(0, seed=1)
    arena = state.context.arena(state.context.room)
    copies = [state.copy() for _ in range(5)]
    assert len(copies) < arena.blocks <= 16
    copies += [state.copy() for _ in range(200)]
    assert len(copies) < arena.blocks <= 300, "no slab has more than 64"
