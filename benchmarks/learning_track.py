"""The learning track on ten games: learners beside `random` and `onestep`, docs/results/learning-track.md.

A learner gets so many ticks of training plays on levels 0 to 2 of every game of the built-in set `training`, then
plays each of levels 3 and 4 ten times, by the rules of 2017 (`pcg.evaluators.learning`). `random` and `onestep` play
the same test plays; `onestep` simulates, as no entry of the learning track could. Parameters of the linear learner were
chosen on games of the set `validation`; those of PPO are the library's, but for larger batches. PPO needs the extra
`rl`. Results are kept in docs/results/learning-track.csv, a line per game, entrant and seed, and what is there is not
played again: to play a game anew, delete its lines.

    python -m benchmarks.learning_track --learners sarsa,ppo --steps 1000000 --seeds 1
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
from pcg.evaluators.learning import Learner, LearningTrack, LinearSarsa, run_track
from pcg.evaluators.tournament import GAME_SETS, wilson
from pcg.evaluators.tournament.rules import settle
from pcg.report.tournament_tables import interval_text, number, percent
from pcg.runs.store import write_whole

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "results" / "learning-track.csv"
REPORT = ROOT / "docs" / "results" / "learning-track.md"
LEARNERS = {"sarsa": "linear SARSA(λ)", "ppo": "PPO"}
"""Names of the learners in tables, by those of `--learners`."""
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


def make_learner(kind: str, seed: int) -> Learner:
    """Make a learner that knows nothing yet."""
    if kind == "sarsa":
        return LinearSarsa(seed=seed)
    from pcg.integrations.stable_baselines3 import PPOLearner

    return PPOLearner(seed=seed)


def learner_row(name: str, kind: str, steps: int, seed: int) -> Row:
    """Let a learner learn a game and play."""
    track = LearningTrack(seconds=None, steps=steps)
    before = time.process_time()
    done = run_track(pcg.load(name), make_learner(kind, seed), track, seed=seed)
    total = math.fsum(play.score for play in done.plays)
    used = round(time.process_time() - before, 1)
    return Row(name, LEARNERS[kind], seed, done.steps, len(done.plays), done.wins, total, used)


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


def campaign(kinds: list[str], steps: int, seeds: int) -> None:
    """Play what is missing, and keep it game by game."""
    rows = read()
    for seed in range(SEED, SEED + seeds):
        for name in GAME_SETS["training"].games:
            have = {(row.entrant, row.seed) for row in rows if row.game == name}
            rows += [learner_row(name, k, steps, seed) for k in kinds if (LEARNERS[k], seed) not in have]
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
    there = [name for name in LEARNERS.values() if any(row.entrant == name for row in rows)]
    entrants = [*there, *AGENTS]
    games = [name for name in GAME_SETS["training"].games if any(row.game == name for row in rows)]
    lines = [
        "# The learning track",
        "",
        "Learners that never simulate, over what is around their avatar ([Learning](../learning.md)): linear SARSA(λ), "
        "and PPO of Stable-Baselines3. They train on levels 0-2 of each game, then play ten times on each of levels 3 "
        "and 4. `random` and `onestep` have played the twenty test plays of the first seed; `onestep` looks one tick "
        "ahead with the forward model, which no learner has. Parameters of the linear learner were chosen on games of "
        "the set `validation`, those of PPO are the library's but for larger batches; the games are those of "
        "`training`.",
        "",
        "| game | " + " | ".join(f"{name}: plays won (95 %) | score" for name in entrants) + " |",
        "|---|" + "---:|---:|" * len(entrants),
    ]
    for name in games:
        cells = [cell([r for r in rows if r.game == name and r.entrant == who]) for who in entrants]
        lines.append(f"| {name} | " + " | ".join(f"{won} | {score}" for won, score in cells) + " |")
    totals = [cell([r for r in rows if r.entrant == who])[0] for who in entrants]
    lines += ["| all | " + " | ".join(f"{won} | " for won in totals) + "|", ""]
    for who in there:
        own = [row for row in rows if row.entrant == who]
        ticks, used = sorted({row.steps for row in own}), sorted(row.seconds for row in own)
        span = f"{ticks[0]:,}" + (f" to {ticks[-1]:,}" if len(ticks) > 1 else "")
        seeds = len({row.seed for row in own})
        lines += [
            f"- {who}: {span} ticks of training, {seeds} seed{'s' * (seeds > 1)}, {number(used[0], 0)} to "
            f"{number(used[-1], 0)} s of processor time for a game; the track allows 300 s of learning."
        ]
    lines += [
        "",
        "Neither learner wins more of these ten games than random play: most are won by a sequence of some twenty to a "
        "hundred moves that a beginner does not hit upon, and without a win there is little to learn from. What "
        "they do learn is to stay alive; PPO wins none of fifteen plays of dungeon on the levels that it was trained "
        "on either. The ten games of `validation` have easier ones: there PPO won 8 of 20 test plays of invaders after "
        "300,000 ticks.",
    ]
    lines += [
        "",
        "Made by `python -m benchmarks.learning_track`; the numbers are in [learning-track.csv](learning-track.csv).",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Play, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--learners", default="sarsa,ppo", help="with commas between: " + ", ".join(LEARNERS))
    parser.add_argument("--report", action="store_true", help="write the page of what is kept, and play nothing")
    given = parser.parse_args()
    if not given.report:
        kinds = given.learners.split(",")
        if unknown := [kind for kind in kinds if kind not in LEARNERS]:
            parser.error(f"unknown learner `{unknown[0]}`: expected {', '.join(LEARNERS)}")
        campaign(kinds, given.steps, given.seeds)
    REPORT.write_text(report(), encoding="utf-8")
    print(f"wrote {REPORT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
