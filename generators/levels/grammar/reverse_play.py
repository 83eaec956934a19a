"""Placement of boxes that can be pushed home, by playing backwards.

Backwards, a box is pulled from its target by an avatar that walks away from it (the way Sokoban levels have been made
since Taylor and Parberry 2011). The last box pulled is the first one pushed. One box is moved at a time, the others
stand: those still to be pulled in their targets, those pulled where they ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from pcg.evaluators.level_grid import FREE, Mask
from pcg.generators.levels.grammar.mission_map import SIDES, Cell, MissionMap

State = tuple[Cell, Cell]
"""Cell of a box and cell of the avatar beside it."""
MOST_STATES = 4000
"""Places of box and avatar looked at for one box."""


@dataclass
class BoxPlacer:
    """Targets and boxes of one level, to be filled in by `pull`."""

    level: MissionMap
    ways: list[list[Cell]] = field(default_factory=list)
    """The cells each box goes over, from where it starts to its target; the last box is pushed first."""

    def pull(self, target: Cell, rng: np.random.Generator, *, least: int = 2, most: int = 12) -> Cell | None:
        """Add a target and the box for it.

        Args:
            target: where the box belongs; nothing may stand there.
            rng: draws one of the cells the box can come from.
            least: fewest pushes that are wanted (fewer where there is no better).
            most: most pushes.

        Returns:
            The cell of the box, None when none can be pushed there; then nothing was added.
        """
        open_cells = self._open_cells({c for way in self.ways for c in (way[0], way[-1])})
        open_cells[target] = True
        within = self.level.within
        ends: dict[Cell, tuple[int, State]] = {}
        sides = [(target[0] + dy, target[1] + dx) for dy, dx in SIDES]
        frontier: list[State] = [(target, side) for side in sides if _is_open(open_cells, side)]
        came: dict[State, State | None] = dict.fromkeys(frontier)
        for pulls in range(1, most + 1):
            following: list[State] = []
            for box, stand in frontier:
                beyond = _beyond(box, stand)
                if not _is_open(open_cells, beyond) or len(came) > MOST_STATES:
                    continue
                if stand not in ends and (within is None or within[stand]) and not self.level.reserved[stand]:
                    ends[stand] = (pulls, (box, stand))
                around = self._region(open_cells, stand, beyond)
                for dy, dx in SIDES:
                    side = (stand[0] + dy, stand[1] + dx)
                    if side in around and (stand, side) not in came:
                        came[stand, side] = (box, stand)
                        following.append((stand, side))
            frontier = following
        far = [c for c, (pulls, _) in ends.items() if pulls >= least]
        near = [c for c in ends if c not in far]
        order: list[Cell] = [cells[i] for cells in (far, near) for i in rng.permutation(len(cells)).tolist()]
        for cell in order:
            way = [cell]
            state: State | None = ends[cell][1]
            while state is not None:
                way.append(state[0])
                state = came[state]
            if self._plays([*self.ways, way]):
                self.ways.append(way)
                for here, there in pairwise(way):
                    for kept in (here, there, _beyond(there, here)):
                        self.level.reserve(kept)
                return cell
        return None

    def _plays(self, ways: list[list[Cell]]) -> bool:
        """Return whether the avatar can push one box after the other home, each target filled from then on."""
        here = self.level.avatar
        if here is None:
            return False
        taken = {c for way in ways for c in (way[0], way[-1])}
        for way in reversed(ways):
            open_cells = self._open_cells(taken - {way[0], way[-1]})
            for box, to in pairwise(way):
                if _beyond(to, box) not in self._region(open_cells, box, here):
                    return False
                here = box
            taken.discard(way[0])
        return True

    def _open_cells(self, taken: set[Cell]) -> Mask:
        """Cells a box or the avatar can be on: bare ones that nothing stands on but the avatar itself."""
        palette = self.level.palette
        open_cells: Mask = palette.access[self.level.grid] == FREE
        for cell in (*taken, *self.level.locks):
            open_cells[cell] = False
        for way in self.ways:
            # A box is what stands where its way begins, and its target may be what is not to be stepped on.
            for cell in (way[0], way[-1]):
                open_cells[cell] = cell not in taken
        return open_cells

    def _region(self, open_cells: Mask, box: Cell, stand: Cell) -> set[Cell]:
        """The cells an avatar can walk to with one box standing (only asked for membership, never gone through)."""
        found, frontier = {stand}, [stand]
        avatar = self.level.avatar
        while frontier:
            y, x = frontier.pop()
            for dy, dx in SIDES:
                n = (y + dy, x + dx)
                if n not in found and n != box and (n == avatar or _is_open(open_cells, n)):
                    found.add(n)
                    frontier.append(n)
        return found


def _is_open(open_cells: Mask, cell: Cell) -> bool:
    height, width = open_cells.shape
    return 0 <= cell[0] < height and 0 <= cell[1] < width and bool(open_cells[cell])


def _beyond(box: Cell, stand: Cell) -> Cell:
    """The cell behind the one beside a box: where the avatar comes to by pulling, where it pushes from."""
    return 2 * stand[0] - box[0], 2 * stand[1] - box[1]
