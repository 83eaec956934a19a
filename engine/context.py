"""One game on one level: the tables, the sprites that never change, and the state before tick 0.

A context is immutable and shared by all states of its level; it also owns the memory those states live in (`Arena`).
"""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.arrays import StateHeader, sprite_record
from pcg.engine.kernel import atoms, bounds, features, paths, places, protocol, stepping, tick
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke5, invoke6
from pcg.engine.lazy import cached_property
from pcg.engine.model import Model
from pcg.engine.placement import LevelPlan, Placement, plan_of
from pcg.engine.vgdl.chance import level_draws
from pcg.engine.vgdl.compiler import MAX_TICK, GameTables
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.sprite_tables import copy_of, table_of

_PATH_CLASSES = frozenset({"PathChaser", "PathAltChaser", "RandomPathAltChaser"})
_SPARE_ROOM = 16
_FIRST_BLOCKS = 4
"""Blocks of the first slab: a game that is played once needs no more."""
_BLOCKS_PER_SLAB = 64
"""Blocks of a slab at most; each has as many as there are already, for most levels are played with few."""
_SLAB_BYTES = 1 << 24
"""Blocks come in slabs of so many bytes at most, unless one is larger."""
MAX_PATH_CELLS = 10_000
"""Cells of a level with path chasers: the path-finder's table has the square of it."""
_MANY = 16
"""Levels that start with this many moving sprites keep them in lists by cell."""


_CATEGORY_FLAGS = (
    (L.T_AVATAR, "avatar"),
    (L.T_RESOURCE, "resource"),
    (L.T_PORTAL, "portal"),
    (L.T_NPC, "npc"),
    (L.T_STATIC, "static"),
)


def category_of(type_bits: int, sprite_bits: int) -> str:
    """Observation category, first match (reference/state 6.5)."""
    for flag, name in _CATEGORY_FLAGS:
        if type_bits & flag:
            return name
    return "from-avatar" if sprite_bits & L.FROM_AVATAR else "movable"


