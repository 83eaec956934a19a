"""Check of finished levels: the order of the mission holds, and the steps that winning takes are counted.

Both are told from distances on the grid, not from how the level was built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pcg.evaluators.level_grid import PUSH, distances
from pcg.generators.levels.grammar.mission import Mission
from pcg.generators.levels.grammar.mission_map import SIDES, Cell, MissionLayout, MissionMap

AROUND_A_BOX = 4
"""Steps to the right side of a box and around it at its turns."""


def mission_order_holds(
    level: MissionMap, mission: Mission, plan: MissionLayout, cells: Mapping[int, Sequence[Cell]]
) -> bool:
    """Return whether the geometry enforces a mission.

    Args:
        level: the finished level.
        mission: its locks all stand in gaps of the plan.
        plan: where the gaps are.
        cells: where the things of each node stand.

    Returns:
        True when the avatar can come to the keys of one lock after the other and so to everything, and when, for each
        lock on its own, nothing that comes after it can be come to while it is shut and all others are open.
    """
    if level.avatar is None:
        return False
    gaps = plan.gaps
    opened: set[int] = set()
    steps = _steps(level, [])
    while len(opened) < len(gaps):
        ready = [
            lock for lock in gaps
            if lock not in opened and steps[gaps[lock].before] >= 0
            and all(steps[c] >= 0 for key in mission.keys_of(lock) for c in cells.get(key, ()))
        ]  # fmt: skip
        if not ready:
            return False
        opened.update(ready)
        steps = _steps(level, [gaps[lock].cell for lock in sorted(opened)])
    for found in cells.values():
        # What cannot be stepped on is reached from beside it.
        if any(all(steps[c] < 0 for c in _around(cell, steps.shape)) for cell in found):
            return False
    for lock, gap in gaps.items():
        shut = _steps(level, [other.cell for name, other in gaps.items() if name != lock])
        after = mission.descendants(lock)[1:]
        if shut[gap.behind] >= 0 or any(shut[c] >= 0 for node in after for c in cells.get(node, ())):
            return False
        if any(shut[c] < 0 for key in mission.keys_of(lock) for c in cells.get(key, ())):
            return False
    return True


def steps_to_win(
    level: MissionMap, mission: Mission, plan: MissionLayout, cells: Mapping[int, Sequence[Cell]]
) -> int | None:
    """Estimate the steps that winning takes: always to the nearest of what is left to be done and can be come to.

    Args:
        level: the finished level.
        mission: its keys are visited before their locks.
        plan: where the locks are.
        cells: where the things of each node stand.

    Returns:
        The steps; None where they say nothing (avatars that keep to a line, games won by time).
    """
    analysis, palette = level.context.analysis, level.palette
    goals = {t for e in analysis.wins if e.kind == "vanish" for t in e.types}
    start = level.avatar
    if not goals or analysis.mobility != "freely" or start is None:
        return None
    tiles = [i for i, tile in enumerate(palette.tiles) if any(t in goals for t in tile.content)]
    wanted = {(y, x) for y, x in np.argwhere(np.isin(level.grid, tiles)).tolist()}
    locks = {gap.cell: lock for lock, gap in plan.gaps.items()}
    boxes = [cell for found in cells.values() for cell in found if palette.access[level.grid[cell]] == PUSH]
    wanted.update(boxes)
    needed = _needed(mission, locks, wanted, cells)
    wanted |= {cell for cell, lock in locks.items() if lock in needed}
    wanted |= {c for lock in needed for key in mission.keys_of(lock) for c in cells.get(key, ())}
    left, total, here = sorted(wanted), AROUND_A_BOX * len(boxes), start
    opened: list[Cell] = []
    while left:
        mask = level.walkable()
        for cell in (*opened, here):
            mask[cell] = True
        steps = distances(palette, level.grid, here, mask=mask)
        near: list[tuple[int, Cell]] = []
        for cell in left:
            lock = locks.get(cell)
            shut = lock is not None and any(c in left for key in mission.keys_of(lock) for c in cells.get(key, ()))
            reached = int(steps[cell])
            if reached < 0:
                beside = [int(steps[c]) for c in _around(cell, steps.shape) if steps[c] >= 0]
                reached = min(beside) + 1 if beside else -1
            if reached >= 0 and not shut:
                near.append((reached, cell))
        if not near:
            break
        further, here = min(near)
        total += int(further)
        left.remove(here)
        if here in locks:
            opened.append(here)
    return total


def _needed(
    mission: Mission, locks: Mapping[Cell, int], wanted: set[Cell], cells: Mapping[int, Sequence[Cell]]
) -> set[int]:
    """The locks that winning takes: goals themselves, or between the start and a goal or the key of such a lock."""
    needed: set[int] = set()
    places = [n for n, found in cells.items() if any(c in wanted for c in found)]
    for node in places:
        at: int | None = node
        while at is not None:
            if mission.symbol(at) == "lock" and at not in needed:
                needed.add(at)
                places += mission.keys_of(at)
            at = mission.predecessor(at)
    return {lock for lock in needed if lock in locks.values()}


def _around(cell: Cell, shape: tuple[int, ...]) -> list[Cell]:
    """A cell and those that share a side with it."""
    y, x = cell
    near = [(y, x), *((y + dy, x + dx) for dy, dx in SIDES)]
    return [c for c in near if 0 <= c[0] < shape[0] and 0 <= c[1] < shape[1]]


def _steps(level: MissionMap, opened: Sequence[Cell]) -> NDArray[np.int32]:
    """Steps to every cell with only these locks open."""
    start = level.avatar
    assert start is not None
    mask = level.walkable()
    for cell in opened:
        mask[cell] = True
    return distances(level.palette, level.grid, start, mask=mask)
