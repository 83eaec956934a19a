"""Positions of avatars as numbers, for searches whose statistics belong to a place or that shun places visited lately.

The forward-model protocol does not tell positions, so kernels get one of these
entry points by address. VGDL keeps its avatars at pixels, which are read directly; of any other engine a place is what
the protocol tells about it: the distances to the nearest thing of each kind.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import slot_address
from pcg.engine.kernel.layout import AVATAR_AT, sprite_at
from pcg.engine.kernel.protocol import features, model_at
from pcg.engine.kernel.runtime import entry_point, inner, load32, load64
from pcg.evaluators.agents.kernel.decision import decision_at

NOWHERE = -1
"""The place of a player without an avatar."""

_MIX = 1_000_003
_MASK = (1 << 31) - 1


@entry_point("i8(i8, i8)")
def avatar_position(decision: int, state: int) -> int:
    """The avatar's pixels as one number; NOWHERE when it is gone. For states of the VGDL engine only."""
    d = decision_at(decision)
    slot = load32(state + AVATAR_AT + 4 * d.player)
    if slot < 0:
        return NOWHERE
    avatar = sprite_at(slot_address(model_at(d.model).game, state, slot))
    return ((avatar.y & _MASK) << 31) + (avatar.x & _MASK)


@entry_point("i8(i8, i8)")
def distance_hash(decision: int, state: int) -> int:
    """A hash of the distances from the avatar to the nearest thing of each kind (for any engine)."""
    d = decision_at(decision)
    place = 0
    for k in range(features(d.model, state, d.player, d.features, 2 * d.kind_count) // 2):
        place = (place * _MIX + load64(d.features + 16 * k + 8) % _MASK) & _MASK
    return place


@inner
def sign(value: float) -> int:
    """0, 1 or 2 for a negative number, zero and a positive one."""
    if value < 0.0:
        return 0
    return 2 if value > 0.0 else 1


@entry_point("i8(i8, i8, i8)")
def position_and_orientation(game: int, state: int, player: int) -> int:
    """A number for position and orientation of the player's avatar, below 2^31; 0 when it has none."""
    slot = load32(state + AVATAR_AT + 4 * player)
    if slot < 0:
        return 0
    avatar = sprite_at(slot_address(game, state, slot))
    where = (avatar.y & 0x3FFF) * 8192 + (avatar.x & 0x1FFF)
    return 1 + where * 9 + 3 * sign(avatar.oy) + sign(avatar.ox)
