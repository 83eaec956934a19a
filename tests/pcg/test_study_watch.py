"""The researcher's page and its numbers."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from studies import take_part
from study_walks import Walker, served, small_study

from pcg.study.monitoring import Rank, spans, study_statistics
from pcg.study.server import Limits, pages
from pcg.study.server.charts import ranking, steps, votes_over_time
from pcg.study.server.researcher_translations import translations, translator
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


def test_participants_items_and_comments_have_pages(store: StudyStore, another: Another) -> None:
    person = take_part(store, ["first"] * 8)
    one = enter(another(), store.new_token())
    text = one.get("/researcher/participants").text
    assert "=cmd0" in text and person.id[:8] in text and "always chose the first (8 of 8)" in text
    text = one.get("/researcher/comments").text
    assert "=1+1, &#34;quoted&#34;<br>and more" in text
    text = one.get("/researcher/items").text
    assert text.count('<img src="/researcher/items/') == 5 and "boxes-0" in text
    assert one.client.get(f"/researcher/items/{store.items[0].id}.png").content.startswith(b"\x89PNG")
    play = store.plays()[0]
    page = one.get(f"/researcher/participant?code={person.id}").text
    assert f'data-replay="/researcher/replay/{play.id}.json"' in page
    pair = next(pair for pair in store.pairs() if pair.id == play.pair)  # a picture stands there before it is played
    assert f'<img src="/researcher/items/{pair.item(play.side)}.png"' in page
    found = one.client.get(f"/researcher/replay/{play.id}.json").json()
    assert len(found["frames"]) == play.ticks + 1
    assert one.client.get("/researcher/replay/999.json").status_code == 404
    assert one.client.get("/researcher/items/999.png").status_code == 404
    stranger = another()
    for path in ("participants", "items", "comments", f"replay/{play.id}.json", f"items/{store.items[0].id}.png"):
        assert stranger.client.get(f"/researcher/{path}").status_code == 403


def test_what_participants_write_is_no_markup_for_the_researcher(tmp_path: Path) -> None:
    written = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    store = small_study(tmp_path / "written", design__pairs=1)
    with served(store) as another:
        one = another().join().begin()
        one.play_both()
        one.vote(reason=written)
        assert [row["reason"] for row in store.vote_rows()] == [written]
        researcher = enter(another(), store.new_token())
        for page in ("", "/comments", "/participants", f"/participant?code={one.person.id}"):
            text = researcher.get(f"/researcher{page}").text
            assert "<script>alert" not in text and "<img src=x" not in text
            assert ("&lt;script&gt;alert(1)" in text) == (page == "/comments")


def test_an_item_is_taken_out_of_new_pairs_and_in_again(store: StudyStore, another: Another) -> None:
    one = enter(another(), store.new_token())
    kept = [item.id for item in store.items][:2]
    for item in store.items[2:]:
        one.get("/researcher/items")
        one.send("/researcher/items", item=str(item.id), paused="yes")
        assert one.at == "/researcher/items"
    with served(store) as others:  # another process knows it too
        person = others().join().begin()
        pair = store.pairs_of(person.person.id)[0]
        assert {pair.first, pair.second} == set(kept)
    one.get("/researcher/items")
    assert one.send("/researcher/items", item=str(kept[0]), paused="yes").status_code == 409
    assert "must stay" in one.page.text
    one.send("/researcher/items", item=str(store.items[4].id), paused="no")
    assert store.answers.paused_items() == {item.id for item in store.items[2:4]}
    refused = one.client.post("/researcher/items", data={"token": "0" * 64, "item": str(kept[0]), "paused": "yes"})
    assert refused.status_code == 403


def test_the_page_tells_how_many_votes_would_decide_it(store: StudyStore) -> None:
    take_part(store, ["first", "second", "first", "both"])
    found = study_statistics(store, 8).undecided
    assert len(found) == 4 and all(one.votes is None or one.votes >= 0 for one in found)


def test_the_page_speaks_chinese_and_every_text_is_translated(store: StudyStore, another: Another) -> None:
    templates = Path(pages.__file__).parent / "templates"
    said = set()
    for name in ("watch", "watch_body", "participant", "enter", "researcher", "researcher_nav", "watch_participants",
                 "watch_comments", "watch_items"):  # fmt: skip
        said |= set(re.findall(r't\("([^"]+)"\)', (templates / f"{name}.html.jinja").read_text(encoding="utf-8")))
    assert len(said) > 60 and said <= set(translations("zh"))
    person = take_part(store, ["first"] * 8)
    one = enter(another(), store.new_token())
    for text in ("已同意参加", "已评 8 / 8", "总是选第一个（8 / 8）"):  # stages and remarks have numbers in them
        assert text in one.get("/researcher?lang=zh").text
    assert "judged" not in one.page.text and "always" not in one.page.text
    charts = re.findall(r'<svg class="chart".*?</svg>', one.get("/researcher?lang=zh").text, re.DOTALL)
    told = [text for chart in charts for text in re.findall(r'aria-label="([^"]+)"|<title>([^<]+)</title>', chart)]
    assert len(charts) >= 3 and len(told) > len(charts)
    for label, title in told:  # nothing that a screen reader says about a chart is English, but for names of items
        assert re.search("[\u4e00-\u9fff]| / ", label or title), label or title
    (suspect,) = study_statistics(store, 8).suspects
    assert suspect.participant == person.id
    assert not [why for why in suspect.reasons if translator("zh")(why) == why]
    assert translator("zh")("took {} s") == "took {} s"  # what only looks like a text with numbers
    assert "参加者的进度" in one.get("/researcher?lang=zh").text and "/researcher/items?lang=zh" in one.page.text
    assert "恢复" in one.get("/researcher/items?lang=zh").text or "暂停" in one.page.text
    assert "How far participants got" in one.get("/researcher?lang=xx").text
