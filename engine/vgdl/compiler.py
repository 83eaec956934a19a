"""Compiler: from a resolved game to the tables that the kernel reads.

Everything that can be decided before a level is known is decided here: parameters with their defaults, the numbers of
types and resources, which types can have sprites at all, and which of them no rule can move or change, so that their
sprites live once in the level. `pcg.engine.context` adds a level.

What the sprites decide (`sprite_tables`) and what single rules say (`EffectPart`, `TerminationPart`) is computed apart
and can be handed in, so that games which share sprites and rules share the work (`rule_compiler`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pcg.engine.kernel import layout as L
from pcg.engine.kernel.ids import EFFECT_ID, TERMINATION_ID
from pcg.engine.lazy import cached_property
from pcg.engine.vgdl import analysis_flags as flags_of
from pcg.engine.vgdl import extensions, ontology
from pcg.engine.vgdl.definition import GameDefinition, Value
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.facts import EffectFacts, members
from pcg.engine.vgdl.sprite_tables import NumberPool, SpriteSet, copy_of, table_of
from pcg.engine.vgdl.values import parse_int

MAX_TICK = 2000
"""The engine's own time limit (reference/loop 3.2)."""

_EFFECT_BITS = (
    ("killSecond", L.E_KILL_SECOND),
    ("forceOrientation", L.E_FORCE_ORIENTATION),
    ("pixelPerfect", L.E_PIXEL_PERFECT),
    ("takeOrientation", L.E_TAKE_ORIENTATION),
    ("align", L.E_ALIGN),
    ("stepBack", L.E_STEP_BACK),
    ("orient", L.E_ORIENT),
    ("killResource", L.E_KILL_RESOURCE),
    ("subtract", L.E_SUBTRACT),
    ("inBatch", L.E_BATCH),
)
_FIELD = {name: place for place, name in enumerate(L.EFFECT.names or ())}
_KIND, _RES, _LIST_AT, _COUNTERS_AT = (_FIELD[name] for name in ("kind", "res", "list_at", "counters_at"))
_TIME, _SHIELDS_AT, _PULL, _OWN_AT = (_FIELD[name] for name in ("time_effect", "shields_at", "pull", "own_at"))


class EffectPart:
    """Compiled form of an effect with its parameters, as far as it depends on nothing but the sprites of a game.

    Attributes:
        facts: what analyses know of it.
        row: its record, but for what the other rules decide.
        resources: ids of the types that it makes resources.
        problem: why it cannot be run, or "".
    """

    __slots__ = (
        "batch", "counters", "enabled", "facts", "name", "own", "problem", "removes_first", "resource", "resources",
        "row", "shield", "slow", "spared", "user",
    )  # fmt: skip

    def __init__(self, sprites: SpriteSet, name: str, params: Mapping[str, Value]) -> None:
        spec = ontology.EFFECTS[name]
        known, id_of = spec.params, sprites.id

        def get(key: str, default: Any = 0) -> Any:
            param = known.get(key)
            return params.get(key, param.default if param is not None else default)

        self.name = name
        self.facts = EffectFacts(sprites.facts, name, params)
        self.problem = ontology.cannot_run(spec)
        self.user = name not in EFFECT_ID
        self.own = sprites.own_numbers(known, spec.own, params) if self.user else []
        self.counters = _counters(sprites.definition, params)
        self.spared = tuple(sprites.ids(get("notStype", None))) if name == "undoAll" else ()
        self.shield = (id_of(get("stype", None)), str(get("ftype", ""))) if name == "shieldFrom" else None
        self.enabled = bool(params.get("enabled", True))
        self.slow = bool(spec.moves_second or spec.touches_all or spec.touches)
        self.removes_first = spec.removes_first
        self.resource = id_of(get(spec.record.get("res", "resource"), None))
        held = {sprites.index.get(str(params.get(key, "")), -1) for key in ("resource", "heldResource")}
        self.resources = frozenset(held - {-1})
        row: dict[str, Any] = {
            "kind": EFFECT_ID.get(name, -1),
            "bits": sum(bit for key, bit in _EFFECT_BITS if get(key, False)),
            "initial": _initial_flags(get),
            "stype": id_of(get("stype", None)),
            "stype2": id_of(get(spec.record.get("stype2", "estype"), None)),
            "stype3": id_of(get("stypeCount", None)),
            "res_limit": sprites.types[self.resource].resource_limit if self.resource >= 0 else 0,
            "limit": get("limit"),
            "geq": get("geq"),
            "leq": get("leq"),
            "prob": get("prob", 1.0),
            "number": float(get(spec.record.get("number", "value"))),
            "list_n": len(self.spared),
            "has_counters": any(self.counters),
        }
        row["score0"], row["score1"] = _scores(get("scoreChange", "0"))
        row["killed0"], row["killed1"] = _scores(get("scoreChangeIfKilled", "0"))
        if not name.endswith(("ToAll", "ForAll")):
            row["value"] = get(spec.record.get("value", "value"))
        self.row = [row.get(key, 0) for key in _FIELD]
        self.batch = row["bits"] & L.E_BATCH


