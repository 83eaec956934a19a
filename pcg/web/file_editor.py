"""The editor of a run's levels as one file that needs no server: levels are drawn there and saved as text files.

What a server does is left out: judging, repairing and completing while one draws (`pcg.web.level_editor`).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources

from pcg.engine.game import Game
from pcg.export.page import joined
from pcg.generators.levels.context import LevelContext
from pcg.web.palette import LARGEST_SIDE, tile_pictures, tiles_of
from pcg.web.templating import template

_SCRIPTS = ("api.js", "editor.js", "file_editor.js")
_STYLES = ("base.css", "site.css")
_STATIC = resources.files("pcg.web") / "static"
_STYLE_IMPORT = re.compile(r"^@import [^;]*;\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EditedLevel:
    """A level as the page names it."""

    id: str
    """Part of the page's address after #."""
    file: str
    """Name of its file; an edited one is saved beside it as `NAME-edited.txt`."""
    title: str
    """Name in the list of levels."""
    text: str


def file_editor(game: Game, levels: Sequence[EditedLevel], *, name: str, report: str) -> str:
    """Return the page as one HTML text; the same for equal levels.

    Args:
        game: the game of the levels.
        levels: at least one; the first is shown where the address names none.
        name: of the game, for people.
        report: address of the page to go back to.
    """
    context = LevelContext.of(game)
    pictures = base64.b64encode(tile_pictures(game, context)).decode()
    about = {
        "game": name,
        "tiles": tiles_of(context),
        "pictures": f"data:image/png;base64,{pictures}",
        "least": context.smallest,
        "largest": LARGEST_SIDE,
        "levels": [asdict(level) for level in levels],
    }
    return template("file_editor").render(
        about=about,
        report=report,
        say=lambda text: text,
        script=joined({script: (_STATIC / script).read_text(encoding="utf-8") for script in _SCRIPTS}),
        style="".join(_STYLE_IMPORT.sub("", (_STATIC / style).read_text(encoding="utf-8")) for style in _STYLES),
    )
