"""The numbers of rule evolution: what is found in a given time, what is found again, and how fast candidates pass.

    python benchmarks/rule_evolution.py evolve --corpus DIR [--seconds N] [--only GAME ...]
    python benchmarks/rule_evolution.py rediscover --corpus DIR [--seconds N] [--only GAME ...]
    python benchmarks/rule_evolution.py throughput [--seconds N]
    python benchmarks/rule_evolution.py report

Every search is a row of `docs/results/rules/MODE.csv`, written as soon as it is measured; what is there already for
the same game, generator, seconds and seed is not measured again (`--again` does), so a long series can be done bit by
bit. `report` writes `docs/results/rules.md` from the rows. DIR is a folder of games in the format of the GVGAI corpus.

`evolve`
    Searches for rules of ten games, from their sprites and levels alone, by `evolve` and, as the baseline, by `random`.
    A search has succeeded when its first game, played again with seeds that neither the search nor the choice of its
    first game has seen, has the performances of all five agents in strict order and the 90 % intervals of the weakest
    and the strongest agent apart.
`rediscover`
    30 % of the rules of a known game are taken out. A search has succeeded when its first game, played again, is won
    by somebody and has all five agents in strict order. The game as it was and what was left of it are played so too.
`throughput`
    Different candidates per minute through the full filter while rules evolve, and compiled and checked per minute.

Memory over many candidates is measured by `run_scale.py`, for all kinds of runs; `report` shows that of rules.

Wall times depend on what else the machine does: its load and the processor time are in every row.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from pcg.engine.game import load
from pcg.engine.kernel.runtime import compile_all
from pcg.engine.vgdl.formatter import dumps
from pcg.engine.vgdl.parser import parse
from pcg.evaluators.games import GameEvaluation, GameEvaluator
from pcg.generators.rules import RuleSet, RuleSpace, make_rule_generator
from pcg.generators.rules.genes import edits, replace_rules
from pcg.generators.rules.operators import mutate
from pcg.runs.experiments.rules import initial_rules, run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.game_text import GameText
from pcg.runs.search import SearchRun

OURS: Mapping[str, str] = {
    "boxes": "a puzzle with boxes to push; nothing moves by itself",
    "crossing": "lanes of traffic to cross",
    "dungeon": "an adventure: a key, a door, a sword and enemies",
    "hunt": "chasing what flees",
    "invaders": "a shooter with bombs from above",
}
CORPUS: Mapping[str, str] = {
    "boulderdash": "digging and gems, things that fall, enemies",
    "butterflies": "catching what multiplies, against the clock",
    "missilecommand": "defence: shots against missiles that seek cities",
    "sokoban": "the classic puzzle with boxes",
    "zelda": "the classic adventure",
}
"""Chosen for being of different kinds, before anything was measured."""
LEVELS = "0-2"
"""The first levels, of games that have so many."""
PLAYS = 20
"""Plays of each agent in the last verdict."""
FRESH = 7_000_003
"""Seed of these plays: neither that of a search nor that of its own last plays."""
FOLDER = Path(__file__).parent.parent / "docs" / "results" / "rules"
PAGE = FOLDER.parent / "rules.md"
GAME_COLUMNS = (
    "game", "generator", "search", "seed", "asked_s", "clock", "workers",
    "wall_s", "cpu_s", "load", "evaluations", "feasible",
    "genes", "edits", "ordered", "separated", "won", "success", "performances",
    "lowest_of_strongest", "highest_of_weakest", "reason",
)  # fmt: skip
KEYS = ("game", "generator", "search", "asked_s", "clock", "seed")
SEARCH = "resampled"
"""Version of the search in new rows: a generation has seeds of its own, good games are evaluated again, and the first
is settled by fresh plays. Rows that say "before" are of the search as it was until then: it bred games for the luck of
one seed, and is no measure of the present one.
"""
THROUGHPUT_COLUMNS = (
    "what", "game", "workers", "wall_s", "cpu_s", "load", "candidates", "per_minute", "per_cpu_minute", "kernels",
)  # fmt: skip
MEMORY = FOLDER.parent / "memory.csv"
MEMORY_COLUMNS = ("game", "made", "evaluations", "feasible", "resident_mib", "largest_mib", "cpu_s")


JUDGED_COLUMNS = (
    "game", "candidates", "feasible", "kept", "at nobody wins", "best", "people's", "at least people's",
    "random wins", "astray", "rules that matter", "goals",
)  # fmt: skip
JUDGED = """\
From the sprites of games of the corpus, 150 candidates each (not five minutes: the machine was shared by a dozen
processes, and a number of candidates does not depend on that), levels 0 to 2, seed 1, with `pcg rules GAME --reading
gvgai --seed 1 --budget 150evaluations --level 0-2 -n 5 --set run.confirm=4 --set run.finalists=8`; rows by
`benchmarks/judged_games.py`. *Kept* are games that the judge of games calls feasible, *best* is its value of the best
of them and *people's* that of the game that people made with these sprites, on the same levels with the same effort.
*At nobody wins*: share of the time of evaluations that ended there (up to 98 % before). *Random wins*: the largest
share among kept games. *Astray*: the largest share of movers outside the map or in walls in 200 ticks without an
action (19 of 19 in dungeon and zelda before). *Rules that matter*: median share of rules, terminations and resources
whose removal changes a play (22 % of rules before). The prior was counted in all games of the corpus, these among
them: counts of rules by kinds of sprites, which say nothing of any single game. The judge's own conventions and
weights are from the half of the games that is not held out."""
BY_HAND = (
    "Ten sprite sets that nobody picked",
    "The shelf, and levels with the rules",
    "The second shelving, with plans of whole games",
    "Plans of whole games, before and after",
    "What a run costs",
    "The toolkit's own games under the judge for search",
)
"""Sections of the page that people write."""
LOOKED_AT = """\
What fell short, and what the eye says of the best games:

