"""The player as an HTTP server: one address, to which game managers post their messages."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from types import TracebackType

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.ggp.messages import LARGEST_MESSAGE
from pcg.ggp.player import GamePlayer
from pcg.web.serving import address, listen

PORT = 9147
"""The port that players of the protocol listen on by custom."""
MEDIA_TYPE = "text/acl"
SLOWEST_BODY = 30.0
"""Seconds after which a body that has not come is not waited for any more."""


def make_app(player: GamePlayer) -> Starlette:
    """The application: every POST is a message, answered with 200 and the reply, or with 4xx and what is wrong."""

    async def message(request: Request) -> Response:
        received = time.monotonic()
        if request.headers.get("origin") is not None:
            return _refuse(403, "this is for game managers, not for pages in a browser")
        try:
            body = await asyncio.wait_for(_body(request), SLOWEST_BODY)
        except TimeoutError:
            return _refuse(408, "the message did not come in time")
        except ClientDisconnect:
            return _refuse(400, "the message broke off")
        if body is None:
            return _refuse(413, f"the message is too large, expected at most {LARGEST_MESSAGE} bytes")
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            text = body.decode("latin-1")
        try:
            reply = await run_in_threadpool(player.answer, text, received)
        except PcgError as error:
            return _refuse(400, str(error).splitlines()[0])
        return PlainTextResponse(reply, media_type=MEDIA_TYPE)

    async def about(request: Request) -> Response:
        return PlainTextResponse(f"{player!r}\nGame managers post their messages to this address.\n")

    routes = [Route("/{path:path}", message, methods=["POST"]), Route("/{path:path}", about, methods=["GET"])]
    return Starlette(routes=routes)


def _refuse(status: int, message: str) -> Response:
    return PlainTextResponse(f"error: {message}\n", status)


async def _body(request: Request) -> bytes | None:
    """The body of a request, None when it is too large, whatever its header says."""
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > LARGEST_MESSAGE:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST_MESSAGE:
            return None
        parts.append(part)
    return b"".join(parts)


class LocalServer:
    """A player that answers on this machine for as long as the `with` block lasts.

    Args:
        player: what answers.
        port: where to listen; any free port without it.

    Attributes:
        url: its address, once the block has been entered.

    >>> from pcg.ggp.manager import info
    >>> with LocalServer(GamePlayer("random", name="tester")) as server:
    ...     info(server.url)
    '((name tester) (status available))'
    """

    def __init__(self, player: GamePlayer, *, port: int = 0) -> None:
        self.player = player
        self._port = port
        self.url = ""

    def __enter__(self) -> LocalServer:
        self._socket: socket.socket = listen("127.0.0.1", self._port)
        config = uvicorn.Config(make_app(self.player), log_level="error", access_log=False, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)
        self.url = address(self._socket)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()
