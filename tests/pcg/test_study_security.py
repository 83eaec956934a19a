"""Security of a study's server: forms, cookies, headers, limits; and anything at all sent to every address."""

from __future__ import annotations

import base64
import hmac
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect
from study_walks import Walker, served, small_study
from tiers import examples

from pcg.study.creation import make_study, read_plan
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.server import Limits
from pcg.study.server.pages import STATIC
from pcg.study.server.security import Buckets, form_token, participant_secret
from pcg.study.store import StudyStore
from pcg.study.texts import built_in, choose_language

Another = Callable[..., Walker]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> StudyStore:
    return small_study(tmp_path_factory.mktemp("studies") / "study")


@pytest.fixture(scope="module")
def another(store: StudyStore) -> Iterator[Another]:
    with served(store) as found:
        yield found


# -- forms and cookies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/join", "/language", "/begin", "/pair/1/vote", "/forget"])
def test_a_form_without_our_token_changes_nothing(store: StudyStore, another: Another, path: str) -> None:
    one = another().join().begin()
    before = store.situation(one.client.cookies[f"pcg-{store.name}"])
    for token in ("", "0" * 64, form_token("guess")):
        answer = one.client.post(path, data={"token": token, "q-prefer": "first", "sure": "yes", "consent": "yes"})
        assert answer.status_code == 403
    assert store.situation(one.client.cookies[f"pcg-{store.name}"]) == before


def test_requests_of_other_sites_are_refused(another: Another) -> None:
    one = another().join().begin()
    fields = {"token": one.token, "language": "zh"}
    for origin in ("https://evil.org", "null", "", "http://[evil"):
        answer = one.client.post("/language", data=fields, headers={"origin": origin})
        assert answer.status_code == 403
        assert answer.headers["x-content-type-options"] == "nosniff" and "content-security-policy" in answer.headers
    assert one.client.get("/", headers={"host": "evil.org"}).status_code == 400
    with pytest.raises(WebSocketDisconnect), one.client.websocket_connect(
        "ws://localhost/pair/1/first/socket", headers={"origin": "https://evil.org"}
    ):  # fmt: skip
        pass


def test_cookies_are_for_us_alone_and_secure_over_https(store: StudyStore, another: Another) -> None:
    one = another()
    one.get("/")
    cookies = one.send("/join", follow=False, consent="yes").headers["set-cookie"]
    assert "HttpOnly" in cookies and "SameSite=lax" in cookies and "Secure" not in cookies
    secure = one.client.get("https://localhost/", headers={"cookie": ""}).headers["set-cookie"]
    assert "Secure" in secure and secure.startswith(f"__Host-pcg-{store.name}-form=") and "Path=/;" in secure
    with served(store, secure=True) as strict:
        page = strict().get("/")
        assert "Secure" in page.headers["set-cookie"] and "strict-transport-security" in page.headers


def test_a_cookie_that_a_sibling_domain_chose_is_not_taken(store: StudyStore, another: Another) -> None:
    one, name = another(), f"pcg-{store.name}"
    for chosen in ("x" * 32, f"{'x' * 24}.{'0' * 32}"):
        page = one.client.get("/", headers={"cookie": f"{name}-form={chosen}"})
        assert f"{name}-form=" in page.headers["set-cookie"] and form_token(chosen) not in page.text
        fields = {"token": form_token(chosen), "consent": "yes"}
        sent = one.client.post("/join", data=fields, headers={"cookie": f"{name}-form={chosen}"})
        assert sent.status_code == 403
    # Over https a sibling can set no cookie of the names that are read, not even one of ours for somebody else.
    mine = another().join()
    ours = "; ".join(f"{cookie.name}={cookie.value}" for cookie in mine.client.cookies.jar)
    page = one.client.get("https://localhost/", headers={"cookie": ours})
    assert page.url.path == "/" and f"__Host-{name}-form=" in page.headers["set-cookie"]
    own = {"cookie": f"__Host-{name}={mine.client.cookies[name]}"}
    assert one.client.get("https://localhost/", headers=own).headers["location"] == "/instructions"


