"""The GDL engine: rule sheets of general game playing, run at compiled speed.

`load` reads a sheet and gives a `GdlGame`; `parse`, `check` and `Sheet` are the language by itself. Names are loaded on
first use, so importing this costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports

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


__getattr__, __dir__ = _lazy_exports(__name__, _HOMES)


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
