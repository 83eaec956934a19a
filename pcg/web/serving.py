"""Serving an application on this machine until Ctrl-C: finding a port, opening the browser, ending cleanly."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import WS_PROTOCOLS

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.web.guard import LOCAL_HOSTS
from pcg.web.player.server import LARGEST_MESSAGE

HOST = "127.0.0.1"
PORT = 8350


def listen(host: str = HOST, port: int | None = None) -> socket.socket:
    """A socket that listens: at `port`, or at the usual one and at any free one when that is taken.

    Raises:
        PcgError: when the address cannot be used.
    """
    if port is not None and not 0 <= port < 65536:
        raise PcgError(f"port {port}: expected 0 to 65535 (0: any free one)")
    try:
        family = socket.getaddrinfo(host, None)[0][0]
    except OSError as error:
        raise PcgError(f"cannot listen on {host}: {error.strerror or error}") from None
    for choice in (PORT, 0) if port is None else (port,):
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, choice))
            bound.listen(128)
        except OSError as error:
            bound.close()
            if port is None and choice and error.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise PcgError(f"cannot listen on {host}, port {choice}: {error.strerror}") from None
        return bound
    raise PcgError(f"no free port on {host}")


def address(bound: socket.socket) -> str:
    """The address of a listening socket, as a browser takes it."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def hosts_of(host: str) -> tuple[str, ...]:
    """The names a server at `host` answers to: those of this machine, and its own; any for a server for everyone."""
    if host in ("0.0.0.0", "::"):
        return ("*",)
    return tuple(dict.fromkeys((*LOCAL_HOSTS, host.lower())))


def serve(
    app: ASGIApp,
    bound: socket.socket,
    *,
    open_browser: bool = False,
    start: str = "",
    ready: Callable[[str], None],
    proxies: str = "",
    protocols: tuple[type[asyncio.Protocol], type[asyncio.Protocol]] | None = None,
) -> None:
    """Serve until Ctrl-C (or SIGTERM); connections still open get two seconds.

    Args:
        app: the application.
        bound: a listening socket, closed at the end.
        open_browser: show the page in the user's browser once it can be seen.
        start: address of the first page below the server's, as in "look".
        ready: called with the address as soon as the server answers.
        proxies: addresses and networks whose X-Forwarded-* headers are believed, separated by commas; empty: none.
        protocols: of http and of websockets, in the place of uvicorn's own.
    """
    usual = "websockets-sansio" if "websockets-sansio" in WS_PROTOCOLS else "auto"
    config = uvicorn.Config(
        app,
        http="auto" if protocols is None else protocols[0],
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws=usual if protocols is None else protocols[1],
        ws_max_size=4 * LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
    )
    server = _Announcing(config, lambda: _announce(address(bound) + start, open_browser, ready))
    # What is there by now stays; looking through it for garbage would stop all plays for a tenth of a second.
    gc.freeze()
    try:
        server.run(sockets=[bound])
    except KeyboardInterrupt:
        pass  # uvicorn has closed everything and passes the signal on
    finally:
        gc.unfreeze()
        bound.close()


class _Announcing(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()


def _announce(url: str, open_browser: bool, ready: Callable[[str], None]) -> None:
    ready(url)
    if open_browser:
        # Some browsers' starters wait until the browser is closed.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