def test_over_http_a_sibling_domain_can_hand_on_a_visitors_cookie(store: StudyStore, another: Another) -> None:
    # What is not covered: nothing tells a cookie that was made for somebody else here from one's own.
    one, other, name = another(), another(), f"pcg-{store.name}-form"
    one.get("/")
    other.client.cookies.set(name, one.client.cookies[name])
    other.get("/")
    assert other.token == form_token(one.client.cookies[name])
    other.join()
    assert other.person.consented
    # Over https it is not even read.
    one.get("/")
    page = other.client.get("https://localhost/", headers={"cookie": f"{name}={one.client.cookies[name]}"})
    assert form_token(one.client.cookies[name]) not in page.text


def test_the_cookie_of_a_participant_cannot_be_told_from_the_visitors(store: StudyStore, another: Another) -> None:
    one = another()
    one.get("/")
    visitor = one.client.cookies[f"pcg-{store.name}-form"]
    one.send("/join", consent="yes")
    made = {participant_secret(key, visitor, "") for key in ("", "0" * 64, store.name)}
    assert one.client.cookies[f"pcg-{store.name}"] not in made and len(store.key) == 64


def test_pages_may_load_nothing_from_elsewhere_and_run_nothing_inline(another: Another) -> None:
    one = another().join().begin()
    policy = one.page.headers["content-security-policy"]
    assert "script-src 'self' 'wasm-unsafe-eval';" in policy  # which compiles WebAssembly and no texts
    assert "default-src 'none'" in policy and "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")
    assert "frame-ancestors 'none'" in policy and one.page.headers["x-frame-options"] == "DENY"
    assert one.page.headers["cache-control"] == "no-store" and one.page.headers["x-content-type-options"] == "nosniff"
    for path in ("/", "/data", "/instructions", "/nothing"):
        text = one.get(path).text
        assert "<style" not in text and " style=" not in text and " onclick" not in text and "http:" not in text


def test_secrets_are_stored_only_as_hashes(store: StudyStore, another: Another) -> None:
    one = another().join()
    secret = one.client.cookies[f"pcg-{store.name}"]
    token = store.new_token()
    database = Path(str(store.engine.url.database))
    stored = b"".join(path.read_bytes() for path in database.parent.glob("study.db*"))
    assert secret.encode() not in stored and token.encode() not in stored and b"testclient" not in stored


def test_tokens_are_long_and_each_is_another(store: StudyStore, another: Another) -> None:
    tokens = [store.new_token() for _ in range(20)]
    assert len(set(tokens)) == 20 and all(len(base64.urlsafe_b64decode(f"{token}=")) == 32 for token in tokens)
    assert len(bytes.fromhex(store.key)) == 32
    ways = set()
    for _ in range(5):
        one = another().join()
        visitor = one.client.cookies[f"pcg-{store.name}-form"]
        assert len(base64.urlsafe_b64decode(visitor.partition(".")[0])) == 18
        ways |= {visitor, one.client.cookies[f"pcg-{store.name}"]}
        assert len(bytes.fromhex(one.client.cookies[f"pcg-{store.name}"])) == 32
    assert len(ways) == 10


def test_secrets_are_compared_in_a_time_that_does_not_tell_how_much_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = small_study(tmp_path / "compared")
    token, compared = store.new_token(), list[tuple[str | bytes, str | bytes]]()
    compare = hmac.compare_digest

    def noted(ours: Any, given: Any) -> bool:
        compared.append((ours, given))
        return compare(ours, given)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    for guess in ("", "x", token[:20], f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}", f"{token}x", token):
        compared.clear()
        assert store.is_researcher(guess) == (guess == token)
        ((ours, given),) = compared  # once, over all of two hashes of the same length, neither of them the secret
        assert len(ours) == len(given) == 64 and token not in (ours, given)
    with served(store) as another:
        one, name = another(), f"pcg-{store.name}"
        one.get("/")
        visitor, right = one.client.cookies[f"{name}-form"], one.token
        compared.clear()
        forged = f"{visitor[:-1]}{'0' if visitor[-1] != '0' else '1'}"
        another().client.get("/", headers={"cookie": f"{name}-form={forged}"})
        assert [(len(ours), given) for ours, given in compared] == [(32, forged.rpartition(".")[2])]
        for given in ("", right[:63], right):
            compared.clear()
            one.client.post("/join", data={"token": given, "consent": "no"})
            assert (right.encode(), given.encode()) in compared


