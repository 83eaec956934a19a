"""A participant's browser without a window: reads pages, sends forms, and plays over the websocket.

It knows of a study only what the pages say, and goes where the server sends it, so whatever breaks (a connection, the
server itself) it comes back and goes on where it was.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from pcg.engine.vgdl.diagnostics import PcgError

PATIENCE_S = 60.0
"""Seconds that a server may be away."""
_TOKEN = re.compile(r'name="token" value="([0-9a-f]+)"')
_HOPS = 10


class Away(PcgError):
    """The server does not answer, or not with a page."""


@dataclass(frozen=True)
class Page:
    """A page as it was read, after all redirections."""

    path: str
    status: int
    text: str = field(repr=False)

    @property
    def token(self) -> str:
        """The token that the page's forms send along; empty where it has none."""
        found = _TOKEN.search(self.text)
        return found[1] if found else ""

    @property
    def token_of_play(self) -> str:
        """The token with which the page opens its game; empty where the game runs on the server."""
        found = re.search(r'data-open="[^"]*"[^>]* data-token="([0-9a-f]+)"', self.text)
        return found[1] if found else ""

    def hidden(self) -> dict[str, str]:
        """The hidden fields of its last form."""
        fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', self.text)
        return {html.unescape(name): html.unescape(value) for name, value in fields}


class KeySource(Protocol):
    """Decides which keys are pressed in a play."""

    def begin(self, welcome: Mapping[str, Any]) -> None:
        """A play begins, or goes on after its connection was lost."""

    def keys(self, frame: Mapping[str, Any]) -> list[str]:
        """Actions whose keys are pressed and let go now, after a frame; an empty one before the first."""


@dataclass
class Played:
    """The outcome of a visit to a game."""

    enough: bool = False
    ended: bool = False
    frames: int = 0
    first_frame: float = 0.0
    """Seconds from opening the connection to the first picture."""
    intervals: list[float] = field(default_factory=list)
    """Moments at which frames of a running game came, by this machine's clock."""
    ticks: list[int] = field(default_factory=list)
    """The ticks that they showed."""


