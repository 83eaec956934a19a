"""Kernels built ahead of time: native machine code for whole packages of kernels, made once and loaded from files.

Numba's front end turns every entry point (`pcg.engine.kernel.runtime.entry_point`) of a Python package into LLVM's
intermediate representation; all of it is linked into one module in which everything but the entry points is internal,
optimised as a whole, and written as an object file for one target or several. A process that only plays loads the
object with llvmlite and never imports Numba.

What lives here, in the order of the work: `sources` (which modules have entry points, and the digest of what they are
made of), `numba_front` (Numba without its back end, the one place that relies on its internals), `linking` (one module,
optimised, emitted), `targets` (processors and systems), `wasm` and `wasm_object` (objects to WebAssembly modules),
`worker` (the process that builds), `builder` (starts workers, shows progress), `objects` (the files and where they may
come from), `loader` (memory and addresses), `calls` (how Python calls an address), `foreign` (functions of users).
`image` lays a game out in memory for a module that runs elsewhere, `replay` and `difference` compare plays on different
kernels bit by bit. The kernels themselves do not live here. docs/kernels.md tells how to work on them. `TARGETS` and
`host` are imported from here, on first use.
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports

if TYPE_CHECKING:
    from pcg.engine.native.targets import TARGETS, host

__all__ = ["TARGETS", "host"]


__getattr__, __dir__ = _lazy_exports(__name__, dict.fromkeys(__all__, "targets"))
