"""Parts of a user's own in the place of the toolkit's: a fitness function, a level generator, an agent.

What is named as ``FILE.py:NAME``, or given as a Python object, becomes a plugin (`pcg.engine.registry.load_plugin`): a
text that worker processes load and that is written into the run, so that evaluation side by side, resumption and
reports work as with the toolkit's own parts. Objects that are in no file of their own (of a notebook, or of the program
that runs) are written to one, by value.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from pcg.engine.registry import load_plugin
from pcg.engine.vgdl.diagnostics import PcgError

HOMES = {
    "fitness": "pcg.evaluators.fitness_functions",
    "agent": "pcg.evaluators.agents.registry",
    "level-generator": "pcg.generators.levels.registry",
}
"""Kinds of parts, and the module that registers them."""

_IN_FILE = re.compile(r"([^,;]+\.py):([A-Za-z_]\w*)")


def load_part(plugin: str) -> None:
    """Load a plugin: a file, or a part in a file as ``FILE.py:KIND:NAME``.

    Raises:
        PcgError: see `load_plugin`.
    """
    kind = plugin.rsplit(":", 2)[-2] if ".py:" in plugin else ""
    if kind in HOMES:
        import_module(HOMES[kind])
    load_plugin(plugin)


def named_parts(kind: str, text: str) -> tuple[str, list[str]]:
    """Split a text that may name parts in files.

    Args:
        kind: of `HOMES`.
        text: as people type it; ``FILE.py:NAME`` stands where a name could stand, also among others.

    Returns:
        The text with names alone, and the plugins that it needs.

    >>> named_parts("agent", "mcts:depth=8,mine.py:Greedy:depth=3")
    ('mcts:depth=8,Greedy:depth=3', ['mine.py:agent:Greedy'])
    """
    plugins: list[str] = []

    def name_of(found: re.Match[str]) -> str:
        plugins.append(f"{found[1].strip()}:{kind}:{found[2]}")
        return found[2]

    return _IN_FILE.sub(name_of, text), plugins


def given_parts(kind: str, parts: Iterable[Any], beside: Path) -> tuple[list[str], list[str]]:
    """Return the names of parts that are given as texts or as objects, and the plugins that they need.

    Args:
        kind: of `HOMES`.
        parts: names, ``FILE.py:NAME``, functions, classes, or instances of agents.
        beside: file to write objects to that are in none.

    Raises:
        PcgError: for an object that cannot be written to a file.
    """
    names: list[str] = []
    plugins: list[str] = []
    kept: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, str):
            name, needed = named_parts(kind, part)
            names.append(name)
            plugins += needed
            continue
        text, part = _with_parameters(part) if kind == "agent" else ("", part)
        if part is None:  # an agent that the toolkit knows
            names.append(text)
            continue
        name = str(getattr(part, "__name__", ""))
        if not name.isidentifier():
            raise PcgError(f"{part!r} has no name; expected a function or class that was defined with one")
        file = _file_of(part, name)
        if file is None:
            kept[name] = part
        plugins.append(f"{beside if file is None else file}:{kind}:{name}")
        names.append(name + text)
    if kept:
        _write(beside, kept)
    return names, plugins


def _with_parameters(agent: Any) -> tuple[str, Any]:
    """Return the parameters of an agent as text, and its class; the whole text and None for one that is known."""
    from pcg.evaluators.agents import AGENTS, Agent

    if isinstance(agent, type) or not isinstance(agent, Agent):
        return "", agent
    cls = type(agent)
    values = [(p.name, getattr(agent, p.name), p.default) for p in cls.parameters]
    given = ",".join(f"{name}={value}" for name, value, default in values if value != default)
    text = f":{given}" if given else ""
    for name in AGENTS:
        entry = AGENTS.loaded(name)
        if entry is not None and entry.cls is cls:
            return name + text, None
    return text, cls


def _file_of(part: Any, name: str) -> Path | None:
    """Return the file of a part if importing that file alone defines the part; else None."""
    module = sys.modules.get(str(getattr(part, "__module__", "")))
    file = getattr(module, "__file__", None)
    if module is None or file is None or getattr(module, name, None) is not part:
        return None
    stem = Path(file).stem  # plugins of equal names are told apart by a digest
    return Path(file) if module.__name__ == stem or module.__name__.startswith(f"{stem}_") else None


def _write(path: Path, parts: Mapping[str, Any]) -> None:
    """Write objects to a Python file that defines them when it is imported."""
    import cloudpickle

    try:
        data = base64.b64encode(cloudpickle.dumps(dict(parts))).decode()
    except Exception as error:
        raise PcgError(f"{', '.join(parts)} cannot be saved for worker processes and `pcg resume`: {error}") from None
    lines = "\n".join(f'    "{data[at : at + 100]}"' for at in range(0, len(data), 100))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'"""Parts that a run was given as Python objects: {", ".join(parts)}."""\n\n'
        f"from pcg.own_parts import restored\n\nglobals().update(restored(\n{lines}\n))\n",
        encoding="utf-8",
    )


def restored(text: str) -> dict[str, Any]:
    """Return the objects that a file of parts holds, by name."""
    import pickle

    found: dict[str, Any] = pickle.loads(base64.b64decode(text))
    return found
