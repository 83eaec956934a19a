"""Results of an agent's plays of a campaign, added up by game: the tables that benchmarks/agents_corpus.py keeps.

A summary has a row for each game of the schedule, and for each level where a campaign compares levels. Sums are exact,
so that the report made of them is the same as one made of the single plays. Equal numbers of plays of a game are the
same plays, since all agents of a campaign play the same schedule in the same order.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pcg.evaluators.agents.playout import MAX_TICKS
from pcg.evaluators.tournament import Match, MatchResult, Standings, Tally
from pcg.evaluators.tournament.ranking import rank_tallies
from pcg.evaluators.tournament.rules import DISQUALIFIED, LOST, WON
from pcg.runs.store import write_whole

COLUMNS = (
    "agent", "game", "level", "planned", "plays", "wins", "losses", "disqualified", "score", "steps", "ticks",
    "late", "timed_ticks", "faults",
)  # fmt: skip
Key = tuple[str, int | None]
"""Game and level, None for all levels together."""


@dataclass(frozen=True)
class Fault:
    """A play that ended in a disqualification."""

    repeat: int
    level: int
    tick: int
    kind: str
    message: str


@dataclass(frozen=True)
class Totals:
    """The plays of one game, or of one of its levels, added up.

    Attributes:
        planned: plays in the schedule.
        plays: how many were played.
        wins: plays won.
        losses: plays lost.
        disqualified: plays in which the agent was disqualified.
        score: sum of scores.
        steps: sum of t for won plays and of 2000 - t for others.
        ticks: sum of ticks.
        late: actions that came late.
        timed_ticks: ticks of the plays in which late actions were counted.
        faults: the disqualifications.
    """

    planned: int
    plays: int = 0
    wins: int = 0
    losses: int = 0
    disqualified: int = 0
    score: float = 0.0
    steps: int = 0
    ticks: int = 0
    late: int = 0
    timed_ticks: int = 0
    faults: tuple[Fault, ...] = ()

    @classmethod
    def of(cls, planned: int, results: Iterable[MatchResult]) -> Totals:
        """Add up plays of one agent."""
        found = list(results)
        outcomes = [r.outcomes[0] for r in found]
        timed = [r for r in found if r.late]
        return cls(
            planned,
            len(found),
            outcomes.count(WON),
            outcomes.count(LOST),
            outcomes.count(DISQUALIFIED),
            math.fsum(r.scores[0] for r in found),
            sum(r.ticks if r.outcomes[0] == WON else max(0, MAX_TICKS - r.ticks) for r in found),
            sum(r.ticks for r in found),
            sum(sum(r.late) for r in timed),
            sum(r.ticks for r in timed),
            tuple(
                Fault(r.match.repeat, r.match.level, r.fault.tick, r.fault.kind, r.fault.message)
                for r in found
                if r.fault is not None
            ),
        )

    @property
    def tally(self) -> Tally:
        """Counts and means, as tournaments rank by."""
        n = max(1, self.plays)
        means = (self.score / n, self.steps / n, self.ticks / n)
        return Tally(self.plays, self.wins, self.losses, self.disqualified, *means)


@dataclass(frozen=True)
class Summary:
    """The totals of an agent, in the order of the schedule."""

    agent: str
    rows: Mapping[Key, Totals]

    @property
    def planned(self) -> int:
        """Plays in the schedule."""
        return sum(row.planned for row in self.rows.values())

    @property
    def plays(self) -> int:
        """Plays that were played."""
        return sum(row.plays for row in self.rows.values())


def summarise(agent: str, matches: Iterable[Match], results: Iterable[MatchResult], *, by_level: bool) -> Summary:
    """Add up the plays of an agent.

    Args:
        agent: who played.
        matches: the schedule.
        results: of its first matches.
        by_level: a row for each level instead of one for each game.
    """

    def key(match: Match) -> Key:
        return match.game, match.level if by_level else None

    planned: dict[Key, int] = {}
    for match in matches:
        planned[key(match)] = planned.get(key(match), 0) + 1
    found: dict[Key, list[MatchResult]] = {}
    for result in results:
        found.setdefault(key(result.match), []).append(result)
    return Summary(agent, {where: Totals.of(count, found.get(where, ())) for where, count in planned.items()})


def write_summary(summary: Summary, path: Path) -> None:
    """Write a summary as a table, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (game, level), t in summary.rows.items():
        faults = json.dumps([[f.repeat, f.level, f.tick, f.kind, f.message] for f in t.faults]) if t.faults else ""
        writer.writerow(
            (summary.agent, game, "" if level is None else level, t.planned, t.plays, t.wins, t.losses, t.disqualified,
             repr(t.score).removesuffix(".0"), t.steps, t.ticks, t.late, t.timed_ticks, faults)
        )  # fmt: skip
    write_whole(path, table.getvalue())


def read_summary(path: Path) -> Summary:
    """Read what `write_summary` wrote."""
    rows: dict[Key, Totals] = {}
    agent = ""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            agent = row["agent"]
            faults = tuple(Fault(*fault) for fault in json.loads(row["faults"] or "[]"))
            numbers = (int(row[name]) for name in COLUMNS[3:8])
            last = (int(row[name]) for name in COLUMNS[9:13])
            level = int(row["level"]) if row["level"] else None
            rows[row["game"], level] = Totals(*numbers, float(row["score"]), *last, faults)
    return Summary(agent, rows)


def common_rows(summaries: Iterable[Summary]) -> list[Key]:
    """Return the rows of which all agents have played the same plays, at least one."""
    kept = list(summaries)
    return [
        key
        for key, row in (kept[0].rows.items() if kept else ())
        if row.plays and all(key in other.rows and other.rows[key].plays == row.plays for other in kept)
    ]


def standings(summaries: Iterable[Summary], keys: Iterable[Key] | None = None) -> Standings:
    """Rank agents by summaries, or by some rows of them; rows of several levels of a game are added up."""
    kept = list(summaries)
    wanted = None if keys is None else set(keys)
    games: dict[str, dict[str, Tally]] = {}
    overall: dict[str, Tally] = {}
    for summary in kept:
        rows = {k: t for k, t in summary.rows.items() if t.plays and (wanted is None or k in wanted)}
        levels: dict[str, list[Totals]] = {}
        for (game, _), totals in rows.items():
            levels.setdefault(game, []).append(totals)
        for game, of_game in levels.items():
            games.setdefault(game, {})[summary.agent] = _sum(of_game).tally
        overall[summary.agent] = _sum(rows.values()).tally
    faults = {s.agent: sum(len(t.faults) for k, t in s.rows.items() if wanted is None or k in wanted) for s in kept}
    return rank_tallies(games, overall, faults=faults)


def _sum(rows: Iterable[Totals]) -> Totals:
    kept = list(rows)
    counts = [
        sum(getattr(row, name) for row in kept) for name in ("planned", "plays", "wins", "losses", "disqualified")
    ]
    return Totals(
        *counts, math.fsum(row.score for row in kept), sum(row.steps for row in kept), sum(row.ticks for row in kept)
    )
