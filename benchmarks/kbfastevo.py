"""Knowledge-based fast evolutionary MCTS in halves: vanilla, evolution only, knowledge only and both, on ten games.

The games are those of the paper (Perez, Samothrakis and Lucas 2014), all five levels, with the features, the sign of
the softmax and the reward of the text on planning in GVGAI. Each of the four is played with ends as `mcts` counts them
(a bonus beside which nothing else is seen) and with ends kept apart from the other rewards (`ends`). All eight play the
same level with the same seed one after the other: wherever the plays stop, they say as much about each.

    python benchmarks/kbfastevo.py play --minutes 50
    python benchmarks/kbfastevo.py look --minutes 5
    python benchmarks/kbfastevo.py report

`play` goes on where it stopped, also after a kill; `look` replays some levels and counts what rewards come from and how
far rollouts are from uniform; `report` adds up and prints the tables of docs/results/kbfastevo.md.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import make_agent, play
from pcg.evaluators.agents.kernel.fast_evo import SOURCES
from pcg.evaluators.tournament.ratings import wilson

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / "runs" / "kbfastevo"
RECORDS = ROOT / "docs" / "results"
FOLDER = ROOT.parent / "shared" / "gvgai" / "games"
GAMES = (
    "aliens", "boulderdash", "butterflies", "chase", "frogs", "missilecommand", "portals", "sokoban", "survivezombies",
    "zelda",
)  # fmt: skip
"""The first training set of the competition, on which the paper reports."""
LEVELS, REPEATS = 5, 20
CALLS, TICKS = 500, 1000
"""Forward-model calls per decision; ticks after which a play counts as not won (the framework's own limit is 2,000)."""
COSTS = {
    "aliens": 0.15, "boulderdash": 2.8, "butterflies": 0.15, "chase": 0.6, "frogs": 0.5, "missilecommand": 0.05,
    "portals": 0.3, "sokoban": 0.15, "survivezombies": 1.0, "zelda": 0.15,
}  # fmt: skip
"""Seconds that a play of each game takes, about."""
HALVES = {
    "vanilla": "evolve=false,knowledge=false,",
    "evolution": "knowledge=false,",
    "knowledge": "evolve=false,",
    "both": "",
}
ENDS = ("bonus", "apart")


class Play(NamedTuple):
    """One play of a variant."""

    variant: str
    game: str
    level: int
    seed: int
    won: int
    score: float
    ticks: int
    seconds: float


def variants() -> dict[str, str]:
    """Return the eight agents by name, as `make_agent` reads them, with every setting of the text named."""
    return {
        f"{half} {ends}": f"kbfastevo:{settings}ends={ends},kinds=interactive,softmax=minus"
        for ends in ENDS
        for half, settings in HALVES.items()
    }


# --- playing ----------------------------------------------------------------------------------------------------------


def schedule(repeats: int = REPEATS) -> Iterator[tuple[int, int, str, str]]:
    """Yield seed, level, game and variant of every play, in the order of play.

    The next game is the one with the fewest rounds (a level and a seed, played by all variants) for its cost: rounds
    grow with the inverse of the root of what one takes, which tells most about the mean over the games for the time.
    """
    rounds = dict.fromkeys(GAMES, 0)
    while rounds:
        game = min(rounds, key=lambda one: (rounds[one] + 0.5) * math.sqrt(COSTS[one]))
        seed, level = divmod(rounds[game], LEVELS)
        for variant in variants():
            yield seed + 1, level, game, variant
        rounds[game] += 1
        if rounds[game] == repeats * LEVELS:
            del rounds[game]


def file_of(game: str, folder: Path) -> Path:
    """Return the description of a game of the corpus.

    Raises:
        PcgError: no such file.
    """
    path = folder / "gridphysics" / f"{game}.txt"
    if not path.exists():
        raise PcgError(f"no {path}; name the folder of the corpus with --games")
    return path


def read_plays(path: Path) -> list[Play]:
    """Return the plays of a file, or of all files of a folder; a last line that was cut off is left out."""
    found = []
    for file in sorted(path.glob("plays*.jsonl")) if path.is_dir() else [path]:
        lines = file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []
        found += [Play(*json.loads(line)) for line in lines]
    return found


def go_on(store: Path, folder: Path, minutes: float | None, part: int, parts: int) -> bool:
    """Play what is missing of every so many rounds until the time is up; True when nothing is."""
    store.mkdir(parents=True, exist_ok=True)
    path = store / f"plays-{part}-of-{parts}.jsonl"
    known = read_plays(path)
    text = "".join(json.dumps(list(one)) + "\n" for one in known)
    path.write_text(text, encoding="utf-8")  # without a line that was cut off
    done = {(one.seed, one.level, one.game, one.variant) for one in read_plays(store)}
    games: dict[str, Any] = {}
    began = time.monotonic()
    with path.open("a", encoding="utf-8") as file:
        for number, (seed, level, game, variant) in enumerate(schedule()):
            if (seed, level, game, variant) in done or number // len(variants()) % parts != part:
                continue
            if minutes is not None and time.monotonic() - began > 60 * minutes:
                return False
            if game not in games:
                games[game] = load(str(file_of(game, folder)))
            before = time.process_time()
            agent = make_agent(variants()[variant], seed=seed, budget=CALLS)
            result = play(games[game], agent, level=level, seed=seed, max_ticks=TICKS)
            seconds = round(time.process_time() - before, 3)
            one = Play(variant, game, level, seed, int(result.winner == 1), result.score, result.ticks, seconds)
            file.write(json.dumps(list(one)) + "\n")
            file.flush()
    return True


# --- looking ----------------------------------------------------------------------------------------------------------


class Look(NamedTuple):
    """Counts over the decisions of one play."""

    variant: str
    game: str
    level: int
    decisions: int
    with_end: int
    rollouts: int
    ended: int
    scored: int
    curious: int
    nearer: int
    nothing: int
    entropy_early: float
    entropy_late: float


LOOKED_AT = ("both bonus", "both apart")


def look_at(variant: str, game: str, level: int, folder: Path) -> Look:
    """Play once and count: iterations by the source of their reward, decisions that saw an end, and the entropy of
    rollout policies as a share of that of the uniform one, in the first 50 decisions and in the last 50.
    """
    state = load(str(file_of(game, folder))).start(level, seed=1)
    agent: Any = make_agent(variants()[variant], seed=1, budget=CALLS)
    agent.reset(state)
    sources: Counter[str] = Counter()
    entropies: list[float] = []
    decisions = with_end = 0
    for _ in range(TICKS):
        if state.is_over:
            break
        action = agent.act(state)
        found = agent.reward_sources
        if sum(found.values()):
            decisions += 1
            with_end += found["ended"] > 0
            sources.update(found)
            shares = np.array(list(agent.rollout_probabilities(state).values()))
            if len(shares) > 1:
                kept = shares[shares > 0]
                entropies.append(float(-(kept * np.log(kept)).sum() / math.log(len(shares))))
        state.advance(action)
    early, late = np.mean(entropies[:50] or [1.0]), np.mean(entropies[-50:] or [1.0])
    return Look(
        variant, game, level, decisions, with_end, sum(sources.values()), *(sources[name] for name in SOURCES),
        round(float(early), 3), round(float(late), 3),
    )  # fmt: skip


def look(folder: Path, minutes: float | None) -> None:
    """Look at plays, level by level, until the time is up, and write docs/results/kbfastevo-rewards.csv."""
    began = time.monotonic()
    with (RECORDS / "kbfastevo-rewards.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Look._fields)
        for level, game, variant in itertools.product(range(LEVELS), GAMES, LOOKED_AT):
            if minutes is not None and time.monotonic() - began > 60 * minutes:
                return
            writer.writerow(look_at(variant, game, level, folder))
            file.flush()


# --- report -----------------------------------------------------------------------------------------------------------

Results = dict[str, dict[tuple[str, int, int], tuple[int, float]]]
"""For each variant: won or not and score, by game, level and seed."""


def write_records(plays: Sequence[Play], path: Path) -> None:
    """Write a row for each level and seed that all variants have played."""
    found: dict[tuple[str, int, int], dict[str, Play]] = defaultdict(dict)
    for one in plays:
        found[one.game, one.level, one.seed][one.variant] = one
    names = list(variants())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["game", "level", "seed", *(f"{name} {what}" for name in names for what in ("won", "score"))])
        for key in sorted(found):
            if len(found[key]) == len(names):
                cells = [(found[key][name].won, f"{found[key][name].score:g}") for name in names]
                writer.writerow([*key, *itertools.chain.from_iterable(cells)])


def read_records(path: Path) -> Results:
    """Read what `write_records` wrote."""
    found: Results = {name: {} for name in variants()}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["game"], int(row["level"]), int(row["seed"])
            for name, plays in found.items():
                plays[key] = int(row[f"{name} won"]), float(row[f"{name} score"])
    return found


def by_game(values: dict[tuple[str, int, int], float]) -> dict[str, list[float]]:
    """Group the values of plays by game."""
    found: dict[str, list[float]] = defaultdict(list)
    for (game, _, _), value in values.items():
        found[game].append(value)
    return dict(found)


def bootstrap(values: dict[str, list[float]], draws: int = 4000) -> tuple[float, float, float]:
    """Mean of the games' means with a 95 % interval; games are drawn, and then plays of each game."""
    random = np.random.default_rng(1)
    games = [np.array(plays) for plays in values.values()]
    means = np.zeros(draws)
    for _ in games:
        chosen = random.integers(len(games), size=draws)
        for number, plays in enumerate(games):
            times = int(np.count_nonzero(chosen == number))
            means[chosen == number] += plays[random.integers(len(plays), size=(times, len(plays)))].mean(axis=1)
    means /= len(games)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(np.mean([g.mean() for g in games])), float(low), float(high)


def sign_flips(differences: Sequence[float]) -> float:
    """Two-sided p of the mean of the games' differences when the sign of each was chance: all 2^n assignments."""
    values = np.array(differences)
    signs = np.array(list(itertools.product((1, -1), repeat=len(values))))
    return float(np.mean(np.abs(signs @ values) >= abs(values.sum()) - 1e-12))


def contrasts(results: Results) -> dict[str, dict[tuple[str, int, int], float]]:
    """Return differences of wins per play: each variant and vanilla, and the effect of each of the three factors."""
    keys = list(results["vanilla bonus"])

    def won(name: str, key: tuple[str, int, int]) -> int:
        return results[name][key][0]

    def effect(on: Callable[[str], bool], among: Callable[[str], bool] = bool) -> dict[tuple[str, int, int], float]:
        plus, minus = [n for n in results if among(n) and on(n)], [n for n in results if among(n) and not on(n)]
        return {k: float(np.mean([won(n, k) for n in plus]) - np.mean([won(n, k) for n in minus])) for k in keys}

    return {
        "knowledge, with or without evolution, either kind of ends": effect(
            lambda n: n.split()[0] in ("knowledge", "both")
        ),
        "evolution, with or without knowledge, either kind of ends": effect(
            lambda n: n.split()[0] in ("evolution", "both")
        ),
        "ends apart, all halves": effect(lambda n: n.endswith("apart")),
        "ends apart, with knowledge": effect(
            lambda n: n.endswith("apart"), lambda n: n.startswith(("knowledge", "both"))
        ),
        "knowledge, ends apart": effect(lambda n: n.startswith(("knowledge", "both")), lambda n: n.endswith("apart")),
        **{
            f"{name} - vanilla bonus": {k: float(won(name, k) - won("vanilla bonus", k)) for k in keys}
            for name in results
            if name != "vanilla bonus"
        },
    }


def report(records: Path) -> str:
    """Return the tables of the page as Markdown."""
    results = read_records(records)
    games = by_game({k: float(v[0]) for k, v in results["vanilla bonus"].items()})
    lines = [
        "| variant | won | 95 % (Wilson) | mean of the games' rates | 95 % (bootstrap over games) |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, plays in results.items():
        wins = [v[0] for v in plays.values()]
        low, high = wilson(sum(wins), len(wins))
        mean, least, most = bootstrap(by_game({k: float(v[0]) for k, v in plays.items()}))
        lines.append(
            f"| {name} | {sum(wins)} of {len(wins)} | {100 * low:.0f} to {100 * high:.0f} % | {100 * mean:.1f} % | "
            f"{100 * least:.0f} to {100 * most:.0f} % |"
        )
    lines += [
        "",
        "| difference of wins, in points | mean over games | 95 % (bootstrap) | p (signs of the games) | "
        "games better, worse | plays better, worse | p (plays, exact) |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, values in contrasts(results).items():
        grouped = by_game(values)
        mean, least, most = bootstrap(grouped)
        means = [float(np.mean(v)) for v in grouped.values()]
        better, worse = sum(v > 0 for v in values.values()), sum(v < 0 for v in values.values())
        exact = f"{binomtest(better, better + worse).pvalue:.3g}" if better + worse else ""
        lines.append(
            f"| {name} | {100 * mean:+.1f} | {100 * least:+.1f} to {100 * most:+.1f} | {sign_flips(means):.3f} | "
            f"{sum(m > 0 for m in means)}, {sum(m < 0 for m in means)} | {better}, {worse} | {exact} |"
        )
    for title, place in (("Plays won", 0), ("Mean score", 1)):
        lines += ["", f"| {title.lower()} | plays | {' | '.join(results)} |", f"|---|---:|{'---:|' * len(results)}"]
        for game, plays in games.items():
            cells = []
            for found in results.values():
                values = [v[place] for k, v in found.items() if k[0] == game]
                cells.append(str(sum(values)) if place == 0 else f"{np.mean(values):.1f}")
            lines.append(f"| {game} | {len(plays)} | {' | '.join(cells)} |")
    lines += ["", "| score against vanilla bonus | better | worse | p (plays, exact) |", "|---|---:|---:|---:|"]
    for name, found in results.items():
        if name != "vanilla bonus":
            pairs = [(v[1], results["vanilla bonus"][k][1]) for k, v in found.items()]
            better, worse = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
            lines.append(f"| {name} | {better} | {worse} | {binomtest(better, max(1, better + worse)).pvalue:.3g} |")
    return "\n".join(lines)


def looks(path: Path) -> str:
    """Return what `look` found as a table: shares of the decisions and rollouts of each game, in percent."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["variant"] == "both apart":
                found[row["game"]].append(row)
    lines = [
        f"| game | decisions that see an end | {' | '.join(SOURCES)} | entropy, first 50 decisions | last 50 |",
        f"|---|---:|{'---:|' * (len(SOURCES) + 2)}",
    ]
    for game, rows in sorted(found.items()):

        def total(field: str, rows: list[dict[str, str]] = rows) -> float:
            return sum(float(row[field]) for row in rows)

        shares = [100 * total("with_end") / total("decisions")]
        shares += [100 * total(source) / total("rollouts") for source in SOURCES]
        cells = [f"{share:.0f}" for share in shares]
        cells += [f"{total(field) / len(rows):.2f}" for field in ("entropy_early", "entropy_late")]
        lines.append(f"| {game} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("play", "look", "report"))
    parser.add_argument("--minutes", type=float, help="begin no further play after this time")
    parser.add_argument("--part", type=int, default=0, help="`play`: which of the parts of the rounds")
    parser.add_argument("--parts", type=int, default=1, help="`play`: programs that share the rounds")
    parser.add_argument("--games", type=Path, default=FOLDER, help="folder of the corpus")
    parser.add_argument("--store", type=Path, default=STORE, help="folder of the plays")
    given = parser.parse_args()
    try:
        if given.what == "play":
            done = go_on(given.store, given.games, given.minutes, given.part, given.parts)
            print("everything is played" if done else "the time is up; the same command goes on")
        elif given.what == "look":
            look(given.games, given.minutes)
        else:
            records = RECORDS / "kbfastevo.csv"
            plays = read_plays(given.store)
            if plays:
                write_records(plays, records)
            print(report(records))
            if (RECORDS / "kbfastevo-rewards.csv").exists():
                print("\n" + looks(RECORDS / "kbfastevo-rewards.csv"))
    except PcgError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
