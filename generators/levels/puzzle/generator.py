"""The puzzle generator: hard levels of games in which things are pushed, each with a solution that was played.

What a game's boxes and goals do is found by experiment (`evaluators.pushing.rules`), so that no game is named. Games in
which nothing is pushed home get levels of `constructive`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.evaluators.agents import replay
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.pushing import BoxRules, PushRules, push_rules
from pcg.evaluators.targets import Target
from pcg.generators.levels.constructive.generator import ConstructiveGenerator
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.puzzle.search import Puzzle, search_puzzle, simplified
from pcg.generators.levels.wall_layout import draw_size

MOST_BOXES = 8
ATTEMPTS = 4
"""Searches for one level before the generator gives up."""


class PuzzleGenerator(IndependentGenerator):
    """Generator of hard pushing puzzles."""

    name = "puzzle"
    help = "hard puzzles of boxes to push: played backwards, searched and simplified (without boxes: constructive)"
    papers = (
        "Taylor, Parberry: Procedural Generation of Sokoban Levels (GAMEON-NA 2011)",
        "Kartal, Sohre, Guy: Data-Driven Sokoban Puzzle Generation with Monte Carlo Tree Search (AIIDE 2016)",
    )
    parameters = (
        *SIZE_PARAMETERS,
        Parameter("boxes", 0, "boxes of a level; 0: as the game's own levels", 0, MOST_BOXES),
        Parameter("tries", 40, "layouts that are looked at for a level", 8, 100_000),
    )

    def __init__(
        self, context: LevelContext, *, seed: int, targets: str | Sequence[Target] = (), **params: object
    ) -> None:
        super().__init__(context, seed=seed, targets=targets, **params)
        rules = push_rules(context.definition)
        self._rules: PushRules | None = rules if rules is not None and rules.wall is not None else None
        self._game = Game(context.definition, (), reading="gvgai")

    def generate(self, rng: np.random.Generator) -> str:
        """One level text: a puzzle, or a level of `constructive` where the game has none or no puzzle was met."""
        if self._rules is None:
            return self._usual.generate(rng)
        kind = self._rules.kinds[0]
        for _ in range(ATTEMPTS):
            width, height = draw_size(rng, self.widths, self.heights)
            boxes = self.integer("boxes") or self._usual_boxes(kind, rng)
            # a box, its goal and the room to push it: what is too small for as many has fewer
            boxes = max(1, min(boxes, (height - 2) * (width - 2) // 6))
            found = search_puzzle(kind, rng, height, width, boxes, self.integer("tries"))
            if found is None:
                continue
            puzzle = simplified(found)
            text = self._rules.text(puzzle.board, kind)
            if self.proved(text, puzzle):
                return text
        return self._usual.generate(rng)

    @cached_property
    def _usual(self) -> ConstructiveGenerator:
        """The generator for games in which nothing is pushed home."""
        sides = {p.name: self.settings[p.name] for p in SIZE_PARAMETERS}
        return ConstructiveGenerator(self.context, seed=0, targets=self.targets, **sides)

    def proved(self, text: str, puzzle: Puzzle) -> bool:
        """Return whether the solution wins the level when it is played.

        Args:
            text: of the level.
            puzzle: with its solution.
        """
        return bool(replay(self._game.start(text, seed=1), puzzle.solution.actions)[-1].winner == 1)

    def _usual_boxes(self, kind: BoxRules, rng: np.random.Generator) -> int:
        """Number of boxes of one of the game's own levels, else 2 to 4."""
        tile = next(k for k, t in enumerate(self.context.palette.tiles) if t.char == kind.box)
        counts = [int((grid == tile).sum()) for grid in self.context.examples]
        counts = [count for count in counts if 0 < count <= MOST_BOXES]
        return counts[int(rng.integers(len(counts)))] if counts else int(rng.integers(2, 5))
