"""The command `export`: games as pages that play by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.console import bad, errors
from pcg.cli.sources import ReadingChoice

PANEL = "Games"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(export)


def export(
    source: Annotated[
        str, typer.Argument(help="A built-in game, a game file, or the folder of a game, of a run or of several games.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="HTML file to write. [default: the game's name with .html]")
    ] = None,
    site: Annotated[
        Path | None, typer.Option("--site", help="Write a gallery into this folder instead: an overview and pages.")
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page or the gallery; the name of the game by default.")] = "",
    embed: Annotated[
        bool, typer.Option("--embed", help="Print the <iframe> that shows the page inside another one.")
    ] = False,
    load: Annotated[
        list[Path] | None,
        typer.Option("--load", help="Python file that registers effects or sprite classes; may be repeated."),
    ] = None,
    reading: ReadingChoice = None,
) -> None:
    """Make a game a web page that plays by itself: one file, no server, for any phone or computer.

    The page has all levels, keys, touch and gamepad, undo, hints, agents to watch, and plays as links. The levels of a
    run come with the plays that won them.
    """
    from pcg.engine.registry import load_plugin
    from pcg.export import bundle, iframe, write_page, write_site
    from pcg.export.kernels import page_module
    from pcg.export.sources import all_games, one_game

    if site is not None and (out is not None or embed):
        raise bad("--site writes a folder of pages; leave out --out and --embed")
    if out is not None and out.suffix.lower() not in (".html", ".htm"):
        raise bad(f"a page is a .html file, not `{out}`")
    for path in load or ():
        load_plugin(path)
    mode = reading and reading.value
    if site is not None:
        games, left_out = all_games(source, reading=mode)
        page_module()
        with errors().status("writing pages ...") as status:
            path = write_site(games, site, title=title, progress=status.update)
        for other in left_out:
            errors().print(f"left out {other.name}: {other.reason}", markup=False, highlight=False)
        print(f"saved {path}, {len(games)} page{'s' if len(games) > 1 else ''}")
        return
    one = one_game(source, reading=mode)
    page_module()
    path = write_page(
        bundle(one.game, titles=one.titles, plays=one.plays, title=title or one.title), out or Path(f"{one.name}.html")
    )
    count = len(one.game.levels)
    print(f"saved {path}, {path.stat().st_size / 1000:.0f} KB, {count} level{'s' if count > 1 else ''}")
    if embed:
        print(iframe(path.name, title=title or one.title))
