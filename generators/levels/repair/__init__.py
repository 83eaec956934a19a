"""Making damaged levels sound again, by few edits that are reported; completing levels that were begun."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from pcg.generators.levels.repair.by_rules import (
    customs,
    mend_avatar,
    mend_counts,
    mend_frame,
    mend_lanes,
    mend_reach,
    repair,
)
from pcg.generators.levels.repair.required_sprites import meet_needs

if TYPE_CHECKING:
    from pcg.generators.levels.repair.completion import complete as complete
    from pcg.generators.levels.repair.level import repair_level as repair_level

_EXPORTS = {"complete": "completion", "repair_level": "level"}
"""What needs the evaluation or the solver, and is therefore imported on first use."""

__all__ = [
    "complete",
    "customs",
    "meet_needs",
    "mend_avatar",
    "mend_counts",
    "mend_frame",
    "mend_lanes",
    "mend_reach",
    "repair",
    "repair_level",
]


def __getattr__(name: str) -> object:
    """Import an exported name on first use (PEP 562)."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'pcg.generators.levels.repair' has no attribute {name!r}")
    return getattr(_import_module(f"pcg.generators.levels.repair.{_EXPORTS[name]}"), name)
