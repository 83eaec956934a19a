"""The parts of the judgement of a level, and the papers that their measures follow."""

from __future__ import annotations

from collections.abc import Mapping

from pcg.evaluators.metrics.sources import CANOSSA, KHALIFA, LIAPIS, LUCAS, NIELSEN, SURVIVAL

SOURCES: Mapping[str, str] = {
    "skill": NIELSEN, "pacing": SURVIVAL, "purpose": LIAPIS, "composition": CANOSSA, "conventions": LUCAS,
    "clarity": CANOSSA, "difficulty": KHALIFA,
}  # fmt: skip
"""Part -> the paper that its measures follow."""
PARTS: tuple[str, ...] = tuple(SOURCES)
"""Names of the parts, in order."""
