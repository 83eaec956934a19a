"""The studio in a real browser: the five-minute walk, every page at two widths, by keyboard, light and dark, killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import faults
from browsers import PROGRAM, Tab, chromium, needs_browser, served, until

import pcg
from pcg.engine.kernel.runtime import MODE
from pcg.runs import LevelRun, run_levels
from pcg.studio import studio_app

pytestmark = [
    needs_browser,
    pytest.mark.browser,
    pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studio")
    config = LevelRun("boxes", "constructive", count=3, evaluations=10, seed=1, evaluation_parameters={"min_length": 5})
    run_levels(config, folder / "run", workers=1)
    return folder


def text_of(selector: str) -> str:
    return f"document.querySelector({selector!r}).textContent"


def cell(page: Any, x: int, y: int, columns: int, rows: int) -> tuple[float, float]:
    """The place of a cell of the drawing in the window."""
    box = page.locator("#drawing").bounding_box()
    return box["x"] + box["width"] * (x + 0.5) / columns, box["y"] + box["height"] * (y + 0.5) / rows


def test_the_five_minute_walk(browser: Any, tmp_path: Path) -> None:
    """Write a game, fix its error, paint and complete a level, generate a course, look at it and export it."""
    tab = Tab(browser, viewport={"width": 1280, "height": 900})
    page = tab.page
    with served(studio_app(folder=tmp_path)) as url:
        page.goto(url)
        until(page, "window.studio?.page")
        text = page.input_value("#text")
        page.fill("#text", text.replace("coin hero > killSprite", "coin hero > kilSprite"))
        page.wait_for_selector("#findings button.error")
        assert "did you mean `killSprite`?" in page.locator("#findings").inner_text()
        page.locator("#findings button.error").first.click()
        page.fill("#text", text)
        page.wait_for_selector("#findings .good")
        # paint: a wall, and an area that is left open
        page.get_by_role("tab", name="Level 1").click()
        page.click("#as-paint")
        until(page, "document.querySelectorAll('#palette input').length > 3")
        until(page, f"{text_of('#solved')}.includes('Can be won in')")
        before = page.input_value("#text")
        page.locator("#palette label", has_text="wall").first.click()
        page.mouse.click(*cell(page, 5, 1, 8, 5))
        until(page, f"document.getElementById('text').value !== {before!r}")
        painted = page.input_value("#text")
        assert painted.split("\n")[1][5] == "w"
        page.click("#undo")
        until(page, f"document.getElementById('text').value === {before!r}")
        page.locator("#palette label", has_text="open").click()
        page.locator("label", has_text="Area").click()
        page.mouse.move(*cell(page, 4, 1, 8, 5))
        page.mouse.down()
        page.mouse.move(*cell(page, 6, 3, 8, 5), steps=4)
        page.mouse.up()
        until(page, f"{text_of('#solved')}.includes('9 cells are open')")
        assert page.input_value("#text").count("?") == 9
        page.click("#complete")
        page.wait_for_selector("#suggestions button")
        until(page, "[...document.querySelectorAll('#suggestions .good')].length > 0")
        tab.shot("studio-paint")
        page.locator("#suggestions button", has=page.locator(".good")).first.click()
        until(page, f"{text_of('#solved')}.includes('Can be won')")
        completed = page.input_value("#text")
        assert "?" not in completed
        assert [row[:4] for row in completed.split("\n")] == [row[:4] for row in before.split("\n")]  # it was not open
        until(page, "window.studio.game.about.levels[0].width === 8 && !document.querySelector('#player.stale')")
        until(page, f"{text_of('#kept')}.includes('new-game')")
        # generate a course with it
        page.click("#generate")
        until(page, "document.body.dataset.ready === '1'")
        assert page.locator("select[name=game]").input_value() == "new-game"
        page.get_by_label("A course of levels").check()
        page.fill("[name=count]", "3")
        page.fill("[name=budget]", "24")
        page.locator("#measure").select_option("collectables")
        page.click("#add-want")
        page.locator("#want-collectables").fill("2")
        until(page, f"{text_of('#command')}.includes(\"--want 'collectables>=2'\")")
        assert "--progression" in page.locator("#command").inner_text()
        page.click("#start")
        until(page, f"/new-game-course: (beginning|under way|finished)/.test({text_of('#status')})")
        until(page, "!document.getElementById('curve').hidden")
        until(page, f"/: (finished|failed|stopped)/.test({text_of('#status')})")
        assert "finished" in page.locator("#status").inner_text(), page.locator("#failure").inner_text()
        tab.shot("studio-course")
        assert faults(page) == []
        # look at it, and take it along
        page.click("#to-run")
        until(page, "document.getElementById('picture')?.naturalWidth > 0")
        assert page.locator("#gallery-title").inner_text() == "The course, in order"
        with page.expect_download() as download:
            page.get_by_role("link", name="Export a page").click()
        saved = tmp_path / "course.html"
        download.value.save_as(saved)
        assert saved.read_text(encoding="utf-8").startswith("<!doctype html>") and saved.stat().st_size < 160_000
        page.goto(saved.as_uri())
        page.wait_for_selector(".pcg-main canvas")
    tab.close()
    assert tab.complaints == []


def test_a_run_is_looked_at_played_compared_and_voted_on(browser: Any, made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "studio"))
    tab = Tab(browser, viewport={"width": 1280, "height": 900})
    page = tab.page
    with served(studio_app(pcg.load("boxes"), folder=folder)) as url:
        page.goto(f"{url}/runs/run/")
        until(page, "document.getElementById('picture')?.naturalWidth > 0")  # the best is there at once
        until(page, "document.querySelectorAll('.map-cells img').length > 0")
        until(
            page,
            "document.getElementById('tab-edit').isConnected && document.querySelectorAll('#palette input').length > 3",
        )
        best = page.locator("#level-title").inner_text()
        assert page.locator("#gallery-list li").first.inner_text().startswith("1.")
        page.click("#star")
        until(page, "document.getElementById('star').getAttribute('aria-pressed') === 'true'")
        until(page, "document.querySelectorAll('#starred-list li').length === 1")
        page.click("#tab-play")
        page.wait_for_selector("#pane-play .pcg-stage canvas")
        page.focus("#pane-play canvas")
        page.keyboard.press("ArrowRight")
        until(page, "document.querySelector('#pane-play .pcg-figures').textContent.includes('Turn 1')")
        page.click("#pin")
        page.locator("#gallery-list button").nth(1).click()
        page.wait_for_selector("#duel img")
        assert page.locator("#duel figcaption").first.inner_text().startswith(best)
        page.locator("#pair [data-answer=first]").click()
        until(page, f"{text_of('#liking')}.length > 5 && document.querySelectorAll('#duel img').length === 2")
        tab.shot("studio-compare")
        assert faults(page) == []
        other = page.locator("#level-title").inner_text()
        page.click("#discard")
        until(page, "[...document.getElementById('show').options].some((one) => one.value === 'discarded')")
        page.reload()
        until(page, "document.getElementById('picture')?.naturalWidth > 0")
        assert other not in page.locator("#gallery-list").inner_text()
        assert page.locator("#starred-list li").count() == 1
    tab.close()
    assert tab.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_every_page_is_accessible_and_fits(browser: Any, made: Path, width: int, scheme: Any) -> None:
    tab = Tab(browser, viewport={"width": width, "height": 860}, color_scheme=scheme)
    page = tab.page
    with served(studio_app(pcg.load("boxes"), folder=made)) as url:
        for name, path in (("generate", "/generate"), ("look", "/look"), ("breed", "/breed")):
            page.goto(url + path)
            until(page, "document.body.dataset.ready === '1'")
            page.wait_for_load_state("networkidle")
            tab.shot(f"studio-{name}-{width}-{scheme}")
            assert (name, faults(page)) == (name, [])
        page.goto(f"{url}/runs/run/")
        until(page, "document.getElementById('picture')?.naturalWidth > 0")
        page.wait_for_load_state("networkidle")
        tab.shot(f"studio-run-{width}-{scheme}")
        assert ("run", faults(page)) == ("run", [])
        page.goto(url)
        until(page, "window.studio?.page")
        tab.shot(f"studio-write-{width}-{scheme}")
        assert ("write", faults(page)) == ("write", [])
        page.get_by_role("tab", name="Level 1").click()
        page.click("#as-paint")
        until(
            page,
            f"document.querySelectorAll('#palette input').length > 3 && {text_of('#solved')}.includes('Can be won')",
        )
        tab.shot(f"studio-paint-{width}-{scheme}")
        assert ("paint", faults(page)) == ("paint", [])
    tab.close()
    assert tab.complaints == []


def test_a_level_is_painted_by_keyboard_without_moving_the_avatar(browser: Any, tmp_path: Path) -> None:
    tab = Tab(browser, viewport={"width": 1280, "height": 900})
    page = tab.page
    with served(studio_app(pcg.load("boxes"), folder=tmp_path)) as url:
        page.goto(url)
        until(page, "window.studio?.page")
        page.get_by_role("tab", name="Game").focus()
        page.keyboard.press("ArrowRight")  # to the first level
        page.focus("#as-paint")
        page.keyboard.press("Enter")
        until(page, "document.querySelectorAll('#palette input').length > 3")
        page.focus("#drawing")
        for key in ("ArrowRight", "ArrowDown", "Space"):
            page.keyboard.press(key)
        until(page, f"{text_of('#cell-said')}.startsWith('row 2, column 2')")
        assert page.evaluate("window.studio.page.play.taken.length") == 0
        painted = page.input_value("#text")
        assert painted.split("\n")[1][1] == "w"
        page.keyboard.press("Control+z")
        until(page, f"document.getElementById('text').value !== {painted!r}")
        page.locator("#language").click()
        until(page, "document.documentElement.lang === 'zh' && window.studio?.page")
        assert page.get_by_role("tab", name="关卡 1").count() == 1
        tab.shot("studio-zh")
    tab.close()
    assert tab.complaints == []


def test_what_was_written_outlives_a_killed_browser(browser: Any, tmp_path: Path) -> None:
    text = str(pcg.load("boxes").definition.source).replace("scoreChange=-1", "scoreChange=-9")
    mark = f"--pcg-test={tmp_path}"
    with served(studio_app(pcg.load("boxes"), folder=tmp_path / "studio")) as url:
        mortal = browser.browser_type.launch(executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu", mark])
        page = mortal.new_page()
        page.goto(url)
        until(page, "window.studio?.page")
        page.fill("#text", text)
        until(page, f"{text_of('#kept')}.includes('boxes')")
        kill(mark)
        tab = Tab(browser)  # another browser: the server's folder has it
        tab.page.goto(url)
        until(tab.page, "window.studio?.page")
        assert tab.page.input_value("#text").rstrip("\n") == text.rstrip("\n")
        tab.close()


def kill(mark: str) -> None:
    """Kill -9 the browser that we started with an argument of its own."""
    killed = 0
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if entry.name.isdigit() and mark in command and not any(word.startswith("--type=") for word in command):
            os.kill(int(entry.name), signal.SIGKILL)
            killed += 1
    assert killed


def test_axe_and_the_checker_find_what_is_wrong_with_a_bad_page(browser: Any) -> None:
    tab = Tab(browser, viewport={"width": 375, "height": 600})
    tab.page.set_content(
        "<main><h1>a</h1><h1>b</h1><button></button><img src='data:,'><input id='x'><p id='x' style='color:#999;"
        "background:#fff'>pale</p><p style='width:900px'>wide</p><b tabindex='3' aria-labelledby='no'>c</b></main>"
    )
    with pytest.raises(AssertionError) as refused:
        tab.shot("bad")
    for rule in ("html-has-lang", "document-title", "button-name", "image-alt", "label", "color-contrast", "tabindex"):
        assert f"{rule} (" in str(refused.value), rule
    told = " | ".join(faults(tab.page))
    for fault in ("no language", "no title", "2 main headings", "no name: <button>", "picture without", "id twice: x",
                  "contrast 2.85", "wider than", "tab order", "of nothing: no"):  # fmt: skip
        assert fault in told, told
    tab.close()