def test_there_are_three_cookies_and_no_script_reads_them(tmp_path: Path) -> None:
    store = small_study(tmp_path / "cookies", design__pairs=1)
    with served(store) as another:
        one = another()
        set_: list[str] = []
        one.client.event_hooks["response"].append(lambda answer: set_.extend(answer.headers.get_list("set-cookie")))
        one.join().begin()
        one.play_both()
        one.vote()
        one.get("/researcher")
        one.send("/researcher/enter", researcher=store.new_token())
        name = f"pcg-{store.name}"
        lasting = {}
        for cookie in set_:
            assert "HttpOnly" in cookie and "Domain=" not in cookie
            lasting[cookie.partition("=")[0]] = re.findall(r"Max-Age=(\d+)", cookie)
        assert lasting == {name: [str(60 * 86400)], f"{name}-form": [], f"{name}-researcher": []}


def test_addresses_are_held_only_as_hashes_with_a_key_of_this_process() -> None:
    here, elsewhere = Buckets(1.0, 2.0), Buckets(1.0, 2.0)
    here.take("192.0.2.77")
    elsewhere.take("192.0.2.77")
    held = repr([vars(bucket)["_left"] for bucket in (here, elsewhere)])
    assert "192.0.2" not in held and set(here._left).isdisjoint(elsewhere._left)


def test_what_was_deleted_is_not_in_the_file_after_vacuum(tmp_path: Path) -> None:
    store = small_study(tmp_path / "gone", design__pairs=1)
    with served(store) as another:
        one = another().join().begin()
        one.play_both()
        one.vote(reason="what nobody else would write")
        assert b"what nobody else would write" in _files(tmp_path / "gone")
        one.get("/data")
        one.send("/forget", sure="yes")
    store.engine.dispose()
    with closing(sqlite3.connect(tmp_path / "gone" / "study.db", isolation_level=None)) as database:
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"what nobody else would write" not in _files(tmp_path / "gone")


@pytest.mark.parametrize(
    ("keep", "kept"),
    [(None, {"PROLIFIC_PID", "SESSION_ID"}), ("who, SESSION_ID", {"who", "SESSION_ID"}), ("", set())],
)
def test_only_the_parameters_of_the_link_that_keep_names_are_stored(
    tmp_path: Path, keep: str | None, kept: set[str]
) -> None:
    identity = {} if keep is None else {"access__identity": "who" if "who" in keep else ""}
    store = small_study(tmp_path / "kept", **({} if keep is None else {"access__keep": keep}), **identity)
    given = {"PROLIFIC_PID": "value-of-a-panel", "SESSION_ID": "value-of-a-session", "who": "value-of-a-person",
             "email": "value-of-an-address"}  # fmt: skip
    with served(store) as another:
        one = another()
        one.get(f"/?{'&'.join(f'{name}={value}' for name, value in given.items())}")
        assert not any(value.encode() in _files(tmp_path / "kept") for value in given.values())  # before consent
        hidden = {name: value for name, value in one.hidden().items() if name not in ("token", "back")}
        one.send("/join", consent="yes", **{**hidden, "email": given["email"]})  # nor what a form makes up
        one.begin()
        assert one.person.external == {name: given[name] for name in kept}
    stored = _files(tmp_path / "kept")
    assert {name for name, value in given.items() if value.encode() in stored} == kept


def _files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("study.db*"))


def test_large_bodies_are_refused(another: Another) -> None:
    one = another().join()
    huge = one.client.post("/begin", data={"token": one.token, "x": "y" * 70_000})
    assert huge.status_code == 413
    assert one.client.post("/begin", json={"token": one.token}).status_code == 415
    assert one.client.post("/begin", data={"token": one.token} | {f"f{k}": "" for k in range(80)}).status_code == 400


def test_long_reasons_are_cut_and_control_characters_dropped(tmp_path: Path) -> None:
    store = small_study(tmp_path / "reasons", design__pairs=1)
    with served(store) as another:
        one = another().join().begin()
        one.play_both()
        one.vote(reason="a\x00b\x1b[31m\u202e" + "c" * 5000)
    (row,) = store.vote_rows()
    assert row["reason"].startswith("ab[31mc") and len(row["reason"]) <= 2000


# -- limits ------------------------------------------------------------------------------------------------------------


