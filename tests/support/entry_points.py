"""Entry points of the kernels that a run of tests has used, and those that none of its processes has.

A run with ``PCG_ENTRY_POINTS=FOLDER`` leaves one file for each of its processes there (`tests/conftest.py`). What has
used an entry point has asked for its address: to call it, or to hand it to a kernel that calls it.

    python tests/support/entry_points.py FOLDER     # exit code 1 and their names when some were not used
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from pcg.engine.kernel.entry_points import EntryPoint
from pcg.engine.native.sources import entry_modules, packages


def write_used(folder: Path) -> None:
    """Write the entry points of the toolkit whose addresses this process has asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    used = sorted(_name(entry) for entry in EntryPoint.registry if entry.is_loaded)
    (folder / f"{os.getpid()}.txt").write_text("".join(f"{name}\n" for name in used), encoding="utf-8")


def unused(folder: Path) -> list[str]:
    """Return the entry points of the toolkit that no file in a folder names."""
    for package in packages():
        for module in entry_modules(package):
            importlib.import_module(module)
    used = {name for path in folder.glob("*.txt") for name in path.read_text(encoding="utf-8").splitlines()}
    return sorted({_name(entry) for entry in EntryPoint.registry if entry.module.startswith("pcg.")} - used)


def _name(entry: EntryPoint) -> str:
    return f"{entry.module}.{entry.name.partition('.')[2]}"


if __name__ == "__main__":
    left = unused(Path(sys.argv[1]))
    print("\n".join(["not used by any test:", *left]) if left else "every entry point was used")
    sys.exit(bool(left))
