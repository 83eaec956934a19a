"""Plays over a websocket: the clock, the connections, and the return to a play after a lost connection.

A play lives on the server under an unguessable token. A browser that loses its connection comes back with the token
and finds the play paused where it was. The messages are described in docs/web.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.web.guard import Refused
from pcg.web.player.pace import Pace, analysis_of
from pcg.web.player.session import PlaySession
from pcg.web.player.sprite_sheet import SpriteSheet

PROTOCOL = 1
"""Version of the messages."""

STATIC = Path(__file__).parent / "static"
"""`player.js`, `board.js` and `player.css`, to be served under one address."""

LARGEST_MESSAGE = 1000
"""Characters of a message from a browser."""
MESSAGES_PER_SECOND = 120
_BEYOND = 1_000_000
MOST_PLAYS = 64
"""Plays that one application keeps unless told otherwise."""
LATE_S = 0.25
"""A play that fell behind by more than this does not hurry to catch up."""

TOGETHER_S = 0.005
"""Plays begin to tick at multiples of this, so that the loop wakes up for many of them at once."""

TAKEN_OVER, TOO_MANY = 4001, 4008
"""Codes of closed connections: the play was opened elsewhere; more messages than a person can send."""

_encode = json.JSONEncoder(separators=(",", ":")).encode

Ended = Callable[[PlaySession], None]


class Seat:
    """A play and the connection it has at the moment, if any. What a player may do is decided here."""

    def __init__(self, token: str, session: PlaySession, ended: Ended | None = None) -> None:
        self.token = token
        self.session = session
        self.ended = ended
        self.seen = time.monotonic()
        self.socket: WebSocket | None = None
        self.paused = True
        self.wake = asyncio.Event()
        self.turn = asyncio.Lock()

    async def send(self, kind: str, **content: Any) -> None:
        """Send a message to the browser that plays; to none if it has gone."""
        if self.socket is not None:
            await self.socket.send({"type": "websocket.send", "text": _encode({"type": kind, **content})})

    def pause(self) -> None:
        """Stop the clock."""
        self.paused = True
        self.session.release_all()

    def resume(self) -> None:
        """Let the clock run."""
        self.paused = False
        self.wake.set()

    async def restart(self) -> None:
        """Begin the level anew."""
        self.pause()
        await self.send("frame", **self.session.restart())
        await self.send("paused", paused=True)

    async def set_pace(self, pace: Pace) -> None:
        """Play at another speed."""
        self.session.pace = pace
        await self.send("pace", **_pace_json(pace))

    def greeting(self) -> dict[str, Any]:
        """Return what the welcome says beside what it always does."""
        return {}

    async def finish(self) -> None:
        """The game is over: tell how it ended, after its record was checked by playing it again."""
        recording = self.session.recording()
        await asyncio.to_thread(recording.replay, self.session.game)
        if self.ended is not None:
            self.ended(self.session)
        await self.tell_end()

    async def tell_end(self) -> None:
        """Say how the game ended."""
        result = self.session.recording().result.to_json()
        await self.send("end", **{name: result[name] for name in ("winner", "score", "ticks")})

    async def stuck(self, error: PcgError) -> None:
        """The engine cannot go on with this play."""
        self.pause()
        await self.send("error", message=str(error))
        await self.send("paused", paused=True)

    async def leave(self) -> None:
        """The connection has ended; the play stays."""


class PlayServer:
    """All plays of one application.

    Args:
        most: plays kept at once; the one unattended for longest makes room for a new one.
        idle_s: plays without a connection are forgotten after so many seconds.

    `create` opens a play and returns its token; `routes` are to be put into a starlette application.
    """

    def __init__(self, *, most: int = MOST_PLAYS, idle_s: float = 3600.0) -> None:
        self.most = most
        self.idle_s = idle_s
        self._seats: dict[str, Seat] = {}
        self._sheets: dict[str, SpriteSheet] = {}

    def __repr__(self) -> str:
        return f"<PlayServer with {len(self._seats)} plays>"

    def create(self, session: PlaySession, *, ended: Ended | None = None) -> str:
        """Open a play and return its token. `ended` is called whenever a game is over.

        Raises:
            Refused: when so many are being played that there is no room.
        """
        self._make_room()
        token = secrets.token_urlsafe(16)
        self._seats[token] = Seat(token, session, ended)
        self._sheets[session.sheet.name] = session.sheet
        return token

    def session(self, token: str) -> PlaySession:
        """The play of a token.

        Raises:
            Refused: when there is none.
        """
        return self._seat(token).session

    def _seat(self, token: str) -> Seat:
        seat = self._seats.get(token)
        if seat is None:
            raise Refused("there is no such play; it may have been forgotten after a long pause", 404)
        return seat

    def _make_room(self) -> None:
        now = time.monotonic()
        idle = sorted((s for s in self._seats.values() if s.socket is None), key=lambda s: s.seen)
        surplus = len(self._seats) - self.most + 1
        for place, seat in enumerate(idle):
            if place < surplus or now - seat.seen > self.idle_s:
                del self._seats[seat.token]
        if len(self._seats) >= self.most:
            raise Refused(f"{self.most} levels are being played already; close one first", 503)

    # -- addresses -----------------------------------------------------------------------------------------------------

    def routes(self) -> list[BaseRoute]:
        """`/play/TOKEN/socket`, `/play/TOKEN/recording` and `/sheets/NAME.png`."""
        return [
            WebSocketRoute("/play/{token}/socket", self._play),
            Route("/play/{token}/recording", self._recording),
            Route("/sheets/{name}.png", self._sheet),
        ]

    async def _recording(self, request: Request) -> Response:
        session = self.session(request.path_params["token"])
        plays = [recording.to_json() for recording in (*session.attempts, session.recording())]
        return JSONResponse({"plays": plays}, headers={"content-disposition": 'attachment; filename="play.json"'})

    async def _sheet(self, request: Request) -> Response:
        sheet = self._sheets.get(request.path_params["name"])
        if sheet is None:
            raise Refused("there is no such sheet", 404)
        return Response(sheet.png, media_type="image/png", headers={"cache-control": "private, max-age=31536000"})

    def add_sheet(self, sheet: SpriteSheet) -> str:
        """Serve a sheet that no play has brought along; its path below the application."""
        self._sheets[sheet.name] = sheet
        return f"/sheets/{sheet.name}.png"

    # -- a connection --------------------------------------------------------------------------------------------------

    async def _play(self, socket: WebSocket) -> None:
        try:
            seat = self._seat(socket.path_params["token"])
        except Refused as error:
            await refuse(socket, str(error))
            return
        await self.attend(seat, socket)

    async def attend(self, seat: Seat, socket: WebSocket) -> None:
        """Play at a seat over this connection until it ends; a connection that the seat had before is closed."""
        await socket.accept()
        before, seat.socket = seat.socket, socket
        if before is not None:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await before.close(TAKEN_OVER, "the play was opened elsewhere")
        seat.pause()
        clock = asyncio.create_task(self._clock(seat, socket))
        try:
            async with seat.turn:
                await seat.send("welcome", **self._welcome(seat, socket.scope.get("root_path", "")))
            await self._listen(seat, socket)
        except (WebSocketDisconnect, RuntimeError):
            pass  # starlette raises RuntimeError for sending to a socket that is closed
        finally:
            clock.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await clock
            if seat.socket is socket:
                seat.socket = None
                seat.seen = time.monotonic()
                seat.pause()
                await seat.leave()

    def _welcome(self, seat: Seat, root: str) -> dict[str, Any]:
        session = seat.session
        state = session.state
        return {
            "protocol": PROTOCOL,
            "game": session.game.name,
            "goal": list(analysis_of(session.game).how_to_win),
            "width": state.width,
            "height": state.height,
            "block": state.block_size,
            "sheet": {"url": f"{root}/sheets/{session.sheet.name}.png", **session.sheet.describe()},
            "pace": _pace_json(session.pace),
            "frame": session.whole_frame(),
            **seat.greeting(),
        }

    async def _listen(self, seat: Seat, socket: WebSocket) -> None:
        """Act on messages until the connection ends."""
        allowance, last = float(MESSAGES_PER_SECOND), time.monotonic()
        while True:
            received = await socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            now = time.monotonic()
            allowance = min(MESSAGES_PER_SECOND, allowance + (now - last) * MESSAGES_PER_SECOND) - 1
            last = now
            if allowance < 0:
                await socket.close(TOO_MANY, "too many messages")
                return
            try:
                await self._act(seat, _message(received.get("text")))
            except PcgError as error:
                await seat.send("error", message=str(error))

    async def _act(self, seat: Seat, message: dict[str, Any]) -> None:
        action = _ACTS.get(message.get("type", "") if isinstance(message.get("type"), str) else "")
        if action is None:
            raise PcgError(f"unknown message type {str(message.get('type'))[:40]!r} (expected {', '.join(_ACTS)})")
        async with seat.turn:
            await action(seat, message)
        seat.wake.set()

    async def _clock(self, seat: Seat, socket: WebSocket) -> None:
        """Play ticks when they are due, as long as this connection is the play's."""
        loop = asyncio.get_running_loop()
        session = seat.session
        due = loop.time()
        while seat.socket is socket:
            if seat.paused or not session.wants_ticks:
                seat.wake.clear()
                await seat.wake.wait()
                due = max(due, _together(loop.time()))
                continue
            delay = due - loop.time()
            if delay > 0:
                await asyncio.sleep(delay)
            async with seat.turn:
                if seat.paused or seat.socket is not socket:
                    continue
                try:
                    frame = session.tick()
                except PcgError as error:  # a play that outgrew the engine's memory
                    await seat.stuck(error)
                    continue
                due = max(due + 1 / session.pace.ticks_per_second, loop.time() - LATE_S)
                if frame:
                    await seat.send("frame", **frame)
                if frame and session.is_over:
                    await seat.finish()


