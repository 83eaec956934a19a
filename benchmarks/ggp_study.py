"""Memory-augmented search against flat Monte-Carlo on six board games: the study of general game playing, done again.

Six games (our own rule sheets; Pac-Man 3P also on the study's 6 x 6 squares and on the well-known sheet). Memory-
augmented MCTS in several settings plays against the flat Monte-Carlo player with four clocks and 30 seconds of
preparation, in which players with a memory search: 100 plays of each, with sides swapped after 50. In Babel three of a
kind work together, as in the study. Five series: `matched` gives every player the random playouts per decision that
the platform's prover-based players had in 15, 30, 45 and 60 seconds, one of them kept in reserve (`PEER_SPEED.tsv`);
`triple` and `tenfold` give the entrant 3 and 10 times as many; `clocks` gives it those that our engine makes in the
same clock; `modern` gives both those that our engine makes, scaled down by a stated factor.

    python benchmarks/ggp_study.py matched --minutes 60
    python benchmarks/ggp_study.py modern --minutes 60 --workers 2
    python benchmarks/ggp_study.py report

All but the last go on where they stopped (also after `kill -9`) and go around all settings, so that whatever has been
played says as much about one as about another. What came of the plays is counted in docs/results/ggp-study, one table
per series and game with a row for each setting and outcome; the last writes docs/results/ggp-study.md and its figures
from them. A game is played by one process at a time. To play it anew, after its sheet or an agent has changed, delete
its table.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import math
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pcg.engine.gdl import GdlGame, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent, play
from pcg.report.figures import draw_svg
from pcg.runs.store import write_whole

ROOT = Path(__file__).resolve().parent.parent
SHEETS = ROOT / "games" / "gdl"
REPORT = ROOT / "docs" / "results" / "ggp-study.md"
RECORDS = ROOT / "docs" / "results" / "ggp-study"

BASELINE = "flatmc"
ENTRANTS = {
    "own state, σ 0.5": "mmctsown:sigma=0.5",
    "own state, σ 0.8": "mmctsown:sigma=0.8",
    "K nearest": "mmcts",
    "no memory": "uct",
}
"""Players against the baseline: the study's variant in its two settings, the original, and the search alone."""
STUDIED = tuple(ENTRANTS)[:2]
"""Entrants that the study had."""

CLOCKS = (15, 30, 45, 60)
PREPARATION = 30
"""Seconds before the first move."""
RESERVE = 1.0
"""Seconds before the end of the clock at which the players of the platform stop."""
MODERN_FACTOR = 1000
"""Our engine's playouts in a clock, divided by this, are a decision's in the series `modern`."""


@dataclass(frozen=True)
class Series:
    """A reading of what the study leaves open: the playouts of both players.

    Attributes:
        plays: of a setting.
        entrants: names in `ENTRANTS`.
        own: playouts per second of the entrant, for an entry.
        other: those of the baseline.
        explained: for the report.
    """

    plays: int
    entrants: tuple[str, ...]
    own: Callable[[Entry], float]
    other: Callable[[Entry], float]
    explained: str


