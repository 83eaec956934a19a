"""Security of a study: cookies, forms that only our own pages can send, and limits on requests.

What is defended against what, and what is not, is told in docs/study-security.md.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from pcg.study.server.connections import PER_ADDRESS
from pcg.web.guard import Refused, security_headers

LARGEST_FORM = 64 * 1024
"""Bytes that a request may send."""
MOST_FIELDS = 64

HEADERS = (
    *security_headers(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'",
        referrer="same-origin",  # with no-referrer browsers send forms with "Origin: null"
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)  # fmt: skip
PAGE_HEADERS = tuple(
    (name, value.replace(b"script-src 'self'", b"script-src 'self' 'wasm-unsafe-eval'")) for name, value in HEADERS
)
"""Headers where games run in the page: WebAssembly may be compiled, and scripts made of texts may not."""
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")

COOKIE_DAYS = 60


@dataclass(frozen=True, slots=True)
class Limits:
    """Requests a second, and how many at once, after a pause.

    A whole class or laboratory may come from one address, so that limit is there against programs, not against people.
    """

    participant: tuple[float, float] = (8.0, 60.0)
    address: tuple[float, float] = (100.0, 1000.0)
    joining: tuple[float, float] = (5.0, 400.0)
    """New participants from one address."""
    researcher: tuple[float, float] = (0.2, 10.0)
    """Wrong researcher's tokens from one address."""
    connections: int = PER_ADDRESS
    """Open connections of one address; 0: no limit."""

    @classmethod
    def none(cls) -> Limits:
        """No limits, for load that one makes oneself."""
        endless = (1e9, 1e9)
        return cls(endless, endless, endless, endless, 0)


