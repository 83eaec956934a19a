"""Memory image of a game on a level, for kernels that run elsewhere: in WebAssembly, or in another process.

The arrays of a context (`pcg.engine.context`) follow each other in one block of bytes, and the addresses in its records
are rewritten as if the block lay at a given base. Functions have no address before they are loaded, so the image says
where which one belongs: in WebAssembly the number written there is a slot of the function table. States hold no
addresses outside of their scratch memory, which is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.arrays import context_record, view_memory
from pcg.engine.context import Context, PathInputs, path_inputs
from pcg.engine.kernel import layout as L
from pcg.engine.kernel import protocol
from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.sprite_tables import copy_of

ARRAY_FIELDS = (
    "types",
    "templates",
    "effects",
    "entries",
    "time_effects",
    "terminations",
    "ints",
    "doubles",
    "rank",
    "level",
    "level_start",
    "level_corners",
    "cell_start",
    "cell_items",
    "cell_mask",
    "level_mates",
    "dirty_masks",
    "paths",
    "extensions",
)
"""The fields of `kernel.layout.CONTEXT` that are addresses of arrays."""
ADDRESS_FIELDS = (*ARRAY_FIELDS, "initial", "advance")
"""All its fields that are addresses: of arrays, of the state before tick 0, of the function that plays a tick."""
MODEL_FUNCTIONS = (
    "copy",
    "advance",
    "over",
    "outcome",
    "score",
    "actions",
    "key",
    "reseed",
    "features",
    "events",
    "cell",
    "map",
    "counts",
    "atoms",
    "work",
)
"""The fields of `kernel.protocol.MODEL` that are addresses of functions."""
DEFAULT_BASE = 1 << 20
_LINE = 64
"""Arrays begin on lines of the cache, as states must."""


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """Place in the image for the address of a function (eight bytes)."""

    at: int
    symbol: str
    """The name under which a module exports the function."""
    module: str
    """The Python module it comes from: that of a user for own effects and classes."""


@dataclass(frozen=True, slots=True)
class Image:
    """Everything that kernels read of a game on a level. All places are addresses, as if `data` lay at `base`.

    Attributes:
        base: where the image is to be put.
        data: its bytes.
        context: the CONTEXT record.
        model: the MODEL record, for search kernels.
        initial: the state before tick 0, to be copied from; not a block that can be played in.
        room: how many moving sprites a new state should have room for.
        functions: the places that wait for functions.
        parts: the arrays in `data`, one after the other: the name of each and its bytes, padding included.
        paths: where a path-finder's table belongs that was left out, and what it is computed from.
    """

    base: int
    data: bytes
    context: int
    model: int
    initial: int
    room: int
    functions: tuple[FunctionPlace, ...]
    parts: tuple[tuple[str, int], ...] = ()
    paths: tuple[int, PathInputs] | None = None

    def __repr__(self) -> str:
        return f"<image of {len(self.data)} bytes at {self.base}, {len(self.functions)} functions to fill in>"

    @property
    def end(self) -> int:
        """The first address behind the image, and behind the table that was left out."""
        end = self.base + len(self.data)
        if self.paths is not None:
            at, inputs = self.paths
            end = at + -(-(len(inputs.blocked) ** 2) // _LINE) * _LINE
        return end

    def as_dict(self) -> dict[str, Any]:
        """Everything but the bytes as plain data, with the places in a state block that a player has to know."""
        return {
            "base": self.base,
            "end": self.end,
            "context": self.context,
            "model": self.model,
            "initial": self.initial,
            "room": self.room,
            "functions": [[f.at, f.symbol] for f in self.functions],
            "state": {name: spec[1] for name, spec in (L.STATE.fields or {}).items()},
        }


def image_of(context: Context, base: int = DEFAULT_BASE, *, paths: bool = True) -> Image:
    """Return the image of a context.

    Args:
        context: a game on a level.
        base: address of the first byte, a multiple of 64 (and not 0, which means "none").
        paths: False leaves a path-finder's table out: it is as large as the square of the cells and can be computed
            where the image goes (`Image.paths`).

    Raises:
        PcgError: for a base that does not fit, or a function that is no entry point of this process.
    """
    if base <= 0 or base % _LINE:
        raise PcgError(f"an image cannot begin at address {base}, expected a positive multiple of {_LINE}")
    writer = _Writer(base)
    record = copy_of(view_memory(context, context.address, L.CONTEXT, 1))
    model = copy_of(view_memory(context, context.model().address, protocol.MODEL, 1))
    inputs = None if paths else path_inputs(context.level, context.tables)
    at = writer.reserve("context", record.nbytes)
    model_at = writer.reserve("model", model.nbytes)
    kept = {array.ctypes.data: array for array in context._keep if isinstance(array, np.ndarray)}
    for name in ARRAY_FIELDS:
        address = int(record[0][name])
        if address and not (name == "paths" and inputs is not None):
            record[0][name] = writer.put(name, _with_functions_named(name, kept[address], writer))
    record[0]["initial"] = writer.put("initial", _used(context, context.initial))
    if inputs is not None:
        record[0]["paths"] = writer.next_place
    writer.function(at + _offset(L.CONTEXT, "advance"), int(record[0]["advance"]))
    record[0]["advance"] = 0
    model[0]["game"] = at
    for name in MODEL_FUNCTIONS:
        writer.function(model_at + _offset(protocol.MODEL, name), int(model[0][name]))
        model[0][name] = 0
    writer.fill(at, record.tobytes())
    writer.fill(model_at, model.tobytes())
    initial = int(record[0]["initial"])
    return Image(
        base,
        bytes(writer.data),
        at,
        model_at,
        initial,
        context.room,
        tuple(writer.functions),
        tuple(writer.parts),
        None if inputs is None else (writer.next_place, inputs),
    )


def used_bytes(context: Context, address: int) -> int:
    """Return how many bytes of the state at an address are in use: all but free slots, and scratch."""
    header = context.header(address)
    return int(header["at_sprites"]) + int(header["slots"]) * int(context_record(context)["stride"])


def _used(context: Context, address: int) -> bytes:
    return bytes(view_memory(context, address, np.dtype(np.uint8), used_bytes(context, address)))


def _with_functions_named(name: str, array: Any, writer: _Writer) -> bytes:
    """The bytes of an array about to be written, its addresses of users' functions noted and taken out."""
    if name not in ("extensions", "types"):
        return bytes(np.ascontiguousarray(array).tobytes())
    copy = copy_of(array)
    column = copy if name == "extensions" else copy["update"]
    offset = 0 if name == "extensions" else _offset(L.TYPE, "update")
    at = writer.next_place
    for k, address in enumerate(column.tolist()):
        writer.function(at + k * copy.itemsize + offset, address)
    column[:] = 0
    return bytes(copy.tobytes())