async def refuse(socket: WebSocket, message: str) -> None:
    """Answer a connection for which there is no play."""
    await socket.accept()
    await socket.send_text(json.dumps({"type": "gone", "message": message}))
    await socket.close(1000)


def _together(now: float) -> float:
    """The next moment at which plays may begin to tick."""
    return math.ceil(now / TOGETHER_S) * TOGETHER_S


def _message(text: str | None) -> dict[str, Any]:
    if text is None:
        raise PcgError("a binary message, expected a text")
    if len(text) > LARGEST_MESSAGE:
        raise PcgError(f"a message of {len(text)} characters, expected at most {LARGEST_MESSAGE}")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise PcgError("a message that is no JSON text") from None
    if not isinstance(message, dict):
        raise PcgError("a message that is no JSON object")
    return message


def _pace_json(pace: Pace) -> dict[str, Any]:
    return {"ticks_per_second": pace.ticks_per_second, "by_turn": pace.by_turn}


# -- what a browser may say --------------------------------------------------------------------------------------------


async def _down(seat: Seat, message: dict[str, Any]) -> None:
    if not seat.paused:
        seat.session.press(message.get("action", ""))


async def _up(seat: Seat, message: dict[str, Any]) -> None:
    seat.session.release(message.get("action", ""))


async def _release(seat: Seat, message: dict[str, Any]) -> None:
    seat.session.release_all()


async def _pause(seat: Seat, message: dict[str, Any]) -> None:
    seat.pause()
    await seat.send("paused", paused=True)


async def _resume(seat: Seat, message: dict[str, Any]) -> None:
    seat.resume()
    await seat.send("paused", paused=False)


async def _restart(seat: Seat, message: dict[str, Any]) -> None:
    await seat.restart()


async def _pace(seat: Seat, message: dict[str, Any]) -> None:
    speed, by_turn = message.get("ticks_per_second"), message.get("by_turn", False)
    if not isinstance(speed, int | float) or isinstance(speed, bool) or not isinstance(by_turn, bool):
        raise PcgError("a pace needs `ticks_per_second`, a number, and `by_turn`, true or false")
    clipped = max(-_BEYOND, min(speed, _BEYOND))  # whole numbers may be too large for a float
    await seat.set_pace(Pace(float(clipped), by_turn))


_ACTS: dict[str, Callable[[Seat, dict[str, Any]], Awaitable[None]]] = {
    "down": _down,
    "up": _up,
    "release": _release,
    "pause": _pause,
    "resume": _resume,
    "restart": _restart,
    "pace": _pace,
}
