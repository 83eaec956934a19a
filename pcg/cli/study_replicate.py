"""`pcg study pack` and `load`: a whole study in one file, and a study made of such a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.study_manage import NameArgument
from pcg.cli.study_serve import DatabaseOption


def register(study: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (pack, load):
        study.command()(command)


def pack(
    name: NameArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write. [default: NAME.zip]")] = None,
    links: Annotated[
        bool, typer.Option("--links/--no-links", help="With the parameters of the participants' link that were kept.")
    ] = False,
    reasons: Annotated[bool, typer.Option("--reasons/--no-reasons", help="With what participants wrote.")] = True,
    database: DatabaseOption = None,
) -> None:
    """Write a replication package: settings, texts, items, data, every play, codebook, scripts and report."""
    from pcg.study.folders import open_study
    from pcg.study.replication import pack_study

    file = out or Path(f"{name.name}.zip")
    counts = pack_study(open_study(name, database), file, links=links, reasons=reasons)
    print(f"saved {file}: {', '.join(f'{count} {table}' for table, count in counts.items())}")


def load(
    file: Annotated[Path, typer.Argument(help="Replication package.")],
    name: Annotated[Path, typer.Argument(help="Folder to be made; its name is the name of the study.")],
    database: DatabaseOption = None,
) -> None:
    """Make a study of a replication package. It is closed; everything but the people can be gone on with."""
    from pcg.study.replication import load_study

    store = load_study(file, name, database=database)
    votes = len(store.vote_rows())
    print(f"made {name}: {len(store.items)} items, {len(store.participants())} participants, {votes} votes; closed")
