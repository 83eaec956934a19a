"""The command `studio`: write and play a game in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from pcg.cli.archive import PortOption, tell
from pcg.cli.console import errors

PANEL = "Games"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(studio)


def studio(
    game: Annotated[
        str | None,
        typer.Argument(help="Name of a built-in game, or a game file, to begin with; a small one without it."),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    port: PortOption = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; anything else than this machine's own lets others in.")
    ] = "127.0.0.1",
) -> None:
    """Write a game on the left and play it on the right: every change that has no error starts at once.

    Errors are shown under their places as you type. The browser keeps what you write; the page has buttons to save it.
    """
    from pcg.cli.sources import load_with_levels
    from pcg.export.kernels import page_module
    from pcg.studio import studio_app
    from pcg.web.serving import hosts_of, listen, serve

    app = studio_app(load_with_levels(game) if game is not None else None, hosts=hosts_of(host))
    bound = listen(host, port)
    with errors().status("looking for the kernels of pages ..."):
        page_module()
    serve(app, bound, open_browser=open_browser, ready=tell)