class Browser:
    """One participant's browser.

    Args:
        base: address of the study.
        context: for https, shared between many; None: made when it is needed.
        patience: seconds for which a server may be away.
        watch: note when each frame came.
    """

    def __init__(
        self, base: str, *, context: ssl.SSLContext | None = None, patience: float = PATIENCE_S, watch: bool = False
    ) -> None:
        self.base = base.rstrip("/")
        self.patience = patience
        self.watch = watch
        self.root = urlsplit(self.base).path
        self.requests = 0
        self._http = httpx.AsyncClient(
            verify=context or self.base.startswith("https"), timeout=30.0, trust_env=False, follow_redirects=False
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    def cookie(self, beginning: str = "pcg-") -> str:
        """The value of the participant's cookie; empty before consent."""
        for cookie in self._http.cookies.jar:
            if cookie.name.removeprefix("__Host-").startswith(beginning) and not cookie.name.endswith(
                ("-form", "-researcher")
            ):
                return cookie.value or ""
        return ""

    # -- pages ---------------------------------------------------------------------------------------------------------

    async def get(self, path: str) -> Page:
        """Read a page; waits for a server that is away or busy.

        Raises:
            Away: when it stays away.
        """
        end = time.monotonic() + self.patience
        pause = 0.05
        while True:
            try:
                page = await self._follow("GET", path)
                if page.status not in (429, 502, 503):
                    return page
                problem = f"status {page.status}"
            except httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            if time.monotonic() > end:
                raise Away(f"no page at {self.base}{path}: {problem}")
            await asyncio.sleep(pause)
            pause = min(0.4, 1.5 * pause)

    async def post(self, path: str, fields: Mapping[str, str]) -> Page:
        """Send a form, once, and read the page it leads to.

        Raises:
            Away: when nothing came back; then nobody knows whether it was taken.
        """
        try:
            return await self._follow("POST", path, dict(fields))
        except httpx.TransportError as error:
            raise Away(f"no answer to the form: {type(error).__name__}: {error}") from None

    async def send(self, path: str, fields: Mapping[str, str]) -> int:
        """Send a form, once, without going on; the status of the answer (303: it was taken).

        Raises:
            Away: when nothing came back.
        """
        self.requests += 1
        try:
            return (await self._http.post(self.base + path, data=dict(fields))).status_code
        except httpx.TransportError as error:
            raise Away(f"no answer to the form: {type(error).__name__}: {error}") from None

    async def ask(self, path: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Send an object as the scripts of a page do, again and again while the server is away, and return the answer.

        Raises:
            Away: when the server stays away, or refuses it.
        """
        end = time.monotonic() + self.patience
        pause = 0.05
        while True:
            self.requests += 1
            try:
                accept = {"accept": "application/json"}
                answer = await self._http.post(self.base + path, json=dict(data), headers=accept)
                if answer.status_code == 200:
                    found: dict[str, Any] = answer.json()
                    return found
                known = answer.json() if answer.status_code == 409 else {}
                if known.get("ticks") == data.get("from", -1) + len(data.get("actions", "")):
                    return dict(known)  # it was stored, and the answer was lost
                problem = f"status {answer.status_code} {answer.text[:200]}"
                if answer.status_code not in (429, 502, 503):
                    raise Away(f"{path} was refused: {problem}")
            except httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            if time.monotonic() > end:
                raise Away(f"no answer from {self.base}{path}: {problem}")
            await asyncio.sleep(pause)
            pause = min(0.4, 1.5 * pause)

    async def _follow(self, method: str, path: str, fields: dict[str, str] | None = None) -> Page:
        url = self.base + path
        for _ in range(_HOPS):
            self.requests += 1
            answer = await self._http.request(method, url, data=fields)
            if answer.status_code not in (301, 302, 303, 307):
                told = answer.url.path.removeprefix(self.root) or "/"
                return Page(told, answer.status_code, answer.text)
            url = str(answer.url.join(answer.headers["location"]))
            method, fields = "GET", None
        raise Away(f"{path} leads in circles")

    # -- games ---------------------------------------------------------------------------------------------------------

    async def play(self, path: str, keys: KeySource, *, most_s: float = 600.0) -> Played:
        """Play the game of a page until it was enough or is over.

        Raises:
            Away: when the connection breaks; the page knows where one was.
        """
        parts = urlsplit(self.base + path + "/socket")
        url = urlunsplit(parts._replace(scheme="wss" if parts.scheme == "https" else "ws"))
        cookies = "; ".join(f"{c.name}={c.value}" for c in self._http.cookies.jar)
        began = time.perf_counter()
        try:
            async with connect(
                url, additional_headers={"Cookie": cookies}, compression=None, open_timeout=30, ping_interval=None,
                max_size=2**22, proxy=None,
            ) as socket:  # fmt: skip
                return await asyncio.wait_for(self._play(socket, keys, began), most_s)
        except (OSError, WebSocketException, EOFError, TimeoutError) as error:
            raise Away(f"the game's connection broke: {type(error).__name__}: {error}") from None

    async def _play(self, socket: Any, keys: KeySource, began: float) -> Played:
        played = Played()
        async for text in socket:
            message = json.loads(text)
            kind = message["type"]
            if kind == "frame":
                played.frames += 1
                if self.watch and "tick" in message:
                    played.intervals.append(time.perf_counter())
                    played.ticks.append(int(message["tick"]))
                await _press(socket, keys.keys(message))
                continue
            if kind == "welcome":
                played.first_frame = time.perf_counter() - began
                report = message.get("study", {})
                if report.get("enough"):
                    played.enough = True
                    return played
                keys.begin(message)
                await socket.send('{"type":"resume"}')
                await _press(socket, keys.keys(message["frame"]))
            elif kind == "study":
                played.enough = bool(message["enough"])
                if played.enough:
                    return played
            elif kind == "end":
                played.ended = True
            elif kind == "gone":
                raise Away(str(message.get("message")))
        raise Away("the game's connection was closed")


async def _press(socket: Any, actions: list[str]) -> None:
    for action in actions:
        await socket.send(json.dumps({"type": "down", "action": action}))
        await socket.send(json.dumps({"type": "up", "action": action}))
