"""A real browser for tests: Debian's chromium, steered by playwright. Tests that use it are skipped without either."""

from __future__ import annotations

import importlib.util
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.types import ASGIApp

from pcg.web.serving import address, listen

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

needs_browser = pytest.mark.skipif(
    PROGRAM is None or importlib.util.find_spec("playwright") is None,
    reason="needs chromium (Debian: apt-get install chromium) and playwright (pip install playwright)",
)
PATIENCE_MS = 120_000
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


AXE_RUN = """axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.map(
  (v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => n.html.slice(0, 200)).join(" | ")}`))"""
"""A promise of a line for each of axe's rules that the page breaks (WCAG 2 A and AA, and good practice)."""


CUT_OFF = """[...document.querySelectorAll("body *")].filter((e) => {
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  if (box.width < 2 || box.height < 2 || style.visibility === "hidden" || e.closest("svg, .skip")) return false;
  const text = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  if (text && box.left < -1 && box.right > 0 && !e.closest(".scroll")) return true;
  const closed = (how) => ["hidden", "clip"].includes(how);
  if (text && closed(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && style.display !== "inline") return true;
  if (style.webkitLineClamp !== "none") return false; // ends with an ellipsis, and is shown whole elsewhere
  if (text && closed(style.overflowY) && e.scrollHeight > e.clientHeight + 1 && style.display !== "inline") return true;
  return text && e.matches("button, .button") &&
    (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
}).map((e) => e.outerHTML.slice(0, 160))"""
"""Elements whose text is cut off, leaves the window on the left, or is larger than the button that it stands on."""


LET_GO = """addEventListener("keydown", (down) => {
  const { code, key, isTrusted } = down, on = down.target.isConnected ? down.target : document;
  if (isTrusted) on.dispatchEvent(new KeyboardEvent("keyup", { code, key, bubbles: true }));
});"""
"""Lets each key go as soon as the page has heard of it.

Playwright tells the browser of the second half of a press when it has answered the first. On a busy machine that takes
longer than the 0.18 s after which our games take a key to be held, and one press becomes two steps.
"""


@cache
def axe_script() -> str:
    """The source of axe-core, which axe-playwright-python brings."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser, without a window; each test opens contexts of its own in it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=PROGRAM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page with what its console complained about, and how much it loaded."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE_MS)
        self.context.add_init_script(LET_GO)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.bytes: dict[str, int] = {}
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", self._weigh)

    def _weigh(self, response: Any) -> None:
        if response.status == 200:
            length = response.headers.get("content-length")
            self.bytes[response.url] = int(length) if length else 0

    def close(self) -> None:
        self.context.close()

    def shot(self, name: str) -> None:
        """Hold the page against axe's rules, and look for text that is cut off.

        PCG_SCREENSHOTS names a folder for pictures, to be looked at.
        """
        before = len(self.complaints)
        self.page.evaluate(axe_script())
        found = self.page.evaluate(AXE_RUN)
        del self.complaints[before:]  # axe tries styles that our pages forbid
        assert found == [], f"{name}: {found}"
        cut = self.page.evaluate(CUT_OFF)
        assert cut == [], f"{name}: {cut}"
        folder = os.environ.get("PCG_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def until(page: Any, code: str) -> None:
    """Wait for an expression, also across a change of page.

    Playwright's own way to wait evaluates texts, which our pages forbid. A page that gives way to the next one has no
    context for a moment, and then a document without a body: both mean "not yet".
    """
    from playwright.sync_api import Error

    end = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            if page.evaluate(f"document.readyState !== 'loading' && ({code})"):
                return
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
        assert time.monotonic() < end, f"never true: {code}"
        page.wait_for_timeout(20)


@contextmanager
def served(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """A real server on loopback, in a thread."""
    bound = listen(port=port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield address(bound).rstrip("/")
    finally:
        server.should_exit = True
        thread.join()
        bound.close()
