"""How kernels are compiled, cached, called, and run without a compiler.

Three kinds of functions exist. *Inner* functions (`@inner`) are Numba functions without a Python wrapper, one
specialisation each. *Islands* (`@island`) are the few compiled entry points: C functions over 64-bit integers, compiled
on first use, cached on disk, and called by address, so that a search kernel can call any engine's `advance` without
being compiled for it. *Trampolines* (`invoke`) call an island from Python without the GIL.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python over the same memory (for debugging and coverage).
With ``PCG_BOUNDSCHECK=1`` every sprite and table access is checked; a violation sets the state's status.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import os
import re
import shutil
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
import platformdirs
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

JIT: bool = not numba.config.DISABLE_JIT
"""False when the compiler is switched off."""
CHECKED: bool = os.environ.get("PCG_BOUNDSCHECK", "0") not in ("", "0")
"""True when accesses are bounds-checked; frozen into compiled code, hence part of the cache key."""

_KEEP_CACHES = 96
"""Folders of compiled code to keep: one per module with islands, version and checking mode, the latest used first."""
_IMPORT = re.compile(r"^from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|^import\s+([\w.]+)", re.MULTILINE)
_digests: dict[str, str] = {}


def _source_of(name: str) -> Path | None:
    """The source file of a module, also of one that is being imported or run as a script; None without one."""
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


def _module_files(name: str, found: dict[str, Path]) -> None:
    """Collect the source files of a module and of all modules of the same distribution that it imports."""
    if name in found:
        return
    path = _source_of(name)
    if path is None:
        return
    found[name] = path
    root = name.partition(".")[0]
    for package, names, plain in _IMPORT.findall(path.read_text(encoding="utf-8")):
        target = package or plain
        if target.partition(".")[0] not in (root, "pcg"):
            continue
        _module_files(target, found)
        for part in names.strip("()").replace("\n", ",").split(","):
            word = part.strip().split(" ")[0]
            if word.islower():
                _module_files(f"{target}.{word}", found)


def cache_folder(module: str) -> Path:
    """Folder of compiled code of a module, named after everything that the code depends on.

    Numba's own check looks only at the file of the entry point; a changed callee in another file would go unnoticed.
    """
    if module not in _digests:
        files: dict[str, Path] = {}
        _module_files(module, files)
        digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {CHECKED} {np.__version__}".encode())
        for name in sorted(files):
            digest.update(name.encode())
            digest.update(files[name].read_bytes())
        _digests[module] = digest.hexdigest()[:20]
    base = os.environ.get("PCG_CACHE_DIR")
    home = Path(base) if base else Path(platformdirs.user_cache_dir("pcg-toolkit"))
    return home / "kernels" / _digests[module]


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


@contextlib.contextmanager
def _one_at_a_time(folder: Path, name: str) -> Iterator[None]:
    """Let one process compile while the others wait and then find the result in the cache ("": no need to wait)."""
    if not name:
        yield
        return
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / f"{name}.lock").open("w")
    except (ImportError, OSError):
        yield  # without locks several processes may compile the same thing, which only costs time
        return
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


# --- inner functions ---


def _normal(kind: types.Type) -> types.Type:
    """One specialisation per function: every kind of integer or boolean is passed as int64."""
    if isinstance(kind, (types.Integer, types.Boolean, types.IntegerLiteral, types.BooleanLiteral)):
        return types.int64
    if isinstance(kind, types.Float):
        return types.float64
    return kind


def inner(function: Callable[..., Any]) -> Any:
    """Declare a function that only compiled code calls (calling it from Python crashes when compiled)."""
    return _inner(function, False)


def inlined(function: Callable[..., Any]) -> Any:
    """Declare an inner function whose code is always put in the place of its calls: for what is small and hot."""
    return _inner(function, True)


def _inner(function: Callable[..., Any], force: bool) -> Any:
    if not JIT:
        return function
    dispatcher = numba.njit(
        error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=force
    )(function)
    resolve = dispatcher.get_call_template

    def template(args: Any, kws: Any) -> Any:
        return resolve(tuple(_normal(a) for a in args), {k: _normal(v) for k, v in kws.items()})

    dispatcher.get_call_template = template
    return dispatcher


# --- islands ---

_lock = threading.RLock()
_python_islands: dict[int, Callable[..., Any]] = {}
_announced = False


def _announce() -> None:
    global _announced
    if not _announced:
        _announced = True
        print(
            "pcg: compiling the kernels for this machine; this happens once per version and takes about a minute ...",
            file=sys.stderr,
            flush=True,
        )


class Island:
    """A compiled entry point, called by address.

    Args of the function are int64 or float64 as declared in `signature`, for example ``"i8(i8, i8)"``. Compilation
    happens on the first use of `address`, or is loaded from the cache.
    """

    registry: ClassVar[list[Island]] = []

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self.function = function
        self.name = f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"
        self.signature = signature
        self._address = 0
        self._compiled: Any = None
        # the digest is taken while the sources are being imported: taken later, it could be that of an edited file
        self._folder = cache_folder(function.__module__)
        Island.registry.append(self)

    def __repr__(self) -> str:
        return f"<island {self.name}{self.signature[2:]}>"

    @property
    def address(self) -> int:
        """Address of the C function."""
        if self._address == 0:
            with _lock:
                if self._address == 0:
                    self._address = self._compile()
        return self._address

    def _compile(self) -> int:
        if not JIT:
            address = 1000 + len(_python_islands)
            _python_islands[address] = self.function
            return address
        result, arguments = _signature(self.signature)
        folder = self._folder
        fresh = not any(folder.glob(f"*/*.{self.function.__name__}-*.nbi"))
        if fresh:
            _announce()
            _prune_caches(folder)
        else:
            with contextlib.suppress(OSError):
                os.utime(folder)
        started = time.perf_counter()
        # a function typed at a prompt has no file to be cached beside
        cached = Path(self.function.__code__.co_filename).is_file()
        with _one_at_a_time(folder, self.function.__name__ if fresh and cached else ""), _our_cache(folder):
            self._compiled = numba.cfunc(result(*arguments), cache=cached, error_model="numpy")(self.function)
        if fresh and os.environ.get("PCG_VERBOSE_COMPILE"):
            print(f"pcg:   {self.name}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
        return int(self._compiled.address)


def _signature(text: str) -> tuple[types.Type, list[types.Type]]:
    kinds = {"i8": types.int64, "f8": types.float64}
    result, _, rest = text.partition("(")
    return kinds[result.strip()], [kinds[a.strip()] for a in rest.rstrip(")").split(",") if a.strip()]


def island(signature: str) -> Callable[[Callable[..., Any]], Island]:
    """Declare a compiled entry point over int64 (``i8``) and float64 (``f8``) arguments."""

    def declare(function: Callable[..., Any]) -> Island:
        return Island(function, signature)

    return declare


def compile_all(progress: Callable[[str, float], None] | None = None) -> float:
    """Compile (or load) every island declared so far; returns the seconds it took."""
    started = time.perf_counter()
    for entry in Island.registry:
        before = time.perf_counter()
        _ = entry.address
        if progress is not None:
            progress(entry.name, time.perf_counter() - before)
    return time.perf_counter() - started


# --- memory and calls by address ---

_FIELD_KINDS = {"i2": ctypes.c_int16, "i4": ctypes.c_int32, "i8": ctypes.c_int64, "f8": ctypes.c_double}


def structure(dtype: np.dtype[Any]) -> type[ctypes.Structure]:
    """The C structure of an aligned record type, for Python's own access to the kernel's memory."""
    fields = [(name, _FIELD_KINDS[spec[0].str[1:]]) for name, spec in (dtype.fields or {}).items()]
    record = type("Record", (ctypes.Structure,), {"_fields_": fields})
    if ctypes.sizeof(record) != dtype.itemsize:
        raise TypeError(f"{dtype} is not laid out as C would: declare it with align=True")
    return record


if JIT:

    def view_of(dtype: np.dtype[Any]) -> Any:
        """A function from an address to the record of `dtype` lying there."""
        record = numba.from_dtype(dtype)

        @intrinsic
        def view(typingctx: Any, address: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return builder.inttoptr(args[0], context.get_value_type(record))

            return record(types.int64), codegen

        return view

    def _loader(kind: types.Type) -> Any:
        @intrinsic
        def load(typingctx: Any, address: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                pointer = builder.inttoptr(args[0], context.get_value_type(kind).as_pointer())
                value = builder.load(pointer)
                return value if kind in (types.int64, types.float64) else builder.sext(value, cgutils.intp_t)

            return (kind if kind in (types.int64, types.float64) else types.int64)(types.int64), codegen

        return load

    def _storer(kind: types.Type) -> Any:
        given = types.float64 if kind == types.float64 else types.int64

        @intrinsic
        def store(typingctx: Any, address: Any, value: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                low = context.get_value_type(kind)
                value = args[1] if kind in (types.int64, types.float64) else builder.trunc(args[1], low)
                builder.store(value, builder.inttoptr(args[0], low.as_pointer()))
                return context.get_dummy_value()

            return types.void(types.int64, given), codegen

        return store

    load8, load16, load32, load64, load_double = (
        _loader(k) for k in (types.int8, types.int16, types.int32, types.int64, types.float64)
    )
    store8, store16, store32, store64, store_double = (
        _storer(k) for k in (types.int8, types.int16, types.int32, types.int64, types.float64)
    )

    @intrinsic
    def copy_bytes(typingctx: Any, to: Any, source: Any, size: Any) -> Any:
        """Copy `size` bytes between addresses that do not overlap."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = cgutils.voidptr_t
            cgutils.raw_memcpy(
                builder, builder.inttoptr(args[0], pointer), builder.inttoptr(args[1], pointer), args[2], 1
            )
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), codegen

    @intrinsic
    def low_bit(typingctx: Any, word: Any) -> Any:
        """Number of the lowest bit set in a word that is not 0."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], cgutils.true_bit)

        return types.int64(types.int64), codegen

    @intrinsic
    def double_bits(typingctx: Any, value: Any) -> Any:
        """The 64 bits of a double as a signed word."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(types.int64))

        return types.int64(types.float64), codegen

    @intrinsic
    def bits_double(typingctx: Any, word: Any) -> Any:
        """The double that has these 64 bits."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(types.float64))

        return types.float64(types.int64), codegen

    def _caller(result: types.Type, arity: int) -> Any:
        from llvmlite import ir

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            function = ir.FunctionType(context.get_value_type(result), [word] * arity)
            return builder.call(builder.inttoptr(args[0], function.as_pointer()), list(args[1:]))

        signature = result(*([types.int64] * (arity + 1)))
        if arity == 1:

            @intrinsic
            def call(typingctx: Any, address: Any, a: Any) -> Any:
                return signature, codegen

        elif arity == 2:

            @intrinsic
            def call(typingctx: Any, address: Any, a: Any, b: Any) -> Any:
                return signature, codegen

        elif arity == 3:

            @intrinsic
            def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
                return signature, codegen

        elif arity == 4:

            @intrinsic
            def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
                return signature, codegen

        elif arity == 5:

            @intrinsic
            def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
                return signature, codegen

        else:

            @intrinsic
            def call(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> Any:
                return signature, codegen

        return call

    call1, call2, call3, call4, call5, call6 = (_caller(types.int64, n) for n in range(1, 7))
    call2_double, call3_double = (_caller(types.float64, n) for n in (2, 3))

else:

    def view_of(dtype: np.dtype[Any]) -> Any:
        """A function from an address to the record of `dtype` lying there."""
        return structure(dtype).from_address

    def _loader(kind: Any) -> Any:
        return lambda address: kind.from_address(int(address)).value

    def _storer(kind: Any, cast: Any = int) -> Any:
        def store(address: int, value: Any) -> None:
            kind.from_address(int(address)).value = cast(value)

        return store

    _kinds = (ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64, ctypes.c_double)
    load8, load16, load32, load64, load_double = (_loader(k) for k in _kinds)
    store8, store16, store32, store64 = (_storer(k) for k in _kinds[:4])
    store_double = _storer(ctypes.c_double, float)

    def copy_bytes(to: int, source: int, size: int) -> None:
        """Copy `size` bytes between addresses."""
        ctypes.memmove(int(to), int(source), int(size))

    def low_bit(word: int) -> int:
        """Number of the lowest bit set in a word that is not 0."""
        return (word & -word).bit_length() - 1

    _word_form, _double_form = struct.Struct("<q"), struct.Struct("<d")

    def double_bits(value: float) -> int:
        """The 64 bits of a double as a signed word."""
        return int(_word_form.unpack(_double_form.pack(value))[0])

    def bits_double(word: int) -> float:
        """The double that has these 64 bits."""
        return float(_double_form.unpack(_word_form.pack(word))[0])

    def _call(address: int, *args: Any) -> Any:
        return _python_islands[int(address)](*(int(a) for a in args))

    call1 = call2 = call3 = call4 = call5 = call6 = _call
    call2_double = call3_double = _call


# --- trampolines: Python -> island, without the GIL ---


def _trampoline(function: Callable[..., Any]) -> Any:
    if not JIT:
        return function
    with _our_cache(cache_folder(function.__module__)):
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


@_trampoline
def invoke1(address: int, a: int) -> int:
    """Call an ``i8(i8)`` island."""
    return call1(address, a)


@_trampoline
def invoke2(address: int, a: int, b: int) -> int:
    """Call an ``i8(i8, i8)`` island."""
    return call2(address, a, b)


@_trampoline
def invoke3(address: int, a: int, b: int, c: int) -> int:
    """Call an ``i8(i8, i8, i8)`` island."""
    return call3(address, a, b, c)


@_trampoline
def invoke4(address: int, a: int, b: int, c: int, d: int) -> int:
    """Call an ``i8(i8, i8, i8, i8)`` island."""
    return call4(address, a, b, c, d)


@_trampoline
def invoke5(address: int, a: int, b: int, c: int, d: int, e: int) -> int:
    """Call an island of five arguments."""
    return call5(address, a, b, c, d, e)


@_trampoline
def invoke6(address: int, a: int, b: int, c: int, d: int, e: int, f: int) -> int:
    """Call an island of six arguments."""
    return call6(address, a, b, c, d, e, f)
