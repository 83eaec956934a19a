"""Resolved games: every name looked up, every rule in the order in which it runs.

This is what lies between the syntax tree (`tree`) and the kernel's tables (`compiler`). It is plain data. Which text
leads to which definition is the business of `resolver`, after the rules of reference/language 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pcg.engine.vgdl.diagnostics import Diagnostic

Value = int | float | bool | str | tuple[float, float]
"""A typed parameter value (reference/language 1.4). Directions are pairs; colours and file names stay text."""


@dataclass(frozen=True, slots=True)
class SpriteType:
    """One node of the sprite tree. `id` is its index in `GameDefinition.types` and the reference's registry id."""

    id: int
    name: str
    class_name: str | None
    """The effective class (reference/language 1.5.3); None for a purely grouping node, and when it
    is no known class: such a sprite cannot be created."""
    path: tuple[int, ...]
    """Type ids from the topmost ancestor down to this type."""
    subtypes: tuple[int, ...]
    """`sub(t)` (reference/language 1.5.8): ancestors, the type, descendants depth first."""
    params: Mapping[str, Value]
    """Inherited and own parameters that fit a field of the effective class, converted by reference/language 1.4."""
    raw: Mapping[str, str]
    """All inherited and own `key=value` texts, whatever became of them."""
    singleton: bool
    """`singleton=true` written on this very line."""
    leaf: bool
    resource_limit: int
    line: int
    """1-based source line; 0 for the predefined `wall` and `avatar`."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect object: an interaction line (shared by all its pairs), or addTimer's inner effect."""

    index: int
    name: str
    params: Mapping[str, Value]
    """Parameters given on the line that fit a field of the effect (also the base fields of reference/effects 10.2)."""
    inner: int | None
    """Index of the inner effect of addTimer, else None."""
    line: int


@dataclass(frozen=True, slots=True)
class Pair:
    """All effects of one ordered pair of types, in the order they run, `repeat` already unrolled."""

    first: int
    second: int
    effects: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TimeEffect:
    """A `TIME` line. `effect` is the delegate; `bound` is a type id or -1."""

    effect: int
    bound: int
    params: Mapping[str, Value]
    """Own fields: timer, nextExecution, repeating, scoreChange, counter, ..., as far as given."""


@dataclass(frozen=True, slots=True)
class Termination:
    """One line of the TerminationSet."""

    name: str
    params: Mapping[str, Value]
    line: int


@dataclass(frozen=True, slots=True)
class GameDefinition:
    """A resolved game."""

    name: str
    """File stem, or "game" for text."""
    class_name: str
    """BasicGame or GameSpace."""
    header: Mapping[str, Value]
    """square_size, no_players, no_counters, key_handler, obs as far as given."""
    types: tuple[SpriteType, ...]
    draw_order: tuple[int, ...]
    """`spriteOrder`: leaves in file order, `avatar` last; updates walk it backwards."""
    effects: tuple[Effect, ...]
    pairs: tuple[Pair, ...]
    """In order of first definition."""
    eos_types: tuple[int, ...]
    """One entry per EOS line of a type (duplicates wanted)."""
    eos_effects: Mapping[int, tuple[int, ...]]
    time_effects: tuple[TimeEffect, ...]
    """In order of insertion."""
    terminations: tuple[Termination, ...]
    mapping: Mapping[str, tuple[str, ...]]
    """Level character -> sprite names, the defaults `w` and `A` included unless replaced."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings of the reading (each cites its rule in the reference); errors are raised, not stored."""
    source: str = ""
    """The game text this came from."""
    type_index: Mapping[str, int] = field(default_factory=dict)
    """Name -> type id."""

    @property
    def players(self) -> int:
        return int(self.header.get("no_players", 1))  # type: ignore[arg-type]

    @property
    def counters(self) -> int:
        return int(self.header.get("no_counters", 0))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Level:
    """A level resolved against a game (reference/language 2)."""

    rows: tuple[str, ...]
    width: int
    height: int
    block_size: int
    placements: tuple[tuple[int, int, int], ...]
    """(type id, column, row) in order of creation: row by row, left to right, mapping order."""
    diagnostics: tuple[Diagnostic, ...] = ()
