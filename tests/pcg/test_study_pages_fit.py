"""Every page of a study in a real browser: fits its window, keeps axe's rules and cuts no text off, at the widths of a
computer and a phone, light and dark, in English and Chinese.

PCG_SCREENSHOTS=FOLDER keeps pictures of the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
import studies
from test_study_browser import READY, Server, overflow, veil, wait_and_go_on

from pcg.study.items import Source

pytestmark = [pytest.mark.browser, browsers.needs_browser]


STACKED = """() => [...document.querySelectorAll("th, td")].filter((cell) => {
  const size = parseFloat(getComputedStyle(cell).fontSize), inside = document.createRange();
  inside.selectNodeContents(cell);
  const box = inside.getBoundingClientRect();
  return box.width < 1.8 * size && box.height > 3 * size;
}).map((cell) => cell.textContent.trim())"""
"""Texts of cells so narrow that their letters stand one below the other."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browsers.chromium() as browser:
        yield browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    settings = {
        "study": {"demographics": "before"}, "design": {"pairs": 2, "checks": 1}, "access": {"code": "THANKS-77"},
        "play": {"minimum": 1.0, "replays": True}, "consent": {"retention": 1, "contact": "games@example.org"},
    }  # fmt: skip
    studies.make(
        tmp_path / "s", Source("boxes", levels="0-2"), Source(name="try", game="boxes", level=3, practice=True),
        settings=settings,
    )  # fmt: skip
    found = Server(tmp_path / "s")
    yield found
    found.stop()


KINDS = [(1280, "light", "en"), (1280, "dark", "zh"), (375, "light", "zh"), (375, "dark", "en")]


@pytest.mark.parametrize(("width", "scheme", "language"), KINDS)
def test_pages_of_participants(server: Server, chromium: Any, width: int, scheme: Any, language: str) -> None:
    tab = browsers.Tab(
        chromium, viewport={"width": width, "height": 740}, color_scheme=scheme, has_touch=width < 500,
        locale={"en": "en-GB", "zh": "zh-CN"}[language],
    )  # fmt: skip
    page = tab.page

    def look(name: str) -> None:
        assert page.locator("html").get_attribute("lang") == language
        assert not overflow(page), name
        tab.shot(f"study-{name}-{width}-{scheme}-{language}")

    page.goto(f"{server.url}/nowhere")
    look("missing")
    assert all("404" in complaint for complaint in tab.complaints)
    tab.complaints.clear()
    page.goto(server.url)
    look("welcome")
    page.click("form.card a")
    page.wait_for_url("**/declined*")
    look("declined")
    page.goto(server.url)
    page.check("input[name=consent]")
    page.click("form.card button[type=submit]")
    page.wait_for_url("**/questions/before")
    page.fill("#a-age", "70")
    for name, value in (("gender", "unsaid"), ("plays_games", "daily"), ("plays_like_these", "2")):
        page.check(f"input[name=a-{name}][value='{value}']")
    look("questions")
    page.click("form.questions button[type=submit]")
    page.wait_for_url("**/instructions")
    look("instructions")
    page.click("form button.primary")
    page.wait_for_url("**/practice")
    veil(page, READY)
    look("practice")
    page.click("#onward")
    for number in (1, 2, 3):
        page.wait_for_url(f"**/pair/{number}/*")
        if page.url.endswith("/first"):
            if number == 1:
                veil(page, READY)
                look("play")
                wait = {"en": "1 second of play to go", "zh": "还需要玩 1 秒"}[language]
                assert page.locator("#wait").inner_text() == wait
            wait_and_go_on(page, f"**/pair/{number}/second")
            wait_and_go_on(page, f"**/pair/{number}/vote")
            page.click("[data-play] >> nth=1")
            page.wait_for_function("() => document.querySelectorAll('[data-place]')[1].value > 0")
            look("vote")
            page.locator("label.answer.both").click()
            page.fill("#reason", "Because of 1 < 2.")
        else:
            look("check")
            expected = server.store.pairs()[-1].expected
            page.locator(f"label.answer.{expected}").click()
        page.locator("form.vote button[type=submit]").click()
    page.wait_for_url("**/thanks")
    look("thanks")
    page.click("footer a")
    page.wait_for_url("**/data")
    look("data")
    page.click("label.tick")
    page.click("form.danger button")
    page.wait_for_url("**/forget")
    look("deleted")
    for state in ("paused", "closed"):
        server.store.set_state(state)
        page.wait_for_timeout(1_100)  # the server looks up the state once a second at most
        page.goto(server.url)
        look(state)
    assert [c for c in tab.complaints if "503" not in c and "403" not in c] == []
    tab.close()


@pytest.mark.parametrize(("width", "scheme", "language"), KINDS)
def test_pages_of_the_researcher(server: Server, chromium: Any, width: int, scheme: Any, language: str) -> None:
    for answers in (["first"] * 7, ["second", "both", "neither"]):
        person = studies.take_part(server.store, answers)
    tab = browsers.Tab(chromium, viewport={"width": width, "height": 800}, color_scheme=scheme,
                       locale={"en": "en-GB", "zh": "zh-CN"}[language])  # fmt: skip
    page = tab.page

    def look(name: str) -> None:
        assert page.locator("html").get_attribute("lang") == language
        assert not overflow(page), name
        assert page.evaluate(STACKED) == [], name
        tab.shot(f"researcher-{name}-{width}-{scheme}-{language}")

    page.goto(f"{server.url}/researcher?lang={language}")
    look("enter")
    page.goto("about:blank")
    page.goto(f"{server.url}/researcher?lang={language}#{server.store.new_token()}")
    page.locator("#live table").last.wait_for()
    page.goto(f"{server.url}/researcher?lang={language}")
    page.locator("#live table").last.wait_for()
    look("overview")
    page.locator(".downloads summary").click()
    look("downloads")
    for name in ("participants", "items", "comments"):
        page.goto(f"{server.url}/researcher/{name}?lang={language}")
        look(name)
    page.goto(f"{server.url}/researcher/participant?code={person.id}&lang={language}")
    look("participant")
    assert [c for c in tab.complaints if "403" not in c] == []
    tab.close()
