"""One participant: found by the code that was told, exported, deleted, by the researcher and by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from studies import take_part
from study_walks import served, small_study
from typer.testing import CliRunner

from pcg.cli import app
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.one_participant import find_participant, stored_of

run = CliRunner().invoke


def test_a_code_is_an_id_its_beginning_or_the_id_of_the_link(tmp_path: Path) -> None:
    store = small_study(tmp_path / "s")
    one, two = take_part(store, ["first"]), take_part(store, ["both"])
    spoken = f" {one.id[:8].upper()} {one.id[8:]}"
    for code in (one.id, spoken, one.id[:12], "=cmd0"):
        assert find_participant(store, code).id == one.id
    for code in ("", "=cmd", one.id[:7], "nobody at all", f"{one.id}0"):
        with pytest.raises(PcgError, match="nobody has"):
            find_participant(store, code)
    stored = stored_of(store, two)
    assert [v["answer"] for v in stored["votes"]] == ["both"] and len(stored["plays"]) == 2
    assert stored["participant"]["id"] == two.id and len(stored["plays"][0]["presses"]) == 24
    assert one.id not in json.dumps(stored)


def test_participants_download_all_that_is_stored_of_them(tmp_path: Path) -> None:
    store = small_study(tmp_path / "s")
    take_part(store, ["second"])
    with served(store) as another:
        assert another().get("/data/file").url.path == "/"
        one = another().join("?PROLIFIC_PID=a").begin()
        one.play_both("LR")
        one.vote("neither", reason="so")
        assert "/data/file" in one.get("/data").text
        answer = one.client.get("/data/file")
        assert "attachment" in answer.headers["content-disposition"]
        found = answer.json()
        assert found == stored_of(store, one.person)
        assert [(v["answer"], v["reason"]) for v in found["votes"]] == [("neither", "so")]
        assert [p["actions"][:2] for p in found["plays"]] == ["LR", "LR"] and len(found["pairs"]) == 2
        secret = one.client.cookies[f"pcg-{store.name}"]
        assert secret not in answer.text and found["participant"]["external"] == {"PROLIFIC_PID": "a"}


def test_the_researcher_finds_and_deletes_one_whose_cookie_is_gone(tmp_path: Path) -> None:
    store = small_study(tmp_path / "s")
    other = take_part(store, ["first"])
    with served(store) as another:
        one = another().join("?PROLIFIC_PID=a").begin()
        one.play()
        who = one.person.id
        one.client.cookies.clear()
        for path in ("participant?code=", "participant/data?code="):
            assert one.client.get(f"/researcher/{path}{who}").status_code == 403
        boss = another()
        boss.get("/researcher")
        boss.send("/researcher/enter", researcher=store.new_token())
        assert "A participant" in boss.page.text
        assert boss.get("/researcher/participant?code=nobody-knows").status_code == 404
        assert who in boss.get(f"/researcher/participant?code={who[:10]}").text
        assert boss.client.get("/researcher/participant/data?code=a").json()["participant"]["id"] == who
        boss.send("/researcher/participant/delete", code=who)
        assert store.participant_by_id(who) is not None  # not sure
        boss.get(f"/researcher/participant?code={who}")
        assert boss.client.post("/researcher/participant/delete", data={"code": who, "sure": "yes"}).status_code == 403
        boss.send("/researcher/participant/delete", code=who, sure="yes")
        assert boss.at == "/researcher" and [p.id for p in store.participants()] == [other.id]
        assert not one.client.app.state.site.plays._tables  # type: ignore[attr-defined]


def test_the_command_line_does_the_same(tmp_path: Path) -> None:
    store = small_study(tmp_path / "s")
    one, two = take_part(store, ["first"]), take_part(store, ["both"])
    where, file = str(tmp_path / "s"), tmp_path / "one.json"
    result = run(app, ["study", "participant", where, one.id[:9], "-o", str(file)])
    assert result.exit_code == 0 and "1 pairs, 2 plays, 1 votes" in result.output
    stored = stored_of(store, find_participant(store, one.id))
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(json.dumps(stored))
    assert run(app, ["study", "participant", where, one.id, "--delete"], input="n\n").exit_code != 0
    assert len(store.participants()) == 2
    assert run(app, ["study", "participant", where, one.id, "--delete", "--yes"]).exit_code == 0
    assert [p.id for p in store.participants()] == [two.id]
    assert run(app, ["study", "participant", where, one.id]).exit_code == 2
