"""Exact replay of stored plays: the engine is deterministic, so game, level, seed and actions are the play.

What the database says of a play (ticks, score, who won, the hash of the last state) must be what comes out. That a play
is true to its actions is the server's word as well as the database's: nobody can have written a better score into it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pcg.engine.game import Game
from pcg.engine.state import State
from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.evaluation import decode_play
from pcg.study.checks import game_of
from pcg.study.rows import SIDES, Pair, Play, StudyItem
from pcg.study.store import StudyStore
from pcg.web.player import Press, Recording
from pcg.web.player.recording import Result


@dataclass(frozen=True)
class Stored:
    """A play with what it belongs to."""

    play: Play
    pair: Pair
    item: StudyItem

    @property
    def title(self) -> str:
        """The play's name in messages, as in `participant 4, pair 2, first, attempt 0: ruins-3`."""
        side = SIDES[self.play.side]
        return (
            f"play {self.play.id} (participant {self.pair.participant[:8]}, pair {self.pair.position}, {side}, "
            f"attempt {self.play.attempt}): {self.item.name}"
        )


class Replayer:
    """Plays of one study again; games are compiled once."""

    def __init__(self, store: StudyStore) -> None:
        self.store = store
        self._games: dict[tuple[str, str], Game] = {}

    def game(self, item: StudyItem) -> Game:
        """The game of an item."""
        key = (item.rules, item.reading)
        if key not in self._games:
            self._games[key] = game_of(item)
        return self._games[key]

    def plays(
        self, *, participant: str | None = None, pair: int | None = None, play: int | None = None
    ) -> list[Stored]:
        """Stored plays with at least one tick, in order.

        Args:
            participant: of this one only: the id or its beginning, or the number.
            pair: of the pair at this position of a participant, or in all.
            play: of this id only.

        Raises:
            PcgError: when there is no such participant or play.
        """
        pairs = {p.id: p for p in self.store.pairs()}
        found = [p for p in self.store.plays() if p.pair in pairs and p.actions]
        if play is not None:
            found = [p for p in found if p.id == play]
            if not found:
                raise PcgError(f"there is no play {play} with any ticks in this study")
        if participant is not None:
            who = self._who(participant)
            found = [p for p in found if pairs[p.pair].participant == who]
        if pair is not None:
            found = [p for p in found if pairs[p.pair].position == pair]
        return [Stored(p, pairs[p.pair], self.store.item[pairs[p.pair].item(p.side)]) for p in found]

    def _who(self, text: str) -> str:
        people = self.store.participants()
        if text.isdecimal() and len(text) < 8:
            for person in people:
                if person.number == int(text):
                    return person.id
            raise PcgError(f"there is no participant number {text}, only 0 to {len(people) - 1}")
        match = [p.id for p in people if p.id.startswith(text)]
        if len(match) == 1:
            return match[0]
        if match:
            raise PcgError(f"{len(match)} participants have ids that begin with {text!r}; give more of it")
        near = nearest(text, [p.id for p in people])
        raise PcgError(f"there is no participant {text!r}{f', did you mean `{near}`?' if near else ''}")

    def recording(self, stored: Stored) -> Recording:
        """A play in the form that replays itself.

        A play that was saved while its clock ran has no hash of its last state yet; it gets the one that comes out.
        """
        play, item = stored.play, stored.item
        game = self.game(item)
        actions = tuple(decode_play(play.actions))
        presses = tuple(Press(int(t), decode_play(a)[0], bool(down)) for t, a, down in json.loads(play.presses))
        result = Result(play.ticks, play.score, play.winner, play.over, int(play.key or "0", 16))
        if not play.key or not play.over:
            state = game.start(item.level, seed=play.seed)
            for action in actions:
                state.advance(action)
            found = Result.of(state)
            # A game that ended in the moment in which the server was killed is not known to be over.
            over = play.over or found.over
            result = Result(play.ticks, play.score, play.winner, over, result.key if play.key else found.key)
        return Recording(item.game, game.digest, item.level, play.seed, actions, result, presses)

    def replay(self, stored: Stored) -> State:
        """The state at the end of a play.

        Raises:
            PcgError: when what is stored is not what comes out.
        """
        try:
            return self.recording(stored).replay(self.game(stored.item))
        except (ValueError, TypeError, IndexError, KeyError) as error:
            raise PcgError(f"what is stored is no play: {type(error).__name__}: {error}") from None

    def verify(self, plays: Iterable[Stored]) -> Iterator[tuple[Stored, str]]:
        """Each play with what is wrong with it, nothing for a true one."""
        for stored in plays:
            try:
                self.replay(stored)
                problem = ""
            except PcgError as error:
                problem = str(error)
            yield stored, problem

    def gif(self, stored: Stored, path: Path | str) -> Path:
        """A play as an animated picture."""
        from pcg.render import render_gif

        play = stored.play
        return render_gif(self.game(stored.item), stored.item.level, self.actions(stored), path, seed=play.seed)

    def actions(self, stored: Stored) -> Sequence[str]:
        """The names of the actions, one per tick."""
        return decode_play(stored.play.actions)
