"""The GDL engine: rule sheets of general game playing, run at compiled speed.

`load` reads a sheet and gives a `GdlGame`; `parse`, `check` and `Sheet` are the language by itself. Names are loaded on
first use, so importing this costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pcg.engine.gdl.checker import Program, analyse, check
    from pcg.engine.gdl.errors import GDLError, GroundingLimit
    from pcg.engine.gdl.game import GdlGame, GdlState, Playouts, load
    from pcg.engine.gdl.grounding import Limits
    from pcg.engine.gdl.parser import parse, read
    from pcg.engine.gdl.tree import Sheet

_HOMES = {
    **dict.fromkeys(("Program", "analyse", "check"), "checker"),
    **dict.fromkeys(("GDLError", "GroundingLimit"), "errors"),
    **dict.fromkeys(("GdlGame", "GdlState", "Playouts", "load"), "game"),
    "Limits": "grounding",
    **dict.fromkeys(("parse", "read"), "parser"),
    "Sheet": "tree",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pcg.engine.gdl.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = [
    "GDLError",
    "GdlGame",
    "GdlState",
    "GroundingLimit",
    "Limits",
    "Playouts",
    "Program",
    "Sheet",
    "analyse",
    "check",
    "load",
    "parse",
    "read",
]
