"""The group `study`: human preference studies, from the first item to the report."""

from __future__ import annotations

import typer

from pcg.cli import study_manage, study_participant, study_replicate, study_results, study_serve, study_simulate

PANEL = "Ask people"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    study = typer.Typer(no_args_is_help=True, help="Human preference studies: people play two and choose one.")
    for module in (study_manage, study_serve, study_simulate, study_results, study_participant, study_replicate):
        module.register(study)
    app.add_typer(study, name="study", rich_help_panel=PANEL)
