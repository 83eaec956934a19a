"""Runs that make whole games out of games: sprites, mapping, rules and levels.

Layout of the folder (as of runs that make rules, see `rules`; here what is different):

`run.json`
    `kind` ("games"), `games` (those to begin with: `name`, `reading`, `sha256`, `levels` numbers taken), `max_edits`.
`start/0/game.vgdl`, `start/0/lvl0.txt`, ..., `start/1/game.vgdl`, ...
    The games to begin with, as they were.
`events.jsonl`
    `genotype` is that of a whole game (see `generators.games.GameGenotype.to_json`), levels included.
`games/index.json`
    `nearest` (name of that game to begin with from which fewest lines differ) and `edits` (how many).
`games/game0.txt`, `games/game0_lvl0.txt`, ...
    Each game with levels of its own, or those that were made for it (`run.make_levels`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, Unpack

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.resolver import read_game
from pcg.evaluators.games import GameEvaluation, GameEvaluator
from pcg.evaluators.parameters import Setting
from pcg.generators.games import GameCandidate, GameGenotype, game_edits, make_game_generator
from pcg.generators.games.genes import game_distance, game_shape
from pcg.generators.games.recombination import own_features, parts
from pcg.runs.experiments.game_search import (
    CONFIRM,
    EVALUATION,
    GameSearch,
    GameSearchResult,
    sample_seed,
    settings_of,
)
from pcg.runs.experiments.games_config import GamesRun
from pcg.runs.experiments.rules import made_for
from pcg.runs.game_text import GameText
from pcg.runs.process_cache import ProcessCache
from pcg.runs.run import RunOptions, run_experiment
from pcg.runs.search import check_version


def run_games(config: GamesRun, folder: Path | str, **options: Unpack[RunOptions]) -> GameSearchResult:
    """Make games into a new run folder; `pcg.runs.resume` goes on with it.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        options: see `pcg.runs.RunOptions`.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.

    >>> import tempfile
    >>> config = GamesRun("boxes hunt", levels="0", evaluations=2, confirm=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = run_games(config, f"{folder}/run")
    >>> result.evaluations, result.stopped
    (2, 'evaluations')
    """
    result: GameSearchResult = run_experiment(config, folder, **options)
    return result


@dataclass(frozen=True)
class Work:
    """Everything that an evaluation needs besides the game; all of it can be sent to another machine."""

    settings: tuple[tuple[str, Setting], ...]
    seed: int
    made: int = 0
    """Levels that are made for each game; 0: its own are played."""


def _build_evaluator(key: tuple[Work, tuple[str, ...]]) -> GameEvaluator:
    work, levels = key
    return GameEvaluator(levels, **dict(work.settings))


_EVALUATORS = ProcessCache(_build_evaluator, most=64)


def evaluate_game(
    work: Work,
    genotype: GameGenotype,
    plays: int = 0,
    code: str = "",
    bar: float = 0.0,
    sample: int = 0,
    levels: Sequence[str] = (),
) -> tuple[GameEvaluation, float]:
    """Judge a game in whatever thread, process or machine this runs; with the seconds it took.

    Args:
        work: what all evaluations of a run share.
        genotype: the game.
        plays: 0 for an evaluation; else so many plays of every agent, with seeds of their own.
        code: see `code_digest`.
        bar: a fitness that the game must be able to reach; an evaluation ends when it no longer is.
        sample: evaluations with other numbers have other seeds.
        levels: that were made for the game before; none to make them now, where the run makes any.

    Raises:
        PcgError: when this is not the version that `code` names.
    """
    check_version(code)
    started = time.perf_counter()
    try:
        game = Game(read_game(genotype.text(), reading="strict"), genotype.levels, reading="strict")
        game.tables  # noqa: B018 - made here, where what the kernel does not have can be told
    except PcgError as error:
        verdict = GameEvaluation.unreadable(str(error).split("\n")[0])
    else:
        evaluator = _EVALUATORS.get((work, genotype.levels))
        if work.made and not levels:
            levels = made_for(game, genotype.levels, evaluator, work.seed, work.made)
        if levels:
            evaluator = GameEvaluator(levels, **dict(work.settings))
            game = Game(game.definition, levels, reading="strict")
        if plays:
            verdict = evaluator.confirm(game, plays, sample_seed(work.seed, sample) + CONFIRM)
        else:
            verdict = evaluator.evaluate(game, sample_seed(work.seed, sample), threshold=bar)
        verdict = replace(verdict, levels=tuple(levels))
    return verdict, time.perf_counter() - started


def start_folder(folder: Path, k: int) -> Path:
    """Return the folder of the k-th game to begin with."""
    return folder / "start" / str(k)


class WholeGameSearch(GameSearch):
    """A run that makes whole games out of games.

    Args:
        config: what to do.
        games: those to begin with, as text.
        folder: of the run.
    """

    kind = "games"
    task = "makes games"
    config: GamesRun

    def __init__(self, config: GamesRun, games: Sequence[GameText], folder: Path) -> None:
        self.given = tuple(games)
        # Made here, before anything is written, so that every mistake shows at once.
        self.numbers = [game.select_levels(config.levels) for game in games]
        self.start = [
            GameGenotype.of(game.source, [game.levels[k] for k in numbers])
            for game, numbers in zip(games, self.numbers, strict=True)
        ]
        generator = make_game_generator(
            config.generator, self.start, seed=config.seed, max_edits=config.max_edits,
            **dict(config.generator_parameters),
        )  # fmt: skip
        super().__init__(
            config, folder, generator, lambda data: game_shape(GameGenotype.from_json(data)), game_distance
        )
        self.evaluator = GameEvaluator(self.start[0].levels, **{**EVALUATION, **config.evaluation_parameters})
        self.work = Work(settings_of(self.evaluator.settings), config.seed, config.make_levels)

    @classmethod
    def new(cls, config: GamesRun, folder: Path) -> Self:
        """Return the run that a configuration describes."""
        games = [GameText.of(load(source, reading=config.reading or None)) for source in config.sources]
        return cls(config, games, folder)

    @classmethod
    def open(cls, folder: Path, manifest: dict[str, Any], seconds: float | None, evaluations: int | None) -> Self:
        """Return the run in a folder."""
        config = GamesRun.read(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
        games = [
            GameText.read(start_folder(folder, k), entry["name"], entry["reading"])
            for k, entry in enumerate(manifest["games"])
        ]
        return cls(config, games, folder)

    def write_inputs(self) -> None:
        """Write the games to begin with as they are now."""
        for k, game in enumerate(self.given):
            game.write(start_folder(self.folder, k))

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a run that makes games."""
        return {
            **super().manifest(),
            "games": [
                {**game.manifest(), "levels": numbers} for game, numbers in zip(self.given, self.numbers, strict=True)
            ],
            "levels": self.config.levels,
            "max_edits": self.config.max_edits,
            "make_levels": self.config.make_levels,
            "evaluation": self.evaluator.settings,
        }

    def _evaluation(self) -> tuple[Callable[..., tuple[GameEvaluation, float]], Work]:
        return evaluate_game, self.work

    def _final(self, candidate: GameCandidate, levels: Sequence[str] = ()) -> tuple[str, Sequence[str]]:
        return candidate.genotype.text(), levels or candidate.genotype.levels

    def _index(self, candidate: GameCandidate) -> dict[str, Any]:
        counts = [game_edits(game, candidate.genotype) for game in self.start]
        nearest = min(range(len(counts)), key=lambda k: counts[k])
        told = {"nearest": self.given[nearest].name, "start": nearest, "edits": counts[nearest]}
        if len(self.start) > 1:
            told["parts"] = list(parts(candidate.genotype, own_features(self.start)))
        return told

    def _candidate(self, data: dict[str, Any]) -> GameCandidate:
        return GameCandidate.from_json(data)
