"""Exported pages in Firefox: the states and decisions of Python, as in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from firefox import FirefoxPage, firefox_page, needs_firefox
from page_identity import compare, compare_decisions

import pcg
from pcg.engine.kernel.runtime import MODE
from pcg.export import bundle, write_page

pytestmark = [
    pytest.mark.browser,
    needs_firefox,
    pytest.mark.skipif(MODE != "aot", reason="the kernels of pages are built ahead of time"),
]


@pytest.fixture(scope="module")
def page() -> Iterator[FirefoxPage]:
    with firefox_page() as found:
        yield found


@pytest.mark.parametrize("name", ["boxes", "duel", "invaders", "rally", "watchtower"])
def test_a_page_plays_and_decides_as_python_does(name: str, page: FirefoxPage, tmp_path: Path) -> None:
    game = pcg.load(name)
    page.goto(write_page(bundle(game), tmp_path / "page.html").as_uri())
    page.wait_for_function("window.pcg?.page")
    assert compare(page, game) > 0
    compare_decisions(page, game)