def _offset(dtype: np.dtype[Any], name: str) -> int:
    fields: Any = dtype.fields
    return int(fields[name][1])


class _Writer:
    """Bytes put one after the other, and the functions that belong among them."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.data = bytearray()
        self.parts: list[tuple[str, int]] = []
        self.functions: list[FunctionPlace] = []
        self._entries = {entry._address: entry for entry in EntryPoint.registry if entry._address}

    @property
    def next_place(self) -> int:
        """Address of what is put next."""
        return self.base + len(self.data)

    def put(self, name: str, content: bytes) -> int:
        """Append bytes, padded to a whole line (an empty array gets one too); returns their address."""
        at = self.next_place
        self.parts.append((name, -(-len(content) // _LINE) * _LINE or _LINE))
        self.data += content + bytes(-len(content) % _LINE if content else _LINE)
        return at

    def reserve(self, name: str, size: int) -> int:
        """Append zeros to be filled in later."""
        return self.put(name, bytes(size))

    def fill(self, at: int, content: bytes) -> None:
        """Write over what was reserved."""
        self.data[at - self.base : at - self.base + len(content)] = content

    def function(self, at: int, address: int) -> None:
        """Note that the function at an address of this process belongs at a place; 0 stands for no function."""
        if address == 0:
            return
        if address not in self._entries:
            raise PcgError(f"the function at address {address:#x} is no entry point that this process knows")
        entry = self._entries[address]
        self.functions.append(FunctionPlace(at, entry.name.replace(".", "_"), entry.function.__module__))
