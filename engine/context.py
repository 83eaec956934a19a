"""One game on one level: the tables, the sprites that never change, and the state before tick 0.

A context is immutable and shared by all states of its level; it also owns the memory those states live in (`Arena`).
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from pcg.engine.arrays import sprite_record
from pcg.engine.kernel import atoms, bounds, face, paths, places, protocol, tick
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke5, invoke6
from pcg.engine.model import Model
from pcg.engine.vgdl.chance import may_draw
from pcg.engine.vgdl.compiler import MAX_TICK, GameTables
from pcg.engine.vgdl.definition import Level
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.values import truncate

_PATH_CLASSES = frozenset({"PathChaser", "PathAltChaser", "RandomPathAltChaser"})
_SPARE_ROOM = 16
_BLOCKS_PER_SLAB = 64
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
    """Observation category, first match (spec 01 section 7.6)."""
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
        self._lock = threading.Lock()
        self.free: list[int] = []

    def take(self) -> int:
        """Address of a formatted block."""
        try:
            return self.free.pop()
        except IndexError:
            with self._lock:
                count = max(1, min(_BLOCKS_PER_SLAB, _SLAB_BYTES // self.stride))
                slab = np.zeros(count * self.stride // 8 + 8, np.int64)
                self._slabs.append(slab)
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
        self._keep: list[Any] = [tables]
        types, templates = _sized(tables, level.block_size)
        level_sprites, level_start, mortal, moving, next_id, counter = _place(tables, level, templates)
        cell_start, cell_items, cell_mask = _cells(level, level_sprites)
        self.level_sprites = level_sprites
        self._record = record = np.zeros(1, L.CONTEXT)
        c = record[0]
        for name, array in (
            ("types", types),
            ("templates", templates),
            ("effects", tables.effects),
            ("entries", tables.entries),
            ("time_effects", tables.time_effects),
            ("terminations", tables.terminations),
            ("ints", tables.ints),
            ("doubles", tables.doubles),
            ("rank", tables.rank),
            ("level", level_sprites),
            ("level_start", level_start),
            ("cell_start", cell_start),
            ("cell_items", cell_items),
            ("cell_mask", cell_mask),
            ("dirty_masks", tables.dirty_masks),
            ("extensions", tables.extensions),
        ):
            self._keep.append(array)
            c[name] = array.ctypes.data
        c["advance"] = tick.advance.address
        c["n_types"] = len(types)
        c["order_at"], c["n_order"] = tables.order_at, len(tables.definition.draw_order)
        c["update_at"], c["n_update"] = tables.update_at, tables.n_update
        c["n_effects"] = len(tables.definition.effects)
        c["n_entries"], c["n_time_effects"] = tables.n_entries, tables.n_time_effects
        c["n_dirty"] = tables.n_dirty
        c["n_terminations"] = tables.n_terminations
        c["n_eos"], c["eos_at"] = tables.n_eos, tables.eos_at
        c["n_shields"], c["n_counters"] = len(tables.shields), tables.definition.counters
        c["n_level"], c["n_mortal"] = len(level_start) and int(level_start[:, 1].sum()), mortal
        c["n_res"], c["res_at"] = len(tables.resources), tables.res_at
        c["players"], c["block"] = tables.players, level.block_size
        c["width"], c["height"] = level.width * level.block_size, level.height * level.block_size
        c["columns"], c["rows"] = level.width, level.height
        c["stride"] = tables.stride
        classes = {t.class_name for t in tables.definition.types}
        c["has_path_targets"] = bool(classes & {"PathAltChaser", "RandomPathAltChaser"})
        self.stochastic = may_draw(tables.definition, {t for t, _, _ in level.placements})
        c["stochastic"], c["time_matters"] = self.stochastic, tables.time_matters
        c["max_tick"] = max_tick
        c["max_work"], c["max_moving"] = bounds.MAX_WORK, bounds.MAX_MOVING
        c["n_ints"], c["n_doubles"] = len(tables.ints), len(tables.doubles)
        c["max_w"], c["max_h"] = (
            max(level.block_size, int(types["w"].max())),
            max(level.block_size, int(types["h"].max())),
        )
        # exact for all coordinates on the screen: the error of the rounded-up inverse stays below one part in 2^32
        if max(c["width"], c["height"]) < 1 << 16 and level.block_size < 1 << 12:
            c["inverse"] = -(-(1 << 32) // level.block_size)
        c["grid"] = len(moving) >= _MANY
        self.address = int(record.ctypes.data)
        self._build_paths(c, classes)
        self.room = _round_room(len(moving) + _SPARE_ROOM)
        self._arenas: dict[int, Arena] = {}
        self._lock = threading.Lock()
        self.copy_address = tick.copy_state.address
        self.step_address = face.step.address
        self.initial = self.arena(self.room).take()
        self._begin(moving, next_id, counter)
        c["initial"] = self.initial
        self._model_record = _model_record(self)
        self._categories = tuple(category_of(int(bits), 0) for bits in types["bits"])

    def __repr__(self) -> str:
        return f"<{self.tables.definition.name} on {self.level.width}x{self.level.height} cells>"

    def limit(self, max_work: int, max_moving: int) -> None:
        """Lower the bounds of every tick from here on, for games that nobody has written (docs/compatibility.md).

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
        """Lay out `count` zeroed blocks, `stride` bytes apart."""
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
        header = self.header(address)
        return _strided(address + int(header["at_sprites"]), self.tables.stride, int(header["slots"]))

    # --- building ---

    def _begin(self, moving: list[tuple[int, int, int, int]], next_id: int, counter: int) -> None:
        definition = self.tables.definition
        header = self.header(self.initial)
        invoke2(tick.begin.address, self.address, self.initial)
        size = self.level.block_size
        avatars: dict[int, list[int]] = {}
        for t, column, row, sprite_id in moving:
            header["next_id"] = sprite_id
            slot = invoke5(tick.place.address, self.address, self.initial, t, column * size, row * size)
            if slot < 0:
                raise PcgError(f"{definition.name}: the level does not fit: {len(moving)} moving sprites")
            if int(self.tables.types[t]["bits"]) & L.T_AVATAR_CLASS:
                avatars.setdefault(t, []).append(slot)
        header["next_id"] = next_id
        header["sprites"] = counter
        # spec 01 section 2 rule 9: the draw order backwards, its first entry never looked at, then all reversed
        found = [s for t in reversed(definition.draw_order[1:]) for s in avatars.get(t, [])]
        for slot in list(reversed(found))[: definition.players]:
            invoke3(face.mark_avatar.address, self.address, self.initial, slot)

    def _build_paths(self, c: Any, classes: set[str | None]) -> None:
        obstacles = str(self.tables.definition.header.get("obs", ""))
        if not obstacles or not classes & _PATH_CLASSES:
            return
        index = self.tables.definition.type_index
        types = {index[n] for n in obstacles.split(",") if n in index}
        hidden = {t for t in types if int(self.tables.types[t]["bits"]) & L.T_HIDDEN}
        level = self.level
        cells = level.width * level.height
        if cells > MAX_PATH_CELLS:
            raise PcgError(
                f"{self.tables.definition.name}: {level.width} x {level.height} cells are too many for path chasers, "
                f"expected at most {MAX_PATH_CELLS}"
            )
        blocked = np.zeros(cells, np.int8)
        for t, column, row in level.placements:
            if t in types - hidden:
                blocked[row * level.width + column] = 1
        table = np.full((cells, cells), -1, np.int8)
        heap = np.zeros(cells + 1, np.int64)
        sideways = any(
            int(t["bits"]) & L.T_AVATAR_CLASS and int(t["actions_n"]) == 3
            for t in (self.tables.types[p[0]] for p in level.placements)
        )
        invoke6(
            paths.build_paths.address,
            int(blocked.ctypes.data),
            int(table.ctypes.data),
            int(heap.ctypes.data),
            level.width,
            level.height,
            int(sideways),
        )
        self._keep += [table]
        c["paths"] = table.ctypes.data

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
        )


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
        ("features", tick.model_features),
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


