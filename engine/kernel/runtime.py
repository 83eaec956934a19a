"""Declarations of kernels, and the modes in which they run.

Three kinds of functions exist. *Inner* functions (`@inner`) are called by kernels only. *Entry points* (`@entry_point`)
are few: C functions over 64-bit integers, called by address, so that a search kernel can call any
engine's `advance` without being compiled for it. *Calls* (`invoke1` to `invoke6`) are how Python calls an entry_point,
without the GIL.

``PCG_KERNELS`` chooses the mode:

- ``aot`` (the default): entry points are loaded from object code built ahead of time (`pcg.engine.native`), and
  Numba is not imported. Where such code is missing it is built once, by other processes.
- ``jit``: Numba compiles each entry point in this process, on first use, with its own cache: for working on kernels.
- ``python``: the same functions run as plain Python over the same memory, for debugging and coverage. The default
  where ``NUMBA_DISABLE_JIT=1``.

With ``PCG_BOUNDSCHECK=1`` every sprite and table access is checked; a violation sets the state's status.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from pcg.engine.kernel.entry_points import EntryPoint as EntryPoint
from pcg.engine.kernel.modes import CHECKED as CHECKED
from pcg.engine.kernel.modes import COMPILED as COMPILED
from pcg.engine.kernel.modes import MODE as MODE
from pcg.engine.kernel.modes import MODES as MODES
from pcg.engine.kernel.modes import NUMBA as NUMBA
from pcg.engine.kernel.primitives_python import structure as structure

if NUMBA:
    os.environ["NUMBA_DISABLE_JIT"] = "0"  # the mode was chosen by name
    from pcg.engine.kernel.jit import compile_inner

_primitives: Any = import_module(f"pcg.engine.kernel.primitives_{'numba' if NUMBA else 'python'}")
# what kernels are written in, from the module of this mode
bits_double = _primitives.bits_double
call1 = _primitives.call1
call2 = _primitives.call2
call2_double = _primitives.call2_double
call3 = _primitives.call3
call3_double = _primitives.call3_double
call4 = _primitives.call4
call5 = _primitives.call5
call6 = _primitives.call6
clear_low = _primitives.clear_low
copy_bytes = _primitives.copy_bytes
count_bits = _primitives.count_bits
double_bits = _primitives.double_bits
load8 = _primitives.load8
load16 = _primitives.load16
load32 = _primitives.load32
load64 = _primitives.load64
load_double = _primitives.load_double
low_bit = _primitives.low_bit
processor_time = _primitives.processor_time
store8 = _primitives.store8
store16 = _primitives.store16
store32 = _primitives.store32
store64 = _primitives.store64
store_double = _primitives.store_double
times = _primitives.times
view_of = _primitives.view_of if COMPILED else _primitives.direct_view_of


# --- inner functions ---


def inner(function: Callable[..., Any]) -> Any:
    """Declare a function that only kernels call."""
    return _inner(function, False)


def inlined(function: Callable[..., Any]) -> Any:
    """Declare an inner function whose code is always put in the place of its calls: for what is small and hot."""
    return _inner(function, True)


def _inner(function: Callable[..., Any], force: bool) -> Any:
    if NUMBA:
        return compile_inner(function, force)
    function.__kernel__ = "inlined" if force else "inner"  # type: ignore[attr-defined]
    return function


# --- entry points ---


def entry_point(signature: str) -> Callable[[Callable[..., Any]], EntryPoint]:
    """Declare a compiled entry point over int64 (``i8``) and float64 (``f8``) arguments."""

    def declare(function: Callable[..., Any]) -> EntryPoint:
        return EntryPoint(function, signature)

    return declare


def compile_all(progress: Callable[[str, float], None] | None = None) -> float:
    """Load (or build, or compile) every entry point declared so far; returns the seconds it took."""
    started = time.perf_counter()
    if MODE == "aot":
        import_module("pcg.engine.native.loader").load_all(EntryPoint.registry, progress)
    for entry in EntryPoint.registry:
        before = time.perf_counter()
        _ = entry.address
        if progress is not None:
            progress(entry.name, time.perf_counter() - before)
    return time.perf_counter() - started


# --- calls: Python -> entry_point, without the GIL ---

_calls: Any = import_module("pcg.engine.native.calls" if COMPILED else "pcg.engine.kernel.primitives_python")
invoke1, invoke2, invoke3 = _calls.invoke1, _calls.invoke2, _calls.invoke3
invoke4, invoke5, invoke6 = _calls.invoke4, _calls.invoke5, _calls.invoke6
