"""Load that a study's server bears, on this machine with the participants on it as well.

    python benchmarks/study_load.py plays --participants 300 --seconds 20
    python benchmarks/study_load.py votes --postgres
    python benchmarks/study_load.py recovery --postgres
    python benchmarks/study_load.py first

`plays`: so many people play at once at 20 ticks a second, every play kept in the database; how late ticks come, counted
from each play's first tick, and how many plays were dropped. `votes`: simulated participants vote as fast as the pages
and short plays let them. `recovery`: 200 simulated participants with known utilities judge 12 items, and what the votes
say is compared with the truth. `first`: what a page weighs, and how long a click takes until the game is there, in a
real browser. Each also tells the processor time of the server, which is what this machine's other work leaves alone.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import web_player
from scipy.stats import kendalltau

from pcg.evaluators.preferences import Vote, count_votes, fit
from pcg.study.client import Browser
from pcg.study.creation import make_study, read_plan
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.server_process import Hosted, hosted
from pcg.study.simulating import Outcome, Truth, simulate
from pcg.study.store import StudyStore

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "pcg"))

TWELVE = (Source("dungeon"), Source("boxes"), Source("crossing", levels="0-1"))


@contextlib.contextmanager
def a_study(
    settings: dict[str, dict[str, Any]], sources: tuple[Source, ...], postgres: bool
) -> Iterator[tuple[Path, StudyStore]]:
    """A study in a folder that goes away again."""
    with contextlib.ExitStack() as open_:
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory())) / "study"
        database = None
        if postgres:
            from postgres import Server

            server = Server()
            open_.callback(server.stop)
            database = server.new()
        plan, _, texts = read_plan("study", None, settings)
        make_study(folder, plan, sources, texts=texts, measure=False, database=database)
        store = open_study(folder)
        open_.callback(store.engine.dispose)
        yield folder, store


def processor_seconds(server: Hosted) -> float:
    """Processor time of the server so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# -- playing -----------------------------------------------------------------------------------------------------------


class Participant(web_player.Player):
    """A player with a cookie."""

    cookie = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the websocket."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self.path}/socket HTTP/1.1\r\nHost: {self.url.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Cookie: {self.cookie}\r\nOrigin: {self.url.scheme}://{self.url.netloc}\r\n\r\n".encode()
        )

    def begin(self) -> None:
        """Let the game run."""
        self.send('{"type":"resume"}')


async def come_in(base: str, number: int) -> tuple[str, str]:
    """Consent, read the instructions and come to the first game: its path and the cookie."""
    browser = Browser(base)
    page = await browser.get("/")
    await browser.post("/join", {**page.hidden(), "token": page.token, "consent": "yes"})
    page = await browser.get("/instructions")
    page = await browser.post("/begin", {"token": page.token})
    assert page.path == "/pair/1/first", (number, page)
    cookie = "; ".join(f"{c.name}={c.value}" for c in browser._http.cookies.jar)
    await browser.close()
    return page.path, cookie


