"""Our games as problems of the PCG Benchmark: make its levels, judged by our evaluation, with the benchmark's interface.

A content is a grid of tile numbers of the game's level mapping, a control a number for each controllable metric. The
three questions are answered so: quality is the share of kept constraints, 1 for a feasible level; the diversity of two
levels is their distance relative to what counts as different; controllability is how well the wanted metrics are met.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.wants import Want
from pcg.generators.levels import LevelContext, level_distance
from pcg.integrations.pcg_benchmark.package import benchmark

DIFFERENT = 0.4
"""Level distance from which two levels count as fully different."""
CONTROLS: tuple[tuple[str, int, int, float], ...] = (("solution_length", 20, 120, 10.0), ("enemies", 0, 8, 1.0))
"""Metrics that can be controlled: name, range (upper end excluded), tolerance."""


@lru_cache(maxsize=1)
def _problem_class() -> type:
    """The class of our problems; made late, because its base class belongs to the benchmark."""
    package = benchmark()
    spaces = package.spaces
    base: Any = package.probs.Problem

    class GameProblem(base):  # type: ignore[misc]
        """Levels of one VGDL game."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self._game: Game = load(given["game"])
            self._context = LevelContext.of(self._game)
            self._evaluator = LevelEvaluator(self._game, **given.get("evaluation", {}))
            self._height, self._width = int(given["height"]), int(given["width"])
            self._tiles = len(self._context.palette.tiles)
            self._content_space = spaces.ArraySpace((self._height, self._width), spaces.IntegerSpace(self._tiles))
            self._control_space = spaces.DictionarySpace(
                {name: spaces.IntegerSpace(low, high) for name, low, high, _ in CONTROLS}
            )

        def info(self, content: Any) -> dict[str, Any]:
            """What there is to know of a level: its text and our evaluation."""
            grid = np.array(content, np.int16)
            text = self._context.palette.text(grid)
            return {"level": text, **self._evaluator.evaluate(text, seed=0).to_json()}

        def quality(self, info: dict[str, Any]) -> float:
            """Share of kept constraints."""
            return float(info["constraint"])

        def diversity(self, first: dict[str, Any], second: dict[str, Any]) -> float:
            """Distance of two levels, 1 from `DIFFERENT` on."""
            return min(1.0, level_distance(first["level"], second["level"]) / DIFFERENT)

        def controlability(self, info: dict[str, Any], control: dict[str, Any]) -> float:
            """How well the wanted numbers are met, 1 within the tolerance."""
            met = [
                Want(name, control[name] - tolerance, control[name] + tolerance).satisfaction(info["metrics"].get(name))
                for name, _, _, tolerance in CONTROLS
            ]
            return float(np.mean(met))

        def render(self, content: Any) -> Any:
            """A picture of the level."""
            from pcg.render import render_png

            text = self._context.palette.text(np.array(content, np.int16))
            return render_png(self._game.start(text, seed=0))

    return GameProblem


def game_problem(game: str, *, width: int | None = None, height: int | None = None) -> tuple[type, dict[str, Any]]:
    """Class and arguments with which the benchmark makes a problem of one of our games (or a game file).

    Args:
        game: name of a built-in game, or a file.
        width: columns of a content; without it, the narrowest of the game's own levels.
        height: rows of a content; without it, the lowest of the game's own levels.

    Raises:
        PcgError: when the benchmark is not installed, or the game has no levels to take the size from.
    """
    loaded = load(game)
    if (width is None or height is None) and not loaded.levels:
        raise PcgError(f"{loaded.name} has no levels of its own: give width and height")
    rows = [level.splitlines() for level in loaded.levels]
    arguments = {
        "game": game,
        "width": width if width is not None else min(len(level[0]) for level in rows),
        "height": height if height is not None else min(len(level) for level in rows),
    }
    return _problem_class(), arguments


def register_games(games: Sequence[str]) -> list[str]:
    """Add games to the benchmark's table of problems, as ``pcg-NAME-v0``; returns these names.

    >>> import pcg_benchmark                                           # doctest: +SKIP
    >>> register_games(["dungeon"])                                    # doctest: +SKIP
    ['pcg-dungeon-v0']
    >>> environment = pcg_benchmark.make("pcg-dungeon-v0")             # doctest: +SKIP
    """
    package = benchmark()
    names = []
    for game in games:
        name = f"pcg-{load(game).name}-v0"
        if name not in package.list():
            package.register(name, *game_problem(game))
        names.append(name)
    return names
