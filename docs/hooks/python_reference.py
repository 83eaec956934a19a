"""The reference of the Python functions (`docs/api`), which mkdocstrings writes from the docstrings.

mkdocs calls `on_startup` as a hook: griffe, which reads the sources for mkdocstrings, follows no import hooks, so it
gets a tree of links with the import names, as mypy does. `Examples` is an extension of griffe: our docstrings have
their examples as plain doctests, which Markdown would take for quotations.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).resolve().parent.parent.parent
TREE = ROOT / "build" / "api" / "pcg"
LAYERS = ("engine", "evaluators", "generators", "games")
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.M)


def on_startup(**_: Any) -> None:
    """Make the tree of links (a hook of mkdocs)."""
    TREE.mkdir(parents=True, exist_ok=True)
    wanted = {path.name: path for path in (*(ROOT / "pcg").iterdir(), *(ROOT / name for name in LAYERS))}
    for link in TREE.iterdir():
        link.unlink()
    for name, path in wanted.items():
        if name != "__pycache__":
            (TREE / name).symlink_to(path)


def fenced(text: str) -> str:
    """A docstring with its doctests as blocks of code."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```", text)


class Examples(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of an object that was read."""
        if obj.docstring is not None and ">>> " in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)
