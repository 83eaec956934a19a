"""Load that a study's server bears, on this machine with the participants on it as well.

    python benchmarks/study_load.py plays --participants 300 --seconds 20
    python benchmarks/study_load.py pages --participants 2000 --seconds 60
    python benchmarks/study_load.py votes --postgres
    python benchmarks/study_load.py votes --runs server --beside 300
    python benchmarks/study_load.py recovery --postgres
    python benchmarks/study_load.py first

`plays`: so many people play at once at 20 ticks a second, every play kept in the database; how late ticks come, counted
from each play's first tick, and how many plays were dropped. `pages`: so many play in their pages, which send batches
as often as the server asks for; how long a batch takes until it is stored, and how many were not taken.
`votes`: simulated participants vote as fast as the pages and short plays let them, from a process of their own; with
`--beside` so many others go on playing at once meanwhile, and the server's time for a vote is what it takes beyond its
time for the ticks of these plays, as they were alone. `recovery`: 200 simulated participants with known utilities judge
12 items, and what the votes say is compared with the truth. `first`: what a page weighs, and how long a click takes
until the game is there, in a real browser. Each also tells the processor time of the server, which is what this
machine's other work leaves alone.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import web_player
from scipy.stats import kendalltau

from pcg.engine.game import Game
from pcg.evaluators.evaluation import encode_play
from pcg.evaluators.preferences import Vote, count_votes, fit
from pcg.study.client import Browser
from pcg.study.config import RUNS
from pcg.study.creation import make_study, read_plan
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.players import game_for
from pcg.study.replaying import Replayer
from pcg.study.server.page_plays import BATCHES_PER_SECOND, MOST_ACTIONS, Claim
from pcg.study.server.security import form_token
from pcg.study.server_process import Hosted, hosted
from pcg.study.simulating import Outcome, Truth, simulate
from pcg.study.store import StudyStore

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "pcg"))

TWELVE = (Source("dungeon"), Source("boxes"), Source("crossing", levels="0-1"))
BY_TIME = (Source("dungeon"), Source("crossing"))
"""Games that run on without a key, as those must who play beside others that vote."""


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


Meanwhile = Callable[[Callable[[], int]], Awaitable[None]]
"""Work that is done while others play; it is given what counts the ticks that they have played."""


async def play_all(server: Hosted, count: int, meanwhile: Meanwhile) -> dict[str, float]:
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
    before, began = processor_seconds(server), time.monotonic()
    await meanwhile(lambda: len(late))
    used, seconds = processor_seconds(server) - before, time.monotonic() - began
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
        found: dict[str, Any] = asyncio.run(
            play_all(server, options.participants, lambda ticks: asyncio.sleep(options.seconds))
        )
        time.sleep(2)
        saved = store.plays()
        found["plays saved"] = len(saved)
        found["ticks saved"] = sum(play.ticks for play in saved)
        return found


# -- playing in the page -----------------------------------------------------------------------------------------------

SCRIPT_TICKS = 2400
"""Ticks of a play that is played again and again."""
SCRIPTS = 60
"""Random plays of which the longest is taken."""


class Script:
    """A play that was played before the measurement: its actions, and where each leads."""

    def __init__(self, opened: Mapping[str, Any], game: Game, level: str) -> None:
        plays = [self.random_play(lot, opened, game, level) for lot in range(SCRIPTS)]
        self.letters = encode_play(max(plays, key=len))
        state = game.start(level, seed=opened["seed"])
        self.claims: list[dict[str, Any]] = []
        for action in max(plays, key=len):
            state.advance(action)
            self.claims.append(asdict(Claim.of(state)))

    @staticmethod
    def random_play(lot: int, opened: Mapping[str, Any], game: Game, level: str) -> list[str]:
        """Play with a key four times a second."""
        keys = random.Random(lot)
        state = game.start(level, seed=opened["seed"])
        actions: list[str] = []
        while not state.is_over and len(actions) < SCRIPT_TICKS:
            actions.append("NIL" if len(actions) % 5 else keys.choice(list(state.actions) or ["NIL"]))
            state.advance(actions[-1])
        return actions


class InPage:
    """A participant whose game runs in the page: the batches that it sends, and how long each was under way."""

    def __init__(self, host: str, port: int, path: str, cookie: str, token: str) -> None:
        self.host, self.port, self.path, self.cookie, self.token = host, port, path, cookie, token
        self.taken: list[float] = []
        self.ticks = self.batches = 0
        self.problems: list[str] = []

    async def ask(self, what: str, data: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send a request over a connection of its own: batches are so far apart that servers end it in between."""
        body = json.dumps(data, separators=(",", ":")).encode()
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(
            f"POST {self.path}/{what} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nCookie: {self.cookie}\r\n"
            f"Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Connection: close\r\n\r\n".encode()
            + body
        )
        answer = await reader.read()
        writer.close()
        head, _, text = answer.partition(b"\r\n\r\n")
        return int(head[9:12]), json.loads(text)

    async def open(self, **more: Any) -> None:
        """Open the play."""
        while True:
            status, self.opened = await self.ask("open", {"token": self.token, **more})
            if status != 503:
                break
            self.problems.append("503 when opening, asked again")
            await asyncio.sleep(1)
        assert status == 200, self.opened
        self.sent, self.clock, self.next = 0, 0, float(self.opened["next"])
        self.began = time.monotonic()

    async def play(self, script: Script, wait: float) -> None:
        """Play the script, over and over, and send it as often as the server asks for."""
        await asyncio.sleep(wait)
        await self.open()
        pace = float(self.opened["pace"]["ticks_per_second"])
        while True:
            await asyncio.sleep(self.next)
            clock = int(1000 * (time.monotonic() - self.began))
            late = clock - self.clock - int(1000 * (MOST_ACTIONS - 1) / pace)
            if late > 0:  # a page that cannot send for so long waits
                self.began += late / 1000
                clock -= late
            end = min(len(script.letters), int(pace * clock / 1000), self.sent + MOST_ACTIONS)
            period = int(1000 / pace)
            times = [max(0, period * (self.sent + 1) - self.clock), *[period] * (end - self.sent - 1)]
            batch = {
                "lease": self.opened["lease"], "attempt": self.opened["attempt"], "from": self.sent,
                "actions": script.letters[self.sent : end],
                "times": times, "clock": clock, "presses": [], "by": ["keys"],
                "claim": script.claims[end - 1],
            }  # fmt: skip
            began = time.perf_counter()
            try:
                status, told = await self.ask("actions", batch)
            except OSError as error:
                self.problems.append(type(error).__name__)
                continue
            if status != 200:
                self.problems.append(f"{status} {told}"[:200])
                continue
            self.taken.append(time.perf_counter() - began)
            self.ticks, self.batches = self.ticks + end - self.sent, self.batches + 1
            self.sent, self.clock, self.next = end, clock, float(told["next"])
            if end == len(script.letters):
                await self.open(again=self.opened["attempt"])