def test_buckets_fill_up_again() -> None:
    now = [0.0]
    buckets = Buckets(2.0, 3.0, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    assert buckets.take("b")
    now[0] = 0.5
    assert [buckets.take("a") for _ in range(2)] == [True, False]


def test_asking_whether_something_is_left_takes_nothing() -> None:
    buckets = Buckets(1.0, 1.0, clock=lambda: 0.0)
    assert buckets.has("a") and buckets.has("a") and buckets.take("a") and not buckets.has("a")


@pytest.mark.parametrize("digits", ["9" * 5000, "1" * 400, "٣", "²", "-1", "1.0"])
def test_numbers_of_any_length_are_answered(tmp_path: Path, digits: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(
        '[study]\nlanguages = "en"\n[design]\nchecks = 0\npairs = 1\n[play]\nminimum = 0\n'
        '[[scale]]\nname = "hard"\neach = false\n[texts.en]\nhard = "How hard?"\n'
    )
    plan, _, texts = read_plan("long", file)
    make_study(tmp_path / "long", plan, [Source("boxes")], texts=texts, measure=False)
    store = open_study(tmp_path / "long")
    with served(store) as another:
        one = another().join().begin()
        for path in ("/pair/{}/first", "/pair/{}/vote", "/sheets/{}.png"):
            assert one.client.get(path.format(digits)).status_code == 404
        one.play_both()
        token = one.token
        fields = {"token": token, "q-prefer": "first", "s-hard": digits}
        assert one.client.post("/pair/1/vote", data=fields).status_code == 400
        headers = {"content-length": digits.encode(), "content-type": "application/x-www-form-urlencoded"}
        assert one.client.post("/begin", content=b"", headers=headers).status_code in (303, 400, 403, 413)
        assert one.client.get("/static/study.css", headers={"range": f"bytes={digits}-".encode()}).status_code < 500
        with one.socket("/pair/1/first") as socket:
            socket.receive_json()
            socket.send_text('{"type": "pace", "ticks_per_second": ' + digits[:900] + "}")
            assert socket.receive_json()["type"] == "error"
    assert store.vote_rows() == []


def test_the_token_is_not_guessed_for_ever_by_any_way(tmp_path: Path) -> None:
    store = small_study(tmp_path / "guessed")
    token = store.new_token()
    limits = Limits(researcher=(0.0001, 10.0))
    for way in ("cookie", "simulated"):
        with served(store, limits=limits) as another:
            one, right = another(), another()
            right.client.cookies.set(f"pcg-{store.name}-researcher", token)
            assert right.client.get("/researcher/numbers").status_code == 200
            one.get("/")
            statuses = []
            for number in range(14):
                guess = f"{number:043d}"
                if way == "cookie":
                    one.client.cookies.set(f"pcg-{store.name}-researcher", guess)
                    statuses.append(one.client.get("/researcher/numbers").status_code)
                else:
                    fields = {"token": one.token, "consent": "yes", "simulated": guess}
                    statuses.append(one.client.post("/join", data=fields).status_code)
            assert statuses == [403] * 10 + [429] * 4
            assert right.client.get("/researcher/numbers").status_code == 200  # who was right before is not shut out


def test_health_is_whether_anything_can_be_written(tmp_path: Path) -> None:
    store = small_study(tmp_path / "full")
    with served(store) as another:
        one = another()
        site = one.client.app.state.site
        assert one.client.get("/healthy").text == "ok\n"

        def shut(connection: Any, record: object, proxy: object) -> None:
            connection.execute("PRAGMA query_only=ON")  # what is written is refused, as by a disk without room

        sa.event.listen(store.engine, "checkout", shut)
        site._tried = -100.0
        assert one.client.get("/healthy").status_code == 503
        one.get("/")
        page = one.send("/join", consent="yes")
        assert page.status_code == 500 and "are stored" not in page.text and "may not have been stored" in page.text
    assert store.participants() == []


def test_buckets_do_not_grow_for_ever() -> None:
    buckets = Buckets(1.0, 2.0, clock=lambda: 0.0)
    for number in range(2 * Buckets.MOST_NAMES):
        buckets.take(str(number))
    assert len(buckets._left) <= Buckets.MOST_NAMES + 1


def test_too_many_requests_are_refused_for_a_while(store: StudyStore) -> None:
    with served(store, limits=Limits(address=(0.001, 5.0))) as another:
        one = another()
        statuses = [one.client.get("/").status_code for _ in range(7)]
    assert statuses == [200] * 5 + [429] * 2


def test_those_who_take_part_are_not_kept_waiting_by_others_at_their_address(tmp_path: Path) -> None:
    with served(small_study(tmp_path / "shared"), limits=Limits(address=(0.001, 30.0))) as another:
        one, other = another().join(), another()
        while other.client.get("/").status_code == 200:
            pass
        assert other.client.get("/", headers={"cookie": f"pcg-shared={'x' * 64}"}).status_code == 429
        assert one.begin().at == "/pair/1/first" and one.page.status_code == 200
        with one.socket() as socket:
            assert socket.receive_json()["type"] == "welcome"


# -- anything at all ---------------------------------------------------------------------------------------------------

PATHS = (
    "/", "/join", "/language", "/instructions", "/begin", "/pair/1/first", "/pair/1/vote", "/pair/99999999999/second",
    "/thanks", "/data", "/forget", "/declined", "/researcher", "/researcher/enter", "/researcher/state",
    "/researcher/live", "/researcher/export", "/sheets/x.png", "/static/study.css", "/healthy",
)  # fmt: skip
NAMES = ("token", "consent", "language", "back", "q-prefer", "reason", "sure", "researcher", "state", "simulated")
FIELDS = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), st.text(max_size=60), max_size=6)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(PATHS) | st.text(max_size=30).map(lambda t: f"/{t}"),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]),
    fields=FIELDS,
    body=st.binary(max_size=60) | st.none(),
    query=FIELDS,
    ours=st.booleans(),
)
def test_no_request_is_answered_by_an_error_of_ours(
    another: Another,
    path: str,
    method: str,
    fields: dict[str, str],
    body: bytes | None,
    query: dict[str, str],
    ours: bool,
) -> None:
    one = _fuzzed(another)
    if ours:
        fields = {**fields, "token": form_token(one.client.cookies["pcg-study"])}
    more: dict[str, Any] = {"data": fields} if body is None else {"content": body}
    if method in ("GET", "HEAD", "OPTIONS", "DELETE"):
        more = {}
    try:
        request = one.client.build_request(method, f"http://localhost{path}", params=query, **more)
    except Exception:
        return  # no address at all
    answer = one.client.send(request)
    assert answer.status_code < 500, answer.text


