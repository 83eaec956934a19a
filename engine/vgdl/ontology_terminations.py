"""The six terminations (reference/terminations 4); parameters of headers and game spaces (reference/language 1).

Tables only.
"""

from __future__ import annotations

from typing import Final

from pcg.engine.vgdl.ontology_params import Param, TerminationSpec

GAME_PARAMS: Final[dict[str, Param]] = {
    param.name: param
    for param in (
        Param("square_size", "int", -1, "block size; -1 fits the level into 800 pixels", "pixels", (1, 100)),
        Param("no_players", "int", 1, "number of players", "players", (1, 2)),
        Param("no_counters", "int", 0, "number of game counters", "counters", (0, 100)),
        Param("key_handler", "text", None, "`Pulse` for one step per key press; only matters to humans"),
        Param("obs", "sprites", None, "types that block the path-finder; enables it"),
    )
}
"""Parameters of the first line."""

SPACE_PARAMS: Final[dict[str, Param]] = {
    param.name: param
    for param in (
        Param("values", "text", None, "min:increment:max, or True:False", required=True),
        Param("string", "text", None, "description"),
        Param("value", "text", None, "fixes the parameter"),
    )
}
"""Options of a ParameterSet line."""

BASE_PARAMS: Final[tuple[Param, ...]] = (
    Param("limit", "int", 0, "threshold", "sprites or ticks", (0, 2000)),
    Param("win", "flags", None, "who wins, one flag per player; players without one lose"),
    Param("count_score", "bool", False, "whoever has the highest score wins instead"),
)


def _define(known: dict[str, TerminationSpec], name: str, help: str, *params: Param) -> None:
    own = tuple(p.name for p in params)
    known[name] = TerminationSpec(name, {p.name: p for p in (*BASE_PARAMS, *params)}, help, "terminations 4.2", own)


def _sprite(name: str, help: str, required: bool) -> Param:
    return Param(name, "sprite", None, help, required=required, must_exist=True)


def terminations() -> dict[str, TerminationSpec]:
    """All terminations."""
    known: dict[str, TerminationSpec] = {}
    three = tuple(_sprite(f"stype{i}", "what is counted", False) for i in (1, 2, 3))
    minimum = Param("min", "bool", False, "also above the limit")
    _define(known, "SpriteCounter", "at most `limit` sprites are left", _sprite("stype", "what is counted", True))
    _define(known, "SpriteCounterMore", "at least `limit` sprites are there", _sprite("stype", "what is counted", True))
    _define(known, "MultiSpriteCounter", "exactly `limit` sprites of up to three types are left", *three, minimum)
    _define(
        known,
        "MultiSpriteCounterSubTypes",
        "exactly `limit` sprites are left, of `subTypesNum` subtypes",
        _sprite("stype1", "what is counted", True),
        Param("subTypesNum", "int", -1, "number of populated subtypes", "types", (-1, 100)),
    )
    _define(
        known,
        "Timeout",
        "the tick `limit` is reached",
        Param("use_counter", "bool", False, "the game counters decide who wins"),
        Param("compare", "bool", False, "equal counters win against unequal ones"),
        Param("limits", "integers", "0", "one number per counter to compare with"),
    )
    _define(
        known,
        "StopCounter",
        "never fires; holds the counter terminations while the sum is the limit",
        *three,
        Param("min", "bool", False, "holds them while the sum is above the limit"),
    )
    return known
