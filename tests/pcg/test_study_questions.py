"""Questionnaires, comprehension, practice and the ends of a participation, through the real application."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from studies import make
from study_walks import Walker, served, small_study

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import StudyConfig
from pcg.study.creation import read_plan
from pcg.study.exporting import export_study, study_data
from pcg.study.folders import open_study
from pcg.study.items import Source
from pcg.study.monitoring import study_statistics
from pcg.study.one_participant import stored_of
from pcg.study.panels import own_code
from pcg.study.schema import participants
from pcg.study.store import StudyStore

PLAN = """
[study]
languages = "en"
demographics = "before"

[design]
pairs = 2
checks = 0
failed = 1

[play]
minimum = 0

[access]
code = "DONE-{own}"
redirect = "https://panel.example/end?cc={code}&who={PROLIFIC_PID}"

[panel]
declined_code = "NO"
screened_code = "OUT"
failed_code = "FAIL"
screened_redirect = "https://panel.example/screened"

[[ask]]
name = "often"
options = "never, weekly"
eligible = "weekly"

[[ask]]
name = "rule"
when = "comprehension"
options = "win, think"
answer = "think"

[[ask]]
name = "fun"
when = "pair"
kind = "likert"

[[ask]]
name = "reads"
when = "pair"
kind = "several"
options = "yes, no, maybe"
answer = "yes, maybe"

[[ask]]
name = "words"
when = "after"
kind = "text"
optional = true

[[quota]]
of = "gender"
value = "man"
most = 1

[texts.en]
often = "How often?"
often_never = "Never"
often_weekly = "Weekly"
rule = "What matters?"
rule_win = "To win"
rule_think = "What I think"
fun = "Was it fun?"
reads = "Choose yes and maybe"
reads_yes = "Yes"
reads_no = "No"
reads_maybe = "Maybe"
words = "Anything else?"

[[item]]
from = "boxes"
levels = "0-2"

