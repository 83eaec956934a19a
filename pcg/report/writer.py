"""From a run folder to its report: draw the pictures, put the page together, replace what was there."""

from __future__ import annotations

from pathlib import Path

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.report.page import render_page
from pcg.report.pictures import draw_pictures
from pcg.runs.store import GAMES, RULES, kind_of, write_whole

REPORT = "report.html"
_NEEDED = ("run.json", "events.jsonl", "summary.json", "levels/index.json")


def write_report(folder: Path | str) -> Path:
    """Draw the pictures of a run and write its `report.html`.

    Equal runs get equal bytes. The pictures are `levels/lvl0.png`, ..., `sheet.png` and `best.gif` (see `pcg.runs`). A
    tournament gets the files of `pcg.report.tournament.write_tournament`, a run that tunes a game, or makes rules or
    games, the page of `pcg.report.tuning` or `pcg.report.rules`.

    Args:
        folder: a run folder; the run may have been interrupted, but must have written its summary. Or the folder of a
            tournament, at any time.

    Returns:
        The path of the page.

    Raises:
        PcgError: if the folder is not a run.
    """
    folder = Path(folder)
    if kind_of(folder) == "tuning":
        from pcg.report.tuning import write_tuning

        return write_tuning(folder)
    if kind_of(folder) in (RULES, GAMES):
        from pcg.report.rules import write_rules_report

        return write_rules_report(folder)
    if kind_of(folder) == "tournament":
        from pcg.report.tournament import write_tournament

        return write_tournament(folder)
    for name in _NEEDED:
        if not (folder / name).is_file():
            raise PcgError(f"`{folder}` is not the folder of a finished run: it has no {name}")
    draw_pictures(folder)
    page = folder / REPORT
    write_whole(page, render_page(folder))
    return page
