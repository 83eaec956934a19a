"""Pictures of games in the documentation, in headless Chromium: a click plays the game in the place of its picture."""

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

from pcg.engine.kernel.runtime import MODE
from pcg.export import one_game, write_site

markdown = pytest.importorskip("markdown", reason="needs mkdocs (the extra docs)")
pytestmark = [
    pytest.mark.browser,
    needs_browser,
    pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time"),
]

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
HEAD = """<!doctype html><html lang="en"><head><title>Games</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/stylesheets/extra.css">
<script src="/javascripts/play-here.js" defer></script></head>"""
FRAME = "document.querySelector('iframe')?.contentWindow.pcg?.page"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages of evolved games and of pairs without the theme of the documentation, and the pages of two games."""
    site = tmp_path_factory.mktemp("site")
    write_site([one_game("alchemy")], site)
    write_site([one_game("barrels")], site / "evolved")

    def page(name: str) -> HTMLResponse:
        body = markdown.markdown(
            (DOCS / f"{name}.md").read_text(encoding="utf-8"), extensions=["md_in_html", "attr_list"]
        )
        for folder in ("images", "gallery"):
            body = body.replace(f'src="{folder}/', f'src="../{folder}/')
        return HTMLResponse(f"{HEAD}<body><main>{body}</main></body></html>")

    names = ("gallery-games", "hand-made-or-generated")
    app = Starlette(
        routes=[
            *(Route(f"/{name}/", lambda request, name=name: page(name)) for name in names),
            *(Mount(f"/{name}", StaticFiles(directory=DOCS / name)) for name in
              ("images", "gallery", "stylesheets", "javascripts")),
            Mount("/play", StaticFiles(directory=site)),
        ]
    )  # fmt: skip
    with served(app) as found:
        yield found


@pytest.fixture(params=[1280, 375])
def tab(request: pytest.FixtureRequest) -> Iterator[Tab]:
    with chromium() as browser:
        tab = Tab(browser, viewport={"width": request.param, "height": 900}, has_touch=request.param < 500)
        yield tab
        assert tab.complaints == []
        tab.close()


def shown(page: Any) -> int:
    """The number of the level in the frame."""
    until(page, FRAME)
    return int(page.evaluate(f"{FRAME}.play.number"))


def test_a_picture_gives_way_to_its_level_and_comes_back(tab: Tab, address: str) -> None:
    page = tab.page
    page.goto(f"{address}/gallery-games/")
    picture = page.locator("a.play-here").first
    alt = picture.locator("img").get_attribute("alt")
    picture.click()
    assert shown(page) == 2 and page.locator("iframe").get_attribute("title") == f"{alt}, to play"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.querySelector('iframe').contentDocument.documentElement.scrollWidth") <= 1280
    tab.shot(f"play-here-{page.viewport_size['width']}")
    page.keyboard.press("ArrowRight")  # the keys are the game's
    until(page, f"{FRAME}.play.taken.length > 0")
    page.get_by_role("button", name="Show the picture").click()
    assert page.locator("iframe").count() == 0 and picture.locator("img").is_visible()
    assert page.evaluate("document.activeElement.matches('a.play-here')")
    page.keyboard.press("Enter")
    assert shown(page) == 2


def test_the_levels_of_a_pair_are_played_below_the_answer(tab: Tab, address: str) -> None:
    page = tab.page
    page.goto(f"{address}/hand-made-or-generated/")
    answer = page.locator(".pair details").first
    answer.locator("summary").click()
    link = answer.locator("a.play-here").first
    wanted = int(link.get_attribute("href").rpartition("=")[2])
    link.click()
    assert shown(page) == wanted - 1
    page.get_by_role("button", name="Close").click()
    assert page.locator("iframe").count() == 0
