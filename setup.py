"""Packages of the distribution, found in the folders of a checkout; everything else is in pyproject.toml.

`engine`, `evaluators`, `generators` and `games` stand beside `pcg` and are installed inside it.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
LAYERS = ("engine", "evaluators", "generators", "games")


def packages() -> dict[str, str]:
    """Return the folder of every package by its import name."""
    found = {}
    for top in ("pcg", *LAYERS):
        for marker in sorted((ROOT / top).rglob("__init__.py")):
            folder = marker.parent.relative_to(ROOT)
            found[".".join(folder.parts if top == "pcg" else ("pcg", *folder.parts))] = folder.as_posix()
    return found


if __name__ == "__main__":
    setup(packages=list(packages()), package_dir=packages())