- Asked for are a feasible game for ten of ten sets in five minutes, and for five of ten one that is judged at least as
  high as that of people. What was measured are 150 candidates, in which evolution has three generations or so: sets
  with rows without a game have none at all: of what was tried nobody wins two levels, or waiting wins (`aliens`), or
  chance wins too often, or a win comes at once (`missilecommand`, `sokoban`).
- `butterflies`: gather the cocoons while butterflies, which kill, eat them as well. One would show it; but the first
  two games that are kept are nearly the same, for they are told apart before they are simplified.
- `boulderdash`: kill the crabs with a sword, keep out of the way of boulders, leave by the door. One would show it;
  boulders that come out at the other side of walls are an oddity, and diamonds are only points.
- `zelda`: get the key with a blow of the sword, hunt the bats, reach the door; two of three kinds of monsters die at a
  blow, and a spider does not. One would show it after one more look at the levels, which were made for other rules.
- `frogs`: catch the slow trucks that come from one side, and keep clear of those from the other, and of logs: a game,
  with sprites that mean something else. Nothing of the judge sees that.
- `chase`: prey that turns to wall where it is caught, without any danger: neat and slight.
- Goals are of few families (reach, hunt, collect, race): repair prefers what can be done by touching. Levels are
  those of the old game, which is why so many wins are too short in `zelda`. Both has changed since (above)."""


# -- rows --------------------------------------------------------------------------------------------------------------


class Rows:
    """A table that is kept in a file, one row per key."""

    def __init__(self, mode: str, columns: Sequence[str], keys: Sequence[str]) -> None:
        self.path = FOLDER / f"{mode}.csv"
        self.columns, self.keys = tuple(columns), tuple(keys)
        self.rows: dict[tuple[str, ...], dict[str, str]] = {}
        self.read()

    def read(self) -> None:
        """Take what is in the file, which others may have written to."""
        if self.path.exists():
            with self.path.open(newline="") as file:
                for row in csv.DictReader(file):
                    if "search" in self.columns:
                        row.setdefault("clock", "wall")
                        row.setdefault("search", "before")
                    self.rows[self.key(row)] = row

    def key(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """Columns that tell rows apart."""
        return tuple(str(row[name]) for name in self.keys)

    def put(self, row: Mapping[str, Any]) -> None:
        """Add or replace a row, in the file too."""
        self.read()
        self.rows[self.key(row)] = {name: str(row.get(name, "")) for name in self.columns}
        FOLDER.mkdir(parents=True, exist_ok=True)
        with self.path.open("w", newline="") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows[key] for key in sorted(self.rows))
        print("  ".join(f"{name}={row[name]}" for name in self.columns if name in row and row[name] != ""), flush=True)


def load_now() -> str:
    """The load of the machine over the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


