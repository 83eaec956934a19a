"""A WebAssembly object file of LLVM made into a module that can be instantiated, without an external linker.

LLVM's object is nearly a module already: its functions call each other by their final numbers. What is missing are an
export section, addresses of data and slots of the function table where they shall be, and what only linkers read has
to go. One object becomes one module; several modules may share a memory and a table when each gets a place of its own
in them. Memory, table and stack pointer are imports, as are the functions that the object calls but does not define.

Sources: "WebAssembly Object File Linking" (Linking.md of WebAssembly/tool-conventions: symbols, relocations,
segments); the WebAssembly core specification, chapter 5 "Binary Format".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pcg.engine.native.wasm_object import (
    CODE,
    CUSTOM,
    DATA,
    ELEMENT,
    EXPORT,
    IMPORT,
    ORDER,
    TYPE,
    Object,
    Reader,
    Relocation,
    Symbol,
    SymbolKind,
    WasmError,
    import_type,
    read_object,
)
from pcg.engine.vgdl.diagnostics import nearest

PAGE = 65536
"""Bytes of a page of memory (core specification, 4.2.8)."""
FIRST_SLOT = 1
"""Default start of the function table: slot 0 stays empty, so that address 0 is no function."""
_ADDRESSES = 1 << 32
_FUNCTION, _TABLE, _MEMORY = 0, 1, 2
"""Kinds of imports and exports (5.5.5, 5.5.10)."""
_I32_CONST, _END = 0x41, 0x0B
_MAGIC = b"\0asm\1\0\0\0"


@dataclass(frozen=True, slots=True)
class _Form:
    """Form of a type of relocation: the meaning of its value, and how the value is written."""

    name: str
    meaning: str
    written: str


_FORMS = {
    0: _Form("R_WASM_FUNCTION_INDEX_LEB", "function", "leb"),
    1: _Form("R_WASM_TABLE_INDEX_SLEB", "slot", "sleb"),
    2: _Form("R_WASM_TABLE_INDEX_I32", "slot", "i32"),
    3: _Form("R_WASM_MEMORY_ADDR_LEB", "address", "leb"),
    4: _Form("R_WASM_MEMORY_ADDR_SLEB", "address", "sleb"),
    5: _Form("R_WASM_MEMORY_ADDR_I32", "address", "i32"),
    6: _Form("R_WASM_TYPE_INDEX_LEB", "type", "leb"),
    7: _Form("R_WASM_GLOBAL_INDEX_LEB", "global", "leb"),
    13: _Form("R_WASM_GLOBAL_INDEX_I32", "global", "i32"),
    20: _Form("R_WASM_TABLE_NUMBER_LEB", "table", "leb"),
    26: _Form("R_WASM_FUNCTION_INDEX_I32", "function", "i32"),
}
"""The relocations that occur in code and data of a wasm32 object that is not position-independent."""
_KINDS = {
    "function": SymbolKind.FUNCTION,
    "slot": SymbolKind.FUNCTION,
    "address": SymbolKind.DATA,
    "global": SymbolKind.GLOBAL,
    "table": SymbolKind.TABLE,
}


def link(obj: bytes, exports: Sequence[str], *, data_base: int = 0, table_base: int = FIRST_SLOT) -> bytes:
    """Make a module of an object file.

    Args:
        obj: a wasm32 object as LLVM writes it (relocation model "static").
        exports: functions defined in the object, to be exported under their names in this order.
        data_base: address where the object's data begins, a multiple of its alignment.
        table_base: slot of the imported table where the functions begin whose addresses the object takes.

    Returns:
        A module that imports ``env.__linear_memory``, ``env.__indirect_function_table`` and ``env.__stack_pointer`` as
        far as it needs them, and undefined functions from ``env`` under their names. The same input gives the same
        bytes.

    Raises:
        WasmError: for damaged input, for an export that the object does not define, for data that does not fit at
            `data_base`, and for whatever a single static object has no use for (position-independent code, threads,
            exceptions, 64-bit memories, constructors).
    """
    found = read_object(obj)
    found.check(data_base)
    defined = {s.name: s for s in found.symbols if s.kind is SymbolKind.FUNCTION and s.defined}
    slots = _slots(found, table_base)
    for relocation in found.relocations:
        _relocate(found, relocation, slots, data_base)
    bodies = {s.kind: bytes(s.body) for s in found.sections if s.kind != CUSTOM}
    if EXPORT in bodies:
        raise WasmError("the object has an export section, so it is a module already")
    bodies[EXPORT] = _export_section(exports, defined)
    if DATA in bodies:
        bodies[DATA] = _data_section(found, bodies[DATA], data_base)
    if ELEMENT in bodies:
        bodies[ELEMENT] = _element_section(found, table_base)
    if IMPORT in bodies:
        memory = data_base + found.data_bytes
        bodies[IMPORT] = _import_section(bodies[IMPORT], memory, table_base + len(found.elements))
    parts = [bytes([kind]) + uleb(len(bodies[kind])) + bodies[kind] for kind in ORDER if kind in bodies]
    return _MAGIC + b"".join(parts)


# --- relocations ---


def _slots(found: Object, table_base: int) -> dict[int, int]:
    """Slot of the table by number of the function, for the functions whose addresses are taken."""
    if not 0 < table_base < _ADDRESSES - len(found.elements):
        raise WasmError(f"the function table cannot begin at slot {table_base}")
    return {function: table_base + k for k, function in enumerate(found.elements)}


def _relocate(found: Object, relocation: Relocation, slots: dict[int, int], data_base: int) -> None:
    """Write the final value to where a relocation points (Linking.md, "Relocation Sections")."""
    section = found.sections[relocation.section]
    if section.kind == CUSTOM:
        return  # debugging information, which is dropped
    form = _FORMS.get(relocation.kind)
    if form is None or section.kind not in (CODE, DATA):
        raise WasmError(f"a relocation of type {relocation.kind} in section {section.kind} is not supported")
    value = _value(found, relocation, form, slots, data_base)
    at = relocation.offset
    width = 4 if form.written == "i32" else 5
    if at + width > len(section.body):
        raise WasmError(f"{form.name} at offset {at} lies outside of its section")
    if form.written == "i32":
        section.body[at : at + 4] = value.to_bytes(4, "little")
        return
    # LLVM leaves room for the largest value: five bytes, of which all but the last have the continuation bit
    if [b >> 7 for b in section.body[at : at + 5]] != [1, 1, 1, 1, 0]:
        raise WasmError(f"{form.name} at offset {at} does not point at a number of five bytes")
    section.body[at : at + 5] = padded(_signed(value) if form.written == "sleb" else value)


def _value(found: Object, relocation: Relocation, form: _Form, slots: dict[int, int], data_base: int) -> int:
    if form.meaning == "type":
        if relocation.index >= found.counts[TYPE]:
            raise WasmError(f"{form.name} names type {relocation.index}, which does not exist")
        return relocation.index
    symbol = found.symbol(relocation.index)
    if symbol.kind is not _KINDS[form.meaning]:
        raise WasmError(f"{form.name} refers to `{symbol.name}`, which is a {symbol.kind.name.lower()}: not supported")
    if form.meaning == "address":
        return _address(found, symbol, relocation.addend, data_base)
    if form.meaning == "slot":
        if symbol.index not in slots:
            raise WasmError(f"the address of `{symbol.name}` is taken, but it is in no element segment")
        return slots[symbol.index]
    return symbol.index


def _address(found: Object, symbol: Symbol, addend: int, data_base: int) -> int:
    """Final address of data (it wraps, as a negative addend may point before the data)."""
    if not symbol.defined:
        raise WasmError(f"the data `{symbol.name}` is not defined in this object")
    if symbol.index >= len(found.segments):
        raise WasmError(f"`{symbol.name}` lies in data segment {symbol.index}, which does not exist")
    return (data_base + found.segments[symbol.index].address + symbol.offset + addend) % _ADDRESSES


# --- sections ---


def _export_section(exports: Sequence[str], defined: dict[str, Symbol]) -> bytes:
    """The section that exports functions (5.5.10)."""
    if len(set(exports)) < len(exports):
        twice = next(name for k, name in enumerate(exports) if name in exports[:k])
        raise WasmError(f"`{twice}` is to be exported twice")
    body = bytearray(uleb(len(exports)))
    for name in exports:
        if name not in defined:
            close = nearest(name, defined)
            hint = f", did you mean `{close}`?" if close else ""
            raise WasmError(f"`{name}` cannot be exported: the object defines no function of that name{hint}")
        text = name.encode()
        body += uleb(len(text)) + text + bytes([_FUNCTION]) + uleb(defined[name].index)
    return bytes(body)


def _data_section(found: Object, body: bytes, data_base: int) -> bytes:
    """The data segments, moved (5.5.14)."""
    out = bytearray(uleb(len(found.segments)))
    for segment in found.segments:
        address = sleb(_signed(data_base + segment.address))
        content = body[segment.start : segment.start + segment.size]
        out += b"\0" + bytes([_I32_CONST]) + address + bytes([_END]) + uleb(segment.size) + content
    return bytes(out)


def _element_section(found: Object, table_base: int) -> bytes:
    """One segment with the functions whose addresses are taken, moved (5.5.12)."""
    out = b"\1\0" + bytes([_I32_CONST]) + sleb(_signed(table_base)) + bytes([_END]) + uleb(len(found.elements))
    return out + b"".join(uleb(function) for function in found.elements)


def _import_section(body: bytes, memory: int, slots: int) -> bytes:
    """The imports, with the memory and the table as large as the moved segments need them (5.5.5)."""
    needed = {_TABLE: slots, _MEMORY: -(-memory // PAGE)}
    reader = Reader(body, "import section")
    count = reader.u32()
    out = bytearray(uleb(count))
    for _ in range(count):
        start = reader.at
        reader.name()
        reader.name()
        kind = reader.byte()
        out += body[start : reader.at]
        before, after, _least = import_type(reader, kind)
        out += before + (uleb(needed[kind]) if kind in needed else b"") + after
    return bytes(out)


# --- numbers (5.2.2) ---


def uleb(value: int) -> bytes:
    """Return an unsigned number in LEB128.

    >>> uleb(300).hex()
    'ac02'
    """
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def sleb(value: int) -> bytes:
    """Return a signed number in LEB128.

    >>> sleb(64).hex(), sleb(-1).hex()
    ('c000', '7f')
    """
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


def padded(value: int) -> bytes:
    """Return a number, signed or unsigned, in LEB128 of five bytes.

    >>> padded(1).hex(), padded(-1).hex()
    ('8180808000', 'ffffffff7f')
    """
    return bytes(value >> 7 * k & 127 | (128 if k < 4 else 0) for k in range(5))


def _signed(value: int) -> int:
    """The signed number with the same 32 bits: addresses from 2^31 on are negative constants."""
    return value - _ADDRESSES if value >= _ADDRESSES // 2 else value


__all__ = ["FIRST_SLOT", "PAGE", "WasmError", "link", "padded", "sleb", "uleb"]