async def play_in_pages(server: Hosted, store: StudyStore, count: int, meanwhile: Meanwhile) -> dict[str, float]:
    """All play side by side, each in a page of their own."""
    url = urllib.parse.urlsplit(server.url)
    room = asyncio.Semaphore(8)
    people: list[tuple[InPage, Script]] = []
    scripts: dict[tuple[int, int], Script] = {}
    items = [item.id for item in store.items]

    async def one(number: int) -> None:
        async with room:
            # They come in without pages: what is measured is playing.
            known, secret = await asyncio.to_thread(store.join, "en", consented=True)
            first, second = items[number % len(items)], items[(number + 1) % len(items)]
            await asyncio.to_thread(store.add_pair, known.id, 0, first, second)
            cookie, token = f"pcg-{store.name}={secret}", form_token(secret)
            person = InPage(str(url.hostname), int(url.port or 80), "/pair/1/first", cookie, token)
            await person.open()
            item = store.item[first]
            key = (item.id, int(person.opened["seed"]))
            if key not in scripts:
                game = game_for(item.rules, item.reading, item.game)
                scripts[key] = await asyncio.to_thread(Script, person.opened, game, item.level)
            people.append((person, scripts[key]))

    began = time.monotonic()
    await asyncio.gather(*(one(number) for number in range(count)))
    joined = time.monotonic() - began
    spread = float(people[0][0].opened["next"])
    spread = max(spread, count / BATCHES_PER_SECOND)
    lots = random.Random(1)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(person.play(script, lots.uniform(0, spread))) for person, script in people]
        await asyncio.sleep(2 * spread)
        for person, _ in people:
            person.taken, person.ticks, person.batches, person.problems = [], 0, 0, []
        before, start = processor_seconds(server), time.monotonic()
        await meanwhile(lambda: sum(person.ticks for person, _ in people))
        used, seconds = processor_seconds(server) - before, time.monotonic() - start
        taken = sorted(second for person, _ in people for second in person.taken)
        ticks = sum(person.ticks for person, _ in people)
        problems = Counter(problem for person, _ in people for problem in person.problems)
        silent = sum(not person.batches for person, _ in people)
        for task in tasks:
            task.cancel()
    for problem, times in problems.most_common(5):
        print(f"  {times} times {problem}")
    return {
        "participants": count, "came in s": joined, "batches/s": len(taken) / seconds, "ticks/s": ticks / seconds,
        "median ms": 1000 * taken[len(taken) // 2], "99 % ms": 1000 * taken[int(0.99 * len(taken))],
        "asked to wait s": statistics.median(person.next for person, _ in people),
        "worst ms": 1000 * taken[-1], "not taken": sum(problems.values()), "without a batch": silent,
        "server ms/batch": 1000 * used / len(taken), "server us/tick": 1e6 * used / max(1, ticks),
        "server busy %": 100 * used / seconds, "load": os.getloadavg()[0],
    }  # fmt: skip


def pages(options: argparse.Namespace) -> dict[str, Any]:
    """Many play at once, in their pages."""
    settings = {"play": {"minimum": 3600.0, "restarts": 1000}, "design": {"checks": 0}}
    with a_study(settings, (Source("dungeon"),), options.postgres) as (folder, store), hosted(folder) as server:
        found: dict[str, Any] = asyncio.run(
            play_in_pages(server, store, options.participants, lambda ticks: asyncio.sleep(options.seconds))
        )
        replayer = Replayer(store)
        stored = replayer.plays()[:: max(1, options.participants // 50)]
        found["ticks saved"] = sum(play.ticks for play in store.plays())
        found["untrue of 50 replayed"] = sum(bool(problem) for _, problem in replayer.verify(stored))
        return found


# -- voting ------------------------------------------------------------------------------------------------------------


def run_simulated(folder: Path, url: str, options: argparse.Namespace) -> Outcome:
    """Simulated participants, all the way."""
    store = open_study(folder)
    truth = Truth.draw(store.items, options.seed, {"tie": -1.0, "spread": 1.5})
    token = (folder / "researcher-token").read_text().strip()
    try:
        return asyncio.run(
            simulate(
                store, url, token, truth, participants=options.participants, at_once=options.at_once,
                players=("random",), patience=120.0,
            )
        )  # fmt: skip
    finally:
        store.engine.dispose()


async def vote_beside(
    folder: Path, store: StudyStore, server: Hosted, options: argparse.Namespace
) -> tuple[Outcome, float, dict[str, float]]:
    """The outcome of voting, the server's time for it, and how those fared who played meanwhile."""
    outcomes: list[Outcome] = []
    used = {"a tick": 0.0, "votes": 0.0}

    async def meanwhile(ticks: Callable[[], int]) -> None:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            before, counted = processor_seconds(server), ticks()
            if options.beside:
                await asyncio.sleep(options.seconds)
                used["a tick"] = (processor_seconds(server) - before) / max(1, ticks() - counted)
                before, counted = processor_seconds(server), ticks()
            loop = asyncio.get_running_loop()
            outcomes.append(await loop.run_in_executor(pool, run_simulated, folder, server.url, options))
            used["votes"] = processor_seconds(server) - before - used["a tick"] * (ticks() - counted)

    playing: dict[str, float] = {}
    if not options.beside:
        await meanwhile(int)
    elif options.runs == "server":
        playing = await play_all(server, options.beside, meanwhile)
    else:
        playing = await play_in_pages(server, store, options.beside, meanwhile)
    if options.beside:
        playing["server us/tick before votes"] = 1e6 * used["a tick"]
    return outcomes[0], used["votes"], playing


def votes(options: argparse.Namespace) -> dict[str, Any]:
    """Votes as fast as they come."""
    settings: dict[str, dict[str, Any]] = {
        "play": {"minimum": 0.1, "runs": options.runs, "restarts": 1000},
        "design": {"pairs": options.pairs, "checks": 1, "pairing": options.pairing, "within_game": False},
    }  # fmt: skip
    with (
        a_study(settings, BY_TIME if options.beside else TWELVE, options.postgres) as (folder, store),
        hosted(folder) as server,
    ):
        outcome, used, playing = asyncio.run(vote_beside(folder, store, server, options))
        stored = len(store.vote_rows())
        found = {f"playing: {name}": value for name, value in playing.items()} | {
            "participants": len(outcome.people), "finished": outcome.finished, "votes": outcome.votes,
            "stored": stored, "seconds": outcome.seconds, "votes a minute": 60 * outcome.votes / outcome.seconds,
            "server ms/vote": 1000 * used / max(1, outcome.votes),
            "server busy % for votes": 100 * used / outcome.seconds, "load": os.getloadavg()[0],
        }  # fmt: skip
        data = study_data(store, "simulated")
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
    parser.add_argument("what", choices=("plays", "pages", "votes", "recovery", "first"))
    parser.add_argument("--participants", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--at-once", type=int, default=40)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--pairing", default="adaptive")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--beside", type=int, default=0, help="so many others play while votes are cast")
    parser.add_argument("--runs", choices=RUNS, default="browser", help="where the games of those who vote run")
    parser.add_argument("--postgres", action="store_true", help="in PostgreSQL instead of SQLite")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    usual = {"plays": 300, "pages": 2000, "votes": 120, "recovery": 200, "first": 1}
    options.participants = options.participants or usual[options.what]
    began = time.process_time()
    work = {"plays": plays, "pages": pages, "votes": votes, "recovery": recovery, "first": first}[options.what]
    found = work(options)
    found["database"] = "PostgreSQL" if options.postgres else "SQLite"
    found["participants' processor s"] = time.process_time() - began
    for name, value in found.items():
        print(f"{name:>36}  {value:.3f}" if isinstance(value, float) else f"{name:>36}  {value}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
