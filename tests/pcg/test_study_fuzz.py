"""Fuzzing of a study's server: it answers everything, never with an error of its own, and stores nothing wrong."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import studies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from tiers import examples

from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.server.app import study_app
from pcg.study.server.security import Limits
from pcg.study.store import StudyStore

PATHS = (
    "/", "/join", "/declined", "/language", "/instructions", "/begin", "/pair/1/first", "/pair/1/second",
    "/pair/1/vote", "/pair/2/vote", "/thanks", "/data", "/forget", "/healthy", "/researcher", "/researcher/progress",
    "/researcher/state", "/researcher/login", "/static/study.css", "/static/player/player.js", "/sheets/x.png",
    "/favicon.ico",
)  # fmt: skip
FIELDS = (
    "token", "consent", "language", "back", "q-prefer", "s-hard-first", "s-hard-second", "reason", "sure", "simulated",
    "PROLIFIC_PID", "state", "lang",
)  # fmt: skip
VALUES = ("yes", "en", "zh", "first", "second", "both", "neither", "1", "5", "6", "-1", "/", "//elsewhere", "open", "")

anything = st.text(max_size=60)
path = st.one_of(
    st.sampled_from(PATHS),
    st.builds(
        lambda *parts: "/" + "/".join(parts),
        st.sampled_from(("pair", "sheets", "static", "researcher", "..", "%2e%2e")),
        st.one_of(st.integers(-5, 10**30).map(str), st.text("abc./%0129_-", min_size=1, max_size=20)),
        st.sampled_from(("first", "second", "vote", "third", "socket", "")),
    ),
)
fields = st.dictionaries(st.one_of(st.sampled_from(FIELDS), anything), st.one_of(st.sampled_from(VALUES), anything),
                         max_size=6)  # fmt: skip
headers = st.dictionaries(
    st.sampled_from(("accept-language", "content-type", "origin", "referer", "accept", "x-forwarded-for", "cookie")),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40), max_size=3,
)  # fmt: skip
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), anything)
message = st.one_of(
    st.builds(
        lambda kind, action, more: json.dumps({"type": kind, "action": action, **more}),
        st.one_of(st.sampled_from(("down", "up", "release", "pause", "resume", "restart", "pace")), scalars),
        st.one_of(st.sampled_from(("UP", "LEFT", "DOWN", "RIGHT", "USE", "NIL", "ESCAPE")), scalars),
        st.dictionaries(st.sampled_from(("ticks_per_second", "by_turn", "x")), scalars, max_size=3),
    ),
    anything,
    st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=5).map(lambda v: json.dumps(v)),
    st.just("[" * 900),
)  # fmt: skip

TOKEN = re.compile(r'name="token" value="([0-9a-f]+)"')


class World:
    """A study, its server, and a participant who has come to the first game."""

    def __init__(self, store: StudyStore, client: TestClient) -> None:
        self.store, self.client = store, client
        token = self.token("/")
        client.post("/join", data={"token": token, "consent": "yes"})
        client.post("/begin", data={"token": self.token("/instructions")})
        self.cookies = dict(client.cookies)
        self.form = self.token("/data")

    def token(self, path: str) -> str:
        found = TOKEN.search(self.client.get(path).text)
        assert found is not None
        return found[1]

    def back(self) -> None:
        """The participant is there, whatever the last requests did to the cookies."""
        self.client.cookies.clear()
        self.client.cookies.update(self.cookies)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("fuzz") / "s"
    studies.make(folder, Source("boxes", levels="0-1"),
                 settings={"design": {"checks": 0, "pairs": 1}, "play": {"minimum": 3600.0}})  # fmt: skip
    store = open_study(folder)
    with TestClient(study_app(store, limits=Limits.none()), base_url="http://localhost") as client:
        yield World(store, client)
    store.engine.dispose()


some = settings(
    max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def check(world: World, answer: Any) -> None:
    """The answer is one, it is guarded, and nothing was voted, since nothing was played for long enough."""
    assert answer.status_code < 500, (answer.status_code, answer.text[:500])
    policy = answer.headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    for hop in [*answer.history, answer]:
        where = hop.headers.get("location", "/")
        assert where.startswith(("/", "http://localhost/")) and not where.startswith("//"), where
    assert world.store.vote_rows() == []


@given(st.sampled_from(("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS")), path, fields, headers, st.booleans())
@some
def test_any_request(
    world: World, method: str, path: str, fields: dict[str, str], headers: dict[str, str], signed: bool
) -> None:
    world.back()
    # Deleting one's data is what the last field of that form is for; everything else must leave them alone.
    given_ = {k: v for k, v in fields.items() if k != "sure"}
    if signed:
        given_["token"] = world.form
    with contextlib.suppress(UnicodeEncodeError):  # a header or field that cannot be sent
        body = {"data": given_} if method in ("POST", "PUT") else {"params": given_}
        check(world, world.client.request(method, path, headers=headers, **body))
    assert len([p for p in world.store.participants() if p.id]) >= 1


KINDS = ("application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x", "text/plain", "")


@given(path, st.binary(max_size=300), st.sampled_from(KINDS))
@some
def test_any_body(world: World, path: str, body: bytes, kind: str) -> None:
    world.back()
    check(world, world.client.post(path, content=body, headers={"content-type": kind} if kind else {}))


@given(st.lists(message, max_size=8), st.sampled_from(("first", "second", "third")), st.integers(0, 3))
@some
def test_any_messages_of_a_play(world: World, messages: list[str], side: str, number: int) -> None:
    world.back()
    with (
        contextlib.suppress(WebSocketDisconnect),
        world.client.websocket_connect(f"/pair/{number}/{side}/socket") as socket,
    ):
        first = socket.receive_json()
        assert first["type"] in ("welcome", "gone")
        if first["type"] == "gone":
            return
        for text in messages:
            with contextlib.suppress(UnicodeEncodeError):
                socket.send_text(text)
        socket.send_text('{"type": "pause"}')
        for _ in range(500):
            told = socket.receive_json()
            assert told["type"] in ("frame", "paused", "error", "end", "study", "pace"), told
            if told == {"type": "paused", "paused": True}:
                break
    assert world.store.vote_rows() == []
    assert all(len(play.actions) == play.ticks for play in world.store.plays())
