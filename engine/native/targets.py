"""Processors and operating systems that kernels are built for.

A target names a file, so the names are part of the file format. Floating-point contraction is never allowed, so that
all targets compute the same bits.
"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError, nearest


@dataclass(frozen=True, slots=True)
class Target:
    """Machine that an object file is emitted for."""

    name: str
    triple: str
    """LLVM's name of processor and system; "" is that of this machine."""
    processor: str = "generic"
    features: str = ""
    wheel: str = ""
    """Platform tag of a wheel with this object; "" when no wheel carries it."""

    @property
    def is_wasm(self) -> bool:
        """True when the object becomes a WebAssembly module."""
        return self.triple.startswith("wasm")


_SYSTEMS = {
    "linux": ("unknown-linux-gnu", "manylinux_2_17_{}"),
    "macos": ("apple-macosx11.0.0", "macosx_11_0_{}"),
    "windows": ("pc-windows-msvc", "win_{}"),
}
_X86_LEVELS = ("x86-64-v2", "x86-64-v3")


def _all() -> dict[str, Target]:
    found = []
    for system, (rest, wheel) in _SYSTEMS.items():
        processor = "x86_64" if system != "windows" else "amd64"
        for level in _X86_LEVELS:
            found.append(Target(f"{system}-{level}", f"x86_64-{rest}", level, wheel=wheel.format(processor)))
        arm = "aarch64" if system == "linux" else "arm64"
        tuned = "apple-m1" if system == "macos" else "generic"
        found.append(
            Target(f"{system}-arm64", f"{arm}-{rest}".replace("arm64-pc", "aarch64-pc"), tuned, wheel=wheel.format(arm))
        )
    found.append(Target("wasm32", "wasm32-unknown-unknown", features="+bulk-memory,+sign-ext,+mutable-globals"))
    return {target.name: target for target in found}


TARGETS: dict[str, Target] = _all()
"""Every target by name."""

_V3 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V2 = ("cx16", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3")


def target_named(name: str) -> Target:
    """Return the target of that name.

    Raises:
        PcgError: when there is none, with the nearest name.
    """
    if name not in TARGETS:
        hint = nearest(name, TARGETS)
        did = f", did you mean `{hint}`?" if hint else ""
        raise PcgError(f"unknown kernel target `{name}`{did} (expected one of {', '.join(TARGETS)})")
    return TARGETS[name]


@functools.cache
def host() -> Target:
    """Return the best target that this machine runs; ``PCG_KERNELS_TARGET`` asks for a lesser one.

    Machines without a name here get code for the plainest processor of their kind, which is built on first use.

    Raises:
        PcgError: when what is asked for does not run here.
    """
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}.get(
        platform.system(), platform.system().lower()
    )
    machine = platform.machine().lower()
    name = f"{system}-{machine}"
    if machine in ("arm64", "aarch64"):
        name = f"{system}-arm64"
    elif machine in ("x86_64", "amd64"):
        name = f"{system}-{_x86_level()}"
    best = TARGETS.get(name) or Target(name, "")
    asked = os.environ.get("PCG_KERNELS_TARGET", "")
    if not asked:
        return best
    target = target_named(asked if asked in TARGETS else f"{system}-{asked}")
    if target.triple != best.triple or target.name > best.name:
        raise PcgError(f"PCG_KERNELS_TARGET is `{asked}`, which does not run on this machine ({best.name})")
    return target


def _x86_level() -> str:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    if not all(features.get(name, False) for name in _V2):
        return "x86-64"
    return "x86-64-v3" if all(features.get(name, False) for name in _V3) else "x86-64-v2"


@functools.cache
def compiler() -> str:
    """Return the versions of what compiles kernels on this machine."""
    return " ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numba", "llvmlite"))
