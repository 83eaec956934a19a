"""Shape grammar of missions: it cuts the level into places, so that walls enforce the mission's order.

After the shape grammars of Dormans (2010), who lets rooms grow at each other's openings. Here rules cut: the region
of a place is divided by a wall (Stiny and Gips 1972 work on any labelled shape), and what lies behind gets the
part of the mission that comes after. So nothing overlaps, all the land is used, and a mission always finds room, in
the small levels of these games too. What finds none stays in the place before it; a lock without room is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pcg.generators.levels.grammar.decisions import Decisions
from pcg.generators.levels.grammar.language import ARCH, GAP, HERE, PASSAGE, Joint, LevelGrammar
from pcg.generators.levels.grammar.mission import Mission
from pcg.generators.levels.grammar.mission_map import SIDES, Cell, Gap, MissionLayout, MissionMap, Place, Rect
from pcg.generators.levels.wall_layout import build_wall

LEAST = 2
"""Rooms are at least so wide and high."""
ROOMY = ((16, 4), (9, 3))
"""(extent of a region, least extent of either part of it where there is a choice)."""
_SHUT = ("lock", "warp")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A way to cut a region: `inner` stays with the place, `outer` is what lies behind the `wall`."""

    inner: Rect
    outer: Rect
    wall: Rect
    across: bool
    """True if the wall runs along a row."""
    squareness: float


def lay_out(
    level: MissionMap, mission: Mission, grammar: LevelGrammar, decisions: Decisions, wall: int, loops: float = 0.0
) -> MissionLayout:
    """Cut the level into the places of a mission.

    Args:
        level: bare ground; walls are put on it.
        mission: locks (and portals) that find no room are taken out of it.
        grammar: says how places are joined and what stands in them.
        decisions: takes the choices.
        wall: the tile of the walls.
        loops: share of the neighbouring places that are joined once more where no lock keeps them apart.
    """
    builder = _Builder(level, mission, grammar, decisions, wall)
    top, left, bottom, right = level.inside()
    builder.lay(Rect(top, left, bottom, right), mission.root, [], Place(Rect(0, 0, 0, 0), [], -1, None, mission.root))
    builder.join(loops)
    level.invalidate()
    for place in builder.plan.places:
        builder.fill(place)
    return builder.plan


