"""Rules of pushing found by experiment: which tiles of a game are boxes, walls and goals, and what goals do to boxes.

Effects of pushing are written in many ways. What they come to is seen most surely by trying: small levels are made in
which the avatar walks into one tile, or pushes one tile into another, and are played by the engine. A game of which
everything in a level is explained in this way can be searched as a `PushBoard`; for all others there is no board, and
what a search finds is believed only after it was played (`proving`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pcg.engine.game import Game
from pcg.engine.state import State
from pcg.engine.vgdl.definition import GameDefinition
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis, analyse
from pcg.evaluators.definition_cache import once_per_definition
from pcg.evaluators.pushing.board import Cell, PushBoard
from pcg.evaluators.pushing.difficulty import Difficulty, difficulty
from pcg.evaluators.pushing.kernel import ALL_BOXES, ALL_GOALS, FILLS, ROOM, SINKS, STAYS, STICKS, WALK
from pcg.evaluators.pushing.solver import MOST_GOALS

Content = frozenset[str]
"""Names of the types in one cell, the avatar left out."""

MEASURED = 20_000
"""Positions that measuring a level looks at: some hundredths of a second."""

_ROW = 2
"""Row of the small levels in which the avatar walks: two rows of floor lie above and below it."""
_MOST_TILES = 24
"""Tiles with something on them beyond which a game is not tried out."""


@dataclass(frozen=True)
class BoxRules:
    """Rules of one kind of box in a game.

    Attributes:
        box: tile that makes one.
        goal: tile that makes a goal of it.
        fate: of a box that comes to a goal (`kernel.STAYS` and its companions).
        need: what wins: `kernel.ALL_BOXES` or `kernel.ALL_GOALS` taken care of.
        goal_walk: whether the avatar can walk over goals.
        contents: what cells can hold, each with the bits of its ground (0, `WALK`, `ROOM`) and what is there: "",
            "box", "goal", "box on goal".
    """

    box: str
    goal: str
    fate: int
    need: int
    goal_walk: bool
    contents: Mapping[Content, tuple[int, str]] = field(repr=False)


@dataclass(frozen=True)
class PushRules:
    """The kinds of boxes of a game, and the tiles of a level that can be searched.

    Attributes:
        floor: tile of bare floor.
        wall: tile that stops the avatar and boxes, None without one.
        avatar: tile of the avatar on bare floor.
        kinds: of boxes.
        avatar_types: names of the avatar's types, which are no content of a cell.
    """

    floor: str
    wall: str | None
    avatar: str
    kinds: tuple[BoxRules, ...]
    avatar_types: frozenset[str]

    def board(self, state: State) -> PushBoard | None:
        """Return the board of a state, None where it holds anything that the rules do not explain, or more goals than
        a search keeps (`solver.MOST_GOALS`).

        >>> import pcg
        >>> game = pcg.load("boxes")
        >>> print(push_rules(game.definition).board(game.start(1, seed=1)))
        ##########
        #    ### #
        # $    . #
        # # #### #
        # # @### #
        # $    . #
        #    ### #
        ##########
        """
        cells = _contents(state, self.avatar_types)
        at = _avatar_cell(state)
        if at is None:
            return None
        for kind in self.kinds:
            board = self._read(cells, at, kind)
            if board is not None:
                return board
        return None

    def _read(self, cells: Sequence[Sequence[Content]], avatar: Cell, kind: BoxRules) -> PushBoard | None:
        ground = np.zeros((len(cells), len(cells[0])), np.int8)
        boxes, goals = [], []
        for y, row in enumerate(cells):
            for x, content in enumerate(row):
                known = kind.contents.get(content)
                if known is None:
                    return None
                bits, what = known
                ground[y, x] = bits
                if "box" in what:
                    boxes.append((y, x))
                if "goal" in what:
                    goals.append((y, x))
        if not boxes or not goals or len(goals) > MOST_GOALS:
            return None
        board = PushBoard(ground, tuple(boxes), tuple(goals), avatar, kind.fate, kind.need, kind.goal_walk)
        needed = len(goals) if kind.need == ALL_GOALS else len(boxes) if kind.fate != SINKS else 0
        there = len(boxes) if kind.need == ALL_GOALS else len(goals)
        return board if needed <= there else None

    def text(self, board: PushBoard, kind: BoxRules) -> str:
        """Return the level text of a board.

        Args:
            board: without boxes or the avatar on goals, whose cells are floor or wall.
            kind: of its boxes.

        Raises:
            PcgError: for a board that the game's tiles cannot show.
        """
        if self.wall is None:
            raise PcgError("the game has no walls")
        signs = np.where(board.ground != 0, self.floor, self.wall)
        for cells, sign in ((board.goals, kind.goal), (board.boxes, kind.box), ((board.avatar,), self.avatar)):
            for cell in cells:
                if signs[cell] != self.floor:
                    raise PcgError(f"two things in row {cell[0] + 1}, column {cell[1] + 1} have no tile of their own")
                signs[cell] = sign
        return "\n".join("".join(row) for row in signs.tolist())


def _contents(state: State, avatars: frozenset[str]) -> list[list[Content]]:
    return [[frozenset(cell) - avatars for cell in row] for row in state.grid()]


def _avatar_cell(state: State) -> Cell | None:
    avatar = state.avatar
    if avatar is None:
        return None
    x, y = state.cell_of(avatar)
    return y, x


class _Experimenter:
    """Small levels of one game, played."""

    def __init__(self, definition: GameDefinition, analysis: GameAnalysis) -> None:
        self.game = Game(definition, (), reading="gvgai")
        self.avatars = frozenset(analysis.names(analysis.avatars))
        names = analysis.names
        self.sets: dict[str, Content] = {t.char: frozenset(names(t.types)) for t in analysis.tiles}
        self.starts = [c for c, types in self.sets.items() if types & self.avatars]
        self.floor = ""
        self.avatar = ""
        for char in self.starts:
            below = self.sets[char] - self.avatars
            fitting = [c for c, types in self.sets.items() if types == below]
            if fitting:
                self.floor, self.avatar = fitting[0], char
                break
        self.others = [c for c in self.sets if c not in self.starts and c != self.floor]
        self.bare = self.sets.get(self.floor, frozenset())
        self.moving = frozenset(names(analysis.having("mover")))
        self.spares = [c for c in self.others if not self.sets[c] & self.moving]
        self.spare = self.floor.join(self.spares)
        """One of everything that stands still, out of reach, so that no ending comes of the lack of something."""

    def play(self, row: str, pushes: int = 1, extra: str | None = None) -> State | None:
        """Return the state after walking to the right from the first cell of a row; None where it cannot be played.

        Args:
            row: tiles.
            pushes: ticks.
            extra: tiles of a row elsewhere; by default the spare ones.
        """
        extra = self.spare if extra is None else extra
        width = max(len(row), len(extra)) + 3
        blank = self.floor * width
        lines = [blank] * (2 * _ROW + 3)
        lines[_ROW] = (self.floor + row).ljust(width, self.floor)
        lines[-2] = (self.floor + extra).ljust(width, self.floor)
        try:
            state = self.game.start("\n".join(lines), seed=1)
            if state.model.stochastic:
                return None
            for _ in range(pushes):
                if not state.is_over:
                    state.advance("RIGHT")
        except PcgError:
            return None
        return state

    def cells(self, state: State) -> list[Content]:
        """Contents of the row that was played."""
        return _contents(state, self.avatars)[_ROW][1:]

    def column(self, state: State) -> int:
        """Cell of the avatar in that row, counted from its start; -1 without one, or elsewhere."""
        at = _avatar_cell(state)
        return at[1] - 1 if at is not None and at[0] == _ROW else -1

    def entered(self, tile: str) -> int | None:
        """Return WALK where the avatar can walk over a tile and changes nothing, 0 where it stops it; None: neither."""
        state = self.play(self.avatar + tile + self.floor)
        if state is None:
            return None
        same = self.cells(state)[1] == self.sets[tile]
        if self.column(state) == 0 and same:
            return 0
        if self.column(state) != 1 or not same:
            return None
        beyond = self.play(self.avatar + tile + self.floor, 2)
        left = beyond is not None and self.column(beyond) == 2 and self.cells(beyond)[1] == self.sets[tile]
        return WALK if left else None

    def is_box(self, tile: str) -> bool:
        """Return whether the avatar pushes a tile along over bare floor, once and again, but not two of them."""
        for pushes in (1, 2):
            state = self.play(self.avatar + tile + 3 * self.floor, pushes)
            if state is None or self.column(state) != pushes:
                return False
            expected = [self.bare] * 5
            expected[1 + pushes] = self.sets[tile]
            if self.cells(state)[:5] != expected:
                return False
        return self.blocked(tile, tile) is True

    def blocked(self, box: str, tile: str) -> bool | None:
        """Return whether a box cannot be pushed onto a tile; None where something else happens."""
        state = self.play(self.avatar + box + tile + self.floor, 1)
        if state is None:
            return None
        cells = self.cells(state)
        if self.column(state) == 0:
            return True if cells[1:3] == [self.sets[box], self.sets[tile]] else None
        return False if self.column(state) == 1 else None


def _read_kind(lab: _Experimenter, box: str, grounds: Mapping[str, int | None]) -> BoxRules | None:
    """Return what one kind of box does; None where it has no goal."""
    contents: dict[Content, tuple[int, str]] = {lab.bare: (WALK | ROOM, ""), lab.sets[box]: (WALK | ROOM, "box")}
    contents.setdefault(frozenset(), (0, ""))  # beyond the end of a short row
    found: tuple[str, int, int, bool] | None = None
    for tile, enters in grounds.items():
        # what is not understood is kept away from: a solution that does without it is one all the same
        content, walk = lab.sets[tile], enters or 0
        contents.setdefault(content, (walk, ""))
        if lab.blocked(box, tile) is not False:
            continue
        state = lab.play(lab.avatar + box + tile + 2 * lab.floor, 1)
        if state is None:
            continue
        after = lab.cells(state)[2]
        fate = _fate(lab, box, tile, after)
        if fate is None:
            continue
        need = _need(lab, box, tile)
        if need is None:
            if fate == STAYS and walk:
                contents[content] = (walk | ROOM, "")
                contents[after] = (walk | ROOM, "box")
            continue
        if found is not None:
            return None  # goals of two kinds
        found = tile, fate, need, bool(walk)
        contents[content] = (WALK | ROOM, "goal")
        if fate == STAYS:
            contents[after] = (WALK | ROOM, "box on goal")
        elif fate == STICKS:
            contents[after] = (0, "")
    if found is None:
        return None
    goal, fate, need, goal_walk = found
    return BoxRules(box, goal, fate, need, goal_walk, contents)


def _fate(lab: _Experimenter, box: str, tile: str, after: Content) -> int | None:
    """Fate of a box that is pushed onto a tile, by what is there then."""
    if after == lab.sets[tile]:
        return SINKS
    if after == lab.bare:
        return FILLS
    further = lab.play(lab.avatar + box + tile + 2 * lab.floor, 2)
    if further is None:
        return None
    cells = lab.cells(further)
    if lab.column(further) == 2 and cells[2:4] == [lab.sets[tile], lab.sets[box]]:
        return STAYS
    if lab.column(further) == 1 and cells[2] == after and cells[3] == lab.bare:
        return STICKS
    return None


def _need(lab: _Experimenter, box: str, tile: str) -> int | None:
    """Return what wins: that the box is home, or that the goal is taken; None where neither does."""
    row = lab.avatar + box + tile + lab.floor
    others = lab.floor.join(t for t in lab.spares if t not in (box, tile))
    won = []
    for extra in (others, others + lab.floor + tile, others + lab.floor + box):
        state = lab.play(row, 1, extra)
        won.append(state is not None and state.winner == 1)
    if not won[0]:
        return None
    return ALL_BOXES if won[1] else ALL_GOALS if won[2] else ALL_BOXES


def _push_rules(definition: GameDefinition) -> PushRules | None:
    analysis = analyse(definition)
    if definition.players != 1 or analysis.mobility != "freely" or not _pushing_wins(analysis):
        return None
    lab = _Experimenter(definition, analysis)
    if not lab.floor or len(lab.others) > _MOST_TILES:
        return None
    pushable = set(analysis.names(analysis.having("pushable")))
    boxes = [tile for tile in lab.others if lab.sets[tile] & pushable and lab.is_box(tile)]
    still = [tile for tile in lab.others if tile not in boxes and not lab.sets[tile] & (pushable | lab.moving)]
    grounds = {tile: lab.entered(tile) for tile in still}
    kinds = tuple(kind for box in boxes if (kind := _read_kind(lab, box, grounds)) is not None)
    if not kinds:
        return None
    wall = next((t for t, walk in grounds.items() if walk == 0 and kinds[0].contents.get(lab.sets[t]) == (0, "")), None)
    return PushRules(lab.floor, wall, lab.avatar, kinds, lab.avatars)


def _pushing_wins(analysis: GameAnalysis) -> bool:
    """Return whether something that must go to win is pushed, or goes by meeting what is: no play is needed to tell."""
    pushable = set(analysis.having("pushable"))
    wanted = {t for ending in analysis.wins if ending.kind == "vanish" for t in ending.types}
    return bool(wanted & pushable) or any(r.victim in wanted and r.partner in pushable for r in analysis.removals)


push_rules = once_per_definition(_push_rules)
"""The pushing rules of a game's definition, None where it has none that can be searched as a board."""


def difficulty_of(definition: GameDefinition, text: str, room: int = MEASURED) -> Difficulty | None:
    """Measure a level of a game as a pushing puzzle.

    Args:
        definition: of the game.
        text: of the level.
        room: positions looked at for each measure at most.

    Returns:
        The measures, None where the rules do not explain the level, or it was not solved.

    >>> import pcg
    >>> game = pcg.load("boxes")
    >>> found = difficulty_of(game.definition, game.levels[0])
    >>> found.pushes, found.changes
    (6, 2)
    """
    rules = push_rules(definition)
    if rules is None:
        return None
    try:
        board = rules.board(Game(definition, (), reading="gvgai").start(text, seed=1))
    except PcgError:
        return None
    return None if board is None else difficulty(board, room)