SERIES = {
    "matched": Series(
        100, tuple(ENTRANTS), lambda e: e.prover, lambda e: e.prover,
        "Playouts per decision as the platform's prover-based players had them: their playouts per second (cached "
        "prover, `PEER_SPEED.tsv`) times the clock less one second. Of Babel no sheet of the platform survives; 100 "
        "playouts a second are assumed, our speed divided by the median of how much faster we are on the other five.",
    ),
    "triple": Series(
        40, STUDIED, lambda e: 3 * e.prover, lambda e: e.prover,
        "The entrant has 3 times the playouts of *matched*, the baseline the same: a memory that answers for known "
        "states, or better code, may have saved the slow prover as much.",
    ),
    "tenfold": Series(
        20, STUDIED, lambda e: 10 * e.prover, lambda e: e.prover, "The entrant has 10 times the playouts of *matched*.",
    ),
    "clocks": Series(
        4, STUDIED, lambda e: e.ours, lambda e: e.prover,
        "Equal clocks: the entrant has the playouts that our engine makes in the clock on one core, the baseline those "
        "of the platform's prover, some 1,000 times fewer.",
    ),
    "modern": Series(
        20, tuple(ENTRANTS), lambda e: e.ours / MODERN_FACTOR, lambda e: e.ours / MODERN_FACTOR,
        f"Playouts per decision as our engine makes them on one core in the same clocks, divided by {MODERN_FACTOR}.",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A game of the study.

    Attributes:
        sheet: name of the entry, and of the rule sheet unless `path` names another.
        title: for the report.
        prover: random playouts per second of the platform's player with its cached prover, on this kind of machine.
        ours: random playouts per second of our engine, one core (docs/results/ggp-study.md says how measured).
        claim: what the study reports of memory-augmented search against plain Monte-Carlo.
        least: the least value that meets the claim, as score or mean goal; None: to be better than the baseline.
        path: the rule sheet, when it is not one of ours; the game is left out where there is no such file.
    """

    sheet: str
    title: str
    prover: float
    ours: float
    claim: str
    least: float | None
    path: Path | None = None

    @property
    def is_pacman(self) -> bool:
        """Pac-Man plays against two ghosts, whose players are of one kind."""
        return self.sheet.startswith("pacman")

    @property
    def has_points(self) -> bool:
        """Goals are points, not wins."""
        return self.is_pacman or self.sheet == "babel"


WELL_KNOWN = ROOT.parent / "shared" / "gdl" / "rulesheets" / "pacman3p.kif"
PACMAN_CLAIM = "a higher average of Pac-Man, 0.5 to at most 0.3"

GAMES = {
    e.sheet: e
    for e in (
        Entry("tic-tac-toe-large", "Tic-Tac-Toe Large", 119.21, 105_814, "at least 55 %", 0.55),
        Entry("connect-four", "Connect Four", 42.86, 200_926, "at least 88 %", 0.88),
        Entry("connect-five", "Connect Five", 18.54, 28_636, "about 100 %", 0.95),
        Entry("breakthrough", "Breakthrough", 38.41, 42_455, "about 100 %", 0.95),
        Entry("pacman-3p", "Pac-Man 3P", 19.35, 44_417, PACMAN_CLAIM, None),
        Entry("pacman-3p-small", "Pac-Man 3P on 6 x 6", 19.35, 66_980, PACMAN_CLAIM, None),
        Entry("pacman3p", "Pac-Man 3P, the well-known sheet", 19.35, 13_977, PACMAN_CLAIM, None, WELL_KNOWN),
        Entry("babel", "Babel", 100.0, 126_997, "a higher score", None),
    )
}
"""`prover` is the column `cached_playouts_s` of PEER_SPEED.tsv for the platform's sheet of the game. There is none of
Babel: 100 a second is our speed divided by the median of how much faster we are on the five others (about 1,270)."""


@dataclass(frozen=True)
class Setting:
    """One cell of the study: who plays what for how long."""

    series: str
    game: str
    entrant: str
    clock: int

    @property
    def playouts(self) -> int:
        """Random playouts of a decision of the entrant."""
        return round(SERIES[self.series].own(GAMES[self.game]) * (self.clock - RESERVE))

    @property
    def baseline(self) -> int:
        """Random playouts of a decision of the baseline."""
        return round(SERIES[self.series].other(GAMES[self.game]) * (self.clock - RESERVE))

    @property
    def preparation(self) -> int:
        """Random playouts of the entrant before the first move; without a memory there is nothing to keep of them."""
        if self.entrant == "no memory":
            return 0
        return round(SERIES[self.series].own(GAMES[self.game]) * (PREPARATION - RESERVE))


@dataclass(frozen=True)
class Play:
    """Record of one play.

    Attributes:
        number: of the play in its setting.
        seats: who played each role, "A" the entrant and "B" the baseline.
        goals: goal value of each role, 0 to 100.
        ticks: joint moves.
        calls: joint moves simulated, by all players.
        seconds: processor time.
    """

    setting: Setting
    number: int
    seats: str
    goals: tuple[int, ...]
    ticks: int
    calls: int
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """A way in which plays of a setting came out: who sat where, and the goal values of the roles.

    Attributes:
        second: True for plays of the second half, with sides swapped.
        seats: who played each role, "A" the entrant and "B" the baseline.
        goals: goal value of each role, 0 to 100.
    """

    setting: Setting
    second: bool
    seats: str
    goals: tuple[int, ...]

    def mean(self, side: str) -> float:
        """Mean goal value of a side, from 0 to 1; in Pac-Man 3P that of Pac-Man alone."""
        own = [g for g, seat in zip(self.goals, self.seats, strict=True) if seat == side]
        if GAMES[self.setting.game].is_pacman:
            own = [self.goals[0]]
        return sum(own) / len(own) / 100


@dataclass(frozen=True)
class Count:
    """Plays with one outcome.

    Attributes:
        plays: how many.
        ticks: joint moves of all.
        calls: joint moves simulated in all, by all players.
        seconds: processor time of all.
    """

    plays: int = 0
    ticks: int = 0
    calls: int = 0
    seconds: float = 0.0

    def plus(self, play: Play) -> Count:
        """Count one more play."""
        return Count(self.plays + 1, self.ticks + play.ticks, self.calls + play.calls, self.seconds + play.seconds)


Counts = dict[Outcome, Count]


def seats_of(game: str, number: int, half: int) -> str:
    """Return the seats of a play: the entrant first, after half of the plays the baseline.

    In Pac-Man 3P one side plays Pac-Man and the other both ghosts; in Babel all three are of one side.

    >>> seats_of("hex", 0, 50), seats_of("hex", 50, 50), seats_of("pacman-3p", 50, 50), seats_of("babel", 1, 50)
    ('AB', 'BA', 'BAA', 'AAA')
    """
    first, second = ("A", "B") if number < half else ("B", "A")
    if game == "babel":
        return 3 * first
    return first + (2 if game.startswith("pacman") else 1) * second


@cache
def game_of(sheet: str) -> GdlGame:
    """The game, loaded once."""
    return load(GAMES[sheet].path or SHEETS / f"{sheet}.kif")


def play_one(setting: Setting, number: int) -> Play:
    """Play one play; the same arguments give the same play."""
    game = game_of(setting.game)
    seats = seats_of(setting.game, number, SERIES[setting.series].plays // 2)
    text = f"{setting.series} {setting.game} {setting.entrant} {setting.clock} {number}"
    seed = zlib.crc32(text.encode())
    own = {"playouts": setting.playouts} | ({"preparation": setting.preparation} if setting.preparation else {})
    agents = [
        make_agent(
            ENTRANTS[setting.entrant] if seat == "A" else BASELINE, seed=16 * seed + role, player=role, budget=1 << 40,
            **(own if seat == "A" else {"playouts": setting.baseline}),
        )
        for role, seat in enumerate(seats)
    ]  # fmt: skip
    started = time.thread_time()
    done = play(game, agents)
    goals = tuple(round(value) for value in done.score)
    return Play(setting, number, seats, goals, done.ticks, done.calls, time.thread_time() - started)


# --- records ----------------------------------------------------------------------------------------------------------

SETTING = ("sheet", "entrant", "clock", "playouts", "baseline", "preparation", "half", "seats", "goals")
COLUMNS = (*SETTING, "plays", "ticks", "calls", "seconds")


def table_of(series: str, game: str) -> Path:
    """The file of the outcomes of a game."""
    return RECORDS / f"{series}-{game}.csv"


def read_counts(series: str, game: str, *, digest: str | None = None) -> Counts:
    """Read the outcomes counted so far.

    Raises:
        PcgError: they are of another sheet than the one of that digest.
    """
    path = table_of(series, game)
    counts: Counts = {}
    if not path.exists():
        return counts
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if digest is not None and row["sheet"] != digest[:8]:
                raise PcgError(f"{path}: plays of another {game}.kif; delete the file to play it anew")
            setting = Setting(series, game, row["entrant"], int(row["clock"]))
            asked = setting.playouts, setting.baseline, setting.preparation
            told = int(row["playouts"]), int(row["baseline"]), int(row["preparation"])
            if row["entrant"] in SERIES[series].entrants and setting.clock in CLOCKS and told == asked:
                goals = tuple(map(int, row["goals"].split()))
                outcome = Outcome(setting, row["half"] == "second", row["seats"], goals)
                numbers = int(row["plays"]), int(row["ticks"]), int(row["calls"]), float(row["seconds"])
                counts[outcome] = Count(*numbers)
    return counts


class Table:
    """The file of the outcomes of a game, in which plays are counted as they end."""

    def __init__(self, series: str, game: str) -> None:
        self.path = table_of(series, game)
        self.digest = game_of(game).digest[:8]
        self.half = SERIES[series].plays // 2
        self.counts = read_counts(series, game, digest=self.digest)
        self._played: dict[tuple[Setting, bool], int] = defaultdict(int)
        for outcome, count in self.counts.items():
            self._played[outcome.setting, outcome.second] += count.plays

    def holds(self, setting: Setting, number: int) -> bool:
        """Tell whether a play is counted; those of a half are played in the order of their numbers."""
        return number % self.half < self._played[setting, number >= self.half]

    def add(self, plays: Sequence[Play]) -> None:
        """Count plays of this game, and write the table, whole or not at all."""
        for done in plays:
            outcome = Outcome(done.setting, done.number >= self.half, done.seats, done.goals)
            self.counts[outcome] = self.counts.get(outcome, Count()).plus(done)
            self._played[outcome.setting, outcome.second] += 1
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for outcome, count in sorted(self.counts.items(), key=_place):
            s = outcome.setting
            writer.writerow(
                (self.digest, s.entrant, s.clock, s.playouts, s.baseline, s.preparation,
                 "second" if outcome.second else "first", outcome.seats, " ".join(map(str, outcome.goals)),
                 count.plays, count.ticks, count.calls, f"{count.seconds:.2f}")
            )  # fmt: skip
        write_whole(self.path, text.getvalue())


def _place(item: tuple[Outcome, Count]) -> tuple[object, ...]:
    outcome, _ = item
    return (
        [*ENTRANTS].index(outcome.setting.entrant),
        outcome.setting.clock,
        outcome.second,
        outcome.seats,
        outcome.goals,
    )


def schedule(series: str, games: Sequence[str]) -> Iterator[tuple[Setting, int]]:
    """All plays: around all settings before a setting's next play, both sides in turn."""
    half = SERIES[series].plays // 2
    for number in range(half):
        for clock, game, entrant, side in itertools.product(CLOCKS, games, SERIES[series].entrants, (0, half)):
            yield Setting(series, game, entrant, clock), number + side


def run(series: str, games: Sequence[str], minutes: float | None, workers: int) -> bool:
    """Play until everything is played or the time is up; whether everything is."""
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    tables = {game: Table(series, game) for game in games}
    missing = ((s, n) for s, n in schedule(series, games) if not tables[s.game].holds(s, n))
    played, reported = 0, time.monotonic()
    with ThreadPoolExecutor(workers) as pool:
        while deadline is None or time.monotonic() < deadline:
            jobs = list(itertools.islice(missing, 4 * workers))
            if not jobs:
                return True
            for done in pool.map(lambda job: play_one(*job), jobs):  # a play may take an hour: each is kept as it ends
                tables[done.setting.game].add([done])
            played += len(jobs)
            if time.monotonic() - reported > 60:
                reported = time.monotonic()
                print(f"{played} plays, the last of {jobs[-1][0].game}, number {jobs[-1][1]}", flush=True)
    return False


# --- report -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        """Of values between 0 and 1."""
        mean = math.fsum(values) / len(values)
        low, high = spread_of(values)
        return cls(mean, low, high, len(values))

    def __str__(self) -> str:
        return f"{100 * self.mean:.0f} ({100 * self.low:.0f}-{100 * self.high:.0f})"


def spread_of(values: Sequence[float]) -> tuple[float, float]:
    """A 95 % interval of the mean of values between 0 and 1.

    Wilson's with as many plays, made narrower where the values vary less than wins and losses do (draws, points), but
    for few plays, which may all end alike by chance, not by much.
    """
    n = len(values)
    mean = math.fsum(values) / n
    z = 1.959964
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (mean * (1 - mean) / n + z * z / (4 * n * n)) ** 0.5
    low, high = max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))
    most = mean * (1 - mean)
    if most <= 0 or n < 2:
        return low, high
    narrower = min(1.0, max((3 / n) ** 0.5, (math.fsum((v - mean) ** 2 for v in values) / (n - 1) / most) ** 0.5))
    return mean - (mean - low) * narrower, mean + (high - mean) * narrower


