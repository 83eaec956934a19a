"""Bounds that a run can reach: without the compiler, the tests of the limits run against smaller ones."""

from __future__ import annotations

import pytest
from limits import REAL, Limits, shrink

from pcg.engine.kernel.runtime import COMPILED


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Limits:
    """Bounds of the kernel in this run."""
    return REAL if COMPILED else shrink(monkeypatch.setattr)
