"""Commands for runs of all kinds: `resume` and `report`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from pcg.cli.archive import show_run
from pcg.cli.console import bad
from pcg.cli.options import (
    CacheOption,
    ClusterOption,
    ExecutorOption,
    HostOption,
    JsonOption,
    OpenOption,
    PortOption,
    WorkersOption,
    execution,
    read_budget,
)
from pcg.cli.run_json import told_as_json

PANEL = "Runs"

FINISH = {
    "levels": "pcg.cli.levels:finish",
    "rules": "pcg.cli.rules:finish",
    "games": "pcg.cli.rules:finish",
    "tuning": "pcg.cli.tune:finish",
    "tournament": "pcg.cli.tournament:finish",
}
"""The function that says what came of a run and writes its report, by the kind of the run."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(resume)
    app.command(rich_help_panel=PANEL)(report)


def resume(
    folder: Annotated[Path, typer.Argument(help="Folder of a run of any kind.")],
    budget: Annotated[str | None, typer.Option(help="Counted from the beginning of the run.")] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="A new number of evaluations in the whole run.")
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    cluster: ClusterOption = None,
    cache: CacheOption = None,
    as_json: JsonOption = False,
) -> None:
    """Go on with a run that was stopped or killed, or give a finished one a larger budget.

    A tournament goes on as with `pcg tournament --out`; of the options it takes --workers alone.
    """
    from pcg.engine.registry import Registry
    from pcg.runs.run import resume as resume_run
    from pcg.runs.run import run_kind

    kind = run_kind(folder)
    needs = {
        "seconds": ("budget", budget), "evaluations": ("evaluations", evaluations), "executor": ("executor", executor),
        "cache": ("cache", cache),
    }  # fmt: skip
    if "executor" not in kind.options:
        needs["cluster"] = ("cluster", cluster)
    for name, (option, value) in needs.items():
        if value is not None and name not in kind.options:
            raise bad(f"{folder} holds a run that {kind.task}, for which there is no --{option}")
    seconds = None
    if budget is not None:
        seconds, number = read_budget(budget)
        seconds, evaluations = seconds or None, number or evaluations
    finishers: Registry[Callable[[Any], None]] = Registry("kind of run", builtin=FINISH)
    with told_as_json(as_json) as told:
        with execution(workers, executor, cluster, cache) as options:
            told.folder = folder
            result = resume_run(folder, seconds=seconds, evaluations=evaluations, **options)
        finishers.find(kind.kind)(result)


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run of any kind.")],
    open_browser: OpenOption = False,
    port: PortOption = None,
    host: HostOption = "127.0.0.1",
) -> None:
    """Draw the pictures of a run and write its report.html again; of a tournament, its tables and figures too.

    With `--open` the report is shown in the browser; that of levels by the studio, until Ctrl-C, with links on which
    each level is played and edited.
    """
    from pcg.report import write_report
    from pcg.runs.run import run_kind

    page = write_report(folder)
    print(page)
    if not open_browser:
        return
    if run_kind(folder).kind == "levels":
        show_run(folder, "report", open_browser=True, host=host, port=port)
    else:
        typer.launch(page.resolve().as_uri())
