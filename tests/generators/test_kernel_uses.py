"""Uses of the generators' kernels in the slices of `make check` (see tests/engine)."""

from __future__ import annotations

import pytest

import pcg

pytestmark = pytest.mark.kernel


def test_waves_collapse() -> None:
    generator = pcg.make_generator("wfc", pcg.load("boxes"), seed=1, min_width=6, min_height=6)
    (candidate,) = generator.ask(1)
    assert candidate.level.count("A") == 1
