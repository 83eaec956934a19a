"""Tournaments as runs: a schedule of matches, played in order, in a folder that survives being killed.

Layout (paths relative to the folder; text is UTF-8, JSON has sorted keys, one object per line in `.jsonl`):

`run.json`
    The manifest, written once: `format` (1), `kind` ("tournament"), `games` [{`name`, `source`, `reading`, `players`,
    `levels`, `digest`}], `levels` {name of the game: numbers played}, `agents`, `repeats`, `seed`, `rules` (see
    `evaluators.tournament.Rules`), `plugins` (Python files with agents), `versions`; `sets` {name: names of its games}
    where sets of games were named, and `meetings` where ratings choose the pairs.
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
import dataclasses
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self, Unpack

from pcg.engine.registry import load_plugin, plugin_path
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.tournament import (
    Entry,
    Match,
    MatchResult,
    Rules,
    Standings,
    chosen_matches,
    rank,
    run_matches,
    schedule,
    select_games,
    select_levels,
    select_sets,
    split_agents,
)
from pcg.evaluators.tournament.game_sets import plays_of
from pcg.evaluators.tournament.pairing import length_of, ratings_of
from pcg.runs.interrupts import interrupt_check
from pcg.runs.run import Run, RunOptions, RunResult, check_options, continue_run, run_experiment
from pcg.runs.store import EventLog, append_line, check_run

RESULTS = "results.jsonl"
TIMING = "timing.jsonl"


@dataclass(frozen=True)
class Tournament:
    """The configuration of a tournament: what is played by whom, and how.

    Make one with `plan`, or read that of a folder with `read_tournament`.

    Attributes:
        games: that are played.
        levels: numbers of the levels, by name of the game.
        agents: by name, with parameters.
        repeats: plays of every level, each with another seed.
        seed: of the first repetition.
        rules: budgets and limits.
        plugins: Python files with agents.
        seconds: begin no further match after this time; None for no limit. It decides nothing but how much is played.
        count: play only so many matches of the schedule, from its beginning; None for all.
        sets: names of the games of each set of games that was named, for a ranking of each.
        meetings: of pairs that ratings choose (`evaluators.tournament.pairing`); 0 for every pair on every level.
    """

    kind: ClassVar[str] = "tournament"

    games: tuple[Entry, ...]
    levels: dict[str, list[int]]
    agents: tuple[str, ...]
    repeats: int = 1
    seed: int = 1
    rules: Rules = Rules()  # noqa: RUF009 - frozen
    plugins: tuple[str, ...] = ()
    seconds: float | None = None
    count: int | None = None
    sets: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    meetings: int = 0

    def matches(self, results: Sequence[MatchResult] = ()) -> list[Match]:
        """Return the schedule; where ratings choose the pairs, as far as results decide it."""
        if self.meetings:
            return chosen_matches(self.games, self.agents, self.levels, self.meetings, self.seed, results)
        return schedule(self.games, self.agents, self.levels, self.repeats, self.seed)

    @property
    def length(self) -> int:
        """Return the number of matches in the whole schedule."""
        return length_of(self.games, self.levels, self.meetings) if self.meetings else len(self.matches())

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a tournament."""
        return {
            "games": [{name: getattr(e, name) for name in Entry.__slots__} for e in self.games],
            "levels": self.levels,
            "agents": list(self.agents),
            "repeats": self.repeats,
            "seed": self.seed,
            "rules": self.rules.to_json(),
            "plugins": list(self.plugins),
            **({"sets": self.sets} if self.sets else {}),
            **({"meetings": self.meetings} if self.meetings else {}),
        }


@dataclass(frozen=True)
class TournamentProgress:
    """State of a tournament, for a progress bar."""

    done: int
    total: int
    """Matches in the schedule."""
    last: MatchResult | None
    """The match that was played last; None at the start."""
    faults: int = 0
    """Disqualifications in this session."""

    @property
    def fraction(self) -> float:
        """Return the share of the matches that have been played, in [0, 1]."""
        return self.done / self.total if self.total else 1.0

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} matches"
        if self.last is not None:
            match = self.last.match
            text += f", {match.game} level {match.level}, {' against '.join(match.agents)}"
        return text + (f" ({self.faults} disqualified)" if self.faults else "")


