"""The plays of a study: over websockets like any play, with a clock of their own, and kept in the database.

About once a second the progress of all plays that moved is written in one transaction, and at once when a game ends,
when a connection ends, and before a participant is told that a side was played for long enough. A play that is not in
memory, because the server was killed or another process had it, is brought back by playing its stored actions again.

Each process writes under a *lease*, a name of its own. Taking a play over changes the lease, so that whatever the
process before still wants to write about it is refused by the database; that process then lets go of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.routing import BaseRoute, Route
from starlette.websockets import WebSocket, WebSocketDisconnect

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import decode_play, encode_play
from pcg.study.rows import SIDES, Pair, Play, Progress, Standing
from pcg.study.server.levels import Playable
from pcg.study.server.stages import is_enough, is_spent, restarts_left
from pcg.study.server.threads import Threads
from pcg.study.store import StudyStore
from pcg.web.player.pace import Pace
from pcg.web.player.recording import Press
from pcg.web.player.server import TAKEN_OVER, PlayServer, Seat, refuse
from pcg.web.player.session import PlaySession

SAVE_S = 1.0
"""Seconds between two savings of all plays."""
IDLE_S = 300.0
"""Plays without a connection leave the memory after so many seconds; they are in the database."""
SLEEP_S = 120.0
"""Plays whose player has pressed nothing for so many seconds are put to sleep: their connection ends, and the player's
next key opens another one where they were."""
YIELD_S = 10.0
"""Seconds after which a paused play may be put to sleep to make room for another one."""
INPUTS = ("keys", "touch", "pointer")
"""Kinds of input that a browser tells of an action."""
ASLEEP, TRY_AGAIN = 4002, 1013
"""Codes of closed connections: the play sleeps until its player is back; there is no room at the moment."""

log = logging.getLogger("pcg.study")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair, for one participant: what is played, and by which rules."""

    pair: Pair
    side: int
    seed: int
    playable: Playable
    words: Mapping[str, str]

    @property
    def key(self) -> tuple[int, int]:
        """Key of the side among all that are played."""
        return self.pair.id, self.side


