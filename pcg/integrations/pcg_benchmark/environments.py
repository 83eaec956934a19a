"""Our games as problems of the PCG Benchmark: their levels, judged by our evaluation, with the benchmark's interface.

A content is a grid of tile numbers of the game's level mapping, a control a number for each controllable metric. The
three questions are answered so: quality is the share of kept constraints, 1 for a feasible level; the diversity of two
levels is their distance relative to what counts as different; controllability is how well the wanted metrics are met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.level import scan_level
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.targets import Target, group
from pcg.generators.levels import LevelContext, level_distance
from pcg.integrations.pcg_benchmark.package import benchmark

DIFFERENT = 0.14
"""Level distance from which two levels count as fully different."""
_REMEMBERED = 4096
"""Levels whose evaluations a problem keeps."""


@dataclass(frozen=True)
class Control:
    """A metric that can be asked for.

    Attributes:
        name: of the metric.
        low, high: range of what is asked, `high` excluded.
        tolerance: how far off still counts as met.
    """

    name: str
    low: int
    high: int
    tolerance: float


def game_controls(game: Game, context: LevelContext, height: int, width: int) -> tuple[Control, ...]:
    """Return the controls of levels of a game: only what differs between them.

    The length of the winning play, from once along both sides to three times that, unless the game is won by lasting
    to a given tick; the number of enemies, from none to half more than in any of the game's own levels, if it has any.
    """
    analysis = context.analysis
    controls = []
    enemies = group("enemies", analysis)
    if any(enemies & set(np.flatnonzero(row).tolist()) for row in context.palette.type_counts):
        most = [sum(n for t, n in _counts(context, level).items() if t in enemies) for level in game.levels]
        controls.append(Control("enemies", 0, max(4, 3 * max(most, default=0) // 2 + 1), 1.0))
    lasting = any(end.kind == "timeout" and end.outcome == "win" for end in analysis.endings)
    if not (lasting and controls):
        across = height + width
        controls.append(Control("solution_length", across, 3 * across + 1, max(1.0, across / 4)))
    return tuple(controls)


def _counts(context: LevelContext, level: str) -> dict[int, int]:
    return context.palette.count_types(context.palette.parse(level))


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
            self._controls = game_controls(self._game, self._context, self._height, self._width)
            self._tiles = len(self._context.palette.tiles)
            self._content_space = spaces.ArraySpace((self._height, self._width), spaces.IntegerSpace(self._tiles))
            self._control_space = spaces.DictionarySpace(
                {control.name: spaces.IntegerSpace(control.low, control.high) for control in self._controls}
            )
            self._known: dict[str, dict[str, Any]] = {}

        def info(self, content: Any) -> dict[str, Any]:
            """Return the text of a level and our evaluation of it."""
            text = self._context.palette.text(np.array(content, np.int16))
            if text not in self._known:
                if len(self._known) >= _REMEMBERED:
                    self._known.pop(next(iter(self._known)))
                self._known[text] = {"level": text, **self._evaluator.evaluate(text, seed=0).to_json()}
            return self._known[text]

        def quality(self, info: dict[str, Any]) -> float:
            """Share of kept constraints."""
            return float(info["constraint"])

        def diversity(self, first: dict[str, Any], second: dict[str, Any]) -> float:
            """Distance of two levels, 1 from `DIFFERENT` on."""
            return min(1.0, level_distance(first["level"], second["level"]) / DIFFERENT)

        def controlability(self, info: dict[str, Any], control: dict[str, Any]) -> float:
            """Return how well the wanted numbers are met, 1 within the tolerance."""
            met = [
                Target(
                    asked.name, control[asked.name] - asked.tolerance, control[asked.name] + asked.tolerance
                ).satisfaction(info["metrics"].get(asked.name))
                for asked in self._controls
            ]
            return float(np.mean(met))

        def render(self, content: Any) -> Any:
            """A picture of the level, also of one that has no avatar or too many."""
            from PIL import Image

            from pcg.render.picture import level_items, painter_for

            text = self._context.palette.text(np.array(content, np.int16))
            level, findings = scan_level(text, self._game.definition, reading=self._game.reading, file="<level>")
            if level is None:
                findings.raise_errors()
            assert level is not None
            items = level_items(self._game.definition, level)
            return Image.fromarray(
                painter_for(self._game, 16).paint(items, level.width, level.height, level.block_size)
            )

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