def _sized(tables: GameTables, block: int) -> tuple[Any, Any]:
    """Type and template tables for a block size: rectangles are block * multiplier, truncated."""
    types, templates = tables.types.copy(), tables.templates.copy()
    for t in tables.definition.types:
        width, height = tables.block_dependent.get(t.id, (1.0, 1.0))
        w, h = truncate(block * width), truncate(block * height)
        types[t.id]["w"], types[t.id]["h"] = w, h
        for name in ("w", "lw"):
            templates[t.id][name] = w
        for name in ("h", "lh"):
            templates[t.id][name] = h
    return types, templates


def _place(
    tables: GameTables, level: Level, templates: Any
) -> tuple[Any, Any, int, list[tuple[int, int, int, int]], int, int]:
    """Decide what the level creates: level sprites, and (type, column, row, id) of the moving ones.

    Returns level sprite records, int32[types, 2] of their places, how many can die, the moving ones, the next sprite
    id, and the sprite counter (spec 01 section 2 rules 4, 5, 7).
    """
    definition = tables.definition
    counts = [0] * len(definition.types)
    fixed: list[tuple[bool, int, int, int, int]] = []
    moving: list[tuple[int, int, int, int]] = []
    next_id = avatars = counter = 0
    for t, column, row in level.placements:
        kind = definition.types[t]
        singles = [u for u in kind.path if definition.types[u].singleton]
        if any(sum(counts[v] for v in definition.types[u].subtypes) > 0 for u in singles) or counter > 10000:
            continue
        sprite_id, next_id, counter = next_id, next_id + 1, counter + 1
        if int(tables.types[t]["bits"]) & L.T_AVATAR:
            avatars += 1
            if avatars > definition.players:
                # a surplus avatar is created and taken out again: it has used an id, and still counts
                continue
        counts[t] += 1
        role = tables.roles[t]
        if role.level:
            fixed.append((not role.killed, t, sprite_id, column, row))
        else:
            moving.append((t, column, row, sprite_id))
    fixed.sort()
    records = np.zeros(max(1, len(fixed)), L.SPRITE)
    start = np.zeros((len(definition.types), 2), np.int32)
    size = level.block_size
    for k, (_, t, sprite_id, column, row) in enumerate(fixed):
        records[k] = templates[t]
        r = records[k]
        r["id"], r["slot"], r["level"], r["next"] = sprite_id, -1, k, -1
        r["x"] = r["lx"] = column * size
        r["y"] = r["ly"] = row * size
        if start[t, 1] == 0:
            start[t, 0] = k
        start[t, 1] += 1
    return records, start, sum(not f[0] for f in fixed), moving, next_id, counter


def _cells(level: Level, sprites: Any) -> tuple[Any, Any, Any]:
    """Level sprites by cell: int32[cells + 1] starts, their numbers in order, and int64[cells] masks of their types."""
    cells = level.width * level.height
    size = level.block_size
    here = sprites[sprites["slot"] == -1]
    cell = here["y"] // size * level.width + here["x"] // size
    order = np.argsort(cell, kind="stable")
    start = np.zeros(cells + 1, np.int32)
    np.cumsum(np.bincount(cell, minlength=cells)[:cells], out=start[1:])
    mask = np.zeros(cells, np.uint64)
    np.bitwise_or.at(mask, cell, np.left_shift(np.uint64(1), (here["type"].astype(np.int64) & 63).astype(np.uint64)))
    items = np.ascontiguousarray(order if len(order) else np.zeros(1), dtype=np.int32)
    return start, items, mask.view(np.int64)
