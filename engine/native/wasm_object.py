"""Reading WebAssembly object files: sections, symbols, relocations and segments, everything checked.

Nothing here trusts the file: whatever is not as "WebAssembly Object File Linking" (Linking.md of
WebAssembly/tool-conventions, version 2) and the core specification's chapter 5 have it raises `WasmError`. What
`pcg.engine.native.wasm` has no use for raises it too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from pcg.engine.vgdl.diagnostics import PcgError

CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, DATA_COUNT = range(13)
"""Ids of sections (core specification, 5.5.2)."""
ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, DATA_COUNT, CODE, DATA)
"""The order in which a module has them (5.5.16)."""
_HEADER = b"\0asm\1\0\0\0"
_LINKING_VERSION = 2
_SEGMENT_INFO, _INIT_FUNCTIONS, _COMDAT_INFO, _SYMBOL_TABLE = 5, 6, 7, 8
_UNDEFINED, _EXPLICIT_NAME, _TLS, _ABSOLUTE = 0x10, 0x40, 0x100, 0x200
_WITH_ADDEND = frozenset({3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 25})
"""Types of relocations that have an addend: addresses and offsets."""


class WasmError(PcgError):
    """An object file that cannot be made into a module."""


class SymbolKind(IntEnum):
    """Kinds of symbols; the values are those of the file format."""

    FUNCTION = 0
    DATA = 1
    GLOBAL = 2
    SECTION = 3
    TAG = 4
    TABLE = 5


_SECTION_OF = {SymbolKind.FUNCTION: FUNCTION, SymbolKind.GLOBAL: GLOBAL, SymbolKind.TABLE: TABLE}
"""The section that defines what a symbol of a kind stands for."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name and what it stands for.

    `index` is the number of the function, global, table or section, for data that of the segment; `offset` and `size`
    are those of data in its segment.
    """

    kind: SymbolKind
    name: str
    index: int = 0
    offset: int = 0
    size: int = 0
    defined: bool = True


@dataclass(frozen=True, slots=True)
class Relocation:
    """A place in a section that waits for a final value."""

    section: int
    kind: int
    offset: int
    index: int
    """Number of a symbol, for one type of relocation that of a function type."""
    addend: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A data segment: where it belongs in memory, and where its content stands in the section."""

    address: int
    start: int
    size: int


@dataclass(slots=True)
class Section:
    """A section of the file. A custom one has a `name`, and its content begins behind that, at `at`."""

    kind: int
    body: bytearray
    name: str = ""
    at: int = 0


@dataclass(slots=True)
class Object:
    """An object file taken apart."""

    sections: list[Section]
    symbols: list[Symbol] = field(default_factory=list)
    relocations: list[Relocation] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    elements: list[int] = field(default_factory=list)
    """Functions of the table, in order."""
    counts: dict[int, int] = field(default_factory=dict)
    """Numbers of types, functions, tables and globals, imported ones included, by id of their section."""
    alignment: int = 1
    """The largest alignment of a data segment, bytes."""

    def symbol(self, index: int) -> Symbol:
        """Return a symbol by its number."""
        if index >= len(self.symbols):
            raise WasmError(f"symbol {index} does not exist, the object has {len(self.symbols)}")
        return self.symbols[index]

    @property
    def data_bytes(self) -> int:
        """Bytes of memory from the first data to the last."""
        return max((s.address + s.size for s in self.segments), default=0)

    def check(self, data_base: int) -> None:
        """Raise WasmError unless symbols name things that exist, and data can begin at `data_base`."""
        for symbol in self.symbols:
            if symbol.kind in _SECTION_OF and symbol.index >= self.counts[_SECTION_OF[symbol.kind]]:
                raise WasmError(f"`{symbol.name}` is {symbol.kind.name.lower()} {symbol.index}, which does not exist")
        if any(function >= self.counts[FUNCTION] for function in self.elements):
            raise WasmError("the table holds a function that does not exist")
        if data_base < 0 or data_base % self.alignment or data_base + self.data_bytes > 1 << 32:
            raise WasmError(
                f"{self.data_bytes} bytes of data cannot begin at address {data_base}, expected a multiple of "
                f"{self.alignment} from 0 on, with room for them below 2^32"
            )


