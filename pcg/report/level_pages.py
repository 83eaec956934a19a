"""Pages beside the report of a run that makes levels: one plays the levels, one edits them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcg.engine.game import load
from pcg.engine.kernel.runtime import MODE
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.report.base import PAGE
from pcg.runs.store import read_json, write_whole

PLAYED, EDITED = "play.html", "edit.html"


def write_level_pages(folder: Path, run: Mapping[str, Any]) -> None:
    """Write the page that edits a run's levels, and where it takes a moment and a page can hold them, the one that
    plays them.

    Args:
        folder: of the run.
        run: its `run.json`.
    """
    kept, closest = _entries(folder / "levels"), _entries(folder / "infeasible")
    if kept or closest:
        _write_editor(folder, run, kept, closest)
    if kept and MODE == "aot":
        _write_player(folder, run)


def page_of(folder: Path, name: str) -> str:
    """Return the name of a page of a run if it is there and of its present levels, else "": one made before they were
    written shows others.
    """
    page, index = folder / name, folder / "levels" / "index.json"
    return name if page.is_file() and page.stat().st_mtime_ns >= index.stat().st_mtime_ns else ""


def _write_editor(folder: Path, run: Mapping[str, Any], kept: list[Any], closest: list[Any]) -> None:
    from pcg.web.file_editor import EditedLevel, file_editor

    levels = [
        EditedLevel(
            f"{group}-{number}",
            entry["file"],
            f"{entry['file']}{note}",
            (folder / place / entry["file"]).read_text(encoding="utf-8").rstrip("\n"),
        )
        for group, place, note, entries in (
            ("kept", "levels", "", kept),
            ("closest", "infeasible", ", not feasible", closest),
        )
        for number, entry in enumerate(entries)
    ]
    game: Any = load(folder / "levels" / "game.vgdl", reading=run["game"]["reading"])
    write_whole(folder / EDITED, file_editor(game, levels, name=run["game"]["name"], report=PAGE))


def _write_player(folder: Path, run: Mapping[str, Any]) -> None:
    from pcg.export import bundle, one_game, page

    try:
        made = one_game(str(folder.resolve()))
        bundled = bundle(made.game, titles=made.titles, plays=made.plays, title=run["game"]["name"])
    except PcgError:  # more levels than a page takes, say: `pcg export --site` has room for them
        return
    if all(function.module.startswith("pcg.") for function in bundled.functions):  # others take seconds to build
        write_whole(folder / PLAYED, page(bundled))


def _entries(folder: Path) -> list[dict[str, Any]]:
    index = folder / "index.json"
    found: list[dict[str, Any]] = read_json(index)["levels"] if index.is_file() else []
    return found
