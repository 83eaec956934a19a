"""Making, showing and keeping studies: `pcg study new`, `list`, `show`, `check`, `token`, `open`, `pause`, `close` and
`delete`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcg.cli.console import BAD_INPUT, bad, console, errors, escape, progress_bar
from pcg.cli.options import JsonOption, add_settings
from pcg.cli.sources import ReadingChoice
from pcg.cli.study_serve import DatabaseOption

if TYPE_CHECKING:
    from pcg.study.store import StudyStore

NameArgument = Annotated[Path, typer.Argument(help="Folder of the study, or with --database its name.")]


def register(study: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (new, show, check, token, open_, pause, close, delete):
        study.command(command.__name__.rstrip("_"))(command)
    study.command("list")(list_studies)


def new(
    name: Annotated[Path, typer.Argument(help="Folder to be made; its name is the name of the study.")],
    items: Annotated[
        list[str] | None,
        typer.Option(
            "--items",
            help="What is judged: a run folder, an archive.json, a folder of levels, a pattern of files as in "
            "'a/*.txt', a game file or a built-in game. Can be given several times.",
        ),
    ] = None,
    game: Annotated[str, typer.Option(help="Game of level files that have none beside them.")] = "",
    levels: Annotated[
        str, typer.Option(help="Levels taken of each game, as in 0-2 or all. [default: all; of runs that make games 0]")
    ] = "",
    count: Annotated[int, typer.Option("-n", "--count", min=0, help="The first so many of each source; 0: all.")] = 0,
    group_by: Annotated[
        str,
        typer.Option(
            help="What items are grouped by: generator (without a run the folder), run, folder, game, source or item."
        ),
    ] = "generator",
    config: Annotated[Path | None, typer.Option(help="File of settings: docs/study-configuration.md.")] = None,
    pairing: Annotated[str | None, typer.Option(help="How pairs are chosen: full, balanced, random, adaptive.")] = None,
    pairs: Annotated[int | None, typer.Option(help="Pairs that a participant judges.")] = None,
    minimum: Annotated[float | None, typer.Option(help="Seconds that each of a pair is played at least.")] = None,
    languages: Annotated[str | None, typer.Option(help="As in `en, zh, texts/de.toml`; the default first.")] = None,
    across_games: Annotated[
        bool, typer.Option("--across-games", help="Levels of different games may be compared.")
    ] = False,
    across_groups: Annotated[
        bool, typer.Option("--across-groups", help="Only items of different groups are compared.")
    ] = False,
    code: Annotated[str | None, typer.Option(help="Completion code shown at the end.")] = None,
    redirect: Annotated[str | None, typer.Option(help="Address to go on to at the end.")] = None,
    checks: Annotated[
        str,
        typer.Option(
            "--check", help="auto: make the attention checks of the levels themselves, by walling the avatar in."
        ),
    ] = "",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Any other setting, as in play.restarts=0 or access.most=100.")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure/--no-measure", help="Measure levels of which no run tells measures.")
    ] = True,
    database: DatabaseOption = None,
    reading: ReadingChoice = None,
) -> None:
    """Make a study: a folder with its configuration, its database with all games, levels and texts, and the
    researcher's token.

    Every text is checked. Nothing is made when one of them cannot be used.
    """
    from pcg.study.creation import make_study, read_plan
    from pcg.study.items import Source

    if checks not in ("", "auto"):
        raise bad(f"--check is {checks!r}, expected auto")
    if not name.name:
        raise bad(f"`{name}` is no name of a study")
    given: dict[str, dict[str, Any]] = {}
    add_settings(given, settings, "play.restarts=0")
    options: tuple[tuple[str, str, object], ...] = (
        ("study", "languages", languages), ("design", "pairing", pairing), ("design", "pairs", pairs),
        ("play", "minimum", minimum), ("access", "code", code), ("access", "redirect", redirect),
        ("design", "within_game", False if across_games else None),
        ("design", "across_groups", True if across_groups else None),
    )  # fmt: skip
    for section, key, chosen in options:
        if chosen is not None:
            given.setdefault(section, {})[key] = chosen
    plan, sources, texts = read_plan(name.name, config, given)
    named = [
        Source(what, game=game, levels=levels, count=count, reading=reading.value if reading else "")
        for what in items or ()
    ]
    with progress_bar() as bar:
        task = bar.add_task("checking", total=None)
        made = make_study(
            name, plan, [*named, *sources], texts=texts, database=database, group_by=group_by, measure=measure,
            auto_checks=plan.checks if checks == "auto" else 0,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )  # fmt: skip
    groups: dict[str, int] = {}
    for item in made.items:
        if not item.check:
            groups[item.group] = groups.get(item.group, 0) + 1
    for note in made.notes:
        errors().print(f"note: {escape(note)}")
    print(f"made {made.folder}: {sum(groups.values())} items in {len(groups)} groups")
    for group, number in groups.items():
        print(f"  {group}: {number}")
    print(f"put it before people with: pcg study serve {made.folder}")


def _open(name: Path, database: str | None) -> StudyStore:
    from pcg.study.folders import open_study

    return open_study(name, database)


def list_studies(
    folder: Annotated[Path, typer.Argument(help="Folder that holds studies.")] = Path(),
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the studies in a folder, or those of a database."""
    from rich.table import Table

    from pcg.study.database import study_names
    from pcg.study.folders import open_database, studies_in
    from pcg.study.store import StudyStore

    if database is not None:
        engine = open_database(database)
        found = [(name, StudyStore(engine, name)) for name in study_names(engine)]
    else:
        found = [(str(path), _open(path, None)) for path in studies_in(folder)]
    rows = []
    for name, store in found:
        people = [p for p in store.participants() if not p.simulated]
        rows.append({
            "study": name, "state": store.state, "items": len(store.items), "participants": len(people),
            "finished": sum(p.finished is not None for p in people), "votes": len(store.vote_rows()),
            "made": _day(store.created),
        })  # fmt: skip
    if as_json:
        print(json.dumps(rows, indent=1))
    elif not rows:
        print("there are no studies")
    else:
        table = Table(*rows[0])
        for row in rows:
            table.add_row(*(escape(str(value)) for value in row.values()))
        console().print(table)


