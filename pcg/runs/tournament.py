"""A tournament as a folder that survives being killed.

Layout (paths relative to the folder; text is UTF-8, JSON has sorted keys, one object per line in `.jsonl`):

`run.json`
    The manifest, written once: `format` (1), `kind` ("tournament"), `games` [{`name`, `source`, `reading`, `players`,
    `levels`, `digest`}], `levels` {name of the game: numbers played}, `agents`, `repeats`, `seed`, `rules` (see
    `evaluators.tournament.Rules`), `plugins` (Python files with agents), `versions`.
`results.jsonl`
    One line per match, in the order of the schedule: line k has `id` = k, and the rest of `MatchResult.to_json`. With
    a budget of calls equal tournaments have equal bytes here, whatever the number of workers.
`timing.jsonl`
    What differs between equal tournaments: per match `id`, `seconds`, `cpu` and `slowest` (decision, in ms).

The log alone decides what has been played: a killed tournament goes on after its last whole line. Tables, figures and
the report are put beside these by `pcg.report` and never read back.
"""

from __future__ import annotations

import contextlib
import json
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pcg
from pcg.engine.registry import load_plugin
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.tournament import (
    Entry,
    Match,
    MatchResult,
    Rules,
    Standings,
    rank,
    run_matches,
    schedule,
    select_games,
    select_levels,
    split_agents,
)
from pcg.runs.interrupts import heeded
from pcg.runs.store import FORMAT, TOURNAMENT, EventLog, append_line, check_run, to_json, write_whole

RESULTS = "results.jsonl"
TIMING = "timing.jsonl"


@dataclass(frozen=True)
class Tournament:
    """What is played by whom, and how: everything that decides the results.

    Make one with `plan`, or read that of a folder with `read_tournament`.
    """

    games: tuple[Entry, ...]
    levels: dict[str, list[int]]
    agents: tuple[str, ...]
    repeats: int = 1
    seed: int = 1
    rules: Rules = Rules()  # noqa: RUF009 - frozen
    plugins: tuple[str, ...] = ()

    def matches(self) -> list[Match]:
        """The schedule."""
        return schedule(self.games, self.agents, self.levels, self.repeats, self.seed)

    def manifest(self) -> dict[str, Any]:
        """As `run.json` has it, without versions."""
        return {
            "format": FORMAT,
            "kind": TOURNAMENT,
            "games": [{name: getattr(e, name) for name in Entry.__slots__} for e in self.games],
            "levels": self.levels,
            "agents": list(self.agents),
            "repeats": self.repeats,
            "seed": self.seed,
            "rules": self.rules.to_json(),
            "plugins": list(self.plugins),
        }


@dataclass(frozen=True)
class TournamentResult:
    """How far a tournament is."""

    folder: Path
    tournament: Tournament
    results: Sequence[MatchResult]
    total: int
    """Matches in the schedule."""
    stopped: str = ""
    """"", or why matches are left: "interrupted", "time"."""

    @property
    def standings(self) -> Standings:
        """Ranking of what has been played."""
        return rank(self.results, self.tournament.agents)

    @property
    def faults(self) -> list[MatchResult]:
        """Matches that an agent spoiled."""
        return [result for result in self.results if result.fault is not None]


def plan(
    games: Sequence[str],
    agents: Sequence[str],
    *,
    levels: str = "all",
    repeats: int = 1,
    seed: int = 1,
    rules: Rules | None = None,
    plugins: Sequence[str | Path] = (),
    reading: str = "",
) -> Tournament:
    """A tournament from what people type.

    Args:
        games: see `select_games`.
        agents: see `split_agents`.
        levels: see `select_levels`.
        repeats: plays of every level, each with another seed.
        seed: of the first repetition.
        rules: by default 1,000 forward-model calls per decision.
        plugins: Python files that register agents.
        reading: how game texts are read, "" as `pcg.load` decides.

    Raises:
        PcgError: for anything that cannot be played.
    """
    files = tuple(str(Path(plugin).resolve()) for plugin in plugins)
    for file in files:
        load_plugin(file)
    entries = select_games(games, reading=reading)
    chosen = select_levels(levels, entries)
    names = tuple(split_agents(agents))
    tournament = Tournament(tuple(entries), chosen, names, repeats, seed, rules or Rules(), files)
    tournament.matches()  # says what cannot be played
    return tournament


def read_tournament(folder: Path | str) -> TournamentResult:
    """The tournament in a folder with what has been played.

    Raises:
        PcgError: when the folder holds none, or it is damaged.
    """
    folder = Path(folder)
    manifest = check_run(folder)
    if manifest.get("kind") != TOURNAMENT:
        raise PcgError(f"{folder} is no tournament but a run of kind {manifest.get('kind')!r}")
    try:
        tournament = Tournament(
            tuple(Entry(**entry) for entry in manifest["games"]),
            manifest["levels"],
            tuple(manifest["agents"]),
            manifest["repeats"],
            manifest["seed"],
            Rules.from_json(manifest["rules"]),
            tuple(manifest["plugins"]),
        )
    except (KeyError, TypeError) as error:
        raise PcgError(f"{folder / 'run.json'} is damaged: {error}") from None
    return TournamentResult(folder, tournament, _read_log(folder / RESULTS), len(tournament.matches()))


