"""People who can play at once: real websockets on loopback, all at 20 ticks a second, and how late ticks come.

    python benchmarks/web_player.py --plays 50 100 200 300 --seconds 15 dungeon

One process serves, another one plays with random keys. A tick is late by what it comes after its turn in a play that
never falls behind; that is counted from each play's first tick. Server and players share the processors, so the
processor time of the server per tick is told beside: it says what one processor could serve, whatever else runs here.
The players speak the little of the protocol that they need by themselves, as a client library would cost more than the
server.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import cProfile
import http.client
import json
import multiprocessing
import multiprocessing.connection
import os
import pstats
import random
import signal
import threading
import time
import urllib.parse

import pcg
from pcg.web.serving import listen, serve
from pcg.web.single_level import play_app

RATE = 20
KEYS_A_TICK = 0.2
"""Share of ticks after which a player presses a key: four a second."""
ACTIONS = ("UP", "LEFT", "DOWN", "RIGHT")


def run_server(game: str, most: int, pipe: multiprocessing.connection.Connection, profile: str) -> None:
    """Serve a game until told to stop; answers every message of the pipe but the last with the processor time used."""
    bound = listen(port=0)

    def answer() -> None:
        while pipe.recv():
            pipe.send(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    def ready(url: str) -> None:
        pipe.send(url)
        threading.Thread(target=answer, daemon=True).start()

    profiler = cProfile.Profile(time.thread_time)
    if profile:
        profiler.enable()
    serve(play_app(pcg.load(game), 0, most=most), bound, ready=ready)
    if profile:
        profiler.disable()
        pstats.Stats(profiler).dump_stats(profile)


class Player(asyncio.Protocol):
    """One player: sends keys, and notes how late each tick comes."""

    def __init__(self, url: urllib.parse.SplitResult, path: str, number: int, late: list[float], sizes: list[int]):
        self.url, self.path, self.late, self.sizes = url, path, late, sizes
        self.choose = random.Random(number)
        self.buffer = b""
        self.shaken = self.lost = False
        self.ready = asyncio.get_running_loop().create_future()
        self.first = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the websocket."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self.path}/socket HTTP/1.1\r\nHost: {self.url.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Origin: {self.url.scheme}://{self.url.netloc}\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Remember that the play was dropped."""
        self.lost = True

    def data_received(self, data: bytes) -> None:
        """Take whole messages out of what has come."""
        self.buffer += data
        if not self.shaken:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head.split(b"\r\n")[0], head
            self.shaken, self.buffer = True, rest
        while len(self.buffer) >= 2:
            size, start = self.buffer[1], 2
            if size == 126:
                size, start = int.from_bytes(self.buffer[2:4], "big"), 4
            elif size == 127:
                size, start = int.from_bytes(self.buffer[2:10], "big"), 10
            if len(self.buffer) < start + size:
                return
            kind, payload = self.buffer[0] & 15, self.buffer[start : start + size]
            self.buffer = self.buffer[start + size :]
            if kind == 1:
                self.take(payload)
            elif kind == 9:
                self.frame(0x8A, payload)

    def frame(self, first: int, payload: bytes) -> None:
        """Send a frame, masked with zeros."""
        self.transport.write(bytes((first, 0x80 | len(payload), 0, 0, 0, 0)) + payload)

    def send(self, text: str) -> None:
        """Send a short message."""
        self.frame(0x81, text.encode())

    def begin(self) -> None:
        """Let the game run."""
        self.send(json.dumps({"type": "pace", "ticks_per_second": RATE, "by_turn": False}))
        self.send('{"type":"resume"}')

    def take(self, text: bytes) -> None:
        """Act on a message."""
        now = time.monotonic()
        message = json.loads(text)
        kind = message["type"]
        if kind == "welcome":
            self.ready.set_result(None)
        elif kind == "end":
            self.send('{"type":"restart"}')
            self.send('{"type":"resume"}')
            self.first = 0.0
        elif kind == "frame" and "tick" in message and not message.get("whole"):
            self.sizes.append(len(text))
            if not self.first:
                self.first, self.start = now, message["tick"]
            self.late.append(now - self.first - (message["tick"] - self.start) / RATE)
            if self.choose.random() < KEYS_A_TICK:
                action = self.choose.choice(ACTIONS)
                self.send(json.dumps({"type": "down", "action": action}))
                self.send(json.dumps({"type": "up", "action": action}))


def open_plays(url: urllib.parse.SplitResult, plays: int) -> list[str]:
    """Begin plays; the path of each."""
    paths = []
    for _ in range(plays):
        connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)
        connection.request("GET", "/")
        answer = connection.getresponse()
        paths.append(urllib.parse.urlsplit(answer.headers["location"]).path)
        connection.close()
    return paths


async def play_all(
    url: urllib.parse.SplitResult, plays: int, seconds: float, pipe: multiprocessing.connection.Connection
) -> tuple[list[float], list[int], float, int]:
    """All plays side by side: how late ticks were, sizes, processor seconds of the server, and plays that were lost."""
    loop = asyncio.get_running_loop()
    late: list[float] = []
    sizes: list[int] = []
    paths = await asyncio.to_thread(open_plays, url, plays)
    players = [Player(url, path, number, late, sizes) for number, path in enumerate(paths)]
    for player in players:
        await loop.create_connection(lambda player=player: player, url.hostname, url.port)  # type: ignore[misc]
        await player.ready
    for player in players:
        player.begin()
        await asyncio.sleep(1 / plays)  # as people begin: not in the same instant
    await asyncio.sleep(1)
    late.clear()
    sizes.clear()
    pipe.send(True)
    before = pipe.recv()
    await asyncio.sleep(seconds)
    pipe.send(True)
    used = pipe.recv() - before
    found = list(late), list(sizes), used, sum(player.lost for player in players)
    for player in players:
        player.frame(0x88, (1000).to_bytes(2, "big"))
    await asyncio.sleep(1)
    for player in players:
        player.transport.close()
    return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="dungeon")
    parser.add_argument("--plays", type=int, nargs="+", default=[50, 100, 200, 300])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--profile", default="", metavar="FILE", help="profile the server by processor time")
    options = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=run_server, args=(options.game, 2 * sum(options.plays), there, options.profile), daemon=True
    )
    server.start()
    url = urllib.parse.urlsplit(here.recv())
    titles = ("plays", "ticks/s", "bytes/tick", "median ms", "99 % ms", "< 25 ms", "lost", "server us/tick", "load")
    print(f"{options.game}: {' '.join(f'{title:>{max(7, len(title))}}' for title in titles)}")
    for plays in options.plays:
        late, sizes, used, lost = asyncio.run(play_all(url, plays, options.seconds, here))
        late.sort()
        row = (
            f"{plays}",
            f"{len(late) / options.seconds:.0f}",
            f"{sum(sizes) / len(sizes):.0f}",
            f"{1000 * late[len(late) // 2]:.1f}",
            f"{1000 * late[int(0.99 * len(late))]:.1f}",
            f"{sum(x < 0.025 for x in late) / len(late):.1%}",
            f"{lost}",
            f"{1e6 * used / len(late):.0f}",
            f"{os.getloadavg()[0]:.1f}",
        )
        cells = (f"{cell:>{max(7, len(title))}}" for title, cell in zip(titles, row, strict=True))
        print(f"{'':{len(options.game)}}  {' '.join(cells)}", flush=True)
    here.send(False)
    server.join()


if __name__ == "__main__":
    main()
