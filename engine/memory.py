"""Small processes that evaluate for hours: C's allocator maps large arrays, and code that is done with has no pages.

Both are for Linux, the first for its usual C library; elsewhere they do nothing. Results are the same with and without.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import sys
from pathlib import Path
from typing import Any

MAPPED = 1 << 20
"""Bytes from which on memory is mapped by itself, so that all of it goes back when it is freed."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""


@functools.cache
def map_large_arrays() -> bool:
    """Have C's allocator map what is large by itself, for as long as the process lives; tell whether it does.

    By default glibc maps from 128 kilobytes on, but after the first freed array that was larger it cuts all arrays up
    to 32 megabytes out of one piece, which only shrinks where its end is free: searches of many sizes leave gaps there
    that take half as much memory again.
    """
    set_parameter = getattr(_c_library(), "mallopt", None)
    if set_parameter is None:
        return False
    # the one switches off what adapts either of them, so the other has to be set as well
    return bool(set_parameter(_M_MMAP_THRESHOLD, MAPPED)) and bool(set_parameter(_M_TRIM_THRESHOLD, MAPPED))


def release_code(library: str) -> int:
    """Give back the pages of a shared library's code, which are read from its file again where they are needed.

    Args:
        library: name of its file.

    Returns:
        Bytes of code whose pages were given back, most of which were perhaps never read.
    """
    advise = getattr(_c_library(), "madvise", None)
    if advise is None:
        return 0
    released = 0
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text().splitlines():
            place, access, _, _, _, *file = line.split(maxsplit=5)
            ours = bool(file) and Path(file[0]).name == library
            if ours and access == "r-xp":  # never written to: what is written would be lost
                start, end = (int(address, 16) for address in place.split("-"))
                if advise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTNEED) == 0:
                    released += end - start
    return released


@functools.cache
def _c_library() -> Any:
    """Return the functions of the C library of this process; None on other systems than Linux."""
    if not sys.platform.startswith("linux"):
        return None
    return ctypes.CDLL(None, use_errno=True)
