"""Boxes put down so that they can be pushed where they belong: found by playing backwards.

Backwards, a box is pulled from its target by an avatar that walks away from it (the way Sokoban levels have been made
since Taylor and Parberry 2011). The last box pulled is the first one pushed. One box is moved at a time, the others
stand: those still to be pulled in their targets, those pulled where they ended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pcg.evaluators.level_grid import FREE, Mask
from pcg.generators.levels.grammar.ground import SIDES, Cell, Ground

State = tuple[Cell, Cell]
"""Where a box is and where the avatar stands beside it."""
MOST_STATES = 4000
"""Places of box and avatar looked at for one box."""


@dataclass
class Warehouse:
    """Targets and boxes of one level, to be filled in by `pull`."""

    ground: Ground
    targets: list[Cell] = field(default_factory=list)
    boxes: list[Cell] = field(default_factory=list)
    """Where the boxes of the first targets stand."""
    stand: Cell | None = None
    """Where the avatar ends when all is played backwards: it must be able to come from its start to there."""

    def open_cells(self) -> Mask:
        """Cells a box or the avatar can be on: bare ones that nothing stands on but the avatar itself."""
        palette = self.ground.palette
        open_cells: Mask = palette.access[self.ground.grid] == FREE
        for cell in (*self.targets, *self.boxes, *self.ground.locks):
            open_cells[cell] = False
        return open_cells

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
        open_cells = self.open_cells()
        open_cells[target] = True
        within = self.ground.within
        ends: dict[Cell, tuple[int, State]] = {}
        came: dict[State, State | None] = {}
        frontier: list[State] = []
        for dy, dx in SIDES:
            stand = (target[0] + dy, target[1] + dx)
            # The avatar of the box before must be able to come here with this box in its target.
            if self._open(open_cells, stand) and self._joined(open_cells, target, stand, self.stand):
                frontier.append((target, stand))
        came.update(dict.fromkeys(frontier))
        for pulls in range(1, most + 1):
            following: list[State] = []
            for box, stand in frontier:
                dy, dx = stand[0] - box[0], stand[1] - box[1]
                beyond = (stand[0] + dy, stand[1] + dx)
                if not self._open(open_cells, beyond) or len(came) > MOST_STATES:
                    continue
                around = self._region(open_cells, stand, beyond)
                if stand not in ends and (within is None or within[stand]) and not self.ground.reserved[stand]:
                    ends[stand] = (pulls, (stand, beyond))
                for ey, ex in SIDES:
                    side = (stand[0] + ey, stand[1] + ex)
                    if side in around and (stand, side) not in came:
                        came[stand, side] = (box, stand)
                        following.append((stand, side))
            frontier = following
        end = self._settle(open_cells, target, ends, rng, least)
        if end is not None:
            self._keep_free(end, came)
            return end[0]
        return None

    def _settle(
        self, open_cells: Mask, target: Cell, ends: dict[Cell, tuple[int, State]], rng: np.random.Generator, least: int
    ) -> State | None:
        """Draw one of the cells, those from the wanted number of pushes on first; the avatar must get out of there."""
        far = [c for c, (pulls, _) in ends.items() if pulls >= least]
        near = [c for c in ends if c not in far]
        order = [cells[i] for cells in (far, near) for i in rng.permutation(len(cells)).tolist()]
        start = self.ground.avatar
        for cell in order:
            state = ends[cell][1]
            if self._joined(open_cells, cell, state[1], start):
                self.targets.append(target)
                self.boxes.append(cell)
                self.stand = state[1]
                return state
        return None

    def _keep_free(self, end: State, came: dict[State, State | None]) -> None:
        """Let nothing be put where the box goes, nor where it is pushed from."""
        state: State | None = end
        while state is not None:
            for cell in state:
                self.ground.reserve(cell)
            state = came[state]

    def _open(self, open_cells: Mask, cell: Cell) -> bool:
        height, width = open_cells.shape
        return 0 <= cell[0] < height and 0 <= cell[1] < width and bool(open_cells[cell])

    def _joined(self, open_cells: Mask, box: Cell, stand: Cell, other: Cell | None) -> bool:
        """Whether the avatar can walk between two cells with a box in its way."""
        return other is None or other in self._region(open_cells, box, stand)

    def _region(self, open_cells: Mask, box: Cell, stand: Cell) -> set[Cell]:
        """The cells an avatar can walk to with one box standing (only asked for membership, never gone through)."""
        found, frontier = {stand}, [stand]
        avatar = self.ground.avatar
        while frontier:
            y, x = frontier.pop()
            for dy, dx in SIDES:
                n = (y + dy, x + dx)
                if n not in found and n != box and (n == avatar or self._open(open_cells, n)):
                    found.add(n)
                    frontier.append(n)
        return found
