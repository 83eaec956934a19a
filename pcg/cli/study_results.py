"""Commands for the results of studies: `pcg study export`, `report` and `replay`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import bad, errors, escape, report_error
from pcg.cli.options import SeedOption
from pcg.cli.study_manage import NameArgument
from pcg.cli.study_serve import DatabaseOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pcg.engine.state import State

UNTRUE = 1
"""Exit code when a stored play is not what comes out when it is played again."""


class People(StrEnum):
    """Participants whose data is exported."""

    real = "real"
    simulated = "simulated"
    all = "all"


PeopleOption = Annotated[
    People | None,
    typer.Option("--people", help="Whose data. [default: those of people; of a study without any the simulated ones]"),
]


def register(study: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (export, report, replay):
        study.command()(command)


def export(
    name: NameArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder to write. [default: NAME-export]")] = None,
    people: PeopleOption = None,
    links: Annotated[
        bool, typer.Option("--links/--no-links", help="With the parameters of the participants' link that were kept.")
    ] = True,
    reasons: Annotated[bool, typer.Option("--reasons/--no-reasons", help="With what participants wrote.")] = True,
    database: DatabaseOption = None,
) -> None:
    """Write participants, items, pairs, plays and votes as CSV and JSON lines, with a codebook of every column."""
    from pcg.study.exporting import export_study
    from pcg.study.folders import open_study

    store = open_study(name, database)
    folder = out or Path(f"{name.name}-export")
    data = export_study(store, folder, people=people.value if people else "", links=links, reasons=reasons)
    rows = ", ".join(f"{len(rows)} {table}" for table, rows in data.tables.items())
    print(f"saved {folder}: {rows} ({data.people})")


def report(
    name: NameArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder to write. [default: NAME-report]")] = None,
    people: PeopleOption = None,
    attentive: Annotated[
        bool, typer.Option("--attentive", help="Leave out participants who failed an attention check.")
    ] = False,
    question: Annotated[str | None, typer.Option(help="Which question, where several were asked.")] = None,
    samples: Annotated[int, typer.Option(min=100, help="Samples of the bootstrap.")] = 1000,
    seed: SeedOption = 1,
    database: DatabaseOption = None,
) -> None:
    """Say what the votes mean: rankings with intervals and tests, as a page with tables and figures."""
    from pcg.study.folders import open_study
    from pcg.study.reporting import report_study

    page = report_study(
        open_study(name, database), out or Path(f"{name.name}-report"), people=people.value if people else "",
        attentive=attentive, question=question, samples=samples, seed=seed,
    )  # fmt: skip
    print(f"saved {page}")


def replay(
    name: NameArgument,
    participant: Annotated[
        str | None, typer.Option(help="Plays of this participant only: number, or id or the beginning of it.")
    ] = None,
    pair: Annotated[int | None, typer.Option(min=0, help="Plays of the pair at this position only, from 0.")] = None,
    play: Annotated[int | None, typer.Option(min=1, help="The play of this id only, as in plays.csv.")] = None,
    gif: Annotated[
        Path | None, typer.Option(help="Save plays as animated pictures: a .gif file for one play, else a folder.")
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Only check that every play leads to its stored result.")
    ] = False,
    fps: Annotated[float, typer.Option(help="Ticks a second in the terminal.")] = 15.0,
    database: DatabaseOption = None,
) -> None:
    """Play stored plays again exactly: in the terminal, as animated pictures, or only to check their results."""
    from pcg.study.folders import open_study
    from pcg.study.replaying import Replayer

    if fps <= 0:
        raise bad(f"--fps is {fps:g}, expected more than 0")
    replayer = Replayer(open_study(name, database))
    plays = replayer.plays(participant=participant, pair=pair, play=play)
    if not plays:
        print("there are no such plays")
        return
    wrong = ticks = 0
    true = []
    for stored, problem in replayer.verify(plays):
        ticks += stored.play.ticks
        if problem:
            wrong += 1
            report_error(f"{stored.title}: {problem}")
        else:
            true.append(stored)
    if gif is not None:
        if gif.suffix == ".gif" and len(plays) > 1:
            raise bad(f"{len(plays)} plays do not fit into the file {gif}: name a folder, or one play with --play")
        if gif.suffix != ".gif":
            gif.mkdir(parents=True, exist_ok=True)
        for stored in true:
            path = gif if gif.suffix == ".gif" else gif / f"play{stored.play.id}.gif"
            print(f"saved {replayer.gif(stored, path)}   {stored.title}")
    elif not verify:
        for stored in true:
            _watch(replayer.game(stored.item), stored.item.level, replayer.actions(stored), stored.play.seed, fps)
            verdict = {1: "won", 0: "lost"}.get(stored.play.winner, "over") if stored.play.over else "not finished"
            print(f"{stored.title}: {verdict} after {stored.play.ticks} ticks, score {stored.play.score:g}")
    errors().print(f"{escape(str(len(true)))} of {len(plays)} plays ({ticks} ticks) lead to their stored results")
    if wrong:
        raise typer.Exit(UNTRUE)


class _Tape:
    """Recorded actions in the place of an agent."""

    def __init__(self, actions: Sequence[str]) -> None:
        self._actions = iter(actions)

    def reset(self, state: State) -> None:
        """Nothing to get ready."""

    def act(self, state: State) -> str | None:
        return next(self._actions, None)


def _watch(game: object, level: str, actions: Sequence[str], seed: int, fps: float) -> None:
    """Show a play on a terminal; elsewhere there is nothing to see."""
    import sys

    from pcg.engine.game import Game
    from pcg.terminal import play_terminal

    assert isinstance(game, Game)
    if sys.stdout.isatty():
        play_terminal(game, level, agent=_Tape(actions), seed=seed, delay=1 / fps, show=True, max_ticks=len(actions))