class _Builder:
    def __init__(
        self, level: MissionMap, mission: Mission, grammar: LevelGrammar, decisions: Decisions, wall: int
    ) -> None:
        self.level, self.mission, self.grammar = level, mission, grammar
        self.decisions, self.wall = decisions, wall
        self.plan = MissionLayout()

    def lay(self, region: Rect, node: int, must: list[Cell], before: Place) -> None:
        """Give a region to a node and all that comes after it; `must` are cells its own place has to keep."""
        mission, room = self.mission, region
        entry = must[0] if must else None
        group, must = [node], list(must)
        behind: list[tuple[Rect, int, list[Cell]]] = []
        pending = mission.successors(node)
        while pending:
            # What must have a place of its own chooses first, then what brings most with it.
            pending.sort(key=lambda n: (mission.symbol(n) not in _SHUT, -len(mission.descendants(n)), n))
            child = pending.pop(0)
            made = self._divide(room, child, must, group, pending)
            if made is None:
                group.append(child)
                pending += mission.successors(child)
            else:
                room, outer, inside = made
                behind.append((outer, child, inside))
        zone = node if self.mission.symbol(node) in _SHUT else before.zone
        own = Place(room, group, before.depth + 1, entry, zone)
        self.plan.places.append(own)
        for n in group:
            self.plan.at[n] = len(self.plan.places) - 1
        for outer, child, inside in behind:
            self.lay(outer, child, inside, own)

    def join(self, share: float) -> None:
        """Join neighbouring places once more, so that one can walk in circles; never past a lock or a portal."""
        height, width = self.level.grid.shape
        owner = np.full((height, width), -1)
        for number, place in enumerate(self.plan.places):
            rect = place.rect
            owner[rect.top : rect.bottom, rect.left : rect.right] = number
        between: dict[tuple[int, int], list[Cell]] = {}
        for y, x in np.argwhere(owner < 0).tolist():
            for dy, dx in SIDES[:2]:
                a, b = (y - dy, x - dx), (y + dy, x + dx)
                if not all(0 <= c[0] < height and 0 <= c[1] < width for c in (a, b)):
                    continue
                i, j = sorted((int(owner[a]), int(owner[b])))
                if i >= 0 and i != j and self.plan.places[i].zone == self.plan.places[j].zone:
                    between.setdefault((i, j), []).append((y, x))
        for cells in between.values():
            joined = any(self.level.reserved[c] for c in cells)
            apart = [c for c in cells if not any(self.level.reserved[n] for n in _block(c, (height, width)))]
            if not joined and apart and share > 0 and self.decisions.choose((share, 1 - share)) == 0:
                y, x = apart[self.decisions.number(0, len(apart) - 1)]
                self.level.grid[y, x] = self.level.palette.empty
                for cell in _block((y, x), (height, width)):
                    if cell == (y, x) or (owner[cell] >= 0 and (cell[0] == y or cell[1] == x)):
                        self.level.reserve(cell)

    # -- cutting -------------------------------------------------------------------------------------------------------

    def _divide(
        self, room: Rect, child: int, must: list[Cell], group: list[int], pending: list[int]
    ) -> tuple[Rect, Rect, list[Cell]] | None:
        """Cut off a child's place: (what stays, its region, cells it must keep); None to have it here."""
        symbol = self.mission.symbol(child)
        joint = self._joint(symbol)
        if joint.kind == HERE:
            return None
        share = self._share(child, group, pending)
        length = self.decisions.number(joint.low, joint.high)
        cuts = self._cuts(room, share, length if joint.kind == PASSAGE else 1, must, roomy=True)
        for thick in (length, 1) if joint.kind == PASSAGE else (1,):
            cuts = cuts or self._cuts(room, share, thick, must, roomy=False)
        if not cuts:
            if symbol == "lock":
                self.mission.unlock(child)
            elif symbol == "warp":
                self.mission.rename(child, "room")
            return None
        cut = cuts[self.decisions.choose([c.squareness for c in cuts])]
        if symbol == "warp":
            self._build(cut.wall, ())
            self.plan.warps.append(child)
            return cut.inner, cut.outer, []
        width = length if joint.kind == ARCH else 1
        ways = self._ways(cut, width)
        if not ways and width > 1:
            ways = self._ways(cut, 1)
        if not ways:
            self.mission.unlock(child) if symbol == "lock" else None
            return None
        way = ways[self.decisions.number(0, len(ways) - 1)]
        self._build(cut.wall, way)
        before = [c for c in (self._beside(w, cut.inner) for w in way) if c is not None]
        inside = [c for c in (self._beside(w, cut.outer) for w in way) if c is not None]
        must += before
        for cell in (*way, *before, *inside):
            self.level.reserve(cell)
        if symbol == "lock":
            self.plan.gaps[child] = Gap(way[0], before[0], inside[0])
        return cut.inner, cut.outer, inside

    def _joint(self, symbol: str) -> Joint:
        joints = self.grammar.joints.get(symbol) or (Joint(GAP, 1, 1, 1.0),)
        return joints[self.decisions.choose([j.weight for j in joints])]

    def _share(self, child: int, group: list[int], pending: list[int]) -> float:
        """Return the share of a region that goes to a child: by the number of nodes on either side."""
        own = len(self.mission.descendants(child))
        others = len(group) + sum(len(self.mission.descendants(n)) for n in pending)
        return own / (own + others)

    def _cuts(self, room: Rect, share: float, thick: int, must: Sequence[Cell], *, roomy: bool) -> list[_Cut]:
        """Every side on which a part of about the right size can be cut off, with the cells to keep on this side."""
        found = []
        for across in (True, False):
            extent = room.height if across else room.width
            least = next((n for e, n in ROOMY if extent >= e), LEAST) if roomy else LEAST
            low = min((c[0] if across else c[1] for c in must), default=None)
            high = max((c[0] if across else c[1] for c in must), default=None)
            start, end = (room.top, room.bottom) if across else (room.left, room.right)
            wanted = round(share * (extent - thick)) + self.decisions.number(-1, 1)
            for first in (True, False):
                most = extent - thick - least
                # The wall must not touch a cell to keep.
                if low is not None and high is not None:
                    most = min(most, (low - start if first else end - 1 - high) - thick)
                size = min(max(wanted, least), most)
                if size < least:
                    continue
                at = start + size if first else end - size - thick
                wall = _slice(room, across, at, at + thick)
                outer = _slice(room, across, start, at) if first else _slice(room, across, at + thick, end)
                inner = _slice(room, across, at + thick, end) if first else _slice(room, across, start, at)
                square = min(_square(outer), _square(inner))
                close = 1 / (1 + abs(size - wanted))
                found.append(_Cut(inner, outer, wall, across, (square**2) * close))
        return found

    def _ways(self, cut: _Cut, width: int) -> list[list[Cell]]:
        """The ways through a wall: its cells from this side to the other for a gap, side by side for an arch."""
        wall, found = cut.wall, []
        begin, end = (wall.left, wall.right) if cut.across else (wall.top, wall.bottom)
        for i in range(begin, end - width + 1):
            if cut.across:
                cells = [(y, x) for x in range(i, i + width) for y in range(wall.top, wall.bottom)]
            else:
                cells = [(y, x) for y in range(i, i + width) for x in range(wall.left, wall.right)]
            ends = [self._beside(c, part) for c in cells for part in (cut.inner, cut.outer)]
            if sum(e is not None for e in ends) == 2 * width:
                found.append(cells)
        return found

    def _beside(self, cell: Cell, part: Rect) -> Cell | None:
        """The cell of a part that shares a side with a cell outside of it."""
        return next((n for dy, dx in SIDES if part.holds(n := (cell[0] + dy, cell[1] + dx))), None)

    def _build(self, wall: Rect, way: Sequence[Cell]) -> None:
        for cell in wall.cells():
            if cell not in way:
                self.level.grid[cell] = self.wall

    # -- inside --------------------------------------------------------------------------------------------------------

    def fill(self, place: Place) -> None:
        """Draw one of the shapes for a place into it, as often as it fits, cutting nothing off."""
        fillings = self.grammar.fillings.get(self.mission.symbol(place.nodes[0]), ())
        if not fillings:
            return
        name = fillings[self.decisions.choose([weight for _, weight in fillings])][0]
        rows = self.grammar.shapes[name]
        height, width = len(rows), len(rows[0])
        down, along = place.rect.height // height, place.rect.width // width
        if not down or not along or not any("#" in row for row in rows):
            return
        top = place.rect.top + (place.rect.height - down * height) // 2
        left = place.rect.left + (place.rect.width - along * width) // 2
        for y in range(down * height):
            for x in range(along * width):
                cell = (top + y, left + x)
                if rows[y % height][x % width] == "#" and not self.level.reserved[cell]:
                    build_wall(self.level, cell, self.wall)


