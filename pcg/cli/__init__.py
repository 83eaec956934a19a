"""The command line: `pcg COMMAND ...`, one thin function per command over the Python interface.

Commands read names and files, call the library and print; nothing is decided here that a Python user could not do.
Each imports what it needs inside its body, so that `pcg --help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

import pcg
from pcg.cli import (
    boards,
    breeding,
    browsing,
    conformance,
    contests,
    evolving,
    explaining,
    gdl,
    kernels,
    language,
    making,
    measuring,
    mending,
    metrics,
    playing,
    preferring,
    studying,
    tuning,
    yardsticks,
)
from pcg.cli.console import Commands

app = typer.Typer(
    name="pcg",
    cls=Commands,
    help="Procedural content generation for games: check, play, measure and generate VGDL games and levels.",
    no_args_is_help=True,
    add_completion=False,
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


for _module in (
    making, mending, browsing, breeding, evolving, tuning, metrics, playing, explaining, contests, boards, gdl,
    studying, preferring, language, kernels, measuring, conformance, yardsticks,
):  # fmt: skip
    _module.register(app)


def main() -> None:
    """Entry point of the `pcg` command."""
    app()
