"""Levels drawn tile by tile from a Markov chain over the game's own levels, then repaired.

Each tile is drawn in reading order given those before it, with a look at whether the next context is one the examples
show (the look-ahead of Snodgrass and Ontanon). Around locked cells some sweeps of Gibbs sampling follow, in which
every tile is drawn again given all that is around it.
"""

from __future__ import annotations

import numpy as np

from pcg.evaluators.level_grid import Grid, Mask
from pcg.evaluators.parameters import Parameter
from pcg.generators.levels.contract import SIZE_PARAMETERS
from pcg.generators.levels.examples import DRAWS, SYMMETRY, ExampleGenerator, mirrored, symmetry_of
from pcg.generators.levels.markov.model import NEIGHBOURHOODS, Chain, Chances, offsets_of


class MarkovGenerator(ExampleGenerator):
    """Tile after tile, as likely as in the game's own levels."""

    name = "markov"
    help = "n-grams and multi-dimensional Markov chains over the game's own levels, repaired"
    papers = (
        "Snodgrass, Ontanon: Learning to generate video game maps using Markov models (TCIAIG 2017)",
        "Dahlskog, Togelius, Nelson: Linear levels through n-grams (MindTrek 2014)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        SYMMETRY,
        DRAWS,
        Parameter("neighbourhood", "corner", "the tiles a tile depends on: left, above, both, or more",
                  choices=NEIGHBOURHOODS),
        Parameter("order", 1, "how many tiles to the left and above", 1, 8, "cells"),
        Parameter("bands", 1, "parts from top to bottom that are learnt apart", 1, 20),
        Parameter("smoothing", 0.05, "weight of shorter contexts", 0.0, 10.0),
        Parameter("lookahead", 6, "draws until the next context is one that the examples show", 1, 100),
        Parameter("sweeps", 0, "rounds of Gibbs sampling afterwards; at least 3 around locked cells", 0, 100),
    )  # fmt: skip

    def fill(self, partial: Grid, locked: Mask, rng: np.random.Generator) -> Grid:
        """A level drawn from the chain; its locked cells are given."""
        chain = self.chain
        reach = chain.reach
        padded = chain.padded(partial)
        height, width = partial.shape
        drawn = padded[reach : reach + height, reach : reach + width]  # a view: what is drawn is seen at once
        avatars = list(self.context.palette.avatars)
        alone = bool(np.isin(partial[locked], avatars).any())
        for y in range(height):
            for x in range(width):
                if locked[y, x]:
                    continue
                chances = chain.chances(chain.context(padded, y, x))
                if alone:
                    chances = _without(chances, avatars)
                tile = _draw(rng, chances)
                for _ in range(self.integer("lookahead") - 1):
                    drawn[y, x] = tile
                    if x + 1 == width or chain.knows(chain.context(padded, y, x + 1)):
                        break
                    tile = _draw(rng, chances)
                drawn[y, x] = tile
                alone = alone or tile in avatars
        sweeps = self.integer("sweeps")
        for _ in range(max(3, sweeps) if locked.any() else sweeps):
            self._sweep(padded, locked, rng)
        return drawn.copy()

    def _sweep(self, padded: Grid, locked: Mask, rng: np.random.Generator) -> None:
        """Draw every tile again, given those it depends on and those that depend on it."""
        chain = self.chain
        reach = chain.reach
        height, width = locked.shape
        drawn = padded[reach : reach + height, reach : reach + width]
        avatars = list(self.context.palette.avatars)
        for y, x in np.argwhere(~locked).tolist():
            before = int(drawn[y, x])
            chances = chain.chances(chain.context(padded, y, x)).copy()
            if int(np.isin(drawn, avatars).sum()) - (before in avatars) > 0:
                chances = _without(chances, avatars)
            behind = [(y - dy, x - dx) for dy, dx in chain.offsets]
            behind = [(by, bx) for by, bx in behind if 0 <= by < height and 0 <= bx < width]
            for tile in np.flatnonzero(chances).tolist():
                drawn[y, x] = tile
                for by, bx in behind:
                    chances[tile] *= chain.chances(chain.context(padded, by, bx))[drawn[by, bx]]
            drawn[y, x] = _draw(rng, chances) if chances.any() else before

    @property
    def chain(self) -> Chain:
        """Markov chain learnt from the game's levels."""
        if not hasattr(self, "_chain"):
            context = self.context
            examples = mirrored(context.examples, symmetry_of(context, str(self.settings["symmetry"])))
            offsets = offsets_of(str(self.settings["neighbourhood"]), self.integer("order"))
            self._chain = Chain(
                examples, len(context.palette.tiles), offsets,
                bands=self.integer("bands"), smoothing=self.number("smoothing"),
            )  # fmt: skip
        return self._chain


def _without(chances: Chances, tiles: list[int]) -> Chances:
    """The chances without some tiles, unless nothing else is left."""
    others = chances.copy()
    others[tiles] = 0.0
    return others if others.any() else chances


def _draw(rng: np.random.Generator, chances: Chances) -> int:
    sums = np.cumsum(chances)
    return min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), len(chances) - 1)
