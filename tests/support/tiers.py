"""Numbers that depend on the tier: many examples in the full one, few in the fast one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

FAST_EXAMPLES = 25
"""Examples of a property test in the fast tier."""

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fast")
"""The hypothesis profile in use: `fast`, `full` or `explore`."""


def examples(full: int) -> int:
    """Return the number of examples of a property test: `full` of them in the full tier, at most 25 in the fast one."""
    return min(full, FAST_EXAMPLES) if PROFILE == "fast" else full


def first_fast(values: Iterable[Any], count: int = 1, rest: str = "full") -> list[Any]:
    """Return parameters of a test of which the first `count` are of the fast tier and the others of the full one alone.

    `rest` is the marker that the others get.

    >>> [value if isinstance(value, str) else value.marks[0].name for value in first_fast(["a", "b"])]
    ['a', 'full']
    """
    found = list(values)
    return [*found[:count], *(pytest.param(value, marks=getattr(pytest.mark, rest)) for value in found[count:])]
