"""Reports of runs, found by the kind of the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pcg.engine.registry import Registry
from pcg.runs.run import run_kind

REPORTS: Registry[Callable[[Path], Path]] = Registry(
    "report",
    builtin={
        "levels": "pcg.report.levels:write_levels_report",
        "rules": "pcg.report.rules:write_rules_report",
        "games": "pcg.report.rules:write_rules_report",
        "tuning": "pcg.report.tuning:write_tuning",
        "tournament": "pcg.report.tournament:write_tournament",
    },
)
"""Functions that write the report of a run, by the kind of run in `run.json`."""


def write_report(folder: Path | str) -> Path:
    """Draw the pictures of a run of any kind and write its `report.html`.

    Equal runs get equal bytes. What else is written is said in the module of the kind.

    Args:
        folder: of a run, which may have been interrupted, but must have written its summary; or of a tournament, at any
            time.

    Returns:
        The path of the page.

    Raises:
        PcgError: if the folder is not a run, or not one that has stopped.

    >>> import tempfile
    >>> from pcg.runs import LevelRun, run_levels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_levels(LevelRun("boxes", generator="random", evaluations=2), f"{folder}/run")
    ...     print(write_report(f"{folder}/run").name)
    report.html
    """
    folder = Path(folder)
    return REPORTS.find(run_kind(folder).kind)(folder)
