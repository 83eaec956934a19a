"""Generators that begin with noise: gradient noise, midpoint displacement, diffusion-limited growth, diggers and
partitions. Each lays out rock; the rest is done as for all terrains (`generators.levels.terrain`).
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import Mask
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.noise.aggregation import grow
from pcg.generators.levels.noise.diggers import DIGGERS, DiggerParameters
from pcg.generators.levels.noise.displacement import diamond_square, skyline
from pcg.generators.levels.noise.gradient import BASES, FRACTALS, fractal
from pcg.generators.levels.noise.partition import partition
from pcg.generators.levels.terrain import TERRAIN_PARAMETERS, TerrainGenerator, highest, wear

BOOK = "Shaker, Togelius, Nelson: Procedural Content Generation in Games, chapter {} (Springer 2016)"


class NoiseGenerator(TerrainGenerator):
    """Rock where gradient noise is high."""

    name = "noise"
    help = "rock where Perlin or simplex noise is high, in fractal sums"
    papers = (
        "Perlin: An image synthesizer (SIGGRAPH 1985); Improving noise (SIGGRAPH 2002)",
        "Gustavson: Simplex noise demystified (Linkoping University 2005)",
        BOOK.format(4),
    )
    parameters = (
        *TERRAIN_PARAMETERS,
        Parameter("basis", "perlin", "which noise", choices=tuple(BASES)),
        Parameter("fractal", "sum", "how octaves are added", choices=FRACTALS),
        Parameter("scale", 5.0, "size of the largest features", 1.0, 64.0, "cells"),
        Parameter("octaves", 3, "layers of finer and finer noise", 1, 8),
        Parameter("persistence", 0.5, "amplitude of a layer over that of the one before", 0.0, 1.0),
        Parameter("lacunarity", 2.0, "frequency of a layer over that of the one before", 1.0, 4.0),
    )

    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """The highest cells of the noise."""
        field = fractal(
            rng, shape, basis=str(self.settings["basis"]), scale=self.number("scale"),
            octaves=self.integer("octaves"), persistence=self.number("persistence"),
            lacunarity=self.number("lacunarity"), kind=str(self.settings["fractal"]),
        )  # fmt: skip
        return highest(field, share)


class MidpointGenerator(TerrainGenerator):
    """Mountains by midpoint displacement."""

    name = "midpoint"
    help = "mountains by midpoint displacement; a skyline where things fall down, a map from above elsewhere"
    papers = (
        "Fournier, Fussell, Carpenter: Computer rendering of stochastic models (CACM 1982)",
        "Miller: The definition and rendering of terrain maps (SIGGRAPH 1986)",
        BOOK.format(4),
    )
    parameters = (
        *TERRAIN_PARAMETERS,
        Parameter("view", "auto", "from the side or from above; auto: as the avatar moves",
                  choices=("auto", "side", "above")),
        Parameter("roughness", 0.6, "displacement at half the distance, over that at the whole", 0.0, 1.0),
    )  # fmt: skip

    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """The highest cells of a map, or what lies below a skyline."""
        view = str(self.settings["view"])
        if view == "auto":
            view = "side" if self.context.analysis.mobility == "platform" else "above"
        roughness = self.number("roughness")
        if view == "above":
            return highest(diamond_square(rng, shape, roughness), share)
        height, width = shape
        line = skyline(rng, width, roughness)
        # Depth below the line, so that the wanted share of all cells lies under it; some room stays above.
        depth = np.arange(height)[:, None] + (0.5 * height * line)[None, :]
        depth[: max(2, height // 4)] -= 2 * height
        return _settled(highest(depth, share))


def _settled(rock: Mask) -> Mask:
    """Everything let down to the ground, column by column."""
    return np.sort(rock, axis=0)


class GrowthGenerator(TerrainGenerator):
    """Diffusion-limited growth."""

    name = "growth"
    help = "branching rock or hollows by diffusion-limited growth"
    papers = (
        "Witten, Sander: Diffusion-limited aggregation (Physical Review Letters 47, 1981)",
        BOOK.format(3),
    )
    parameters = (
        *TERRAIN_PARAMETERS,
        Parameter("grows", "rock", "whether rock grows into the open or hollows grow into rock",
                  choices=("rock", "hollow")),
        Parameter("seeds", 1, "cells the growth starts from", 1, 50),
        Parameter("stickiness", 1.0, "probability that a walker stays where it touches", 0.05, 1.0),
        Parameter("from_edge", True, "let rock grow from the edge too"),
    )  # fmt: skip

    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """The cluster, or what it leaves."""
        hollow = self.settings["grows"] == "hollow"
        size = shape[0] * shape[1]
        count = size - round(share * size) if hollow else round(share * size)
        cluster = grow(
            rng, shape, count, seeds=self.integer("seeds"), stickiness=self.number("stickiness"),
            from_edge=bool(self.settings["from_edge"]) and not hollow,
        )  # fmt: skip
        return ~cluster if hollow else cluster


class DiggerGenerator(TerrainGenerator):
    """Agents that dig."""

    name = "diggers"
    help = "rooms and corridors dug by an agent that is blind, weighs directions, or looks ahead"
    papers = (BOOK.format(3),)
    parameters = (
        *TERRAIN_PARAMETERS,
        Parameter("digger", "mixed", "which agent digs; mixed: any", choices=("mixed", *DIGGERS)),
        Parameter("turn", 0.05, "how much likelier a turn gets with every step without one", 0.0, 1.0),
        Parameter("build", 0.05, "how much likelier a room gets with every step without one", 0.0, 1.0),
        Parameter("min_room", 2, "shortest side of a room", 1, 50, "cells"),
        Parameter("max_room", 5, "longest side of a room", 1, 50, "cells"),
        Parameter("sight", 4, "how far a digger looks ahead, and its longest corridor", 1, 50, "cells"),
    )

    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """Return the rock that is left after digging."""
        low, high = self.integer("min_room"), self.integer("max_room")
        low, high = min(low, high), max(low, high)
        parameters = DiggerParameters(
            self.number("turn"), self.number("build"), (min(low, *shape), min(high, *shape)), self.integer("sight")
        )
        name = str(self.settings["digger"])
        if name == "mixed":
            name = list(DIGGERS)[int(rng.integers(len(DIGGERS)))]
        rock = DIGGERS[name](rng, shape, share, parameters)
        wear(rng, rock, share)
        return rock


class SpacePartitionGenerator(TerrainGenerator):
    """Rooms by binary space partition."""

    name = "bsp"
    help = "rooms by binary space partition, joined by corridors"
    papers = (BOOK.format(3),)
    parameters = (
        *TERRAIN_PARAMETERS,
        Parameter("least", 3, "shortest side of a part", 2, 50, "cells"),
        Parameter("depth", 4, "cuts one after the other: up to 2 to this power rooms", 0, 10),
        Parameter("loops", 0.2, "probability of a second corridor between two parts", 0.0, 1.0),
    )

    def rock(self, rng: np.random.Generator, shape: tuple[int, int], share: float) -> Mask:
        """Return the rock between the rooms; fewer cuts leave less, so their number is tried from many to few."""
        least, depth = self.integer("least"), self.integer("depth")
        for cuts in range(depth, -1, -1):
            rock = partition(rng, shape, share, least=least, depth=cuts, loops=self.number("loops"))
            if float(rock.mean()) <= share + 0.04:
                break
        return rock
