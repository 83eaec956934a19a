"""Games that runs keep, seen by the judge of games: against the games that people made with the same sprites.

    python benchmarks/judged_games.py RUN...
    python benchmarks/judged_games.py RUN... --corpus FOLDER --seconds 60

The second makes the runs first: a RUN is then a new folder, whose name is that of a game in FOLDER. Seconds are of
processor time, of one process. `--digests N` prints the N games of FOLDER whose names have the smallest SHA-256: sets
that nobody has picked.

Every RUN is a folder of `pcg rules`; its own copy of the game is judged for comparison. A row of
`docs/results/rules/judged.csv` is written for each: how many candidates were feasible, where the time of the search
went, what the judge gives the best game, and what it gives, on the same levels and with the same effort, to the game
that people made. Of all games that are kept it tells the share of rules that change an outcome, wins of a random
player, and movers that are outside the
map or in walls after 200 ticks in which nobody acts. `rule_evolution.py report` makes the page.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from rule_evolution import clocked

from pcg.engine.game import Game, load
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.game_places import astray
from pcg.evaluators.judging.games import judge_game
from pcg.runs.experiments.kept_games import EFFORT
from pcg.runs.experiments.rules import run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.game_text import GameText
from pcg.runs.store import read_json

COLUMNS = (
    "game", "revision", "candidates", "feasible", "kept", "at nobody wins", "best", "people's", "at least people's",
    "random wins", "astray", "rules that matter", "goals", "per minute",
)  # fmt: skip
FILE = Path(__file__).parent.parent / "docs" / "results" / "rules" / "judged.csv"
IDLE = 200
"""Ticks of waiting after which movers are looked at."""


def smallest_digests(corpus: Path, number: int) -> list[str]:
    """Return the names of the games with levels in a folder, those with the smallest SHA-256."""
    names = {path.stem.removesuffix("_lvl0") for path in corpus.glob("*_lvl0.txt")}
    return sorted(names, key=lambda name: sha256(name.encode()).hexdigest())[:number]


def search(folder: Path, corpus: Path, seconds: float) -> None:
    """Make a run of `pcg rules` with the sprites of the game that a folder is named after, on its first two levels."""
    game = str(corpus / f"{folder.name}.txt")
    config = RulesRun(game, levels="0-1", count=4, seconds=seconds, seed=1, reading="gvgai", confirm=4, finalists=8)
    with clocked("processor"):
        run_rules(config, folder, workers=1)


def row_of(folder: Path, revision: str) -> dict[str, Any]:
    """Return the row of a run."""
    manifest, summary = read_json(folder / "run.json"), read_json(folder / "summary.json")
    name = manifest["game"]["name"]
    index = folder / "games" / "index.json"
    games = read_json(index)["games"] if index.is_file() else []
    seconds = _seconds(folder)
    lost = sum(spent for reason, spent in seconds if "nobody wins" in reason) / max(1e-9, sum(s for _, s in seconds))
    good = [entry for entry in games if entry["judgement"] and entry["judgement"]["feasible"]]
    best = max((entry["judgement"]["value"] for entry in good), default=0.0)
    people = people_value(folder, name, manifest)
    return {
        "game": name, "revision": revision, "candidates": summary["evaluations"], "feasible": summary["feasible"],
        "kept": len(good), "at nobody wins": f"{lost:.0%}",
        "best": f"{best:.3f}", "people's": f"{people:.3f}", "at least people's": "yes" if best >= people else "no",
        "random wins": _percent([1.0 - _part(e, "chance") for e in good], 0.3, max),
        "astray": _percent([idle_astray(folder / "games" / e["file"]) for e in good], 1.0, max),
        "rules that matter": _percent([_part(e, "share") for e in good], 1.0, statistics.median),
        "goals": " ".join(sorted({str(e.get("goal", "?")) for e in good})),
        "per minute": f"{_per_minute(folder):.0f}",
    }  # fmt: skip


def _seconds(folder: Path) -> list[tuple[str, float]]:
    """Return why each candidate was not feasible, and the seconds of its evaluation."""
    with (folder / "events.jsonl").open(encoding="utf-8") as file:
        reasons = {event["id"]: str(event["reason"]) for event in map(json.loads, file)}
    with (folder / "timing.jsonl").open(encoding="utf-8") as file:
        lines = [line for line in map(json.loads, file) if line["type"] == "evaluation"]
    return [(reasons.get(line["id"], ""), float(line["seconds"])) for line in lines]


def _per_minute(folder: Path) -> float:
    """Return the candidates per minute of the search, by the clock of its budget."""
    lines = map(json.loads, (folder / "timing.jsonl").read_text(encoding="utf-8").splitlines())
    times = [float(line["elapsed"]) for line in lines if line["type"] == "evaluation"]
    return 60.0 * len(times) / max(1e-9, times[-1]) if times else 0.0


def people_value(folder: Path, name: str, manifest: dict[str, Any]) -> float:
    """Return what the judge gives the game whose sprites these are, on the levels of the run."""
    text = GameText.read(folder / "game", name, manifest["game"]["reading"])
    game = text.load()
    levels = [text.levels[k] for k in manifest["levels"]]
    return judge_game(game, levels, seed=1, effort=EFFORT).value


def idle_astray(path: Path) -> float:
    """Return the share of the movers that are where they should not be while nobody acts."""
    game: Game = load(path)
    levels = [game.read_level(k) for k in range(len(game.levels))]
    kinds = game_kinds(game.definition, levels)
    shares = [astray(kinds, game.start(level, 1), ["NIL"] * IDLE).movers_share for level in levels]
    return statistics.fmean(shares)


def _part(entry: dict[str, Any], name: str) -> float:
    return float(entry["judgement"]["parts"].get(name, {"value": 0.0})["value"])


def _percent(values: list[float], scale: float, of: Any) -> str:
    return f"{scale * of(values):.0%}" if values else ""


def main() -> None:
    """Write the rows and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="make the runs, from sprites of games in FOLDER")
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time of a search")
    parser.add_argument("--digests", type=int, default=0, metavar="N", help="print names of N games, and stop")
    parser.add_argument("--revision", default="", help="of the toolkit that made the runs")
    parser.add_argument("--to", type=Path, default=FILE, help="table that gets the rows")
    parser.add_argument("--by-run", action="store_true", help="name rows after the folders of runs, not after games")
    options = parser.parse_args()
    if options.digests:
        print(*smallest_digests(options.corpus, options.digests))
        return
    rows = {}
    if options.to.is_file():
        with options.to.open(encoding="utf-8", newline="") as file:
            rows = {row["game"]: row for row in csv.DictReader(file)}
    for folder in options.runs:
        if options.corpus:
            search(folder, options.corpus, options.seconds)
        if (folder / "summary.json").is_file():
            row = row_of(folder, options.revision)
            if options.by_run:
                row["game"] = folder.name
            rows[row["game"]] = row
            print(json.dumps(row), flush=True)
            _write(options.to, rows)


def _write(path: Path, rows: Mapping[str, Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


if __name__ == "__main__":
    sys.exit(main())
