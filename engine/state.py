"""States of games, which Python programs advance, copy and look at.

A `State` owns one block of the kernel's memory. Copies are exact and independent; a finished game stays as
it is.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pcg.engine.arrays import StateArrays, StateHeader
from pcg.engine.context import Context, category_of
from pcg.engine.kernel import layout as L
from pcg.engine.kernel import tick
from pcg.engine.kernel.bounds import MAX_ROOM
from pcg.engine.kernel.ids import ACTION_ID, ACTIONS
from pcg.engine.kernel.protocol import GROW, OK
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke2, invoke3, invoke6
from pcg.engine.model import Model
from pcg.engine.outcome import CATEGORIES as CATEGORIES
from pcg.engine.outcome import Event as Event
from pcg.engine.outcome import Outcome as Outcome
from pcg.engine.state_bytes import StateData
from pcg.engine.vgdl.diagnostics import PcgError, nearest

if TYPE_CHECKING:
    from pcg.engine.game import Game
    from pcg.engine.observation import StateObservation


_SHOWN = ("type", "id", "x", "y", "w", "h", "ox", "oy")


@dataclass(frozen=True, slots=True)
class Sprite:
    """A sprite as seen in one state. Positions and sizes are pixels, y grows downwards."""

    id: int
    type: int
    name: str
    x: int
    y: int
    w: int
    h: int
    orientation: tuple[float, float]
    speed: float
    health: int
    max_health: int
    resources: dict[str, int]
    disabled: bool
    category: str

    def __repr__(self) -> str:
        return f"<{self.name} #{self.id} at {self.x},{self.y}>"


class State:
    """One state of a game on a level.

    >>> import pcg
    >>> state = pcg.load("boxes").start(level=0, seed=1)
    >>> state.advance("LEFT")
    >>> state.tick, state.is_over
    (0, False)
    """

    __slots__ = ("_address", "_arena", "_context", "_header", "_history", "game")

    def __init__(self, game: Game, context: Context, room: int, history: Any = None) -> None:
        self.game = game
        self._context = context
        self._arena = context.arena(room)
        self._address = self._arena.take()
        self._history = history
        self._header: Any = None

    def __del__(self) -> None:
        arena = getattr(self, "_arena", None)
        if arena is not None:
            arena.free.append(self._address)

    def __repr__(self) -> str:
        end = {Outcome.PLAYER_WINS: ", won", Outcome.PLAYER_LOSES: ", lost"}
        outcome = self.winner if isinstance(self.winner, Outcome) else Outcome.NO_WINNER
        over = (end.get(outcome, "") or ", over") if self.is_over else ""
        return f"<State of {self.game.name}: tick {self.tick}, score {self.score}{over}>"

    # --- acting ---

    def advance(self, action: str | int | Sequence[str | int] = 0) -> None:
        """Play one tick.

        Args:
            action: an action name ("LEFT") or code 0..6 (`ids.ACTIONS`); for two players a pair. What the avatar
                cannot do counts as NIL; ESCAPE ends the game after this tick.

        Raises:
            PcgError: for an action that does not exist.

        >>> import pcg
        >>> state = pcg.load("boxes").start(level=0, seed=1)
        >>> state.advance("UP")
        >>> state.tick, state.avatar
        (0, <hero #41 at 176,264>)
        """
        if type(action) is str or type(action) is int:
            first, second = _code(action), 0
        else:
            first, second = _codes(action, self._context.tables.players)
        context = self._context
        while True:
            arena = self._arena
            spare = arena.take()
            result = invoke6(
                context.step_address, context.address, self._address, spare, context.copy_address, first, second
            )
            status = result & 15
            if status == OK:
                arena.free.append(spare)
                break
            self._recover(status, spare)
        if result >> 8:
            # a chain shared with all copies: (what came before, raw events of this tick)
            self._history = (self._history, ctypes.string_at(self._address + arena.at_events, (result >> 8) * 32))

    def _recover(self, status: int, spare: int) -> None:
        """The tick did not fit: go on with the copy from before it, in a larger block."""
        arena = self._arena
        arena.free.append(self._address)
        self._address, self._header = spare, None
        if status != GROW or arena.room >= MAX_ROOM:
            raise PcgError(f"{self.game.name}: the kernel gave up with status {status} at tick {self.tick}")
        larger = self._context.arena(arena.room * 2)
        block = larger.take()
        invoke3(self._context.copy_address, self._context.address, block, spare)
        arena.free.append(spare)
        self._arena, self._address = larger, block

    def copy(self) -> State:
        """An exact, independent copy, random generator included.

        >>> import pcg
        >>> state = pcg.load("boxes").start(level=0, seed=1)
        >>> ahead = state.copy()
        >>> ahead.advance("UP")
        >>> state.tick, ahead.tick
        (-1, 0)
        """
        other = State.__new__(State)
        other.game = self.game
        context = other._context = self._context
        arena = other._arena = self._arena
        address = other._address = arena.take()
        other._history = self._history
        other._header = None
        invoke3(context.copy_address, context.address, address, self._address)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        # what the states of a level share never changes
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self.game, self.to_bytes())

    def reseed(self, seed: int) -> None:
        """Give this state a new random future: the stream of ``java.util.Random(seed)``.

        >>> import pcg
        >>> state = pcg.load("hunt").start(level=0, seed=1)
        >>> other = state.copy()
        >>> other.reseed(2)
        >>> state.rng == other.rng
        False
        """
        invoke3(tick.model_reseed.address, self._context.address, self._address, seed)

    # --- results ---

    @property
    def _head(self) -> Any:
        if self._header is None:
            self._header = StateHeader.from_address(self._address)
        return self._header

    @property
    def header(self) -> Any:
        """The state's `kernel.layout.STATE` record as a C structure, for reading; good until the next `advance`."""
        return self._head

    def _per_player(self, values: list[Any]) -> Any:
        return values[0] if self._context.tables.players == 1 else tuple(values)

    @property
    def score(self) -> Any:
        """The score; for two players a pair."""
        return self._per_player([float(self._head.score0), float(self._head.score1)])

    @property
    def winner(self) -> Any:
        """`Outcome` of the player; for two players a pair.

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).winner.name
        'NO_WINNER'
        """
        return self._per_player([Outcome(int(self._head.win0)), Outcome(int(self._head.win1))])

    @property
    def tick(self) -> int:
        """Number of the last tick played, from 0 as in the reference's records; -1 before the first.

        The number of ticks that were played is one more.
        """
        return int(self._head.tick)

    @property
    def is_over(self) -> bool:
        """True when the game has ended."""
        return bool(self._head.ended)

    @property
    def rng(self) -> int:
        """Internal 48-bit state of the game's java.util.Random."""
        return int(self._head.rng)

    @rng.setter
    def rng(self, value: int) -> None:
        self._head.rng = value

    @property
    def aux(self) -> int:
        """State of the auxiliary generator (docs/compatibility.md)."""
        return int(self._head.aux)

    @aux.setter
    def aux(self, value: int) -> None:
        self._head.aux = value

    @property
    def counters(self) -> tuple[int, ...]:
        """The game's counters."""
        n = self._context.tables.definition.counters
        at = self._address + int(self._head.at_counters)
        return tuple(int(v) for v in _ints(at, n))

    # --- what can be done and seen ---

    @property
    def actions(self) -> Any:
        """Names of the available actions without NIL, in the reference's order; for two players a pair of tuples.

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).actions
        ('LEFT', 'RIGHT', 'DOWN', 'UP')
        """
        return self._per_player([self._actions(p) for p in range(self._context.tables.players)])

    def _actions(self, player: int) -> tuple[str, ...]:
        slot = int(getattr(self._head, f"avatar{player}"))
        if slot < 0 or self.is_over:
            return ()
        kind = int(self._context.moving(self._address)[slot]["type"])
        return tuple(ACTIONS[code] for code in self._context.tables.actions[kind])

    @property
    def avatar(self) -> Any:
        """The player's avatar, None when there is none; for two players a pair.

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).avatar
        <hero #41 at 176,352>
        """
        slots = [int(getattr(self._head, f"avatar{p}")) for p in range(self._context.tables.players)]
        moving = self._context.moving(self._address)
        return self._per_player([self._sprite(moving[s]) if s >= 0 else None for s in slots])

    def records(self) -> list[tuple[int, Any]]:
        """(type id, record) of every sprite, by type id, then in the order of its group (ids ascending)."""
        context = self._context
        header = self._head
        found = [(int(r["type"]), int(r["id"]), r) for r in context.moving(self._address) if r["id"] >= 0]
        mortal = context._record[0]["n_mortal"]
        alive = _bytes(self._address + int(header.at_alive), int(mortal))
        for k in range(int(context._record[0]["n_level"])):
            if k >= mortal or alive[k]:
                r = context.level_sprites[k]
                found.append((int(r["type"]), int(r["id"]), r))
        found.sort(key=lambda f: f[:2])
        return [(t, r) for t, _, r in found]

    def sprites(self, kind: str | None = None) -> list[Sprite]:
        """All sprites (of one type name), by type id, then in order of creation.

        Raises:
            PcgError: the game has no type of that name.

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).sprites("box")
        [<box #21 at 176,176>, <box #46 at 528,352>]
        """
        if kind is not None and kind not in self._context.tables.names:
            close = nearest(kind, self._context.tables.names)
            raise PcgError(f"unknown sprite `{kind}`" + (f", did you mean `{close}`?" if close else ""))
        names = self._context.tables.names
        return [self._sprite(r) for t, r in self.records() if kind is None or names[t] == kind]

    def rectangles(self) -> list[tuple[int, int, int, int, int, tuple[float, float]]]:
        """Type id, x, y, width, height (pixels) and orientation of the sprites that are not disabled, as `sprites` has
        them in turn: what a picture needs, ten times as fast.

        >>> import pcg
        >>> state = pcg.load("boxes").start(level=0, seed=1)
        >>> [shown for shown in state.rectangles() if shown[0] == state.sprites("box")[0].type]
        [(6, 176, 176, 88, 88, (0.0, 0.0)), (6, 528, 352, 88, 88, (0.0, 0.0))]
        """
        context = self._context
        moving = context.moving(self._address)
        standing = context.level_sprites[: int(context._record[0]["n_level"])]  # there is an empty one where none is
        mortal = np.frombuffer(context.mortal_alive(self._address), dtype=np.uint8)
        there = np.ones(len(standing), dtype=bool)
        there[: len(mortal)] = mortal != 0
        found: list[tuple[Any, ...]] = []
        for records, known in ((moving, moving["id"] >= 0), (standing, there)):
            known &= (records["bits"] & L.DISABLED) == 0
            found += zip(*(records[field][known].tolist() for field in _SHOWN), strict=True)
        found.sort(key=lambda f: f[:2])
        return [(t, x, y, w, h, (ox, oy)) for t, _, x, y, w, h, ox, oy in found]

    def cell_of(self, sprite: Sprite) -> tuple[int, int]:
        """Column and row, from 0, of the cell under the centre of a sprite.

        >>> import pcg
        >>> state = pcg.load("boxes").start(level=0, seed=1)
        >>> state.cell_of(state.avatar)
        (2, 4)
        """
        block = self.block_size
        return (sprite.x + sprite.w // 2) // block, (sprite.y + sprite.h // 2) // block

    def resources_of(self, record: Any) -> dict[int, int]:
        """Amounts held by a sprite record, by type id; entries of amount 0 remain (reference/sprites 7.5)."""
        columns = self._context.tables.resources
        row = int(record["res"])
        if row < 0:
            return {}
        at = self._address + int(self._head.at_res) + 4 * row * len(columns)
        return {t: int(v) for t, v in zip(columns, _ints(at, len(columns)), strict=True) if v != -2147483648}

    def _sprite(self, r: Any) -> Sprite:
        tables = self._context.tables
        t = int(r["type"])
        held = {tables.names[k]: v for k, v in self.resources_of(r).items()}
        return Sprite(
            id=int(r["id"]),
            type=t,
            name=tables.names[t],
            x=int(r["x"]),
            y=int(r["y"]),
            w=int(r["w"]),
            h=int(r["h"]),
            orientation=(float(r["ox"]), float(r["oy"])),
            speed=float(r["speed"]),
            health=int(r["hp"]),
            max_health=int(r["max_hp"]),
            resources=held,
            disabled=bool(r["bits"] & L.DISABLED),
            category=category_of(int(tables.types[t]["bits"]), int(r["bits"])),
        )

    @property
    def width(self) -> int:
        """Columns of the level."""
        return self._context.level.width

    @property
    def height(self) -> int:
        """Rows of the level."""
        return self._context.level.height

    @property
    def block_size(self) -> int:
        """Pixels per cell."""
        return self._context.level.block_size

    def grid(self) -> list[list[tuple[str, ...]]]:
        """Type names by cell, indexed [row][column]; a sprite is listed where its top-left corner lies.

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).grid()[4][2]
        ('floor', 'hero')
        """
        cells: list[list[list[str]]] = [[[] for _ in range(self.width)] for _ in range(self.height)]
        names = self._context.tables.names
        for t, r in self.records():
            column, row = int(r["x"]) // self.block_size, int(r["y"]) // self.block_size
            if 0 <= row < self.height and 0 <= column < self.width:
                cells[row][column].append(names[t])
        return [[tuple(cell) for cell in line] for line in cells]

    def render(self) -> str:
        r"""The level as text: in each cell the sign of the sprite drawn on top; a dot where nothing is.

        Signs are the characters of the level mapping whose list ends with the type, else the type's first letter.
        Pictures with tiles are `pcg.render`'s business.

        >>> import pcg
        >>> print(pcg.load("boxes").start("wwwww\nwAb.w\nw..ow\nwwwww").render())
        wwwww
        wAb.w
        w..ow
        wwwww
        """
        definition = self._context.tables.definition
        names = self._context.tables.names
        signs = {n: n[0] for n in names}
        for sign, kinds in reversed(list(definition.mapping.items())):
            if kinds and kinds[-1] in signs and not sign.isspace():
                signs[kinds[-1]] = sign
        above = {t: place for place, t in enumerate(definition.draw_order)}
        top: dict[tuple[int, int], tuple[int, str]] = {}
        for t, r in self.records():
            cell = (int(r["y"]) // self.block_size, int(r["x"]) // self.block_size)
            top[cell] = max(top.get(cell, (-2, ".")), (above.get(t, -1), signs[names[t]]))
        return "\n".join(
            "".join(top.get((row, column), (0, "."))[1] for column in range(self.width)) for row in range(self.height)
        )

    @property
    def events(self) -> list[Event]:
        """All events of the play so far, in order.

        >>> import pcg
        >>> state = pcg.load("boxes").start(level=0, seed=1)
        >>> state.advance("RIGHT")
        >>> [(event.tick, event.active_id, event.passive_id) for event in state.events]
        [(0, 41, 42)]
        """
        chain, node = [], self._history
        while node is not None:
            node, raw = node
            chain.append(raw)
        found: list[Event] = []
        for raw in reversed(chain):
            rows = np.frombuffer(raw, np.int32).reshape(-1, 8).tolist()
            # within a tick the reference orders: from-avatar first, then passive type, then active type
            rows.sort(key=lambda e: (e[7], -e[0], e[2], e[1]))
            found += [Event(e[7], bool(e[0]), *e[1:7]) for e in rows]
        return found

    def _history_bytes(self) -> bytes:
        parts, node = [], self._history
        while node is not None:
            node, raw = node
            parts.append(raw)
        return b"".join(reversed(parts))

    def observe(self, player: int = 0) -> StateObservation:
        """Return a player's view of this state: the reference's state API (`pcg.engine.observation`).

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).observe().avatar_position
        (176, 352)
        """
        from pcg.engine.observation import StateObservation

        return StateObservation(self, player)

    def arrays(self) -> StateArrays:
        """The state's memory as numpy arrays, without copying (`pcg.engine.arrays`).

        >>> import pcg
        >>> pcg.load("boxes").start(level=0, seed=1).arrays()
        <arrays of <State of boxes: tick -1, score 0.0>: 3 slots, 74 sprites of the level>
        """
        return StateArrays(self)

    def key(self) -> int:
        """A 62-bit hash of everything that decides the future; equal states have equal keys.

        >>> import pcg
        >>> state = pcg.load("boxes").start(level=0, seed=1)
        >>> state.copy().key() == state.key()
        True
        """
        return int(invoke2(tick.model_key.address, self._context.address, self._address))

    # --- for compiled agents ---

    @property
    def address(self) -> int:
        """Address of the state's block; valid until the next `advance` of this object, or as long as it lives."""
        return self._address

    @property
    def model(self) -> Model:
        """The compiled forward model of this state's game and level, with room for this state."""
        model = self._context.model()
        while model.room < self._arena.room:
            model.grow()
        return model

    @property
    def context(self) -> Context:
        """The compiled game and level."""
        return self._context

    # --- bytes ---

    def to_bytes(self) -> bytes:
        """The state as bytes; `Game.restore` makes it again, in any process, for the same game text.

        >>> import pcg
        >>> game = pcg.load("boxes")
        >>> state = game.start(level=0, seed=1)
        >>> game.restore(state.to_bytes()).key() == state.key()
        True
        """
        header = self._head
        used = int(header.at_sprites) + int(header.slots) * self._context.tables.stride
        block = ctypes.string_at(self._address, used)
        rows = tuple(self._context.level.rows)
        return StateData(self.game.digest, rows, self._arena.room, self._history_bytes(), block).to_bytes()


def restore(game: Game, data: bytes) -> State:
    """The state that `State.to_bytes` gave. Raises PcgError for anything else, or another game's state."""
    given = StateData.from_bytes(data)
    if given.digest != game.digest:
        raise PcgError(f"this state belongs to another game than {game.name}")
    context = game.context("\n".join(given.rows))
    if not given.fits(context):
        raise PcgError("these bytes are not a serialised state")
    state = State(game, context, given.room, (None, given.history) if given.history else None)
    ctypes.memmove(state._address, given.block, len(given.block))
    return state


def begin(game: Game, context: Context, seed: int) -> State:
    """The state before tick 0, with the generator of ``java.util.Random(seed)``."""
    state = State(game, context, context.room)
    invoke3(context.copy_address, context.address, state._address, context.initial)
    state._head.rng = scramble(seed)
    state._head.aux = scramble(seed * 1000 + 4)
    return state


def _code(action: str | int) -> int:
    if isinstance(action, str):
        name = action.removeprefix("ACTION_")
        code = ACTION_ID.get(name)
        if code is None:
            close = nearest(name, ACTIONS)
            raise PcgError(
                f"unknown action `{action}`, expected one of {' '.join(ACTIONS)}"
                + (f"; did you mean `{close}`?" if close else "")
            )
        return code
    if not 0 <= action < len(ACTIONS):
        raise PcgError(f"action {action} is out of range, expected 0 to {len(ACTIONS) - 1}")
    return action


def _codes(action: Any, players: int) -> tuple[int, int]:
    if action is None:
        return 0, 0
    if isinstance(action, (int, np.integer)):
        return _code(int(action)), 0
    values = [_code(a if isinstance(a, str) else int(a or 0)) for a in action]
    if len(values) != players:
        raise PcgError(f"{len(values)} actions for {players} players")
    return values[0], values[1] if players > 1 else 0


def _ints(address: int, count: int) -> Any:
    return np.frombuffer(_bytes(address, 4 * count), np.int32) if count else np.zeros(0, np.int32)


def _bytes(address: int, count: int) -> Any:
    memory: Any = (ctypes.c_char * count).from_address(address)
    return np.frombuffer(memory, np.uint8) if count else np.zeros(0, np.uint8)
