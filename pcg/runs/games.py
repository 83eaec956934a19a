"""Runs that make whole games out of games: sprites, mapping, rules and levels.

Layout of the folder (as of runs that make rules, see `pcg.runs.rules`; here what is different):

`run.json`
    `kind` ("games"), `games` (those to begin with: `name`, `reading`, `sha256`, `levels` numbers taken), `max_edits`.
`start/0/game.vgdl`, `start/0/lvl0.txt`, ..., `start/1/game.vgdl`, ...
    The games to begin with, as they were.
`events.jsonl`
    `genotype` is that of a whole game (see `generators.games.GameGenotype.to_json`), levels included.
`games/index.json`
    `nearest` (name of that game to begin with from which fewest lines differ) and `edits` (how many).
`games/game0.txt`, `games/game0_lvl0.txt`, ...
    Each game with levels of its own.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pcg.engine.game import Game, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.resolver import read_game
from pcg.evaluators.games import GameEvaluation, GameEvaluator
from pcg.evaluators.parameters import Setting
from pcg.evaluators.tournament.games import Entry as GameEntry
from pcg.evaluators.tournament.games import select_levels
from pcg.generators.games import GameCandidate, GameGenotype, game_edits, make_game_generator
from pcg.generators.games.genes import game_distance, game_shape
from pcg.generators.games.recombination import own_features, parts
from pcg.runs.driver import GameText
from pcg.runs.games_config import GamesRun, read_games_config
from pcg.runs.made_games import (
    CONFIRM,
    MakingProgress,
    MakingResult,
    MakingRun,
    check_kind,
    check_version,
    go_on,
    sample_seed,
    settings_of,
    start_run,
)
from pcg.runs.store import GAMES, check_new


@dataclass(frozen=True)
class Work:
    """What an evaluation needs besides the game: all of it can be sent to another machine."""

    settings: tuple[tuple[str, Setting], ...]
    seed: int


@functools.lru_cache(maxsize=64)
def _evaluator(work: Work, levels: tuple[str, ...]) -> GameEvaluator:
    return GameEvaluator(levels, **dict(work.settings))


def evaluate_game(
    work: Work, genotype: GameGenotype, plays: int = 0, code: str = "", bar: float = 0.0, sample: int = 0
) -> tuple[GameEvaluation, float]:
    """Judge a game in whatever thread, process or machine this runs; with the seconds it took.

    Args:
        work: what all evaluations of a run share.
        genotype: the game.
        plays: 0 for an evaluation; else so many plays of every agent, with seeds of their own.
        code: see `code_digest`.
        bar: a fitness that the game must be able to reach; an evaluation ends when it no longer is.
        sample: evaluations with other numbers have other seeds.

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
        evaluator = _evaluator(work, genotype.levels)
        if plays:
            verdict = evaluator.confirm(game, plays, sample_seed(work.seed, sample) + CONFIRM)
        else:
            verdict = evaluator.evaluate(game, sample_seed(work.seed, sample), threshold=bar)
    return verdict, time.perf_counter() - started


def run_games(
    config: GamesRun,
    folder: Path | str,
    *,
    workers: int | None = None,
    executor: Executor | str | None = None,
    progress: Callable[[MakingProgress], None] | None = None,
    command: Sequence[str] | None = None,
) -> MakingResult:
    """Make games into a new run folder.

    Args:
        config: what to do.
        folder: of the run; must not exist or be empty.
        workers: evaluations side by side (default: one per processor); no influence on the result of a counted budget.
        executor: what evaluates, as for `run_levels`; no influence on the result either.
        progress: called after every evaluation.
        command: command line to note in `timing.jsonl` (default: that of this process).

    Returns:
        The result; also when interrupted with Ctrl-C, after which `resume_games` goes on.

    Raises:
        PcgError: for anything wrong with the configuration, before anything is written.
    """
    folder = Path(folder)
    check_new(folder)
    games = tuple(GameText.of(load(source, reading=config.reading or None)) for source in config.sources)
    return start_run(_Run(config, games, folder), workers, executor, progress, command)


