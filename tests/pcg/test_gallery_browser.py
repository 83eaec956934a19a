"""The page of pairs in headless Chromium, under the rules of content that our servers have: mouse, keyboard, phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import Tab, chromium, needs_browser, served, until
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from pcg.web.guard import Guard

markdown = pytest.importorskip("markdown", reason="needs mkdocs (the extra docs)")
pytestmark = [pytest.mark.browser, needs_browser]

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
WIDTHS = (1280, 375)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The page without the theme of the documentation, which has scripts of its own, on a guarded server."""
    text = (DOCS / "hand-made-or-generated.md").read_text(encoding="utf-8")
    body = markdown.markdown(text, extensions=["md_in_html", "attr_list"]).replace('src="gallery/', 'src="../gallery/')
    page = (
        '<!doctype html><html lang="en"><head><title>Pairs</title><link rel="icon" href="data:,">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head>'
        f"<body><main>{body}</main></body></html>"
    )
    app = Starlette(
        routes=[
            Route("/hand-made-or-generated/", lambda request: HTMLResponse(page)),
            Mount("/gallery", StaticFiles(directory=DOCS / "gallery")),
        ]
    )
    with served(Guard(app)) as found:
        yield f"{found}/hand-made-or-generated/"


@pytest.fixture(scope="module", params=WIDTHS)
def tab(request: pytest.FixtureRequest, address: str) -> Iterator[Tab]:
    with chromium() as browser:
        tab = Tab(browser, viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
        tab.page.goto(address)
        until(tab.page, "document.querySelector('.tally')")
        yield tab
        assert tab.complaints == []
        tab.close()


def tally(page: Any) -> str:
    return str(page.locator(".tally").inner_text())


def place(pair: Any) -> int:
    """The number of the hand-made level of a pair."""
    return ("first", "second").index(pair.get_attribute("data-hand-made"))


def test_guesses_are_answered_and_counted_and_nothing_is_told_before(tab: Tab) -> None:
    page = tab.page
    pairs = page.locator(".pair")
    number = pairs.count()
    assert number > 10 and tally(page) == f"0 of 0 right, {number} to go"
    assert page.locator("details[open]").count() == 0 and page.locator(".pair button span").count() == 0
    names = [button.get_attribute("aria-label") for button in pairs.nth(0).locator("button").all()]
    assert names == ["The first level is hand-made", "The second level is hand-made"]

    first, second = pairs.nth(0), pairs.nth(1)
    first.locator("button").nth(place(first)).click()
    assert tally(page) == f"1 of 1 right, {number - 1} to go"
    assert first.locator("button span").all_inner_texts().count("Hand-made, your choice") == 1
    assert first.locator("details[open]").count() == 1 and second.locator("details[open]").count() == 0

    wrong = second.locator("button").nth(1 - place(second))
    wrong.focus()
    page.keyboard.press("Enter")
    assert tally(page) == f"1 of 2 right, {number - 2} to go"
    assert "Generated, your choice" in second.locator("button span").all_inner_texts()
    page.keyboard.press("Enter")  # a guess that was made stays
    assert tally(page) == f"1 of 2 right, {number - 2} to go"
    tab.shot(f"pairs-{page.viewport_size['width']}")


def test_the_pictures_fit_and_are_large_enough_to_touch(tab: Tab) -> None:
    page = tab.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sides = page.evaluate("[...document.querySelectorAll('.pair button')].map((b) => [b.offsetWidth, b.offsetHeight])")
    assert all(min(side) >= 44 for side in sides)
    loaded = page.evaluate("""async () => {
      for (const image of document.images) image.scrollIntoView();
      await Promise.all([...document.images].map((image) => image.decode()));
      return [...document.images].every((image) => image.naturalWidth > 0);
    }""")
    assert loaded
