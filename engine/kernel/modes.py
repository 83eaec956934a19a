"""The mode in which kernels run in this process, chosen by environment variables when it starts (see `runtime`)."""

from __future__ import annotations

import os

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
