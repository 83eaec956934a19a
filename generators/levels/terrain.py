"""Levels that begin with a terrain: the rock is laid out first, everything else is placed around it.

Cellular automata, noise, growth, diggers and partitions only differ in how they lay out rock; this is what they share.
What "rock" is depends on the game: its walls; where it has none but fills its levels (earth, pellets), the filling;
where it has neither, the places where objects gather.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.evaluators.level_grid import FREE, Mask
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.barriers import repair_barriers
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.object_counts import draw_counts, draw_object_scale
from pcg.generators.levels.object_placement import place_objects
from pcg.generators.levels.repair.by_rules import repair_reachability
from pcg.generators.levels.repair.required_sprites import add_required_sprites
from pcg.generators.levels.wall_layout import draw_size, join_regions, lay_lanes, main_wall, place_filler

Field = NDArray[np.float64]
"""A value for each cell, shape (height, width)."""

LEAST, MOST = 0.12, 0.6
"""Shares of rock a terrain is drawn with unless the parameter asks for less: below, there is nothing to see of it."""

TERRAIN_PARAMETERS: tuple[Parameter, ...] = (
    *SIZE_PARAMETERS,
    Parameter("walls", 1.0, "amount of rock, as a multiple of what the game's levels have", 0.0, 3.0),
)
"""Parameters of every generator that begins with a terrain."""


def rock_share(context: LevelContext, rng: np.random.Generator, walls: float) -> float:
    """The share of cells that are to be rock, `walls` times that of the game's levels, give or take some."""
    return float(min(MOST, max(LEAST, 1.2 * context.wall_share) * walls * rng.uniform(0.7, 1.3)))


def highest(field: Field, share: float) -> Mask:
    """The cells with the highest values, exactly `share` of all of them (rounded); ties go by reading order."""
    count = round(share * field.size)
    mask = np.zeros(field.size, bool)
    if count:
        mask[np.argsort(-field.ravel(), kind="stable")[:count]] = True
    return mask.reshape(field.shape)


def wear(rng: np.random.Generator, rock: Mask, share: float) -> None:
    """Wear rock away beside open cells until at most `share` of the cells are rock, in place.

    Thick rock goes before thin walls, so that rooms stay apart as long as there is a choice.
    """
    excess = int(rock.sum()) - round(share * rock.size)
    while excess > 0:
        padded = np.pad(rock, 2, mode="edge")

        def shifted(dy: int, dx: int, padded: Mask = padded) -> Mask:
            height, width = padded.shape
            return padded[2 + dy : height - 2 + dy, 2 + dx : width - 2 + dx]

        beside, thick = np.zeros(rock.shape, bool), np.zeros(rock.shape, bool)
        for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            opens = ~shifted(dy, dx)
            beside |= opens
            thick |= opens & shifted(-dy, -dx) & shifted(-2 * dy, -2 * dx)
        cells = np.flatnonzero(rock & thick)
        if not cells.size:
            cells = np.flatnonzero(rock & beside)
        if not cells.size:
            cells = np.flatnonzero(rock)
        chosen = rng.permutation(cells)[: min(excess, max(1, cells.size // 4))]
        rock.ravel()[chosen] = False
        excess -= chosen.size


def lay_rock(builder: LevelBuilder, rng: np.random.Generator, rock: Mask) -> None:
    """Put the game's wall on the bare cells of `rock` (shape of the inside of the frame) and join what it parts.

    Games without walls get their filling where there is rock; games without either get places to put objects.
    """
    context = builder.context
    tile = main_wall(context, rng)
    top, left, bottom, right = builder.inside()
    smooth = ndimage.gaussian_filter(rock.astype(np.float64), 1.0, mode="nearest")
    smooth += 1e-6 * rng.random(smooth.shape)
    if tile is not None:
        part = builder.grid[top:bottom, left:right]
        part[rock & (part == context.ground_under[tile])] = tile
        builder.invalidate()
        join_regions(builder, rng)
        place_filler(builder, rng)
    elif context.filler is not None:
        free = builder.free()[top:bottom, left:right]
        filled = free & highest(np.where(free, smooth, -1.0), context.filler_share * float(free.mean()))
        builder.grid[top:bottom, left:right][filled] = context.filler
        builder.invalidate()
    else:
        builder.placement_weights = np.full(builder.grid.shape, 0.05)
        builder.placement_weights[top:bottom, left:right] += smooth


def stand_on_ground(builder: LevelBuilder) -> None:
    """Prefer cells above something to stand on, in games in which things fall down."""
    blocked = builder.palette.access[builder.grid] > FREE
    below = np.ones(builder.grid.shape, bool)
    below[:-1] = blocked[1:]
    placement_weights = np.where(below, 1.0, 0.1)
    builder.placement_weights = (
        placement_weights if builder.placement_weights is None else placement_weights * builder.placement_weights
    )


def finish(builder: LevelBuilder, rng: np.random.Generator) -> None:
    """Place avatar and objects in a level whose terrain is laid, by the distance maps of `object_placement`."""
    context = builder.context
    if context.analysis.mobility == "platform":
        stand_on_ground(builder)
    top, left, bottom, right = builder.inside()
    counts = draw_counts(context, rng, (bottom - top) * (right - left), draw_object_scale(rng))
    laid = np.bincount(builder.grid.ravel(), minlength=len(builder.palette.tiles))
    place_objects(builder, rng, {tile: max(0, number - int(laid[tile])) for tile, number in counts.items()})
    repair_reachability(builder, rng)
    repair_barriers(builder, rng)
    add_required_sprites(builder, rng)


class TerrainGenerator(IndependentGenerator):
    """Base of the generators that begin with a terrain; each says only where the rock is."""

    parameters: ClassVar[tuple[Parameter, ...]] = TERRAIN_PARAMETERS

    @abstractmethod
    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """Return the rock in an area of `shape` (height, width), about `share` of it; 0 < share <= MOST."""

    def decorate(self, builder: LevelBuilder, rng: np.random.Generator) -> None:
        """More of the terrain, between the rock and the objects; nothing unless a generator says otherwise."""
        del builder, rng

    def generate(self, rng: np.random.Generator) -> str:
        """One level text."""
        context = self.context
        width, height = draw_size(rng, self.widths, self.heights)
        builder = LevelBuilder.blank(context, width, height)
        if context.lanes:
            lay_lanes(builder, rng)
        top, left, bottom, right = builder.inside()
        shape = (bottom - top, right - left)
        share = rock_share(context, rng, self.number("walls"))
        lay_rock(builder, rng, self.rock(rng, shape, share) if share > 0 else np.zeros(shape, bool))
        self.decorate(builder, rng)
        finish(builder, rng)
        return builder.text()
