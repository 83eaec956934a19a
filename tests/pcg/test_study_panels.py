"""Participants from paid panels: the links that these send, who is turned away, who comes back, and what each end says.

Links are those that the panels make: Prolific fills in `{{%PROLIFIC_PID%}}`, SONA `%SURVEY_CODE%`, and CloudResearch
Connect adds `participantId`, `assignmentId` and `projectId` by itself.
"""

from __future__ import annotations

import asyncio
import html
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from study_walks import Walker, served, small_study
from test_study_serving import told

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.config import StudyConfig
from pcg.study.exporting import study_data
from pcg.study.server_process import hosted
from pcg.study.simulating import Truth, simulate
from pcg.study.store import StudyStore

SONA = "https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=12&credit_token=9185d4&survey_code="
CONNECT = "https://connect.cloudresearch.com/participant/project/AB12/complete"
PANELS: dict[str, dict[str, Any]] = {
    "prolific": {"panel__platform": "prolific", "access__code": "C1", "panel__screened_code": "C1-OUT"},
    "sona": {"panel__platform": "sona", "access__redirect": f"{SONA}XXXX"},
    "cloudresearch": {"panel__platform": "cloudresearch", "access__redirect": CONNECT},
}
LINKS = {
    "prolific": "?PROLIFIC_PID={0}&STUDY_ID=s1&SESSION_ID=x{0}",
    "sona": "?survey_code={0}",
    "cloudresearch": "?participantId={0}&assignmentId=a{0}&projectId=p1",
}
ENDS = {
    "prolific": "https://app.prolific.com/submissions/complete?cc=C1",
    "sona": f"{SONA}4711",
    "cloudresearch": CONNECT,
}


def panel_study(folder: Path, panel: str, **settings: Any) -> StudyStore:
    return small_study(folder / panel, **PANELS[panel], **settings)


def come(one: Walker, query: str) -> Walker:
    """Open a link and agree, wherever that leads."""
    one.get(f"/{query}")
    if 'name="consent"' in one.page.text:
        one.send("/join", consent="yes", **{k: v for k, v in one.hidden().items() if k not in ("token", "back")})
    return one


def to_the_end(one: Walker) -> Walker:
    if one.at == "/instructions":
        one.begin()
    while one.get("/").url.path != "/thanks":
        if one.at.endswith("/vote"):
            one.vote()
        else:
            one.play("L")
    return one


def to_the_second_pair(one: Walker) -> Walker:
    """Take a place in the study, which the first vote does."""
    one.begin().play_both("L")
    one.vote()
    return one


def way_back(one: Walker) -> str:
    found = re.search(r'<a class="button primary" href="([^"]*)"', one.page.text)
    return html.unescape(found[1]) if found else ""


@pytest.mark.parametrize("panel", list(PANELS))
def test_a_panels_ids_are_kept_and_lead_back_to_it(tmp_path: Path, panel: str) -> None:
    store = panel_study(tmp_path, panel)
    with served(store) as another:
        one = to_the_end(come(another(), LINKS[panel].format("4711")))
        assert way_back(one) == ENDS[panel]
        assert "Please go back by this button" in one.page.text  # closing the page here would cost the pay
        shared = to_the_end(come(one, LINKS[panel].format("5000")))  # another person at the same machine
    assert way_back(shared).endswith({"sona": "5000"}.get(panel, ENDS[panel]))
    rows = study_data(store).participants
    link = dict(part.split("=") for part in LINKS[panel].format("4711")[1:].split("&"))
    assert {name: rows[0][f"link.{name}"] for name in link} == link and rows[0]["end"] == "finished"
    assert [row["same_id"] for row in rows] == [0, 0] and len({row["participant"] for row in rows}) == 2


