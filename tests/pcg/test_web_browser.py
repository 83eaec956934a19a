"""The pages in a real browser: by keyboard, by finger, on a phone, and without a word of complaint in the console."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import numpy as np
import pytest
from browsers import Tab, served

import pcg
from pcg.render import rgb_array
from pcg.report import write_report
from pcg.runs import LevelRun, run_levels
from pcg.web.archive import archive_app
from pcg.web.single_level import play_app

pytestmark = [pytest.mark.browser, browsers.needs_browser]

KEYS = {"UP": "ArrowUp", "LEFT": "ArrowLeft", "DOWN": "ArrowDown", "RIGHT": "ArrowRight", "USE": "Space"}
TICK = "Number(document.querySelector('[data-tick]')?.textContent)"
VEIL = "document.querySelector('[data-veil-title]')?.textContent"
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsers.chromium() as program:
        yield program


@pytest.fixture
def tab(browser: Any) -> Iterator[Tab]:
    tab = Tab(browser, viewport={"width": 1280, "height": 900})
    yield tab
    tab.close()


def plan() -> list[str]:
    return [str(a) for a in pcg.solve(pcg.load("boxes").start(0), max_nodes=50_000).actions]


def test_a_game_is_won_by_keyboard_after_a_reload_in_the_middle(tab: Tab) -> None:
    actions, page = plan(), tab.page
    with served(play_app(pcg.load("boxes"), 0)) as url:
        page.goto(url)
        page.wait_for_function(f"() => {VEIL} === 'Ready'")
        for count, action in enumerate(actions, start=1):
            page.keyboard.press(KEYS[action])
            page.wait_for_function(f"() => {TICK} === {count}")
            if count == 5:
                page.reload()
                page.wait_for_function(f"() => {VEIL} === 'Paused' && {TICK} === 5")
        page.wait_for_function(f"() => {VEIL} === 'Won!'")
        tab.shot("player-won")
        assert f"after {len(actions)} ticks" in page.evaluate("document.querySelector('[data-say]').textContent")
        page.keyboard.press("r")
        page.wait_for_function(f"() => {VEIL} === 'Ready' && {TICK} === 0")
    page.wait_for_function(f"() => {VEIL} === 'Connection lost'")
    assert [c for c in tab.complaints if "WebSocket" not in c] == []  # the lost server is told by the browser itself


def test_a_game_is_won_by_finger_on_a_phone(browser: Any) -> None:
    tab = Tab(browser, **browsers.PHONE)
    page = tab.page
    with served(play_app(pcg.load("boxes"), 0)) as url:
        page.goto(url)
        page.wait_for_function(f"() => {VEIL} === 'Ready'")
        tab.shot("player-phone")
        assert page.evaluate(FITS)
        assert page.evaluate("[...document.querySelectorAll('.pcg-pad button')].every(b => b.offsetHeight >= 44)")
        for count, action in enumerate(plan(), start=1):
            page.tap(f"[data-action={action}]")
            page.wait_for_function(f"() => {TICK} === {count}")
        page.wait_for_function(f"() => {VEIL} === 'Won!'")
        assert tab.complaints == []
        tab.close()


def test_the_board_shows_the_pictures_pixels(tab: Tab) -> None:
    """The canvas at 16 pixels a cell, compared with the picture that the server draws."""
    page, game = tab.page, pcg.load("dungeon")
    expected = rgb_array(game.start(0), tile=16)
    with served(play_app(game, 0)) as url:
        page.goto(url)
        page.wait_for_function(f"() => {VEIL} === 'Ready'")
        pixels = page.evaluate(
            """(async () => {
              const { Board, loadSheet } = await import("/static/player/board.js");
              const socket = new WebSocket(location.href.replace("http", "ws") + "/socket");
              const welcome = await new Promise((done) => { socket.onmessage = (e) => done(JSON.parse(e.data)); });
              const canvas = document.body.appendChild(document.createElement("canvas"));
              const board = new Board(canvas, welcome, await loadSheet(welcome.sheet));
              board.fit(16 * welcome.width, 16 * welcome.height);
              board.show(welcome.frame);
              socket.close();
              return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
            })()"""
        )
    drawn = np.array(pixels, np.uint8).reshape(*expected.shape[:2], 4)
    assert (drawn[..., :3] == expected).all()


def test_the_archive_is_walked_drawn_in_and_played_by_keyboard(tab: Tab, tmp_path: Path) -> None:
    page, folder = tab.page, tmp_path / "run"
    config = LevelRun("boxes", "constructive", count=2, evaluations=8, evaluation_parameters={"min_length": 5})
    run_levels(config, folder, workers=1)
    with served(archive_app(folder)) as url:
        page.goto(url)
        page.wait_for_function("() => document.querySelectorAll('.map-cells button').length > 0")
        tab.shot("archive")
        page.evaluate("document.querySelector('.map-cells button[tabindex=\"0\"]').focus()")
        page.evaluate("document.activeElement.click()")
        page.wait_for_function("() => document.getElementById('picture').naturalWidth > 0")
        page.evaluate("document.getElementById('tab-picture').focus()")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.querySelector('#pane-replay output')?.textContent.startsWith('tick ')")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.querySelector('#pane-play .pcg-veil b')?.textContent === 'Ready?'")
        page.evaluate("document.getElementById('tab-play').focus()")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => !document.getElementById('pane-edit').hidden")
        page.evaluate("document.getElementById('drawing').focus()")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("l")
        page.wait_for_function("() => document.getElementById('cell-said').textContent.includes('row 2, column 2')")
        assert page.evaluate("document.getElementById('cell-said').textContent").endswith("locked")
        page.evaluate("document.getElementById('evaluate').click()")
        tab.shot("archive-edit")
        page.wait_for_function("() => /easible/.test(document.getElementById('verdict').textContent)")
        page.evaluate("document.getElementById('complete').click()")
        page.wait_for_function("() => document.querySelectorAll('#suggestions button').length >= 3")
        before = page.evaluate("document.getElementById('text').value")
        page.evaluate("document.querySelector('#suggestions button').click()")
        after = page.evaluate("document.getElementById('text').value")
        assert before != after
        assert before.split("\n")[1][1] == after.split("\n")[1][1]
        page.evaluate("document.getElementById('save').click()")
        page.wait_for_function("() => document.querySelectorAll('#drawn-list button').length === 1")
        assert tab.complaints == []
    assert (folder / "drawn" / "lvl0.txt").read_text() == after + "\n"


WATCH = """window.places = new Set(); places.toJSON = () => [...places]; (function watch() {
  const link = document.querySelector("a[href$='/report']");
  if (link) places.add(JSON.stringify(link.getBoundingClientRect()));
  requestAnimationFrame(watch);
})();"""
"""Notes where the link to the report stands, in each frame."""


def test_the_report_in_the_studio_edits_and_plays_each_level(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run_levels(LevelRun("boxes", "constructive", count=2, evaluations=8, seed=1), folder, workers=1)
    write_report(folder)
    tab = Tab(browser, viewport={"width": 1280, "height": 900})
    page = tab.page
    page.add_init_script(WATCH)
    with served(archive_app(folder)) as url:
        page.goto(url)
        page.locator("#map button").first.wait_for()
        assert len(page.evaluate("places")) == 1  # what moves while a page loads is missed by who clicks it
        page.get_by_role("link", name="Report").click()
        page.wait_for_url("**/report")
        assert page.evaluate("document.querySelector('img.pixels').naturalWidth") > 0
        assert page.evaluate("getComputedStyle(document.querySelector('.gallery')).display") == "grid"
        page.get_by_role("link", name="Edit lvl1.txt").click()
        page.locator("#pane-edit").wait_for()
        assert page.locator("#text").input_value().strip() == (folder / "levels" / "lvl1.txt").read_text().strip()
        page.go_back()
        page.get_by_role("link", name="Play lvl0.txt, or watch its win").click()
        page.locator("#pane-play canvas").first.wait_for()
        assert tab.complaints == []
    alone = (folder / "report.html").read_text()  # nothing in the file needs the studio
    assert '<a href="edit.html#kept-1">Edit lvl1.txt</a>' in alone and "./#kept" not in alone
    tab.close()


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_page_is_wider_than_its_window(browser: Any, tmp_path: Path, width: int) -> None:
    folder = tmp_path / "run"
    run_levels(LevelRun("boxes", "constructive", count=1, evaluations=4), folder, workers=1)
    write_report(folder)
    tab = Tab(browser, viewport={"width": width, "height": 900}, has_touch=width < 900, is_mobile=width < 900)
    with served(archive_app(folder)) as url:
        tab.page.goto(f"{url}#draw")
        tab.page.wait_for_function("() => !document.getElementById('pane-edit').hidden")
        tab.shot(f"draw-{width}")
        assert tab.page.evaluate(FITS)
    tab.page.goto((folder / "report.html").as_uri())
    tab.shot(f"report-{width}")
    assert tab.page.evaluate(FITS)
    tab.close()
