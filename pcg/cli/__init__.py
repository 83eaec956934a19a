"""The command line: `pcg COMMAND ...`, one thin function per command over the Python interface.

Commands read names and files, call the library and print; nothing is decided here that a Python user could not do.
Each imports what it needs inside its body, so that `pcg --help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

import pcg
from pcg.cli import (
    agents,
    archive,
    bench,
    breed,
    catalogue,
    conformance,
    connectx,
    convert,
    describe,
    doctor,
    export,
    games,
    gdl,
    judge,
    kernels,
    language,
    levels,
    lsp,
    metrics,
    play,
    prefer,
    prove,
    repair,
    rules,
    runs,
    studio,
    study,
    tournament,
    tune,
    vocabulary,
    yardstick,
)
from pcg.cli.console import Commands, set_verbosity
from pcg.cli.options import take_process

app = typer.Typer(
    name="pcg",
    cls=Commands,
    help="Procedural content generation for games: make levels, rules and games, judge them by playing, ask people.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"pcg {pcg.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    quiet: vocabulary.QuietOption = False,
    verbose: vocabulary.VerboseOption = False,
) -> None:
    set_verbosity(quiet=quiet, verbose=verbose)


for _module in (
    levels, repair, archive, breed, runs, rules, games, tune, metrics, judge, prove, play, export, studio, describe,
    agents, tournament, connectx, gdl, study, prefer, language, lsp, kernels, bench, conformance, yardstick, catalogue,
    doctor, convert,
):  # fmt: skip
    _module.register(app)
vocabulary.apply(app)


def main() -> None:
    """Entry point of the `pcg` command."""
    take_process()
    app()
