"""The command `studio`: write, generate, look, play and breed in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.archive import compile_now, tell
from pcg.cli.console import errors
from pcg.cli.options import HostOption, OpenOption, PortOption

PANEL = "Games"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(studio)


def studio(
    game: Annotated[
        str | None,
        typer.Argument(
            help="Name of a built-in game, or a game file, to begin with; or the folder of a run to look at."
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--folder", help="Folder of the runs and games that are shown and made.")
    ] = Path("."),
    open_browser: OpenOption = True,
    port: PortOption = None,
    host: HostOption = "127.0.0.1",
) -> None:
    """Write games and play them, paint levels, generate, look at what came of it, breed and vote, all in the browser.

    Every change of a game that has no error starts at once. What you write is kept in the folder, and everything that
    is generated is a run there, which the other commands know; each page shows the command that does the same.
    """
    from pcg.cli.sources import load_with_levels
    from pcg.export.kernels import page_module
    from pcg.runs.store import kind_of
    from pcg.studio import studio_app
    from pcg.web.serving import hosts_of, listen, serve

    run = Path(game) if game is not None and Path(game).is_dir() and kind_of(Path(game)) else None
    loaded = load_with_levels(game) if game is not None and run is None else None
    app = studio_app(loaded, folder=folder, runs=[run] if run else (), hosts=hosts_of(host))
    bound = listen(host, port)
    compile_now()
    with errors().status("looking for the kernels of pages ..."):
        page_module()
    serve(app, bound, open_browser=open_browser, start=f"runs/{run.resolve().name}/" if run else "", ready=tell)
