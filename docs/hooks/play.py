"""The games of the documentation, played in the browser of whoever reads it: built-in and evolved games, the gallery's
levels, an episode of ConnectX.

mkdocs calls `on_post_build`; pages show a game with ``<iframe src="../play/NAME.html">``, and link the levels that the
gallery has of it as ``../play/gallery/NAME.html``, an evolved game as ``../play/evolved/NAME.html``, the episode as
``../play/connectx.html``. Games change seldom and the kernels of pages are built once per version, so this takes some
seconds of a build.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from pcg.connectx import make
from pcg.engine.game import Game, builtin_games, evolved_games, load
from pcg.evaluators.evaluation import decode_play
from pcg.export import one_game, write_site
from pcg.export.bundle import RecordedPlay
from pcg.export.sources import Exportable

LETTERS = str.maketrans("NS", ".X")
"""Waiting and the action button, in stored plays and in those of runs."""
LEVELS = Path(__file__).resolve().parent.parent / "gallery" / "levels"
"""The levels of the gallery: a file for each game, written by `benchmarks/gallery.py`."""


def on_post_build(config: Any) -> None:
    """Write the pages of the games and of the gallery's levels into the finished site (a hook of mkdocs)."""
    folder = Path(config["site_dir"]) / "play"
    write_site([with_wins(*one) for one in builtin_games().items()], folder, title="The games of pcg")
    write_site([with_wins(*one) for one in evolved_games().items()], folder / "evolved", title="Evolved games")
    made = [gallery_levels(path) for path in sorted(LEVELS.glob("*.json"))]
    if made:
        write_site(made, folder / "gallery", title="Levels of the gallery")
    (folder / "connectx.html").write_text(connectx_episode(), encoding="utf-8")


def connectx_episode() -> str:
    """Return a page of the episode that `images/connectx.png` shows, to watch and to play on."""
    env = make("connectx", {"seed": 1})
    env.run(["mcts", "negamax"])
    return str(env.render(mode="html", step=-1, autoplay=False))


def with_wins(name: str, folder: Path) -> Exportable:
    """Return a game of the toolkit with its stored wins of levels for one player, to be watched."""
    made = one_game(name)
    path = folder / "replays.json"
    if made.game.players > 1 or not path.is_file():
        return made
    plays = json.loads(path.read_text(encoding="utf-8"))["plays"]
    wins = {
        play["level"]: RecordedPlay(play["seed"], tuple(decode_play(play["actions"].translate(LETTERS))))
        for play in reversed(plays)
        if play["winner"] == [1]
    }
    return dataclasses.replace(made, plays=wins)


def gallery_levels(path: Path) -> Exportable:
    """Return the levels of the gallery for one game, with the plays that win them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    game = load(data["game"])
    found = data["levels"]
    return Exportable(
        data["game"],
        f"{data['game']}: levels of the gallery",
        Game(game.definition, ["\n".join(one["rows"]) for one in found], name=game.name, reading=game.reading),
        tuple(str(number) for number in range(1, len(found) + 1)),
        {k: RecordedPlay(one["seed"], tuple(decode_play(one["play"]))) for k, one in enumerate(found) if one["play"]},
    )