class Arena:
    """Memory for states of equal layout, handed out block by block and taken back when a state is dropped.

    It knows its context by address only, so that the memory goes when the last state has gone, without a collector.
    """

    def __init__(self, context: Context, room: int) -> None:
        self._context_address = context.address
        self.room = room
        probe = np.zeros(L.STATE.itemsize // 8 + 1, np.int64)
        context.format(int(probe.ctypes.data), room, 0, 1)
        header = probe.view(np.uint8)[: L.STATE.itemsize].view(L.STATE)[0]
        self.stride = (int(header["bytes"]) + 63) & ~63
        self.at_events = int(header["at_events"])
        self._slabs: list[Any] = []
        self.blocks = 0
        """Blocks there are, in use and free."""
        self._lock = threading.Lock()
        self.free: list[int] = []

    def take(self) -> int:
        """Address of a formatted block."""
        try:
            return self.free.pop()
        except IndexError:
            with self._lock:
                count = max(1, min(self.blocks or _FIRST_BLOCKS, _BLOCKS_PER_SLAB, _SLAB_BYTES // self.stride))
                slab = np.zeros(count * self.stride // 8 + 8, np.int64)
                self._slabs.append(slab)
                self.blocks += count
                # blocks start on cache lines
                base = (int(slab.ctypes.data) + 63) & ~63
                addresses = [base + k * self.stride for k in range(count)]
                invoke5(tick.format_blocks.address, self._context_address, base, self.room, self.stride, count)
                self.free.extend(addresses[1:])
                return addresses[0]


class Context:
    """A game compiled for one level. `address` is that of the CONTEXT record."""

    def __init__(self, tables: GameTables, level: Level, *, max_tick: int = MAX_TICK) -> None:
        self.tables = tables
        self.level = level
        typed, roles, definition = tables.typed, tables.role_sets, tables.definition
        block = level.block_size
        plan = plan_of(typed, level)
        placement = plan.split(typed, roles.level, roles.killed)
        self.level_sprites = placement.level_sprites
        width, height, templates = typed.sized(block)
        types = copy_of(tables.types)
        types["w"], types["h"] = width, height
        arrays = {
            "types": types,
            "templates": templates,
            "effects": tables.effects,
            "entries": tables.entries,
            "time_effects": tables.time_effects,
            "terminations": tables.terminations,
            "ints": tables.ints,
            "doubles": tables.doubles,
            "rank": tables.rank,
            "level": placement.level_sprites,
            "level_start": placement.level_start,
            "level_corners": placement.level_corners,
            "cell_start": placement.cell_start,
            "cell_items": placement.cell_items,
            "cell_mask": placement.cell_mask,
            "level_mates": placement.level_mates,
            "dirty_masks": tables.dirty_masks,
            "extensions": tables.extensions,
        }
        paths = _paths(plan, tables)
        if paths is not None:
            arrays["paths"] = paths
        self._keep: list[Any] = [tables, *arrays.values()]
        facts = tables.sprites.facts
        self.stochastic = level_draws(definition, facts, tables.facts, plan.present)
        columns, rows = level.width, level.height
        moving = len(placement.moving)
        values: dict[str, Any] = {name: array.ctypes.data for name, array in arrays.items()}
        values |= {
            "advance": tick.advance.address,
            "n_types": len(types),
            "order_at": tables.order_at,
            "n_order": len(definition.draw_order),
            "update_at": tables.update_at,
            "n_update": tables.n_update,
            "n_effects": len(definition.effects),
            "n_entries": tables.n_entries,
            "n_time_effects": tables.n_time_effects,
            "n_dirty": tables.n_dirty,
            "n_terminations": tables.n_terminations,
            "n_eos": tables.n_eos,
            "eos_at": tables.eos_at,
            "n_shields": len(tables.shields),
            "n_counters": definition.counters,
            "n_level": placement.n_level,
            "n_mortal": placement.n_mortal,
            "n_res": len(tables.resources),
            "res_at": tables.res_at,
            "players": tables.players,
            "block": block,
            "width": columns * block,
            "height": rows * block,
            "columns": columns,
            "rows": rows,
            "stride": tables.stride,
            "has_path_targets": bool(tables.sprites.classes & {"PathAltChaser", "RandomPathAltChaser"}),
            "stochastic": self.stochastic,
            "time_matters": tables.time_matters,
            "max_tick": max_tick,
            "max_work": bounds.MAX_WORK,
            "max_moving": bounds.MAX_MOVING,
            "n_ints": len(tables.ints),
            "n_doubles": len(tables.doubles),
            "max_w": max(block, int(width.max())),
            "max_h": max(block, int(height.max())),
            "grid": moving >= _MANY,
        }
        # exact for all coordinates on the screen: the error of the rounded-up inverse stays below one part in 2^32
        if max(columns, rows) * block < 1 << 16 and block < 1 << 12:
            values["inverse"] = -(-(1 << 32) // block)
        self._record = record = table_of([values], L.CONTEXT)
        self.address = int(record.ctypes.data)
        self.room = _round_room(moving + _SPARE_ROOM)
        self._arenas: dict[int, Arena] = {}
        self._lock = threading.Lock()
        self.copy_address = tick.copy_state.address
        self.step_address = stepping.step.address
        self.initial = self.arena(self.room).take()
        self._begin(plan, placement)
        record["initial"] = self.initial
        # one for as long as the context lives, for kernels hold its address
        self._model_record = _model_record(self)

    def __repr__(self) -> str:
        return f"<{self.tables.definition.name} on {self.level.width}x{self.level.height} cells>"

    def limit(self, max_work: int, max_moving: int) -> None:
        """Lower the bounds of every tick from here on, for generated games (docs/compatibility.md).

        Args:
            max_work: executions of effects after which a tick is cut short and the game over.
            max_moving: moving sprites there can be; one more counts as too much work.
        """
        c = self._record[0]
        c["max_work"], c["max_moving"] = min(max_work, bounds.MAX_WORK), min(max_moving, bounds.MAX_MOVING)

    # --- memory ---

    def block_bytes(self, room: int) -> int:
        """Bytes of a state block with room for so many moving sprites, a multiple of 64."""
        return self.arena(room).stride

    def format(self, address: int, room: int, stride: int, count: int) -> None:
        """Lay out `count` blocks, `stride` bytes apart, whatever is in them."""
        invoke5(tick.format_blocks.address, self.address, address, room, stride, count)

    def arena(self, room: int) -> Arena:
        """The memory for states with room for so many moving sprites."""
        arena = self._arenas.get(room)
        if arena is None:
            with self._lock:
                arena = self._arenas.setdefault(room, Arena(self, room))
        return arena

    def header(self, address: int) -> Any:
        """The STATE record at an address, for reading from Python."""
        return _view(address, L.STATE)

    def moving(self, address: int) -> Any:
        """All slots of a state as SPRITE-like records (a view, `slot` is -2 in free ones)."""
        header = StateHeader.from_address(address)
        return _strided(address + int(header.at_sprites), self.tables.stride, int(header.slots))

    def mortal_alive(self, address: int) -> bytes:
        """A byte for each sprite of the level that can die, not 0 while it is there."""
        return ctypes.string_at(
            address + int(StateHeader.from_address(address).at_alive), int(self._record[0]["n_mortal"])
        )

    # --- building ---

    def _begin(self, plan: LevelPlan, placement: Placement) -> None:
        header = self.header(self.initial)
        invoke2(tick.begin.address, self.address, self.initial)
        moving = placement.moving
        slots = np.empty(len(moving), np.int64)
        placed = invoke5(
            tick.place_all.address, self.address, self.initial, moving.ctypes.data, len(moving), slots.ctypes.data
        )
        if placed < len(moving):
            name = self.tables.definition.name
            raise PcgError(f"{name}: the level does not fit: {len(moving)} moving sprites")
        header["next_id"] = plan.next_id
        header["sprites"] = plan.counter
        for k in placement.avatars:
            invoke3(stepping.mark_avatar.address, self.address, self.initial, int(slots[k]))

    # --- protocol ---

    def model(self) -> Model:
        """A forward model for compiled agents."""
        return Model(
            self._model_record,
            room=self.room,
            stride_of=self.block_bytes,
            format_blocks=self.format,
            stochastic=self.stochastic,
            owner=self,
            categories=self._categories,
            definition=self.tables.definition,
            holdings=self._holdings,
            place_facts=atoms._FACINGS * atoms._WAITS,
            hidden=self._hidden,
            engine="vgdl",
        )

    @cached_property
    def _categories(self) -> tuple[str, ...]:
        """Category of each type of sprite in observations."""
        return tuple(category_of(bits, 0) for bits in self.tables.types["bits"].tolist())

    @cached_property
    def _hidden(self) -> tuple[bool, ...]:
        """For each type of sprite, whether observations leave it out."""
        return tuple(((self.tables.types["bits"] & L.T_HIDDEN) != 0).tolist())

    @cached_property
    def _holdings(self) -> tuple[int, int]:
        """Numbers between which facts tell health, holdings and counters: as `atoms.model_atoms` numbers them."""
        c = self._record[0]
        types, pixels = int(c["n_types"]), int(c["width"]) * int(c["height"])
        variants = types * atoms._FACINGS * atoms._WAITS
        places = pixels if variants * pixels < atoms.LIMIT // 2 else int(c["columns"]) * int(c["rows"])
        first = 1 + variants * places
        return first, first + (1 + int(c["n_res"]) + int(c["n_counters"])) * atoms._MANY


def _model_record(context: Context) -> Any:
    record = np.zeros(1, protocol.MODEL)
    m = record[0]
    m["game"] = context.address
    m["players"] = context.tables.players
    m["max_actions"] = 6
    m["columns"], m["rows"] = context.level.width, context.level.height
    for name, entry in (
        ("copy", tick.copy_state),
        ("advance", tick.model_advance),
        ("over", tick.model_over),
        ("outcome", tick.model_outcome),
        ("score", tick.model_score),
        ("actions", tick.model_actions),
        ("key", tick.model_key),
        ("reseed", tick.model_reseed),
        ("features", features.model_features),
        ("events", tick.model_events),
        ("cell", places.model_cell),
        ("map", places.model_map),
        ("counts", places.model_counts),
        ("atoms", atoms.model_atoms),
        ("work", tick.model_work),
    ):
        m[name] = entry.address
    return record


def _round_room(n: int) -> int:
    return (n + 7) & ~7


def _view(address: int, dtype: np.dtype[Any]) -> Any:
    memory: Any = (ctypes.c_char * dtype.itemsize).from_address(address)
    return np.frombuffer(memory, dtype)[0]


def _strided(address: int, stride: int, count: int) -> Any:
    dtype = sprite_record(stride)
    if count == 0:
        return np.zeros(0, dtype)
    memory: Any = (ctypes.c_char * (stride * count)).from_address(address)
    return np.frombuffer(memory, dtype)


@dataclass(frozen=True, slots=True)
class PathInputs:
    """Inputs that a path-finder's table is computed from (`kernel.paths.build_paths`)."""

    blocked: np.ndarray[Any, np.dtype[np.int8]]
    """int8[cells]: 1 where an obstacle stands at the start."""
    sideways: bool
    """True when paths only go left and right."""

    def build(self, columns: int, rows: int) -> Any:
        """Return the table, int8[cells, cells]: the first step from the first cell to the second."""
        cells = columns * rows
        table = np.full((cells, cells), -1, np.int8)
        heap = np.zeros(cells + 1, np.int64)
        addresses = (int(array.ctypes.data) for array in (self.blocked, table, heap))
        invoke6(paths.build_paths.address, *addresses, columns, rows, int(self.sideways))
        return table


def path_inputs(level: Level, tables: GameTables) -> PathInputs | None:
    """Return what the path-finder's table of a level is computed from, None where nobody needs one.

    Raises:
        PcgError: for a level of too many cells.
    """
    definition = tables.definition
    obstacles = str(definition.header.get("obs", ""))
    if not obstacles or not tables.sprites.classes & _PATH_CLASSES:
        return None
    index = definition.type_index
    types = {index[n] for n in obstacles.split(",") if n in index}
    hidden = {t for t in types if int(tables.types[t]["bits"]) & L.T_HIDDEN}
    cells = level.width * level.height
    if cells > MAX_PATH_CELLS:
        raise PcgError(
            f"{definition.name}: {level.width} x {level.height} cells are too many for path chasers, "
            f"expected at most {MAX_PATH_CELLS}"
        )
    blocked = np.zeros(cells, np.int8)
    for t, column, row in level.placements:
        if t in types - hidden:
            blocked[row * level.width + column] = 1
    sideways = any(
        int(t["bits"]) & L.T_AVATAR_CLASS and int(t["actions_n"]) == 3
        for t in (tables.types[k] for k in {p[0] for p in level.placements})
    )
    return PathInputs(blocked, sideways)


def _paths(plan: LevelPlan, tables: GameTables) -> Any:
    """The path-finder's table of a level, int8[cells, cells], or None where nobody needs one."""
    if plan.paths is None:
        inputs = path_inputs(plan.level, tables)
        plan.paths = None if inputs is None else inputs.build(plan.level.width, plan.level.height)
    return plan.paths
