"""What changes on the screen from tick to tick, as little of it as possible.

A frame lists the sprites that are new or look different (`put`) and the ids of those that are gone. Sprites are read
from the kernel's memory as arrays and compared as arrays; only those that changed are looked at one by one, so a frame
of a large level costs tens of microseconds. The pictures are those of `pcg.render`, pixel for pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pcg.engine.game import Game
from pcg.engine.kernel import layout as L
from pcg.engine.state import State
from pcg.web.player.sheet import sheet_for

Put = tuple[int, ...]
"""A sprite as shown: (id, stamp, x, y), and (w, h) behind it where it is not one cell large; pixels of the game."""

_FIELDS = ("id", "type", "x", "y", "w", "h", "ox", "oy", "bits")
_Seen = tuple[npt.NDArray[Any], ...]
_Row = tuple[Any, ...]
"""A sprite's values of `_FIELDS`."""


class FrameWriter:
    """Turns the states of one play into frames; holds what was sent last.

    `whole` begins anew with everything, `changes` says what is different since the last call of either.
    """

    def __init__(self, game: Game) -> None:
        self.sheet = sheet_for(game)
        painter = self.sheet.painter
        self._tileset, self._shown = painter.tileset, painter.shown
        # Some grounds look different with the same ground below them, so a change is seen one cell higher up.
        self._stacking = any(below and shown for below, shown in zip(self._tileset.below, self._shown, strict=True))
        self._sent: dict[int, Put] = {}
        self._stacks: dict[int, _Row] = {}
        self._stacked: set[tuple[int, int, int]] = set()
        self._moving: _Seen = ()
        self._alive: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)

    def whole(self, state: State) -> dict[str, Any]:
        """A frame with everything in it."""
        self._sent, self._stacks, self._stacked, self._moving = {}, {}, set(), ()
        arrays = state.arrays()
        self._block = state.block_size
        self._level = arrays.level
        self._alive = np.ones(len(arrays.mortal_alive), np.uint8)
        records = [self._record(r) for r in self._level]
        self._settle({r[0]: r for r in records}, set())
        self.changes(state)
        return {"whole": True, "put": [list(put) for put in self._sent.values()], **status(state)}

    def changes(self, state: State) -> dict[str, Any]:
        """What is different since the last frame: `put` and `gone`, each only where there is something to say."""
        arrays = state.arrays()
        fresh: dict[int, _Row] = {}
        lost: set[int] = set()
        alive = arrays.mortal_alive != 0
        for k in np.flatnonzero(alive != (self._alive != 0)).tolist():
            record = self._record(self._level[k])
            if alive[k]:
                fresh[record[0]] = record
            else:
                lost.add(record[0])
        self._alive = alive.astype(np.uint8)
        moving = arrays.moving
        now: _Seen = tuple(np.array(moving[name]) for name in _FIELDS)
        changed, before = self._changed(now)
        for old in before:
            if old >= 0:
                lost.add(old)
        for row in zip(*(column[changed].tolist() for column in now), strict=True):
            if row[0] >= 0 and not row[8] & L.DISABLED:
                fresh[row[0]] = row
        self._moving = now
        put, gone = self._settle(fresh, lost - fresh.keys())
        frame: dict[str, Any] = {}
        if put:
            frame["put"] = [list(p) for p in put]
        if gone:
            frame["gone"] = gone
        return frame

    def _changed(self, now: _Seen) -> tuple[npt.NDArray[np.intp], list[int]]:
        """Slots that differ from those of the last frame, and the ids that were in them."""
        if not self._moving:
            return np.arange(len(now[0])), []
        common = min(len(now[0]), len(self._moving[0]))
        different = np.zeros(len(now[0]), np.bool_)
        different[common:] = True
        for column, old in zip(now, self._moving, strict=True):
            different[:common] |= column[:common] != old[:common]
        changed = np.flatnonzero(different)
        before = self._moving[0][changed[changed < common]].tolist() + self._moving[0][common:].tolist()
        return changed, before

    @staticmethod
    def _record(record: Any) -> _Row:
        return tuple(record[name].item() for name in _FIELDS)

    def _settle(self, fresh: dict[int, _Row], lost: set[int]) -> tuple[list[Put], list[int]]:
        """Take over what changed; what there is to send of it."""
        hidden = {i for i, row in fresh.items() if not self._shown[row[1]]}
        gone = sorted(i for i in lost | hidden if self._sent.pop(i, None) is not None)
        rows = {i: row for i, row in fresh.items() if i not in hidden}
        if self._stacking:
            rows = {**self._restack(rows, lost | hidden), **rows}
        put = []
        for i, (_, kind, x, y, w, h, ox, oy, _) in rows.items():
            name = self._tileset.below[kind]
            if not name or (kind, x, y + h) not in self._stacked:
                name = self._tileset.variant(kind, x // self._block, y // self._block)
            stamp = self.sheet.stamp(kind, name, (ox, oy))
            one: Put = (i, stamp, x, y) if w == h == self._block else (i, stamp, x, y, w, h)
            if self._sent.get(i) != one:
                self._sent[i] = one
                put.append(one)
        return put, gone

    def _restack(self, fresh: dict[int, _Row], lost: set[int]) -> dict[int, _Row]:
        """Keep the set of places that carry a stacking ground; the grounds that may look different now."""
        touched = False
        for i in (*lost, *fresh):
            touched |= self._stacks.pop(i, None) is not None
        for i, row in fresh.items():
            if self._tileset.below[row[1]]:
                self._stacks[i] = row
                touched = True
        if not touched:
            return {}
        self._stacked = {(row[1], row[2], row[3]) for row in self._stacks.values()}
        return dict(self._stacks)


def status(state: State) -> dict[str, Any]:
    """What is told of a play beside the picture: tick, score, whether it is over, how, health and belongings."""
    about: dict[str, Any] = {
        "tick": state.tick + 1,
        "score": state.score,
        "over": state.is_over,
        "winner": int(state.winner),
        "actions": list(state.actions),
    }
    avatar = state.avatar
    about["health"] = avatar.health if avatar is not None else 0
    about["holds"] = {} if avatar is None else {name: n for name, n in sorted(avatar.resources.items()) if n}
    return about


def replay_frames(game: Game, level: str, seed: int, actions: Sequence[str]) -> list[dict[str, Any]]:
    """The frames of a recorded play: the first one whole, then one of changes per tick until the game is over.

    What `status` tells is left out of a frame where it is as in the one before.
    """
    state = game.start(level, seed=seed)
    writer = FrameWriter(game)
    frames = [writer.whole(state)]
    told = status(state)
    for action in actions:
        if state.is_over:
            break
        state.advance(action)
        frame, now = writer.changes(state), status(state)
        frames.append({**frame, **news(told, now), "action": action})
        told = now
    return frames


def news(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The entries of `now` that are not in `before`."""
    return {name: value for name, value in now.items() if before.get(name) != value}