@dataclass(frozen=True)
class TournamentResult(RunResult):
    """Result of a tournament, finished or not."""

    tournament: Tournament
    results: Sequence[MatchResult]
    total: int
    """Matches in the schedule."""

    def __repr__(self) -> str:
        wins = ", ".join(f"{place.agent} {place.tally.rate:.0%}" for place in self.standings.overall)
        return f"<tournament in {self.folder}: {len(self.results)} of {self.total} matches; won: {wins}>"

    @property
    def standings(self) -> Standings:
        """Return the ranking by what has been played."""
        tournament = self.tournament
        return rank(self.results, tournament.agents, ratings=ratings_of(self.results) if tournament.meetings else None)

    @property
    def set_standings(self) -> dict[str, Standings]:
        """Return the ranking in each set of games that was named."""
        found = {}
        for name, games in self.tournament.sets.items():
            own = [result for result in self.results if result.match.game in games]
            ratings = ratings_of(own) if self.tournament.meetings else None
            found[name] = rank(own, self.tournament.agents, ratings=ratings)
        return found

    @property
    def faults(self) -> list[MatchResult]:
        """Return the matches that an agent spoiled."""
        return [result for result in self.results if result.fault is not None]


def plan(
    games: Sequence[str],
    agents: Sequence[str],
    *,
    levels: str = "all",
    repeats: int | None = None,
    seed: int = 1,
    rules: Rules | None = None,
    plugins: Sequence[str | Path] = (),
    reading: str = "",
    sets: Sequence[str] = (),
    corpus: str | Path | None = None,
    meetings: int = 0,
) -> Tournament:
    """Return a tournament from what people type.

    Args:
        games: see `select_games`.
        agents: see `split_agents`.
        levels: see `select_levels`.
        repeats: plays of every level, each with another seed; by default 1, in test sets 5.
        seed: of the first repetition.
        rules: by default 1,000 forward-model calls per decision.
        plugins: Python files that register agents.
        reading: how game texts are read, "" as `pcg.load` decides.
        sets: names of sets of games (`evaluators.tournament.GAME_SETS`) that are played too, and ranked each by itself.
        corpus: folder with the games of sets that are not built in.
        meetings: let ratings choose so many pairs, each for one game; 0 for every pair on every level. Each round of
            all games has another seed, and `repeats` says nothing.

    Raises:
        PcgError: for anything that cannot be played.
    """
    files = tuple(map(plugin_path, plugins))
    for file in files:
        load_plugin(file)
    wanted = select_sets(sets)
    chosen_sets = {one.name: select_games(one.sources(corpus), reading=reading) for one in wanted}
    sources = [entry.source for own in chosen_sets.values() for entry in own]
    entries = select_games([*games, *sources], reading=reading)
    named = {entry.source: entry.name for entry in entries}
    held = {name: [named[entry.source] for entry in own] for name, own in chosen_sets.items()}
    if repeats is None:
        repeats = plays_of(wanted)
    chosen = select_levels(levels, entries)
    names = tuple(split_agents(agents))
    tournament = Tournament(
        tuple(entries), chosen, names, repeats, seed, rules or Rules(), files, sets=held, meetings=meetings
    )
    tournament.matches()  # says what cannot be played
    return tournament


def read_tournament(folder: Path | str) -> TournamentResult:
    """Return the tournament in a folder with what has been played.

    Raises:
        PcgError: when the folder holds none, or it is damaged.
    """
    folder = Path(folder)
    manifest = check_run(folder)
    if manifest.get("kind") != Tournament.kind:
        raise PcgError(f"{folder} is no tournament but a run of kind {manifest.get('kind')!r}")
    tournament = _from_manifest(folder, manifest)
    return TournamentResult(folder, "", tournament, _read_log(folder / RESULTS), tournament.length)


def _from_manifest(folder: Path, manifest: dict[str, Any]) -> Tournament:
    try:
        return Tournament(
            tuple(Entry(**entry) for entry in manifest["games"]),
            manifest["levels"],
            tuple(manifest["agents"]),
            manifest["repeats"],
            manifest["seed"],
            Rules.from_json(manifest["rules"]),
            tuple(manifest["plugins"]),
            sets=manifest.get("sets", {}),
            meetings=manifest.get("meetings", 0),
        )
    except (KeyError, TypeError) as error:
        raise PcgError(f"{folder / 'run.json'} is damaged: {error}") from None


def _read_log(path: Path) -> list[MatchResult]:
    """Return the whole lines of a log, which another process may be writing: nothing is repaired here."""
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


def run_tournament(
    tournament: Tournament | None,
    folder: Path | str,
    *,
    seconds: float | None = None,
    matches: int | None = None,
    **options: Unpack[RunOptions],
) -> TournamentResult:
    """Play a tournament in a folder, or go on with the one that is there.

    Args:
        tournament: what to play; None goes on with what the folder holds.
        folder: new, empty, or that of the same tournament.
        seconds: begin no further match after this time.
        matches: play only so many matches of the schedule, from its beginning.
        options: `workers` and `progress` (see `pcg.runs.RunOptions`).

    Returns:
        The state of the tournament; also after Ctrl-C, when `stopped` is "interrupted".

    Raises:
        PcgError: a folder that holds something else, games that have changed since, a mistake in the settings, or
            another process that plays the same tournament.

    >>> import tempfile
    >>> tournament = plan(["boxes"], ["nothing", "random"], levels="0-1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = run_tournament(tournament, f"{folder}/run", matches=2, workers=1)
    >>> len(state.results), state.total
    (2, 4)
    """
    folder = Path(folder)
    check_options(TournamentRun, {**options}, "a run that plays a tournament")
    if (folder / "run.json").is_file():
        if tournament is not None:
            _check_equal(read_tournament(folder).tournament, tournament, folder)
        result: TournamentResult = continue_run(TournamentRun, folder, seconds, matches, options)
        return result
    if tournament is None:
        raise PcgError(f"{folder} holds no tournament to go on with: name games and agents to begin one")
    result = run_experiment(dataclasses.replace(tournament, seconds=seconds, count=matches), folder, **options)
    return result


