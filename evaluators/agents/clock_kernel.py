"""The processor time of a thread, for kernels that must stop in time.

Where the system has no such clock, or the compiler cannot reach it, it stands still: agents then rely on the slices
their caller gives them.
"""

from __future__ import annotations

import time
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from pcg.engine.kernel.runtime import JIT

_CLOCK: int | None = getattr(time, "CLOCK_THREAD_CPUTIME_ID", None)
_REACHED = _CLOCK is not None and llvmlite.binding.address_of_symbol("clock_gettime") is not None

if JIT:

    @intrinsic
    def processor_time(typingctx: Any) -> Any:
        """Nanoseconds of processor time that the calling thread has used; 0 without a clock."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word, half = ir.IntType(64), ir.IntType(32)
            if not _REACHED:
                return word(0)
            moment = cgutils.alloca_once(builder, ir.ArrayType(word, 2))  # struct timespec
            kind = ir.FunctionType(half, [half, moment.type])
            read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
            builder.call(read, [half(_CLOCK), moment])
            seconds, rest = (builder.load(cgutils.gep_inbounds(builder, moment, 0, k)) for k in (0, 1))
            return builder.add(builder.mul(seconds, word(1_000_000_000)), rest)

        return types.int64(), codegen

else:

    def processor_time() -> int:
        """Nanoseconds of processor time that the calling thread has used; 0 without a clock."""
        return time.thread_time_ns() if _CLOCK is not None else 0
