"""`pcg study participant`: one participant, by the code that they quote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pcg.cli.study_manage import NameArgument
from pcg.cli.study_serve import DatabaseOption


def register(study: typer.Typer) -> None:
    """Add the command."""
    study.command()(participant)


def participant(
    name: NameArgument,
    code: Annotated[str, typer.Argument(help="The code that they quote, its beginning, or the ID of their link.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File for everything that is stored of them, as JSON.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete them with all pairs, plays and votes.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database: DatabaseOption = None,
) -> None:
    """Show one participant, by the code on their page of data; export or delete everything that is stored of them."""
    import json

    from pcg.runs.store import write_whole
    from pcg.study.folders import open_study
    from pcg.study.one_participant import find_participant, stored_of

    store = open_study(name, database)
    person = find_participant(store, code)
    stored = stored_of(store, person)
    state = "finished" if person.finished is not None else "not finished"
    counts = ", ".join(f"{len(stored[table])} {table}" for table in ("pairs", "plays", "votes"))
    print(f"{person.id}: number {person.number}, {state}; {counts}")
    for key, value in person.external.items():
        print(f"  {key}: {value}")
    if out is not None:
        write_whole(out, json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
        print(f"saved {out}")
    if delete:
        if not yes:
            typer.confirm(f"Delete {person.id} with {counts} for good?", abort=True)
        store.forget(person.id)
        print(f"deleted {person.id}")