class TournamentRun(Run):
    """A run that plays a tournament; an evaluation is a match.

    Args:
        tournament: what to play.
        folder: of the run.
    """

    kind = "tournament"
    task = "plays a tournament"
    options = ("workers", "progress")
    log_name = RESULTS

    def __init__(self, tournament: Tournament, folder: Path) -> None:
        self.tournament = tournament
        self.folder = folder
        for file in tournament.plugins:
            load_plugin(file)

    @classmethod
    def new(cls, config: Tournament, folder: Path) -> Self:
        """Return the run of a tournament."""
        return cls(config, folder)

    @classmethod
    def open(cls, folder: Path, manifest: dict[str, Any], seconds: float | None, evaluations: int | None) -> Self:
        """Return the run in a folder, whose games must be what they were."""
        held = _from_manifest(folder, manifest)
        for entry in held.games:
            now = select_games([entry.source], reading=entry.reading)[0]
            if now.digest != entry.digest:
                raise PcgError(f"cannot go on with {folder}: game `{entry.source}` has changed since it began")
        return cls(dataclasses.replace(held, seconds=seconds, count=evaluations), folder)

    def manifest(self) -> dict[str, Any]:
        """Return what `run.json` says of a tournament."""
        return self.tournament.manifest()

    def write_inputs(self) -> None:
        """Do nothing: games are read from where they are, and must not change."""

    def write_manifest(self) -> None:
        """Write `run.json` once: it names the versions with which the tournament began."""
        if not (self.folder / "run.json").exists():
            super().write_manifest()

    def prepare(self, options: RunOptions) -> contextlib.AbstractContextManager[None]:
        """Open nothing: workers begin with the first match."""
        return contextlib.nullcontext()

    def execute(self, options: RunOptions) -> TournamentResult:
        """Play what is left of the schedule."""
        tournament, folder, progress = self.tournament, self.folder, options.get("progress")
        EventLog.repair(folder / RESULTS)
        results = _read_log(folder / RESULTS)
        order = tournament.matches(results)
        total = tournament.length
        for result, match in zip(results, order, strict=False):
            if result.match != match:
                raise PcgError(f"cannot go on with {folder}: match {match.id} is another one in this version")
        wanted = total if tournament.count is None else min(total, tournament.count)
        deadline = None if tournament.seconds is None else time.monotonic() + tournament.seconds
        if progress is not None:
            progress(TournamentProgress(len(results), total, None))
        stopped, faults = "", 0
        log = EventLog(folder / RESULTS)

        def ends() -> bool:
            check()
            return deadline is not None and time.monotonic() >= deadline

        try:
            with interrupt_check() as check:
                while len(results) < wanted and not ends():
                    # one part where every pair plays; where ratings choose, the meeting that the results decide
                    part = tournament.matches(results)[len(results) : wanted]
                    running = run_matches(
                        part,
                        tournament.games,
                        tournament.rules,
                        workers=options.get("workers"),
                        plugins=tournament.plugins,
                        stop=ends,
                    )
                    with contextlib.closing(running) as left:
                        for result in left:
                            log.append(result.to_json())
                            append_line(folder / TIMING, {"id": result.match.id, **result.timing})
                            results.append(result)
                            faults += result.fault is not None
                            if progress is not None:
                                progress(TournamentProgress(len(results), total, result, faults))
                            check()
            stopped = "time" if len(results) < wanted else ""
        except KeyboardInterrupt:
            stopped = "interrupted"
        finally:
            log.sync()
            log.close()
        if stopped == "interrupted":
            results = _read_log(folder / RESULTS)  # the log may be one line ahead
        return TournamentResult(folder, stopped, tournament, results, total)


def _check_equal(held: Tournament, wanted: Tournament, folder: Path) -> None:
    """Refuse a tournament that is not the one in the folder."""
    have, want = held.manifest(), wanted.manifest()
    for key in {**have, **want}:
        if have.get(key) != want.get(key):
            raise PcgError(
                f"{folder} holds another tournament: its {key} differ; go on with `pcg tournament --out {folder}` "
                "alone, or name another folder"
            )
