"""Exported pages of all games: bytes with ten levels, and plays in a real browser held against those of Python.

    python benchmarks/web_identity.py                                        # built-in and evolved games, in Chromium
    python benchmarks/web_identity.py --corpus ../shared/gvgai/games         # all games of the collection
    python benchmarks/web_identity.py --browser firefox --json pages.json

Every level of every game is played twice with random actions, all players of it; after every tick the page's checksum
of the state is compared with the one here. Then every agent of the page plays 30 ticks on the second level (where there
is one, else the first), in all seats, and what it does is compared with what the agent does here at equal budgets. The
first difference ends the program with its place. A page is as large as a page of the game with its levels and, as far
as there are fewer than ten, these mirrored. What cannot be exported is counted by its reason.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.same_bits import game_paths
from benchmarks.web_export import ten_levels
from pcg.engine.game import builtin_games, evolved_games, load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.export import bundle, write_page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "pcg"))
import browsers
import firefox
from page_identity import compare, compare_decisions

MOST_BYTES = 150_000
"""Limit for a page of ten levels."""


def chosen_games(corpus: Path | None, only: list[str]) -> dict[str, str | Path]:
    """The games of the collection, else the built-in and the evolved ones; `only` those named."""
    if corpus is None:
        found: dict[str, str | Path] = {name: name for name in (*builtin_games(), *evolved_games())}
    else:
        found = {name: path for name, path in game_paths(corpus, []).items() if isinstance(path, Path)}
    unknown = [name for name in only if name not in found]
    if unknown:
        raise SystemExit(f"no game `{unknown[0]}` among {len(found)} games")
    return {name: source for name, source in found.items() if not only or name in only}


@contextmanager
def page_of(browser: str) -> Iterator[Any]:
    """A tab of Chromium or Firefox."""
    if browser == "firefox":
        with firefox.firefox_page() as page:
            yield page
    else:
        with browsers.chromium() as program:
            yield program.new_page()


def measure(name: str, source: str | Path, page: Any, path: Path, decisions: bool) -> dict[str, Any]:
    """Export one game with ten levels, and compare the plays of its own levels."""
    game = load(source)
    full = load(source, levels=ten_levels(list(game.levels)))
    page.goto(write_page(bundle(full), path).as_uri())
    page.wait_for_function("window.pcg?.page")
    ticks = compare(page, game)
    decided = compare_decisions(page, game, min(1, len(game.levels) - 1)) if decisions else 0
    return {
        "game": name, "players": game.players, "levels": len(game.levels), "levels_of_page": len(full.levels),
        "bytes": path.stat().st_size, "ticks": ticks, "decisions": decided,
    }  # fmt: skip


def main() -> None:
    """Print a line for each game and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder with the reference's games, in place of our own ones")
    parser.add_argument("--browser", choices=["chromium", "firefox"], default="chromium")
    parser.add_argument("--games", nargs="*", default=[], help="only these")
    parser.add_argument("--no-decisions", action="store_true", help="states alone")
    parser.add_argument("--json", type=Path, help="file for the numbers")
    options = parser.parse_args()
    games = chosen_games(options.corpus, options.games)
    rows, refused = [], Counter[str]()
    with tempfile.TemporaryDirectory(prefix="pcg-pages-") as folder, page_of(options.browser) as page:
        for name, source in games.items():
            started = time.monotonic()
            try:
                row = measure(name, source, page, Path(folder) / "page.html", not options.no_decisions)
            except PcgError as error:
                refused[str(error).splitlines()[0].partition(" ")[2]] += 1  # the reason, without the name
                print(f"{name}: {str(error).splitlines()[0]}", flush=True)
                continue
            rows.append(row)
            print(
                f"{name:32} {row['bytes'] / 1000:6.1f} KB {row['levels']:3} levels {row['ticks']:6} ticks "
                f"{row['decisions']:4} decisions, all alike ({time.monotonic() - started:.1f} s)",
                flush=True,
            )
    sizes = sorted(row["bytes"] for row in rows)
    print(
        f"{options.browser}: {len(rows)} games ({sum(row['players'] > 1 for row in rows)} of two players), "
        f"{sum(row['levels'] for row in rows)} levels, {sum(row['ticks'] for row in rows)} ticks and "
        f"{sum(row['decisions'] for row in rows)} decisions alike; pages of ten levels "
        f"{sizes[0] / 1000:.1f} to {sizes[-1] / 1000:.1f} KB, median {statistics.median(sizes) / 1000:.1f}, "
        f"{sum(size > MOST_BYTES for size in sizes)} above {MOST_BYTES // 1000}"
    )
    for reason, count in refused.most_common():
        print(f"not exported: {count} {reason}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
