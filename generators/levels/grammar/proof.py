"""Whether a finished level keeps the order of its mission: told from distances on the grid, not from how it was built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import distances
from pcg.generators.levels.grammar.ground import SIDES, Cell, Ground, Plan
from pcg.generators.levels.grammar.mission import Mission


def order_holds(ground: Ground, mission: Mission, plan: Plan, cells: Mapping[int, Sequence[Cell]]) -> bool:
    """Whether the geometry enforces a mission.

    Args:
        ground: the finished level.
        mission: its locks all stand in gaps of the plan.
        plan: where the gaps are.
        cells: where the things of each node stand.

    Returns:
        True when the avatar can come to the keys of one lock after the other and so to everything, and when, for each
        lock on its own, nothing that comes after it can be come to while it is shut and all others are open.
    """
    if ground.avatar is None:
        return False
    gaps = plan.gaps
    opened: set[int] = set()
    steps = _steps(ground, [])
    while len(opened) < len(gaps):
        ready = [
            lock for lock in gaps
            if lock not in opened and steps[gaps[lock].before] >= 0
            and all(steps[c] >= 0 for key in mission.keys_of(lock) for c in cells.get(key, ()))
        ]  # fmt: skip
        if not ready:
            return False
        opened.update(ready)
        steps = _steps(ground, [gaps[lock].cell for lock in sorted(opened)])
    height, width = steps.shape
    for found in cells.values():
        for y, x in found:
            # What cannot be stepped on is reached from beside it.
            near = [(y, x), *((y + dy, x + dx) for dy, dx in SIDES)]
            if all(steps[c] < 0 for c in near if 0 <= c[0] < height and 0 <= c[1] < width):
                return False
    for lock, gap in gaps.items():
        shut = _steps(ground, [other.cell for name, other in gaps.items() if name != lock])
        after = mission.below(lock)[1:]
        if shut[gap.behind] >= 0 or any(shut[c] >= 0 for node in after for c in cells.get(node, ())):
            return False
        if any(shut[c] < 0 for key in mission.keys_of(lock) for c in cells.get(key, ())):
            return False
    return True


def _steps(ground: Ground, opened: Sequence[Cell]) -> NDArray[np.int32]:
    """Steps to every cell with only these locks open."""
    start = ground.avatar
    assert start is not None
    mask = ground.walkable()
    for cell in opened:
        mask[cell] = True
    return distances(ground.palette, ground.grid, start, mask=mask)
