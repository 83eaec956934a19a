"""Games on pages that begin with a win: an address ``play/NAME.html#win`` gets the recorded win of the first level.

mkdocs calls `on_page_markdown`. The page of the game (`docs/hooks/play.py`) shows that play when it is started, and
whoever presses a key takes over.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pcg.engine.game import builtin_games

LETTERS = str.maketrans("NS", "_X")
"""Waiting and the action button, in recorded plays and in the addresses of pages."""


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put recorded wins into the addresses that ask for one (a hook of mkdocs)."""
    return re.sub(r"play/(\w+)\.html#win", lambda found: f"play/{found[1]}.html{win_of(found[1])}", markdown)


def win_of(name: str) -> str:
    """The fragment of an address that shows the recorded win of a game's first level."""
    plays = json.loads((builtin_games()[name] / "replays.json").read_text(encoding="utf-8"))["plays"]
    play = next(play for play in plays if play["level"] == 0)
    return f"#play=0,{play['seed']},{play['actions'].translate(LETTERS)}"