class StudySeat(Seat):
    """A side of a pair and the connection it has. Made by `StudyPlays`."""

    session: PlaySession

    def __init__(self, side: Side, play: Play, before: Standing, session: PlaySession, plays: StudyPlays) -> None:
        super().__init__("", session)
        self.acted = time.monotonic()
        """Moment at which the player last did something."""
        self.side = side
        self.plays = plays
        self.before = before
        """Of the attempts before this one."""
        self._take(play)

    def _take(self, play: Play) -> None:
        """Let the seat be about this play, as it was saved."""
        self.play = play
        self.checked = play.over
        self.lost = False
        self._ran, self._since = play.seconds, 0.0
        self._letters, self._presses = play.actions, play.presses[1:-1]
        self._written, self._pressed = len(self.session.actions), len(self.session.presses)
        self._saved: tuple[int, int, float, bool] | None = None
        self._finishing: asyncio.Task[None] | None = None
        self._told = (False, False)
        self.inputs = set(play.input.split())
        """Of keys, touch and pointer what was used."""

    # -- time ----------------------------------------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """Seconds that the clock of this attempt ran."""
        return self._ran + (time.monotonic() - self._since if self._since else 0.0)

    @property
    def standing(self) -> Standing:
        """Progress of the participant with this side."""
        old = self.before
        return Standing(old.attempts + 1, old.seconds + self.seconds, old.finished + self.checked, self.checked)

    @property
    def is_spent(self) -> bool:
        """True when the time for this side is up."""
        return is_spent(self.standing, self.plays.config)

    def pause(self) -> None:
        """Stop the clock."""
        if self._since:
            self._ran, self._since = self.seconds, 0.0
        super().pause()

    def resume(self) -> None:
        """Let the clock run, unless the game is over.

        Raises:
            PcgError: when the time for it is up.
        """
        if self.is_spent:
            raise PcgError(self.side.words["time_is_up"])
        if not self.session.is_over:
            self._since = self._since or time.monotonic()
            super().resume()

    # -- what the database gets ----------------------------------------------------------------------------------------

    def progress(self) -> Progress | None:
        """Return what is to be saved; None when that is in the database already."""
        session = self.session
        actions, presses = session.actions, session.presses
        ran, running = self.seconds, bool(self._since)
        now = (len(actions), len(presses), ran, self.checked)
        if now == self._saved:
            return None
        self._saved = now
        # Only what is new is turned into text; a long play would cost more each second otherwise.
        if len(actions) > self._written:
            self._letters += encode_play(actions[self._written :])
            self._written = len(actions)
        if len(presses) > self._pressed:
            fresh = ",".join(_press_text(press) for press in presses[self._pressed :])
            self._presses = f"{self._presses},{fresh}" if self._presses else fresh
            self._pressed = len(presses)
        state = session.state
        key = "" if running else f"{state.key():016x}"
        return Progress(
            self.play.id, self._letters, f"[{self._presses}]", len(actions), float(state.score), int(state.winner),
            self.checked, key, ran, " ".join(sorted(self.inputs)),
        )  # fmt: skip

    def unsaved(self) -> None:
        """Note that the last `progress` has not reached the database."""
        self._saved = None

    # -- what the player gets ------------------------------------------------------------------------------------------

    def report(self) -> dict[str, Any]:
        """Return the report of progress: told with the welcome and whenever it changes."""
        config, standing = self.plays.config, self.standing
        return {
            "seconds": round(standing.seconds, 1),
            "minimum": config.minimum,
            "enough": is_enough(standing, config),
            "restarts": 0 if self.is_spent else restarts_left(standing, config),
            "spent": self.is_spent,
        }

    def greeting(self) -> dict[str, Any]:
        """Tell how far it is with the welcome."""
        return {"study": self._reported()}

    async def tell(self) -> None:
        """Tell how far it is, which must be in the database by then."""
        await self.send("study", **self._reported())

    def _reported(self) -> dict[str, Any]:
        report = self.report()
        self._told = bool(report["enough"]), bool(report["spent"])
        return report

    def has_news(self) -> bool:
        """Return True if the player is to be told that it was enough, or that the time is up, which stops the clock."""
        standing, config = self.standing, self.plays.config
        now = is_enough(standing, config), is_spent(standing, config)
        if now[1] and not self.paused:
            self.pause()
        return now != self._told

    async def set_pace(self, pace: Pace) -> None:
        """Refuse: all participants play at the same speed."""
        raise PcgError("the speed is the same for everybody in a study")

    async def restart(self) -> None:
        """Begin another attempt, if there is one left.

        Raises:
            PcgError: when there is none.
        """
        if not self.session.actions:
            return
        if not self.report()["restarts"]:
            raise PcgError("the level cannot be started anew any more")
        self.pause()
        if self._finishing is not None:
            await self._finishing
        await self.plays.save(self)
        if self.lost:
            return
        standing = self.standing
        play = await self.plays.begin(self.side, self.play.attempt + 1)
        self.before = standing
        frame = self.session.restart()
        self.session.attempts.clear()
        if play.actions:  # another process has begun it already
            self.session.catch_up(decode_play(play.actions), _presses_of(play.presses))
            frame = self.session.whole_frame()
        self._take(play)
        await self.send("frame", **frame)
        await self.send("paused", paused=True)
        await self.tell()

    async def finish(self) -> None:
        """The game is over: play it again, keep it if that leads to the same, and tell how it ended."""
        self.pause()
        if self._finishing is None:
            self._finishing = asyncio.create_task(self._finish())
        await asyncio.shield(self._finishing)

    async def _finish(self) -> None:
        try:
            await self.plays.threads.play(self.session.recording().replay, self.session.game)
        except PcgError:
            # Without its check the play does not count as over; the participant can go on after the usual time.
            log.exception("a play is not what its record says")
        else:
            self.checked = True
        await self.plays.save(self)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.tell_end()
            await self.tell()

    async def stuck(self, error: PcgError) -> None:
        """The engine cannot go on with this play: it was played for as long as it can be."""
        await super().stuck(error)
        self._ran = max(self._ran, self.plays.config.minimum - self.before.seconds)
        log.warning("a play of item %s cannot go on: %s", self.side.playable.item.name, error)

    async def leave(self) -> None:
        """The connection has ended: save what there is."""
        if self.session.is_over and not self.checked:
            await self.finish()
        await self.plays.save(self)


class NoRoom(PcgError):
    """As many play as the server has room for."""