async def play_all(server: Hosted, count: int, seconds: float) -> dict[str, float]:
    """All play side by side."""
    url = urllib.parse.urlsplit(server.url)
    loop = asyncio.get_running_loop()
    late: list[float] = []
    sizes: list[int] = []
    players: list[Participant] = []
    room = asyncio.Semaphore(8)

    async def one(number: int) -> None:
        async with room:
            path, cookie = await come_in(server.url, number)
            player = Participant(url, path, number, late, sizes)
            player.cookie = cookie
            players.append(player)
            await loop.create_connection(lambda: player, url.hostname, url.port)
            await player.ready

    began = time.monotonic()
    await asyncio.gather(*(one(number) for number in range(count)))
    joined = time.monotonic() - began
    for player in players:
        player.begin()
        await asyncio.sleep(1 / count)
    await asyncio.sleep(2)
    late.clear()
    sizes.clear()
    before = processor_seconds(server)
    await asyncio.sleep(seconds)
    used = processor_seconds(server) - before
    found = sorted(late)
    lost = sum(player.lost for player in players)
    for player in players:
        player.transport.close()
    await asyncio.sleep(1)
    return {
        "participants": count, "came in s": joined, "ticks/s": len(found) / seconds,
        "median ms": 1000 * found[len(found) // 2], "99 % ms": 1000 * found[int(0.99 * len(found))],
        "< 25 ms %": 100 * sum(x < 0.025 for x in found) / len(found), "dropped": lost,
        "server us/tick": 1e6 * used / len(found), "server busy %": 100 * used / seconds, "load": os.getloadavg()[0],
    }  # fmt: skip


def plays(options: argparse.Namespace) -> dict[str, Any]:
    """Many play at once."""
    settings = {"play": {"minimum": 3600.0, "restarts": 1000}, "design": {"checks": 0}}
    with a_study(settings, (Source("dungeon"),), options.postgres) as (folder, store), hosted(folder) as server:
        found: dict[str, Any] = asyncio.run(play_all(server, options.participants, options.seconds))
        time.sleep(2)
        saved = store.plays()
        found["plays saved"] = len(saved)
        found["ticks saved"] = sum(play.ticks for play in saved)
        return found


# -- voting ------------------------------------------------------------------------------------------------------------


def run_simulated(folder: Path, store: StudyStore, server: Hosted, options: argparse.Namespace) -> Outcome:
    """Simulated participants, all the way."""
    truth = Truth.draw(store.items, options.seed, {"tie": -1.0, "spread": 1.5})
    token = (folder / "researcher-token").read_text().strip()
    return asyncio.run(
        simulate(
            store, server.url, token, truth, participants=options.participants, at_once=options.at_once,
            players=("random",), patience=120.0,
        )
    )  # fmt: skip


def votes(options: argparse.Namespace) -> dict[str, Any]:
    """Votes as fast as they come."""
    settings = {
        "play": {"minimum": 0.1}, "design": {"pairs": options.pairs, "checks": 1, "pairing": options.pairing,
                                             "within_game": False},
    }  # fmt: skip
    with a_study(settings, TWELVE, options.postgres) as (folder, store), hosted(folder) as server:
        before = processor_seconds(server)
        outcome = run_simulated(folder, store, server, options)
        used = processor_seconds(server) - before
        stored = len(store.vote_rows())
        found = {
            "participants": len(outcome.people), "finished": outcome.finished, "votes": outcome.votes,
            "stored": stored, "seconds": outcome.seconds, "votes a minute": 60 * outcome.votes / outcome.seconds,
            "server ms/vote": 1000 * used / max(1, outcome.votes), "server busy %": 100 * used / outcome.seconds,
            "load": os.getloadavg()[0],
        }  # fmt: skip
        data = study_data(store)
        names = ("participant", "first", "second", "answer", "question", "check")
        real = [Vote(**{k: row[k] for k in names}) for row in data.votes]
        fitted = fit(count_votes(real))
        true = [outcome.truth.utilities[item] for item in fitted.items]
        found["kendall tau"] = float(kendalltau(fitted.utilities, true).statistic)
        return found


def recovery(options: argparse.Namespace) -> dict[str, Any]:
    """Compare the estimates for 12 items by 200 participants, through the real interface."""
    return votes(options)


# -- the first play ----------------------------------------------------------------------------------------------------


def first(options: argparse.Namespace) -> dict[str, Any]:
    """In a real browser."""
    import browsers

    settings = {"play": {"minimum": 1.0}, "design": {"checks": 0}}
    taken: list[float] = []
    weights: dict[str, int] = {}
    with (
        a_study(settings, (Source("dungeon"),), options.postgres) as (folder, _),
        hosted(folder) as server,
        browsers.chromium() as browser,
    ):
        for _turn in range(5):
            tab = browsers.Tab(browser)
            page = tab.page
            sizes: dict[str, int] = {}
            page.on("requestfinished", lambda request, sizes=sizes: _weigh(request, sizes))
            page.goto(server.url)
            page.check("input[name=consent]")
            page.click("button.primary")
            page.wait_for_url("**/instructions")
            began = time.perf_counter()
            page.click("button.primary")
            page.locator("[data-veil-title]", has_text="Ready").wait_for()
            taken.append(time.perf_counter() - began)
            weights = dict(sizes)
            tab.close()
    pages = {urllib.parse.urlsplit(url).path: size for url, size in weights.items()}
    for path, size in sorted(pages.items(), key=lambda entry: -entry[1]):
        print(f"  {size:>8}  {path}")
    taken.sort()
    return {
        "KB until the game": sum(pages.values()) / 1024, "first play median s": taken[len(taken) // 2],
        "first play worst s": taken[-1], "load": os.getloadavg()[0],
    }  # fmt: skip


def _weigh(request: Any, sizes: dict[str, int]) -> None:
    """Note what a request brought; the second time it came from the browser's own memory."""
    with contextlib.suppress(Exception):
        found = request.sizes()
        size = int(found["responseBodySize"]) + int(found["responseHeadersSize"])
        sizes[request.url] = max(size, sizes.get(request.url, 0))


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("plays", "votes", "recovery", "first"))
    parser.add_argument("--participants", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--at-once", type=int, default=40)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--pairing", default="adaptive")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true", help="in PostgreSQL instead of SQLite")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    usual = {"plays": 300, "votes": 120, "recovery": 200, "first": 1}
    options.participants = options.participants or usual[options.what]
    began = time.process_time()
    work = {"plays": plays, "votes": votes, "recovery": recovery, "first": first}[options.what]
    found = work(options)
    found["database"] = "PostgreSQL" if options.postgres else "SQLite"
    found["participants' processor s"] = time.process_time() - began
    for name, value in found.items():
        print(f"{name:>26}  {value:.3f}" if isinstance(value, float) else f"{name:>26}  {value}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