def sides(counts: Counts) -> tuple[Figure | None, Figure | None]:
    """Rewards of the entrant and the baseline in the plays (with points the half) in which that shows."""
    if not counts:
        return None, None
    apart = GAMES[next(iter(counts)).setting.game].has_points  # a side shows where it plays Pac-Man, or all of Babel
    own = _means(counts, "A", [o for o in counts if not apart or o.seats[0] == "A"])
    other = _means(counts, "B", [o for o in counts if not apart or o.seats[0] == "B"])
    return (Figure.of(own) if own else None), (Figure.of(other) if other else None)


def _means(counts: Counts, side: str, outcomes: Sequence[Outcome]) -> list[float]:
    """Mean goal value of a side in every play."""
    return [value for outcome in outcomes for value in [outcome.mean(side)] * counts[outcome].plays]


def group(counts: Counts) -> dict[tuple[str, int], Counts]:
    """Outcomes by entrant and clock."""
    groups: dict[tuple[str, int], Counts] = defaultdict(dict)
    for outcome, count in counts.items():
        groups[outcome.setting.entrant, outcome.setting.clock][outcome] = count
    return groups


def merged(parts: Iterable[Counts]) -> Counts:
    """Return the outcomes of several settings together."""
    return {outcome: count for part in parts for outcome, count in part.items()}


