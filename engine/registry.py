"""A table of named things: agents, generators, metrics, tuners.

Entries come from three places: the toolkit's own, whose modules are imported when an entry is first read, so that the
libraries of one are no burden to the others; decorators in a user's program or in a file named with ``--load``; and
entry points of installed packages. `load_plugin` reads such a file.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module, metadata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

T = TypeVar("T")
_F = TypeVar("_F", bound=Callable[..., Any])


class Registry(Mapping[str, T], Generic[T]):
    """Entries by name, in the order in which they were declared.

    Args:
        kind: what an entry is, for messages: "level generator".
        builtin: the toolkit's own: name -> ``"module:attribute"``, or ``"module"`` where importing it registers the
            entry.
        group: entry-point group in which installed packages declare entries, "" for none. An entry point is the entry
            itself under its name.

    >>> colours = Registry[int]("colour")
    >>> _ = colours.register("red", 0xFF0000)
    >>> colours.find("red")
    16711680
    >>> colours.find("rad")
    Traceback (most recent call last):
    pcg.engine.vgdl.diagnostics.PcgError: unknown colour `rad`, did you mean `red`?
    """

    def __init__(self, kind: str, *, builtin: Mapping[str, str] | None = None, group: str = "") -> None:
        self.kind = kind
        self.group = group
        self._builtin = dict(builtin or {})
        self._entries: dict[str, T] = {}
        self._installed: dict[str, metadata.EntryPoint] | None = None

    def register(self, name: str, entry: T) -> T:
        """Add an entry and return it. The same one may be added again.

        Raises:
            PcgError: when another entry has that name.
        """
        module, _, attribute = self._builtin.get(name, "").partition(":")
        if attribute or (module and module not in sys.modules):
            self[name]  # the toolkit's own, to be held against this one; a module that registers is being imported now
        known = self._entries.get(name)
        if known is not None and not _same(known, entry):
            raise PcgError(f"there is a {self.kind} `{name}` already")
        self._entries[name] = entry
        return entry

    def unregister(self, name: str) -> None:
        """Remove an entry that was registered; one of the toolkit's own is then imported again when it is read."""
        self._entries.pop(name, None)

    def find(self, name: str) -> T:
        """Return an entry.

        Raises:
            PcgError: for an unknown name, with the nearest known one.
        """
        if name not in self:
            hint = did_you_mean(name, self, f" (there are: {', '.join(self)})")
            raise PcgError(f"unknown {self.kind} `{name}`{hint}")
        return self[name]

    def loaded(self, name: str) -> T | None:
        """Return an entry if it has been read or registered, without importing anything."""
        return self._entries.get(name)

    def __getitem__(self, name: str) -> T:
        if name not in self._entries:
            if name in self._builtin:
                module, _, attribute = self._builtin[name].partition(":")
                found = import_module(module)
                if attribute:
                    self._entries[name] = getattr(found, attribute)
                assert name in self._entries, f"module {module} registers no {self.kind} `{name}`"
            else:
                self._entries[name] = self._from_package(self._entry_points()[name])
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._builtin, *self._entries, *self._entry_points()]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._builtin or name in self._entries or name in self._entry_points()

    def __repr__(self) -> str:
        return f"<registry of {len(self)} entries, each a {self.kind}>"

    def _entry_points(self) -> Mapping[str, metadata.EntryPoint]:
        if self._installed is None:
            found = metadata.entry_points(group=self.group) if self.group else ()
            self._installed = {point.name: point for point in found if point.name not in self._builtin}
        return self._installed

    def _from_package(self, point: metadata.EntryPoint) -> T:
        try:
            return cast(T, point.load())
        except Exception as error:
            owner = point.dist.name if point.dist else "a package"
            raise PcgError(f"the {self.kind} `{point.name}` of {owner} cannot be loaded: {error}") from None


def _same(one: object, other: object) -> bool:
    """True for the same thing, also when its module has been imported again."""
    places = [(getattr(x, "__module__", None), getattr(x, "__qualname__", None)) for x in (one, other)]
    return one is other or one == other or (places[0] == places[1] and None not in places[0])


_plugins: dict[str, None] = {}


def loaded_plugins() -> tuple[str, ...]:
    """Return the files that `load_plugin` has imported in this process, in order: worker processes load them too."""
    return tuple(_plugins)


PART_REGISTRARS: dict[str, Callable[[str, Any], None]] = {}
"""Kind of part ("fitness", "agent") -> function that registers a plain function or class of a user's file by name."""

_PART = re.compile(r"(.+\.py):([a-z-]+):(\w+)")


def part_registrar(kind: str) -> Callable[[_F], _F]:
    """Declare the decorated function as the one that registers parts of a kind.

    It gets a name and the object of that name in a file, and may be called with the same again.
    """

    def declare(function: _F) -> _F:
        PART_REGISTRARS[kind] = function
        return function

    return declare


def plugin_path(text: Path | str) -> str:
    """Return what `load_plugin` takes with the full path of its file.

    >>> plugin_path("/games/mine.py:fitness:tidy")
    '/games/mine.py:fitness:tidy'
    """
    part = _PART.fullmatch(str(text))
    if part is None:
        return str(Path(text).resolve())
    return f"{Path(part[1]).resolve()}:{part[2]}:{part[3]}"


def load_plugin(path: Path | str) -> str:
    """Import a Python file, which may register entries of any registry, and return the name of its module.

    The module is called like the file, with a digest of its path where another module has that name. A file is imported
    once per process.

    Args:
        path: of the file, or a part in it as ``FILE.py:KIND:NAME`` with a kind of `PART_REGISTRARS`: that
            function or class is registered under its name, so that the file need not do so.

    Raises:
        PcgError: when it cannot be read, raises while it is imported, or has no such part.
    """
    part = _PART.fullmatch(str(path))
    if part is None:
        return _import_file(path)
    module = _import_file(part[1])
    names = vars(sys.modules[module])
    if part[3] not in names:
        public = [name for name in names if not name.startswith("_")]
        raise PcgError(f"{part[1]} has no `{part[3]}`" + did_you_mean(part[3], public))
    if part[2] not in PART_REGISTRARS:
        raise PcgError(
            f"{path}: there are no parts of the kind `{part[2]}`, expected one of {', '.join(PART_REGISTRARS)}"
        )
    PART_REGISTRARS[part[2]](part[3], names[part[3]])
    _plugins[plugin_path(path)] = None
    return module


def _import_file(path: Path | str) -> str:
    file = Path(path).resolve()
    if not file.is_file():
        raise PcgError(f"{path}: no such Python file")
    name = file.stem
    if name in sys.modules and not _is_from(name, file):
        name = f"{name}_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}"
    if name in sys.modules:
        _plugins[str(file)] = None
        return name
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PcgError(f"{path}: expected a Python file, whose name ends in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise PcgError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    _plugins[str(file)] = None
    return name


def _is_from(name: str, file: Path) -> bool:
    """True when the module of that name was imported from that file."""
    origin = getattr(sys.modules[name], "__file__", None)
    return origin is not None and Path(origin).resolve() == file
