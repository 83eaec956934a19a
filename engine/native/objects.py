"""Files of native libraries: their format, where they are kept, and which of them are trusted.

A file is a line that says what it is, a line of JSON (`Header`), and the object code. It is written under a temporary
name and renamed, and a digest of the code is held against it when it is read, so a file that was cut short is as good
as none.

Code is loaded from two places only: the folder of the package itself (`SHIPPED`, filled in platform wheels), and the
user's own cache folder, which must belong to the user and must not be writable by anybody else.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from pcg.engine.vgdl.diagnostics import PcgError

MAGIC = b"pcg-kernels 2\n"
"""First line of a file; the number is raised with everything that makes older object code unusable."""
SUFFIX = ".kernels"
SHIPPED = Path(__file__).resolve().parent / "shipped"
"""Libraries that came with the package."""
_KEEP = 200
"""Files that stay in the cache folder, the latest used first."""
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Header:
    """Table of contents of a file of object code."""

    package: str
    digest: str
    """Digest of the sources (`sources.package_digest`)."""
    target: str
    checked: bool
    """True when sprite and table accesses are bounds-checked."""
    compiler: str
    """Versions of Numba and LLVM that made it."""
    symbols: tuple[str, ...]
    """Names of the entry points."""
    sha256: str = ""
    """Digest of the object code."""


def file_name(package: str, digest: str, target: str, checked: bool) -> str:
    """Return the name of a library's file."""
    return f"{package}-{digest[:16]}-{target}{'-checked' if checked else ''}{SUFFIX}"


def pack(header: Header, code: bytes) -> bytes:
    """Return the bytes of a file."""
    header = dataclasses.replace(header, sha256=hashlib.sha256(code).hexdigest())
    line = json.dumps(dataclasses.asdict(header), sort_keys=True, separators=(",", ":"))
    return MAGIC + line.encode() + b"\n" + code


def unpack(data: bytes) -> tuple[Header, bytes] | None:
    """Return header and object code of a file; None when it is damaged or of another version."""
    if not data.startswith(MAGIC):
        return None
    line, _, code = data[len(MAGIC) :].partition(b"\n")
    try:
        values = json.loads(line)
        header = Header(**{**values, "symbols": tuple(values["symbols"])})
    except (ValueError, TypeError, KeyError):
        return None
    return (header, code) if hashlib.sha256(code).hexdigest() == header.sha256 else None


def read(path: Path) -> tuple[Header, bytes] | None:
    """Return header and object code of a file; None when it is missing, damaged or of another version."""
    try:
        return unpack(path.read_bytes())
    except OSError:
        return None


def write(folder: Path, header: Header, code: bytes) -> Path:
    """Write a file, whole or not at all, and return its path."""
    path = folder / file_name(header.package, header.digest, header.target, header.checked)
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(pack(header, code))
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return path


# --- the user's cache folder ---


@functools.cache
def cache_folder() -> Path:
    """Return the folder of libraries built on this machine; it is made if it does not exist.

    ``PCG_CACHE_DIR`` moves it. Where it cannot be written, a folder for this process alone takes its place.

    Raises:
        PcgError: when others could have written into it.
    """
    base = os.environ.get("PCG_CACHE_DIR")
    home = Path(base).absolute() if base else Path(platformdirs.user_cache_dir("pcg-toolkit"))
    folder = home / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="pcg-kernels-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder
    problem = distrusted(folder)
    if problem:
        raise PcgError(
            f"{folder}: {problem}, so code in it is not loaded; mend that, or set PCG_CACHE_DIR to a folder of your own"
        )
    return folder


def distrusted(path: Path) -> str:
    """Return the reason for which a file or folder of code is not to be trusted, "" when it is the user's own."""
    if not hasattr(os, "geteuid"):
        return ""  # the cache folder of Windows lies in the user's profile, which has its own access rules
    try:
        status = path.stat()
    except OSError as error:
        return str(error.strerror or error).lower()
    if status.st_uid != os.geteuid():
        return f"it belongs to another user (uid {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to it (mode {stat.S_IMODE(status.st_mode):o})"
    return ""


def find(package: str, digest: str, target: str, checked: bool, compiler: str) -> tuple[Header, bytes] | None:
    """Return a library that fits: the shipped one, else the one built before by the compiler installed now.

    What the shipped one was compiled with does not matter: its sources are those that run here.
    """
    name = file_name(package, digest, target, checked)
    found = read(SHIPPED / name)
    if found is not None and _fits(found[0], package, digest, target, checked):
        return found
    path = cache_folder() / name
    found = read(path)
    if found is None or found[0].compiler != compiler or not _fits(found[0], package, digest, target, checked):
        return None
    if distrusted(path):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return found


def _fits(header: Header, package: str, digest: str, target: str, checked: bool) -> bool:
    return (header.package, header.digest, header.target, header.checked) == (package, digest, target, checked)


def prune(folder: Path) -> None:
    """Remove the files that have not been used for longest, all but the latest few, and what a killed process left."""
    with contextlib.suppress(OSError):
        for part in folder.glob(".*.part"):
            if part.stat().st_mtime < time.time() - _HOUR:
                part.unlink(missing_ok=True)
        files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in files[_KEEP:]:
            old.unlink(missing_ok=True)


@contextlib.contextmanager
def one_builder(folder: Path, name: str = "building") -> Iterator[None]:
    """Let one process build what goes by a name while the others wait and then find what it made."""
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / f"{name}.lock").open("w")
    except (ImportError, OSError):
        yield  # without locks several processes may build the same thing, which only costs time
        return
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