def total(counts: Counts) -> int:
    """Return the number of plays."""
    return sum(count.plays for count in counts.values())


def draw_series(series: str, counts: dict[str, Counts], out: Path) -> None:
    """A figure of a panel per game: what each entrant reaches by clock."""

    def draw(figure: Any) -> None:
        panels = figure.subplots(2, 4, sharex=True, sharey=True).flat
        for axes, (game, entry) in zip(panels, GAMES.items(), strict=True):
            groups = group(counts[game])
            for k, entrant in enumerate(SERIES[series].entrants):
                points = [(c, sides(groups[entrant, c])[0]) for c in CLOCKS if groups.get((entrant, c))]
                shown = [(c + 0.9 * (k - 1.5), f) for c, f in points if f is not None]
                if not shown:
                    continue
                x, y = [c for c, _ in shown], [100 * f.mean for _, f in shown]
                bars = [[100 * (f.mean - f.low) for _, f in shown], [100 * (f.high - f.mean) for _, f in shown]]
                axes.errorbar(x, y, yerr=bars, marker="osD^"[k], markersize=4, linewidth=1.2, capsize=2, label=entrant)
            if entry.has_points:
                entrants = SERIES[series].entrants
                base = [(c, sides(merged(groups.get((e, c), {}) for e in entrants))[1]) for c in CLOCKS]
                known = [(c, f) for c, f in base if f is not None]
                axes.plot([c for c, _ in known], [100 * f.mean for _, f in known], "k--", linewidth=1, label="flat")
            else:
                axes.axhline(50, color="0.5", linewidth=0.8)
            axes.set_title(entry.title, fontsize=10)
            axes.set_ylim(-3, 103)
            axes.set_xticks(CLOCKS)
        for axes in figure.axes[4:]:
            axes.set_xlabel("clock (s)")
        for axes in figure.axes[::4]:
            axes.set_ylabel("score or goal (%)")
        handles, labels = figure.axes[-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=len(labels), fontsize=9, frameon=False)
        figure.get_layout_engine().set(rect=(0, 0.06, 1, 0.94))

    caption = f"What each entrant reaches against flat Monte-Carlo, series {series}"
    out.write_text(draw_svg(draw, (13, 6.4), caption, standalone=True), encoding="utf-8")


