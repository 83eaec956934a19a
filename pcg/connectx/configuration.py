"""Configuration of an episode, and the description of the environment that programs read.

The names and defaults are those of Kaggle's environment; `seed` is ours.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pcg.connectx.struct import Struct, structured
from pcg.engine.boards import ConnectX
from pcg.engine.boards.connect import MOST
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

NAME = "connectx"
VERSION = "1.0.1"
"""Of Kaggle's environment that this one behaves as."""

STATUSES = ("UNKNOWN", "ACTIVE", "INACTIVE", "DONE", "INVALID", "ERROR", "TIMEOUT")
FAULTS = ("INVALID", "ERROR", "TIMEOUT")
"""Statuses of an agent that has ended the episode by its own fault."""

CONFIGURATION: dict[str, dict[str, Any]] = {
    "episodeSteps": {
        "description": "Most steps of an episode, the first state counted.",
        "type": "integer",
        "minimum": 1,
        "default": 1000,
    },
    "actTimeout": {
        "description": "Seconds an agent has for an action before its overage time is used up.",
        "type": "number",
        "minimum": 0,
        "default": 2,
    },
    "timeout": {
        "description": "The same as actTimeout, under its older name.",
        "type": "number",
        "minimum": 0,
        "default": 2,
    },
    "agentTimeout": {
        "description": "Seconds of overage time an agent has in an episode, for its first action for example.",
        "type": "number",
        "minimum": 0,
        "default": 60,
    },
    "runTimeout": {
        "description": "Seconds after which an episode goes no further, whether it is done or not.",
        "type": "number",
        "minimum": 0,
        "default": 1200,
    },
    "columns": {
        "description": "Columns of the board.",
        "type": "integer",
        "minimum": 1,
        "maximum": MOST,
        "default": 7,
    },
    "rows": {"description": "Rows of the board.", "type": "integer", "minimum": 1, "maximum": MOST, "default": 6},
    "inarow": {
        "description": "Discs in a line that win.",
        "type": "integer",
        "minimum": 1,
        "maximum": MOST,
        "default": 4,
    },
    "seed": {
        "description": "Of the built-in agents' randomness; null draws one.",
        "type": ["integer", "null"],
        "default": None,
    },
}

SPECIFICATION: dict[str, Any] = {
    "name": NAME,
    "title": "ConnectX",
    "description": "Connect discs in a line, on a board of any size.",
    "version": VERSION,
    "agents": [2],
    "configuration": CONFIGURATION,
    "reward": {
        "description": "1 won, -1 lost, 0 neither; null for an agent whose fault ended the episode.",
        "enum": [-1, 0, 1, None],
        "default": 0,
    },
    "observation": {
        "board": {
            "description": "The cells, row by row from the top: 0 empty, 1 and 2 the players' discs.",
            "type": "array",
            "items": {"enum": [0, 1, 2]},
        },
        "mark": {"description": "Which discs are the agent's.", "enum": [1, 2]},
        "step": {"description": "Discs dropped so far.", "type": "integer", "minimum": 0},
        "remainingOverageTime": {
            "description": "Seconds that the agent may still take beyond actTimeout.",
            "type": "number",
        },
    },
    "action": {"description": "The column to drop a disc into.", "type": "integer", "minimum": 0, "default": 0},
    "status": {"enum": list(STATUSES)},
}


def read_configuration(given: Mapping[str, Any] | None = None) -> Struct:
    """The whole configuration, with defaults for what is not given.

    Raises:
        PcgError: something that is no mapping, an unknown name (with the nearest known one), a wrong type, a number out
            of range, or a line that is longer than the board.

    >>> read_configuration({"rows": 10, "inarow": 5}).columns
    7
    """
    if given is not None and not isinstance(given, Mapping):
        raise PcgError(f"the configuration is {given!r}, expected a dictionary such as {{'rows': 6}}")
    values = {name: entry["default"] for name, entry in CONFIGURATION.items()}
    given = dict(given or {})
    for name, value in given.items():
        if name not in CONFIGURATION:
            hint = did_you_mean(str(name), CONFIGURATION, f" (it has: {', '.join(CONFIGURATION)})")
            raise PcgError(f"the configuration has no `{name}`{hint}")
        values[name] = _accept(name, value)
    if "timeout" in given and "actTimeout" not in given:
        values["actTimeout"] = values["timeout"]
    values["timeout"] = values["actTimeout"]
    board(values["rows"], values["columns"], values["inarow"])
    return Struct(values)


def _accept(name: str, value: Any) -> Any:
    entry = CONFIGURATION[name]
    kind = entry["type"]
    if name == "seed" and value is None:
        return None
    low, high = entry.get("minimum", -(2**62)), entry.get("maximum", 2**62)
    limits = f"from {low} to {high}" if "maximum" in entry else f"of at least {low}" if "minimum" in entry else ""
    noun = "a number" if kind == "number" else "a whole number"
    wrong = PcgError(f"configuration: `{name}` is {value!r}, expected {noun} {limits}".rstrip())
    if isinstance(value, bool):
        raise wrong
    try:
        number = float(value) if kind == "number" and not isinstance(value, int | str) else operator.index(value)
    except (TypeError, ValueError):
        raise wrong from None
    if not (math.isfinite(number) and low <= number <= high):
        raise wrong
    return number


@lru_cache(maxsize=64)
def board(rows: int, columns: int, inarow: int) -> ConnectX:
    """The game of a configuration, made once for each."""
    return ConnectX(rows, columns, inarow)


def specification() -> Struct:
    """A description of configuration, observation, action and reward in the manner of JSON schemas."""
    made: Struct = structured(SPECIFICATION)
    return made
