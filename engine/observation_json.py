"""A state as the JSON dictionary of the learning track (reference/state 6.7), for agents in other languages.

`as_json` gives plain data ready for `json.dumps`, fields in the order in which the reference emits them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pcg.engine.observation import Observation, StateObservation
from pcg.engine.state import CATEGORIES
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.state import State

Json = dict[str, Any]

PHASES = ("START", "INIT", "ACT", "ABORT", "END")

CATEGORY_FIELDS: dict[str, str] = {
    "NPCPositions": "npc",
    "immovablePositions": "static",
    "movablePositions": "movable",
    "resourcesPositions": "resource",
    "portalsPositions": "portal",
    "fromAvatarSpritesPositions": "from-avatar",
}
"""The six category lists: JSON field -> category."""

OPTIONAL_FIELDS: Mapping[str, type] = {"imageArray": list, **dict.fromkeys(CATEGORY_FIELDS, list)}
"""Fields that are left out when there is nothing to say."""

FIELDS: Mapping[str, type] = {
    "isValidation": bool,
    "gameScore": float,
    "gameTick": int,
    "gameWinner": str,
    "isGameOver": bool,
    "worldDimension": list,
    "blockSize": int,
    "noOfPlayers": int,
    "avatarSpeed": float,
    "avatarOrientation": list,
    "avatarPosition": list,
    "avatarLastAction": str,
    "avatarType": int,
    "avatarHealthPoints": int,
    "avatarMaxHealthPoints": int,
    "avatarLimitHealthPoints": int,
    "isAvatarAlive": bool,
    "phase": str,
    "availableActions": list,
    "avatarResources": dict,
    "observationGrid": list,
    "observationGridNum": int,
    "observationGridMaxRow": int,
    "observationGridMaxCol": int,
    **{f"{name}{part}": int for name in CATEGORY_FIELDS for part in ("Num", "MaxRow")},
}
"""Fields that are always there, and the Python type of their values."""


def _single(value: float) -> float:
    """A number with the precision of a 32-bit float."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _point(value: tuple[float, float]) -> list[float]:
    return [float(value[0]), float(value[1])]


def _observation(seen: Observation) -> Json:
    return {
        "category": seen.category,
        "itype": seen.type,
        "obsID": seen.id,
        "position": {"x": float(seen.position[0]), "y": float(seen.position[1])},
        "reference": {"x": float(seen.reference[0]), "y": float(seen.reference[1])},
        "sqDist": seen.square_distance,
    }


def as_json(
    state: State, *, player: int = 0, phase: str = "ACT", validation: bool = False, image: bytes | None = None
) -> Json:
    """A state as the learning track's dictionary.

    Args:
        state: what to describe.
        player: whose avatar.
        phase: one of `PHASES`.
        validation: whether this belongs to a validation level.
        image: a PNG to send along.

    >>> import pcg
    >>> message = as_json(pcg.load("boxes").start(level=0, seed=1), phase="INIT")
    >>> message["gameTick"], message["gameWinner"], message["availableActions"][0]
    (0, 'NO_WINNER', 'ACTION_LEFT')
    """
    if phase not in PHASES:
        raise PcgError(f"unknown phase `{phase}`, expected one of {', '.join(PHASES)}")
    view = StateObservation(state, player)
    grid = view.grid()
    message: Json = {}
    if image is not None:
        message["imageArray"] = np.frombuffer(image, np.int8).tolist()
    message |= {
        "isValidation": validation,
        "gameScore": _single(view.score),
        "gameTick": view.tick,
        "gameWinner": view.winner.name,
        "isGameOver": view.is_game_over,
        "worldDimension": _point(view.world_size),
        "blockSize": view.block_size,
        "noOfPlayers": view.players,
        "avatarSpeed": _single(view.avatar_speed),
        "avatarOrientation": _point(view.avatar_orientation),
        "avatarPosition": _point(view.avatar_position),
        "avatarLastAction": f"ACTION_{view.avatar_last_action}",
        "avatarType": view.avatar_type,
        "avatarHealthPoints": view.avatar_health,
        "avatarMaxHealthPoints": view.avatar_max_health,
        "avatarLimitHealthPoints": view.avatar_limit_health,
        "isAvatarAlive": view.is_avatar_alive,
        "phase": phase,
        "availableActions": [f"ACTION_{name}" for name in view.available_actions()],
        "avatarResources": {str(kind): amount for kind, amount in view.avatar_resources.items()},
        "observationGrid": [[[_observation(seen) for seen in cell] for cell in column] for column in grid],
        "observationGridNum": len(grid),
        "observationGridMaxRow": len(grid[0]),
        "observationGridMaxCol": max(len(cell) for column in grid for cell in column),
    }
    sprites = dict(zip(CATEGORIES, view.by_category(), strict=True))
    for name, category in CATEGORY_FIELDS.items():
        lists = sprites[category]
        if lists:
            message[name] = [[_observation(seen) for seen in group] for group in lists]
        message[f"{name}Num"] = len(lists)
        message[f"{name}MaxRow"] = max((len(group) for group in lists), default=0)
    return message
