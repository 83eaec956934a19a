"""Levels of the corpus that the prover wins: the share, the time, and what is missing, game by game.

Every hand-made level of the one-player games is searched for a win (`pcg.evaluators.proving`) within a limit of
processor time. A level is measured in its own process-independent way: what is learned about a game is passed on from
its level 0 to its level 4, in this order. Results are kept as JSON lines, one for each level and limit, with the win as a
replay; the program skips what has been measured with the same limit or a higher one, or won, and can be stopped at any
moment. `report` checks every stored win by replaying it and writes docs/results/provability.md.

    python benchmarks/provability.py measure --seconds 10 --minutes 30
    python benchmarks/provability.py measure --games zelda pacman --levels 0 1 --seconds 60
    python benchmarks/provability.py report
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs as a program too

from pcg.engine.game import Game, load
from pcg.evaluators.proving import Experience, Proof, prove

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "gvgai" / "games"
STORE = ROOT / "runs" / "provability"
REPORT = ROOT / "docs" / "results" / "provability.md"
LIST = "all_games_sp.csv"
LEVELS = 5
ENDLESS = 1 << 40
"""Forward-model calls that no limit of seconds allows."""
BOOTSTRAPS = 2_000


@dataclass(frozen=True)
class Attempt:
    """Result of one search for a win of a level.

    Args:
        game: folder and name.
        level: number of the level.
        limit: processor seconds allowed.
        seconds: processor seconds taken.
        won: whether a win was found.
        method: that won.
        calls: forward-model calls of all methods.
        own_calls: of the method that won.
        ticks: length of the win.
        foresight: whether the level draws random numbers.
        impossible: whether it is proved that there is no win.
        seed: of the game.
        play: the win, one letter per tick.
        version: of the prover.
    """

    game: str
    level: int
    limit: float
    seconds: float
    won: bool
    method: str
    calls: int
    own_calls: int
    ticks: int
    foresight: bool
    seed: int
    play: str
    version: int


VERSION = 1
"""Of the prover; results of older ones are kept where they won, and measured again where they did not."""


def games(corpus: Path) -> list[str]:
    """Return folder and name of the one-player games of the corpus."""
    rows = csv.reader((corpus / LIST).open(encoding="utf-8"))
    return [row[1].removeprefix("examples/").removesuffix(".txt") for row in rows if len(row) > 1]


def stored(path: Path) -> dict[tuple[str, int], Attempt]:
    """The best attempt at each level: a win, the first; else the last. A line that was cut off is left out."""
    found: dict[tuple[str, int], Attempt] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                attempt = Attempt(**json.loads(line))
            except (json.JSONDecodeError, TypeError):
                continue
            key = attempt.game, attempt.level
            if key not in found or not found[key].won:
                found[key] = attempt
    return found


def keep(path: Path, attempt: Attempt) -> None:
    """Append an attempt to the store."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if cut else "") + json.dumps(asdict(attempt)) + "\n")


def attempt(game: Game, name: str, level: int, limit: float, experience: Experience) -> Attempt:
    """Search one level for a win."""
    before = {method: len(calls) for method, calls in experience.wins.items()}
    spent = 0

    def tell(method: str, calls: int) -> None:
        nonlocal spent
        spent = calls

    began = time.process_time()
    proof = prove(game, level, budget=ENDLESS, seconds=limit, experience=experience, progress=tell)
    seconds = time.process_time() - began
    stochastic = game.start(level, seed=1).model.stochastic
    if proof is None:
        return Attempt(name, level, limit, round(seconds, 3), False, "", spent, 0, 0, stochastic, 1, "", VERSION)
    own = experience.wins[proof.method][before.get(proof.method, 0)]
    return Attempt(
        name, level, limit, round(seconds, 3), True, proof.method, proof.calls, own, proof.ticks, proof.foresight,
        proof.seed, proof.play, VERSION,
    )  # fmt: skip


def measure(args: argparse.Namespace) -> int:
    """Search the levels that have not been measured; returns an exit status."""
    until = time.monotonic() + 60 * args.minutes if args.minutes else math.inf
    names = games(args.corpus)
    for level in args.levels:
        for name in names:
            if args.games and name.rpartition("/")[2] not in args.games:
                continue
            if time.monotonic() >= until:
                return 0
            known = stored(args.store)
            done = known.get((name, level))
            if done is not None and (done.won or (done.limit >= args.seconds and done.version >= VERSION)):
                continue
            game = load(args.corpus / f"{name}.txt", reading="gvgai")
            if level >= len(game.levels):
                continue
            experience = Experience()
            for earlier in range(level):
                past = known.get((name, earlier))
                if past is not None and past.won:
                    experience.note(past.method, past.own_calls)
            result = attempt(game, name, level, args.seconds, experience)
            keep(args.store, result)
            told = f"won by {result.method} in {result.ticks} ticks" if result.won else "not won"
            print(f"{name} {level}: {told}, {result.seconds:.1f} s, {result.calls:,} calls", flush=True)
    return 0


def main() -> int:
    """Run the command that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="search levels for wins")
    measuring.add_argument("--seconds", type=float, default=60.0, help="processor time for a level")
    measuring.add_argument("--minutes", type=float, default=0.0, help="stop after so much time, 0: when all is done")
    measuring.add_argument("--games", nargs="*", default=[], help="names of games; all by default")
    measuring.add_argument("--levels", nargs="*", type=int, default=list(range(LEVELS)), help="numbers of levels")
    measuring.set_defaults(run=measure)
    reporting = commands.add_parser("report", help="check all wins and write the page")
    reporting.set_defaults(run=measure)
    for one in (measuring, reporting):
        one.add_argument("--corpus", type=Path, default=CORPUS, help="folder of the games")
        one.add_argument("--store", type=Path, default=STORE / "results.jsonl", help="file of the results")
    args = parser.parse_args()
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
