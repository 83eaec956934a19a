"""A study of the levels that were starred on a page: the study that `pcg study new` makes of them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from pcg.runs.store import read_json
from pcg.studio.workspace import Workspace
from pcg.study.creation import make_study, read_plan
from pcg.study.items import Source
from pcg.web.guard import Refused
from pcg.web.marks import STARRED

LEAST = 2
"""Levels that a study compares at least."""


def study_of_starred(workspace: Workspace, run: Path, run_name: str, name: str) -> dict[str, Any]:
    """Make a study of the starred levels of a run.

    Args:
        workspace: where the folder of the study is made.
        run: folder of the run.
        run_name: its name on the pages.
        name: of the study.

    Returns:
        `folder`; `items`, how many levels; `command`, which makes the same; `serve`, the command that begins it.

    Raises:
        PcgError: for fewer than two starred levels, and a folder that is there already.
    """
    index = run / STARRED / "index.json"
    count = len(read_json(index)["levels"]) if index.is_file() else 0
    if count < LEAST:
        raise Refused(f"{count} levels are starred, expected at least {LEAST} for a study", 409)
    plan, _, texts = read_plan(name)
    made = make_study(workspace.folder / name, plan, [Source(str(run / STARRED))], texts=texts)
    return {
        "folder": str(made.folder.resolve()),
        "items": len(made.items),
        "command": shlex.join(["pcg", "study", "new", name, "--items", f"{run_name}/{STARRED}"]),
        "serve": shlex.join(["pcg", "study", "serve", name]),
    }
