"""A gallery: a folder of pages with an overview, for any static host, or to be opened from a disk."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export.bundle import bundle
from pcg.export.page import source, template, write_page
from pcg.export.sources import Exportable
from pcg.render import render_level

TILE = 8
"""Pixels of a cell in the pictures of the overview."""
_FILTER_FROM = 12
"""From so many cards on, the overview can be searched."""


@dataclass(frozen=True, slots=True)
class Card:
    """A picture of the overview with what is said beside it, in English and in Chinese where the two differ."""

    address: str
    picture: str
    title: str
    text: str
    text_zh: str
    note: str
    note_zh: str


def write_site(
    games: Sequence[Exportable], folder: Path | str, *, title: str = "", progress: Callable[[str], None] | None = None
) -> Path:
    """Write a page for each game and an overview into a folder; returns the path of the overview.

    A single game's overview shows its levels, that of several the games.

    Args:
        games: what to make pages of.
        folder: new, empty, or one that a gallery was written to before.
        title: of the overview; the game's by default.
        progress: called with the name of each page that was written.

    Raises:
        PcgError: when a folder holds other things, or a game cannot be exported.
    """
    target = Path(folder)
    if target.exists() and any(target.iterdir()) and not (target / "index.html").is_file():
        raise PcgError(f"{target} is not empty and no gallery, expected a new folder")
    target.mkdir(parents=True, exist_ok=True)
    cards: list[Card] = []
    taken: set[str] = {"index"}
    for one in games:
        name = _free_name(one.name, taken)
        about = bundle(one.game, titles=one.titles, plays=one.plays, title=one.title)
        write_page(about, target / f"{name}.html")
        cards += _level_cards(one, name) if len(games) == 1 else [_game_card(one, name, about.about)]
        if progress is not None:
            progress(f"{name}.html")
    heading = title or (games[0].title if len(games) == 1 else target.resolve().name)
    text = template("gallery").render(
        title=heading, cards=cards, style=source("base.css") + source("gallery.css"), search=len(cards) >= _FILTER_FROM
    )
    path = target / "index.html"
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def _free_name(name: str, taken: set[str]) -> str:
    number, found = 2, name
    while found.lower() in taken:
        found = f"{name}-{number}"
        number += 1
    taken.add(found.lower())
    return found


def _game_card(one: Exportable, name: str, about: dict[str, Any]) -> Card:
    count = len(one.game.levels)
    return Card(
        f"{name}.html",
        _picture(one, 0),
        one.title,
        about["text"]["en"]["summary"],
        about["text"]["zh"]["summary"],
        f"{count} level{'s' if count > 1 else ''}" + (", 2 players" if one.game.players > 1 else ""),
        f"{count} 个关卡" + ("，2 位玩家" if one.game.players > 1 else ""),
    )


def _level_cards(one: Exportable, name: str) -> list[Card]:
    found = []
    for k in range(len(one.game.levels)):
        level = one.game.read_level(k)
        size = f"{level.width} × {level.height}"
        note, chinese = one.notes[k] if k < len(one.notes) else ("", "")
        title = one.titles[k] if k < len(one.titles) else f"{k + 1}"
        found.append(Card(f"{name}.html#level={k + 1}", _picture(one, k), title, note, chinese, size, size))
    return found


def _picture(one: Exportable, level: int) -> str:
    """A level as the address of a picture."""
    image = render_level(one.game, one.game.levels[level], tile=TILE)
    file = io.BytesIO()
    image.quantize(64).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