def verdict(entry: Entry, own: Figure, other: Figure) -> str:
    """Return the verdict on a claim: yes or no where the interval says so, else open."""
    if entry.least is not None:
        return "met" if own.low >= entry.least else "not met" if own.high < entry.least else "open"
    return "met" if own.low > other.high else "not met" if own.high < other.low else "open"


def game_section(series: str, entry: Entry, counts: Counts) -> list[str]:
    """Tables of a game."""
    groups = group(counts)
    what = "Score in percent (a draw is half a win)."
    if entry.is_pacman:
        what = (
            "Mean goal of Pac-Man: played by the entrant against two flat ghosts / by flat Monte-Carlo against two "
            "ghosts of the entrant's."
        )
    elif entry.has_points:
        what = "Mean goal of three of the entrant's / of three of flat Monte-Carlo."
    one = [Setting(series, entry.sheet, "own state, σ 0.5", c) for c in CLOCKS]
    budgets = ", ".join(f"{s.playouts:,}" for s in one)
    if one[0].playouts != one[0].baseline:
        budgets += " (the baseline " + ", ".join(f"{s.baseline:,}" for s in one) + ")"
    lines = [
        f"### {entry.title}",
        "",
        f"{what} Playouts per decision: {budgets}. The study reports {entry.claim}.",
        "",
        "| entrant | " + " | ".join(f"{c} s" for c in CLOCKS) + " | all clocks | plays | claim |",
        "|---|" + "---:|" * (len(CLOCKS) + 2) + "---|",
    ]
    for entrant in SERIES[series].entrants:
        cells = []
        for clock in CLOCKS:
            own, other = sides(groups.get((entrant, clock), {}))
            cells.append(_cell(own, other, entry.has_points))
        every = merged(groups.get((entrant, c), {}) for c in CLOCKS)
        own, other = sides(every)
        if own is None or other is None:
            continue
        claim = verdict(entry, own, other) if entrant != "no memory" else ""
        lines.append(
            f"| {entrant} | {' | '.join(cells)} | {_cell(own, other, entry.has_points)} | {total(every)} | {claim} |"
        )  # fmt: skip
    return [*lines, ""]