class StudyPlays(PlayServer):
    """All plays of one server process.

    Args:
        store: of the study.
        threads: for the database.
        most: plays at once.
    """

    def __init__(self, store: StudyStore, threads: Threads, *, most: int) -> None:
        super().__init__(most=most)
        self.store, self.threads, self.config = store, threads, store.config
        self.lease = secrets.token_hex(16)
        self._tables: dict[tuple[int, int], StudySeat] = {}
        self._opening: dict[tuple[int, int], asyncio.Lock] = {}
        self._waiting: dict[StudySeat, list[asyncio.Future[None]]] = {}
        self._wake = asyncio.Event()
        self._saving = asyncio.Lock()
        self.saves: list[float] = []
        """Seconds that the last transactions took."""

    def __repr__(self) -> str:
        return f"<StudyPlays with {len(self._tables)} plays>"

    @property
    def playing(self) -> int:
        """Plays that have a connection."""
        return sum(seat.socket is not None for seat in self._tables.values())

    def routes(self) -> list[BaseRoute]:
        """`/sheets/NAME.png`; the rest depends on who asks."""
        return [Route("/sheets/{name}.png", self._sheet)]

    # -- connections ---------------------------------------------------------------------------------------------------

    async def join(self, side: Side, socket: WebSocket) -> None:
        """Play a side over a connection until it ends."""
        try:
            seat = await self.seat(side)
        except NoRoom as error:  # the player in the browser tries again, more and more patiently
            await socket.accept()
            await socket.close(TRY_AGAIN, str(error))
            return
        except PcgError as error:
            await refuse(socket, str(error))
            return
        await self.attend(seat, socket)

    async def seat(self, side: Side) -> StudySeat:
        """The seat of a side: in memory, or brought back from the database, or new.

        Raises:
            NoRoom: when as many play as can.
            PcgError: when the participant's data have been deleted.
        """
        lock = self._opening.setdefault(side.key, asyncio.Lock())
        async with lock:
            seat = self._tables.get(side.key)
            if seat is not None and not await self.threads.read(self.store.holds, seat.play.id, self.lease):
                await self._let_go(seat)  # another process has had it since
            if seat is None or seat.lost or seat.socket is None:
                await self._make_place()
            if seat is None or seat.lost:
                seat = await self._open(side)
                self._tables[side.key] = seat
                self._sheets[seat.session.sheet.name] = seat.session.sheet
            seat.acted = time.monotonic()
            return seat

    async def _make_place(self) -> None:
        """Put the play to sleep that was left alone for longest, if there is no room for another one.

        Raises:
            NoRoom: when all are being played.
        """
        if self.playing < self.most:
            return
        before = time.monotonic() - YIELD_S
        left = [s for s in self._tables.values() if s.socket is not None and s.paused and s.acted < before]
        if not left:
            raise NoRoom("too many people are playing at this moment; please try again in a minute")
        await self._put_to_sleep(min(left, key=lambda seat: seat.acted))

    async def _put_to_sleep(self, seat: StudySeat) -> None:
        """End the connection of a play that nobody attends to; it stays as it is until its player is back."""
        seat.pause()
        seat.seen = time.monotonic()
        socket, seat.socket = seat.socket, None
        if socket is not None:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await socket.close(ASLEEP, "asleep until a key is pressed")

    async def _act(self, seat: Seat, message: dict[str, Any]) -> None:
        if isinstance(seat, StudySeat) and message.get("type") in ("down", "resume", "restart"):
            seat.acted = time.monotonic()
            if message["type"] == "down" and message.get("by") in INPUTS:
                seat.inputs.add(str(message["by"]))
        await super()._act(seat, message)

    async def _open(self, side: Side) -> StudySeat:
        known = await self.threads.read(self.store.plays_of, side.pair.id)
        mine = [play for play in known if play.side == side.side]
        old = mine[:-1]
        before = Standing(
            len(old), sum(p.seconds for p in old), sum(p.over for p in old), old[-1].over if old else False
        )
        play = await self.begin(side, mine[-1].attempt if mine else 0)
        session = await self.threads.play(_restore, side, play)
        seat = StudySeat(side, play, before, session, self)
        if session.is_over and not play.over:  # killed between the last tick and its check
            await seat.finish()
        return seat

    async def begin(self, side: Side, attempt: int) -> Play:
        """The play of an attempt, ours from now on."""
        return await self.threads.write(self.store.begin_play, side.pair.id, side.side, attempt, side.seed, self.lease)

    async def leave_to_page(self, key: tuple[int, int]) -> None:
        """Save a play that runs here and let go of it: the participant's page goes on with it."""
        seat = self._tables.pop(key, None)
        if seat is not None:
            seat.pause()
            await self.save(seat)
            await self._let_go(seat)

    async def close_pair(self, pair: int) -> None:
        """A pair was voted on, or deleted: nobody plays it any more."""
        for side in range(len(SIDES)):
            seat = self._tables.pop((pair, side), None)
            self._opening.pop((pair, side), None)
            if seat is not None:
                await self._let_go(seat)

    async def _let_go(self, seat: StudySeat) -> None:
        """Close a seat's connection; whoever plays there is told to look where they are."""
        seat.pause()
        seat.lost = True
        socket, seat.socket = seat.socket, None
        if socket is not None:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await socket.close(TAKEN_OVER, "the play was opened elsewhere")

    # -- saving --------------------------------------------------------------------------------------------------------

    async def save(self, seat: StudySeat) -> None:
        """Wait until everything that has happened at a seat is in the database."""
        if seat.lost:
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(seat, []).append(done)
        self._wake.set()
        await done

    async def keep_saving(self) -> None:
        """Save what moved, again and again; runs as long as the application does."""
        loop = asyncio.get_running_loop()
        due = loop.time() + SAVE_S
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), max(0.0, due - loop.time()))
            self._wake.clear()
            everything = loop.time() >= due
            if everything:
                due = loop.time() + SAVE_S
            try:
                await self._save(everything)
            except asyncio.CancelledError:
                raise
            except Exception:  # a database that is away for a while must not end all plays
                log.exception("plays could not be saved; trying again")
                await asyncio.sleep(SAVE_S)
                self._wake.set()
            if everything:
                await self._tidy()

    async def save_all(self) -> None:
        """Save everything once more, before the application ends."""
        for seat in self._tables.values():
            seat.pause()
        await self._save(everything=True)

    async def _save(self, everything: bool) -> None:
        async with self._saving:  # what a save under way writes is not news any more, and not written yet either
            await self._save_news(everything)

    async def _save_news(self, everything: bool) -> None:
        waiting = {seat: len(futures) for seat, futures in self._waiting.items()}
        seats = dict.fromkeys([*(self._tables.values() if everything else ()), *waiting])
        news = [seat for seat in seats if seat.socket is not None and seat.has_news()]
        todo = [(seat, progress) for seat in seats if not seat.lost and (progress := seat.progress()) is not None]
        if todo:
            began = time.perf_counter()
            try:
                lost = await self.threads.save(self.store.save_plays, [one for _, one in todo], self.lease)
            except BaseException:
                for seat, _ in todo:
                    seat.unsaved()
                raise
            self.saves = [*self.saves[-99:], time.perf_counter() - began]
            gone = set(lost)
            for seat, progress in todo:
                if progress.play in gone and seat.play.id == progress.play:
                    key = seat.side.key
                    if self._tables.get(key) is seat:
                        del self._tables[key]
                    await self._let_go(seat)
        for seat, count in waiting.items():
            futures = self._waiting.pop(seat, [])
            if futures[count:]:  # came while this was being written
                self._waiting[seat] = futures[count:]
                self._wake.set()
            for future in futures[:count]:
                if not future.done():
                    future.set_result(None)
        for seat in news:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                if seat.paused:
                    await seat.send("paused", paused=True)
                await seat.tell()

    async def _tidy(self) -> None:
        """Put plays that nobody attends to to sleep, and let those that sleep leave the memory."""
        now = time.monotonic()
        for key, seat in list(self._tables.items()):
            if seat.socket is not None and now - seat.acted > SLEEP_S:
                await self._put_to_sleep(seat)
            elif seat.socket is None and now - seat.seen > IDLE_S and seat not in self._waiting:
                del self._tables[key]
                self._opening.pop(key, None)


def _restore(side: Side, play: Play) -> PlaySession:
    """A play as it was saved."""
    session = side.playable.session(play.seed)
    if play.actions or play.presses != "[]":
        session.catch_up(decode_play(play.actions), _presses_of(play.presses))
    return session


def _press_text(press: Press) -> str:
    return f'[{press.ticks},"{encode_play([press.action])}",{int(press.down)}]'


def _presses_of(text: str) -> list[Press]:
    return [Press(int(ticks), decode_play(letter)[0], bool(down)) for ticks, letter, down in json.loads(text)]
