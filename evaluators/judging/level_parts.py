"""The parts of the judgement of a level, and the papers that their measures follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pcg.evaluators.metrics.sources import CANOSSA, KHALIFA, LIAPIS, LUCAS, NIELSEN, SURVIVAL

SOURCES: Mapping[str, str] = {
    "skill": NIELSEN, "pacing": SURVIVAL, "purpose": LIAPIS, "composition": CANOSSA, "conventions": LUCAS,
    "clarity": CANOSSA, "difficulty": KHALIFA,
}  # fmt: skip
"""Part -> the paper that its measures follow."""
PARTS: tuple[str, ...] = tuple(SOURCES)
"""Names of the parts, in order."""

T = TypeVar("T")


def in_order(parts: Mapping[str, T]) -> dict[str, T]:
    """Return parts by name in the judge's order, which files of JSON do not keep; others after them.

    >>> list(in_order({"clarity": 1, "skill": 2}))
    ['skill', 'clarity']
    """
    return {name: parts[name] for name in (*(p for p in PARTS if p in parts), *(p for p in parts if p not in PARTS))}
