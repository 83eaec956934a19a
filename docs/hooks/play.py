"""The gallery of the built-in games in the documentation: every game is played in place, in the reader's browser.

mkdocs calls `on_post_build`; pages show a game with ``<iframe src="../play/NAME.html">``. Games change seldom and the
kernels of pages are built once per version, so this takes some seconds of a build. An address that ends in ``#win``
gets the recorded win of the game's first level, which the page shows when it is started.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pcg.engine.game import builtin_games
from pcg.export import one_game, write_site

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


def on_post_build(config: Any) -> None:
    """Write the gallery into the finished site (a hook of mkdocs)."""
    games = [one_game(name) for name in builtin_games()]
    write_site(games, Path(config["site_dir"]) / "play", title="The games of pcg")
