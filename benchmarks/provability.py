"""Levels of the corpus that the prover wins: the share, the time, and what is missing, game by game.

Every hand-made level of the one-player games is searched for a win (`pcg.evaluators.proving`) within a limit of
processor time. What is learned about a game is passed on from its earlier levels to later ones. Levels 0 come first,
then the others in the order of digests of their names, so that any part of them is a fair sample. Results are
kept as JSON lines, one for each search, with the win as a replay. The program skips levels that are won, or were
searched with the same limit or a higher one by this version of the prover, and can be stopped at any moment. `report`
checks every win by replaying it and writes docs/results/provability.md.

    python benchmarks/provability.py measure --seconds 10 --minutes 30
    python benchmarks/provability.py measure --games zelda pacman --levels 0 1 --seconds 60
    python benchmarks/provability.py report
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs as a program too

from benchmarks.validation.split import held_out
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
FIRST_BY_CONTACTS = 7
"""The first version of the prover that explores by contacts and outlasts what must run out."""
QUICK = 5.0
"""Seconds within which the wins of a version are counted besides."""
MARKS = (0.1, 1.0, 2.0, 5.0, 60.0)
"""Seconds within which wins are counted."""


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


VERSION = 10
"""Of the prover; results of older ones are kept where they won, and measured again where they did not. 7 explores by
contacts and outlasts, 8 makes turns longer that come nearer, 9 gives later turns by contacts more calls, 10 begins both
later.
"""


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
    names = [n for n in games(args.corpus) if not args.games or n.rpartition("/")[2] in args.games]
    todo = [(name, level) for name in names for level in args.levels]
    for again in (True,) if args.again else (False, True):  # what has never been tried comes first
        for name, level in sorted(todo, key=place):
            if time.monotonic() >= until:
                return 0
            known = stored(args.store)
            done = known.get((name, level))
            if done is not None and (not again or done.won):
                continue
            if done is None and args.again:
                continue
            if done is not None and done.limit >= args.seconds and done.version >= VERSION:
                continue
            game = load(args.corpus / f"{name}.txt", reading="gvgai")
            if level >= len(game.levels):
                continue
            result = attempt(game, name, level, args.seconds, learned(known, name, level))
            keep(args.store, result)
            told = f"won by {result.method} in {result.ticks} ticks" if result.won else "not won"
            print(f"{name} {level}: {told}, {result.seconds:.1f} s, {result.calls:,} calls", flush=True)
    return 0


def place(key: tuple[str, int]) -> bytes:
    """Return where a level stands in the order: levels 0 first, the others by digest, so that any part is a sample."""
    name, level = key
    return bytes([level > 0]) + sha256(f"{name} {level}".encode()).digest()


def learned(known: Mapping[tuple[str, int], Attempt], name: str, level: int) -> Experience:
    """Return what those levels of a game that come before this one have taught, as far as they are won."""
    experience = Experience()
    for earlier in range(level):
        past = known.get((name, earlier))
        if past is not None and past.won:
            experience.note(past.method, past.own_calls)
    return experience


# --- the page ---------------------------------------------------------------------------------------------------------


def by_game(attempts: Mapping[tuple[str, int], Attempt]) -> dict[str, list[Attempt]]:
    """Return the attempts of each game, by level."""
    found: dict[str, list[Attempt]] = {}
    for key in sorted(attempts):
        found.setdefault(key[0], []).append(attempts[key])
    return found


def interval(shares: Sequence[tuple[int, int]], seed: int = 1) -> tuple[float, float]:
    """Return the 95 % interval of won / tried over games that are drawn with replacement (bootstrap)."""
    pairs = np.array(shares, dtype=np.float64)
    rng = np.random.default_rng(seed)
    drawn = pairs[rng.integers(len(pairs), size=(BOOTSTRAPS, len(pairs)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    return float(low), float(high)


def share_of(found: Mapping[str, Sequence[Attempt]]) -> str:
    """Return the share of levels won in words, with its interval."""
    shares = [(sum(a.won for a in attempts), len(attempts)) for attempts in found.values()]
    won, tried = sum(w for w, _ in shares), sum(n for _, n in shares)
    if not tried:
        return "none tried"
    low, high = interval(shares)
    return f"{won} of {tried} levels, {won / tried:.1%} (95 % interval {low:.1%} to {high:.1%})"


def check(corpus: Path, attempts: Mapping[tuple[str, int], Attempt]) -> list[str]:
    """Replay all wins; returns those that do not hold."""
    wrong = []
    for name, tried in by_game(attempts).items():
        game = load(corpus / f"{name}.txt", reading="gvgai")
        for a in tried:
            if a.won and not Proof(game.levels[a.level], a.seed, a.play, a.method, a.calls).holds(game):
                wrong.append(f"{name} {a.level}")
    return wrong


def page(names: Sequence[str], attempts: Mapping[tuple[str, int], Attempt]) -> str:
    """Return the page as Markdown."""
    found = by_game(attempts)
    tried = list(attempts.values())
    won = [a for a in tried if a.won]
    seconds = sorted(a.seconds for a in tried)
    limits = Counter(a.limit for a in tried if not a.won)
    methods = Counter(a.method for a in won)
    versions = Counter(a.version for a in tried)
    newly = [a for a in won if a.version >= FIRST_BY_CONTACTS]
    chance = {g: [a for a in tried if a.foresight] for g, tried in found.items()}
    sure = {g: [a for a in tried if not a.foresight] for g, tried in found.items()}
    firsts = {g: t for g, tried in found.items() if (t := [a for a in tried if a.level == 0])}
    others = {g: t for g, tried in found.items() if (t := [a for a in tried if a.level > 0])}
    held = {g: tried for g, tried in found.items() if held_out(g)}
    marks = [mark for mark in MARKS if mark <= max(limits, default=MARKS[-1])]
    quick = [sum(a.won and a.seconds <= mark for a in tried) for mark in marks]
    lines = [
        "# Levels that can be won",
        "",
        "The [prover](../agents.md#proofs-that-levels-can-be-won) on the hand-made levels of the one-player games of "
        "the GVGAI corpus: `python benchmarks/provability.py measure`, one process, 2 logical cores that others use "
        "as well. Times are processor time. Every win is kept as a replay and was replayed for this page, which "
        "`python benchmarks/provability.py report` writes. Intervals are by bootstrap over games. Nothing is fitted to "
        "levels or names, but what explorations tell apart and are led by was improved while looking at games of both "
        "halves, up to version 6 at their levels 0 and since at all that were not won: neither is a test. What the "
        "explorations by contacts and those that outlast win in games that others won before is the nearest to one.",
        "",
        f"Tried: {len(tried)} of {LEVELS * len(names)} levels, {len(found)} of {len(names)} games. "
        "Levels not won were given up after "
        + (", ".join(f"{limit:g} s ({n})" for limit, n in sorted(limits.items())) or "no time: there are none")
        + ". The aim is nine levels in ten within 60 s each, with a median of 2 s. Versions of the prover: "
        + ", ".join(f"{version} ({n})" for version, n in sorted(versions.items()))
        + "; what an earlier one has won is not searched again. Won by version, within 5 s: "
        + ", ".join(
            f"{version}: {sum(a.version == version for a in won)}, "
            f"{sum(a.version == version and a.seconds <= QUICK for a in won)}"
            for version in sorted(versions)
        )
        + ".",
        "",
        "| levels | won |",
        "|---|---|",
        f"| all | {share_of(found)} |",
        f"| without chance | {share_of({g: t for g, t in sure.items() if t})} |",
        f"| with chance, which the prover foresees | {share_of({g: t for g, t in chance.items() if t})} |",
        f"| 0 of every game | {share_of(firsts)} |",
        f"| 1 to 4 | {share_of(others)} |",
        f"| of games held out (`benchmarks/validation/split.py`) | {share_of(held)} |",
        "",
        f"Median processor time of a level, won or not: {seconds[len(seconds) // 2]:.2f} s; mean "
        f"{sum(seconds) / len(seconds):.2f} s. Won within "
        + ", ".join(f"{limit:g} s: {n / len(tried):.1%}" for limit, n in zip(marks, quick, strict=True))
        + ".",
        "",
        "| method | wins |",
        "|---|---:|",
        *(f"| `{name}` | {n} |" for name, n in methods.most_common()),
        "",
        f"Of the {len(newly)} levels that only versions since {FIRST_BY_CONTACTS} have won, "
        + (", ".join(f"`{name}` won {n}" for name, n in Counter(a.method for a in newly).most_common()) or "none is")
        + ".",
        "",
        "## Game by game",
        "",
        "Levels won of those tried; levels that are not won; whether chance plays a part; the longest search of a win.",
        "",
        "| game | won | not won | chance | methods | slowest win |",
        "|---|---:|---|---|---|---:|",
    ]
    order = sorted(found, key=lambda g: (sum(a.won for a in found[g]) / len(found[g]), g))
    for name in order:
        rows = found[name]
        wins = [a for a in rows if a.won]
        lost = ", ".join(str(a.level) for a in rows if not a.won)
        used = ", ".join(f"`{m}`" for m in dict.fromkeys(a.method for a in wins))
        slowest = f"{max(a.seconds for a in wins):.1f} s" if wins else ""
        chancy = "yes" if any(a.foresight for a in rows) else ""
        lines.append(f"| {name} | {len(wins)}/{len(rows)} | {lost} | {chancy} | {used} | {slowest} |")
    missing = [name for name in names if name not in found]
    if missing:
        lines += ["", "Not tried: " + ", ".join(missing) + "."]
    return "\n".join(lines) + "\n"


def report(args: argparse.Namespace) -> int:
    """Check all wins and write the page; returns an exit status."""
    attempts = stored(args.store)
    if not attempts:
        print(f"no results in {args.store}")
        return 1
    wrong = check(args.corpus, attempts)
    if wrong:
        print("wins that do not hold: " + ", ".join(wrong))
        return 1
    args.out.write_text(page(games(args.corpus), attempts), encoding="utf-8")
    print(f"{args.out}: {share_of(by_game(attempts))}")
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
    measuring.add_argument("--again", action="store_true", help="only levels that were tried and not won")
    measuring.set_defaults(run=measure)
    reporting = commands.add_parser("report", help="check all wins and write the page")
    reporting.add_argument("--out", type=Path, default=REPORT, help="file of the page")
    reporting.set_defaults(run=report)
    for one in (measuring, reporting):
        one.add_argument("--corpus", type=Path, default=CORPUS, help="folder of the games")
        one.add_argument("--store", type=Path, default=STORE / "results.jsonl", help="file of the results")
    args = parser.parse_args()
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
