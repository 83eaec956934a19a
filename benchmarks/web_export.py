"""Exported pages: size, time to the first picture, ticks per second beside native kernels, decisions by the clock.

    python benchmarks/web_export.py                              # the built-in games
    python benchmarks/web_export.py --corpus ../shared/gvgai/games --games 40 --json pages.json

Pages are opened from files in headless Chromium, each time in a fresh context. The first picture is the browser's own
measure, the first contentful paint, for a page is empty before it: counted from the beginning of the navigation, so
with reading and unpacking the file and compiling the kernels; beside it stands the processor time that the process of
the page has used by then, which does not grow with what else runs on the machine. Speed: random ticks of the first
level by `kernel.stepping.measure`, in the page and here, in turn, per second of processor time (of the browser's
process that runs the page, and of this one), the best of several tries of each. Sizes are of pages with the game's
levels and, as far as it has fewer than ten, these mirrored. Decisions: how long `mcts` and `olets` take, by the clock
that goes on when something else runs, for decisions with a budget of 40 ms along a play.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import pcg
from pcg.engine.context import Context
from pcg.engine.game import builtin_games
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.random import scramble
from pcg.engine.native.replay import advances, ticks_for
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export import bundle, write_page

LEVELS = 10
_ENOUGH_S = 0.25
"""Shortest time that is measured."""
_TRIES = 3
_SPEED = """
({ room, count, rng }) => {
  window.machine ??= window.pcg.game.machine(0);
  const machine = window.machine;
  machine.findPaths();
  machine.clear();
  const [at, start, draws] = [machine.block(room), machine.block(room), machine.zeros(8)];
  machine.copyState(start, machine.image.initial);
  machine.view.setBigInt64(draws, BigInt(rng), true);
  return Number(machine.call.stepping_measure(machine.game, ...[at, start, draws, count, -200].map(BigInt)));
}
"""
_DECISIONS = """
([name, count]) => {
  const { game, Play, Agent } = window.pcg, play = new Play(game, 0, 1), took = [], calls = [];
  const agent = new Agent(play, game.about.agents[0].find((one) => one.name === name), 1, "40ms");
  const rivals = game.about.agents.slice(1).map(([first]) => new Agent(play, first, 2));
  while (took.length < count && !play.over) {
    const started = performance.now(), action = agent.decide();
    took.push(performance.now() - started);
    calls.push(agent.get("calls"));
    play.advance(action, ...rivals.map((rival) => rival.decide()));
  }
  return [took, calls];
}
"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def renderers(session: Any) -> float:
    """Processor seconds of the browser's processes that run pages."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(float(p["cpuTime"]) for p in processes if p["type"] == "renderer")


def ticks_there(tab: Any, session: Any, job: dict[str, Any]) -> tuple[int, float]:
    """Play random ticks in the page; returns the status and the seconds."""
    before = renderers(session)
    status = int(tab.evaluate(_SPEED, job))
    return status, renderers(session) - before


def rates(context: Context, tab: Any, session: Any) -> tuple[float, float]:
    """Random ticks per second here and in the page."""
    room, count = ticks_for(context, _ENOUGH_S)
    job = {"room": room, "count": count, "rng": str(scramble(1))}
    for _ in range(2):  # browsers compile what runs often anew, in the background
        ticks_there(tab, session, job)
    here, there = [], []
    for _ in range(_TRIES):
        here.append(advances(context, room, count)[1])
        status, seconds = ticks_there(tab, session, job)
        if status != OK:
            raise PcgError(f"{context!r}: the page's kernel gave up with status {status}")
        there.append(seconds)
    return count / min(here), count / min(there)


def ten_levels(levels: list[str]) -> list[str]:
    """The levels and, behind them, these mirrored, ten at most."""
    return [*levels, *("\n".join(row[::-1] for row in level.splitlines()) for level in levels)][:LEVELS]


def measure(name: str, source: Any, browser: Any, folder: Path, openings: int) -> dict[str, Any]:
    """One game: size, time to the first picture, ticks per second."""
    game = pcg.load(source)
    game = pcg.load(source, levels=ten_levels(list(game.levels)))
    path = write_page(bundle(game), folder / "page.html")
    paints, spent = [], []
    session = browser.new_browser_cdp_session()
    for _ in range(openings):
        context = browser.new_context()
        tab = context.new_page()
        before = renderers(session)
        tab.goto(path.as_uri())
        tab.wait_for_function(_PAINT)
        spent.append(1000 * (renderers(session) - before))
        paints.append(float(tab.evaluate(_PAINT)))
        context.close()
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(path.as_uri())
    tab.wait_for_function("window.pcg?.page")
    here, there = rates(game.context(0), tab, session)
    decisions = {agent: tab.evaluate(_DECISIONS, [agent, 25]) for agent in ("mcts", "olets")}
    context.close()
    return {
        "game": name, "levels": len(game.levels), "bytes": path.stat().st_size,
        "first_ms": statistics.median(paints), "first_cpu_ms": statistics.median(spent),
        "native": here, "page": there, "ratio": there / here, "decisions": decisions,
    }  # fmt: skip


def corpus_games(folder: Path, number: int) -> dict[str, Path]:
    """A sample of the games of a folder that have levels."""
    games = sorted(p for p in folder.glob("*.txt") if list(folder.glob(f"{p.stem}_lvl*.txt")))
    chosen = random.Random(1).sample(games, min(number, len(games)))
    return {path.stem: path for path in sorted(chosen)}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder with the reference's games, in place of the built-in ones")
    parser.add_argument("--games", type=int, default=40, help="how many of them")
    parser.add_argument("--openings", type=int, default=5, help="how often each page is opened")
    parser.add_argument("--json", type=Path, help="file for the numbers")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    games: dict[str, Any] = {n: n for n in builtin_games()}
    if options.corpus:
        games = corpus_games(options.corpus, options.games)
    rows = []
    with tempfile.TemporaryDirectory(prefix="pcg-pages-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for name, source in games.items():
            try:
                row = measure(name, source, browser, Path(folder), options.openings)
            except PcgError as error:
                print(f"{name}: {str(error).splitlines()[0]}", flush=True)
                continue
            rows.append(row)
            print(
                f"{name:24} {row['bytes'] / 1000:6.1f} KB {row['first_ms']:6.0f} ms "
                f"({row['first_cpu_ms']:.0f} of the processor) {row['native']:10.0f}/s here "
                f"{row['page']:10.0f}/s in the page {row['ratio']:5.2f}",
                flush=True,
            )
        browser.close()
    mean = math.exp(statistics.fmean(math.log(row["ratio"]) for row in rows))
    sizes, first = sorted(row["bytes"] for row in rows), sorted(row["first_ms"] for row in rows)
    spent = statistics.median(row["first_cpu_ms"] for row in rows)
    print(
        f"{len(rows)} games of up to {LEVELS} levels: {sizes[0] / 1000:.0f} to {sizes[-1] / 1000:.0f} KB, first "
        f"picture after {statistics.median(first):.0f} ms (median; longest {first[-1]:.0f}; {spent:.0f} ms of "
        f"the page's processor time), page / native {mean:.2f} "
        f"(geometric mean; {min(r['ratio'] for r in rows):.2f} to {max(r['ratio'] for r in rows):.2f})"
    )
    for agent in ("mcts", "olets"):
        took = sorted(t for row in rows for t in row["decisions"][agent][0])
        late = sum(t > 50 for t in took)
        calls = sorted(c for row in rows for c in row["decisions"][agent][1])
        print(
            f"{agent}: {len(took)} decisions of 40 ms took {statistics.median(took):.1f} ms (median; "
            f"{took[int(0.99 * len(took))]:.1f} of 99 in 100, longest {took[-1]:.1f}; {late} above 50) "
            f"for {statistics.median(calls):.0f} ticks ({calls[0]} to {calls[-1]})"
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
