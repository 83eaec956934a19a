"""`pcg study serve`: put a study before its participants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.options import HostOption, OpenOption, PortOption

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="PCG_STUDY_DATABASE",
        help="Database instead of the study's own, as in postgresql+psycopg://user@host/name.",
    ),
]


def register(study: typer.Typer) -> None:
    """Add the command."""
    study.command()(serve)


def serve(
    name: Annotated[Path, typer.Argument(help="Folder of the study.")],
    database: DatabaseOption = None,
    port: PortOption = None,
    host: HostOption = "127.0.0.1",
    root_path: Annotated[str, typer.Option(help="Path under which a proxy shows the study, as in /studies/one.")] = "",
    proxy: Annotated[
        bool, typer.Option("--proxy", help="Believe X-Forwarded-* headers: only behind a proxy that sets them.")
    ] = False,
    address: Annotated[
        str, typer.Option(help="Address that participants see, as in https://lab.example.org/one; for the links.")
    ] = "",
    names: Annotated[
        str, typer.Option(help="Names by which browsers may address the server, separated by commas.")
    ] = "",
    per_address: Annotated[
        float, typer.Option(min=1, help="Requests a second from one network address, after which it has to wait.")
    ] = 100.0,
    open_browser: OpenOption = False,
) -> None:
    """Serve a study until Ctrl-C; prints the participants' link and the researcher's.

    The researcher's token is part of its link on a terminal only, and not where the output becomes a log.
    """
    import sys

    from pcg.study.server.running import run_study
    from pcg.study.server.security import Limits

    limits = Limits(address=(per_address, 10 * per_address))
    run_study(name, database=database, host=host, port=port, root=root_path, proxy=proxy, names=names, address=address,
              limits=limits, open_browser=open_browser, show_token=sys.stdout.isatty(),
              tell=lambda line: print(line, flush=True))  # fmt: skip