[[item]]
name = "try-it"
game = "boxes"
level = 3
practice = true
"""

ABOUT = {"a-age": "33", "a-gender": "woman", "a-plays_games": "daily", "a-plays_like_these": "4", "a-often": "weekly"}
Serve = Callable[[StudyStore], AbstractContextManager[Callable[..., Walker]]]


@pytest.fixture
def store(tmp_path: Path) -> StudyStore:
    return _made(tmp_path)


def _made(folder: Path, text: str = PLAN) -> StudyStore:
    (folder / "plan.toml").write_text(text, encoding="utf-8")
    plan, sources, texts = read_plan("study", folder / "plan.toml")
    from pcg.study.creation import make_study

    make_study(folder / "study", plan, sources, texts=texts, measure=False)
    return open_study(folder / "study")


@pytest.fixture
def another(store: StudyStore) -> Iterator[Callable[..., Walker]]:
    with served(store) as found:
        yield found


def _agree(one: Walker, query: str = "") -> Walker:
    one.get(f"/{query}")
    one.send("/join", consent="yes", **{k: v for k, v in one.hidden().items() if k not in ("token", "back")})
    return one


def _to_pairs(one: Walker) -> Walker:
    _agree(one, "?PROLIFIC_PID=p1").send("/questions/before", **ABOUT)
    one.send("/begin")
    one.send("/questions/comprehension", **{"a-rule": "think"})
    assert one.at == "/practice", one.page.text
    with one.socket() as socket:
        assert socket.receive_json()["type"] == "welcome"
        socket.send_json({"type": "down", "action": "RIGHT"})
    one.send("/practice", game=one.hidden()["game"])
    return one


def test_the_way_with_all_questions_is_stored_and_exported(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = _to_pairs(another())
    for number in (1, 2):
        one.play_both()
        one.vote("second")
        assert one.at == "/questions/pair"
        assert one.get("/pair/2/first").url.path == "/questions/pair"  # not before it is answered
        one.send("/questions/pair", **{"a-fun": str(number), "a-reads-yes": "yes", "a-reads-maybe": "yes"})
    assert one.at == "/questions/after"
    one.send("/questions/after", **{"a-words": " =1+1\r\nno "})
    code = f"DONE-{own_code(store.key, one.person.id)}"
    assert one.at == "/thanks" and f"?cc={code}&amp;who=p1" in one.page.text
    data = study_data(store)
    row = data.participants[0]
    assert (row["end"], row["code"], row["before.age"], row["before.gender"], row["after.words"]) == (
        "finished", code, "33", "woman", "=1+1\nno",
    )  # fmt: skip
    assert [vote["pair.fun"] for vote in data.votes] == ["1", "2"] and len(data.plays) == 4  # practice is no play
    assert {r["question"]: r["right"] for r in data.answers if r["part"] == "comprehension"} == {"rule": True}
    assert data.consents[0]["participants"] == 1 and data.consents[0]["text"].startswith("Taking part is voluntary")
    stored = stored_of(store, one.person)
    assert stored["consent"] == data.consents[0]["text"] and len(stored["answers"]) == 12
    assert "after.words" not in study_data(store, reasons=False).participants[0]


def test_missing_and_impossible_answers_are_asked_for_again(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = _agree(another())
    for wrong in ({"a-age": "17"}, {"a-age": "1e3"}, {"a-age": "١٢٣"}, {"a-age": "9" * 5000}, {"a-gender": "x"}):
        one.get("/questions/before")
        page = one.send("/questions/before", **{**ABOUT, **wrong})
        assert page.status_code == 422 and page.text.count('role="alert"') == 1, wrong
    assert 'value="weekly" checked' in page.text and store.answers.rows() == []
    one.send("/questions/before", **{**ABOUT, "a-age": ""})  # age may be left empty
    assert one.at == "/instructions"
    one.client.post("/questions/before", data={"token": one.token, **ABOUT, "a-age": "44"})
    assert [r["value"] for r in store.answers.rows() if r["question"] == "age"] == [""]


def test_who_is_not_eligible_or_over_quota_is_screened_out(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = _agree(another()).send("/questions/before", **{**ABOUT, "a-often": "never"})
    assert one.url.path == "/thanks" and "OUT" in one.text and "https://panel.example/screened" in one.text
    found = store.participants()[0]
    assert (found.end, found.cause, found.finished) == ("screened", "often", None)
    with store.engine.begin() as db:  # a man who has finished fills the quota
        db.execute(sa.update(participants).values(ended="", cause="", finished=time.time()))
    store.answers.add(found.id, "before", 0, {"gender": "man"})
    with store.engine.begin() as db:
        db.execute(sa.text("UPDATE answers SET value = 'man' WHERE question = 'gender'"))
    man = another()
    _agree(man).send("/questions/before", **{**ABOUT, "a-gender": "man"})
    assert man.at == "/thanks" and man.person.cause == "quota gender = man"
    woman = _agree(another())
    woman.send("/questions/before", **ABOUT)
    assert woman.at == "/instructions"


def test_comprehension_has_so_many_tries(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = _agree(another())
    one.send("/questions/before", **ABOUT)
    one.send("/begin")
    one.send("/questions/comprehension", **{"a-rule": "win"})
    assert one.at == "/instructions" and "read this once more" in one.page.text
    one.send("/begin")
    one.send("/questions/comprehension", **{"a-rule": "win"})
    assert one.at == "/thanks" and "FAIL" in one.page.text and "panel.example/end?cc=FAIL" in one.page.text
    assert (one.person.end, one.person.cause) == ("failed", "comprehension")
    assert one.get("/begin").url.path != "/pair/1/first" and store.pairs() == []


def test_failed_attention_items_end_a_participation(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = _to_pairs(another())
    one.play_both()
    one.vote("first")
    one.send("/questions/pair", **{"a-fun": "1", "a-reads-no": "yes"})
    assert one.at == "/thanks" and one.person.end == "failed"
    statistics = study_statistics(store, 2)
    assert statistics.ended == {"failed": 1} and "attention items" in statistics.suspects[0].reasons[0]


def test_declining_stores_nothing_and_gives_its_code(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = another()
    page = one.get("/?PROLIFIC_PID=a%26b").text
    assert "/declined?PROLIFIC_PID=a%26b&amp;lang=en" in page
    page = one.get("/declined?PROLIFIC_PID=a%26b").text
    assert "NO" in page and "https://panel.example/end?cc=NO&amp;who=a%26b" in page
    assert store.participants() == []


def test_who_comes_back_too_late_has_expired(tmp_path: Path) -> None:
    store = _made(tmp_path, PLAN.replace("[panel]", "resume = 30\n[panel]\nexpired_code = 'LATE'", 1).replace(
        "[access]", "[access]", 1))  # fmt: skip
    with served(store) as another:
        one = _agree(another())
        with store.engine.begin() as db:
            db.execute(sa.update(participants).values(seen=time.time() - 32 * 60))
        with served(store) as later:  # another process, which has not seen them
            two = later()
            two.client.cookies = one.client.cookies
            assert two.get("/").url.path == "/thanks" and "LATE" in two.page.text and "30 minutes" in two.page.text
    assert store.participants()[0].end == "expired"


def test_the_text_agreed_to_is_the_templates_and_versions_are_kept(tmp_path: Path) -> None:
    text = (
        PLAN + "\n[consent]\ninstitution = 'U of Games <b>'\nethics = 'board 7'\ncontact = 'a@b.org'\nretention = 9\n"
    )
    store = _made(tmp_path, text)
    with served(store) as another:
        page = another().get("/").text
        assert "U of Games &lt;b&gt;." in page and "board 7" in page and "9 days" in page
        _agree(another())
    assert len(store.answers.consents()) == 1 and "a@b.org" in store.answers.consents()[0]["text"]
    assert store.participants()[0].consent == store.answers.consents()[0]["version"]


def test_names_and_pictures_of_sprites_stand_beside_a_game(store: StudyStore, another: Callable[..., Walker]) -> None:
    one = _agree(another())
    one.send("/questions/before", **ABOUT)
    one.send("/begin")
    one.send("/questions/comprehension", **{"a-rule": "think"})
    assert "What you see" in one.page.text and "<small>you</small>" in one.page.text
    assert one.client.get("/practice/sprite-0.png").content.startswith(b"\x89PNG")
    assert one.client.get("/practice/sprite-99.png").status_code == 404
    one.get("/practice")
    one.send("/practice", game=one.hidden()["game"])
    assert one.client.get("/pair/1/first/sprite-0.png").headers["content-type"] == "image/png"
    assert one.client.get("/pair/1/second/sprite-0.png").status_code == 404  # not there yet
    assert another().client.get("/pair/1/first/sprite-0.png", follow_redirects=False).status_code == 303


def test_an_export_of_all_this_is_read_by_its_codebook(store: StudyStore, tmp_path: Path) -> None:
    store.join("en", consented=True)
    export_study(store, tmp_path / "out")
    codebook = (tmp_path / "out" / "codebook.csv").read_text(encoding="utf-8")
    for table in ("answers", "consents", "participants"):
        assert f"\n{table}," in codebook and (tmp_path / "out" / f"{table}.csv").is_file()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("when = \"pair\"", "when = \"pairs\""), "when = 'pairs', did you mean `pair`"),
        (("kind = \"likert\"", "kind = \"likert\"\noptions = \"a\""), "has no options"),
        (("eligible = \"weekly\"", "eligible = \"weakly\""), "did you mean `weekly`"),
        (("answer = \"think\"\n", "\n"), "needs `answer`"),
        (("most = 1", "most = -1"), "most = -1"),
        (("of = \"gender\"", "of = \"sex\""), "is of 'sex', expected one of age, gender"),
        (("cc={code}", "cc={kode}"), "redirect names {kode}"),
        (("[panel]", "[panel]\nplatform = \"mturk\""), "expected"),
        (("often_never = \"Never\"", ""), "no wording for `often_never`"),
        (("practice = true", "practice = 1"), "true or false"),
        (("practice = true", "practice = true\ncheck = \"x\""), "takes no setting but practice = true"),
    ],
)  # fmt: skip
def test_mistakes_in_the_file_are_told(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in PLAN
    with pytest.raises(PcgError, match=message.replace("{", r"\{")):
        _made(tmp_path, PLAN.replace(*change))


def test_a_configuration_with_questions_is_written_and_read_back(store: StudyStore) -> None:
    import tomllib

    config = store.config
    assert StudyConfig.from_mapping(tomllib.loads(config.to_toml())) == config
    assert [ask.name for ask in config.asked("before")] == ["age", "gender", "plays_games", "plays_like_these", "often"]


def test_presets_know_the_parameters_of_panels() -> None:
    prolific = StudyConfig.from_mapping(
        {"study": {"name": "s"}, "panel": {"platform": "prolific"}, "access": {"code": "C"}}
    )
    assert prolific.redirect.endswith("complete?cc={code}") and prolific.identity == "PROLIFIC_PID"
    sona = StudyConfig.from_mapping({
        "study": {"name": "s"}, "panel": {"platform": "sona"},
        "access": {"redirect": "https://u.sona-systems.com/webstudy_credit.aspx?experiment_id=1&survey_code=XXXX"},
    })  # fmt: skip
    assert sona.redirect.endswith("survey_code={survey_code}") and sona.identity == "survey_code"


def test_a_level_for_practice_is_of_a_game_that_is_shown(tmp_path: Path) -> None:
    with pytest.raises(PcgError, match="but no item of that game"):
        make(tmp_path / "s", Source("boxes"), Source(game="dungeon", level=0, practice=True))


def test_data_that_outlived_their_retention_are_deleted(tmp_path: Path) -> None:
    store = _made(tmp_path, PLAN + "\n[consent]\nretention = 9\n")
    old, _ = store.join("en", consented=True)
    store.answers.add(old.id, "before", 0, {"age": "33"})
    new, _ = store.join("en", consented=True)
    with store.engine.begin() as db:
        gone = time.time() - 9.1 * 86400
        db.execute(sa.update(participants).where(participants.c.id == old.id).values(seen=gone))
    with served(store):  # a server does it when it starts, and every hour
        assert [person.id for person in store.participants()] == [new.id]
    assert store.answers.rows() == []
    with store.engine.begin() as db:
        db.execute(sa.update(participants).values(seen=gone))
    assert open_study(tmp_path / "study").participants() == []  # and everybody else who opens the study


def test_both_games_are_in_view_at_the_vote_with_replays_of_what_was_played(tmp_path: Path) -> None:
    store = small_study(tmp_path / "s", play__replays=True, study__languages="en")
    with served(store) as another:
        one = another().join().begin()
        assert (
            one.client.get("/pair/1/first/replay.json", follow_redirects=False).status_code == 404
        )  # not at the vote yet
        one.play_both("RRL")
        assert (
            'data-replay="/pair/1/second/replay.json"' in one.page.text and "Play the first game again" in one.page.text
        )
        assert one.client.get("/pair/1/first.png").content.startswith(b"\x89PNG")
        found = one.client.get("/pair/1/second/replay.json").json()
        assert found["frames"][0]["whole"] and len(found["frames"]) == 1 + store.plays()[1].ticks
        assert one.client.get(found["sheet"]["url"]).headers["content-type"] == "image/png"
        one.vote()
        assert one.client.get("/pair/1/first/replay.json").status_code == 404
        other = another().join().begin()
        assert other.client.get("/pair/1/second/replay.json").status_code == 404


def test_saving_everything_waits_for_a_save_under_way(tmp_path: Path) -> None:
    store = small_study(tmp_path / "s", study__languages="en")
    with served(store) as another:
        one = another().join().begin()
        one.get("/")
        begun, go_on, save = threading.Event(), threading.Event(), store.save_plays

        def slowly(*arguments: Any) -> list[int]:
            store.save_plays = save  # type: ignore[method-assign]
            begun.set()
            assert go_on.wait(60)
            return save(*arguments)

        with one.socket() as socket:
            assert socket.receive_json()["type"] == "welcome"
            portal, plays = one.client.portal, one.client.app.state.site.plays  # type: ignore[attr-defined]
            assert portal is not None
            store.save_plays = slowly  # type: ignore[method-assign]
            socket.send_json({"type": "resume"})
            portal.start_task_soon(plays.save_all)
            assert begun.wait(60)
            rest = portal.start_task_soon(plays.save_all)  # finds no news
            with pytest.raises(TimeoutError):
                rest.result(0.3)
            go_on.set()
            rest.result(60)
