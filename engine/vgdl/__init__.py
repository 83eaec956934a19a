"""The VGDL language: text to syntax tree to game definition, and back to text; levels; the ontology of what can be
named.

`read_game` and `read_level` are what most callers need. Names are loaded on first use, so importing this costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports

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
    "ontology": "ontology:",
}


__getattr__, __dir__ = _lazy_exports(__name__, _HOMES)


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
