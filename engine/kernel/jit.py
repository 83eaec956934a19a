"""Kernels compiled by Numba in the process that uses them (``PCG_KERNELS=jit``), with a cache on disk.

Also declares inner functions to Numba where kernels are built ahead of time.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import platformdirs
from numba import types

from pcg.engine.kernel.modes import CHECKED
from pcg.engine.native.objects import one_builder
from pcg.engine.native.sources import digest_of, module_files

if TYPE_CHECKING:
    from pcg.engine.kernel.entry_points import EntryPoint

_KEEP_CACHES = 96
"""Folders of compiled code to keep, the latest used first: one per module with entry points, version and mode."""


def _normal(kind: types.Type) -> types.Type:
    """One specialisation per function: every kind of integer or boolean is passed as int64."""
    if isinstance(kind, (types.Integer, types.Boolean, types.IntegerLiteral, types.BooleanLiteral)):
        return types.int64
    if isinstance(kind, types.Float):
        return types.float64
    return kind


def compile_inner(function: Callable[..., Any], force: bool) -> Any:
    """Declare an inner function to Numba; with `force` its code replaces each call of it.

    Calling it from Python crashes the process: it has no wrapper.
    """
    dispatcher = numba.njit(
        error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=force
    )(function)
    resolve = dispatcher.get_call_template

    def template(args: Any, kws: Any) -> Any:
        return resolve(tuple(_normal(a) for a in args), {k: _normal(v) for k, v in kws.items()})

    dispatcher.get_call_template = template
    return dispatcher


@functools.cache
def _cache_folder(module: str) -> Path:
    """Folder of compiled code of a module, named after everything that the code depends on.

    Numba's own check looks only at the file of the entry point; a changed callee in another file would go unnoticed.
    """
    compiler = f"{numba.__version__} {sys.version_info[:2]} {CHECKED} {np.__version__}"
    base = os.environ.get("PCG_CACHE_DIR")
    home = Path(base) if base else Path(platformdirs.user_cache_dir("pcg-toolkit"))
    return home / "jit" / digest_of(module_files([module]), compiler)[:20]


def _prune_caches(used: Path) -> None:
    """Remove compiled kernels of other versions, keeping the most recent few."""
    with contextlib.suppress(OSError):
        folders = [p for p in used.parent.iterdir() if p.is_dir() and p != used]
        folders.sort(key=lambda p: p.stat().st_mtime, reverse=True)
        for old in folders[_KEEP_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def _our_cache(folder: Path) -> Iterator[None]:
    """Point Numba's cache at our folder while one of our functions is set up, and only then."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


@functools.cache
def _announce() -> None:
    print(
        "pcg: compiling kernels in this process (PCG_KERNELS=jit); each is kept until its sources change ...",
        file=sys.stderr,
        flush=True,
    )


_compiled: list[Any] = []
"""Keeps compiled functions alive: others hold their addresses."""


def address_of(entry: EntryPoint) -> int:
    """Compile an entry point, or load it from Numba's cache, and return its address."""
    kinds = {"i8": types.int64, "f8": types.float64}
    result, arguments = entry.kinds
    folder = _cache_folder(entry.module)
    fresh = not any(folder.glob(f"*/*.{entry.function.__name__}-*.nbi"))
    if fresh:
        _announce()
        _prune_caches(folder)
    else:
        with contextlib.suppress(OSError):
            os.utime(folder)
    # a function typed at a prompt has no file to be cached beside
    cached = Path(entry.function.__code__.co_filename).is_file()
    alone = one_builder(folder, entry.function.__name__) if fresh and cached else contextlib.nullcontext()
    with alone, _our_cache(folder):
        signature = kinds[result](*(kinds[a] for a in arguments))
        function: Any = numba.cfunc(signature, cache=cached, error_model="numpy")(entry.function)
    _compiled.append(function)
    return int(function.address)