class Reader:
    """Numbers, names and bytes one after the other; reading past the end raises WasmError."""

    def __init__(self, data: bytes | bytearray, what: str, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.what = what
        self.at = at
        self.end = len(data) if end is None else end

    @property
    def more(self) -> bool:
        """True as long as there is something left."""
        return self.at < self.end

    def byte(self) -> int:
        """Read a byte."""
        return self.take(1)[0]

    def take(self, count: int) -> bytes:
        """Read so many bytes."""
        if count > self.end - self.at:
            raise WasmError(f"damaged object: the {self.what} ends too early")
        self.at += count
        return bytes(self.data[self.at - count : self.at])

    def u32(self) -> int:
        """Read an unsigned number (core specification, 5.2.2)."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                break
        else:
            byte = 128
        if byte >= 128 or value >= 1 << 32:
            raise WasmError(f"damaged object: a number in the {self.what} is too large")
        return value

    def s32(self) -> int:
        """Read a signed number."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                value -= (byte & 64) << shift + 1
                break
        else:
            value = 1 << 32
        if not -(1 << 31) <= value < 1 << 31:
            raise WasmError(f"damaged object: a number in the {self.what} is too large")
        return value

    def name(self) -> str:
        """Read a name (5.2.4)."""
        try:
            return self.take(self.u32()).decode()
        except UnicodeDecodeError as error:
            raise WasmError(f"damaged object: a name in the {self.what} is not UTF-8") from error

    def part(self, what: str) -> Reader:
        """Read a length and return a reader of so many bytes."""
        size = self.u32()
        start = self.at
        self.take(size)
        return Reader(self.data, what, start, self.at)

    def done(self) -> None:
        """Raise WasmError when something is left."""
        if self.more:
            raise WasmError(f"damaged object: the {self.what} goes on too long")


def read_object(data: bytes) -> Object:
    """Take an object file apart.

    Raises:
        WasmError: it is damaged, no object file, or has parts that are not supported.
    """
    found = Object(_sections(data))
    kinds = {s.kind: s for s in found.sections if s.kind != CUSTOM}
    linking = [s for s in found.sections if s.name == "linking"]
    if len(linking) != 1:
        raise WasmError("no object file: it has no linking section, perhaps because it is linked already")
    imported = _imports(kinds)
    found.counts = _count(kinds, imported)
    if DATA in kinds:
        _read_segments(found, kinds[DATA])
    if ELEMENT in kinds:
        _read_elements(found, kinds[ELEMENT])
    _read_linking(found, linking[0], imported)
    for section in found.sections:
        if section.name.startswith("reloc."):
            _read_relocations(found, section)
    return found


def _sections(data: bytes) -> list[Section]:
    """All sections in the order of the file (5.5.2)."""
    if not data.startswith(_HEADER):
        raise WasmError("no WebAssembly object: it does not begin with its magic number and version 1")
    reader = Reader(data, "file", len(_HEADER))
    found: list[Section] = []
    while reader.more:
        kind = reader.byte()
        body = bytearray(reader.take(reader.u32()))
        if kind not in (CUSTOM, *ORDER) or kind == START:
            raise WasmError(f"a section with the id {kind} is not supported")
        if kind != CUSTOM and any(s.kind == kind for s in found):
            raise WasmError(f"damaged object: two sections with the id {kind}")
        section = Section(kind, body)
        if kind == CUSTOM:
            inside = Reader(body, "custom section")
            section.name, section.at = inside.name(), inside.at
        found.append(section)
    return found


def _imports(kinds: dict[int, Section]) -> dict[int, list[str]]:
    """Names of what is imported, by id of the section that defines the like (5.5.5)."""
    names: dict[int, list[str]] = {kind: [] for kind in (FUNCTION, TABLE, MEMORY, GLOBAL)}
    if IMPORT not in kinds:
        return names
    reader = Reader(kinds[IMPORT].body, "import section")
    for _ in range(reader.u32()):
        reader.name()
        name = reader.name()
        kind = reader.byte()
        if kind > 3:
            raise WasmError(f"an import of kind {kind} is not supported")
        names[(FUNCTION, TABLE, MEMORY, GLOBAL)[kind]].append(name)
        import_type(reader, kind)
    reader.done()
    return names


def import_type(reader: Reader, kind: int) -> tuple[bytes, bytes, int]:
    """Read the type of an import; returns what stands before its least size, after it, and that size (0: has none)."""
    start = reader.at
    if kind == 0:
        reader.u32()
    elif kind == 3:
        reader.take(2)
    if kind in (0, 3):
        return bytes(reader.data[start : reader.at]), b"", 0
    reader.take(1 if kind == 1 else 0)
    flags = reader.byte()
    if flags > 1:
        raise WasmError("shared and 64-bit memories are not supported")
    before = bytes(reader.data[start : reader.at])
    least = reader.u32()
    start = reader.at
    if flags:
        reader.u32()
    return before, bytes(reader.data[start : reader.at]), least


def _count(kinds: dict[int, Section], imported: dict[int, list[str]]) -> dict[int, int]:
    """Count what the numbers in the file may name: imports come first, then what is defined (2.5.1)."""
    counts = {kind: len(imported.get(kind, ())) for kind in (TYPE, FUNCTION, TABLE, MEMORY, GLOBAL)}
    for kind in counts:
        if kind in kinds:
            counts[kind] += Reader(kinds[kind].body, f"section {kind}").u32()
    return counts


def _read_segments(found: Object, section: Section) -> None:
    """Read the places of data segments (5.5.14); all are active and begin at a constant address."""
    reader = Reader(section.body, "data section")
    for _ in range(reader.u32()):
        _constant(reader, "data segment")
        address = reader.s32() % (1 << 32)
        _end(reader)
        size = reader.u32()
        found.segments.append(Segment(address, reader.at, size))
        reader.take(size)
    reader.done()


def _read_elements(found: Object, section: Section) -> None:
    """Read the functions of the table (5.5.12), which an object has in one active segment."""
    reader = Reader(section.body, "element section")
    if reader.u32() != 1:
        raise WasmError("several element segments are not supported")
    _constant(reader, "element segment")
    reader.s32()
    _end(reader)
    found.elements = [reader.u32() for _ in range(reader.u32())]
    reader.done()


def _constant(reader: Reader, what: str) -> None:
    """Read the beginning of an active segment: its flags and ``i32.const``."""
    if reader.u32() != 0 or reader.byte() != 0x41:
        raise WasmError(f"a {what} that is passive, or does not begin at a constant, is not supported")


def _end(reader: Reader) -> None:
    if reader.byte() != 0x0B:
        raise WasmError(f"damaged object: a constant in the {reader.what} goes on after its end")


# --- the linking section (Linking.md, "Linking Metadata Section") ---


def _read_linking(found: Object, section: Section, imported: dict[int, list[str]]) -> None:
    reader = Reader(section.body, "linking section", section.at)
    version = reader.u32()
    if version != _LINKING_VERSION:
        raise WasmError(f"linking data of version {version} is not supported, expected version {_LINKING_VERSION}")
    while reader.more:
        kind = reader.byte()
        part = reader.part("linking section")
        if kind == _SYMBOL_TABLE:
            found.symbols = [_read_symbol(part, imported) for _ in range(part.u32())]
        elif kind == _SEGMENT_INFO:
            for _ in range(part.u32()):
                part.name()
                shift = part.u32()
                if shift > 16:
                    raise WasmError(f"damaged object: a data segment is aligned to 2^{shift} bytes")
                found.alignment = max(found.alignment, 1 << shift)
                part.u32()
        elif kind == _INIT_FUNCTIONS and part.u32() > 0:
            raise WasmError("functions that run at the start (constructors) are not supported")
        elif kind == _COMDAT_INFO:
            continue  # which of several objects' copies to keep: here is one object only
        elif kind != _INIT_FUNCTIONS:
            raise WasmError(f"damaged object: linking data of unknown kind {kind}")
        part.done()


def _read_symbol(reader: Reader, imported: dict[int, list[str]]) -> Symbol:
    """Read an entry of the symbol table."""
    number, flags = reader.byte(), reader.u32()
    if number > max(SymbolKind) or number == SymbolKind.TAG:
        raise WasmError(f"a symbol of kind {number} is not supported")
    kind = SymbolKind(number)
    defined = not flags & _UNDEFINED
    if kind is SymbolKind.SECTION:
        return Symbol(kind, "", reader.u32())
    if kind is SymbolKind.DATA:
        name = reader.name()
        place = (reader.u32(), reader.u32(), reader.u32()) if defined else (0, 0, 0)
        if flags & (_TLS | _ABSOLUTE):
            raise WasmError(f"the data `{name}` belongs to a thread or has a fixed address: not supported")
        return Symbol(kind, name, *place, defined=defined)
    index = reader.u32()
    if defined or flags & _EXPLICIT_NAME:
        return Symbol(kind, reader.name(), index, defined=defined)
    if index >= len(imported[_SECTION_OF[kind]]):
        raise WasmError(f"damaged object: a symbol stands for import {index}, which does not exist")
    return Symbol(kind, imported[_SECTION_OF[kind]][index], index, defined=False)


def _read_relocations(found: Object, section: Section) -> None:
    """Read the relocations of one section (Linking.md, "Relocation Sections")."""
    reader = Reader(section.body, f"section {section.name}", section.at)
    target = reader.u32()
    if target >= len(found.sections):
        raise WasmError(f"damaged object: {section.name} belongs to section {target}, which does not exist")
    for _ in range(reader.u32()):
        kind, offset, index = reader.byte(), reader.u32(), reader.u32()
        addend = reader.s32() if kind in _WITH_ADDEND else 0
        found.relocations.append(Relocation(target, kind, offset, index, addend))
    reader.done()
