"""Memory and calls by address as plain Python: the primitives of kernels that run without a compiler.

They work on the same memory as compiled code, and a call by address reaches compiled functions too, so a kernel can be
stepped through in a debugger beside compiled ones.
"""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pcg.engine.kernel.entry_points import EntryPoint

_FIELD_KINDS = {"i2": ctypes.c_int16, "i4": ctypes.c_int32, "i8": ctypes.c_int64, "f8": ctypes.c_double}
CLOCK = "pcg_processor_time"
"""Symbol of the clock in object code: defined by whoever loads it, so that the code does not depend on the system."""
_CLOCK: int | None = getattr(time, "CLOCK_THREAD_CPUTIME_ID", None)

python_entry_points: dict[int, Callable[..., Any]] = {}
"""Entry points that run as Python, by the number that stands for their address."""


def address_of(entry: EntryPoint) -> int:
    """Return a number that stands for the address of an entry point."""
    address = 1000 + len(python_entry_points)
    python_entry_points[address] = entry.function
    return address


def structure(dtype: np.dtype[Any]) -> type[ctypes.Structure]:
    """The C structure of an aligned record type, for Python's own access to the kernel's memory."""
    fields = [(name, _FIELD_KINDS[spec[0].str[1:]]) for name, spec in (dtype.fields or {}).items()]
    record = type("Record", (ctypes.Structure,), {"_fields_": fields})
    if ctypes.sizeof(record) != dtype.itemsize:
        raise TypeError(f"{dtype} is not laid out as C would: declare it with align=True")
    return record


class view_of:  # noqa: N801 - a function for its callers
    """A function from an address to the record of `dtype` lying there."""

    __slots__ = ("_from_address", "dtype")

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self._from_address: Any = None

    def __call__(self, address: int) -> Any:
        """Return the record at an address; its fields can be read and written."""
        if self._from_address is None:
            self._from_address = structure(self.dtype).from_address
        return self._from_address(address)

    def __reduce__(self) -> Any:
        """Become the view of the process that builds kernels, which is one of Numba's."""
        return view_of, (self.dtype,)


def direct_view_of(dtype: np.dtype[Any]) -> Any:
    """As `view_of`, faster, for processes in which everything runs as Python."""
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


def count_bits(word: int) -> int:
    """Number of bits set in a word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def clear_low(word: int) -> int:
    """The word without its lowest bit."""
    word &= 0xFFFFFFFFFFFFFFFF
    word &= word - 1
    return word - (1 << 64) if word >> 63 else word


def times(a: int, b: int) -> int:
    """Product of two words modulo 2^64, as a signed word."""
    word = (int(a) * int(b)) & 0xFFFFFFFFFFFFFFFF
    return word - (1 << 64) if word >> 63 else word


_WORD, _DOUBLE = struct.Struct("<q"), struct.Struct("<d")


def double_bits(value: float) -> int:
    """The 64 bits of a double as a signed word."""
    return int(_WORD.unpack(_DOUBLE.pack(value))[0])


def bits_double(word: int) -> float:
    """The double that has these 64 bits."""
    return float(_DOUBLE.unpack(_WORD.pack(word))[0])


def processor_time() -> int:
    """Nanoseconds of processor time that the calling thread has used; 0 without a clock."""
    return time.thread_time_ns() if _CLOCK is not None else 0


def _caller(result: Any, arity: int) -> Any:
    compiled = ctypes.CFUNCTYPE(result, *[ctypes.c_int64] * arity)

    def call(address: int, *args: Any) -> Any:
        function = python_entry_points.get(address)
        return (function or compiled(int(address)))(*map(int, args))

    return call


call1, call2, call3, call4, call5, call6 = (_caller(ctypes.c_int64, n) for n in range(1, 7))
call2_double, call3_double = (_caller(ctypes.c_double, n) for n in (2, 3))
invoke1, invoke2, invoke3, invoke4, invoke5, invoke6 = call1, call2, call3, call4, call5, call6

_HOME = "pcg.engine.kernel.runtime"
PRIMITIVES = (
    *("load8", "load16", "load32", "load64", "load_double"),
    *("store8", "store16", "store32", "store64", "store_double"),
    *("copy_bytes", "low_bit", "count_bits", "clear_low", "times", "double_bits", "bits_double", "processor_time"),
    *("call1", "call2", "call3", "call4", "call5", "call6", "call2_double", "call3_double"),
)
"""Names that kernels import from `runtime`, beside `view_of`."""
for _name in PRIMITIVES:  # functions of users are sent to the process that builds, where `runtime` has Numba's
    globals()[_name].__module__, globals()[_name].__qualname__ = _HOME, _name
view_of.__module__ = _HOME
