"""The editor of a run's levels as a file: opened from the report, without a server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import PHONE, Tab, chromium, needs_browser

import pcg
from pcg.report import write_report
from pcg.report.level_pages import EDITED, page_of
from pcg.runs import LevelRun, run_levels
from pcg.web.file_editor import EditedLevel, file_editor


def made(folder: Path, *, evaluations: int = 20, generator: str = "constructive") -> Path:
    run_levels(LevelRun("boxes", generator=generator, count=2, seed=1, evaluations=evaluations), folder)
    return folder


def told(page: str) -> Any:
    """The data of a page."""
    (found,) = re.findall(r'<script type="application/json" id="about">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(tmp_path_factory.mktemp("edited") / "run")
    write_report(folder)
    return folder


def test_the_page_has_the_levels_that_the_report_links_to(run: Path) -> None:
    links = re.findall(r'href="edit\.html#([\w-]+)"', (run / "report.html").read_text(encoding="utf-8"))
    about = told((run / EDITED).read_text(encoding="utf-8"))
    kept = [level for level in about["levels"] if level["id"].startswith("kept-")]
    assert links == [level["id"] for level in about["levels"]] and len(kept) == 2
    for level in kept:
        assert level["text"] == (run / "levels" / level["file"]).read_text(encoding="utf-8").rstrip("\n")
    assert {tile["char"] for tile in about["tiles"]} >= set("".join(level["text"] for level in kept)) - {"\n"}


def test_equal_runs_have_equal_editors_and_an_old_one_is_not_linked(run: Path, tmp_path: Path) -> None:
    again = made(tmp_path / "again")
    write_report(again)
    assert (again / EDITED).read_bytes() == (run / EDITED).read_bytes()
    later = (again / EDITED).stat().st_mtime_ns + 1
    os.utime(again / "levels" / "index.json", ns=(later, later))
    assert page_of(again, EDITED) == "" and page_of(run, EDITED) == EDITED


def test_levels_that_are_not_feasible_can_be_edited_too(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", evaluations=2, generator="random")
    write_report(folder)
    about = told((folder / EDITED).read_text(encoding="utf-8"))
    closest = [level for level in about["levels"] if level["id"].startswith("closest-")]
    assert closest and all(level["title"].endswith(", not feasible") for level in closest)


def test_names_are_no_markup() -> None:
    game = pcg.load("boxes")
    level = EditedLevel("kept-0", "lvl0.txt", "</script><b>", game.levels[0])
    page = file_editor(game, [level], name="<i>", report="report.html")
    assert "</script><b>" not in page and "<i>" not in page and told(page)["levels"][0]["title"] == "</script><b>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(params=[{"viewport": {"width": 1280, "height": 900}}, PHONE], ids=["desk", "phone"])
def tab(browser: Any, request: pytest.FixtureRequest) -> Iterator[Tab]:
    found = Tab(browser, **request.param)
    yield found
    asked = [url for url in found.bytes if not url.startswith(("file:", "blob:", "data:"))]
    found.close()
    assert found.complaints == [] and asked == []


@pytest.mark.browser
@needs_browser
def test_a_level_is_edited_from_the_report_and_saved(tab: Tab, run: Path) -> None:
    page = tab.page
    page.goto((run / "report.html").as_uri())
    page.get_by_role("link", name="Edit lvl1.txt").click()
    page.wait_for_url(f"**/{EDITED}#kept-1")
    said = page.locator("#solved")
    said.filter(has_text="As it was made.").wait_for()
    tab.shot("file-editor")
    before = (run / "levels" / "lvl1.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")

    page.get_by_label("wall", exact=True).check(force=True)
    page.locator("#drawing").focus()
    y, x = next((y, x) for y, row in enumerate(before) for x, char in enumerate(row) if char == ".")
    for key in ["ArrowDown"] * y + ["ArrowRight"] * x:
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    wanted = [list(row) for row in before]
    wanted[y][x] = "w"
    said.filter(has_text="One cell is changed.").wait_for()
    page.locator("details summary", has_text="Size and text").click()
    assert page.locator("#text").input_value() == "\n".join("".join(row) for row in wanted)

    page.select_option("#level", "kept-0")  # what was drawn is still there when one comes back
    said.filter(has_text="As it was made.").wait_for()
    page.select_option("#level", "kept-1")
    said.filter(has_text="One cell is changed.").wait_for()

    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == "lvl1-edited.txt"
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text == "\n".join("".join(row) for row in wanted) + "\n"
    pcg.load(run / "levels" / "game.vgdl").start(text)  # a level of the game

    page.get_by_role("button", name="Begin again").click()
    said.filter(has_text="As it was made.").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
@needs_browser
def test_faults_are_told_and_drawing_the_avatar_moves_it(tab: Tab, run: Path) -> None:
    page = tab.page
    page.goto((run / EDITED).as_uri())
    said = page.locator("#solved")
    said.filter(has_text="As it was made.").wait_for()
    page.locator("details summary", has_text="Size and text").click()
    text = page.locator("#text").input_value()
    (tile,) = (one for one in told(page.content())["tiles"] if "avatar" in one["roles"])
    hero = tile["char"]
    page.fill("#text", text.replace(hero, "§"))
    page.get_by_role("button", name="Use this text").click()
    said.filter(has_text="The game has no §. No cell has an avatar").wait_for()
    page.get_by_role("button", name="Undo").click()
    said.filter(has_text="As it was made.").wait_for()
    page.locator("#palette label", has_text=tile["names"][0]).click()
    page.locator("#drawing").focus()
    page.keyboard.press("Enter")
    now = page.locator("#text").input_value()
    assert now.count(hero) == 1 and now[0] == hero
