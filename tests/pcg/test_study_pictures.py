"""Studies of pictures: levels of two sources side by side, without a word about where they come from."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import pytest
from PIL import Image
from study_walks import served

import pcg
from benchmarks.validation import eye
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.study.exporting import study_data
from pcg.study.folders import open_study

HALLS = ["wwwwww\nwA..bw\nw...ow\nwwwwww", "wwwwww\nwA.b.w\nw..o.w\nwwwwww", "wwwwww\nw.Ab.w\nw..o.w\nwwwwww"]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    found = tmp_path / "by-hand", tmp_path / "evolved"
    for folder, levels in zip(found, (pcg.load("boxes").levels[:2], HALLS[:2]), strict=True):
        (folder / "boxes").mkdir(parents=True)
        for k, level in enumerate(levels):
            (folder / "boxes" / f"lvl{k}.txt").write_text(level)
    return found


def test_the_page_shows_two_pictures_and_nothing_of_where_they_come_from(
    tmp_path: Path, folders: tuple[Path, Path]
) -> None:
    names = eye.make_eye_study(tmp_path / "study", *folders, pairs=4)
    store = open_study(tmp_path / "study")
    assert len(names) == 4 and {item.group for item in store.items} == {"by-hand", "evolved"}
    sides, levels = set(), {item.id: item.level for item in store.items}
    with served(store) as another:
        for _ in range(4):
            one = another().join().begin()
            for number in range(1, 5):
                assert one.at == f"/pair/{number}/vote"
                page = one.page
                shown = store.pairs()[-1]
                groups = [store.item[shown.item(side)].group for side in (0, 1)]
                assert sorted(groups) == ["by-hand", "evolved"]
                sides.add(groups[0])
                pictures = [one.client.get(f"/pair/{number}/{side}.png") for side in ("first", "second")]
                secrets = [*names, "by-hand", "evolved", "lvl", str(tmp_path)]
                for answer in (page, *pictures):
                    told = answer.text if answer is page else str(answer.content)
                    assert not [word for word in secrets if word in told or word in str(answer.headers)]
                for side, picture in enumerate(pictures):
                    assert picture.headers["content-type"] == "image/png"
                    width, height = Image.open(io.BytesIO(picture.content)).size
                    rows = levels[shown.item(side)].rstrip("\n").split("\n")
                    assert (width, height) == (32 * len(rows[0]), 32 * len(rows))
                one.vote("first")
            assert one.at == "/thanks"
    assert sides == {"by-hand", "evolved"}
    assert not store.plays()


def test_pictures_are_shown_to_who_is_to_vote_on_them_and_games_cannot_be_played(
    tmp_path: Path, folders: tuple[Path, Path]
) -> None:
    eye.make_eye_study(tmp_path / "study", *folders, pairs=2)
    with served(open_study(tmp_path / "study")) as another:
        assert another().client.get("/pair/1/first.png").status_code in (303, 404)
        one = another().join().begin()
        assert one.client.get("/pair/2/first.png").status_code == 404
        assert one.client.get("/pair/1/third.png").status_code == 404
        assert one.get("/pair/1/first").url.path == "/pair/1/vote"
        assert "play" not in one.page.text.lower().replace("display", "")


def test_studies_of_games_show_no_pictures(tmp_path: Path) -> None:
    from study_walks import small_study

    with served(small_study(tmp_path / "study")) as another:
        one = another().join().begin()
        assert one.client.get("/pair/1/first.png").status_code == 404


def test_the_report_counts_votes_by_source(tmp_path: Path, folders: tuple[Path, Path], capsys) -> None:  # type: ignore[no-untyped-def]
    eye.make_eye_study(tmp_path / "study", *folders, pairs=3)
    store = open_study(tmp_path / "study")
    with served(store) as another:
        for wanted in ("by-hand", "by-hand", "evolved"):
            one = another().join().begin()
            for answer in ("wanted", "wanted", "both"):
                shown = store.pairs()[-1]
                sides = {store.item[shown.item(side)].group: ("first", "second")[side] for side in (0, 1)}
                one.vote(sides[wanted] if answer == "wanted" else answer)
    found = eye.votes_by_source(study_data(store).votes, eye.games_of(tmp_path / "study"))
    assert found["sources"] == ["by-hand", "evolved"] and found["games"]["boxes"]["votes"] == [4, 2]
    assert found["all"]["votes"] == [4, 2] and found["all"]["ties"] == 3
    assert found["all"]["share"] == pytest.approx(2 / 3)
    low, high = found["all"]["interval"]
    assert low == pytest.approx(0.2228, abs=1e-3) and high == pytest.approx(0.9567, abs=1e-3)
    assert found["all"]["interval_participants"] == [0.0, 1.0]
    out = tmp_path / "votes.json"
    options = argparse.Namespace(what="report", study=tmp_path / "study", people="", json=out)
    assert eye.run(options) == 0 and json.loads(out.read_text()) == json.loads(json.dumps(found))
    assert "| all | 4 | 2 | 3 | 0.67 | 0.22 to 0.96 |" in capsys.readouterr().out


def test_sources_that_cannot_be_compared_are_refused(tmp_path: Path, folders: tuple[Path, Path]) -> None:
    (folders[0] / "hunt").mkdir()
    (folders[0] / "hunt" / "lvl0.txt").write_text(pcg.load("hunt").levels[0])
    with pytest.raises(PcgError, match=r"only one of .* has levels of hunt"):
        eye.make_eye_study(tmp_path / "study", *folders)
    (tmp_path / "empty").mkdir()
    with pytest.raises(PcgError, match="holds no levels"):
        eye.make_eye_study(tmp_path / "study", folders[1], tmp_path / "empty")
    with pytest.raises(PcgError, match="same folder"):
        eye.make_eye_study(tmp_path / "study", folders[1], folders[1])
