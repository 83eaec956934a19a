"""Two tiny compiled engines behind the forward-model protocol, to test agents without VGDL.

`walk` is a grid with walls, pits, coins, goals and a random wind, for one or two players; `sliding` is the sliding-tile
puzzle. They prove that agents need nothing but the protocol, and small as they are, the right move is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pcg.engine.kernel.protocol import GROW, MODEL, OK
from pcg.engine.kernel.random import next_int, scramble
from pcg.engine.kernel.runtime import (
    copy_bytes,
    entry_point,
    inner,
    invoke2,
    invoke3,
    invoke4,
    load64,
    store64,
    store_double,
    view_of,
)
from pcg.engine.model import Model, Pool

ACTIONS = ("NIL", "UP", "LEFT", "DOWN", "RIGHT")
FLOOR, WALL, GOAL, PIT, COIN = 0, 1, 2, 3, 4
TYPES = ("avatar", "goal", "pit", "coin")
CATEGORIES = ("avatar", "portal", "static", "resource")

# --- walk -------------------------------------------------------------------------------------------------------------

WALK = np.dtype(
    [
        ("width", "i8"),
        ("height", "i8"),
        ("cells", "i8"),  # int64[height * width]
        ("coins", "i8"),  # int64[height * width]: number of the coin there, -1: none
        ("players", "i8"),
        ("wind", "i8"),  # chance in 1000 that a player is blown in a random direction
        ("limit", "i8"),  # the game ends after so many ticks; 0: never
        ("crumbs", "i8"),  # 1: the state grows by a word every tick
    ],
    align=True,
)
WALK_STATE = np.dtype(
    [
        ("rng", "i8"),
        ("tick", "i8"),
        ("over", "i8"),
        ("taken", "i8"),  # bit set of coins
        ("events", "i8"),
        ("crumbs", "i8"),
        ("room", "i8"),  # crumbs the block has room for; belongs to the block, not to the state
        ("place0", "i8"),
        ("place1", "i8"),
        ("score0", "i8"),
        ("score1", "i8"),
        ("outcome0", "i8"),
        ("outcome1", "i8"),
        *((f"event{k}", "i8") for k in range(8)),  # two events of four words
    ],
    align=True,
)
HEAD = WALK_STATE.itemsize
PLACE = WALK_STATE.fields["place0"][1]  # type: ignore[index]
SCORE = WALK_STATE.fields["score0"][1]  # type: ignore[index]
OUTCOME = WALK_STATE.fields["outcome0"][1]  # type: ignore[index]
EVENTS = WALK_STATE.fields["event0"][1]  # type: ignore[index]

walk_at = view_of(WALK)
walk_state_at = view_of(WALK_STATE)


@entry_point("i8(i8, i8, i8)")
def walk_copy(game: int, to: int, source: int) -> int:
    s = walk_state_at(source)
    t = walk_state_at(to)
    room = t.room
    if s.crumbs > room:
        return GROW
    copy_bytes(to, source, HEAD + 8 * s.crumbs)
    t.room = room
    return OK


@inner
def neighbour(width: int, place: int, action: int) -> int:
    if action == 1:
        return place - width
    if action == 2:
        return place - 1
    if action == 3:
        return place + width
    if action == 4:
        return place + 1
    return place


@entry_point("i8(i8, i8, i8)")
def walk_advance(game: int, state: int, joint: int) -> int:
    g = walk_at(game)
    s = walk_state_at(state)
    if s.over == 1:
        return OK
    s.tick = s.tick + 1
    s.events = 0
    if g.crumbs == 1:
        if s.crumbs == s.room:
            return GROW
        store64(state + HEAD + 8 * s.crumbs, s.tick)
        s.crumbs = s.crumbs + 1
    for player in range(g.players):
        action = load64(joint + 8 * player)
        if g.wind > 0 and next_int(state, 1000) < g.wind:
            action = 1 + next_int(state, 4)
        place = neighbour(g.width, load64(state + PLACE + 8 * player), action)
        cell = load64(g.cells + 8 * place)
        if cell == WALL:
            continue
        store64(state + PLACE + 8 * player, place)
        coin = load64(g.coins + 8 * place)
        if coin >= 0 and (s.taken >> coin) & 1 == 0:
            s.taken = s.taken | (1 << coin)
            store64(state + SCORE + 8 * player, load64(state + SCORE + 8 * player) + 1)
            event = state + EVENTS + 32 * s.events
            store64(event, 0)
            store64(event + 8, 0)
            store64(event + 16, 3)
            store64(event + 24, coin)
            s.events = s.events + 1
        if cell in (GOAL, PIT):
            s.over = 1
            for other in range(g.players):
                wins = (cell == GOAL) == (other == player)
                store64(state + OUTCOME + 8 * other, 1 if wins else -1)
    if s.tick == g.limit:
        s.over = 1
    return OK


@entry_point("i8(i8, i8)")
def walk_over(game: int, state: int) -> int:
    return walk_state_at(state).over


@entry_point("i8(i8, i8, i8)")
def walk_outcome(game: int, state: int, player: int) -> int:
    return load64(state + OUTCOME + 8 * player)


@entry_point("f8(i8, i8, i8)")
def walk_score(game: int, state: int, player: int) -> float:
    return 1.0 * load64(state + SCORE + 8 * player)


@entry_point("i8(i8, i8, i8, i8)")
def walk_actions(game: int, state: int, player: int, out: int) -> int:
    if walk_state_at(state).over == 1:
        return 0
    for k in range(4):
        store64(out + 8 * k, k + 1)
    return 4


@entry_point("i8(i8, i8)")
def walk_key(game: int, state: int) -> int:
    g = walk_at(game)
    s = walk_state_at(state)
    size = g.width * g.height
    key = (s.taken * size + s.place0) * size + s.place1
    key = key * 2 + s.over
    if g.limit > 0:
        key = key * 1024 + s.tick
    if g.wind > 0:
        key = key ^ (s.rng << 15)
    return key


@entry_point("i8(i8, i8, i8)")
def walk_reseed(game: int, state: int, seed: int) -> int:
    walk_state_at(state).rng = seed
    return OK


@inner
def feature(out: int, room: int, k: int, value: float) -> int:
    if k < room:
        store_double(out + 8 * k, value)
    return k + 1


@entry_point("i8(i8, i8, i8, i8, i8)")
def walk_features(game: int, state: int, player: int, out: int, room: int) -> int:
    g = walk_at(game)
    s = walk_state_at(state)
    here = load64(state + PLACE + 8 * player)
    k = feature(out, room, 0, 1.0 * g.players)
    k = feature(out, room, k, 0.0)
    for kind in range(GOAL, COIN + 1):
        count = 0
        nearest = -1
        for place in range(g.width * g.height):
            coin = load64(g.coins + 8 * place)
            found = load64(g.cells + 8 * place) == kind
            if kind == COIN:
                found = coin >= 0 and (s.taken >> coin) & 1 == 0
            if found:
                count += 1
                distance = abs(place % g.width - here % g.width) + abs(place // g.width - here // g.width)
                if nearest < 0 or distance < nearest:
                    nearest = distance
        k = feature(out, room, k, 1.0 * count)
        k = feature(out, room, k, 1.0 * nearest)
    return min(k, room)


@entry_point("i8(i8, i8, i8, i8)")
def walk_events(game: int, state: int, out: int, room: int) -> int:
    count = min(walk_state_at(state).events, room)
    copy_bytes(out, state + EVENTS, 32 * count)
    return count


# --- sliding tiles ----------------------------------------------------------------------------------------------------

SLIDING = np.dtype([("width", "i8"), ("height", "i8")], align=True)
SLIDING_STATE = np.dtype(
    [("tick", "i8"), ("over", "i8"), ("blank", "i8"), *((f"tile{k}", "i8") for k in range(12))], align=True
)
SLIDING_BYTES = SLIDING_STATE.itemsize
TILES = SLIDING_STATE.fields["tile0"][1]  # type: ignore[index]

sliding_at = view_of(SLIDING)
sliding_state_at = view_of(SLIDING_STATE)


@entry_point("i8(i8, i8, i8)")
def sliding_copy(game: int, to: int, source: int) -> int:
    copy_bytes(to, source, SLIDING_BYTES)
    return OK


@inner
def blank_after(game: int, state: int, action: int) -> int:
    """Return the place the blank goes to; -1 when it cannot."""
    g = sliding_at(game)
    s = sliding_state_at(state)
    x = s.blank % g.width
    y = s.blank // g.width
    if (action == 2 and x == 0) or (action == 4 and x == g.width - 1):
        return -1
    if (action == 1 and y == 0) or (action == 3 and y == g.height - 1) or action == 0:
        return -1
    return neighbour(g.width, s.blank, action)


@entry_point("i8(i8, i8, i8)")
def sliding_advance(game: int, state: int, joint: int) -> int:
    g = sliding_at(game)
    s = sliding_state_at(state)
    if s.over == 1:
        return OK
    s.tick = s.tick + 1
    to = blank_after(game, state, load64(joint))
    if to >= 0:
        store64(state + TILES + 8 * s.blank, load64(state + TILES + 8 * to))
        store64(state + TILES + 8 * to, 0)
        s.blank = to
    s.over = 1
    size = g.width * g.height
    for k in range(size - 1):
        if load64(state + TILES + 8 * k) != k + 1:
            s.over = 0
    return OK


@entry_point("i8(i8, i8)")
def sliding_over(game: int, state: int) -> int:
    return sliding_state_at(state).over


@entry_point("i8(i8, i8, i8)")
def sliding_outcome(game: int, state: int, player: int) -> int:
    return sliding_state_at(state).over


@entry_point("f8(i8, i8, i8)")
def sliding_score(game: int, state: int, player: int) -> float:
    return 1.0 * sliding_state_at(state).over


@entry_point("i8(i8, i8, i8, i8)")
def sliding_actions(game: int, state: int, player: int, out: int) -> int:
    count = 0
    if sliding_state_at(state).over == 0:
        for action in range(1, 5):
            if blank_after(game, state, action) >= 0:
                store64(out + 8 * count, action)
                count += 1
    return count


@entry_point("i8(i8, i8)")
def sliding_key(game: int, state: int) -> int:
    g = sliding_at(game)
    key = 0
    for k in range(g.width * g.height):
        key = key * 12 + load64(state + TILES + 8 * k)
    return key


@entry_point("i8(i8, i8, i8)")
def sliding_reseed(game: int, state: int, seed: int) -> int:
    return OK


@entry_point("i8(i8, i8, i8, i8, i8)")
def sliding_features(game: int, state: int, player: int, out: int, room: int) -> int:
    """Sum of the tiles' distances from their places, which never overestimates the moves left; and an empty feature."""
    g = sliding_at(game)
    total = 0
    for place in range(g.width * g.height):
        tile = load64(state + TILES + 8 * place)
        if tile > 0:
            total += abs((tile - 1) % g.width - place % g.width) + abs((tile - 1) // g.width - place // g.width)
    return min(feature(out, room, feature(out, room, 0, 1.0 * total), 0.0), room)


@entry_point("i8(i8, i8, i8, i8)")
def sliding_events(game: int, state: int, out: int, room: int) -> int:
    return 0


# --- Python face ------------------------------------------------------------------------------------------------------


class TinyGame:
    """A game on one of the engines: its record, its model, and the words of its first state."""

    def __init__(
        self, prefix: str, record: np.ndarray, first: np.ndarray, *, head: int, room: int, word: int, **about: Any
    ) -> None:
        self.keep: list[np.ndarray] = [record]
        self.first = first
        self.word = word  # word of the state that holds the room of its block, -1: none
        self.prefix = prefix
        memory = np.zeros(1, dtype=MODEL)
        memory[0]["game"] = record.ctypes.data
        for field in MODEL.names[3:]:  # type: ignore[index]
            if f"{prefix}_{field}" in globals():  # the last few are optional, and these engines do without
                memory[0][field] = globals()[f"{prefix}_{field}"].address
        memory[0]["players"] = about.pop("players", 1)
        memory[0]["max_actions"] = 4
        self.model = Model(
            memory,
            room=room,
            stride_of=lambda r: head + 8 * r * (word >= 0),
            format_blocks=self._format,
            owner=self,
            action_names=ACTIONS,
            **about,
        )
        self.memory = memory

    def _format(self, address: int, room: int, stride: int, count: int) -> None:
        for k in range(count * (self.word >= 0)):
            store_word(address + k * stride + 8 * self.word, room)

    def start(self, level: int = 0, seed: int = 1) -> TinyState:
        pool = self.model.pool(1)
        words = self.first.copy()
        if self.prefix == "walk":
            words[0] = scramble(seed)
            words[self.word] = self.model.room
        for k, word in enumerate(words.tolist()):
            store_word(pool.address + 8 * k, word)
        return TinyState(self, pool)

    def call(self, field: str, *args: int) -> int:
        address = int(self.memory[0][field])
        game = int(self.memory[0]["game"])
        return int((invoke2, invoke3, invoke4)[len(args) - 1](address, game, *args))


def store_word(address: int, value: int) -> None:
    np.ctypeslib.as_array((np.ctypeslib.ctypes.c_int64 * 1).from_address(address))[0] = value


def words_at(address: int, count: int) -> list[int]:
    return list((np.ctypeslib.ctypes.c_int64 * count).from_address(address))


class TinyState:
    """A state with the face that agents expect."""

    def __init__(self, game: TinyGame, pool: Pool) -> None:
        self.game = game
        self.model = game.model
        self._pool = pool

    @property
    def address(self) -> int:
        return self._pool.address

    def words(self) -> list[int]:
        return words_at(self.address, len(self.game.first))

    @property
    def tick(self) -> int:
        return self.words()[1 if self.game.prefix == "walk" else 0]

    @property
    def place(self) -> int:
        return self.words()[7]

    @property
    def score(self) -> Any:
        if self.game.prefix == "sliding":
            return float(self.words()[1])
        scores = [float(s) for s in self.words()[9 : 9 + self.model.players]]
        return scores[0] if len(scores) == 1 else tuple(scores)

    @property
    def is_over(self) -> bool:
        return self.game.call("over", self.address) == 1

    @property
    def actions(self) -> tuple[Any, ...]:
        found = [self._actions_of(player) for player in range(self.model.players)]
        return found[0] if len(found) == 1 else tuple(found)

    def _actions_of(self, player: int) -> tuple[str, ...]:
        out = np.zeros(4, dtype=np.int64)
        count = self.game.call("actions", self.address, player, int(out.ctypes.data))
        return tuple(ACTIONS[code] for code in out[:count])

    def key(self) -> int:
        return self.game.call("key", self.address)

    def copy(self) -> TinyState:
        while True:
            pool = self.model.pool(1)
            if self.game.call("copy", pool.address, self.address) == OK:
                return TinyState(self.game, pool)
            self.model.grow()

    def advance(self, action: Any) -> None:
        names = (action,) if isinstance(action, str) else action
        joint = np.array([ACTIONS.index(n) for n in names], dtype=np.int64)
        while True:
            after = self.copy()
            if self.game.call("advance", after.address, int(joint.ctypes.data)) == OK:
                self._pool = after._pool
                return
            self.model.grow()


def walk(rows: str | Iterable[str], *, wind: int = 0, limit: int = 0, crumbs: bool = False, room: int = 4) -> TinyGame:
    """A walk on a map: `#` wall, `A` and `B` the players, `G` goal, `x` pit, `c` coin, the border is wall."""
    lines = rows.split("\n") if isinstance(rows, str) else list(rows)
    lines = [line.strip() for line in lines if line.strip()]
    width = max(map(len, lines)) + 2
    lines = ["#" * width, *(f"#{line}".ljust(width, "#") for line in lines), "#" * width]
    text = "".join(lines)
    cells = np.array([{"#": WALL, "G": GOAL, "x": PIT}.get(c, FLOOR) for c in text], dtype=np.int64)
    coins = np.full(len(text), -1, dtype=np.int64)
    coins[[k for k, c in enumerate(text) if c == "c"]] = np.arange(text.count("c"))
    players = 2 if "B" in text else 1
    record = np.zeros(1, dtype=WALK)
    record[0] = (
        width, len(lines), cells.ctypes.data, coins.ctypes.data, players, wind, limit, int(crumbs),
    )  # fmt: skip
    first = np.zeros(HEAD // 8, dtype=np.int64)
    first[7] = text.index("A")
    first[8] = text.index("B") if players == 2 else 0
    game = TinyGame(
        "walk", record, first, head=HEAD, room=room, word=6,
        players=players, stochastic=wind > 0, categories=CATEGORIES,
    )  # fmt: skip
    game.keep += [cells, coins]
    return game


def sliding(tiles: str, width: int = 3) -> TinyGame:
    """A sliding-tile puzzle; `tiles` names the tiles row by row, 0 is the blank. Solved: 1 2 3 ... 0."""
    numbers = [int(c) for c in tiles]
    record = np.zeros(1, dtype=SLIDING)
    record[0] = (width, len(numbers) // width)
    first = np.zeros(SLIDING_BYTES // 8, dtype=np.int64)
    first[1] = numbers == [*range(1, len(numbers)), 0]
    first[2] = numbers.index(0)
    first[3 : 3 + len(numbers)] = numbers
    return TinyGame("sliding", record, first, head=SLIDING_BYTES, room=1, word=-1, stochastic=False)
