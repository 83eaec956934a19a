"""`pcg study simulate`: participants that are programs, for trying a study out."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import bad, errors, progress_bar, report_error
from pcg.cli.options import SeedOption
from pcg.cli.study_manage import NameArgument
from pcg.cli.study_serve import DatabaseOption

if TYPE_CHECKING:
    from pcg.study.simulating import Outcome

NOT_ALL = 1
"""Exit code when a participant came to no end that it should have come to."""


def register(study: typer.Typer) -> None:
    """Add the command."""
    study.command()(simulate)


def simulate(
    name: NameArgument,
    participants: Annotated[int, typer.Option(min=1, help="How many take part.")] = 20,
    seed: SeedOption = 1,
    players: Annotated[
        str,
        typer.Option(help="Who plays, by turns: random, idle, or agents as in mcts:depth=12; several with ; between."),
    ] = "random",
    at_once: Annotated[int, typer.Option(min=1, help="How many take part at the same time.")] = 50,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="How they are: what they like (likes=solution_length=1), how readily they tie (tie, both, appeal), "
            "what being first (position) and winning (win) are worth, shares that answer anything (careless), always "
            "the first (left) or leave early (quit), as in careless=0.1.",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="Where to write what they like. [default: truth-SEED.json in the study's folder]"),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Address of a running server of the study; without it one is started.")
    ] = None,
    first: Annotated[int, typer.Option(min=0, help="Number of the first; for more of them later.")] = 0,
    database: DatabaseOption = None,
) -> None:
    """Let simulated participants take part, through the pages and websockets of a real server.

    They play, and vote by utilities that are drawn by the seed and written down, so that what the analysis finds can be
    compared with it. They are marked in the data, and are never mixed with people. Each plays every game for the
    study's minimum: give a study for trying out a short one.
    """
    from pcg.study.folders import TOKEN, open_study
    from pcg.study.server_process import hosted
    from pcg.study.simulating import Truth
    from pcg.study.simulating import simulate as run

    store = open_study(name, database)
    if not (name / TOKEN).is_file():
        raise bad(f"there is no file {name / TOKEN}: only the study's researcher can send simulated participants")
    token = (name / TOKEN).read_text(encoding="utf-8").strip()
    given: dict[str, object] = {}
    for setting in settings or ():
        key, equals, value = setting.partition("=")
        if not equals:
            raise bad(f"--set {setting!r}: expected NAME=VALUE, as in careless=0.1")
        given[key.strip()] = value.strip()
    drawn = Truth.draw(store.items, seed, given)
    who = tuple(part.strip() for part in players.split(";") if part.strip())
    with contextlib.ExitStack() as open_:
        if url is None:
            with errors().status("starting a server ..."):
                url = open_.enter_context(hosted(name.absolute() if name.exists() else name, database)).url
        bar = open_.enter_context(progress_bar())
        task = bar.add_task("taking part", total=participants)
        outcome: Outcome = asyncio.run(
            run(
                store, url.rstrip("/"), token, drawn, participants=participants, first=first, players=who,
                at_once=at_once, progress=lambda done: bar.update(task, completed=done),
            )
        )  # fmt: skip
    file = truth or (name / f"truth-{seed}.json" if name.is_dir() else Path(f"{name.name}-truth-{seed}.json"))
    outcome.write(file)
    troubled = [one for one in outcome.people if one.problem]
    for one in troubled[:5]:
        report_error(f"participant {one.number}: {one.problem}")
    print(
        f"{len(outcome.people)} took part, {outcome.finished} to the end: {outcome.votes} votes in "
        f"{outcome.seconds:.0f} s\nsaved {file}: what they like"
    )
    if troubled:
        raise typer.Exit(NOT_ALL)
