"""The form of serialised states: a checksum, what game and level a state is of, its events, and its block of memory.

Kernels do not check what they read, so no block is taken over that is not exactly what was written, or that has not the
layout which the level calls for.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass

from pcg.engine.arrays import StateHeader
from pcg.engine.context import Context
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.bounds import MAX_ROOM
from pcg.engine.vgdl.diagnostics import PcgError

_MAGIC = b"PCGSTATE3"
_CHECK = 8
"""Bytes of the checksum behind the magic word."""
_EVENT = 32
"""Bytes of an event."""


@dataclass(frozen=True, slots=True)
class StateData:
    """Everything of a state that can be written down.

    Args:
        digest: of the game.
        rows: of the level text.
        room: sprites that the block has room for.
        history: the events so far.
        block: the used part of the block of memory.
    """

    digest: str
    rows: tuple[str, ...]
    room: int
    history: bytes
    block: bytes

    def to_bytes(self) -> bytes:
        """Return the serialised state."""
        meta = json.dumps(
            {"game": self.digest, "rows": self.rows, "room": self.room}, separators=(",", ":")
        ).encode()  # fmt: skip
        sizes = struct.pack("<III", len(meta), len(self.history), len(self.block))
        body = b"".join((sizes, meta, self.history, self.block))
        return _MAGIC + _checksum(body) + body

    @classmethod
    def from_bytes(cls, data: bytes) -> StateData:
        """Read a serialised state.

        Raises:
            PcgError: for anything else.
        """
        start = len(_MAGIC) + _CHECK
        head = start + 12
        if not data.startswith(_MAGIC) or len(data) < head:
            raise PcgError("these bytes are not a serialised state")
        size, past, used = struct.unpack("<III", data[start:head])
        if len(data) != head + size + past + used:
            raise PcgError(f"a serialised state of {head + size + past + used} bytes was expected, got {len(data)}")
        if _checksum(data[start:]) != data[len(_MAGIC) : start]:
            raise PcgError("these bytes are a serialised state that has been changed")
        try:
            meta = json.loads(data[head : head + size])
            rows, room, digest = tuple(map(str, meta["rows"])), int(meta["room"]), str(meta["game"])
        except (ValueError, KeyError, TypeError) as error:
            raise PcgError("these bytes are not a serialised state") from error
        return cls(digest, rows, room, data[head + size : head + size + past], data[head + size + past :])

    def fits(self, context: Context) -> bool:
        """Return True if the block has the layout of blocks of this context and of its own room."""
        if not 0 < self.room < 2 * MAX_ROOM or len(self.history) % _EVENT or len(self.block) < L.STATE.itemsize:
            return False
        given = StateHeader.from_buffer_copy(self.block)
        arena = context.arena(self.room)
        model = arena.take()
        expected = StateHeader.from_address(model)
        layout = [name for name, spec in (L.STATE.fields or {}).items() if spec[1] >= L.COPIED_HEADER]
        same = all(getattr(given, name) == getattr(expected, name) for name in layout)
        arena.free.append(model)
        size = given.at_sprites + given.slots * context.tables.stride
        return same and 0 <= given.slots <= self.room and len(self.block) == size


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECK).digest()
