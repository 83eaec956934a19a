"""Where a player's avatar stands, for searches whose statistics belong to a place.

The forward-model protocol does not say; this entry point answers for VGDL states. It is handed to a kernel by address,
and 0 in its stead means an engine whose players stand nowhere: then all places are alike.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import slot_address
from pcg.engine.kernel.layout import AVATAR_AT, sprite_at
from pcg.engine.kernel.runtime import entry_point, inner, load32


@inner
def sign(value: float) -> int:
    """0, 1 or 2 for a negative number, zero and a positive one."""
    if value < 0.0:
        return 0
    return 2 if value > 0.0 else 1


@entry_point("i8(i8, i8, i8)")
def vgdl_place(game: int, state: int, player: int) -> int:
    """A number for position and orientation of the player's avatar, below 2^31; 0 when it has none."""
    slot = load32(state + AVATAR_AT + 4 * player)
    if slot < 0:
        return 0
    avatar = sprite_at(slot_address(game, state, slot))
    where = (avatar.y & 0x3FFF) * 8192 + (avatar.x & 0x1FFF)
    return 1 + where * 9 + 3 * sign(avatar.oy) + sign(avatar.ox)