def resume_games(
    folder: Path | str,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    progress: Callable[[MakingProgress], None] | None = None,
    command: Sequence[str] | None = None,
) -> MakingResult:
    """Go on with a run that was interrupted or killed, or give a finished one a larger budget.

    Args:
        folder: of the run.
        seconds: a new limit of time (of the whole run), instead of its own.
        evaluations: a new number of evaluations (of the whole run), instead of its own.
        workers: as for `run_games`.
        executor: as for `run_games`.
        progress: as for `run_games`.
        command: as for `run_games`.

    Raises:
        PcgError: when the folder is no such run, or one that this version cannot continue.
    """
    folder = Path(folder)
    manifest = check_kind(folder, GAMES, "games")
    config = read_games_config(folder / "config.toml").with_budget(seconds=seconds, evaluations=evaluations)
    games = tuple(
        GameText.read(start_folder(folder, k), entry["name"], entry["reading"])
        for k, entry in enumerate(manifest["games"])
    )
    return go_on(_Run(config, games, folder), workers, executor, progress, command)


def start_folder(folder: Path, k: int) -> Path:
    """Where the k-th game to begin with is kept."""
    return folder / "start" / str(k)


class _Run(MakingRun):
    """One run in one process."""

    kind = GAMES

    def __init__(self, config: GamesRun, games: Sequence[GameText], folder: Path) -> None:
        self.config = config
        self.given = tuple(games)
        self.numbers: list[list[int]] = []
        self.start: list[GameGenotype] = []
        # Made here, before anything is written, so that every mistake shows at once.
        for game in games:
            if not game.levels:
                raise PcgError(
                    f"{game.name} has no levels to play: expected files such as {game.name}_lvl0.txt beside it"
                )
            entry = GameEntry(game.name, "", "", 1, len(game.levels), "")
            numbers = select_levels(config.levels, [entry])[game.name]
            self.numbers.append(numbers)
            self.start.append(GameGenotype.of(game.source, [game.levels[k] for k in numbers]))
        generator = make_game_generator(
            config.generator, self.start, seed=config.seed, max_edits=config.max_edits,
            **dict(config.generator_parameters),
        )  # fmt: skip
        super().__init__(
            config, folder, generator, lambda data: game_shape(GameGenotype.from_json(data)), game_distance
        )
        self.evaluator = GameEvaluator(self.start[0].levels, **config.evaluation_parameters)
        self.work = Work(settings_of(self.evaluator.settings), config.seed)

    def _judge(self) -> tuple[Callable[..., tuple[GameEvaluation, float]], Work]:
        return evaluate_game, self.work

    def _write_given(self) -> None:
        for k, game in enumerate(self.given):
            game.write(start_folder(self.folder, k))

    def _manifest(self) -> dict[str, Any]:
        return {
            "games": [
                {
                    "name": game.name,
                    "reading": game.reading,
                    "sha256": sha256(game.source.encode()).hexdigest(),
                    "levels": numbers,
                }
                for game, numbers in zip(self.given, self.numbers, strict=True)
            ],
            "levels": self.config.levels,
            "max_edits": self.config.max_edits,
            "evaluation": self.evaluator.settings,
        }

    def _final(self, candidate: GameCandidate) -> tuple[str, Sequence[str]]:
        return candidate.genotype.text(), candidate.genotype.levels

    def _told_of(self, candidate: GameCandidate) -> dict[str, Any]:
        counts = [game_edits(game, candidate.genotype) for game in self.start]
        nearest = min(range(len(counts)), key=lambda k: counts[k])
        told = {"nearest": self.given[nearest].name, "start": nearest, "edits": counts[nearest]}
        if len(self.start) > 1:
            told["parts"] = list(parts(candidate.genotype, own_features(self.start)))
        return told

    def _candidate(self, data: dict[str, Any]) -> GameCandidate:
        return GameCandidate.from_json(data)
