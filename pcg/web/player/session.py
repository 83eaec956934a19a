"""One person's play of one level: keys go in, frames come out, everything is recorded. No network, no clock.

The rules by which keys become actions: a key that goes down gives one action, however short it is held. Held on, it
repeats after a moment where one action is a whole step (so that a tap is one step), and at once where it is a part of
one (steering). Of several held keys the last one counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.web.player.frames import FrameWriter
from pcg.web.player.pace import Pace, natural_pace
from pcg.web.player.recording import Press, Recording, Result
from pcg.web.player.sprite_sheet import SpriteSheet, sheet_for

ACTIONS = ("UP", "LEFT", "DOWN", "RIGHT", "USE")
"""Actions of a player; which of these a game's avatar takes is told in every frame."""

WAIT = "NIL"
HOLD_S = 0.18
"""So long a key is held before it repeats, where an action is a whole step."""

MOST_PRESSES = 20_000
"""Key events of one play beyond this are acted upon but not recorded."""

ATTEMPTS = 100
"""So many earlier plays of a level are kept."""

QUEUE = 4
"""Keys pressed ahead of the ticks that play them; more are not remembered."""


class PlaySession:
    """A play, from its first frame to its record.

    Args:
        game: a game with one player.
        level: level text, or the number of one of the game's levels.
        seed: of the play.
        pace: how fast; by default what suits the game.

    Raises:
        PcgError: for games of two players and levels that the game cannot read.

    >>> import pcg
    >>> session = PlaySession(pcg.load("boxes"), 0, seed=1)
    >>> frame = session.whole_frame()
    >>> session.press("LEFT")
    >>> session.tick()["tick"]
    1
    >>> session.recording().actions
    ('LEFT',)
    """

    def __init__(self, game: Game, level: str | int = 0, seed: int = 0, *, pace: Pace | None = None) -> None:
        if game.players != 1:
            raise PcgError(f"{game.name} is for {game.players} players; the browser plays games for one")
        if not -(2**31) <= seed < 2**31:
            raise PcgError(f"seed {seed}: expected a number of 32 bits, from {-(2**31)} to {2**31 - 1}")
        self.game = game
        self.level = "\n".join(game.read_level(level).rows)
        self.seed = seed
        self.pace = natural_pace(game) if pace is None else pace
        self.attempts: deque[Recording] = deque(maxlen=ATTEMPTS)
        """Plays that were over, or begun, when the level was started anew; oldest first."""
        self._begin()

    def __repr__(self) -> str:
        return f"<PlaySession of {self.game.name}: {self.state!r}>"

    @property
    def sheet(self) -> SpriteSheet:
        """The pictures that the frames name."""
        return sheet_for(self.game)

    def _begin(self) -> None:
        self.state = self.game.start(self.level, seed=self.seed)
        self.actions: list[str] = []
        self._presses: list[Press] = []
        self._queue: deque[str] = deque()
        self._held: list[str] = []
        self._waited = 0
        self._writer = FrameWriter(self.game)
        self._writer.whole(self.state)

    # -- keys ----------------------------------------------------------------------------------------------------------

    def press(self, action: str) -> None:
        """A key goes down. Repeats of a key that is down already, and what the avatar cannot do, change nothing.

        Raises:
            PcgError: for something that is no action.
        """
        _check(action)
        if action in self._held or action not in self.state.actions:
            return
        self._held.append(action)
        if len(self._queue) < QUEUE:
            self._queue.append(action)
        self._record(action, True)

    def release(self, action: str) -> None:
        """A key goes up.

        Raises:
            PcgError: for something that is no action.
        """
        _check(action)
        if action in self._held:
            self._held.remove(action)
            self._waited = 0
            self._record(action, False)

    def release_all(self) -> None:
        """All keys go up, as when the page loses the keyboard; what was pressed and not yet played is forgotten."""
        for action in list(self._held):
            self.release(action)
        self._queue.clear()

    def _record(self, action: str, down: bool) -> None:
        if len(self._presses) < MOST_PRESSES:
            self._presses.append(Press(len(self.actions), action, down))

    # -- time ----------------------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """True when the game has ended."""
        return self.state.is_over

    @property
    def wants_ticks(self) -> bool:
        """True when time goes on: always until the end in a running game, with a key down where turns are taken."""
        return not self.is_over and (not self.pace.by_turn or bool(self._queue or self._held))

    def _choose(self) -> str:
        """The action of the next tick."""
        if self._queue:
            self._waited = 0
            return self._queue.popleft()
        if not self._held:
            return WAIT
        self._waited += 1
        return self._held[-1] if self._waited > self._hold() else WAIT

    def _hold(self) -> int:
        """Ticks for which a held key waits before it repeats."""
        avatar = self.state.avatar
        by_cells = avatar is not None and int(self.game.tables.types[avatar.type]["grid_number"]) == 1
        whole_steps = self.pace.by_turn or avatar is None or (by_cells and avatar.speed >= 1)
        return round(HOLD_S * self.pace.ticks_per_second) if whole_steps else 0

    def tick(self) -> dict[str, Any]:
        """Play a tick and say what it changed; nothing happens (and {} is returned) when no time passes."""
        if not self.wants_ticks:
            return {}
        action = self._choose()
        if self.pace.by_turn and action == WAIT:
            return {}
        self.state.advance(action)
        self.actions.append(action)
        frame = self._writer.changes(self.state)
        if self.is_over:
            self.release_all()
        return frame

    def whole_frame(self) -> dict[str, Any]:
        """Return a frame with everything there is to see, for a browser that knows nothing yet."""
        return self._writer.whole(self.state)

    def restart(self) -> dict[str, Any]:
        """Begin the level anew and return the whole frame; what was played is kept in `attempts`."""
        if self.actions:
            self.attempts.append(self.recording())
        self._begin()
        return self.whole_frame()

    @property
    def presses(self) -> Sequence[Press]:
        """The keys since the last start."""
        return self._presses

    def catch_up(self, actions: Sequence[str], presses: Sequence[Press] = ()) -> None:
        """Bring a play that has not begun to where a recorded one stood.

        Args:
            actions: of the recorded play, one name per tick.
            presses: its keys.

        Raises:
            PcgError: when this play has begun.
        """
        if self.actions:
            raise PcgError("this play has begun already")
        for action in actions:
            self.state.advance(action)
        self.actions = list(actions)
        self._presses = list(presses)
        self._writer = FrameWriter(self.game)
        self._writer.whole(self.state)

    def recording(self) -> Recording:
        """The play since the last start, as far as it went."""
        result = Result.of(self.state)
        return Recording(
            self.game.name, self.game.digest, self.level, self.seed, tuple(self.actions), result, tuple(self._presses)
        )


def _check(action: str) -> None:
    if action not in ACTIONS:
        near = nearest(action, ACTIONS) if isinstance(action, str) else ""
        hint = f", did you mean `{near}`?" if near else ""
        raise PcgError(f"no action {str(action)[:40]!r}{hint} (expected {', '.join(ACTIONS)})")
