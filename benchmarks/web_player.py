"""How many people can play at once: real websockets on loopback, all at 20 ticks a second, and how late ticks come.

    python benchmarks/web_player.py --plays 100 --seconds 10 dungeon

One process serves, another one plays with random keys. A tick is late by what it comes after its turn in a play that
never falls behind; that is counted from each play's first tick. Server and players share the processors.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import multiprocessing.connection
import random
import time
import urllib.request

import websockets

import pcg
from pcg.web.serving import listen, serve
from pcg.web.single import play_app


def run_server(game: str, pipe: multiprocessing.connection.Connection) -> None:
    """Serve a game until told to stop by the end of the process."""
    bound = listen(port=0)
    serve(play_app(pcg.load(game), 0), bound, ready=pipe.send)


async def one_play(url: str, seconds: float, number: int, late: list[float], sizes: list[int]) -> None:
    """Play with random keys and note how late each tick comes."""
    choose = random.Random(number)
    request = await asyncio.to_thread(urllib.request.urlopen, url)
    token = request.url.rstrip("/").split("/")[-1]
    async with websockets.connect(f"{url.replace('http', 'ws')}play/{token}/socket", compression=None) as play:
        await play.recv()
        await play.send('{"type": "pace", "ticks_per_second": 20, "by_turn": false}')
        await play.send('{"type": "resume"}')
        end, first, ticks = time.monotonic() + seconds, 0.0, 0
        while time.monotonic() < end:
            text = await play.recv()
            message = json.loads(text)
            if message["type"] == "end":
                await play.send('{"type": "restart"}')
                await play.send('{"type": "resume"}')
                first = 0.0
            elif message["type"] == "frame" and not message.get("whole"):
                now = time.monotonic()
                sizes.append(len(text))
                if not first:
                    first, ticks = now, message["tick"]
                late.append(now - first - (message["tick"] - ticks) / 20)
                if choose.random() < 0.2:
                    action = choose.choice(["UP", "LEFT", "DOWN", "RIGHT"])
                    await play.send(json.dumps({"type": "down", "action": action}))
                    await play.send(json.dumps({"type": "up", "action": action}))


async def play_all(url: str, plays: int, seconds: float) -> tuple[list[float], list[int]]:
    """All plays side by side."""
    late: list[float] = []
    sizes: list[int] = []
    await asyncio.gather(*(one_play(url, seconds, k, late, sizes) for k in range(plays)))
    return late, sizes


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="dungeon")
    parser.add_argument("--plays", type=int, nargs="+", default=[20, 60])
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=run_server, args=(options.game, there), daemon=True)
    server.start()
    url = here.recv()
    titles = f"{'plays':>6} {'ticks/s':>8} {'bytes/tick':>11} {'median ms':>10} {'99 % ms':>8} {'< 25 ms':>8}"
    print(f"{options.game}: {titles}")
    for plays in options.plays:
        late, sizes = asyncio.run(play_all(url, plays, options.seconds))
        late.sort()
        share = sum(x < 0.025 for x in late) / len(late)
        median, most = 1000 * late[len(late) // 2], 1000 * late[int(0.99 * len(late))]
        rate, size = len(late) / options.seconds, sum(sizes) / len(sizes)
        print(f"{'':{len(options.game)}}  {plays:6} {rate:8.0f} {size:11.0f} {median:10.1f} {most:8.1f} {share:8.1%}")
    server.terminate()


if __name__ == "__main__":
    main()