_walkers: dict[int, Walker] = {}


def _fuzzed(another: Another) -> Walker:
    """One participant for all examples; a new one when the last has asked to be forgotten."""
    one = _walkers.get(id(another))
    if one is None or one.client.get("/instructions").status_code != 200:
        one = _walkers[id(another)] = another().join()
    return one


MESSAGES = st.one_of(
    st.text(max_size=80),
    st.binary(max_size=40),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    ).map(json.dumps),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["down", "up", "release", "pause", "resume", "restart", "pace", "x"])},
        optional={
            "action": st.sampled_from(["UP", "LEFT", "USE", "NIL", "ESCAPE", 7, None]),
            "ticks_per_second": st.floats() | st.integers(),
        },
    ).map(json.dumps),
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(MESSAGES, max_size=12))
def test_no_message_ends_a_play(another: Another, messages: list[str | bytes]) -> None:
    one = _walkers.get(-1) or another().join().begin()
    _walkers[-1] = one
    with one.socket("/pair/1/first") as socket:
        assert socket.receive_json()["type"] == "welcome"
        for message in messages:
            if isinstance(message, bytes):
                socket.send_bytes(message)
            else:
                socket.send_text(message)
        socket.send_json({"type": "down", "action": "no such action"})
        socket.send_json({"type": "pause"})
        while (told := socket.receive_json()) != {"type": "paused", "paused": True}:
            assert told["type"] in ("frame", "paused", "error", "study", "end")


# -- texts -------------------------------------------------------------------------------------------------------------


def test_all_languages_say_the_same_things() -> None:
    assert built_in("zh").keys() == built_in("en").keys()


@settings(max_examples=examples(200))
@given(st.text(max_size=60))
def test_any_header_chooses_some_language(header: str) -> None:
    assert choose_language(header, ["en", "zh"]) in ("en", "zh")


# -- colours -----------------------------------------------------------------------------------------------------------


def _light(colour: str) -> float:
    """Relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1])
def test_texts_can_be_read_in_both_schemes(scheme: int) -> None:
    css = (STATIC / "study.css").read_text(encoding="utf-8")
    block = re.findall(r":root \{(.*?)\}", css, re.S)[scheme]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
    grounds = ("page", "card", "tint")
    pairs = [(ink, ground) for ink in ("ink", "soft", "accent", "bad", "good") for ground in grounds]
    for ink, ground in [*pairs, ("on-accent", "accent")]:
        high, low = sorted((_light(colours[ink]), _light(colours[ground])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)
