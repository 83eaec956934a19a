"""Connections of a study's server: half headers, idle connections and junk leave those who take part unharmed."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from study_walks import small_study

from pcg.study.server import Limits, study_app
from pcg.study.server.connections import Connections, SparseLog, limited_protocols, most_connections
from pcg.web.serving import listen

ASKED = b"GET /healthy HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Rest: "


@contextlib.contextmanager
def running(folder: Path, connections: Connections) -> Iterator[tuple[str, int]]:
    """A server over real sockets; its address."""
    store = small_study(folder)
    http, websockets = limited_protocols(connections)
    bound = listen(port=0)
    config = uvicorn.Config(
        study_app(store, limits=Limits.none()), http=http, ws=websockets, log_level="error", lifespan="on",
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield bound.getsockname()[:2]
    finally:
        server.should_exit = True
        thread.join()
        bound.close()
        store.engine.dispose()


def opened(address: tuple[str, int], sent: bytes = b"") -> socket.socket:
    """A connection that has sent this; nothing is read from it."""
    found = socket.create_connection(address, timeout=60)
    found.sendall(sent)
    return found


def answer(of: socket.socket) -> bytes:
    """Read until the server ends the connection, or a whole short answer; empty when it was cut off."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while b"\r\n\r\nok\n" not in found and (more := of.recv(65536)):
            found += more
    return found


def test_half_headers_and_idle_connections_are_ended(tmp_path: Path) -> None:
    with running(tmp_path / "s", Connections(200, header_s=0.3, form_s=0.3)) as address:
        form = (
            b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\na=b"
        )
        kept = opened(address, ASKED)
        assert answer(kept).startswith(b"HTTP/1.1 200")
        kept.sendall(HALF)  # the second request of a connection
        waiting = [opened(address), opened(address, HALF), opened(address, form), kept]
        assert [answer(one) for one in waiting] == [b""] * 4  # cut off, without an answer


def test_hundreds_of_half_headers_leave_room_for_those_who_ask(tmp_path: Path) -> None:
    connections = Connections(60, header_s=600.0)
    with running(tmp_path / "s", connections) as address, contextlib.ExitStack() as held:
        for _ in range(300):
            held.callback(opened(address, HALF).close)
        assert answer(opened(address, ASKED)).startswith(b"HTTP/1.1 200")
        assert len(connections) <= 30  # half of all are one address's


def test_whoever_is_being_answered_keeps_the_place() -> None:
    class Transport:
        def __init__(self, host: str) -> None:
            self.host, self.aborted = host, False

        def get_extra_info(self, name: str) -> Any:
            return (self.host, 1)

        def abort(self) -> None:
            self.aborted = True

    def made(host: str) -> Any:
        return Transport(host)

    connections = Connections(4, 2, proxies="10.0.0.0/8")
    busy = [made("192.0.2.1"), made("192.0.2.1")]
    assert all(connections.admit(one) for one in busy)
    third = made("192.0.2.1")
    assert not connections.admit(third)  # both of this address are at work
    connections.waits(busy[0])
    assert connections.admit(third) and busy[0].aborted and not busy[1].aborted
    proxy = [made("10.1.2.3"), made("10.1.2.3"), made("10.1.2.3")]
    assert [connections.admit(one) for one in proxy] == [True, True, False]  # only the number of all counts
    assert len(connections) == 4 and connections.turned_away == 2
    for one in (third, busy[1], *proxy, *busy):
        connections.release(one)  # twice is once
    assert len(connections) == 0
    six = [made("2001:db8::1"), made("2001:db8::2"), made("2001:db8::3")]
    assert [connections.admit(one) for one in six] == [True, True, False]  # one network


def test_junk_is_answered_and_hardly_logged(tmp_path: Path) -> None:
    written: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(record.getMessage())

    now = [0.0]
    logger, sparse = logging.getLogger("uvicorn.error"), SparseLog(10, 60.0, clock=lambda: now[0])
    with running(tmp_path / "s", Connections(100)) as address:
        handler, level, before = Kept(), logger.level, list(logger.filters)
        logger.addHandler(handler)
        logger.filters = [sparse]
        logger.setLevel(logging.WARNING)
        try:
            junk = [b"\x16\x03\x01\x02\x00", b"NONSENSE\r\n\r\n", b"GET\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n"]
            for number in range(200):
                with opened(address, junk[number % 4]) as one:
                    answer(one)
            assert answer(opened(address, ASKED)).startswith(b"HTTP/1.1 200")
            assert 0 < len(written) <= 10
            now[0] = 61.0
            with opened(address, junk[1]) as one:
                answer(one)
            assert "times before, not written" in written[-1]
        finally:
            logger.removeHandler(handler)
            logger.filters = before
            logger.setLevel(level)


def test_there_is_room_for_files_beside_the_connections() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        most = most_connections()
        assert 8 <= most < resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
