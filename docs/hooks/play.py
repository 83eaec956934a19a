"""The gallery of the built-in games in the documentation: every game is played in place, in the reader's browser.

mkdocs calls `on_post_build`; pages show a game with ``<iframe src="../play/NAME.html">``. Games change seldom and the
kernels of pages are built once per version, so this takes some seconds of a build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pcg.engine.game import builtin_games
from pcg.export import one_game, write_site


def on_post_build(config: Any) -> None:
    """Write the gallery into the finished site (a hook of mkdocs)."""
    games = [one_game(name) for name in builtin_games()]
    write_site(games, Path(config["site_dir"]) / "play", title="The games of pcg")
