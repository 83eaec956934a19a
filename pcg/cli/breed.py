"""`pcg breed`: levels bred by eye in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pcg.cli.archive import PANEL, compile_now, tell
from pcg.cli.console import bad, errors
from pcg.cli.options import HostOption, OpenOption, PortOption, SeedOption, add_settings
from pcg.cli.sources import ReadingChoice


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel=PANEL)(breed)


def breed(
    game: Annotated[
        str, typer.Argument(help="Name of a built-in game, or a game file; or the folder of a run to go on with.")
    ],
    population: Annotated[int, typer.Option(help="Levels that are shown at a time.")] = 8,
    seed: SeedOption = 1,
    want: Annotated[
        list[str] | None, typer.Option("--target", "--want", help="What levels are to be like, as for `pcg levels`.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run, new or empty. [default: GAME-bred]")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter, as in run.litter=8, run.boldness=0 or evaluation.max_length=100."),
    ] = None,
    open_browser: OpenOption = False,
    port: PortOption = None,
    host: HostOption = "127.0.0.1",
    reading: ReadingChoice = None,
) -> None:
    """Breed levels by eye: the page shows levels, you say which you like, and the next ones are bred of those.

    Your taste is learnt on the way and chooses among many children. Everything is kept in the folder of the run, whose
    `levels` are those you like, best first; name that folder to go on.
    """
    from pcg.breeding import BreedingRun, LevelPopulation
    from pcg.breeding.population import BREEDING
    from pcg.runs.store import kind_of
    from pcg.studio import studio_app
    from pcg.web.serving import hosts_of, listen, serve

    if Path(game).is_dir() and kind_of(Path(game)) == BREEDING:
        if out is not None or settings or want:
            raise bad(f"{game} is a run, which goes on as it began; leave out --out, --target and --set")
        compile_now()
        run = LevelPopulation.open(game)
    else:
        data: dict[str, dict[str, Any]] = {
            "run": {
                "game": game, "population": population, "seed": seed, "want": ", ".join(want or ()),
                "reading": reading.value if reading else "",
            }
        }  # fmt: skip
        add_settings(data, settings, "run.litter=8")
        config = BreedingRun.from_mapping(data, "--set")
        folder = out or Path(f"{Path(game).stem}-bred")
        compile_now()
        with errors().status("making the first levels ..."):
            run = LevelPopulation.create(config, folder)
    place = run.folder.resolve()
    app = studio_app(run.game, folder=place.parent, population=run, hosts=hosts_of(host))
    bound = listen(host, port)
    try:
        serve(app, bound, open_browser=open_browser, start=f"breed/{place.name}/", ready=tell)
    finally:
        run.close()
        print(f"{run.folder}: generation {run.generation + 1}, {len(run.votes)} comparisons; go on with: "
              f"pcg breed {run.folder}")  # fmt: skip
