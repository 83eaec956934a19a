"""Import of the package `pcg_benchmark`, which is its authors' and not among our requirements."""

from __future__ import annotations

import importlib
from typing import Any

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

INSTALL = "pip install git+https://github.com/amidos2006/pcg_benchmark"


def benchmark() -> Any:
    """Import and return the package `pcg_benchmark`.

    Raises:
        PcgError: when it is not installed.
    """
    try:
        return importlib.import_module("pcg_benchmark")
    except ImportError:
        raise PcgError(f"the PCG Benchmark is not installed; {INSTALL}") from None


def make_environment(name: str) -> Any:
    """Make one of the benchmark's environments.

    Raises:
        PcgError: for an unknown name, with the nearest known one.
    """
    package = benchmark()
    names = list(package.list())
    if name not in names:
        hint = did_you_mean(name, names, f" (there are: {', '.join(names)})")
        raise PcgError(f"unknown problem `{name}` of the PCG Benchmark{hint}")
    return package.make(name)
