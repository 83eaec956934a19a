"""Middleware for every request: access, limits of size, and error messages.

The server runs on a person's own machine, so the danger is not who reaches the port but other pages in the same
browser. Hosts by other names are refused (DNS rebinding), and so are posts and websockets that another page's script
sends (the browser then names that page in `Origin`). Pages may load nothing from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcg.engine.vgdl.diagnostics import PcgError

LARGEST_BODY = 256 * 1024
"""Bytes that a request may send."""
LONGEST_LENGTH = 18
"""Digits of a length that are read at all; Python refuses to read some thousands."""

Header = tuple[bytes, bytes]


def security_headers(policy: str, referrer: str = "no-referrer") -> tuple[Header, ...]:
    """Return the headers with which every answer of a server is sent.

    Args:
        policy: what pages may load, as directives of a Content-Security-Policy; that nobody may frame them, and that
            their forms and relative addresses stay here, is added.
        referrer: the Referrer-Policy.

    >>> security_headers("default-src 'self'")[0][1].decode()
    "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    """
    return (
        (
            b"content-security-policy",
            f"{policy}; base-uri 'none'; frame-ancestors 'none'; form-action 'self'".encode(),
        ),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", referrer.encode()),
        (b"cross-origin-resource-policy", b"same-origin"),
    )


HEADERS = security_headers("default-src 'self'; img-src 'self' data:; object-src 'none'")
"""Headers of applications whose pages do not play."""
PLAY_HEADERS = security_headers(
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; object-src 'none'"
)
"""Headers of applications whose pages play in WebAssembly."""

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


class Refused(PcgError):
    """A request that cannot be answered; `status` is the HTTP status of the refusal."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """ASGI middleware that answers only what comes from its own pages.

    Args:
        app: what is guarded.
        hosts: names by which the server may be addressed; "*" allows all.
        headers: that every answer has, unless it brings one of its own.
        largest: bytes that a request may send.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] = LOCAL_HOSTS,
        *,
        headers: Sequence[Header] = HEADERS,
        largest: int = LARGEST_BODY,
    ) -> None:
        self.app = app
        self.hosts = frozenset(hosts)
        self.headers = tuple(headers)
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                added = [(name, value) for name, value in self.headers if name not in own]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await self._refuse(refusal, scope, receive, guarded)
        else:
            await self.app(scope, _limited(receive, self.largest), guarded)

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> Refused | None:
        host = headers.get(b"host", "")
        if "*" not in self.hosts and _name(host) not in self.hosts:
            return Refused(f"this server does not answer to the name {_name(host)[:80]!r}", 400)
        acts = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        origin = headers.get(b"origin")
        # Programs send no Origin; a browser always does where a page acts, and does not let the page choose it.
        if acts and origin is not None and _place(origin) != host.lower():
            return Refused("this request comes from a page of another site", 403)
        length = headers.get(b"content-length", "0")
        if not length.isdecimal() or len(length) > LONGEST_LENGTH or int(length) > self.largest:
            return Refused(f"the request is too large, expected at most {self.largest // 1024} KiB", 413)
        return None

    async def _refuse(self, refusal: Refused, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": str(refusal)})
            return
        await error_response(str(refusal), refusal.status)(scope, receive, send)


def _limited(receive: Receive, largest: int) -> Receive:
    """`receive`, with an end to what it hands on however the body is sent."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > largest:
                raise HTTPException(413, f"the request is too large, expected at most {largest // 1024} KiB")
        return message

    return counted


def _place(origin: str) -> str:
    """The host and port in an Origin header."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _name(host: str) -> str:
    """The name in a Host header, without port and brackets."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


# -- errors ------------------------------------------------------------------------------------------------------------


def error_response(message: str, status: int) -> JSONResponse:
    """The one shape in which errors are told: {"error": message}."""
    return JSONResponse({"error": message}, status)


async def on_pcg_error(request: Request, error: Exception) -> Response:
    """Bad input is the asker's: 4xx with the one message."""
    return error_response(str(error), error.status if isinstance(error, Refused) else 400)


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer what the router and starlette refuse, in words and in the same shape; pages get a line of text."""
    assert isinstance(error, HTTPException)
    said = {404: f"there is nothing at {request.url.path[:200]}", 405: f"{request.method} is not possible here"}
    message = said.get(error.status_code, error.detail)
    if "/api/" in request.url.path:
        return error_response(message, error.status_code)
    return PlainTextResponse(f"{message}\n", error.status_code)


ERRORS: dict[Any, Any] = {PcgError: on_pcg_error, HTTPException: on_http_error}
"""Exception handlers for a starlette application."""


async def read_object(request: Request) -> dict[str, Any]:
    """The JSON object that a request sends.

    Raises:
        Refused: when it sends something else.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # A form of another site can send text or form data without asking first, JSON it cannot.
        raise Refused(f"the request has content type {kind[:80]!r}, expected application/json", 415)
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise Refused("the request is no JSON text") from None
    if not isinstance(data, dict):
        raise Refused(f"the request is a JSON {type(data).__name__}, expected an object")
    return data


def take(data: dict[str, Any], name: str, kind: type[Any], default: Any = None, *, most: int | None = None) -> Any:
    """A value of a request's object; `most` bounds a number or the length of a text or list.

    Raises:
        Refused: when it is missing (without `default`) or of another kind.
    """
    value = data.get(name, default)
    words = {str: "a text", int: "a whole number", list: "a list", bool: "true or false", float: "a number"}
    right = isinstance(value, (int, float) if kind is float else kind) and (kind is bool or not isinstance(value, bool))
    if not right:
        told = "missing" if name not in data else f"{json.dumps(value)[:60]}"
        raise Refused(f"`{name}` is {told}, expected {words[kind]}")
    if most is not None and (value > most if kind in (int, float) else len(value) > most):
        raise Refused(f"`{name}` is {'larger' if kind in (int, float) else 'longer'} than {most}")
    return value
