"""Native libraries in the memory of this process: found, or built and then found, and the addresses in them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

import pcg.engine.native.calls  # noqa: F401 - defines the clock that libraries refer to
from pcg.engine.kernel.entry_points import EntryPoint
from pcg.engine.kernel.modes import CHECKED, MODE
from pcg.engine.memory import release_code
from pcg.engine.native import objects
from pcg.engine.native.lookup import ENGINE, find, find_selection, missing, missing_selections, together
from pcg.engine.native.selections import selection_named, selections
from pcg.engine.native.sources import package_digest, packages
from pcg.engine.native.targets import host, target_named
from pcg.engine.vgdl.diagnostics import PcgError

if TYPE_CHECKING:
    from pcg.engine.native.foreign import ForeignModule

_LINKER = "libllvmlite.so"
"""The library that puts object code in memory; 44 MB of its code are read for that, and seldom again."""
_lock = threading.RLock()
_libraries: dict[str, Library] = {}
_loaded: list[Library] = []
"""Keeps all code in memory for as long as the process lives: others hold addresses in it."""


class Library:
    """Object code in memory, ready to run. It stays for as long as the process lives."""

    def __init__(self, header: objects.Header, code: bytes) -> None:
        self.header = header
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
            reloc="pic", codemodel="default"
        )
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._symbols = frozenset(header.symbols)
        _loaded.append(self)
        release_code(_LINKER)

    def address(self, symbol: str) -> int:
        """Return the address of an entry point.

        Raises:
            PcgError: when the library has none of that name.
        """
        if symbol not in self._symbols:
            raise PcgError(f"the kernels of {self.header.package} have no entry point `{symbol}`")
        return int(self._engine.get_function_address(symbol))


def is_foreign(entry: EntryPoint) -> bool:
    """True for entry points that are not the toolkit's own: those of users, of benchmarks and of tests."""
    return not entry.module.startswith("pcg.")


def address_of(entry: EntryPoint) -> int:
    """Return the address of an entry point, from its library: in memory, in a file, or built now."""
    with _lock:
        if is_foreign(entry):
            return _foreign_address(entry)
        package = entry.module.rpartition(".")[0]
        return _package_library(package).address(entry.symbol)


def load_all(entries: Iterable[EntryPoint], progress: Callable[[str, float], None] | None = None) -> None:
    """Load the libraries of these entry points; where one is missing, all that are missing are built in one go."""
    with _lock:
        entries = list(entries)
        wanted = {e.module.rpartition(".")[0] for e in entries if not is_foreign(e)}
        if missing(name for name in wanted if name not in _libraries):
            prepare(progress=progress)
        for package in sorted(wanted):
            _package_library(package)


def prepare(names: Iterable[str] | None = None, progress: Callable[[str, float], None] | None = None) -> list[str]:
    """Build the libraries that are missing for this machine, and return the names of their packages.

    Args:
        names: packages; by default all of the toolkit, and the selections of entry points that it declares.
        progress: called with a line and the seconds so far instead of a line on standard error.
    """
    absent = missing(n for n in (packages() if names is None else names) if n not in _libraries)
    selected = [one.label for one in missing_selections()] if names is None else []
    if absent or selected:
        from pcg.engine.native.builder import build_missing

        build_missing(absent, progress, selections=bool(selected))
    return absent + selected


def code_for(package: str, target: str) -> bytes:
    """Return the object code of a package for a target, a module for WebAssembly; it is built if it is missing.

    Raises:
        PcgError: when there is no such target, or when it cannot be built.
    """
    target = target_named(target).name
    with _lock:
        found = find(package, package_digest(package), target)
        if found is None:
            from pcg.engine.native.builder import build_missing

            build_missing([package], target=target)
            found = find(package, package_digest(package), target)
    if found is None:
        raise PcgError(f"the kernels of {package} changed while they were built; start again")
    return found[1]


def selection_code(label: str) -> bytes:
    """Return the object code of a selection of entry points (`selections`); it is built if it is missing.

    Where other libraries are missing too, they are built with it, in the time of the longest.

    Raises:
        PcgError: when no package declares it, or when it cannot be built.
    """
    wanted = selection_named(label)
    with _lock:
        found = find_selection(wanted)
        if found is None:
            from pcg.engine.native.builder import build_selection

            if MODE == "aot":
                prepare()
            build_selection(wanted)
            found = find_selection(wanted)
    if found is None:
        raise PcgError(f"the kernels of {label} changed while they were built; start again")
    return found[1]


