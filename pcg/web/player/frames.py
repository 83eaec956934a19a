"""Frames for the browser: the changes of the screen from tick to tick, as few as possible.

A frame lists the sprites that are new or look different (`put`) and the ids of those that are gone. They are found in
compiled code (`pcg.engine.watch`); only those that changed are looked at one by one, so a frame costs some ten
microseconds however large the level. The pictures are those of `pcg.render`, pixel for pixel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pcg.engine.game import Game
from pcg.engine.state import Sprite, State
from pcg.engine.watch import Watch
from pcg.web.player.sprite_sheet import sheet_for

Put = tuple[int, ...]
"""A sprite as shown: (id, stamp, x, y), and (w, h) behind it where it is not one cell large; pixels of the game."""

_FIELDS = ("id", "type", "x", "y", "w", "h", "ox", "oy")
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
        self._actions: dict[int, list[str]] = {}

    def whole(self, state: State) -> dict[str, Any]:
        """A frame with everything in it."""
        self._sent: dict[int, Put] = {}
        self._stacks: dict[int, _Row] = {}
        self._stacked: set[tuple[int, int, int]] = set()
        self._block = state.block_size
        self._watch = Watch(state)
        level = state.arrays().level
        rows = zip(*(level[name].tolist() for name in _FIELDS), strict=True)
        self._settle({row[0]: row for row in rows}, set())
        self._update(state)
        self._told = status(state)
        return {"whole": True, "put": [list(put) for put in self._sent.values()], **self._told}

    def changes(self, state: State) -> dict[str, Any]:
        """Return the changes since the last frame: `put` and `gone` and what `status` tells, each only where there is
        something to say.
        """
        put, gone = self._update(state)
        frame: dict[str, Any] = {}
        if put:
            frame["put"] = put
        if gone:
            frame["gone"] = gone
        told = self._told
        for name, value in self._status(state).items():
            if told[name] != value:
                told[name] = frame[name] = value
        return frame

    def _update(self, state: State) -> tuple[list[Put], list[int]]:
        changes = self._watch.changes(state)
        if not changes:
            return [], []
        fresh: dict[int, _Row] = {}
        lost: set[int] = set()
        for change in changes:
            if change[0] >= 0:
                lost.add(change[0])
            if change[1] >= 0:
                fresh[change[1]] = change[1:]
        return self._settle(fresh, lost - fresh.keys())

    def _status(self, state: State) -> dict[str, Any]:
        """`status`, with the dearer parts looked up only when they may have changed."""
        watch, header = self._watch, state.header
        over = bool(header.ended)
        kind = -1 if over else watch.avatar
        actions = self._actions.get(kind)
        if actions is None:
            actions = self._actions[kind] = list(state.actions)
        now = {
            "tick": header.tick + 1,
            "score": header.score0,
            "over": over,
            "winner": header.win0,
            "actions": actions,
            "health": watch.health,
        }
        if watch.holds_changed:
            now["holds"] = _holds(state.avatar)
        return now

    def _settle(self, fresh: dict[int, _Row], lost: set[int]) -> tuple[list[Put], list[int]]:
        """Take over the changes of a state and return those to be sent."""
        hidden = {i for i, row in fresh.items() if not self._shown[row[1]]}
        gone = sorted(i for i in lost | hidden if self._sent.pop(i, None) is not None)
        rows = {i: row for i, row in fresh.items() if i not in hidden}
        if self._stacking:
            rows = {**self._restack(rows, lost | hidden), **rows}
        put = []
        for i, (_, kind, x, y, w, h, ox, oy) in rows.items():
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
    """Return what is shown beside the picture: tick, score, end and outcome, health and resources."""
    about: dict[str, Any] = {
        "tick": state.tick + 1,
        "score": state.score,
        "over": state.is_over,
        "winner": int(state.winner),
        "actions": list(state.actions),
    }
    avatar = state.avatar
    about["health"] = avatar.health if avatar is not None else 0
    about["holds"] = _holds(avatar)
    return about


def _holds(avatar: Sprite | None) -> dict[str, int]:
    return {} if avatar is None else {name: n for name, n in sorted(avatar.resources.items()) if n}


def replay_frames(game: Game, level: str, seed: int, actions: Sequence[str]) -> list[dict[str, Any]]:
    """The frames of a recorded play: the first one whole, then one of changes per tick until the game is over.

    What `status` tells is left out of a frame where it is as in the one before.
    """
    state = game.start(level, seed=seed)
    writer = FrameWriter(game)
    frames = [writer.whole(state)]
    for action in actions:
        if state.is_over:
            break
        state.advance(action)
        frames.append({**writer.changes(state), "action": action})
    return frames
