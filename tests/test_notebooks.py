"""The notebooks run from top to bottom, and are stored with the outputs of such a run (`python -m tools.notebooks`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tools.notebooks import executed

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


MACHINE = re.compile(r"(?<![\w.])/(?:tmp|work|root|home|Users)/\w")


def code_of(notebook: Any) -> list[Any]:
    """The cells that are run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(cell: Any) -> list[str]:
    """The kinds of outputs of a cell: texts and pictures, not what they say."""
    return sorted({kind for output in cell.outputs for kind in (output.get("data") or {output.output_type: ""})})


@pytest.mark.full
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs_and_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    for cell, run in zip(code_of(stored), code_of(executed(path, tmp_path)), strict=True):
        assert kinds(run) == kinds(cell), cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_is_stored_with_the_outputs_of_one_run(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = code_of(notebook)
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert outputs
    assert {output.output_type for output in outputs} <= {"stream", "display_data", "execute_result"}
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert MACHINE.findall(path.read_text(encoding="utf-8")) == []
    assert path.stat().st_size < 1_000_000, "pictures in a notebook are small"