@pytest.mark.parametrize("panel", list(PANELS))
def test_a_panels_link_without_an_id_is_told_before_anything_is_done(tmp_path: Path, panel: str) -> None:
    store = panel_study(tmp_path, panel)
    name = store.config.identity
    placeholder = {"prolific": "{{%PROLIFIC_PID%}}", "sona": "%SURVEY_CODE%", "cloudresearch": "${e://Field/id}"}
    with served(store) as another:
        one = another()
        for query in ("", f"?{name}=", f"?{name}=%20", f"?{name.lower()}x=1", f"?{name}={placeholder[panel]}"):
            page = one.get(f"/{query}")
            assert page.status_code == 400 and f"({name} is missing)" in page.text, query
            assert 'name="consent"' not in page.text
        assert f"缺少 {name}" in another("zh").get("/").text
        one.get(f"/{LINKS[panel].format('1')}")
        assert one.send("/join", consent="yes", **{name: placeholder[panel]}).status_code == 400
        assert store.participants() == []
        assert come(one, LINKS[panel].format("1")).at == "/instructions"
        assert one.get("/").url.path == "/instructions"  # who has begun needs no link


def test_without_a_panel_links_need_no_id_and_placeholders_are_none(tmp_path: Path) -> None:
    store = small_study(tmp_path / "open")
    with served(store) as another:
        for _ in range(2):
            come(another(), "?PROLIFIC_PID={{%PROLIFIC_PID%}}")
    assert [(person.identity, person.external) for person in store.participants()] == [("", {})] * 2


def test_a_quota_that_is_known_from_the_link_ends_with_its_code(tmp_path: Path) -> None:
    store = panel_study(tmp_path, "prolific", access__most=0)
    quota = {"of": "STUDY_ID", "value": "s1", "most": 1}
    store.config = StudyConfig.from_mapping(_with_quota(store.config, quota))
    with served(store) as another:
        to_the_second_pair(come(another(), LINKS["prolific"].format("1")))
        late = come(another(), LINKS["prolific"].format("2"))
        assert late.at == "/thanks" and way_back(late).endswith("?cc=C1-OUT") and "C1-OUT" in late.page.text
        back = come(another(), LINKS["prolific"].format("1"))  # in another browser: has the place already
        assert back.at == "/pair/2/first"
        assert come(another(), LINKS["prolific"].format("3").replace("s1", "s2")).at == "/instructions"
    rows = study_data(store).participants
    assert [(row["end"], row["cause"]) for row in rows] == [
        ("", ""), ("screened", "quota STUDY_ID = s1"), ("", "")]  # fmt: skip


def _with_quota(config: StudyConfig, quota: dict[str, Any]) -> dict[str, Any]:
    return {**tomllib.loads(config.to_toml()), "quota": [quota]}


@pytest.mark.parametrize("shut", ["full", "closed"])
def test_who_has_begun_comes_back_by_the_link_though_the_study_is_shut(tmp_path: Path, shut: str) -> None:
    store = panel_study(tmp_path, "prolific", access__most=1 if shut == "full" else 0)
    with served(store) as another:
        to_the_second_pair(come(another(), LINKS["prolific"].format("1")))
        if shut == "closed":
            store.set_state("closed")
    with served(store) as another:
        one = come(another(), LINKS["prolific"].format("1"))  # the cookie is gone
        assert one.at == "/pair/2/first"
        to_the_end(one)
        again = come(another(), LINKS["prolific"].format("1"))  # for the code
        assert again.at == "/thanks" and way_back(again) == ENDS["prolific"]
        stranger = another()
        assert stranger.get(f"/{LINKS['prolific'].format('2')}").status_code == 403
        assert way_back(stranger).endswith("C1-OUT") == (shut == "full")
        store.set_state("paused")
    with served(store) as another:
        assert another().get(f"/{LINKS['prolific'].format('1')}").status_code == 403
    assert len(store.participants()) == 1


def test_whose_place_was_taken_meanwhile_gets_a_code(tmp_path: Path) -> None:
    store = panel_study(tmp_path, "prolific", access__most=1)
    with served(store) as another:
        slow = come(another(), LINKS["prolific"].format("2"))
        to_the_second_pair(come(another(), LINKS["prolific"].format("1")))
        assert slow.send("/begin").status_code == 403 and way_back(slow).endswith("?cc=C1-OUT")


