"""Numbers that depend on the tier: many examples in the full one, few in the fast one."""

from __future__ import annotations

import os

FAST_EXAMPLES = 25
"""Examples of a property test in the fast tier."""

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fast")
"""The hypothesis profile in use: `fast`, `full` or `explore`."""


def examples(full: int) -> int:
    """Return the number of examples of a property test: `full` of them in the full tier, at most 25 in the fast one."""
    return min(full, FAST_EXAMPLES) if PROFILE == "fast" else full
