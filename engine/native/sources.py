"""The source files that kernels are made of, and digests of them.

A native library holds the entry points of one Python package (`pcg.engine.kernel`, `pcg.generators.levels.wfc`).
It is right as long as the text of every module that they are made of is the same, so the digest covers all modules of
the toolkit that they import, directly or not. It is the same in a checkout and in an installation, wherever the
libraries that the toolkit depends on are, so that libraries built in one fit the other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

_IMPORT = re.compile(r"^from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|^import\s+([\w.]+)", re.MULTILINE)
_ENTRY = re.compile(r"^@entry_point\(", re.MULTILINE)
_COMPILER = (
    "pcg.engine.kernel.jit",
    "pcg.engine.kernel.primitives_numba",
    "pcg.engine.native.linking",
    "pcg.engine.native.numba_front",
    "pcg.engine.native.targets",
)
"""Modules that decide what the same kernels are compiled to."""
_INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib"))


def source_of(name: str) -> Path | None:
    """Return the source file of a module, also of one that is being imported or run as a script; None without one.

    Our own are looked up without importing the packages they are in, which may need libraries that are not there.
    """
    if name.startswith("pcg."):
        return _own_source(name)
    loaded = sys.modules.get(name)
    origin = getattr(loaded, "__file__", None)
    if origin is None and loaded is None:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            return None
        origin = spec.origin if spec is not None else None
    if origin is None or not origin.endswith(".py") or not Path(origin).is_file():
        return None
    return Path(origin)


def _places() -> list[Path]:
    """The folders of the toolkit: one where it is installed; in a checkout also the one that `pcg` stands in."""
    return [Path(place) for place in sys.modules["pcg"].__path__]


def _own_source(name: str) -> Path | None:
    *above, last = name.split(".")[1:]
    for place in _places():
        folder = place.joinpath(*above)
        for path in (folder / last / "__init__.py", folder / f"{last}.py"):
            if path.is_file():
                return path
    return None


def _of_others(path: Path) -> bool:
    """True for files of the standard library and of installed packages, which no digest covers."""
    return any(p in _INSTALLED or p.name in ("site-packages", "dist-packages") for p in path.resolve().parents)


@functools.lru_cache(maxsize=4096)
def _imports(path: Path, stamp: int) -> tuple[str, ...]:
    """Names of modules, and of what may be modules, that a source file imports at its top level."""
    found = []
    for package, names, plain in _IMPORT.findall(path.read_text(encoding="utf-8")):
        target = package or plain
        found.append(target)
        for part in names.strip("()").replace("\n", ",").split(","):
            word = part.strip().split(" ")[0]
            if word.islower():
                found.append(f"{target}.{word}")
    return tuple(found)


def module_files(names: Iterable[str]) -> dict[str, Path]:
    """Return the source files of modules, of all they import, and of what compiles them.

    Those of installed packages are left out, but our own count also when they are installed. What our own import of
    others is always left out: those may be anywhere, and their versions are the compiler's (`targets.compiler`).
    """
    found = {name: path for name in _COMPILER if (path := source_of(name)) is not None}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found or name == "pcg":
            continue
        root = name.partition(".")[0]
        if root in sys.stdlib_module_names:
            continue
        path = source_of(name)
        if path is None or (root != "pcg" and _of_others(path)):
            continue
        found[name] = path
        imported = _imports(path, path.stat().st_mtime_ns)
        waiting += [n for n in imported if root != "pcg" or n.startswith("pcg.")]
    return found


def digest_of(files: dict[str, Path], *more: str) -> str:
    """Return a digest of the names and texts of modules and of further words, 40 hexadecimal digits."""
    digest = hashlib.sha256()
    for word in more:
        digest.update(word.encode() + b"\0")
    for name in sorted(files):
        text = files[name].read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name} {len(text)}\0".encode())
        digest.update(text)
    return digest.hexdigest()[:40]


# --- packages of the toolkit ---


def package_folders() -> Iterator[tuple[str, Path]]:
    """Every package of the toolkit with its folder, also those that stand beside `pcg` in a checkout."""
    waiting = [("pcg", place) for place in _places()]
    while waiting:
        name, folder = waiting.pop()
        yield name, folder
        for below in folder.iterdir():
            if (below / "__init__.py").is_file() and below.name != "pcg":
                waiting.append((f"{name}.{below.name}", below))


@functools.cache
def packages() -> tuple[str, ...]:
    """Return the packages of the toolkit that declare entry points, sorted."""
    return tuple(sorted({name for name, folder in package_folders() if _entry_modules(name, folder)}))


def _entry_modules(package: str, folder: Path) -> tuple[str, ...]:
    found = [p for p in sorted(folder.glob("*.py")) if _ENTRY.search(p.read_text(encoding="utf-8"))]
    return tuple(f"{package}.{path.stem}" for path in found)


@functools.cache
def entry_modules(package: str) -> tuple[str, ...]:
    """Return the modules of a package that declare entry points, sorted."""
    marker = _own_source(package)
    if marker is None or marker.name != "__init__.py":
        raise ModuleNotFoundError(f"no package named {package!r}")
    return _entry_modules(package, marker.parent)


@functools.cache
def package_digest(package: str) -> str:
    """Return the digest of everything that the entry points of a package are made of."""
    return digest_of(module_files(entry_modules(package)), package)
