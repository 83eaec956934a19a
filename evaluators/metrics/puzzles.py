"""Measures of levels in which things are pushed: how far the solution is, and what makes it hard to see.

Known where experiments explain what boxes and goals do (`evaluators.pushing`) and few positions are enough to solve the
level; what they mean is said in `pushing.difficulty`.
"""

from __future__ import annotations

from pcg.evaluators.metrics.registry import metric
from pcg.evaluators.metrics.text import LevelText

JARUSEK = "Jarusek, Pelanek: Human Problem Solving: Sokoban Case Study (2010)"
JUNGHANNS = "Junghanns, Schaeffer: Sokoban: Enhancing General Single-Agent Search Methods (2001)"


@metric("pushes", "fewest pushes that solve the level", 0, None, unit="pushes", source=JUNGHANNS, whole=True)
def _pushes(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.pushes


@metric(
    "push_moves", "fewest moves that solve the level, pushes among them", 0, None, unit="moves", source=JUNGHANNS,
    whole=True,
)  # fmt: skip
def _moves(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.moves


@metric(
    "push_effort", "positions that the search for the fewest pushes looks at", 0, None, unit="positions",
    source=JUNGHANNS, whole=True,
)  # fmt: skip
def _effort(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.effort


@metric(
    "push_detour", "pushes beyond what bringing each box home by itself would take", 0, None, unit="pushes",
    source=JARUSEK, whole=True,
)  # fmt: skip
def _detour(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.detour


@metric(
    "push_away", "pushes of the solution that take a box away from every goal, or off a goal", 0, None, unit="pushes",
    source=JARUSEK, whole=True,
)  # fmt: skip
def _away(level: LevelText) -> float | None:
    return None if level.pushing is None else max(level.pushing.away, level.pushing.off_goal)


@metric("push_changes", "how often the solution turns from one box to another", 0, None, source=JARUSEK, whole=True)
def _changes(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.changes


@metric("push_dead_ends", "share of the pushes along the solution that can never be made good", 0, 1, source=JARUSEK)
def _dead_ends(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.dead_ends


@metric("push_order", "share of the solution's pushes that are the only right ones then", 0, 1, source=JARUSEK)
def _order(level: LevelText) -> float | None:
    return None if level.pushing is None else level.pushing.forced