def _read_log(path: Path) -> list[MatchResult]:
    """The whole lines of a log, which another process may be writing: nothing is repaired here."""
    results: list[MatchResult] = []
    for line in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
        try:
            data = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            data = None
        if not isinstance(data, dict) or data.get("id") != len(results):
            break
        results.append(MatchResult.from_json(data))
    return results


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock on a log, so that no two processes play the same tournament; it ends with the process."""
    try:
        import fcntl
    except ImportError:  # Windows: left to the user
        yield
        return
    with open(path, "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PcgError(f"another process is playing the tournament in {path.parent}") from None
        yield


def run_tournament(
    tournament: Tournament | None,
    folder: Path | str,
    *,
    workers: int | None = None,
    seconds: float | None = None,
    matches: int | None = None,
    progress: Callable[[int, int, MatchResult | None], None] | None = None,
) -> TournamentResult:
    """Play a tournament in a folder, or go on with the one that is there.

    Args:
        tournament: what to play; None goes on with what the folder holds.
        folder: new, empty, or that of the same tournament.
        workers: processes side by side, by default one per processor.
        seconds: begin no further match after this time.
        matches: play only so many matches of the schedule, from its beginning.
        progress: called with (matches played, matches in all, the last result) at the start and after every match.

    Returns:
        The state of the tournament; also after Ctrl-C, when `stopped` is "interrupted".

    Raises:
        PcgError: a folder that holds something else, games that have changed since, or a mistake in the settings.
    """
    folder = Path(folder)
    tournament = _open(tournament, folder)
    for file in tournament.plugins:
        load_plugin(file)
    with _alone(folder / RESULTS):
        EventLog.repair(folder / RESULTS)
        return _play(tournament, folder, workers, seconds, matches, progress)


def _play(
    tournament: Tournament,
    folder: Path,
    workers: int | None,
    seconds: float | None,
    matches: int | None,
    progress: Callable[[int, int, MatchResult | None], None] | None,
) -> TournamentResult:
    order = tournament.matches()
    results = _read_log(folder / RESULTS)
    for result, match in zip(results, order, strict=False):
        if result.match != match:
            raise PcgError(f"cannot go on with {folder}: match {match.id} is another one in this version")
    target = order if matches is None else order[:matches]
    deadline = None if seconds is None else time.monotonic() + seconds
    if progress is not None:
        progress(len(results), len(order), None)
    stopped = ""
    log = EventLog(folder / RESULTS)

    def ends() -> bool:
        check()
        return deadline is not None and time.monotonic() >= deadline

    try:
        with (
            heeded() as check,
            contextlib.closing(
                run_matches(
                    target[len(results) :],
                    tournament.games,
                    tournament.rules,
                    workers=workers,
                    plugins=tournament.plugins,
                    stop=ends,
                )
            ) as left,
        ):
            for result in left:
                log.append(result.to_json())
                append_line(folder / TIMING, {"id": result.match.id, **result.timing})
                results.append(result)
                if progress is not None:
                    progress(len(results), len(order), result)
                check()
        stopped = "time" if len(results) < len(target) else ""
    except KeyboardInterrupt:
        stopped = "interrupted"
    finally:
        log.sync()
        log.close()
    if stopped == "interrupted":
        results = _read_log(folder / RESULTS)  # the log may be one line ahead
    return TournamentResult(folder, tournament, results, len(order), stopped)


def _open(tournament: Tournament | None, folder: Path) -> Tournament:
    """The tournament to play, once its folder is ready for it."""
    if folder.is_file():
        raise PcgError(f"{folder} is a file, expected a folder for the tournament")
    if (folder / "run.json").is_file():
        held = read_tournament(folder).tournament
        if tournament is not None:
            _check_equal(held, tournament, folder)
        for entry in held.games:
            now = select_games([entry.source], reading=entry.reading)[0]
            if now.digest != entry.digest:
                raise PcgError(f"cannot go on with {folder}: game `{entry.source}` has changed since it began")
        return held
    if tournament is None:
        raise PcgError(f"{folder} holds no tournament to go on with: name games and agents to begin one")
    if folder.is_dir() and any(path for path in folder.iterdir() if not path.name.startswith(".")):
        raise PcgError(f"{folder} is not empty, expected a new folder for the tournament")
    versions = {
        "pcg": pcg.__version__,
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
        "numba": metadata.version("numba"),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # last and as a whole: its presence makes the folder a tournament
        write_whole(folder / "run.json", to_json({**tournament.manifest(), "versions": versions}, indent=1) + "\n")
    except OSError as error:
        raise PcgError(f"cannot write the tournament to {folder}: {error.strerror}") from None
    return tournament


def _check_equal(held: Tournament, wanted: Tournament, folder: Path) -> None:
    have, want = held.manifest(), wanted.manifest()
    for key in want:
        if have[key] != want[key]:
            raise PcgError(
                f"{folder} holds another tournament: its {key} differ; go on with `pcg tournament --out {folder}` "
                "alone, or name another folder"
            )


__all__ = ["Tournament", "TournamentResult", "plan", "read_tournament", "run_tournament"]