def _slice(room: Rect, across: bool, start: int, end: int) -> Rect:
    return Rect(start, room.left, end, room.right) if across else Rect(room.top, start, room.bottom, end)


def _block(cell: Cell, shape: tuple[int, ...]) -> list[Cell]:
    """A cell and the eight around it."""
    y, x = cell
    return [
        (j, i) for j in range(max(0, y - 1), min(shape[0], y + 2)) for i in range(max(0, x - 1), min(shape[1], x + 2))
    ]


def _square(rect: Rect) -> float:
    """1 for a square, less for what is long or narrow."""
    return min(rect.height, rect.width) / max(rect.height, rect.width)


def bands(level: MissionMap, mission: Mission, decisions: Decisions) -> MissionLayout:
    """Strips of open land one after the other, for games whose levels are not rooms: what comes later lies further on.

    Strips run across the way of an avatar that keeps to a line, and along lanes; else across the longer side.
    """
    top, left, bottom, right = level.inside()
    context = level.context
    side = context.analysis.avatar_side
    if side is None and context.lanes:
        ends = ("bottom", "top") if context.lanes[0].horizontal else ("left", "right")
        side = ends[decisions.number(0, 1)] if context.statistics is None else ends[0]
    elif side is None:
        longer = ("left", "right") if right - left >= bottom - top else ("bottom", "top")
        side = longer[decisions.number(0, 1)]
    depths = mission.depths()
    last = max(depths.values())
    down = side in ("top", "bottom")
    extent = bottom - top if down else right - left
    count = max(1, min(last + 1, extent // LEAST))
    edges = np.linspace(0, extent, count + 1).round().astype(int).tolist()
    plan = MissionLayout(closed=False)
    for k in range(count):
        low, high = edges[k], edges[k + 1]
        if side == "top":
            rect = Rect(top + low, left, top + high, right)
        elif side == "bottom":
            rect = Rect(bottom - high, left, bottom - low, right)
        elif side == "left":
            rect = Rect(top, left + low, bottom, left + high)
        else:
            rect = Rect(top, right - high, bottom, right - low)
        plan.places.append(Place(rect, [], k))
    for node, depth in depths.items():
        k = min(count - 1, depth * count // (last + 1))
        plan.places[k].nodes.append(node)
        plan.at[node] = k
    return plan
