"""A set of four in a real browser: on a computer, where the vote is given by keyboard, and on phones in Chinese."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsers
import pytest
from test_study_browser import Server, agree, consent, overflow, wait_and_go_on

from pcg.study.items import Source

pytestmark = [pytest.mark.browser, browsers.needs_browser]

BEST_WORST = '[[question]]\nname = "prefer"\n[[question]]\nname = "worst"\nanswers = "worst"\n'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browsers.chromium() as browser:
        yield browser


def make(folder: Path, **play: Any) -> Server:
    """A study of one set of four, best and worst."""
    from pcg.study.creation import make_study, read_plan

    plan = folder.with_suffix(".toml")
    plan.write_text(BEST_WORST, encoding="utf-8")
    settings = {"design": {"shown": "four", "pairs": 1, "checks": 0}, "play": {"minimum": 0.3, **play}}
    config, _, texts = read_plan(folder.name, plan, settings)
    make_study(folder, config, [Source("dungeon")], texts=texts, measure=False)
    return Server(folder)


def press_until(page: Any, key: str, reached: str) -> None:
    """Press a key until the focused element is one that a condition on `it` holds of."""
    for _ in range(60):
        page.keyboard.press(key)
        if page.evaluate(f"(it => {reached})(document.activeElement)"):
            return
    raise AssertionError(f"{key} never came to where {reached}")


def choose(page: Any, keyboard: bool, question: str, answer: str) -> None:
    """Give an answer by arrow keys, or by a click."""
    if not keyboard:
        page.check(f"input[name={question}][value={answer}]")
        return
    press_until(page, "Tab", f"it.name === '{question}'")
    if page.evaluate("document.activeElement.value") != answer:
        press_until(page, "ArrowDown", f"it.value === '{answer}'")
    else:
        page.keyboard.press("Space")


def send(page: Any, keyboard: bool) -> None:
    """Send the vote by Enter on its button, or by a click."""
    if not keyboard:
        page.click("form.vote button[type=submit]")
        return
    press_until(page, "Tab", "it.type === 'submit'")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("width", [1280, 375, 320])
def test_four_are_played_looked_at_again_and_the_best_and_worst_chosen(
    tmp_path: Path, chromium: Any, width: int
) -> None:
    server = make(tmp_path / "s", replays=True)
    try:
        chinese = width < 1000
        tab = browsers.Tab(chromium, viewport={"width": width, "height": 800}, locale="zh-CN" if chinese else "en-GB")
        page = tab.page
        consent(page, server.url)
        for arrived in ("second", "third", "fourth", "vote"):
            wait_and_go_on(page, f"**/pair/1/{arrived}")
        assert page.locator(".replays figure").count() == 4
        page.click("[data-play] >> nth=3")
        page.wait_for_function("() => document.querySelectorAll('[data-place]')[3].value > 0")
        page.keyboard.press("Tab")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("3")  # digits choose the best
        assert page.evaluate("document.querySelector('input[name=q-prefer][value=third]').checked")
        choose(page, not chinese, "q-worst", "first")
        assert not overflow(page)
        tab.shot(f"study-four-{width}")
        choose(page, not chinese, "q-worst", "third")
        send(page, not chinese)
        page.locator("#q-worst-problem").wait_for()  # the best cannot be the worst
        assert page.evaluate("document.querySelector('[aria-invalid=true] input[name=q-worst]') !== null")
        tab.complaints.clear()  # the browser's own words about that page
        choose(page, not chinese, "q-worst", "first")
        send(page, not chinese)
        page.wait_for_url("**/thanks")
        assert not tab.complaints, tab.complaints
        rows = server.store.vote_rows()
        assert [(row["question"], row["answer"]) for row in rows] == [("prefer", "third"), ("worst", "first")]
    finally:
        server.stop()


@pytest.mark.parametrize("width", [1280, 430])
def test_four_pictures_stand_on_one_page(tmp_path: Path, chromium: Any, width: int) -> None:
    server = make(tmp_path / "s", pictures=True)
    try:
        tab = browsers.Tab(chromium, viewport={"width": width, "height": 800}, locale="en-GB")
        page = tab.page
        agree(page, server.url)
        tab.shot(f"study-four-instructions-{width}")
        page.click("form button.primary")
        page.wait_for_url("**/pair/1/vote")
        assert page.locator(".pictures img").count() == 4
        assert page.evaluate("[...document.querySelectorAll('.pictures img')].every(i => i.complete && i.naturalWidth)")
        assert not overflow(page)
        tab.shot(f"study-four-pictures-{width}")
        page.check("input[name=q-prefer][value=fourth]")
        page.check("input[name=q-worst][value=second]")
        page.click("form.vote button[type=submit]")
        page.wait_for_url("**/thanks")
        assert not tab.complaints, tab.complaints
    finally:
        server.stop()
