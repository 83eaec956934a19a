"""Costs of a long run: memory, time per candidate, time per checkpoint, time to resume.

    python benchmarks/run_scale.py [levels|rules] [--evaluations N] [--played] [--report] [--generator NAME] ...
    python benchmarks/run_scale.py --of FOLDER [--make report|table|pages]

Evaluations are made up in no time (from a hash of what is evaluated, a third of them feasible), so all that is measured
is the run itself: asking, logging, keeping the best, telling, checkpoints. With `--played` evaluations are real, with
agents and plays that cost little; what a run keeps does not depend on how long plays are. A row of each order of
magnitude shows what grows. Rows of a run of 1,000 evaluations or more are put into `docs/results/memory.csv`. With
`--report` the report is written at the end, by a process of its own; `--of FOLDER` writes that of a run that is there,
or its table as Parquet, or asks for what pages of the studio show of it.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import CONSTRAINTS
from pcg.evaluators.games import CONSTRAINTS as GAME_CONSTRAINTS
from pcg.evaluators.games import GameEvaluation
from pcg.evaluators.metrics import METRICS
from pcg.evaluators.parameters import Setting
from pcg.runs import LevelRun, resume, run_levels
from pcg.runs.experiments.rules import run_rules
from pcg.runs.experiments.rules_config import RulesRun
from pcg.runs.search import SearchRun

TABLE = Path(__file__).parent.parent / "docs" / "results" / "memory.csv"
MARKS = (1000, 3000, 10_000, 30_000, 100_000, 300_000, 600_000, 1_000_000)
"""Numbers of evaluations after which memory is looked at."""
COLUMNS = (
    "kind", "game", "generator", "made", "evaluations", "feasible", "resident_mib", "largest_mib", "checkpoint_ms",
    "cpu_s",
)  # fmt: skip
NAMES = [name for name in METRICS if name not in ("width", "height")]
"""Metrics of made-up evaluations: all, as a report draws some."""
CHEAP: Mapping[str, Mapping[str, Setting]] = {
    "levels": {
        "nodes": 300, "budget": 25, "planner_budget": 25, "search": 0, "weak_plays": 1, "max_length": 60,
        "survival": 0, "min_length": 1,
    },
    "rules": {
        "ladder": "nothing random onestep", "plays": 1, "max_plays": 1, "explorations": 0, "max_ticks": 20,
        "min_ticks": 0, "proof": 0, "waiting": 20, "random_plays": 1, "random_ticks": 20, "min_win": 0,
        "resistance": 0, "min_rules": 0.0,
    },
}  # fmt: skip
"""Settings of evaluations that are played."""


def made_up(level: str) -> Evaluation:
    """An evaluation of a level, of the usual size, that depends on the text alone."""
    draws = blake2b(level.encode(), digest_size=32).digest()
    measured = blake2b(level.encode(), digest_size=64, person=b"metrics").digest()
    feasible = draws[0] < 85
    constraint = 1.0 if feasible else draws[1] / 256
    return Evaluation(
        feasible,
        int.from_bytes(draws[2:6]) / 2**32 if feasible else 0.0,
        constraint,
        dict.fromkeys(CONSTRAINTS, constraint),
        {name: value / 256 for name, value in zip(NAMES, measured, strict=False)},
        "complete" if feasible else "static",
        "solver" if feasible else "",
        1,
        "".join("UDLR"[b % 4] for b in draws) * 3 if feasible else "",
    )


def made_up_game(genotype: Any, sample: int) -> GameEvaluation:
    """An evaluation of rules that depends on them and on the number of the sample alone."""
    seen = made_up(f"{genotype}{sample}")
    held = dict.fromkeys(GAME_CONSTRAINTS, seen.constraint)
    reason = "" if seen.feasible else f"made up, {sample}"
    return GameEvaluation(seen.feasible, seen.fitness, seen.constraint, held, reason, seen.stage, (), seen.metrics)


class MadeUp(Executor):
    """Hands out made-up evaluations at once."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Answer a call of `evaluate_level` or `evaluate_rules`."""
        del named
        future: Future[Any] = Future()
        if function.__name__ == "evaluate_level":
            future.set_result((made_up(arguments[3]), 0.0))
        else:
            future.set_result((made_up_game(arguments[1], arguments[5]), 0.0))
        return future


