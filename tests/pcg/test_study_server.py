"""The participants' way through a study, over a real database file and the real application."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from starlette.websockets import WebSocketDisconnect
from studies import take_part
from study_walks import Walker, served, small_study

from pcg.study.creation import make_study, read_plan
from pcg.study.exporting import study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.monitoring import study_statistics
from pcg.study.server.stages import INSTRUCTED
from pcg.study.store import StudyStore

Another = Callable[..., Walker]


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    return small_study(
        tmp_path / "study", access__code="C-1", access__redirect="https://x.org/?id={PROLIFIC_PID}&c={code}"
    )


@pytest.fixture
def another(store: StudyStore) -> Iterator[Another]:
    with served(store) as found:
        yield found


# -- the whole way -----------------------------------------------------------------------------------------------------


def test_a_participant_goes_from_consent_to_the_completion_code(store: StudyStore, another: Another) -> None:
    one = another().join("?PROLIFIC_PID=a%26b%22%3E&other=no").begin()
    assert one.at == "/pair/1/first"
    for number, answer in ((1, "second"), (2, "neither")):
        one.play_both("LR")
        assert one.at == f"/pair/{number}/vote"
        one.vote(answer, reason="  it was <b>bold</b>\r\n ")
    assert one.at == "/thanks" and "C-1" in one.page.text
    assert html.escape("https://x.org/?id=a%26b%22%3E&c=C-1") in one.page.text
    person = one.person
    assert person.consented and person.finished and person.external == {"PROLIFIC_PID": 'a&b">'}
    assert [(v["answer"], v["reason"]) for v in store.vote_rows()] == [
        ("second", "it was <b>bold</b>"), ("neither", "it was <b>bold</b>"),
    ]  # fmt: skip
    assert [p.actions[:2] for p in store.plays()] == ["LR"] * 4


def test_a_consent_that_is_sent_twice_makes_one_participant(store: StudyStore, another: Another) -> None:
    one = another()
    one.get("/")
    fields = {"token": one.token, "consent": "yes", "language": "en"}
    visitor = f"pcg-{store.name}-form"
    before = one.client.cookies[visitor]
    for _ in range(2):
        assert one.client.post("/join", data=fields, follow_redirects=False).headers["location"] == "/instructions"
        one.client.cookies.clear()  # the second was sent before the answer to the first was there
        one.client.cookies.set(visitor, before)
    assert [person.number for person in store.participants()] == [0]


def test_without_consent_nothing_is_stored(store: StudyStore, another: Another) -> None:
    one = another()
    one.get("/?PROLIFIC_PID=abc")
    assert one.send("/join", language="zh", PROLIFIC_PID="abc").status_code == 422
    assert 'value="abc"' in one.page.text and "请先勾选" in one.page.text
    assert one.get("/declined").status_code == 200
    assert store.participants() == []


def test_pages_speak_the_browsers_language_and_change_it(store: StudyStore, another: Another) -> None:
    one = another("zh-CN,en;q=0.5")
    assert '<html lang="zh">' in one.get("/?STUDY_ID=s1").text
    one.send("/language", language="en", back="/", STUDY_ID="s1")
    assert '<html lang="en">' in one.page.text and 'name="STUDY_ID" value="s1"' in one.page.text
    one.join("?lang=zh")
    assert one.person.language == "zh" and "如何进行" in one.page.text
    one.begin().send("/language", language="en", back="/pair/1/first")
    assert one.at == "/pair/1/first" and "Play the first game" in one.page.text
    assert one.person.language == "en"


def test_the_back_path_of_a_language_change_stays_inside(another: Another) -> None:
    one = another().join()
    for path in ("https://evil.org/", "//evil.org", "/join", "/researcher", "/../x"):
        one.get("/instructions")
        assert one.send("/language", follow=False, language="en", back=path).headers["location"] == "/"


# -- where one is ------------------------------------------------------------------------------------------------------


def test_every_address_leads_to_where_the_participant_is(another: Another) -> None:
    one = another().join()
    for path in ("/pair/1/first", "/pair/1/vote", "/pair/7/second", "/thanks"):
        assert one.get(path).url.path == "/instructions"
    one.get("/instructions")
    one.begin()
    for path in ("/", "/pair/1/second", "/pair/1/vote", "/pair/2/first", "/thanks"):
        assert one.get(path).url.path == "/pair/1/first"
    one.play_both()
    assert one.get("/pair/1/first").url.path == "/pair/1/first"  # may be played again before the vote
    one.get("/pair/1/vote")
    one.vote()
    for path in ("/pair/1/first", "/pair/1/second", "/pair/1/vote", "/instructions/x"):
        one.get(path)
        assert one.at in ("/pair/2/first", "/instructions/x")


def test_strangers_are_led_to_the_welcome_page(another: Another) -> None:
    one = another()
    for path in ("/instructions", "/pair/1/first", "/pair/1/vote", "/thanks", "/data"):
        assert one.get(path).url.path == "/"
    assert one.get("/pair/1/third").url.path == "/"


def test_a_vote_that_is_sent_twice_counts_once(store: StudyStore, another: Another) -> None:
    one = another().join().begin()
    one.play_both()
    token = one.token
    one.vote("first")
    assert one.at == "/pair/2/first"
    again = one.client.post("/pair/1/vote", data={"token": token, "q-prefer": "second"}, follow_redirects=False)
    assert again.status_code == 303 and again.headers["location"] == "/pair/2/first"
    assert [row["answer"] for row in store.vote_rows()] == ["first"]


def test_a_vote_needs_both_games(store: StudyStore, another: Another) -> None:
    one = another().join().begin()
    token = one.token
    one.play()
    sent = one.client.post("/pair/1/vote", data={"token": token, "q-prefer": "first"}, follow_redirects=False)
    assert sent.headers["location"] == "/pair/1/second" and store.vote_rows() == []


def test_a_vote_without_an_answer_is_asked_for_again_and_keeps_the_reason(store: StudyStore, another: Another) -> None:
    one = another().join().begin()
    one.play_both()
    one.send("/pair/1/vote", reason="because <i>")
    assert (
        one.page.status_code == 422 and "because &lt;i&gt;" in one.page.text and 'aria-invalid="true"' in one.page.text
    )
    assert one.send("/pair/1/vote", **{"q-prefer": "third"}).status_code == 400
    assert store.vote_rows() == []


# -- attention checks --------------------------------------------------------------------------------------------------


def test_an_instructed_response_stands_in_where_no_items_are_for_checks(tmp_path: Path) -> None:
    store = small_study(tmp_path / "checked", design__checks=1)
    with served(store) as another:
        one = another().join().begin()
        seen = 0
        while one.at != "/thanks":
            pair = store.pairs_of(one.person.id)[-1]
            if pair.check:
                seen += 1
                assert pair.check == INSTRUCTED and pair.position > 0 and pair.expected != "first"
                assert one.at.endswith("/vote") and "does not count" not in one.page.text
                said = {"second": "The second", "both": "Both equally", "neither": "Neither of them"}[pair.expected]
                assert f"choose “{said}”" in one.page.text
                one.vote(pair.expected)
            else:
                one.play_both()
                one.vote()
            one.get("/")
        assert seen == 1
        rows = store.vote_rows()
        assert [row["answer"] == row["expected"] for row in rows if row["check"]] == [True]


def test_pairs_and_sides_are_decided_by_seed_and_number(tmp_path: Path) -> None:
    def shown(folder: Path) -> list[tuple[int, int, str]]:
        store = small_study(folder, design__pairing="random", design__checks=1, design__pairs=3)
        with served(store) as another:
            for _ in range(2):
                one = another().join().begin()
                while one.at != "/thanks":
                    if store.pairs_of(one.person.id)[-1].check != INSTRUCTED:
                        one.play_both()
                    one.vote()
                    one.get("/")
        return [(pair.first, pair.second, pair.expected) for pair in store.pairs()]

    assert shown(tmp_path / "a") == shown(tmp_path / "b")


# -- who is who --------------------------------------------------------------------------------------------------------


def test_another_id_in_the_same_browser_is_another_participant(store: StudyStore, another: Another) -> None:
    one = another().join("?PROLIFIC_PID=a").begin()
    for _ in range(2):
        one.play_both()
        one.vote()
    assert one.at == "/thanks" and "C-1" in one.page.text
    first = one.person
    assert one.get("/?PROLIFIC_PID=b").status_code == 200
    assert one.at == "/" and "C-1" not in one.page.text and 'name="PROLIFIC_PID" value="b"' in one.page.text
    one.send("/language", language="zh", back="/", **{k: v for k, v in one.hidden().items() if k == "PROLIFIC_PID"})
    assert one.at == "/" and "开始之前" in one.page.text and store.participant_by_id(first.id) == first
    one.join("?PROLIFIC_PID=b")
    assert one.person.id != first.id and one.person.external == {"PROLIFIC_PID": "b"}
    assert one.begin().at == "/pair/1/first"
    assert one.get("/").url.path == one.get("/?PROLIFIC_PID=b").url.path == "/pair/1/first"
    one.get("/?PROLIFIC_PID=a")
    one.send("/join", consent="yes", PROLIFIC_PID="a")
    assert one.at == "/thanks" and one.person.id == first.id  # the first one again
    assert [p.identity for p in store.participants()] == ["a", "b"]


def test_the_same_id_elsewhere_goes_on_where_it_was(store: StudyStore, another: Another) -> None:
    one = another().join("?PROLIFIC_PID=a").begin()
    one.play_both()
    one.vote()
    two = another()
    two.get("/?PROLIFIC_PID=a")
    two.send("/join", consent="yes", PROLIFIC_PID="a", language="zh")
    assert two.at == "/pair/2/first" and len(store.participants()) == 1
    assert (two.person.returns, two.person.language) == (1, "zh")
    assert one.get("/pair/2/first").url.path == "/"  # the browser before is not the participant's any more
    assert another().join("?PROLIFIC_PID=c").person.number == 1  # no number was lost
    data = study_data(store)
    assert [(row["returns"], row["same_id"]) for row in data.participants] == [(1, 0), (0, 0)]


def test_a_study_can_turn_an_id_away_that_comes_again(tmp_path: Path) -> None:
    store = small_study(tmp_path / "once", access__again="refuse", access__keep="sona", access__identity="sona")
    with served(store) as another:
        one = another().join("?sona=17").begin()
        two = another()
        two.get("/?sona=17")
        assert two.send("/join", consent="yes", sona="17").status_code == 403
        assert "taken part already" in two.page.text
        assert one.get("/").url.path == "/pair/1/first" and [p.returns for p in store.participants()] == [1]
        another().join("?sona=")  # without an ID everybody is somebody else
        another().join("?sona=")
    assert len(store.participants()) == 3
    assert [s.reasons for s in study_statistics(store, 2).suspects] == [
        ("came again from another browser, turned away (1 times)",)
    ]


def test_ids_that_are_there_twice_are_reported(tmp_path: Path) -> None:
    store = small_study(tmp_path / "open", access__again="allow")
    with served(store) as another:
        for _ in range(2):
            another().join("?PROLIFIC_PID=a")
    store.join("en", {"PROLIFIC_PID": "a"}, simulated=True)
    assert [row["same_id"] for row in study_data(store).participants] == [1, 1]
    assert [s.reasons for s in study_statistics(store, 2).suspects] == [("has the same ID as 1 more",)] * 2


@pytest.mark.parametrize(("wanted", "good", "bad"), [("computer", "X11; Linux", "Mobile"), ("touch", "iPad", "X11")])
def test_a_device_can_be_required(tmp_path: Path, wanted: str, good: str, bad: str) -> None:
    store = small_study(tmp_path / "devices", access__device=wanted)
    with served(store) as another:
        wrong, right = another(), another()
        right.client.headers["user-agent"] = wrong.client.headers["user-agent"] = good
        wrong.get("/")
        wrong.client.headers["user-agent"] = bad
        assert wrong.send("/join", consent="yes").status_code == 403 and store.participants() == []
        assert wrong.get("/").status_code == 403 and "another device" in wrong.page.text
        right.join().begin().play("L")
    device = {"computer": "computer", "touch": "tablet"}[wanted]
    assert [row["device"] for row in study_data(store).participants] == [device]
    assert study_statistics(store, 2).devices == {device: (1, 0)}


def test_kinds_of_input_are_stored_with_the_play(store: StudyStore, another: Another) -> None:
    one = another().join().begin()
    with one.socket() as socket:
        assert socket.receive_json()["type"] == "welcome"
        for by in ("touch", "keys", "=1+1", 7, None):
            socket.send_json({"type": "down", "action": "LEFT", "by": by})
            socket.send_json({"type": "up", "action": "LEFT"})
        socket.send_json({"type": "pause"})
        while socket.receive_json() != {"type": "paused", "paused": True}:
            pass
    one.play("L")
    assert [row["input"] for row in study_data(store).plays] == ["keys touch"]


# -- scales and texts --------------------------------------------------------------------------------------------------


def test_scales_are_asked_about_each_and_stored(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(
        '[study]\nlanguages = "en"\n[design]\nchecks = 0\npairs = 1\n[play]\nminimum = 0\n'
        '[[scale]]\nname = "hard"\npoints = 4\n[[scale]]\nname = "alike"\neach = false\n'
        '[texts.en]\nhard = "How hard <was> it?"\nalike = "How alike were they?"\nalike_low = "worlds apart"\n'
    )
    plan, _, texts = read_plan("scaled", file)
    make_study(tmp_path / "scaled", plan, [Source("boxes")], texts=texts, measure=False)
    store = open_study(tmp_path / "scaled")
    with served(store) as another:
        one = another().join().begin()
        one.play_both()
        assert "How hard &lt;was&gt; it?" in one.page.text and "worlds apart" in one.page.text
        given = {"s-hard-first": "4", "s-hard-second": "1"}
        assert one.vote("both", **given).status_code == 422  # one scale is missing
        assert one.vote("both", **given, **{"s-alike": "6"}).status_code == 400
        one.get("/")
        one.vote("both", **given, **{"s-alike": "5"})
        assert one.at == "/thanks"
    (row,) = store.vote_rows()
    assert row["scales"] == '{"alike": 5, "hard": [4, 1]}'


# -- when one can take part --------------------------------------------------------------------------------------------


def test_a_paused_study_keeps_everybody_where_they_are(store: StudyStore, another: Another) -> None:
    one = another().join().begin()
    store.set_state("paused")
    assert one.get("/pair/1/first").status_code == 403 and "taking a break" in one.page.text
    with one.socket("/pair/1/first") as socket:
        assert socket.receive_json()["type"] == "gone"
    store.set_state("open")
    assert one.get("/").url.path == "/pair/1/first"


def test_a_closed_study_lets_those_finish_who_have_begun(tmp_path: Path) -> None:
    store = small_study(tmp_path / "closing", design__pairs=1)
    with served(store) as another:
        one = another().join().begin()
        store.set_state("closed")
        one.play_both()
        one.vote()
        assert one.at == "/thanks"
        late = another()
        late.client.app.state.site._asked = 0.0
        assert late.get("/").status_code == 403 and "closed" in late.page.text


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"access__opens": "2100-01-01T00:00"}, "2100-01-01 00:00"),
        ({"access__closes": "2001-01-01T00:00"}, "closed"),
    ],
)
def test_dates_open_and_close(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    with served(small_study(tmp_path / "dated", **settings)) as another:
        one = another()
        assert one.get("/").status_code == 403 and said in one.page.text


def test_a_full_study_takes_nobody_in(tmp_path: Path) -> None:
    store = small_study(tmp_path / "full", access__most=1)
    with served(store) as another:
        late, slow = another(), another()
        late.get("/")
        one = another().join()
        slow.join()  # nobody has played yet, so there is a place
        one.begin().play("L")
        assert late.send("/join", consent="yes").status_code == 403
        assert late.get("/").status_code == 403
        slow.get("/instructions")
        assert slow.send("/begin").status_code == 403  # it was taken in the meantime
        assert one.get("/").url.path == "/pair/1/second"
    assert len(store.participants()) == 2


def test_programs_drop_outs_and_those_who_did_not_play_take_no_place(tmp_path: Path) -> None:
    store = small_study(tmp_path / "places", access__most=2, access__place=10.0)
    take_part(store, ["first"], simulated=True)
    joined = [store.join("en")[0] for _ in range(3)]
    assert not store.is_full()
    take_part(store, ["first"])
    away = take_part(store, ["first"])
    assert store.is_full()
    hour_ago = time.time() - 3600
    with store.engine.begin() as db:  # away before the end, an hour ago
        db.execute(sa.text("UPDATE participants SET finished = NULL, seen = :then WHERE id = :who"),
                   {"then": hour_ago, "who": away.id})  # fmt: skip
    assert store.is_full()  # the play was saved a moment ago
    with store.engine.begin() as db:
        db.execute(sa.text("UPDATE plays SET saved = :then"), {"then": hour_ago})
    assert not store.is_full()
    store.update_participant(away.id, seen=time.time())
    assert store.is_full()
    people = study_statistics(store, 2).people
    assert (people.joined, people.waiting, people.simulated) == (3, len(joined), 1)


# -- one's own data ----------------------------------------------------------------------------------------------------


def test_participants_can_delete_their_data(store: StudyStore, another: Another) -> None:
    one, other = another().join().begin(), another().join().begin()
    one.play_both("L")
    one.vote()
    other.play()
    who = one.person.id
    assert who in one.get("/data").text
    one.send("/forget")
    assert one.at == "/data"  # not sure yet
    one.send("/forget", sure="yes")
    assert "deleted" in one.page.text
    assert store.participant_by_id(who) is None and store.vote_rows() == []
    assert {pair.participant for pair in store.pairs()} == {other.person.id}
    assert one.get("/pair/1/first").url.path == "/"
    assert another().join().person.number == 2  # numbers are not given out again


def test_simulated_participants_need_the_researchers_token(store: StudyStore, another: Another) -> None:
    token = store.new_token()
    one = another()
    one.get("/")
    assert one.send("/join", consent="yes", simulated="x" * 43).status_code == 403
    one.get("/")
    one.send("/join", consent="yes", simulated=token)
    assert one.person.simulated


# -- under a path ------------------------------------------------------------------------------------------------------


def test_everything_works_under_a_path_with_a_proxy_that_keeps_it_or_takes_it_away(tmp_path: Path) -> None:
    store = small_study(tmp_path / "below", design__pairs=1)
    with served(store, root="/lab/one/") as another:
        one = another()
        one.get("/lab/one/")
        one.page = one.client.post(
            "/lab/one/join", data={"token": one.token, "consent": "yes", "language": "en"}, follow_redirects=True
        )
        assert one.at == "/lab/one/instructions"
        assert "Path=/lab/one" in str(one.page.history[0].headers["set-cookie"])
        cookies = {"cookie": "; ".join(f"{cookie.name}={cookie.value}" for cookie in one.client.cookies.jar)}
        short = one.client.get("/instructions", headers=cookies)  # the proxy took the path away
        assert short.status_code == 200 and 'action="/lab/one/begin"' in short.text
        one.send("/lab/one/begin")
        assert one.at == "/lab/one/pair/1/first" and 'data-socket="/lab/one/pair/1/first/socket"' in one.page.text
        with one.socket() as socket:
            sheet = socket.receive_json()["sheet"]["url"]
        assert sheet.startswith("/lab/one/sheets/") and one.client.get(sheet).headers["content-type"] == "image/png"
        assert one.client.get("/lab/one/static/player/player.js").status_code == 200


# -- weight ------------------------------------------------------------------------------------------------------------


def test_the_play_page_is_light_and_the_first_frame_comes_with_the_welcome(another: Another) -> None:
    one = another().join().begin()
    files = ["study.css", "icon.svg", "play.js", "player/player.css", "player/player.js", "player/board.js"]
    weight = len(one.page.content) + sum(len(one.client.get(f"/static/{name}").content) for name in files)
    with one.socket() as socket:
        welcome = socket.receive_text()
        weight += len(welcome)
        weight += len(one.client.get(json.loads(welcome)["sheet"]["url"]).content)
    assert weight <= 200_000


def test_seen_is_written_down_once_in_a_while(store: StudyStore, another: Another) -> None:
    one = another().join()
    seen = one.person.seen
    one.get("/instructions")
    assert one.person.seen == seen and time.time() - seen < 60


def test_the_socket_is_bound_to_the_cookie(another: Another) -> None:
    one, other = another().join().begin(), another()
    with other.socket(one.at) as socket:
        assert socket.receive_json()["type"] == "gone"
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()
    with one.socket("/pair/1/second") as socket:  # the first one was not played yet
        assert socket.receive_json()["type"] == "gone"
