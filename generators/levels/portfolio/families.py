"""Families of levels: methods that give a level its structure, each with the games that it suits.

Some families put together what the game's own levels are made of (pieces, rows, halves, windows), others build by rules
(rooms, walls, caves, missions), and two go on from levels that were found good (crossing them, editing them). All leave
a draft: a grid that may lack what the rules call for. What is the same for all, the numbers of things, repair and
polishing, is the business of `generator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pcg.evaluators.level_grid import Grid
from pcg.evaluators.pushing import push_rules
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.examples import mirrored, symmetry_of
from pcg.generators.levels.operators import crossover, edit, rooms_of
from pcg.generators.levels.portfolio.boards import Boards
from pcg.generators.levels.portfolio.example_objects import ExampleObjects
from pcg.generators.levels.portfolio.lines import Lines
from pcg.generators.levels.portfolio.local_structure import LocalStructure
from pcg.generators.levels.portfolio.quilting import Quilt
from pcg.generators.levels.portfolio.set_pieces import SetPieces
from pcg.generators.levels.wall_layout import draw_size, fits

SMALLEST_PIECE, LARGEST_PIECE = 3, 7
"""Sides of the pieces that levels are quilted from, in cells."""
PUZZLES_TRIED = 16
"""Layouts that are looked at for one puzzle."""
MOST_EDITS = 3
"""Edits of one level that was found good, at most."""
BUILT_HALVES = 0.3
"""Share of mirrored levels that are made of rooms rather than of pieces, in games with rooms."""
SYMMETRIC = 0.9
"""Share of walls with a mirror image from which on a level counts as symmetric."""
SYMMETRY_SEEN = 0.3
"""Expectation of mirrored levels beyond the usual one where all of the game's own levels are symmetric."""
ALIKE_BOARDS, BOARD_SLOPE, OWN_BOARDS = 1.1, 2.5, 0.35
"""Expectation of levels on the game's own boards where these are all one, what it loses with their originality, and the
least.
"""
BOARDS_RULE = 0.5
"""Expectation of these from which on less is expected of levels on other boards: nothing where it is 1."""
STRUCTURED = 0.05
"""Share of walls in a game's levels from which on they count as rooms and passages."""


