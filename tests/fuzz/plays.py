"""Playing random games: what must hold in every tick, whatever the rules are.

`check` compares each tick with the same tick of a copy, and the state with what its documentation promises; `trace`
makes a play comparable with the same play elsewhere. Nothing here depends on how the kernel keeps its sprites.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from random_games import RandomPlay

from pcg.engine.game import load
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.bounds import MAX_MOVING
from pcg.engine.observation_json import as_json
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError

MANY = 400
"""Plays stop at this many moving sprites: what happens beyond is tested on games made for it."""
MUCH = 5_000
"""Plays to be compared with plain Python stop before a tick of this much work."""
CHECKSUM_ENDS = 17
NAN, MINUS_NAN = struct.pack("<d", math.nan), struct.pack("<Q", 0xFFF8 << 48)


def begin(play: RandomPlay) -> State | None:
    """The state before the first tick, or None for a game or level that is refused."""
    try:
        return load(play.game, [play.level], reading="gvgai").start(0, play.seed)
    except PcgError as error:
        if not str(error):
            raise AssertionError("a refusal without a reason") from error
        return None


def ticks(state: State, play: RandomPlay) -> Iterator[Any]:
    """The actions of the play, each to be played by the caller, while the game lasts and stays small."""
    for codes in play.actions:
        if state.is_over or state.header.slots > MANY:
            return
        yield codes if state.game.players == 2 else codes[0]


def check(play: RandomPlay) -> State | None:
    """Play a random game to its end and check every tick; the last state, or None for a refused game."""
    state = begin(play)
    if state is None:
        return None
    assert_sound(state)
    look(state)
    restored: State | None = None
    for number, action in enumerate(ticks(state, play)):
        before = state.to_bytes()
        twin = state.copy()
        assert twin.to_bytes() == before
        twin.advance(action)
        assert state.to_bytes() == before, "a copy changed its original"
        if number == len(play.actions) // 2:
            restored = state.game.restore(before)
            assert restored.to_bytes() == before
        state.advance(action)
        after = state.to_bytes()
        assert twin.to_bytes() == after, "a copy took another way"
        if restored is not None:
            restored.advance(action)
            assert restored.to_bytes() == after, "a restored state took another way"
            assert restored.events == state.events
        assert_sound(state)
    look(state)
    if state.is_over:
        last = state.to_bytes()
        state.advance((1, 2) if state.game.players == 2 else 1)
        assert state.to_bytes() == last, "a finished game went on"
        assert state.actions == (((), ()) if state.game.players == 2 else ())
    return state


def assert_sound(state: State) -> None:
    """Check what holds for every state, by its public face and its records."""
    head = state.header
    assert head.status == 0 and 0 <= head.slots <= MAX_MOVING and head.slots <= head.room
    kinds = state.context.tables.types
    records = state.records()
    places = [(t, int(r["id"])) for t, r in records]
    ids = [i for _, i in places]
    assert places == sorted(places) and len(set(ids)) == len(ids) and all(0 <= i < head.next_id for i in ids)
    for t, r in records:
        assert 0 <= t < len(kinds) and kinds[t]["cls"] >= 0 and not r["bits"] & L.KILLED
    moving = state.context.moving(state.address)
    for player in range(state.game.players):
        slot = getattr(head, f"avatar{player}")
        if slot >= 0:
            assert moving[slot]["player"] == player and kinds[moving[slot]["type"]]["bits"] & L.T_AVATAR_CLASS
    scores = state.score if state.game.players == 2 else (state.score,)
    assert all(math.isfinite(score) for score in scores)


def look(state: State) -> None:
    """Read everything a state offers; each has to come out, and to fit the rest."""
    sprites = state.sprites()
    grid = state.grid()
    assert len(grid) == state.height and {len(row) for row in grid} == {state.width}
    assert sum(len(cell) for row in grid for cell in row) <= len(sprites)
    assert len(state.render().split("\n")) == state.height
    assert state.key() == state.copy().key()
    for player in range(state.game.players):
        view = state.observe(player)
        assert view.tick == state.tick + 1 and len(view.grid()) == state.width
        json.dumps(as_json(state, player=player))
    assert repr(state) and repr(state.avatar) and state.events is not None


def digest(state: State, *, exact: bool = True) -> str:
    """A hash of a state: of all its bytes, or of what can be observed (which other versions of a kernel share)."""
    if exact:
        # behind the checksum; the sign of what is no number has no meaning, and compilers do as they like with it
        data = state.to_bytes()[CHECKSUM_ENDS:].replace(MINUS_NAN, NAN)
        return hashlib.sha256(data).hexdigest()[:16]
    seen = [
        state.tick, state.is_over, repr(state.score), repr(state.winner), state.rng, state.aux, state.counters,
        [(repr(s.orientation), repr(s.speed), s) for s in state.sprites()],
    ]  # fmt: skip
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]


def trace(play: RandomPlay, *, exact: bool = True) -> list[str]:
    """Digests of the state before the first tick and after every tick; empty for a refused game."""
    state = begin(play)
    if state is None:
        return []
    found = [digest(state, exact=exact)]
    for action in ticks(state, play):
        state.advance(action)
        found.append(f"{digest(state, exact=exact)} {state.rng} {state.aux}")
    return found


def light(play: RandomPlay) -> RandomPlay | None:
    """The play, cut off before the first tick that is hard work, or None for a refused game or a heavy first tick."""
    state = begin(play)
    if state is None:
        return None
    done = 0
    for action in ticks(state, play):
        state.advance(action)
        if state.header.slots > MANY or state.header.work > MUCH:
            break
        done += 1
    return replace(play, actions=play.actions[:done]) if done else None


def to_json(plays: list[RandomPlay]) -> str:
    """Plays as text for another process."""
    return json.dumps([[p.game, p.level, p.seed, p.actions] for p in plays])


def from_json(text: str) -> list[RandomPlay]:
    """The plays that `to_json` wrote."""
    return [RandomPlay(game, level, seed, tuple(map(tuple, rows))) for game, level, seed, rows in json.loads(text)]


__all__ = ["begin", "check", "digest", "from_json", "light", "look", "ticks", "to_json", "trace"]
