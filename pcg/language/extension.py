"""The extension for VS Code: colours for VGDL and GDL by TextMate grammars, and a client of the language server.

The grammars are computed from the ontology, so that they know every class, effect and termination there is. Other
editors read the same grammar files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from pcg.engine.vgdl import ontology
from pcg.engine.vgdl.values import COLOURS, DIRECTIONS
from pcg.language.gdl_help import KEYWORDS
from pcg.language.vgdl_words import SETS, SPECIAL

_SCHEMA = "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json"


def _any_of(names: Iterable[str]) -> str:
    """A regular expression for the names, longest first, as whole words."""
    return r"(?<![^\s=,>(])(" + "|".join(sorted(names, key=lambda n: (-len(n), n))) + r")(?![^\s=,#)])"


def vgdl_grammar() -> dict[str, Any]:
    """Return the TextMate grammar of VGDL.

    >>> vgdl_grammar()["scopeName"]
    'source.vgdl'
    """
    rules = [
        ("comment.line.number-sign.vgdl", r"#.*$"),
        ("keyword.control.set.vgdl", r"(?i)^\s*(" + "|".join(SETS) + r")\s*(?=#|$)"),
        ("keyword.control.game.vgdl", r"^\s*(BasicGame|GameSpace)\b"),
        ("keyword.operator.vgdl", r"(?<=\s)>(?=\s|$)|="),
        ("support.class.avatar.vgdl", _any_of(n for n, c in ontology.SPRITE_CLASSES.items() if c.avatar)),
        ("support.class.sprite.vgdl", _any_of(n for n, c in ontology.SPRITE_CLASSES.items() if not c.avatar)),
        ("support.function.effect.vgdl", _any_of(ontology.EFFECTS)),
        ("support.function.termination.vgdl", _any_of(ontology.TERMINATIONS)),
        ("variable.parameter.vgdl", r"[^\s=#>]+(?==)"),
        ("constant.language.vgdl", _any_of([*SPECIAL, *DIRECTIONS, *COLOURS, "True", "False"])),
        ("constant.numeric.vgdl", r"(?<![^\s=,:])-?\d+(\.\d+)?(?![^\s,:#])"),
    ]
    return _grammar("VGDL", "source.vgdl", ["vgdl"], rules)


def gdl_grammar() -> dict[str, Any]:
    """Return the TextMate grammar of GDL.

    >>> gdl_grammar()["fileTypes"]
    ['kif', 'gdl']
    """
    rules = [
        ("comment.line.semicolon.gdl", r";.*$"),
        ("keyword.operator.gdl", r"(?<=\()<="),
        ("keyword.control.gdl", r"(?i)(?<=\()(" + "|".join(k for k in KEYWORDS if k != "<=") + r")(?=[\s()])"),
        ("keyword.control.gdl", r"(?i)(?<=[\s(])terminal(?=[\s)])"),
        ("variable.other.gdl", r"\?[^\s();]+"),
        ("entity.name.function.gdl", r"(?<=\()[^\s();]+"),
        ("constant.numeric.gdl", r"(?<=[\s(])\d+(?=[\s)])"),
    ]
    return _grammar("GDL", "source.gdl", ["kif", "gdl"], rules)


def _grammar(name: str, scope: str, types: list[str], rules: list[tuple[str, str]]) -> dict[str, Any]:
    patterns = [{"name": kind, "match": match} for kind, match in rules]
    return {"$schema": _SCHEMA, "name": name, "scopeName": scope, "fileTypes": types, "patterns": patterns}


_CLIENT = """\
// Starts `pcg lsp` and lets VS Code speak with it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("pcg").get("command");
  client = new LanguageClient("pcg", "pcg", { command, args: ["lsp"] }, {
    documentSelector: ["vgdl", "gdl", "vgdl-level"].map((language) => ({ language })),
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
"""
_READ_ME = """\
# VGDL and GDL for VS Code

Colours, errors as you type, completion, explanations, renaming, an outline and formatting of VGDL games, their levels
and GDL rule sheets. It speaks with `pcg lsp`, so the toolkit must be installed with its extra `lsp`; the setting
`pcg.command` says where, if `pcg` is not on the path.

    npm install
    npx @vscode/vsce package
    code --install-extension pcg-language-*.vsix
"""


def extension_files() -> dict[str, str]:
    """Return the files of the extension, texts by their paths.

    >>> sorted(extension_files())[:3]
    ['README.md', 'extension.js', 'gdl.configuration.json']
    """
    package = {
        "name": "pcg-language",
        "displayName": "VGDL and GDL",
        "description": "Games and rule sheets of the pcg toolkit",
        "version": version("pcg-toolkit"),
        "publisher": "pcg",
        "license": "MIT",
        "engines": {"vscode": "^1.82.0"},
        "categories": ["Programming Languages", "Linters", "Formatters"],
        "main": "./extension.js",
        "dependencies": {"vscode-languageclient": "^9.0.1"},
        "contributes": {
            "languages": [
                {"id": "vgdl", "aliases": ["VGDL"], "extensions": [".vgdl"], "firstLine": "^(BasicGame|GameSpace)\\b",
                 "configuration": "./vgdl.configuration.json"},
                {"id": "gdl", "aliases": ["GDL"], "extensions": [".kif", ".gdl"],
                 "configuration": "./gdl.configuration.json"},
                {"id": "vgdl-level", "aliases": ["VGDL level"], "filenamePatterns": ["*lvl[0-9].txt",
                                                                                    "*lvl[0-9][0-9].txt"]},
            ],
            "grammars": [
                {"language": "vgdl", "scopeName": "source.vgdl", "path": "./vgdl.tmLanguage.json"},
                {"language": "gdl", "scopeName": "source.gdl", "path": "./gdl.tmLanguage.json"},
            ],
            "configuration": {
                "title": "pcg",
                "properties": {
                    "pcg.command": {"type": "string", "default": "pcg", "description": "The command `pcg`."}
                },
            },
        },
    }  # fmt: skip
    configurations = {
        "vgdl": {"comments": {"lineComment": "#"}, "wordPattern": r"[^\s#=>,]+"},
        "gdl": {"comments": {"lineComment": ";"}, "brackets": [["(", ")"]], "autoClosingPairs": [["(", ")"]],
                "wordPattern": r"[^\s();]+"},
    }  # fmt: skip
    files: dict[str, Any] = {
        "package.json": package,
        "vgdl.tmLanguage.json": vgdl_grammar(),
        "gdl.tmLanguage.json": gdl_grammar(),
        **{f"{name}.configuration.json": data for name, data in configurations.items()},
    }
    texts = {name: json.dumps(data, indent=2) + "\n" for name, data in files.items()}
    return {**texts, "extension.js": _CLIENT, "README.md": _READ_ME}
