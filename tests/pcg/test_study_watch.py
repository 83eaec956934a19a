"""The researcher's page and its numbers."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from studies import take_part
from study_walks import Walker, served, small_study

from pcg.study.monitoring import Rank, spans, study_statistics
from pcg.study.server import Limits
from pcg.study.server.charts import ranking, steps, votes_over_time
from pcg.study.store import StudyStore

Another = Callable[..., Walker]


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    return small_study(tmp_path / "study", design__pairs=8)


@pytest.fixture
def another(store: StudyStore) -> Iterator[Another]:
    with served(store) as found:
        yield found


def enter(one: Walker, token: str) -> Walker:
    """Give the token."""
    one.get("/researcher")
    one.send("/researcher/enter", researcher=token)
    return one


def test_nothing_is_shown_without_the_token(store: StudyStore, another: Another) -> None:
    one = another()
    for path in ("/researcher/live", "/researcher/numbers", "/researcher/export"):
        answer = one.client.get(path)
        assert answer.status_code == 403 and "only the study's researcher" in answer.json()["error"]
    assert "Token" in one.get("/researcher").text
    assert enter(one, "x" * 43).page.status_code == 403
    one.client.cookies.set(f"pcg-{store.name}-researcher", "y" * 43)
    assert one.client.get("/researcher/live").status_code == 403


def test_the_token_opens_the_page_and_stays_in_a_cookie(store: StudyStore, another: Another) -> None:
    token = store.new_token()
    one = enter(another(), token)
    assert one.page.status_code == 200 and "How far participants got" in one.page.text
    cookie = one.page.history[0].headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and token not in one.page.text
    one.send("/researcher/leave")
    assert "Token" in one.page.text
    store.new_token()  # the old one is of no use any more
    assert enter(another(), token).page.status_code == 403


def test_wrong_tokens_are_not_tried_for_ever(store: StudyStore) -> None:
    with served(store, limits=Limits()) as another:
        one = another()
        statuses = [enter(one, "x" * 43).page.status_code for _ in range(12)]
    assert statuses[0] == 403 and 429 in statuses


def test_the_study_is_paused_and_opened_from_the_page(store: StudyStore, another: Another) -> None:
    one = enter(another(), store.new_token())
    for state in ("paused", "closed", "open"):
        one.send("/researcher/state", state=state)
        assert store.state == state and f'class="state {state}"' in one.page.text
    assert one.send("/researcher/state", state="on fire").status_code == 400
    one.get("/researcher")
    refused = one.client.post("/researcher/state", data={"token": "0" * 64, "state": "closed"})
    assert refused.status_code == 403 and store.state == "open"


def test_numbers_pages_and_downloads_tell_what_happened(store: StudyStore, another: Another) -> None:
    take_part(store, ["first", "second", "both", "neither"])
    take_part(store, ["first"] * 8)
    another().join()
    one = enter(another(), store.new_token())
    found = one.client.get("/researcher/numbers").json()
    assert (found["people"]["joined"], found["people"]["waiting"]) == (2, 1)
    assert found["people"]["finished"] == 2 and found["votes"] == 12
    assert found["reached"][0] == ["agreed to take part", 3] and dict(found["reached"])["judged 8 of 8"] == 1
    assert found["answers"] == {"first": 9, "second": 1, "both": 1, "neither": 1}
    assert len(found["items"]) == 5 and all(r["low"] < r["utility"] < r["high"] for r in found["items"])
    text = one.client.get("/researcher/live").text
    assert "always chose the first (8 of 8)" in text and "<svg" in text and "style=" not in text
    download = one.client.get("/researcher/export?people=real")
    with zipfile.ZipFile(io.BytesIO(download.content)) as archive:
        assert {"votes.csv", "plays.jsonl", "codebook.csv"} <= set(archive.namelist())
        lines = archive.read("votes.jsonl").decode().splitlines()
    assert len(lines) == 12 and json.loads(lines[0])["answer"] == "first"
    assert one.client.get("/researcher/export?people=nobody").status_code == 400


def test_suspects_are_those_who_failed_pressed_nothing_or_were_fast(store: StudyStore) -> None:
    people = [take_part(store, ["first", "second"]) for _ in range(5)]
    idle = take_part(store, ["second", "first"], ticks=0)
    failed, _ = store.join("en", consented=True)
    first, second = store.items[0].id, store.items[1].id
    pair = store.add_pair(failed.id, 0, first, second, check="instructed", expected="second")
    store.vote(pair, {"prefer": "first"})
    found = {s.participant: s.reasons for s in study_statistics(store, 8).suspects}
    assert found == {
        idle.id: ("pressed no key in 4 of 4 games",),
        failed.id: ("failed 1 of 1 attention checks",),
    }
    assert study_statistics(store, 8).checks == (0, 1) and len(people) == 5


def test_spans_cover_the_whole_time() -> None:
    assert spans([], 0.0) == ([], 60)
    found, span = spans([1000.0, 1000.0 + 90 * 86400], 1000.0 + 91 * 86400)
    assert span == 7 * 86400 and sum(n for _, n in found) == 2
    assert steps(0)[0] == 0 and steps(7)[-1] >= 7


def test_charts_escape_names() -> None:
    rank = Rank('<b>"x"&', "g", 0.5, -0.1, 99.0, 3)
    picture = str(ranking([rank]))
    assert "<b>" not in picture and "&lt;b&gt;" in picture
    assert "<svg" in votes_over_time([(0.0, 0), (60.0, 5)], 60)
