"""Commands that make levels: `levels`, `resume`, `report` and `generators`."""

from __future__ import annotations

import typer

from pcg.cli.console import print_parameters

PANEL = "Make"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(rich_help_panel=PANEL)(generators)


def generators() -> None:
    """List the level generators and their parameters."""
    from pcg.generators.levels import GENERATORS

    print_parameters((kind.name, kind.help, kind.parameters) for kind in GENERATORS.values())