def memory() -> tuple[float, float]:
    """Memory of this process now, and at most so far, MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return pages * resource.getpagesize() / 2**20, largest / 1024


def config_of(options: argparse.Namespace) -> LevelRun | RulesRun:
    """Return the configuration of the run that is asked for."""
    settings = CHEAP[options.kind] if options.played else {}
    if options.kind == "levels":
        return LevelRun(
            options.game, generator=options.generator, evaluations=options.evaluations, seed=options.seed,
            checkpoint=5000, evaluation_parameters=settings,
        )  # fmt: skip
    return RulesRun(
        options.game, generator=options.generator, levels="0", evaluations=options.evaluations, seed=options.seed,
        confirm=0, make_levels=0, checkpoint=5000, evaluation_parameters=settings,
    )  # fmt: skip


def report_on(folder: Path) -> None:
    """Write the report of a run and print what it takes in this process."""
    from pcg.report.writer import write_report  # what it brings along is no part of a run

    started = time.process_time()
    page = write_report(folder)
    seconds, (now, largest) = time.process_time() - started, memory()
    size = page.stat().st_size / 2**20
    print(f"report of {size:.1f} MiB in {seconds:.1f} s of CPU; {now:.1f} MiB, at most {largest:.1f}", flush=True)


def table_of(folder: Path) -> None:
    """Write the table of a run as Parquet and print what it takes in this process."""
    from pcg.files import write_table

    started, path = time.process_time(), folder / "run.parquet"
    rows = write_table(folder, path)
    seconds, (now, largest) = time.process_time() - started, memory()
    size = path.stat().st_size / 2**20
    path.unlink()
    print(f"{rows} rows of {size:.0f} MiB in {seconds:.1f} s of CPU; {now:.1f} MiB, at most {largest:.1f}", flush=True)


def pages_of(folder: Path) -> None:
    """Ask for what pages show of a run, each twice, and print what it takes in this process."""
    from pcg.runs.store import LEVELS, kind_of
    from pcg.studio.following import Follower
    from pcg.web.archive import ArchiveSite

    asked: dict[str, Callable[[], Any]] = {"following": Follower(folder).state}
    if kind_of(folder) == LEVELS:
        site = ArchiveSite(folder)
        asked["archive"] = lambda: site._archive("tried", "", "")
    for name, ask in asked.items():
        for _ in range(2):
            started = time.process_time()
            ask()
            seconds, (now, largest) = time.process_time() - started, memory()
            print(f"{name} in {seconds:.2f} s of CPU; {now:.1f} MiB, at most {largest:.1f}", flush=True)


MAKE: Mapping[str, Callable[[Path], None]] = {"report": report_on, "table": table_of, "pages": pages_of}
"""Things that can be made of a run that is there."""


def write(row: Mapping[str, str]) -> None:
    """Put a row into the table, in place of an earlier one of the same run."""
    rows: dict[tuple[str, ...], Mapping[str, str]] = {}
    if TABLE.exists():
        with TABLE.open(newline="", encoding="utf-8") as file:
            rows = {_key(old): old for old in csv.DictReader(file)}
    rows[_key(row)] = row
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def _key(row: Mapping[str, str]) -> tuple[str, ...]:
    return (*(row[name] for name in COLUMNS[:4]), row["evaluations"].zfill(9))


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", choices=["levels", "rules"], default="levels")
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--played", action="store_true", help="evaluate by short plays")
    parser.add_argument("--generator", default="evolve")
    parser.add_argument("--game", default="boxes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="resume the run at its end, for one more evaluation")
    parser.add_argument("--report", action="store_true", help="write the report at the end, in another process")
    parser.add_argument("--of", type=Path, metavar="FOLDER", help="make the report of this run, and no more")
    parser.add_argument("--make", choices=list(MAKE), default="report", help="make this of the run that --of names")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep the run there")
    options = parser.parse_args()
    if options.of is not None:
        MAKE[options.make](options.of)
        return
    spent = [0.0, 0]
    checkpoint = SearchRun.checkpoint

    def timed(run: Any) -> None:
        started = time.process_time()
        checkpoint(run)
        spent[0] += time.process_time() - started
        spent[1] += 1

    SearchRun.checkpoint = timed  # type: ignore[method-assign]

    def look(state: Any) -> None:
        if state.evaluations in MARKS or state.evaluations == options.evaluations:
            now, largest = memory()
            row = {
                "kind": options.kind, "game": options.game, "generator": options.generator,
                "made": "played" if options.played else "made up", "evaluations": str(state.evaluations),
                "feasible": str(state.feasible), "resident_mib": f"{now:.1f}", "largest_mib": f"{largest:.1f}",
                "checkpoint_ms": f"{1000 * spent[0] / max(1, spent[1]):.1f}", "cpu_s": f"{time.process_time():.0f}",
            }  # fmt: skip
            print("  ".join(f"{name}={row[name]}" for name in COLUMNS), flush=True)
            spent[:] = [0.0, 0]
            if state.evaluations in MARKS:
                write(row)

    with tempfile.TemporaryDirectory() as place:
        folder = options.out or Path(place) / "run"
        executor = None if options.played else MadeUp()
        config = config_of(options)
        if isinstance(config, LevelRun):
            run_levels(config, folder, workers=1, executor=executor, progress=look)
        else:
            run_rules(config, folder, workers=1, executor=executor, progress=look)
        size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 2**20
        print(f"folder {size:,.0f} MiB", flush=True)
        if options.report:
            subprocess.run([sys.executable, __file__, "--of", str(folder)], check=True)
        if options.again:
            started = time.process_time()
            resume(folder, evaluations=options.evaluations + 1, workers=1, executor=executor)
            seconds, (now, largest) = time.process_time() - started, memory()
            print(f"resumed in {seconds:.1f} s of CPU; {now:.1f} MiB, at most {largest:.1f}")


if __name__ == "__main__":
    main()
