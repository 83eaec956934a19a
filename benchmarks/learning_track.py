"""The learning track on ten games: a linear learner beside `random` and `onestep`, docs/results/learning-track.md.

The learner gets so many ticks of training plays on levels 0 to 2 of every game of the built-in set `training`, then
plays each of levels 3 and 4 ten times, by the rules of 2017 (`pcg.evaluators.learning`). `random` and `onestep` play
the same test plays; `onestep` simulates, as no entry of the learning track could. Parameters of the learner were chosen
on games of the set `validation`. Results are kept in docs/results/learning-track.csv, a line per game and entrant, and
what is there is not played again: to play a game anew, delete its lines.

    python -m benchmarks.learning_track --steps 1000000 --seeds 2
    python -m benchmarks.learning_track --report
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import pcg
from pcg.evaluators.learning import LearningTrack, LinearSarsa, run_track
from pcg.evaluators.tournament import GAME_SETS, wilson
from pcg.evaluators.tournament.rules import settle
from pcg.report.tournament_tables import interval_text, number, percent
from pcg.runs.store import write_whole

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "results" / "learning-track.csv"
REPORT = ROOT / "docs" / "results" / "learning-track.md"
LEARNER = "linear SARSA(λ)"
AGENTS = ("random", "onestep")
SEED = 1


@dataclass(frozen=True)
class Row:
    """The test plays of an entrant in one game: how many, wins, sum of scores; what it learned from, and how long."""

    game: str
    entrant: str
    seed: int
    steps: int
    plays: int
    wins: int
    score: float
    seconds: float


def read() -> list[Row]:
    """Return the rows that are kept."""
    if not KEPT.exists():
        return []
    with KEPT.open(encoding="utf-8", newline="") as file:
        return [
            Row(r["game"], r["entrant"], int(r["seed"]), int(r["steps"]), int(r["plays"]), int(r["wins"]),
                float(r["score"]), float(r["seconds"]))
            for r in csv.DictReader(file)
        ]  # fmt: skip


def keep(rows: Iterable[Row]) -> None:
    """Write the rows."""
    names = [f.name for f in fields(Row)]
    lines = [",".join(names), *(",".join(str(getattr(row, name)) for name in names) for row in rows)]
    write_whole(KEPT, "\n".join(lines) + "\n")


def learner_row(name: str, steps: int, seed: int) -> Row:
    """Let the learner learn a game and play."""
    track = LearningTrack(seconds=None, steps=steps)
    done = run_track(pcg.load(name), LinearSarsa(seed=seed), track, seed=seed)
    total = math.fsum(play.score for play in done.plays)
    return Row(name, LEARNER, seed, done.steps, len(done.plays), done.wins, total, round(done.seconds, 1))


def agent_row(name: str, agent: str) -> Row:
    """Let an agent play the test plays of the learner with the first seed."""
    track, game, wins, total = LearningTrack(), pcg.load(name), 0, 0.0
    for level in track.test:
        for k in range(track.plays):
            done = pcg.play(game, agent, level=level, seed=SEED + 1_000_000 + k, max_ticks=track.max_ticks)
            outcome, score = settle(int(done.winner), done.score)
            wins += outcome == 1
            total += score
    return Row(name, agent, SEED, 0, len(track.test) * track.plays, wins, total, 0.0)


def campaign(steps: int, seeds: int) -> None:
    """Play what is missing, and keep it game by game."""
    rows = read()
    for seed in range(SEED, SEED + seeds):
        for name in GAME_SETS["training"].games:
            have = {(row.entrant, row.seed) for row in rows if row.game == name}
            if (LEARNER, seed) not in have:
                rows.append(learner_row(name, steps, seed))
            rows += [agent_row(name, agent) for agent in AGENTS if (agent, SEED) not in have]
            keep(rows)
            print(time.strftime("%H:%M:%S"), seed, name, flush=True)


def cell(rows: list[Row]) -> tuple[str, str]:
    """Return share and interval of plays won, and the mean score."""
    plays, wins = sum(row.plays for row in rows), sum(row.wins for row in rows)
    if not plays:
        return "", ""
    low_high = interval_text(wilson(wins, plays))
    return f"{percent(wins / plays)} ({low_high})", number(math.fsum(row.score for row in rows) / plays, 2)


def report() -> str:
    """Return the page."""
    rows = read()
    entrants = [LEARNER, *AGENTS]
    learned = [row for row in rows if row.entrant == LEARNER]
    seeds = len({row.seed for row in learned})
    steps = sorted({row.steps for row in learned})
    seconds = sorted(row.seconds for row in learned)
    games = [name for name in GAME_SETS["training"].games if any(row.game == name for row in rows)]
    lines = [
        "# The learning track",
        "",
        "A learner that never simulates: linear SARSA(λ) over what is around its avatar ([Learning](../learning.md)), "
        f"with {' / '.join(f'{count:,}' for count in steps)} ticks of training plays on levels 0-2 of each game, then "
        f"ten plays on each of levels 3 and 4; learning and plays with {seeds} seed(s). `random` and `onestep` have "
        "played the twenty test plays of the first seed; `onestep` looks one tick ahead with the forward model, which "
        "no learner has. Parameters of the learner were chosen on games of the set `validation`; these are those of "
        "`training`.",
        "",
        "| game | " + " | ".join(f"{name}: plays won (95 %) | score" for name in entrants) + " |",
        "|---|" + "---:|---:|" * len(entrants),
    ]
    for name in games:
        cells = [cell([r for r in rows if r.game == name and r.entrant == who]) for who in entrants]
        lines.append(f"| {name} | " + " | ".join(f"{won} | {score}" for won, score in cells) + " |")
    totals = [cell([r for r in rows if r.entrant == who])[0] for who in entrants]
    lines += [
        "| all | " + " | ".join(f"{won} |" for won in totals) + " |",
        "",
        "After so little training the learner wins no more than random play; the games of the set `validation` on "
        "which it was developed are easier for it, and longer training on these ten is still to be measured.",
        "",
        f"Learning a game took {number(seconds[0], 0)} to {number(seconds[-1], 0)} s of wall time on a busy machine; "
        "the track allows 300. Made by `python -m benchmarks.learning_track "
        f"--steps {min(row.steps for row in learned) // 1000 * 1000} --seeds {seeds}`; the numbers are in "
        "[learning-track.csv](learning-track.csv).",
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def main() -> None:
    """Play, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--report", action="store_true", help="write the page of what is kept, and play nothing")
    given = parser.parse_args()
    if not given.report:
        campaign(given.steps, given.seeds)
    REPORT.write_text(report(), encoding="utf-8")
    print(f"wrote {REPORT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
