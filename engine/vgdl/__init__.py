"""The VGDL language: text to syntax tree to game definition, and back to text; levels; the ontology of what can be
named.

`read_game` and `read_level` are what most callers need. Names are loaded on first use, so importing this costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pcg.engine.vgdl import ontology
    from pcg.engine.vgdl.checker import check_game, check_level
    from pcg.engine.vgdl.definition import (
        Effect,
        GameDefinition,
        Level,
        Pair,
        SpriteType,
        Termination,
        TimeEffect,
    )
    from pcg.engine.vgdl.diagnostics import Diagnostic, PcgError, VGDLError, nearest
    from pcg.engine.vgdl.formatter import dumps, format_text
    from pcg.engine.vgdl.level import block_size, read_level
    from pcg.engine.vgdl.parser import loads, parse
    from pcg.engine.vgdl.resolver import read_game, resolve
    from pcg.engine.vgdl.rule_compiler import CompiledRules, RuleCompiler, rules_of
    from pcg.engine.vgdl.tree import Tree

_HOMES = {
    **dict.fromkeys(
        ("Effect", "GameDefinition", "Level", "Pair", "SpriteType", "Termination", "TimeEffect"), "definition"
    ),
    **dict.fromkeys(("Diagnostic", "PcgError", "VGDLError", "nearest"), "diagnostics"),
    **dict.fromkeys(("check_game", "check_level"), "checker"),
    **dict.fromkeys(("dumps", "format_text"), "formatter"),
    **dict.fromkeys(("block_size", "read_level"), "level"),
    **dict.fromkeys(("loads", "parse"), "parser"),
    **dict.fromkeys(("read_game", "resolve"), "resolver"),
    **dict.fromkeys(("CompiledRules", "RuleCompiler", "rules_of"), "rule_compiler"),
    "Tree": "tree",
}


def __getattr__(name: str) -> Any:
    if name == "ontology":
        return importlib.import_module("pcg.engine.vgdl.ontology")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pcg.engine.vgdl.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "ontology"})


__all__ = [
    "CompiledRules",
    "Diagnostic",
    "Effect",
    "GameDefinition",
    "Level",
    "Pair",
    "PcgError",
    "RuleCompiler",
    "SpriteType",
    "Termination",
    "TimeEffect",
    "Tree",
    "VGDLError",
    "block_size",
    "check_game",
    "check_level",
    "dumps",
    "format_text",
    "loads",
    "nearest",
    "ontology",
    "parse",
    "read_game",
    "read_level",
    "resolve",
    "rules_of",
]
