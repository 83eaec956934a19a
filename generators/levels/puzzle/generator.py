"""The puzzle generator: hard levels of games in which things are pushed, each with a solution that was played.

What a game's boxes and goals do is found by experiment (`evaluators.pushing.rules`), so that no game is named.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import replay
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.pushing import BoxRules, PushRules, push_rules
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.contract import SIZE_PARAMETERS, IndependentGenerator
from pcg.generators.levels.puzzle.search import Puzzle, search_puzzle, simplified
from pcg.generators.levels.wall_layout import draw_size

MOST_BOXES = 8
ATTEMPTS = 12
"""Searches for one level before the generator gives up."""


class PuzzleGenerator(IndependentGenerator):
    """Generator of hard pushing puzzles."""

    name = "puzzle"
    help = "hard pushing puzzles: played backwards, searched by what their shortest solutions take, and simplified"
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
        if rules is None or rules.wall is None:
            raise PcgError(
                f"generator {self.name}: {context.definition.name} is no game in which boxes are pushed to goals among "
                "walls, as far as experiments tell"
            )
        self._rules: PushRules = rules
        self._kind: BoxRules = rules.kinds[0]
        self._game = Game(context.definition, (), reading="gvgai")

    def generate(self, rng: np.random.Generator) -> str:
        """One level text.

        Raises:
            PcgError: when no puzzle of this size was met.
        """
        for _ in range(ATTEMPTS):
            width, height = draw_size(rng, self.widths, self.heights)
            boxes = self.integer("boxes") or self._usual_boxes(rng)
            # a box, its goal and the room to push it: what is too small for as many has fewer
            boxes = max(1, min(boxes, (height - 2) * (width - 2) // 6))
            found = search_puzzle(self._kind, rng, height, width, boxes, self.integer("tries"))
            if found is None:
                continue
            puzzle = simplified(found)
            text = self._rules.text(puzzle.board, self._kind)
            if self.proved(text, puzzle):
                return text
        raise PcgError(f"generator {self.name}: no puzzle was met among {ATTEMPTS} times {self.integer('tries')} tries")

    def proved(self, text: str, puzzle: Puzzle) -> bool:
        """Return whether the solution wins the level when it is played.

        Args:
            text: of the level.
            puzzle: with its solution.
        """
        return bool(replay(self._game.start(text, seed=1), puzzle.solution.actions)[-1].winner == 1)

    def _usual_boxes(self, rng: np.random.Generator) -> int:
        """Number of boxes of one of the game's own levels, else 2 to 4."""
        tile = next(k for k, t in enumerate(self.context.palette.tiles) if t.char == self._kind.box)
        counts = [int((grid == tile).sum()) for grid in self.context.examples]
        counts = [count for count in counts if 0 < count <= MOST_BOXES]
        return counts[int(rng.integers(len(counts)))] if counts else int(rng.integers(2, 5))
