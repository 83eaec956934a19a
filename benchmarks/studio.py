"""The studio: milliseconds from a keystroke in the text of a game to the restarted game on the screen.

    python benchmarks/studio.py                       # the built-in games with levels
    python benchmarks/studio.py dungeon hunt --keys 20

Each game is opened in headless Chromium as `pcg studio GAME` shows it, on a server of its own in this process. Letters
of a comment are typed behind the game's last line, one after the other, each when the game of the one before is on the
screen; every text is new, so everything is read, checked and built again. The clock runs in the page, from the event of
the letter to the first frame after the game has begun anew; what the page waits for before it asks, so that fast typing
is one question, is in it. Beside it stands the part between the question to the server and its answer, and the sum of
that waiting and of the processor time that this process and the browser's for pages have used: what a letter takes
where nothing else runs, at most, as parts of it go on side by side.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pcg
from pcg.engine.game import builtin_games
from pcg.studio import studio_app

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "pcg"))
import browsers

_FIRST = 2
"""Letters that are not counted: the browser compiles what runs often."""
_WAIT_MS = 30
"""Pause of the page after the last letter (`QUIET_MS` of `pcg/studio/static/write.js`)."""
_READY = "window.studio?.page && document.querySelector('#findings .good')"
_CLOCK = """() => {
  let begun, kept = window.studio;
  window.delays = [];
  document.getElementById("text").addEventListener("input", () => { begun = performance.now(); }, true);
  Object.defineProperty(window, "studio", { get: () => kept, set: (value) => {
    kept = value;
    requestAnimationFrame(() => setTimeout(() => {
      const asked = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/api/game")).at(-1);
      window.delays.push([performance.now() - begun, asked.duration]);
    }));
  } });
  performance.setResourceTimingBufferSize(10000);
}"""


def spent(session: Any) -> float:
    """Processor milliseconds of this process and of the browser's processes that run pages."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return 1000 * (time.process_time() + sum(float(p["cpuTime"]) for p in processes if p["type"] == "renderer"))


def measure(name: str, browser: Any, keys: int) -> tuple[list[tuple[float, float]], float]:
    """Type letters into the text of a game.

    Returns:
        the milliseconds of each letter, in all and for the server's answer; the processor's for one letter.
    """
    session = browser.new_browser_cdp_session()
    with (
        tempfile.TemporaryDirectory(prefix="pcg-studio-") as folder,
        browsers.served(studio_app(pcg.load(name), folder=folder)) as url,
    ):
        context = browser.new_context(bypass_csp=True)
        tab = context.new_page()
        tab.goto(url)
        tab.wait_for_function(_READY)
        tab.evaluate(_CLOCK)
        tab.focus("#text")
        tab.keyboard.press("Control+End")
        tab.keyboard.type("    # n")
        tab.wait_for_function("window.delays.length > 0")
        tab.wait_for_timeout(500)
        tab.evaluate("window.delays.length = 0")
        for count in range(keys + _FIRST):
            if count == _FIRST:
                before = spent(session)
            tab.keyboard.press("abcdefgh"[count % 8])
            tab.wait_for_function(f"window.delays.length > {count}")
        found: list[tuple[float, float]] = tab.evaluate("window.delays")
        used = spent(session) - before
        context.close()
    return found[_FIRST:], used / keys


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="names of built-in games (default: all with levels)")
    parser.add_argument("--keys", type=int, default=10, help="letters for each game")
    options = parser.parse_args()
    medians, least = {}, {}
    with browsers.chromium() as browser:
        for name in options.games or builtin_games():
            found, used = measure(name, browser, options.keys)
            total, answer = (statistics.median(row[k] for row in found) for k in (0, 1))
            medians[name], least[name] = total, _WAIT_MS + used
            print(
                f"{name:24} {total:5.0f} ms (longest {max(row[0] for row in found):.0f}; the server's answer "
                f"{answer:.0f}); {least[name]:.0f} of waiting and the processor",
                flush=True,
            )
    for what, values in (("on the clock", medians.values()), ("waiting and processor", least.values())):
        within = sum(value <= 200 for value in values)
        print(
            f"{what}: median of {len(values)} games {statistics.median(values):.0f} ms, longest {max(values):.0f}; "
            f"{within} within 200 ms"
        )


if __name__ == "__main__":
    main()
