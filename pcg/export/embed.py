"""Pages inside other pages: the markup of a frame, and a player for notebooks.

`iframe` names a page by its address. `player` shows one in a notebook as it is, without a file; with the extra
`notebook` (anywidget) the plays that people finish there come back to Python as recordings.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play
from pcg.export.bundle import bundle
from pcg.export.page import page, source

HEIGHT = 640
"""Height of a frame in pixels unless told otherwise."""


def iframe(address: str, *, title: str = "", height: int = HEIGHT) -> str:
    """Return the markup that shows a page inside another one.

    >>> iframe("dungeon.html", height=480)  # doctest: +ELLIPSIS
    '<iframe src="dungeon.html" title="A game to play" width="100%" height="480" ...></iframe>'
    """
    return (
        f'<iframe src="{html.escape(address)}" title="{html.escape(title or "A game to play")}" width="100%" '
        f'height="{height}" style="border:0" loading="lazy" allow="gamepad; clipboard-write"></iframe>'
    )


class Framed:
    """A page that notebooks show in place. Make it with `player`."""

    def __init__(self, text: str, height: int) -> None:
        self.text, self.height = text, height

    def __repr__(self) -> str:
        return f"<a page of {len(self.text)} characters; notebooks show it>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" title="A game to play" width="100%" height="{self.height}" '
            f'style="border:0" allow="gamepad; clipboard-write"></iframe>'
        )

    def save(self, path: Path | str) -> Path:
        """Write the page to a file."""
        target = Path(path)
        target.write_text(self.text, encoding="utf-8", newline="\n")
        return target


def player(game: Game, *, height: int = HEIGHT) -> Framed:
    """Return a player of a game for a notebook: it is shown as the result of a cell.

    >>> import pcg
    >>> player(pcg.load("boxes"))  # doctest: +SKIP
    <a page of 114021 characters; notebooks show it>

    Raises:
        PcgError: for games that cannot be exported.
    """
    return Framed(page(bundle(game)), height)


def widget(game: Game, *, height: int = HEIGHT) -> Any:
    """Return a Jupyter widget with a player; `plays` lists the plays that were finished in it (see `play_of`).

    >>> import pcg
    >>> shown = widget(pcg.load("boxes"))  # doctest: +SKIP
    >>> shown.plays  # doctest: +SKIP
    []

    Raises:
        PcgError: without anywidget, and for games that cannot be exported.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise PcgError(
            "plays come back to Python by anywidget: pip install 'pcg-toolkit[notebook]'; "
            "`pcg.export.player` shows a game without it"
        ) from None

    class PlayerWidget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = source("widget.js")
        text = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)
        plays = traitlets.List(traitlets.Dict()).tag(sync=True)

    return PlayerWidget(text=page(bundle(game)), height=height)


def play_of(message: Mapping[str, Any], game: Game) -> tuple[int, int, list[Any]]:
    """Return level, seed and actions of a play that a page has told of, after playing it again.

    Args:
        message: what the page sent (`plays` of a widget).
        game: the game; its digest must be that of the page.

    Returns:
        The number of the level, the seed, and one action name per tick (a pair of them for two players).

    Raises:
        PcgError: when it is no play of this game, or does not lead to the result that it says.

    >>> import pcg
    >>> boxes = pcg.load("boxes")
    >>> told = {"level": 0, "seed": 1, "plays": ["U"], "ticks": 1, "winner": -1, "score": 0, "digest": boxes.digest}
    >>> play_of(told, boxes)
    (0, 1, ['UP'])
    """
    try:
        level, seed = int(message["level"]), int(message["seed"])
        plays = [decode_play(text) for text in message["plays"]]
        told = (int(message["ticks"]), int(message["winner"]), float(message["score"]))
        digest = message["digest"]
    except (KeyError, TypeError, ValueError) as error:
        raise PcgError(f"this is not a play of a page: {type(error).__name__}: {error}") from None
    if digest != game.digest or len(plays) != game.players or len({len(p) for p in plays}) != 1:
        raise PcgError(f"this is a play of another game than {game.name}, or of another version of it")
    actions: list[Any] = list(plays[0]) if game.players == 1 else list(zip(*plays, strict=True))
    state = game.start(level, seed=seed)
    for action in actions:
        state.advance(action)
    winner, score = state.winner, state.score
    if game.players > 1:
        winner, score = winner[0], score[0]
    found = (state.tick + 1, int(winner), float(score))
    if found != told:
        raise PcgError(f"the play is not true: played again it ends with {found}, but it says {told}")
    return level, seed, actions
