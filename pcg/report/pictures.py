"""Pictures of a run: every level, a contact sheet, and the winning play of the best level as an animation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pcg.runs.store import read_json

SHEET = "sheet.png"
FILM = "best.gif"
_COLUMNS = 5


def draw_pictures(folder: Path) -> list[Path]:
    """Draw what a run folder holds and return the files, pictures of levels first.

    `levels/lvl<k>.png` and `infeasible/lvl<k>.png` stand beside their texts; `sheet.png` shows the levels with their
    fitness (those that come closest where none is feasible); `best.gif` replays the winning play of the best level. A
    run without levels gets no sheet, one without a winning play no film.
    """
    from pcg.engine.game import load
    from pcg.render import contact_sheet, render_gif, render_level

    run = read_json(folder / "run.json")
    game = load(folder / "levels" / "game.vgdl", reading=run["game"]["reading"])
    drawn: list[Path] = []
    sheets = []
    for group in ("levels", "infeasible"):
        entries = _index(folder / group)
        images = []
        for entry in entries:
            text = (folder / group / entry["file"]).read_text(encoding="utf-8")
            path = (folder / group / entry["file"]).with_suffix(".png")
            images.append(render_level(game, text, path))
            drawn.append(path)
        if images:
            sheets.append((images, [_caption(entry) for entry in entries]))
    if sheets:
        contact_sheet(*sheets[0], columns=_COLUMNS, path=folder / SHEET)
        drawn.append(folder / SHEET)
    best = next((entry for entry in _index(folder / "levels") if entry["actions"]), None)
    if best is not None:
        level = (folder / "levels" / best["file"]).read_text(encoding="utf-8")
        drawn.append(render_gif(game, level, best["actions"], folder / FILM, seed=best["seed"]))
    return drawn


def _index(folder: Path) -> list[dict[str, Any]]:
    """Return the entries of `index.json`, best first; none if there is no such file."""
    path = folder / "index.json"
    levels: list[dict[str, Any]] = read_json(path)["levels"] if path.is_file() else []
    return levels


def _caption(entry: dict[str, Any]) -> str:
    name = entry["file"].removesuffix(".txt")
    if entry["feasible"]:
        return f"{name}   fitness {entry['fitness']:.2f}"
    return f"{name}   constraints {entry['constraint']:.0%}"
