"""The kernels of a page: one WebAssembly module of the entry points that a play and its agents need, and no others.

Which they are is in `library.toml`, from which the module is built with the toolkit's other kernels
(`pcg.engine.native.selections`). Effects and sprite classes of users are modules of their own, built in seconds, which
share its memory and its function table (`pcg.engine.native.wasm`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from pcg.engine.kernel.entry_points import EntryPoint
from pcg.engine.native.image import FunctionPlace
from pcg.engine.native.loader import foreign_code, selection_code
from pcg.engine.native.selections import selection_named
from pcg.engine.vgdl.diagnostics import PcgError

LABEL = "pcg.export"


@dataclass(frozen=True, slots=True)
class Module:
    """A WebAssembly module, and the names of its functions where they are not those that images use."""

    code: bytes
    names: dict[str, str]


@functools.cache
def page_module() -> Module:
    """Return the module of engine and agents; it is built with the other kernels, where no package brings it."""
    return Module(selection_code(LABEL), {})


def modules_for(functions: Sequence[FunctionPlace]) -> list[Module]:
    """Return the modules for a game: engine and agents, and the functions of users that its images name.

    Raises:
        PcgError: when functions of users cannot be built.
    """
    wanted = {(f.module, f.symbol) for f in functions if not f.module.startswith("pcg.")}
    entries = [e for e in EntryPoint.registry if (e.module, e.symbol) in wanted]
    if len(entries) < len(wanted):
        raise PcgError("an effect or sprite class of this game is no longer registered, so it cannot be exported")
    return [page_module(), *([Module(*foreign_code(entries, "wasm32"))] if entries else [])]


def exported(symbol: str) -> bool:
    """Return True for functions of the toolkit that the module of a page has."""
    return symbol in _symbols()


@functools.cache
def _symbols() -> frozenset[str]:
    return frozenset(symbol for _, symbol in selection_named(LABEL).symbols)
