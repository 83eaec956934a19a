"""Run the notebooks and keep their outputs: ``python -m tools.notebooks [NAME ...]``.

Outputs are stored so that the notebooks can be read where they cannot be run. To be called after a change to a
notebook, or to what its cells show; it takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
PLAIN = ("kernelspec", "language_info")
"""Parts that are kept of a notebook's metadata."""


def executed(path: Path, folder: Path) -> Any:
    """A notebook with the outputs of a run from top to bottom in a folder.

    Raises:
        CellExecutionError: where a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}})
    # figures are shown in the notebook, whatever the process that runs it does with its own
    client.execute(env={name: value for name, value in os.environ.items() if name != "MPLBACKEND"})
    notebook.metadata = {name: notebook.metadata[name] for name in PLAIN if name in notebook.metadata}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of day
    return notebook


def main() -> None:
    """Run the notebooks named, or all, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of names of notebooks; all without any")
    names = tuple(parser.parse_args().names) or ("",)
    for path in sorted(FOLDER.glob("*.ipynb")):
        if path.name.startswith(names):
            with tempfile.TemporaryDirectory() as folder:
                nbformat.write(executed(path, Path(folder)), path)
            print(f"{path.name}: {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