class TerminationPart:
    """Compiled form of a termination by itself."""

    __slots__ = ("limits", "problem", "row")

    def __init__(self, sprites: SpriteSet, name: str, params: Mapping[str, Value]) -> None:
        get, id_of = params.get, sprites.id
        self.problem = ontology.cannot_run(ontology.TERMINATIONS[name])
        wins = str(get("win", "")).split(",")
        self.limits = tuple(_integer(piece) for piece in str(get("limits", "0")).split(","))
        row: dict[str, Any] = {
            "kind": TERMINATION_ID.get(name, -1),
            "limit": get("limit", 0),
            "count_score": bool(get("count_score", False)),
            "stype1": id_of(get("stype1", get("stype"))),
            "stype2": id_of(get("stype2")),
            "stype3": id_of(get("stype3")),
            "min_flag": bool(get("min", False)),
            "sub_types": get("subTypesNum", -1),
            "use_counter": bool(get("use_counter", False)),
            "compare": bool(get("compare", False)),
            "list_n": len(self.limits),
        }
        for p in range(2):
            row[f"win{p}"] = p < len(wins) and wins[p].strip().lower() == "true"
        self.row = [row.get(key, 0) for key in L.TERMINATION.names or ()]


_LIMITS_AT = (L.TERMINATION.names or ()).index("list_at")