def foreign_code(entries: Sequence[EntryPoint], target: str) -> tuple[bytes, dict[str, str]]:
    """Return the object code of functions of users, and their symbols in it by those that images name.

    Args:
        entries: entry points of modules outside of the toolkit.
        target: name of a target.

    Raises:
        PcgError: when there is no such target, or when they cannot be built.
    """
    from pcg.engine.native.builder import build_foreign
    from pcg.engine.native.foreign import ForeignModule

    target = target_named(target).name
    unit = ForeignModule(tuple(dict.fromkeys(e.module for e in entries)), entries)
    with _lock:
        if find(unit.label, unit.digest, target) is None:
            build_foreign(unit, target)
        found = find(unit.label, unit.digest, target)
    if found is None:
        raise PcgError(f"the functions of {', '.join(unit.names)} could not be built")
    return found[1], {e.symbol: unit.symbol(e) for e in entries}


def _package_library(package: str) -> Library:
    library = _libraries.get(package)
    if library is None and package == ENGINE:
        library = _engine_with_foreign()
    if library is None:
        found = find(package, package_digest(package))
        if found is None:
            # who needs one library soon needs others, and two processes build them in the time of the longest
            prepare()
            found = find(package, package_digest(package))
        if found is None:
            raise PcgError(f"the kernels of {package} changed while they were built; start again")
        library = Library(*found)
    _libraries[package] = library
    return library


# --- functions of users ---


def _foreign_address(entry: EntryPoint) -> int:
    """Load all functions of a module that are not in memory yet, and return the address of one of them."""
    if ENGINE not in _libraries:
        _package_library(ENGINE)
        if entry.is_loaded:
            return entry.address
    unit = _unit_of([entry.module], entry)
    found = find(unit.label, unit.digest)
    if found is None:
        from pcg.engine.native.builder import build_foreign

        build_foreign(unit)
        found = find(unit.label, unit.digest)
    if found is None:
        raise PcgError(f"the functions of {entry.module} could not be built")
    library = Library(*found)
    _give_addresses(unit, library)
    return entry.address


def _unit_of(modules: Sequence[str], *more: EntryPoint) -> ForeignModule:
    from pcg.engine.native.foreign import ForeignModule

    entries = [e for e in EntryPoint.registry if e.module in modules and not e.is_loaded]
    return ForeignModule(modules, [*entries, *(e for e in more if e not in entries)])


def _give_addresses(unit: ForeignModule, library: Library) -> None:
    for entry in unit.entries:
        entry.load(library.address(unit.symbol(entry)))


def _engine_with_foreign() -> Library | None:
    """Load the engine built together with the functions that are registered now, if it was built so."""
    if not any(objects.cache_folder().glob(f"{ENGINE}+*{objects.SUFFIX}")):
        return None
    modules = tuple(dict.fromkeys(e.module for e in EntryPoint.registry if is_foreign(e)))
    if not modules:
        return None
    unit = _unit_of(modules)
    found = find(*together(unit))
    if found is None:
        return None
    library = Library(*found)
    _give_addresses(unit, library)
    return library


# --- what there is ---


@dataclass(frozen=True, slots=True)
class Entry:
    """A library that this version needs on this machine."""

    package: str
    target: str
    digest: str
    origin: str
    """"shipped", "built here" or "missing"."""
    entry_points: int
    size: int
    """Bytes of object code."""

    def as_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return asdict(self)


def inventory() -> list[Entry]:
    """List the libraries of all packages and selections, without building any."""
    rows = []
    for package in packages():
        digest = package_digest(package)
        rows.append(_entry(package, host().name, digest, CHECKED, find(package, digest)))
    for one in selections().values():
        rows.append(_entry(one.label, one.target, one.digest, False, find_selection(one)))
    return rows


def _entry(label: str, target: str, digest: str, checked: bool, found: tuple[objects.Header, bytes] | None) -> Entry:
    name = objects.file_name(label, digest, target, checked)
    origin = "missing" if found is None else "shipped" if (objects.SHIPPED / name).is_file() else "built here"
    symbols, size = (len(found[0].symbols), len(found[1])) if found is not None else (0, 0)
    return Entry(label, target, digest, origin, symbols, size)
