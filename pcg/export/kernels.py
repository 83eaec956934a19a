"""The kernels of a page: one WebAssembly module of the entry points that a play and its agents need, and no others.

A page that plays needs some thirty of the engine's and the agents' entry points. Linked as one module, whatever else
the two packages hold falls away, and what both use is there once. Effects and sprite classes of users are modules of
their own, built in seconds, which share its memory and its function table (`pcg.engine.native.wasm`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from pcg.engine.kernel import features, paths, stepping, tick
from pcg.engine.kernel.runtime import EntryPoint
from pcg.engine.native.image import FunctionPlace
from pcg.engine.native.loader import chosen_code, foreign_code
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents.kernel import avatar_position, decision, heuristics, mcts, olets, simple

LABEL = "pcg.export"
ENTRY_POINTS: tuple[EntryPoint, ...] = (
    tick.format_blocks,
    tick.copy_state,
    tick.advance,
    tick.model_advance,
    tick.model_over,
    tick.model_outcome,
    tick.model_score,
    tick.model_actions,
    tick.model_reseed,
    tick.model_events,
    features.model_features,
    paths.build_paths,
    stepping.step,
    stepping.measure,
    decision.decide,
    simple.decide_random,
    simple.decide_onestep,
    mcts.decide_mcts,
    olets.decide_olets,
    heuristics.win_score,
    avatar_position.avatar_position,
    avatar_position.position_and_orientation,
)
"""Entry points that the module exports; of the forward model only those that the agents of a page call."""


@dataclass(frozen=True, slots=True)
class Module:
    """A WebAssembly module, and the names of its functions where they are not those that images use."""

    code: bytes
    names: dict[str, str]


@functools.cache
def page_module() -> Module:
    """Return the module of engine and agents; it is built once per version, in about a minute."""
    return Module(chosen_code(LABEL, ENTRY_POINTS, "wasm32"), {})


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
    return symbol in _SYMBOLS


_SYMBOLS = frozenset(e.symbol for e in ENTRY_POINTS)