class GameTables:
    """The compiled form of a game, shared by all its levels and states.

    The arrays are what the kernel reads by address; they must outlive every state of the game, which is why contexts
    keep a reference to this object.

    Args:
        definition: the game.
        sprites: its sprite set, when that is there already.
        effects: the parts of its effects, by index, when they are there already.
        terminations: those of its terminations.

    Raises:
        PcgError: the game holds something that can be checked but not run.
    """

    def __init__(
        self,
        definition: GameDefinition,
        sprites: SpriteSet | None = None,
        effects: Sequence[EffectPart] | None = None,
        terminations: Sequence[TerminationPart] | None = None,
    ) -> None:
        self.definition = definition
        self.sprites = sprites = sprites or SpriteSet(definition)
        if effects is None:
            effects = [EffectPart(sprites, e.name, e.params) for e in definition.effects]
        if terminations is None:
            terminations = [TerminationPart(sprites, t.name, t.params) for t in definition.terminations]
        _require_runnable(definition, sprites, effects, terminations)
        self.names = sprites.names
        self.players = definition.players
        self.facts = [part.facts for part in effects]
        self.role_sets = flags_of.role_sets(definition, sprites.facts, self.facts)
        resources: frozenset[int] = sprites.resources.union(*(part.resources for part in effects))
        self.resources = tuple(sorted(resources))
        self.typed = typed = sprites.tables(self.resources)
        self._numbers = NumberPool(typed.pool)
        self._pool = self._numbers.put
        self.order_at, self.res_at = typed.order_at, typed.res_at
        self.block_dependent = typed.block_dependent
        self.templates = typed.templates
        self.rank = sprites.rank
        self.types = self._types()
        self.shields = self._shield_numbers(effects)
        self._user_effects = sorted({part.name for part in effects if part.user})
        addresses = [extensions.effect_address(name) for name in self._user_effects]
        self.extensions = np.array(addresses or [0], np.int64)
        self._doubles = list(typed.doubles)
        self.time_effects = self._compile_time_effects()
        self.effects = self._compile_effects(effects)
        self.entries = self._compile_entries(effects)
        self.eos_at, self.n_eos = self._compile_eos()
        self.terminations = self._compile_terminations(terminations)
        self.stride = L.FULL_STRIDE if sprites.facts.cold or any(e.cold for e in self.facts) else L.HOT_STRIDE
        self.stochastic = flags_of.is_stochastic(sprites.facts, self.facts)
        self.time_matters = flags_of.time_matters(definition, sprites.facts)
        self.ints = self._numbers.array() if self._numbers.array().size else np.zeros(1, np.int32)
        self.doubles = np.array(self._doubles or [0.0], np.float64)

    def __repr__(self) -> str:
        return f"<tables of {self.definition.name}: {len(self.types)} types, {len(self.entries)} rule entries>"

    @property
    def roles(self) -> list[flags_of.TypeFlags]:
        """Changes that can happen to the sprites of each type, by id."""
        return self.role_sets.flags(len(self.names))

    @cached_property
    def actions(self) -> tuple[tuple[int, ...], ...]:
        """Codes of the actions of each type's avatars, by type id, in the order of their class; () for other types."""
        spans = zip(self.types["actions_at"].tolist(), self.types["actions_n"].tolist(), strict=True)
        return tuple(tuple(self.ints[at : at + count].tolist()) for at, count in spans)

    # --- sprite types ---

    def _types(self) -> Any:
        """The rows of the types with what the rules decide."""
        roles = self.role_sets
        types = copy_of(self.typed.types)
        bits = [0] * len(types)
        for flag, of in (
            (L.T_IDLE, roles.idle),
            (L.T_PRODUCER, roles.producer),
            (L.T_GLIDER, roles.glider),
            (L.T_AIMLESS, roles.aimless),
        ):
            for t in members(of):
                bits[t] |= flag
        types["bits"] |= np.array(bits, np.int32)
        moving = self.sprites.updated & roles.possible & (~roles.level | roles.created)
        updated = tuple(t for t in reversed(self.definition.draw_order) if moving >> t & 1)
        rows = tuple(number for t in updated for number in (_group_place(t), t))
        self.update_at, self.n_update = self._pool(rows), len(updated)
        return types

    # --- effects ---

    def _compile_effects(self, parts: Sequence[EffectPart]) -> Any:
        rows: list[Any] = []
        pool, column = self._pool, self.typed.column
        pulls = 0
        for index, part in enumerate(parts):
            row = part.row.copy()
            if part.user:
                row[_KIND] = len(EFFECT_ID) + self._user_effects.index(part.name)
                row[_OWN_AT] = len(self._doubles)
                self._doubles += part.own
            row[_RES] = column.get(part.resource, -1)
            row[_LIST_AT] = pool(part.spared)
            row[_COUNTERS_AT] = pool(part.counters)
            row[_TIME] = self._timer_number.get(index, -1)
            row[_PULL] = pulls % 31
            if part.shield is not None:
                blocked, effect = part.shield
                row[_SHIELDS_AT] = pool(
                    tuple(self.shields.get((t, blocked, effect), -1) for t in range(len(self.names)))
                )
            pulls += part.name == "pullWithIt"
            rows.append(tuple(row))
        return table_of(rows, L.EFFECT)

    def _compile_time_effects(self) -> Any:
        definition = self.definition
        timers = [e for e in definition.effects if e.inner is not None]
        self.n_time_effects = len(definition.time_effects) + len(timers)
        self._timer_number = {e.index: len(definition.time_effects) + k for k, e in enumerate(timers)}
        sources: list[tuple[int, int, Any, bool]] = [
            (te.effect, te.bound, te.params, False) for te in definition.time_effects
        ]
        sources += [(int(e.inner or 0), -1, e.params, True) for e in timers]
        return table_of([self._time_effect(*source) for source in sources], L.TIME_EFFECT)

    def _time_effect(self, effect: int, bound: int, params: Any, added: bool) -> dict[str, Any]:
        def get(name: str) -> Any:
            return params.get(name, ontology.TIME_EFFECT_PARAMS[name].default)

        row = {
            "effect": effect,
            "bound": bound,
            "timer": get("timer"),
            "repeating": get("repeating"),
            "enabled": get("enabled"),
            "initial": _initial_flags(get),
            "counters_at": self._pool(_counters(self.definition, params)),
            # reference/terminations 4.4: nextExecution only decides whether the first tick is `timer`
            "first": -2 if added else (get("timer") if get("nextExecution") != -1 else -1),
        }
        row["score0"], row["score1"] = _scores(get("scoreChange"))
        return row

    def _shield_numbers(self, parts: Sequence[EffectPart]) -> dict[tuple[int, int, str], int]:
        numbers: dict[tuple[int, int, str], int] = {}
        for part in parts:
            if part.shield is not None:
                for t in range(len(self.names)):
                    numbers.setdefault((t, *part.shield), len(numbers))
        return numbers

    # --- rules ---

    def _compile_entries(self, parts: Sequence[EffectPart]) -> Any:
        roles, subs, ground = self.role_sets, self.sprites.facts.subs, self.sprites.ground
        possible = roles.possible
        moving = possible & (~roles.level | roles.created)
        level = possible & roles.level
        sides: dict[int, tuple[int, ...]] = {}
        rows: list[Any] = []
        stirring: list[int] = []  # by entry: the types whose moving sprites can be part of it

        def side(t: int) -> tuple[int, ...]:
            """Places and lengths of the lists of possible and of moving types."""
            found = sides.get(t)
            if found is None:
                there = tuple(u for u in self.definition.types[t].subtypes if possible >> u & 1)
                mobile = tuple(u for u in there if moving >> u & 1)
                found = sides[t] = (self._pool(there), len(there), self._pool(mobile), len(mobile))
            return found

        for pair in self.definition.pairs:
            first, second = subs[pair.first] & possible, subs[pair.second] & possible
            if not first or not second:
                continue
            at, n, moving_at, moving_n = side(pair.first)
            at2, n2, moving_at2, moving_n2 = side(pair.second)
            bits = (L.N_GROUND if ground & first else 0) | (L.N_SHARED if moving & first & second else 0)
            lists = (at, n, at2, n2, moving_at, moving_n, moving_at2, moving_n2, level & second != 0)
            masks = _mask(level & second), _mask(level & first)
            before = -1
            for index in pair.effects:
                part = parts[index]
                if not part.enabled:
                    continue
                flags = bits | part.batch | (L.N_SLOW_FIRST if part.slow else 0)
                # those of a pair follow each other
                again = L.N_AGAIN if flags == before and flags & L.N_GROUND == 0 else 0
                before = flags
                if flags == 0 and part.removes_first:
                    flags = L.N_ONCE
                flags |= again
                shield = self.shields.get((pair.first, pair.second, part.name), -1) if self.shields else -1
                rows.append((pair.first, pair.second, index, shield, flags, *lists, *masks))
                stirring.append((first | second) & moving)
        self.n_entries = len(rows)
        self.n_dirty = max(1, -(-len(rows) // L.DIRTY_BITS))
        dirty = [[0] * self.n_dirty for _ in self.names]
        for k, types in enumerate(stirring):
            word, bit = k // L.DIRTY_BITS, 1 << (k % L.DIRTY_BITS)
            for u in members(types):
                dirty[u][word] |= bit
        self.dirty_masks = np.array(dirty, np.int64)
        return table_of(rows, L.ENTRY)

    def _compile_eos(self) -> tuple[int, int]:
        rows: list[int] = []
        for t in self.definition.eos_types:
            for index in self.definition.eos_effects[t]:
                if self.definition.effects[index].params.get("enabled", True):
                    for u in self.definition.types[t].subtypes:
                        rows += [_group_place(u), u, index]
        return self._pool(tuple(rows)), len(rows) // 3

    def _compile_terminations(self, parts: Sequence[TerminationPart]) -> Any:
        self.n_terminations = len(parts)
        rows: list[Any] = []
        for part in parts:
            row = part.row.copy()
            row[_LIMITS_AT] = self._pool(part.limits)
            rows.append(tuple(row))
        return table_of(rows, L.TERMINATION)


def _group_place(t: int) -> int:
    """Offset of the record of a type's group in a state."""
    return L.GROUPS_AT + L.GROUP_BYTES * t


def _mask(types: int) -> int:
    """Bit (type & 63) of every type of a set, as a signed 64-bit number."""
    bits = 0
    while types:
        bits |= types & (1 << 64) - 1
        types >>= 64
    return bits - (1 << 64) if bits >= 1 << 63 else bits


def _piece(text: Value | None, index: int) -> str:
    parts = str(text if text is not None else "0").split(",")
    return parts[index] if index < len(parts) else parts[0]


def _integer(text: str) -> int:
    """Java's Integer.parseInt; anything else counts 0 (reference/effects 10.4)."""
    return parse_int(text) or 0


def _scores(text: Value | None) -> list[int]:
    return [_integer(_piece(text, p)) for p in range(2)]


def _counters(definition: GameDefinition, params: Mapping[str, Value]) -> tuple[int, ...]:
    """Changes of the game's counters, then those of `counterElse`."""
    n = definition.counters
    if n == 0:
        return ()
    return tuple(_integer(_piece(params.get(key, "0"), i)) for key in ("counter", "counterElse") for i in range(n))


def _initial_flags(get: Any) -> int:
    return (
        (L.APPLY_SCORE if get("applyScore") else 0)
        | (L.COUNT if get("count") else 0)
        | (L.COUNT_ELSE if get("countElse") else 0)
    )


def _require_runnable(
    definition: GameDefinition,
    sprites: SpriteSet,
    effects: Sequence[EffectPart],
    terminations: Sequence[TerminationPart],
) -> None:
    problems = {*sprites.problems, *(part.problem for part in effects), *(part.problem for part in terminations)}
    real = sorted(problems - {""})
    if real:
        raise PcgError(f"{definition.name}: " + "; ".join(real))
    if not 1 <= definition.players <= 2:
        raise PcgError(f"{definition.name}: no_players={definition.players}, expected 1 or 2")


__all__ = ["MAX_TICK", "EffectPart", "GameTables", "TerminationPart"]
