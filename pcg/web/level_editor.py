"""The server side of the level editor: checking, evaluating, completing and saving a level.

Evaluations and completions run in a few threads of their own. What waits for a thread is bounded and what takes too
long is no longer waited for, so that no request can hang the server. The methods here are plain functions of text; the
web pages call them through `Bench.run`.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcg.engine.game import Game
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import check_level
from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import CONSTRAINTS, PARAMETERS, LevelEvaluator
from pcg.evaluators.judging.judgement import Judgement
from pcg.evaluators.judging.level_parts import in_order
from pcg.evaluators.metrics.registry import METRICS, TEXT
from pcg.evaluators.target_parsing import parse_targets
from pcg.evaluators.targets import Target
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.level_builder import LevelBuilder
from pcg.generators.levels.repair.level import NoRepairError, repair_level
from pcg.runs.store import read_json, to_json, write_whole
from pcg.web.completers import Completer, completers
from pcg.web.guard import Refused
from pcg.web.palette import LARGEST_SIDE
from pcg.web.tried_levels import numbers

T = TypeVar("T")

MOST_SUGGESTIONS = 12
MOST_DRAWN = 1000
CACHED = 200
OPEN = "?"
"""Stands for a cell that is still to be filled in, as in the sketches of `pcg levels`."""


class Bench:
    """A few threads for long work.

    Args:
        workers: pieces of work done at once.
        waiting: pieces that may wait for their turn.
        limit_s: seconds after which the asker is told to give up; the thread finishes by itself.
    """

    def __init__(self, *, workers: int = 2, waiting: int = 6, limit_s: float = 60.0) -> None:
        self.most = workers + waiting
        self.limit_s = limit_s
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="pcg-web")
        self._pending = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[[], T]) -> T:
        """Do a piece of work in a thread.

        Raises:
            Refused: when too much waits already, or it takes too long.
        """
        with self._lock:
            if self._pending >= self.most:
                raise Refused("the server is busy with other levels; try again in a moment", 429)
            self._pending += 1
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._done())
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), self.limit_s)
        except TimeoutError:
            future.cancel()
            raise Refused(
                f"this took longer than {self.limit_s:g} s and was given up; try a smaller level", 408
            ) from None

    def _done(self) -> None:
        with self._lock:
            self._pending -= 1

    def close(self) -> None:
        """Let nothing new start."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class LevelEditor:
    """Tools for levels of one game.

    Args:
        game: the game, with its own levels.
        settings: parameters of the evaluation, as in `run.json`; unknown ones (of another version) are ignored.
        wants: what the run wanted of its levels.
        seed: of evaluations and completions.
        folder: where levels are saved, made when the first is; None: nowhere.
    """

    def __init__(
        self, game: Game, settings: Mapping[str, Any] | None = None, *, wants: str | Sequence[Target] = (),
        seed: int = 1, folder: Path | None = None,
    ) -> None:  # fmt: skip
        known = {parameter.name for parameter in PARAMETERS}
        self.game = game
        self.seed = seed
        self.folder = folder
        self.settings = {name: value for name, value in (settings or {}).items() if name in known}
        self.context = LevelContext.of(game)
        self.evaluator = LevelEvaluator(game, targets=wants, **self.settings)
        self._cache: OrderedDict[tuple[str, str], Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    # -- reading levels ------------------------------------------------------------------------------------------------

    def tidy(self, text: str) -> str:
        """A level text without line ends at its end, of a size that can be worked on.

        Raises:
            Refused: when it is empty, too large, or its rows differ in length.
        """
        level = text.replace("\r\n", "\n").strip("\n")
        rows = level.split("\n")
        width = len(rows[0])
        if not width:
            raise Refused("the level is empty: expected rows of characters")
        if width > LARGEST_SIDE or len(rows) > LARGEST_SIDE:
            raise Refused(
                f"the level has {width} x {len(rows)} cells, expected at most {LARGEST_SIDE} x {LARGEST_SIDE}"
            )
        for number, row in enumerate(rows, start=1):
            if len(row) != width:
                raise Refused(f"row {number} has {len(row)} cells, expected {width} as in the first row")
        return level

    def check(self, text: str) -> list[dict[str, Any]]:
        """Return what the level check finds, errors and warnings, as JSON objects."""
        found = check_level(self.tidy(text), self.game.definition, reading="strict", file="level")
        return [_diagnostic_json(d) for d in found]

    def wants(self, text: str) -> tuple[Target, ...]:
        """Wants as a person writes them.

        Raises:
            Refused: when they cannot be read or met.
        """
        try:
            return parse_targets(text, self.evaluator.analysis) if text.strip() else ()
        except PcgError as error:
            raise Refused(str(error)) from None

    # -- evaluating ----------------------------------------------------------------------------------------------------

    def evaluate(self, text: str, wants: str = "") -> Evaluation:
        """Judge a level; the same text is judged once."""
        level = self.tidy(text)
        key = (level, wants.strip())
        with self._lock:
            found = self._cache.get(key)
        if found is not None:
            return found
        asked = self.wants(wants)
        evaluator = LevelEvaluator(self.game, targets=asked, **self.settings) if asked else self.evaluator
        evaluation = evaluator.evaluate(level, self.seed)
        with self._lock:
            self._cache[key] = evaluation
            while len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return evaluation

    def judge(self, text: str, wants: str = "") -> dict[str, Any]:
        """An evaluation as JSON: `check`, `feasible`, `fitness`, `failed` constraints, `metrics`, `parts`, `wants`."""
        evaluation = self.evaluate(text, wants)
        return {
            "check": self.check(text),
            "feasible": evaluation.feasible,
            "fitness": evaluation.fitness,
            "constraint": evaluation.constraint,
            "failed": failed(evaluation.constraints),
            "metrics": metrics_json(evaluation.metrics),
            "parts": parts_list(self.judgement(text, evaluation).as_dict()["parts"]),
            "wants": {name: value >= 1.0 for name, value in evaluation.targets.items()},
            "winner": evaluation.winner,
            "seed": evaluation.seed,
            "actions": evaluation.actions,
        }

    def judgement(self, text: str, evaluation: Evaluation) -> Judgement:
        """Return the judgement of an evaluated level; of one that is not feasible, that of its text."""
        return self.evaluator.judgement(self.tidy(text), evaluation)

    def opens(self, level: str) -> int:
        """Return how many cells of a level are still to be filled in; none where `?` is a tile of the game."""
        return 0 if any(tile.char == OPEN for tile in self.context.palette.tiles) else level.count(OPEN)

    # -- completing ----------------------------------------------------------------------------------------------------

    @cached_property
    def completers(self) -> Mapping[str, Completer]:
        """The ways to complete a level of this game, by name; the first one never fails."""
        return completers(self.context)

    def complete(self, text: str, locked: Sequence[str], *, count: int = 6, wants: str = "", seed: int = 0) -> Any:
        """Suggestions of how a level might go on.

        Args:
            text: the level as far as it is; with `?` in it, all but these cells stay as they are.
            locked: a row of 0 and 1 for each row of the level; cells with 1 stay as they are.
            count: suggestions wanted.
            wants: what they are to be like.
            seed: another seed, other suggestions.

        Returns:
            {`suggestions`: [{`level`, `source`}], `notes`: [why a source has none]}.

        Raises:
            Refused: for bad input.
        """
        level = self.tidy(text)
        mask = _mask(locked, level)
        if self.opens(level):  # a sketch: what is drawn stays, and only what is open is filled in
            mask = np.array([[char != OPEN for char in row] for row in level.split("\n")])
            level = level.replace(OPEN, self.context.palette.tiles[self.context.palette.empty].char)
        asked = self.wants(wants)
        if not 1 <= count <= MOST_SUGGESTIONS:
            raise Refused(f"{count} suggestions: expected 1 to {MOST_SUGGESTIONS}")
        self.context.palette.parse(level)  # foreign characters are told once, not by every method
        found: dict[str, str] = {}
        notes: list[str] = []
        # The first method, which never fails, makes up for what the others do not find.
        first, *others = self.completers
        share = max(1, count // len(self.completers))
        for turn, name in enumerate([*others, first], start=1):
            wanted = count - len(found) if name == first else min(share, count - len(found) - 1)
            if wanted <= 0:
                continue
            rng = np.random.default_rng([self.seed, seed & 0xFFFFFFFF, turn])
            try:
                made = self.completers[name].method(self.context, level, mask, rng, asked, wanted)
            except PcgError as error:
                notes.append(f"{name}: {error}")
                continue
            for one in made:
                found.setdefault(one, name)
        return {"suggestions": [{"level": k, "source": v} for k, v in found.items()][:count], "notes": notes}

    # -- repairing -----------------------------------------------------------------------------------------------------

    def repair(self, text: str, wants: str = "") -> dict[str, Any]:
        """Return a level made sound with few edits: `level`, `method`, `edits` [{`row`, `column`, ... `reason`}].

        Raises:
            Refused: for bad input, and when none is found.
        """
        level = self.tidy(text)
        try:
            return repair_level(self.game, level, targets=self.wants(wants), seed=self.seed).to_json()
        except NoRepairError as error:
            raise Refused(str(error), 422) from None

    # -- starting ------------------------------------------------------------------------------------------------------

    def blank(self, width: int, height: int) -> str:
        """An empty level inside the game's frame.

        Raises:
            Refused: when it is too small or too large.
        """
        least = self.context.smallest
        if not (least <= width <= LARGEST_SIDE and least <= height <= LARGEST_SIDE):
            raise Refused(f"{width} x {height} cells: expected {least} to {LARGEST_SIDE} columns and rows")
        return LevelBuilder.blank(self.context, width, height).text()

    # -- saving --------------------------------------------------------------------------------------------------------

    def save(self, text: str, title: str) -> int:
        """Keep a level in the folder, evaluated; its number there.

        The folder has the layout of a run's `levels/`, with a `title` to each level.

        Raises:
            Refused: when the level is no level of the game, there is no folder, or it is full.
        """
        level = self.tidy(text)
        errors = [d for d in self.check(level) if d["severity"] == "error"]
        if errors:
            raise Refused(f"the level is not saved, as it has an error: {errors[0]['message']}")
        if self.folder is None:
            raise Refused("there is no folder to save levels in", 409)
        evaluation = self.evaluate(level)
        with self._lock:
            folder = _own_folder(self.folder)
            index = read_json(folder / "index.json") if (folder / "index.json").is_file() else {"levels": []}
            levels = index["levels"]
            if len(levels) >= MOST_DRAWN:
                raise Refused(f"{MOST_DRAWN} levels are saved already", 409)
            number = len(levels)
            data = evaluation.to_json()
            rows = level.split("\n")
            levels.append(
                {
                    **{k: v for k, v in data.items() if k not in ("play", "stage")},
                    "file": f"lvl{number}.txt",
                    "title": title,
                    "origin": "drawn",
                    "width": len(rows[0]),
                    "height": len(rows),
                    "actions": evaluation.actions,
                }
            )
            write_whole(folder / f"lvl{number}.txt", level + "\n")
            if not (folder / "game.vgdl").exists():
                write_whole(folder / "game.vgdl", self.game.definition.source)
            write_whole(folder / "index.json", to_json(index, indent=1) + "\n")
        return number


def _own_folder(folder: Path) -> Path:
    """The folder, made if it is not there; a link that leads out of the run is not followed."""
    if folder.is_symlink():
        raise Refused(f"{folder.name} is a link; levels are saved in a folder of the run itself", 409)
    folder.mkdir(exist_ok=True)
    return folder


def _mask(locked: Sequence[str], level: str) -> NDArray[np.bool_]:
    rows = level.split("\n")
    right = len(locked) == len(rows) and all(
        isinstance(r, str) and len(r) == len(rows[0]) and set(r) <= {"0", "1"} for r in locked
    )
    if not right:
        raise Refused(f"`locked` must be {len(rows)} texts of {len(rows[0])} characters 0 or 1, one for each cell")
    return np.array([[c == "1" for c in row] for row in locked])


def _diagnostic_json(found: Diagnostic) -> dict[str, Any]:
    message = found.message + (f", did you mean `{found.suggestion}`?" if found.suggestion else "")
    message += f" (expected {found.expected})" if found.expected else ""
    return {"severity": found.severity, "message": message, "row": found.line, "column": found.column}


_STAGES = (("check",), ("avatar", "goal", "cover", "kinds"), ("start", "survival", "idle"), ("win",), ("length",))
"""Constraints in the order in which an evaluation looks at them; it stops at the first stage that fails."""


def failed(constraints: Mapping[str, float]) -> list[dict[str, Any]]:
    """The constraints that are not kept: `name`, `help`, `value`. Those that were not looked at are left out."""
    later = tuple(name for name in constraints if all(name not in stage for stage in _STAGES))
    for stage in (*_STAGES, later):
        found = [name for name in stage if constraints.get(name, 1.0) < 1.0]
        if found:
            return [{"name": n, "help": CONSTRAINTS.get(n, ""), "value": constraints[n]} for n in found]
    return []


def parts_list(parts: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Parts of a judgement in order: `name`, `value`, `weight`, `sentence`."""
    return [{"name": name, **part} for name, part in in_order(parts).items()]


def metrics_json(metrics: Mapping[str, float]) -> list[dict[str, Any]]:
    """Measurements with what they mean: `name`, `value`, `help`, `unit`, and `group`, the stage that measures it."""
    return [
        {
            "name": name,
            "value": value,
            "help": METRICS[name].help if name in METRICS else "",
            "unit": METRICS[name].unit if name in METRICS else "",
            "group": METRICS[name].stage if name in METRICS else TEXT,
        }
        for name, value in numbers(metrics).items()
    ]
