"""Making damaged levels sound again, by few edits that are reported; completing levels that were begun."""

from pcg.generators.levels.repair.mend import (
    customs,
    mend_avatar,
    mend_counts,
    mend_frame,
    mend_lanes,
    mend_reach,
    repair,
)
from pcg.generators.levels.repair.needs import meet_needs

__all__ = ["customs", "meet_needs", "mend_avatar", "mend_counts", "mend_frame", "mend_lanes", "mend_reach", "repair"]