# -- searches ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """A game to search rules for."""

    name: str
    path: str
    levels: str

    @classmethod
    def of(cls, name: str, corpus: Path | None) -> Subject:
        """A game of ours, or of a folder."""
        path = name if name in OURS else str((corpus or Path()) / f"{name}.txt")
        return cls(name, path, f"0-{min(2, len(load(path).levels) - 1)}")


def subjects(options: argparse.Namespace) -> Iterable[Subject]:
    """The games that are asked for."""
    names = options.only or [*OURS, *(CORPUS if options.corpus else ())]
    for name in names:
        yield Subject.of(name, options.corpus)


def key_of(subject: Subject, generator: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the key of a search's row."""
    kind = f"{SEARCH}, litters of {options.litter}" if generator == "evolve" and options.litter > 1 else SEARCH
    return {
        "game": subject.name, "generator": generator, "search": kind, "seed": options.seed,
        "asked_s": f"{options.seconds:g}", "clock": options.clock,
    }  # fmt: skip


def verdict_columns(verdict: GameEvaluation) -> dict[str, Any]:
    """Return the row of a game that was played again."""
    profile = verdict.profile
    return {
        "ordered": int(verdict.ordered and len(profile) == 5),
        "separated": int(verdict.separated and len(profile) == 5),
        "won": int(any(agent.wins for agent in profile)),
        "performances": " ".join(f"{agent.performance:.4f}" for agent in profile),
        "lowest_of_strongest": f"{profile[-1].low:.3f}" if profile else "",
        "highest_of_weakest": f"{profile[0].high:.3f}" if profile else "",
        "reason": verdict.reason,
    }


def play_again(path: Path | str, levels: str = "") -> GameEvaluation:
    """The verdict of plays with fresh seeds, on all levels or those named."""
    game = load(path)
    first, _, last = levels.partition("-")
    chosen = game.levels[int(first) : int(last) + 1] if levels else game.levels
    return GameEvaluator(chosen).confirm(game, PLAYS, FRESH)


@contextlib.contextmanager
def clocked(clock: str) -> Iterator[None]:
    """Have the time limits of runs count processor time of this process, on a machine that others use as well."""
    if clock == "wall":
        yield
        return
    held, begun = (SearchRun.elapsed, SearchRun._time_left), time.process_time()
    SearchRun.elapsed = lambda run: time.process_time() - begun  # type: ignore[method-assign]
    SearchRun._time_left = lambda run: None  # type: ignore[method-assign] # results are waited for by the wall clock
    try:
        yield
    finally:
        SearchRun.elapsed, SearchRun._time_left = held  # type: ignore[method-assign]


def search(subject: Subject, generator: str, options: argparse.Namespace, **more: Any) -> dict[str, Any]:
    """One search, and its first game played again."""
    config = RulesRun(
        subject.path, generator=generator, levels=subject.levels, seconds=options.seconds, seed=options.seed,
        count=10 if generator == "evolve" else 1000,  # a run of `random` ends when it has as many as are wanted
        finalists=40, distance=0.3,
        **more,
    )  # fmt: skip
    load_before = load_now()
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        with clocked(options.clock):
            result = run_rules(config, Path(folder) / "run", workers=options.workers)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        last = play_again(Path(folder) / "run" / "games" / "game0.txt") if result.games else None
    row = {
        **key_of(subject, generator, options), "workers": options.workers,
        "wall_s": f"{wall:.0f}", "cpu_s": f"{cpu:.0f}",
        "load": f"{load_before}-{load_now()}", "evaluations": result.evaluations, "feasible": result.feasible,
        "ordered": 0, "separated": 0, "won": 0, "success": 0, "reason": "no game that keeps all constraints was found",
    }  # fmt: skip
    if last is not None:
        row.update(verdict_columns(last))
        found = result.games[0].candidate.genotype
        row["genes"], row["edits"] = len(found), edits(RuleSet.of(load(subject.path).definition.source), found)
    elif result.summary["reasons"]:
        common = Counter(result.summary["reasons"]).most_common(2)
        row["reason"] += " (most often: " + "; ".join(f"{why}, {n} times" for why, n in common) + ")"
    return row


def evolve(options: argparse.Namespace) -> None:
    """Rules from sprites and levels alone."""
    rows = Rows("evolve", GAME_COLUMNS, KEYS)
    for subject in subjects(options):
        for generator in options.generators:
            if options.again or rows.key(key_of(subject, generator, options)) not in rows.rows:
                row = search(subject, generator, options)
                row["success"] = row["ordered"] * row["separated"]
                rows.put(row)


def rediscover(options: argparse.Namespace) -> None:
    """Rules that are missing from a known game."""
    rows = Rows("rediscover", GAME_COLUMNS, KEYS)
    more: dict[str, Any] = {"start": "own", "drop": 0.3}
    for subject in subjects(options):
        text = GameText.of(load(subject.path))
        config = RulesRun(subject.path, seconds=1.0, seed=options.seed, **more)
        known = {"as it was": RuleSet.of(text.source), "30 % gone": initial_rules(config, text)[0]}
        for name, genotype in known.items():
            row: dict[str, Any] = {**key_of(subject, name, options), "search": "", "asked_s": 0, "clock": ""}
            if options.again or rows.key(row) not in rows.rows:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "game.txt"
                    path.write_text(dumps(replace_rules(parse(text.source), genotype)))
                    for k, level in enumerate(text.levels):
                        (Path(folder) / f"game_lvl{k}.txt").write_text(level)
                    row.update(verdict_columns(play_again(path, subject.levels)))
                rows.put(
                    {
                        **row,
                        "genes": len(genotype),
                        "edits": edits(RuleSet.of(text.source), genotype),
                        "success": int(row["ordered"]) * int(row["won"]),
                    }
                )
        if options.again or rows.key(key_of(subject, "evolve", options)) not in rows.rows:
            row = search(subject, "evolve", options, **more)
            row["success"] = row["ordered"] * row["won"]
            rows.put(row)


# -- speed -------------------------------------------------------------------------------------------------------------


def throughput(options: argparse.Namespace) -> None:
    """Candidates per minute, of a search that evaluates nothing again."""
    rows = Rows("throughput", THROUGHPUT_COLUMNS, ("what", "game", "workers"))
    for name in options.only or ["boxes", "dungeon", "invaders"]:
        space = RuleSpace.of(load(name).definition.source, load(name).levels[:1])
        base = make_rule_generator("constructive", space, seed=1).ask(1)[0].genotype
        rng = np.random.default_rng(1)
        known: dict[RuleSet, None] = {}
        while len(known) < 5000:
            base = mutate(space, base, rng, changes=2)
            known[base] = None
        space.compile(next(iter(known)))
        wall, cpu = time.perf_counter(), time.process_time()
        for genotype in known:
            space.compile(genotype)
        rows.put(_speed("compile and check", name, 1, len(known), wall, cpu, 0))
        # what is evaluated again is no different candidate
        config = RulesRun(
            name, levels="0", seconds=options.seconds, seed=options.seed, confirm=0,
            generator_parameters={"again": 0.0},
            evaluation_parameters={"ladder": options.ladder} if options.ladder else {},
        )  # fmt: skip
        what = f"full filter: {options.ladder}" if options.ladder else "full filter"
        with tempfile.TemporaryDirectory() as folder, event.install_recorder("numba:compile") as compiled:
            wall, cpu = time.perf_counter(), time.process_time()
            result = run_rules(config, Path(folder) / "run", workers=options.workers)
            different = result.evaluations - result.summary["repeated"]
            row = _speed(what, name, options.workers, different, wall, cpu, len(compiled.buffer))
        rows.put(row)
        assert not compiled.buffer, "kernels were compiled while rules evolved"


def _speed(what: str, game: str, workers: int, n: int, wall: float, cpu: float, kernels: int) -> dict[str, Any]:
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {
        "what": what, "game": game, "workers": workers, "wall_s": f"{wall:.1f}", "cpu_s": f"{cpu:.1f}",
        "load": load_now(), "candidates": n, "per_minute": f"{60 * n / wall:.0f}",
        "per_cpu_minute": f"{60 * n / cpu:.0f}", "kernels": kernels,
    }  # fmt: skip


# -- the report --------------------------------------------------------------------------------------------------------


def report(options: argparse.Namespace) -> None:
    """Write `docs/results/rules.md` from what was measured."""
    del options
    found = Rows("evolve", GAME_COLUMNS, KEYS).rows.values()
    again = Rows("rediscover", GAME_COLUMNS, KEYS).rows.values()
    parts = [
        "# Evolving rules: what was measured",
        "Made by `benchmarks/rule_evolution.py report` from the tables in `docs/results/rules/`; the same program "
        "measures. Wall times were taken on a machine of two hardware threads that did other work as well (its load "
        "is given), so processor time is the better measure of what a search had. *S asked* is the time of the search "
        "alone, by the clock named; *s in all* and the processor time have the last plays of its finalists as well. "
        "A minute of two processors is 120 s of processor time. Nothing here is extrapolated: what stands in no row "
        "was not measured.",
        *(_by_hand(heading) for heading in BY_HAND),
        "## Games as the judge saw them on the levels of the sprites",
        JUDGED,
        _table(_read(FOLDER / "judged.csv"), JUDGED_COLUMNS),
        LOOKED_AT,
        "## From sprites and levels alone",
        "Of the search as it was before rules had a prior, sense and proofs.",
        "Ten games of different kinds: "
        + "; ".join(f"`{name}`, {why}" for name, why in {**OURS, **CORPUS}.items())
        + f". Their first three levels are played. After a search its best games are played {PLAYS} times by every "
        "agent, by successive halving, and the first of them once more with other seeds: this is what the table "
        "shows. *Ordered*: the means of all five agents are strictly in order. *Apart*: the 90 % intervals of the "
        "weakest and the strongest do not overlap. Asked for are both, in at least 8 of 10 games, in five minutes on "
        "two cores.",
        _counts(found, ("evolve", "random")),
        _games(found),
        "## What was taken out of known games",
        "30 % of the rules of a game are taken out and the search begins with the rest. Asked for is a game that is "
        "won by somebody and has all agents strictly in order, in 8 of 10 games, in three minutes. The same is said "
        "of the game as it was and of what was left of it: where that is in order already there was nothing to "
        "restore. Within 200 ticks most known games do not have these agents in order themselves. *Edits* are the "
        "lines by which the rules differ from the game's own: what is found works, but is not what was there.",
        _counts(again, ("as it was", "30 % gone", "evolve")),
        _games(again),
        "## Speed",
        "*Full filter*: different candidates of a run of `evolve` on the first level, compiled, checked and judged by "
        "all five agents, or by those that are named, three plays of up to 200 ticks each, racing on, and nothing "
        "evaluated again. Asked for are 1,500 per minute on two cores with four agents, 100,000 per minute compiled "
        "and checked, and not one kernel compiled meanwhile.",
        _table(Rows("throughput", THROUGHPUT_COLUMNS, ("what", "game", "workers")).rows.values(), THROUGHPUT_COLUMNS),
        "## Memory",
        "Of one run of `evolve` in one process (`python benchmarks/run_scale.py rules`), now and at most so far. "
        "Evaluations are *made up* in no time, so that the search and the run are what is measured, or *played* with "
        "three agents and a few ticks; what a run keeps does not depend on how long plays are. What grows with the "
        "number of candidates are 12 bytes for the key of each, one for its place in the log, and 16 for the rank of a "
        "feasible one (since then twice, in all and among its family of goals); candidates themselves are read from "
        "the log. Before, these were some 90 bytes of each. "
        "The longest run here was ended after 600,000 for want of time (December 2, two cores of a virtual machine "
        "with other jobs, `--evaluations 1000000`); from 100,000 on it grew by 11.8 MiB, 25 bytes an evaluation. Of "
        "levels, which are kept in the same way, 10^6 were [measured](smaller.md#evaluations-of-levels), and reports "
        "of both.",
        _table([row for row in _read(MEMORY) if row["kind"] == "rules"], MEMORY_COLUMNS),
    ]  # fmt: skip
    PAGE.write_text("\n\n".join(parts) + "\n")


def _by_hand(heading: str) -> str:
    """Return a section of the page as it stands."""
    _, _, rest = PAGE.read_text().partition(f"## {heading}\n")
    return f"## {heading}\n{rest.partition(chr(10) + '## ')[0]}".rstrip()


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _asked(row: Mapping[str, str]) -> tuple[str, str, float, int]:
    return row["search"], row["clock"], float(row["asked_s"]), int(row["seed"])


def _counts(rows: Iterable[Mapping[str, str]], generators: Sequence[str]) -> str:
    lines = []
    for generator in generators:
        own = [row for row in rows if row["generator"] == generator]
        for search, clock, seconds, seed in sorted({_asked(row) for row in own}, reverse=True):
            these = [row for row in own if _asked(row) == (search, clock, seconds, seed)]
            what = f"`{generator}`" if generator in ("evolve", "random") else generator
            of = " of processor time" if clock == "processor" else ""
            old = ", before resampling" if search == "before" else search.removeprefix(SEARCH)
            spent = f", {seconds:g} s{of} each, seed {seed}{old}" if these[0]["wall_s"] else ""
            held = sum(int(row["ordered"]) for row in these)
            lines.append(
                f"- {what}{spent}: **{sum(int(row['success']) for row in these)} of {len(these)}** "
                f"(ordered {held}, apart {sum(int(row['separated']) for row in these)}, "
                f"won by somebody {sum(int(row['won']) for row in these)})"
            )
    return "\n".join(lines)


def _games(rows: Iterable[Mapping[str, str]]) -> str:
    names = {
        "game": "game", "generator": "rules by", "search": "search",
        "asked_s": "s asked", "clock": "clock", "wall_s": "s in all",
        "cpu_s": "CPU s", "load": "load", "evaluations": "candidates", "feasible": "feasible", "genes": "lines",
        "edits": "edits",
        "ordered": "ordered", "separated": "apart", "won": "won", "performances": "performances, weakest agent first",
    }  # fmt: skip
    marks = {"1": "yes", "0": "no"}
    shown = [
        {**row, **{name: marks.get(row[name], row[name]) for name in ("ordered", "separated", "won")}} for row in rows
    ]
    return _table(shown, tuple(names), tuple(names.values()))


def _table(rows: Iterable[Mapping[str, str]], columns: Sequence[str], titles: Sequence[str] = ()) -> str:
    head = "| " + " | ".join(titles or [c.replace("_", " ") for c in columns]) + " |\n|" + "---|" * len(columns)
    return "\n".join([head, *("| " + " | ".join(row[name] for name in columns) + " |" for row in rows)])


def main() -> None:
    """Measure, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes: dict[str, Callable[[argparse.Namespace], None]] = {
        "evolve": evolve, "rediscover": rediscover, "throughput": throughput, "report": report,
    }  # fmt: skip
    parser.add_argument("mode", choices=list(modes))
    parser.add_argument("--corpus", type=Path, help="folder of the corpus' games")
    parser.add_argument("--only", nargs="+", metavar="GAME", help="only these games")
    parser.add_argument("--generators", nargs="+", default=["evolve", "random"])
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall", help="what --seconds are counted by")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--ladder", default="", help="agents of `throughput`, weakest first; by default all five")
    parser.add_argument("--again", action="store_true", help="measure what was measured already, too")
    options = parser.parse_args()
    compile_all()
    modes[options.mode](options)


if __name__ == "__main__":
    sys.exit(main())
