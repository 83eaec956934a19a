"""Commands that explain games: `describe` says what a game is, `minimise` takes out what never matters."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pcg.cli.console import INTERRUPTED, bad, progress_bar, report_error, write_file
from pcg.cli.options import JsonOption, SeedOption
from pcg.cli.sources import ReadingChoice, level_of

if TYPE_CHECKING:
    from pcg.minimise import Minimised

PANEL = "Games"
PICTURES = (".svg", ".png")


class Format(StrEnum):
    """Format of a description."""

    text = "text"
    markdown = "markdown"
    html = "html"
    json = "json"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(describe)
    app.command(rich_help_panel=PANEL)(minimise)


def describe(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    level: Annotated[
        str | None, typer.Option("--level", help="Look at this level as well: its number in the game, or a file.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How it is laid out; html holds the diagram.")] = Format.text,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write instead of printing.")] = None,
    diagram: Annotated[Path | None, typer.Option(help="Picture to draw, .svg or .png: what does what to what.")] = None,
    language: Annotated[str, typer.Option(help="Language of the sentences: en or zh (Chinese).")] = "en",
    reading: ReadingChoice = None,
    as_json: JsonOption = False,
) -> None:
    """Explain a game in plain words: things, rules, keys, how it is won and lost. Diagrams are in English."""
    from pcg.cli.sources import load_with_levels
    from pcg.describe import describe as explain
    from pcg.describe import draw_diagram, save_diagram, to_html, to_json, to_markdown, to_text

    form = Format.json if as_json else form
    if diagram is not None and diagram.suffix.lower() not in PICTURES:
        raise bad(f"a diagram is a .svg or .png file, not `{diagram}`")
    loaded = load_with_levels(game, reading=reading and reading.value)
    at = None if level is None else level_of(level)
    description = explain(loaded, at, language=language)
    drawn = description if language == "en" else explain(loaded, at)
    if diagram is not None:
        save_diagram(loaded, diagram, drawn)
    if form is Format.text:
        text = to_text(description)
    elif form is Format.json:
        text = to_json(description)
    elif form is Format.html:
        text = to_html(description, draw_diagram(loaded, drawn))
    else:
        beside = out is not None and diagram is not None and out.resolve().parent == diagram.resolve().parent
        shown = "" if diagram is None else diagram.name if beside else str(diagram)
        text = to_markdown(description, shown)
    if out is None:
        print(text, end="")
        if diagram is not None:
            print(f"saved {diagram}", file=sys.stderr)
        return
    write_file(out, text)
    print(f"saved {out}" + (f" and {diagram}" if diagram is not None else ""))


def minimise(
    game: Annotated[str, typer.Argument(help="Name of a built-in game, or a game file.")],
    levels: Annotated[str, typer.Option(help="Levels that are played: all, or as in 0-2,4.")] = "all",
    agents: Annotated[
        list[str] | None,
        typer.Option(help="Agents with commas between, as in `mcts:depth=12,random,my.py:Greedy`; may be repeated."),
    ] = None,
    seed: SeedOption = 1,
    seeds: Annotated[int, typer.Option(min=1, help="Plays of each agent on each level.")] = 2,
    budget: Annotated[str, typer.Option()] = "200calls",
    max_ticks: Annotated[int, typer.Option(min=1, help="Ticks of a play.")] = 300,
    rename: Annotated[
        bool, typer.Option("--rename", help="Name sprites after what they are for: avatar, wall, enemy1, coin ...")
    ] = False,
    drop_unmet: Annotated[
        bool,
        typer.Option("--drop-unmet", help="Also take out ways to win or lose, and stops of movers, that no play met."),
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write instead of printing.")] = None,
    reading: ReadingChoice = None,
) -> None:
    """Take rules, terminations, sprites and parameters out of a game that never matter.

    Agents play the game. What can go without changing any of their plays, tick by tick, goes; what went and why is told
    on standard error. An interrupt (Ctrl-C) ends the search; the best so far is written.
    """
    from pcg.cli.sources import load_with_levels
    from pcg.evaluators.tournament.games import Entry, select_levels, split_agents
    from pcg.minimise import minimise as search
    from pcg.minimise.plays import AGENTS

    loaded = load_with_levels(game, reading=reading and reading.value)
    chosen = select_levels(levels, [Entry(loaded.name, "", "", 1, len(loaded.levels), "")])[loaded.name]
    players = split_agents(agents) if agents else AGENTS
    with progress_bar() as bar:
        task = bar.add_task("plays", total=None)
        done = search(
            loaded, levels=chosen, agents=players, seeds=seeds, seed=seed, budget=budget,
            max_ticks=max_ticks, keep_unmet=not drop_unmet, names=rename,
            progress=lambda what, at, of: bar.update(task, description=what, completed=at, total=of),
        )  # fmt: skip
    _report(done)
    if out is None:
        print(done.text, end="")
    else:
        write_file(out, done.text)
        print(f"saved {out}")
    if done.interrupted:
        report_error("interrupted; this is the best so far")
        raise typer.Exit(INTERRUPTED)


def _report(done: Minimised) -> None:
    def say(text: str) -> None:
        print(text, file=sys.stderr)

    say(f"looked at {done.looked_at}; tried {done.tried} smaller games")
    for removal in done.removed:
        say(f"removed {removal}")
    if not done.removed:
        say("nothing can be removed")
    for kept in done.kept:
        say(f"kept {kept}")
    if done.renamed:
        say("renamed " + ", ".join(f"{old} to {new}" for old, new in done.renamed.items()))
    for finding in done.strict:
        say(f"not strict: {finding}")
