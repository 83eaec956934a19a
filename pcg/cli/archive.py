"""The command `archive`, which is a page of the studio, and the part of `play` that opens a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import bad, errors
from pcg.cli.options import HostOption, OpenOption, PortOption

if TYPE_CHECKING:
    from pcg.engine.game import Game

PANEL = "Make levels"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(archive)


def archive(
    folder: Annotated[Path, typer.Argument(help="Folder of a run of any level generator.")],
    level: Annotated[int, typer.Option(min=0, help="Number of the kept level that is open at first, best first.")] = 0,
    open_browser: OpenOption = False,
    port: PortOption = None,
    host: HostOption = "127.0.0.1",
) -> None:
    """Show a run in the studio: a map of its levels, each to look at, to watch, to play, to edit and to complete.

    The page is served until Ctrl-C. Levels that you save are put into the folder `drawn` of the run, those that you
    star into `starred`.
    """
    from pcg.web.run_levels import RunFolder

    run = RunFolder(folder)  # what is wrong with it is told before the server starts
    if level and level >= (kept := run.groups().get("kept", 0)):
        raise bad(f"--level {level}: expected a level that {folder} keeps, 0 to {kept - 1}")
    show_run(folder, f"#kept-{level}" if level else "", open_browser=open_browser, host=host, port=port)


def show_run(folder: Path, place: str, *, open_browser: bool, host: str = "127.0.0.1", port: int | None = None) -> None:
    """Serve the studio with a run until Ctrl-C, beginning with an address below the run's page."""
    from pcg.studio import studio_app
    from pcg.web.serving import hosts_of, listen, serve

    app = studio_app(folder=folder.resolve().parent, runs=[folder], hosts=hosts_of(host))
    bound = listen(host, port)
    compile_now()
    serve(app, bound, open_browser=open_browser, start=f"runs/{folder.resolve().name}/{place}", ready=tell)


def play_in_browser(game: Game, level: int | str | Path, seed: int, fps: float | None, port: int | None) -> None:
    """Serve one level to play, at its usual pace or at `fps` ticks a second, and open the browser."""
    from pcg.web.player import Pace
    from pcg.web.serving import listen, serve
    from pcg.web.single_level import play_app

    text = "\n".join(game.read_level(level).rows)
    app = play_app(game, text, seed, pace=None if fps is None else Pace(fps))
    bound = listen(port=port)
    serve(app, bound, open_browser=True, ready=tell)


def compile_now() -> None:
    """Compile now what the first request would otherwise wait for."""
    import pcg.evaluators.fitness  # noqa: F401 - importing declares the kernels
    from pcg.engine.kernel.runtime import compile_all

    with errors().status("compiling for this machine, once; about a minute ..."):
        compile_all()


def tell(url: str) -> None:
    print(f"{url}   Ctrl-C ends", flush=True)
