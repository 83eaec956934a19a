"""Laying out many state blocks at once: a search gets thousands of them, and a call from Python for each would show."""

from __future__ import annotations

from pcg.engine.kernel.runtime import island
from pcg.engine.kernel.tick import lay_out


@island("i8(i8, i8, i8, i8, i8)")
def format_blocks(gm, st, room, count, stride):
    """Lay out `count` zeroed blocks, the first at `st` and each `stride` bytes after the one before."""
    for k in range(count):
        lay_out(gm, st + k * stride, room)
    return count