def _cell(own: Figure | None, other: Figure | None, points: bool) -> str:
    if own is None:
        return ""
    return f"{own} / {100 * other.mean:.0f}" if points and other is not None else str(own)


def report(page: Path, discussion: str) -> None:
    """Write the page and its figures."""
    page.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Memory-augmented search in general game playing",
        "",
        "A study of general game playing let memory-augmented Monte Carlo tree search play against the platform's "
        "plain Monte-Carlo player on six games. This page does it again with our engine, agents and rule sheets "
        "([Board games](../board-games.md)). It is written by `python benchmarks/ggp_study.py report`.",
        "",
        "Flat Monte-Carlo (`flatmc`) makes random playouts of its own moves in turn and plays the best mean. Against "
        "it play `mmctsown` (a state asks the memory for its own entry, values move by σ: what the study tested) with "
        "σ 0.5 and 0.8, `mmcts` (the original: the K nearest states are asked, values are means) and `uct` (no "
        "memory). All players with a memory play the move of the best mean reward, and search in the 30 s of "
        "preparation. Numbers are percent with 95 % intervals, "
        "Wilson's, made narrower where draws or points vary less than wins and losses do; \"claim\" compares the "
        "interval over all clocks with what the study reports.",
        "",
    ]  # fmt: skip
    for series, reading in SERIES.items():
        counts = {game: read_counts(series, game) for game in GAMES}
        played = sum(map(total, counts.values()))
        if not played:
            continue
        planned = reading.plays * len(GAMES) * len(CLOCKS) * len(reading.entrants)
        name = f"ggp-study-{series}.svg"
        draw_series(series, counts, page.parent / name)
        seconds = sum(count.seconds for part in counts.values() for count in part.values())
        lines += [
            f"## Series {series}",
            "",
            f"{reading.explained} {played:,} of {planned:,} plays have been played ({seconds / 60:.0f} minutes of "
            "processor time); the numbers are about these.",
            "",
            f"![Scores by clock]({name})",
            "",
        ]
        for game, entry in GAMES.items():
            if counts[game]:
                lines += game_section(series, entry, counts[game])
    lines += ["## Discussion", "", discussion.strip(), ""]
    page.write_text("\n".join(lines), encoding="utf-8")
    print(page)


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=(*SERIES, "report"), help="series to play, or write the report")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES), help="only these")
    parser.add_argument("--minutes", type=float, help="begin no further play after this time")
    parser.add_argument("--workers", type=int, default=1, help="plays side by side")
    parser.add_argument("--out", type=Path, default=REPORT, help="page that `report` writes")
    given = parser.parse_args()
    try:
        if given.what == "report":
            told = RECORDS / "discussion.txt"
            report(given.out, told.read_text(encoding="utf-8") if told.exists() else "")
            return 0
        games = [g for g in given.games if (path := GAMES[g].path) is None or path.is_file()]
        done = run(given.what, games, given.minutes, given.workers)
        print("everything is played" if done else "the time is up; the same command goes on")
    except PcgError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
