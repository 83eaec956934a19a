"""Strangers who take a study's server up without taking part, while somebody plays and others come in.

    python benchmarks/study_attacks.py half --count 1300
    python benchmarks/study_attacks.py idle --count 3000
    python benchmarks/study_attacks.py junk --count 10000
    python benchmarks/study_attacks.py sockets --count 1000

A server with 1,024 descriptors is started by `pcg study serve`, and all come from its own address. `half`: connections
that send half a header, opened again whenever they are closed. `idle`: connections that send nothing. `junk`: requests
that are none, and addresses that do not exist. `sockets`: participants who open a game and never play it; the server
has room for as many plays. Meanwhile one participant plays, and every half second a stranger reads the first page over
a new connection: how many got it, how long that took, how late ticks came, and how long the log became. `done` counts
connections made, junk answered, and games opened.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from study_load import a_study, come_in
from websockets.asyncio.client import ClientConnection, connect

from pcg.study.items import Source

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Rest: "
JUNK = (b"\x16\x03\x01\x02\x00\x01\x00", b"NONSENSE\r\n\r\n", b"GET /no/such/place HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na=b")  # fmt: skip


async def hold(host: str, port: int, sent: bytes, end: float, done: list[int]) -> None:
    """Keep a connection that has sent this, opened again when it is closed."""
    while time.monotonic() < end:
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 10)
            writer.write(sent)
            done[0] += 1
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(), max(0.1, end - time.monotonic()))
            writer.close()
        await asyncio.sleep(5.0)  # an address that only connects is a flood, which is not what this is about


async def throw(host: str, port: int, count: int, done: list[int]) -> None:
    """Send so many requests that mean nothing."""
    for number in range(count):
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 10)
            writer.write(JUNK[number % len(JUNK)])
            await asyncio.wait_for(reader.read(100), 10)
            writer.close()
            done[0] += 1


async def sit(url: str, held: list[ClientConnection], room: asyncio.Semaphore, number: int) -> None:
    """Come in, open the first game, and do nothing."""
    async with room:
        path, cookie = await come_in(url, number)
        address = url.replace("http", "ws", 1) + path + "/socket"
        held.append(await connect(address, additional_headers={"Cookie": cookie}, open_timeout=60, proxy=None))


async def play(url: str, late: list[float]) -> None:
    """Play all the time, with a key now and then; notes how late ticks are."""
    path, cookie = await come_in(url, -1)
    address = url.replace("http", "ws", 1) + path + "/socket"
    async with connect(address, additional_headers={"Cookie": cookie}, proxy=None, ping_interval=None) as socket:
        await socket.recv()
        await socket.send('{"type":"resume"}')
        began, first, count = 0.0, 0, 0
        async for text in socket:
            message = json.loads(text)
            if message["type"] != "frame":
                continue
            now, count = time.perf_counter(), count + 1
            if not began:
                began, first = now, message["tick"]
            late.append(now - began - (message["tick"] - first) / 20)
            if count % 40 == 0:
                await socket.send('{"type":"down","action":"LEFT"}')
                await socket.send('{"type":"up","action":"LEFT"}')


async def look(url: str, taken: list[float | None]) -> None:
    """Read the first page every half second over a new connection."""
    while True:
        began = time.perf_counter()
        try:
            async with httpx.AsyncClient(timeout=10, trust_env=False) as client:
                good = (await client.get(url)).status_code == 200
        except httpx.TransportError:
            good = False
        taken.append(time.perf_counter() - began if good else None)
        await asyncio.sleep(0.5)


async def attack(what: str, count: int, seconds: float, url: str) -> dict[str, Any]:
    """Attack, and see how others fare."""
    host, port = str(urlsplit(url).hostname), int(urlsplit(url).port or 80)
    late: list[float] = []
    taken: list[float | None] = []
    done = [0]
    playing = asyncio.create_task(play(url, late))
    while len(late) < 20:
        await asyncio.sleep(0.1)
    looking = asyncio.create_task(look(url, taken))
    end = time.monotonic() + seconds
    held: list[ClientConnection] = []
    if what in ("half", "idle"):
        await asyncio.gather(*(hold(host, port, HALF if what == "half" else b"", end, done) for _ in range(count)))
    elif what == "junk":
        await asyncio.gather(*(throw(host, port, count // 50, done) for _ in range(50)))
        await asyncio.sleep(max(0.0, end - time.monotonic()))
    else:
        room = asyncio.Semaphore(8)
        came = await asyncio.gather(*(sit(url, held, room, k) for k in range(count)), return_exceptions=True)
        done[0] = sum(not isinstance(one, BaseException) for one in came)
        await asyncio.sleep(seconds)
    alive = not playing.done()
    for task in (playing, looking):
        task.cancel()
    await asyncio.gather(playing, looking, return_exceptions=True)
    await asyncio.gather(*(one.close() for one in held), return_exceptions=True)
    good = sorted(x for x in taken if x is not None)
    ticks = sorted(late)
    return {
        "attack": what, "count": count, "done": done[0], "pages asked for": len(taken), "pages got": len(good),
        "page median ms": 1000 * good[len(good) // 2] if good else None,
        "page worst ms": 1000 * good[-1] if good else None, "play went on": alive, "ticks": len(ticks),
        "tick 99 % ms": 1000 * ticks[int(0.99 * len(ticks))], "load": os.getloadavg()[0],
    }  # fmt: skip


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("half", "idle", "junk", "sockets"))
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--descriptors", type=int, default=1024, help="of the server")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    count = options.count or {"half": 1300, "idle": 3000, "junk": 10_000, "sockets": 1000}[options.what]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # of the strangers, who all come from here
    settings = {"play": {"minimum": 3600.0, "restarts": 1000}, "design": {"checks": 0}}
    with a_study(settings, (Source("dungeon"),), False) as (folder, store), tempfile.TemporaryFile("w+") as log:
        program = f"ulimit -n {options.descriptors}; exec {sys.executable} -c 'from pcg.cli import main; main()' "
        server = subprocess.Popen(
            ["bash", "-c", f"{program} study serve {folder} --port 0"], stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert server.stdout is not None
            url = next(line for line in server.stdout if line.startswith("participants")).split()[1].rstrip("/")
            found = asyncio.run(attack(options.what, count, options.seconds, url))
            found["server alive"] = server.poll() is None
            time.sleep(2)
            found["ticks saved"] = sum(play.ticks for play in store.plays())
            found["log bytes"] = log.seek(0, 2)
        finally:
            server.terminate()
            server.wait(30)
    for name, value in found.items():
        print(f"{name:>16}  {value:.1f}" if isinstance(value, float) else f"{name:>16}  {value}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