class Workshop:
    """Makes drafts of levels of one game, by family.

    Args:
        context: of the game.
        widths: least and most columns.
        heights: least and most rows.
        targets: of the levels, for the generators that some families are.
        liked: further levels to take pieces from.
        least: originality that is asked for.
    """

    def __init__(
        self, context: LevelContext, widths: tuple[int, int], heights: tuple[int, int],
        targets: Sequence[Target] = (), liked: Sequence[Grid] = (), least: float = 0.0,
    ) -> None:  # fmt: skip
        self.context = context
        self.widths, self.heights = widths, heights
        self._targets = targets
        symmetry = symmetry_of(context, "auto")
        self.mirrors = symmetry != "none"
        """True where a level mirrored left to right is as good as the level itself."""
        self.images: tuple[Grid, ...] = tuple(
            np.ascontiguousarray(g) for g in mirrored([*context.examples, *liked], symmetry)
        )
        solid = np.zeros(len(context.palette.tiles), bool)
        solid[list(context.walls)] = True
        keeps = _keeps_to_heights(context)
        self.quilt = Quilt(self.images, solid, context.background, keeps, not self.mirrors)
        self.lines = Lines(context, self.images)
        """Belts and paths of the game's own levels."""
        self.example_objects = ExampleObjects(context, self.images)
        """Numbers and places of objects in the game's own levels."""
        self.structure = LocalStructure(context, self.images, self.example_objects)
        """Walls and stretches as they are in the game's own levels, cell by cell."""
        self.set_pieces = SetPieces(context)
        """Things that stand in the same order in all of the game's own levels."""
        self._boards = Boards(context, self.images, self.structure, least, keeps, self.mirrors)
        self._shapes = [g.shape for g in context.examples if fits(g.shape, widths, heights)]
        self._made: dict[str, IndependentGenerator] = {}

    def shape(self, rng: np.random.Generator) -> tuple[int, int]:
        """Return a height and a width: those of one of the game's levels within the sizes, else any within them."""
        if self._shapes:
            height, width = self._shapes[int(rng.integers(len(self._shapes)))]
            return int(height), int(width)
        width, height = draw_size(rng, self.widths, self.heights)
        return height, width

    def of_generator(self, name: str, rng: np.random.Generator, **params: object) -> Grid:
        """Return a level of another generator, of a size as `shape` draws it."""
        height, width = self.shape(rng)
        key = f"{name} {sorted(params.items())} {height} {width}"
        if key not in self._made:
            from pcg.generators.levels.registry import make_generator

            sides = dict(zip((p.name for p in SIZE_PARAMETERS), (width, width, height, height), strict=True))
            made = make_generator(name, self.context, seed=0, targets=self._targets, **sides, **params)
            assert isinstance(made, IndependentGenerator)
            self._made[key] = made
        return self.context.palette.parse(self._made[key].generate(rng))

    # -- from the game's own levels ------------------------------------------------------------------------------------

    def pieces(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a quilt of pieces."""
        height, width = self.shape(rng)
        side = SMALLEST_PIECE + int(rng.integers(LARGEST_PIECE - SMALLEST_PIECE + 1))
        return self.quilt.level(rng, height, width, side, 1 + int(side > 4))

    def halves(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a quilt, or rooms, whose right half mirrors the left one, but for the avatar."""
        built = self.context.wall_share >= STRUCTURED and not self.context.lanes and rng.random() < BUILT_HALVES
        return mirrored_halves(self.context, (self.rooms if built else self.pieces)(rng, parents), 1)

    def rows(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a level of whole rows."""
        height, width = self.shape(rng)
        return self.quilt.rows(rng, height, width, shifted=bool(self.context.lanes) or rng.random() < 0.3)

    def windows(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a level whose windows are all in the examples, or follow from these by chance."""
        return self.of_generator("wfc" if rng.random() < 0.5 else "markov", rng, draws=1)

    def variation(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return one of the game's levels with a part of another and many edits."""
        return self.of_generator("variation", rng, edits=12, crossed=0.8)

    def stretched(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return one of the game's levels with other distances between its lines."""
        found = self.lines.level(rng, *self.shape(rng))
        return self.pieces(rng, parents) if found is None else found

    def boards(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return one of the game's levels with groups, blocks and regions moved and exchanged as a whole."""
        found = self._boards.level(rng, *self.shape(rng))
        return found if fits(found.shape, self.widths, self.heights) else self.pieces(rng, parents)

    # -- by rules ------------------------------------------------------------------------------------------------------

    def rooms(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return rooms by partition of the space."""
        if rng.random() < 0.5:
            return self.of_generator("bsp", rng)
        return self.of_generator("constructive", rng, style="rooms")

    def walls(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return stretches of wall, or pillars."""
        return self.of_generator("constructive", rng, style="segments" if rng.random() < 0.6 else "pillars")

    def caves(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return caves or mazes."""
        return self.of_generator("ca", rng)

    def mission(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a mission in rooms that enforce its order."""
        return self.of_generator("grammar", rng, tries=4)

    def sparse(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a level with little more than the sprites that the rules require."""
        return self.of_generator("minimal", rng)

    def puzzle(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a hard puzzle of things to push."""
        return self.of_generator("puzzle", rng, tries=PUZZLES_TRIED)

    # -- from levels that were found -----------------------------------------------------------------------------------

    def crossing(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a level with parts of another one: rooms, rows or bands, or a piece of a quilt."""
        first = parents[0]
        if len(parents) > 1 and rng.random() < 0.7:
            return crossover(self.context, first, parents[1], rng)[0]
        if not self.images:
            return edit(self.context, first, rng, 2 * MOST_EDITS)
        # A room, or a quarter of the level, is generated anew.
        found = rooms_of(self.context, first) if self.context.walls else []
        anew = self.quilt.level(rng, first.shape[0], first.shape[1], SMALLEST_PIECE + int(rng.integers(3)))
        mask = np.zeros(first.shape, bool)
        if found:
            mask |= found[int(rng.integers(len(found)))]
        else:
            height, width = max(2, first.shape[0] // 2), max(2, first.shape[1] // 2)
            y = int(rng.integers(first.shape[0] - height + 1))
            x = int(rng.integers(first.shape[1] - width + 1))
            mask[y : y + height, x : x + width] = True
        return np.where(mask, anew, first)

    def edits(self, rng: np.random.Generator, parents: Sequence[Grid]) -> Grid:
        """Return a level with a few small edits."""
        return edit(self.context, parents[0], rng, 1 + int(rng.integers(MOST_EDITS)))


@dataclass(frozen=True, slots=True)
class Family:
    """A method that gives a level its structure."""

    make: Callable[[Workshop, np.random.Generator, Sequence[Grid]], Grid]
    """Makes a draft, from parents where it `breeds`."""
    help: str
    suits: Callable[[LevelContext, frozenset[str]], float]
    """Expectation that a level is of use, before any was made for the game, from its context and its kinds; 0: never
    tried.
    """
    drafts: int = 6
    """Drafts of which the best becomes a level."""
    breeds: bool = False
    settles: bool = True
    """True where the numbers of objects are corrected after drafting; a mission places those that it needs itself."""
    polishes: bool = True
    """True where small edits may follow; they would spoil a puzzle, and a board that a designer has drawn."""
    proves: bool = False
    """True where levels are built to be won, so that no quick play has to show that they can be."""
    whole: bool = False
    """True where levels are made from whole levels of the game."""
    symmetric: bool = False
    """True where these are done on both sides."""


def _examples(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.5 if context.examples else 0.0


def _variation(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.3 if context.examples else 0.0


def _boards(context: LevelContext, kinds: frozenset[str]) -> float:
    if not context.own_originality:
        return 0.1 if context.examples else 0.0
    return float(np.clip(ALIKE_BOARDS - BOARD_SLOPE * np.median(context.own_originality), OWN_BOARDS, 0.9))


def _stretched(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.6 if Lines(context, context.examples).kinds else 0.0


def _crossing(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.5


def _edits(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.4


def _rows(context: LevelContext, kinds: frozenset[str]) -> float:
    if not context.examples:
        return 0.0
    return 0.6 if context.lanes and context.lanes[0].horizontal else 0.4 if _keeps_to_heights(context) else 0.1


def _halves(context: LevelContext, kinds: frozenset[str]) -> float:
    if not context.examples or symmetry_of(context, "auto") == "none":
        return 0.0
    return (0.35 if context.wall_share >= STRUCTURED else 0.2) + SYMMETRY_SEEN * symmetric_share(context)


def symmetric_share(context: LevelContext) -> float:
    """Return the share of a game's own levels whose walls are the same left and right, in [0, 1].

    >>> import pcg
    >>> round(symmetric_share(LevelContext.of(pcg.load("alchemy"))), 2)
    0.4
    """
    found = []
    for grid in context.examples:
        walls = np.isin(grid, context.walls)[1:-1, 1:-1]
        alike = int((walls & walls[:, ::-1]).sum())
        found.append(bool(walls.any()) and alike >= SYMMETRIC * int((walls | walls[:, ::-1]).sum()))
    return float(np.mean(found)) if found else 0.0


def _built(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.4 if context.wall_share >= STRUCTURED and not context.lanes else 0.15


def _rooms(context: LevelContext, kinds: frozenset[str]) -> float:
    freely = context.analysis.mobility == "freely" and bool(context.walls)
    return 0.4 if freely and context.wall_share >= STRUCTURED and not context.lanes else 0.1 if freely else 0.0


def _mission(context: LevelContext, kinds: frozenset[str]) -> float:
    if context.analysis.mobility != "freely":
        return 0.0
    return 0.5 if "lock and key" in kinds else 0.25


def _caves(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.2 if context.walls else 0.0


def _puzzle(context: LevelContext, kinds: frozenset[str]) -> float:
    if "puzzle" not in kinds:
        return 0.0
    rules = push_rules(context.definition)
    return 0.5 if rules is not None and rules.wall is not None else 0.0


def _sparse(context: LevelContext, kinds: frozenset[str]) -> float:
    return 0.1 if context.examples else 0.3


FAMILIES: Mapping[str, Family] = {
    "pieces": Family(Workshop.pieces, "overlapping pieces of the game's own levels", _examples),
    "halves": Family(Workshop.halves, "the same, mirrored left to right", _halves, symmetric=True),
    "rows": Family(Workshop.rows, "whole rows of the game's own levels", _rows),
    "windows": Family(Workshop.windows, "small windows of the game's own levels", _examples, drafts=3),
    "variation": Family(Workshop.variation, "the game's own levels crossed and edited", _variation, whole=True),
    "boards": Family(
        Workshop.boards, "the game's own levels, whole parts of which are moved and exchanged", _boards,
        settles=False, polishes=False, whole=True,
    ),
    "stretched": Family(
        Workshop.stretched, "the game's own levels with longer and shorter lines", _stretched, settles=False, whole=True
    ),
    "rooms": Family(Workshop.rooms, "rooms by partition of the space", _rooms),
    "walls": Family(Workshop.walls, "stretches of wall and pillars", _built),
    "caves": Family(Workshop.caves, "caves and mazes", _caves),
    "mission": Family(Workshop.mission, "a mission, in rooms that enforce its order", _mission, 2, settles=False),
    "puzzle": Family(
        Workshop.puzzle, "hard puzzles of things to push, played backwards", _puzzle, 1,
        settles=False, polishes=False, proves=True,
    ),
    "sparse": Family(
        Workshop.sparse, "little more than what the rules call for", _sparse, 1,
        settles=False, polishes=False, proves=True,
    ),
    "crossing": Family(Workshop.crossing, "good levels that exchange rooms, rows or pieces", _crossing, breeds=True),
    "edits": Family(Workshop.edits, "small edits of good levels", _edits, 4, breeds=True, settles=False),
}  # fmt: skip
"""The families by name."""


def share_beside_boards(expected: float) -> float:
    """Return the factor of the chance of a family that builds another board than the game's, in [0, 1]: the more levels
    on the game's own boards are of use, the smaller.

    Args:
        expected: reward that is expected of these now.

    >>> [round(share_beside_boards(expected), 2) for expected in (0.35, 0.7, 0.9)]
    [1.0, 0.6, 0.2]
    """
    return min(1.0, (1.0 - expected) / (1.0 - BOARDS_RULE))


def mirrored_halves(context: LevelContext, grid: Grid, axis: int) -> Grid:
    """Return a level whose second half mirrors the first one, but for the avatar.

    Args:
        context: of the game.
        grid: a level; the first half, with the line in the middle, stays as it is.
        axis: 1 for left and right, 0 for top and bottom.
    """
    whole = grid if axis == 1 else grid.T
    width = whole.shape[1]
    first = whole[:, : (width + 1) // 2]
    second = first[:, ::-1][:, width % 2 :].copy()
    avatars = context.palette.avatars
    if np.isin(first, avatars).any():
        second[np.isin(second, avatars)] = context.background
    else:  # the avatar of the other half is the only one
        there = np.isin(whole[:, (width + 1) // 2 :], avatars)
        second[there] = whole[:, (width + 1) // 2 :][there]
    joined = np.concatenate([first, second], axis=1)
    return np.ascontiguousarray(joined if axis == 1 else joined.T)


def _keeps_to_heights(context: LevelContext) -> bool:
    """Return True for games in which the row of an object matters: the avatar keeps to a line, traffic, gravity."""
    analysis = context.analysis
    return bool(context.lanes) or analysis.avatar_side in ("top", "bottom") or analysis.mobility != "freely"
