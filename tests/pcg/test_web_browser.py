"""The pages in a real browser: by keyboard, by finger, on a phone, and without a word of complaint in the console."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from starlette.types import ASGIApp

import pcg
from pcg.render import rgb_array
from pcg.runs import LevelRun, run_levels
from pcg.web.archive import archive_app
from pcg.web.serving import address, listen
from pcg.web.single_level import play_app

_spec = importlib.util.spec_from_file_location("chromium", Path(__file__).with_name("chromium.py"))
assert _spec is not None
assert _spec.loader is not None
chromium = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(chromium)

pytestmark = [pytest.mark.browser, pytest.mark.skipif(chromium.PROGRAM is None, reason="needs chromium")]

KEYS = {"UP": "ArrowUp", "LEFT": "ArrowLeft", "DOWN": "ArrowDown", "RIGHT": "ArrowRight", "USE": "Space"}
TICK = "Number(document.querySelector('[data-tick]')?.textContent)"
VEIL = "document.querySelector('[data-veil-title]')?.textContent"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(tab: Any) -> Any:
    """The tab, away from the page of the test before and its complaints."""
    tab.open("about:blank")
    tab.complaints.clear()
    return tab


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """A real server on loopback, in a thread."""
    bound = listen(port=0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield address(bound)
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


def plan() -> list[str]:
    return [str(a) for a in pcg.solve(pcg.load("boxes").start(0), max_nodes=50_000).actions]


def test_a_game_is_won_by_keyboard_after_a_reload_in_the_middle(browser: Any) -> None:
    actions = plan()
    with served(play_app(pcg.load("boxes"), 0)) as url:
        browser.open(url)
        browser.until(f"{VEIL} === 'Ready'")
        for count, action in enumerate(actions, start=1):
            browser.key(KEYS[action])
            browser.until(f"{TICK} === {count}")
            if count == 5:
                browser.command("Page.reload")
                browser.until(f"{VEIL} === 'Paused' && {TICK} === 5")
        browser.until(f"{VEIL} === 'Won!'")
        assert f"after {len(actions)} ticks" in browser.js("document.querySelector('[data-say]').textContent")
        browser.key("KeyR", "r")
        browser.until(f"{VEIL} === 'Ready' && {TICK} === 0")
    browser.until(f"{VEIL} === 'Connection lost'")
    assert [
        c for c in browser.complaints if "WebSocket" not in c
    ] == []  # the lost server is told by the browser itself


def test_a_game_is_won_by_finger_on_a_phone(browser: Any) -> None:
    with served(play_app(pcg.load("boxes"), 0)) as url:
        browser.open(url, width=390, height=844, touch=True)
        browser.until(f"{VEIL} === 'Ready'")
        assert browser.js("document.documentElement.scrollWidth <= window.innerWidth")
        assert browser.js("[...document.querySelectorAll('.pcg-pad button')].every(b => b.offsetHeight >= 44)")
        for count, action in enumerate(plan(), start=1):
            browser.tap(f"[data-action={action}]")
            browser.until(f"{TICK} === {count}")
        browser.until(f"{VEIL} === 'Won!'")
        assert browser.complaints == []


def test_the_board_shows_the_pictures_pixels(browser: Any) -> None:
    """The canvas at 16 pixels a cell, compared with the picture that the server draws."""
    game = pcg.load("dungeon")
    expected = rgb_array(game.start(0), tile=16)
    with served(play_app(game, 0)) as url:
        browser.open(url)
        browser.until(f"{VEIL} === 'Ready'")
        pixels = browser.js(
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


def test_the_archive_is_walked_drawn_in_and_played_by_keyboard(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    config = LevelRun("boxes", "constructive", count=2, evaluations=8, evaluation_parameters={"min_length": 5})
    run_levels(config, folder, workers=1)
    with served(archive_app(folder)) as url:
        browser.open(url)
        browser.until("document.querySelectorAll('.map-cells button').length > 0")
        browser.js("document.querySelector('.map-cells button[tabindex=\"0\"]').focus()")
        browser.js("document.activeElement.click()")
        browser.until("document.getElementById('picture').naturalWidth > 0")
        browser.js("document.getElementById('tab-picture').focus()")
        browser.key("ArrowRight")
        browser.until("document.querySelector('#pane-replay output')?.textContent.startsWith('tick ')")
        browser.key("ArrowRight")
        browser.until("document.querySelector('#pane-play .pcg-veil b')?.textContent === 'Ready?'")
        browser.js("document.getElementById('tab-play').focus()")
        browser.key("ArrowRight")
        browser.until("!document.getElementById('pane-edit').hidden")
        browser.js("document.getElementById('drawing').focus()")
        browser.key("ArrowRight")
        browser.key("ArrowDown")
        browser.key("KeyL", "l")
        browser.until("document.getElementById('cell-said').textContent.includes('row 2, column 2')")
        assert browser.js("document.getElementById('cell-said').textContent").endswith("locked")
        browser.js("document.getElementById('evaluate').click()")
        browser.until("/easible/.test(document.getElementById('verdict').textContent)")
        browser.js("document.getElementById('complete').click()")
        browser.until("document.querySelectorAll('#suggestions button').length >= 3")
        before = browser.js("document.getElementById('text').value")
        browser.js("document.querySelector('#suggestions button').click()")
        after = browser.js("document.getElementById('text').value")
        assert before != after
        assert before.split("\n")[1][1] == after.split("\n")[1][1]
        browser.js("document.getElementById('save').click()")
        browser.until("document.querySelectorAll('#drawn-list button').length === 1")
        assert browser.complaints == []
    assert (folder / "drawn" / "lvl0.txt").read_text() == after + "\n"


@pytest.mark.parametrize("width", [390, 820, 1280])
def test_no_page_is_wider_than_its_window(browser: Any, tmp_path: Path, width: int) -> None:
    folder = tmp_path / "run"
    run_levels(LevelRun("boxes", "random", count=1, evaluations=2), folder, workers=1)
    with served(archive_app(folder)) as url:
        browser.open(f"{url}#draw", width=width, touch=width < 900)
        browser.until("!document.getElementById('pane-edit').hidden")
        assert browser.js("document.documentElement.scrollWidth <= window.innerWidth")
