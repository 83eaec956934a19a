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
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

from pcg.engine.kernel.primitives_python import python_entry_points
from pcg.engine.kernel.primitives_python import structure as structure
from pcg.engine.vgdl.diagnostics import PcgError

MODES = ("aot", "jit", "python")


def _chosen_mode() -> str:
    asked = os.environ.get("PCG_KERNELS", "")
    if not asked:
        return "python" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else "aot"
    if asked not in (*MODES, "build"):
        raise PcgError(f"PCG_KERNELS is `{asked}`, expected {', '.join(MODES[:-1])} or {MODES[-1]}")
    return asked


MODE: str = _chosen_mode()
"""Mode of the entry points of this process: one of `MODES`, or "build" in a process that builds object code."""
COMPILED: bool = MODE != "python"
"""False when kernels run as plain Python."""
CHECKED: bool = os.environ.get("PCG_BOUNDSCHECK", "0") not in ("", "0")
"""True when accesses are bounds-checked; frozen into compiled code."""
NUMBA: bool = MODE in ("jit", "build")
"""True when functions are declared to Numba, in this process."""

if NUMBA:
    os.environ["NUMBA_DISABLE_JIT"] = "0"  # the mode was chosen by name
    from pcg.engine.kernel.jit import compile_entry, compile_inner

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

_lock = threading.RLock()


class EntryPoint:
    """An entry point of compiled code, called by address.

    Arguments of the function are int64 or float64 as declared in `signature`, for example ``"i8(i8, i8)"``. Its code is
    loaded, or built, on the first use of `address`.
    """

    registry: ClassVar[list[EntryPoint]] = []

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self.function = function
        self.module: str = function.__module__
        self.symbol = f"{self.module.rpartition('.')[2]}_{function.__name__}"
        """Its name in object code, unique in its package."""
        self.name = f"{self.module.rpartition('.')[2]}.{function.__name__}"
        self.signature = signature
        self._address = 0
        self.withdraw()
        EntryPoint.registry.append(self)

    def __repr__(self) -> str:
        return f"<entry point {self.name}{self.signature[2:]}>"

    def withdraw(self) -> None:
        """Forget earlier entry points of this name, so that a function typed anew takes the place of a faulty one.

        Code of theirs that is loaded stays.
        """
        EntryPoint.registry[:] = [e for e in EntryPoint.registry if (e.module, e.name) != (self.module, self.name)]

    @property
    def kinds(self) -> tuple[str, list[str]]:
        """The kind of the result and of each argument: "i8" (int64) or "f8" (float64)."""
        result, _, rest = self.signature.partition("(")
        return result.strip(), [a.strip() for a in rest.rstrip(")").split(",") if a.strip()]

    @property
    def address(self) -> int:
        """Address of the C function."""
        if self._address == 0:
            with _lock:
                if self._address == 0:
                    self._address = self._compile()
        return self._address

    @property
    def is_loaded(self) -> bool:
        """True once the address is known."""
        return self._address != 0

    def load(self, address: int) -> None:
        """Set the address of code that was loaded with that of another entry point."""
        self._address = address

    def _compile(self) -> int:
        if MODE == "aot":
            from pcg.engine.native.loader import address_of

            return address_of(self)
        if MODE == "python":
            address = 1000 + len(python_entry_points)
            python_entry_points[address] = self.function
            return address
        if MODE == "jit":
            return compile_entry(self)
        raise PcgError(f"the process that builds kernels cannot run them: {self.name}")


def entry_point(signature: str) -> Callable[[Callable[..., Any]], EntryPoint]:
    """Declare a compiled entry point over int64 (``i8``) and float64 (``f8``) arguments."""

    def declare(function: Callable[..., Any]) -> EntryPoint:
        return EntryPoint(function, signature)

    return declare


def compile_all(progress: Callable[[str, float], None] | None = None) -> float:
    """Load (or build, or compile) every entry point declared so far; returns the seconds it took."""
    started = time.perf_counter()
    if MODE == "aot":
        from pcg.engine.native.loader import load_all

        load_all(EntryPoint.registry, progress)
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
