"""The command that measures our search on the problems of the PCG Benchmark."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import progress_bar, write_file
from pcg.cli.options import JsonOption, SeedOption, read_budget

if TYPE_CHECKING:
    from pcg.integrations.pcg_benchmark import ProblemResult

PANEL = "Measure levels"
DEFAULT_EVALUATIONS = 20_000


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(rich_help_panel=PANEL)(yardstick)


def yardstick(
    problems: Annotated[list[str], typer.Argument(metavar="PROBLEM...", help="Problems, as in zelda-v0 sokoban-v0.")],
    contents: Annotated[int, typer.Option(min=1, help="Contents to make for each problem.")] = 100,
    seed: SeedOption = 1,
    evaluations: Annotated[
        int | None,
        typer.Option(min=1, help=f"Contents that the benchmark may judge. [default: {DEFAULT_EVALUATIONS}]"),
    ] = None,
    budget: Annotated[str | None, typer.Option(help="With a time, the result depends on the machine.")] = None,
    as_json: JsonOption = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the contents, one file for each problem.")] = None,
) -> None:
    """Make contents for problems of the PCG Benchmark and print its three scores.

    The benchmark is a package of its authors that has to be installed beside pcg.
    """
    from pcg.integrations.pcg_benchmark import solve_problem
    from pcg.integrations.pcg_benchmark.package import make_environment

    time, tries = read_budget(budget) if budget else (0.0, 0)
    seconds, evaluations = time or None, evaluations or tries or None
    if evaluations is None and seconds is None:
        evaluations = DEFAULT_EVALUATIONS
    for name in problems:  # a wrong name is said before the first minute is spent
        make_environment(name)
    if not as_json:
        print(f"{'problem':<24}{'quality':>9}{'diversity':>11}{'control':>9}{'judged':>9}{'seconds':>9}")
    rows = []
    for name in problems:
        with _bar(name, contents) as progress:
            result = solve_problem(
                name, count=contents, seed=seed, evaluations=evaluations, seconds=seconds, progress=progress
            )
        rows.append(_row(result))
        if not as_json:
            scores = f"{result.quality:>9.0%}{result.diversity:>11.0%}{result.controllability:>9.0%}"
            print(f"{name:<24}{scores}{result.judged:>9}{result.seconds:>9.1f}", flush=True)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            both = {**_row(result), "seed": seed, "contents": result.contents, "controls": _plain(result.controls)}
            write_file(out / f"{name}.json", json.dumps(both) + "\n")
    if as_json:
        json.dump(rows, sys.stdout, indent=2)
        print()


def _row(result: ProblemResult) -> dict[str, Any]:
    return {
        "problem": result.problem,
        "quality": result.quality,
        "diversity": result.diversity,
        "controllability": result.controllability,
        "judged": result.judged,
        "seconds": round(result.seconds, 3),
    }


def _plain(value: Any) -> Any:
    """Return a value with NumPy's numbers as Python's, which JSON knows."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if hasattr(value, "__len__") and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value


@contextmanager
def _bar(name: str, contents: int) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar over the settled contents of one problem; yields what is called with its state."""
    with progress_bar() as bar:
        task = bar.add_task(name, total=contents)

        def show(judged: int, settled: int) -> None:
            bar.update(task, completed=settled, description=f"{name}: {judged} judged, {settled} settled")

        yield show