def test_another_wave_of_the_same_people_is_told_apart_by_the_session(tmp_path: Path) -> None:
    store = panel_study(tmp_path, "prolific", access__identity="SESSION_ID")
    with served(store) as another:
        for wave in ("a", "b"):
            one = another()
            to_the_end(come(one, f"?PROLIFIC_PID=p7&STUDY_ID=wave-{wave}&SESSION_ID={wave}"))
            back = come(another(), f"?PROLIFIC_PID=p7&STUDY_ID=wave-{wave}&SESSION_ID={wave}")
            assert back.at == "/thanks"  # the same wave again is the same participation
    rows = study_data(store).participants
    assert [(row["link.PROLIFIC_PID"], row["link.STUDY_ID"]) for row in rows] == [("p7", "wave-a"), ("p7", "wave-b")]
    assert [(row["same_id"], row["pairs_voted"], row["returns"]) for row in rows] == [(0, 2, 1), (0, 2, 1)]


def test_cloudresearch_needs_an_end() -> None:
    data: dict[str, Any] = {"study": {"name": "s"}, "panel": {"platform": "cloudresearch"}}
    with pytest.raises(PcgError, match=r"CloudResearch needs redirect, .* or code") as error:
        StudyConfig.from_mapping(data)
    assert "\n" not in str(error.value)
    assert StudyConfig.from_mapping({**data, "access": {"code": "C"}}).identity == "participantId"


@pytest.mark.parametrize(("of", "value", "expected"), [("device", "mobile", "phone, tablet, computer"),
                                                       ("language", "fr", "en, zh")])  # fmt: skip
def test_a_quota_of_what_never_comes_is_refused(of: str, value: str, expected: str) -> None:
    data: dict[str, Any] = {"study": {"name": "s"}, "quota": [{"of": of, "value": value, "most": 1}]}
    with pytest.raises(PcgError, match=f"quota {of}: value = '{value}' \\(expected {expected}\\)"):
        StudyConfig.from_mapping(data)


def test_sonas_address_may_have_its_code_anywhere() -> None:
    redirect = "https://s.sona-systems.com/webstudy_credit.aspx?survey_code=XXXX&experiment_id=1&credit_token=XX"
    data = {"study": {"name": "s"}, "panel": {"platform": "sona"}, "access": {"redirect": redirect}}
    assert StudyConfig.from_mapping(data).redirect == redirect.replace("XXXX", "{survey_code}")


def test_the_server_tells_the_address_for_the_panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    panel_study(tmp_path, "sona").engine.dispose()
    lines, _ = told(monkeypatch, tmp_path / "sona")
    assert lines[0].split() == ["participants", "http://127.0.0.1:1/?survey_code=%SURVEY_CODE%"]
    assert lines[1].endswith("http://127.0.0.1:1/?survey_code=test-1")


@pytest.mark.full
def test_simulated_participants_come_with_an_id_too(tmp_path: Path) -> None:
    store = panel_study(tmp_path, "cloudresearch", design__pairs=1)
    with hosted(tmp_path / "cloudresearch", limited=True) as server:
        truth = Truth.draw(store.items, 3, {})
        outcome = asyncio.run(simulate(store, server.url, store.new_token(), truth, participants=2, patience=20.0))
    assert outcome.finished == 2 and all(person.simulated for person in store.participants())


def test_a_guessed_code_of_sona_leads_to_nobodys_data(tmp_path: Path) -> None:
    store = panel_study(tmp_path, "sona")
    with served(store) as another:
        one = to_the_second_pair(come(another(), LINKS["sona"].format("4711")))
        stranger = come(another(), LINKS["sona"].format("4711"))
        assert stranger.at not in ("/instructions", "/pair/2/first") and "4711" not in stranger.page.text
        one.get("/")
        assert one.at == "/pair/2/first"  # in their own browser they go on
        assert come(one, LINKS["sona"].format("4711")).get("/").url.path == "/pair/2/first"
