"""Limits on connections: how many there are, of one address and in all, and how long they may keep the server waiting.

uvicorn waits for the rest of a header or form as long as somebody likes, and takes connections until the descriptors of
the process are used up; then it can take none at all. Here a connection has seconds to send a whole header, and more
for a form. Where there are too many, the one that has waited longest without asking for anything makes room, so those
who do ask get in. Plays are not touched: they have their own limits (`plays`).
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEADER_S = 10.0
"""Seconds to send a whole header."""
FORM_S = 30.0
"""Seconds to send the rest of a form."""
PER_ADDRESS = 500
"""Connections of one address, which may be that of a whole class; at most half of all."""
MOST_DESCRIPTORS = 65_536
KEPT_DESCRIPTORS = 100
"""Of the process's descriptors those that are for files and databases."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def most_connections() -> int:
    """Return how many connections there is room for, after asking the system for as many descriptors as it gives."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    room = MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else min(soft, MOST_DESCRIPTORS)
    return max(8, room - KEPT_DESCRIPTORS)


class Connections:
    """The connections of one server process.

    Args:
        most: at once.
        per_address: of one address (IPv6: of one network of 64 bits), at most half of `most`; 0: no limit.
        header_s: seconds to send a whole header.
        form_s: seconds to send the rest of a form.
        proxies: addresses and networks whose connections are many people's, and only counted in all.
    """

    def __init__(
        self,
        most: int,
        per_address: int = PER_ADDRESS,
        *,
        header_s: float = HEADER_S,
        form_s: float = FORM_S,
        proxies: str = "",
    ) -> None:
        self.most = most
        self.per_address = min(per_address, max(1, most // 2)) if per_address else most
        self.header_s, self.form_s = header_s, form_s
        self.proxies: list[Network] = [ipaddress.ip_network(part.strip()) for part in proxies.split(",") if part]
        self._open: dict[asyncio.Transport, str] = {}
        self._counts: Counter[str] = Counter()
        self._waiting: dict[asyncio.Transport, None] = {}
        """Those that have asked for nothing, the one that waits longest first."""
        self._waiting_of: dict[str, dict[asyncio.Transport, None]] = {}
        self.turned_away = 0

    def __repr__(self) -> str:
        return f"<{len(self._open)} connections, {len(self._waiting)} of them waiting>"

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, transport: asyncio.Transport) -> bool:
        """Accept a new connection, if need be in place of an idle one; return True if there was room."""
        peer = transport.get_extra_info("peername")
        address = self._address(str(peer[0]) if isinstance(peer, tuple) else "")
        if address and self._counts[address] >= self.per_address:
            self._make_room(self._waiting_of.get(address, {}))
        if len(self._open) >= self.most:
            self._make_room(self._waiting)
        if (address and self._counts[address] >= self.per_address) or len(self._open) >= self.most:
            self.turned_away += 1
            return False
        self._open[transport] = address
        self._counts[address] += 1
        return True

    def waits(self, transport: asyncio.Transport) -> None:
        """Note that a connection asks for nothing at the moment."""
        address = self._open.get(transport)
        if address is not None and transport not in self._waiting:
            self._waiting[transport] = None
            self._waiting_of.setdefault(address, {})[transport] = None

    def asks(self, transport: asyncio.Transport) -> None:
        """Note that a connection has sent a whole header."""
        if transport in self._waiting:
            del self._waiting[transport]
            address = self._open[transport]
            del self._waiting_of[address][transport]
            if not self._waiting_of[address]:
                del self._waiting_of[address]

    def release(self, transport: asyncio.Transport) -> None:
        """Forget a connection that has ended."""
        self.asks(transport)
        address = self._open.pop(transport, None)
        if address is not None:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]

    def _make_room(self, waiting: dict[asyncio.Transport, None]) -> None:
        oldest = next(iter(waiting), None)
        if oldest is not None:
            self.release(oldest)
            oldest.abort()

    def _address(self, host: str) -> str:
        """The name under which a connection counts; empty for those of proxies and of local sockets."""
        try:
            found = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return ""
        if any(found in network for network in self.proxies):
            return ""
        return host if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))


def limited_protocols(connections: Connections) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Protocols for http and websockets, for a server of uvicorn, whose connections are counted and hurried.

    Args:
        connections: where they are counted.
    """
    # uvicorn chooses its parser when it is imported, so the base class is known only here.
    base: Any = AutoHTTPProtocol

    class LimitedHttp(base):  # type: ignore[misc]
        """Requests that have to arrive within a time."""

        late: asyncio.TimerHandle | None = None
        hurried_for = ""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            if connections.admit(cast(asyncio.Transport, transport)):
                self.look()
            else:
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            self.hurry("")
            connections.release(self.transport)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self.transport.is_closing():
                return
            before = self.cycle
            super().data_received(data)
            self.look(before)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self.transport.is_closing():
                self.look()
                if self.timeout_keep_alive_task is not None:
                    self.hurry("")  # uvicorn ends it soon if nothing comes at all

        def look(self, before: object = None) -> None:
            """See what is being waited for, and for how long it may be."""
            if self.transport.is_closing():
                self.hurry("")
            elif self.transport.get_protocol() is not self:  # a websocket now
                connections.asks(self.transport)
                self.hurry("")
            elif self.cycle is not None and not self.cycle.response_complete:
                connections.asks(self.transport)
                if self.cycle is not before:
                    self.hurry("")
                self.hurry("form" if self.cycle.more_body else "")
            else:
                connections.waits(self.transport)
                self.hurry("header")

        def hurry(self, what: str) -> None:
            """Give what is waited for its time, which goes on if it has begun."""
            if what == self.hurried_for:
                return
            if self.late is not None:
                self.late.cancel()
            self.hurried_for, self.late = what, None
            if what:
                seconds = connections.header_s if what == "header" else connections.form_s
                self.late = self.loop.call_later(seconds, self.transport.abort)

    class LimitedSocket(WebSocketsSansIOProtocol):
        """Websockets that are counted until they end."""

        def connection_lost(self, exc: Exception | None) -> None:
            connections.release(self.transport)
            super().connection_lost(exc)

    return LimitedHttp, LimitedSocket


class SparseLog(logging.Filter):
    """Lets so many records of a kind into the log in a time; the next that comes later tells how many were left out.

    Args:
        most: records of one logger with one text, before its arguments are filled in.
        period: seconds.
        clock: seconds.

    >>> sparse = SparseLog(2, 60.0, clock=lambda: 0.0)
    >>> record = logging.LogRecord("a", logging.WARNING, "", 0, "once more", (), None)
    >>> [sparse.filter(record) for _ in range(3)]
    [True, True, False]
    """

    MOST_KINDS = 256

    def __init__(self, most: int = 10, period: float = 60.0, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.most, self.period, self._clock = most, period, clock
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for a record that is written."""
        now, kind = self._clock(), (record.name, str(record.msg)[:200])
        began, count = self._seen.pop(kind, (now, 0))
        if now - began >= self.period:
            left_out = count - self.most
            if left_out > 0:
                record.msg, record.args = f"{record.getMessage()} (and {left_out} times before, not written)", ()
            began, count = now, 0
        self._seen[kind] = began, count + 1
        if len(self._seen) > self.MOST_KINDS:
            del self._seen[next(iter(self._seen))]
        return count < self.most


LOGGERS = ("asyncio", "uvicorn.error", "pcg.study")
"""Loggers to which strangers can make the server write."""


def keep_log_short() -> None:
    """Bound what strangers can make the server write to its log."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(one, SparseLog) for one in logger.filters):
            logger.addFilter(SparseLog())