def _day(moment: float | None) -> str:
    return "" if moment is None else datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def show(name: NameArgument, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """Show what a study is, its items and how far it is."""
    import json

    from rich.table import Table

    from pcg.study.rows import SIDES

    store = _open(name, database)
    votes = store.vote_rows()
    people = store.participants()
    judged: dict[int, int] = {}
    for vote in votes:
        for item in filter(None, (vote[side] for side in SIDES)):
            judged[item] = judged.get(item, 0) + 1
    progress = {
        "participants": len(people),
        "consented": sum(p.consented is not None for p in people),
        "finished": sum(p.finished is not None for p in people),
        "simulated": sum(p.simulated for p in people),
        "votes": len(votes),
    }
    if as_json:
        listed = [
            {"name": i.name, "group": i.group, "game": i.game, "check": i.check, "votes": judged.get(i.id, 0),
             "features": dict(i.features)}
            for i in store.items
        ]  # fmt: skip
        about = {"name": store.name, "state": store.state, "created": store.created, **progress, "items": listed}
        print(json.dumps(about, indent=1, ensure_ascii=False))
        return
    config = store.config
    print(f"{store.name}: {store.state}, made {_day(store.created)} (UTC)")
    print(", ".join(f"{number} {what}" for what, number in progress.items()))
    print(
        f"{config.pairing} pairing, {config.pairs} pairs and {config.checks} checks each, at least "
        f"{config.minimum:g} s of play; {config.languages}"
    )
    if config.opens or config.closes:
        print(f"open from {config.opens or 'the beginning'} to {config.closes or 'the end'}")
    table = Table("item", "group", "game", "check", "shown in votes", "measures")
    for item in store.items:
        shown = str(judged.get(item.id, 0))
        table.add_row(
            escape(item.name), escape(item.group), escape(item.game), item.check, shown, str(len(item.features))
        )
    console().print(table)


def check(name: NameArgument, database: DatabaseOption = None) -> None:
    """Check a study before it goes out, or after the toolkit changed: configuration, texts, every game and level."""
    from pcg.study.checks import check_study

    store = _open(name, database)
    problems, notes = check_study(store)
    for note in notes:
        errors().print(f"note: {escape(note)}")
    for problem in problems:
        errors().print(f"pcg: {escape(problem)}")
    if problems:
        raise typer.Exit(BAD_INPUT)
    print(f"{store.name}: {len(store.items)} items, nothing wrong")


def token(
    name: NameArgument,
    new: Annotated[bool, typer.Option("--new", help="Make another one; the old one is of no use then.")] = False,
    database: DatabaseOption = None,
) -> None:
    """Print the researcher's token."""
    from pcg.study.folders import TOKEN, write_secret

    store = _open(name, database)
    file = name / TOKEN
    if new:
        secret = store.new_token()
        if name.is_dir():
            write_secret(file, secret)
        print(secret)
        return
    if not file.is_file():
        raise bad(f"there is no file {file}: only that file holds the token; make another one with --new")
    secret = file.read_text(encoding="utf-8").strip()
    if not store.is_researcher(secret):
        raise bad(f"the token in {file} is not the study's any more; make another one with --new")
    print(secret)


def _set_state(name: Path, database: str | None, state: str, told: str) -> None:
    store = _open(name, database)
    store.set_state(state)
    print(f"{store.name} is {told}")


def open_(name: NameArgument, database: DatabaseOption = None) -> None:
    """Let participants in (again)."""
    _set_state(name, database, "open", "open")


def pause(name: NameArgument, database: DatabaseOption = None) -> None:
    """Let nobody in for now; who is in the middle of a pair can finish later."""
    _set_state(name, database, "paused", "paused")


def close(name: NameArgument, database: DatabaseOption = None) -> None:
    """End the study: nobody begins any more."""
    _set_state(name, database, "closed", "closed")


def delete(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database: DatabaseOption = None,
) -> None:
    """Delete a study with everything that belongs to it: items, participants, plays and votes."""
    import shutil

    from pcg.study.database import delete_study
    from pcg.study.folders import is_study

    store = _open(name, database)
    votes = len(store.vote_rows())
    if not yes:
        told = f"{store.name} with {len(store.participants())} participants and {votes} votes"
        typer.confirm(f"Delete {told} for good?", abort=True)
    delete_study(store.engine, store.name)
    store.engine.dispose()
    if is_study(name) and (database is None or (name / "database").is_file()):
        shutil.rmtree(name)
    print(f"deleted {store.name}")