class Buckets:
    """Token buckets by name. Names are kept only as a hash with a key that this process forgets when it ends.

    Args:
        rate: tokens that come back per second.
        most: tokens that a bucket holds.
        clock: seconds.

    >>> buckets = Buckets(1.0, 2.0, clock=lambda: 0.0)
    >>> [buckets.take("one") for _ in range(3)]
    [True, True, False]
    """

    MOST_NAMES = 20_000

    def __init__(self, rate: float, most: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.most, self._clock = rate, most, clock
        self._key = secrets.token_bytes(16)
        self._left: dict[bytes, tuple[float, float]] = {}

    def take(self, name: str, cost: float = 1.0) -> bool:
        """Take tokens from a bucket; return True if it had enough."""
        now, key = self._clock(), self._hash(name)
        left, then = self._left.pop(key, (self.most, now))
        left = min(self.most, left + (now - then) * self.rate)
        enough = left >= cost
        self._left[key] = (left - cost if enough else left, now)
        if len(self._left) > self.MOST_NAMES:
            self._forget(now)
        return enough

    def has(self, name: str, cost: float = 1.0) -> bool:
        """Return True if there is enough in a bucket; takes nothing."""
        now = self._clock()
        left, then = self._left.get(self._hash(name), (self.most, now))
        return left + (now - then) * self.rate >= cost

    def _hash(self, name: str) -> bytes:
        return hashlib.blake2b(name.encode(), key=self._key, digest_size=16).digest()

    def _forget(self, now: float) -> None:
        """Drop buckets that are full again; if those are few, the ones not asked for longest."""
        full = self.most / self.rate
        self._left = {key: value for key, value in self._left.items() if now - value[1] < full}
        while len(self._left) > self.MOST_NAMES // 2:
            del self._left[next(iter(self._left))]


class Gate:
    """The limits of one server process."""

    MOST_KNOWN = 20_000

    def __init__(self, limits: Limits) -> None:
        self._known: dict[str, None] = {}
        self._buckets = {
            name: Buckets(*getattr(limits, name)) for name in ("participant", "address", "joining", "researcher")
        }

    def pass_(self, kind: str, name: str) -> None:
        """Count one of `kind`.

        Raises:
            Refused: when there were too many.
        """
        if not self._buckets[kind].take(name):
            raise Refused("too many requests in a short time; wait a moment", 429)

    def request(self, connection: HTTPConnection, secret: str | None) -> None:
        """Count a request: of a participant who was here before by participant, of everybody else by address too.

        So those who take part are not kept waiting by somebody else at their address.
        """
        if secret is None or secret not in self._known:
            self.pass_("address", address_of(connection))
        if secret is not None:
            self.pass_("participant", secret)

    def check(self, kind: str, name: str) -> None:
        """Count nothing, but refuse where nothing is left.

        Raises:
            Refused: when there were too many.
        """
        if not self._buckets[kind].has(name):
            raise Refused("too many requests in a short time; wait a moment", 429)

    def knows(self, secret: str) -> bool:
        """Return True for a cookie that was found to be good before."""
        return secret in self._known

    def know(self, secret: str) -> None:
        """Note that a cookie is a participant's, or the researcher's."""
        self._known.pop(secret, None)
        self._known[secret] = None
        if len(self._known) > self.MOST_KNOWN:
            del self._known[next(iter(self._known))]

    def forget(self, secret: str) -> None:
        """Note that it is not any more."""
        self._known.pop(secret, None)


def address_of(connection: HTTPConnection) -> str:
    """The network address of the other side; for the buckets only, it is neither stored nor written to a log."""
    return connection.client.host if connection.client is not None else ""


# -- cookies -----------------------------------------------------------------------------------------------------------


class Jar:
    """The cookies of a study.

    Over https their names begin with `__Host-`: browsers take such a cookie from this very host alone, so that no page
    of a sibling domain can choose one for us. Visitors' cookies are signed, so that over http as well only those are
    accepted that a server of this study has made; those of participants and researchers are looked up in the database.

    Args:
        name: of the study; two studies on one server have cookies of their own.
        path: below which they are sent over http; with `__Host-` browsers send them to all of the host.
        secure: only over https; None: as the request came.
        key: of the server.
    """

    def __init__(self, name: str, path: str, secure: bool | None, key: str) -> None:
        self.participant, self.visitor, self.researcher = f"pcg-{name}", f"pcg-{name}-form", f"pcg-{name}-researcher"
        self.path = path or "/"
        self.secure = secure
        self._key = key.encode()

    def get(self, connection: HTTPConnection, name: str) -> str | None:
        """A cookie's value, if it has the form of one of ours."""
        value = connection.cookies.get(self._full(connection, name), "")
        if not (16 <= len(value) <= 64 and value.isascii() and value.isprintable()):
            return None
        return value if name != self.visitor or self._is_signed(value) else None

    def new_visitor(self) -> str:
        """Return the cookie of another visitor: random, and signed."""
        nonce = secrets.token_urlsafe(18)
        return f"{nonce}.{self._signature(nonce)}"

    def put(self, request: Request, response: Response, name: str, value: str) -> None:
        """Set a cookie."""
        secure = self._is_secure(request)
        lasts = COOKIE_DAYS * 86400 if name == self.participant else None
        strict = "strict" if name == self.researcher else "lax"
        response.set_cookie(
            self._full(request, name), value, max_age=lasts, path="/" if secure else self.path, secure=secure,
            httponly=True, samesite=strict,  # type: ignore[arg-type]
        )  # fmt: skip

    def drop(self, request: Request, response: Response, name: str) -> None:
        """Delete a cookie."""
        secure = self._is_secure(request)
        response.delete_cookie(
            self._full(request, name), path="/" if secure else self.path, secure=secure, httponly=True
        )

    def _full(self, connection: HTTPConnection, name: str) -> str:
        return f"__Host-{name}" if self._is_secure(connection) else name

    def _is_secure(self, connection: HTTPConnection) -> bool:
        return connection.url.scheme in ("https", "wss") if self.secure is None else self.secure

    def _signature(self, nonce: str) -> str:
        return hmac.new(self._key, f"visitor {nonce}".encode(), hashlib.sha256).hexdigest()[:32]

    def _is_signed(self, value: str) -> bool:
        nonce, _, given = value.rpartition(".")
        return hmac.compare_digest(self._signature(nonce), given)


# -- forms -------------------------------------------------------------------------------------------------------------


def form_token(secret: str) -> str:
    """Return the token that a form must send: made from a cookie that no other page can read."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def participant_secret(key: str, visitor: str, identity: str) -> str:
    """The secret of the participant that a visitor becomes; the same again when the form is sent twice.

    Args:
        key: of the server, so that nobody who chose the visitor's cookie can tell.
        visitor: the visitor's cookie.
        identity: the ID of the link: two people who share a browser are two participants.
    """
    return hmac.new(key.encode(), f"participant {visitor} {identity}".encode(), hashlib.sha256).hexdigest()


async def read_form(request: Request, *secrets: str | None) -> dict[str, str]:
    """The fields of a form that one of our own pages sent.

    Args:
        request: the request.
        secrets: the cookies from which the form's token may have been made.

    Raises:
        Refused: for anything else.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refused("the request is no form", 415)
    try:
        text = (await request.body()).decode("ascii")
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Refused("the form cannot be read", 400) from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise Refused("the form has a field twice", 400)
    given = fields.pop("token", "")
    ours = [hmac.compare_digest(form_token(secret).encode(), given.encode()) for secret in secrets if secret]
    if not any(ours):
        raise OldForm
    return fields


class OldForm(Refused):
    """A form without the right token: of a page that was open for long, without cookies, or of another site."""

    def __init__(self) -> None:
        super().__init__("this form is not one of ours, or it is too old", 403)
