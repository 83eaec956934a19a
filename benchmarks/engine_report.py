"""The page `docs/results/engine.md`, written from the numbers that the benchmark programs have measured.

python benchmarks/run_bench.py --cold --peer ../shared/gvgai --json build/bench.json
python benchmarks/environments.py --json build/environments.json
python benchmarks/engine_report.py build/bench.json build/environments.json --out docs/results/engine.md
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import before_after
import environments
import run_bench

ASKED = {"advance_per_s": 20, "copy_advance_per_s": 50, "rollout10_per_s": 20}
"""Geometric means of the ratios to the reference that the engine promises."""
LEAST = 6
"""Ratio that no game should fall below."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are aligned to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return f"{names[0]}, {len(names)} logical cores" if names else platform.machine()


def ratios(bench: dict[str, Any], peer: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Our rate over the reference's, by game and operation."""
    return {
        game["game"]: {name: game[name] / peer[game["game"]][name] for name in run_bench.RATES}
        for game in bench["peer_games"]
    }


def against_the_reference(bench: dict[str, Any], peer: dict[str, dict[str, float]]) -> str:
    """Summary, and the table of all games of the reference's list."""
    found = ratios(bench, peer)
    summary = []
    for name, title in run_bench.TITLES.items():
        values = {game: by[name] for game, by in found.items()}
        least = min(values, key=values.__getitem__)
        below = sum(v < LEAST for v in values.values())
        asked = f">= {ASKED[name]}" if name in ASKED else ""
        mean = run_bench.geometric_mean(values.values())
        summary.append((title, f"{mean:.1f}", asked, f"{values[least]:.1f} ({least})", str(below)))
    rows = []
    for game in sorted(bench["peer_games"], key=lambda g: str(g["game"])):
        row = [game["game"]]
        for name in run_bench.TITLES:
            row += [f"{game[name] / 1000:,.0f}", f"{found[game['game']][name]:,.1f}"]
        rows.append([*row, f"{game['state_bytes']:,}"])
    head = ["game"]
    for title in run_bench.TITLES.values():
        head += [f"{title}, k/s", "ratio"]
    return "\n\n".join(
        (
            f"{len(found)} games, level 0, one thread, random actions, rates per second of CPU time. The ratio is our "
            "rate over the reference's.",
            table(("operation", "geometric mean of ratios", "promised", "least", f"games below {LEAST}"), summary),
            '??? info "All games"\n\n'
            + "\n".join("    " + line for line in table([*head, "state bytes"], rows).splitlines()),
        )
    )


def single_numbers(bench: dict[str, Any]) -> str:
    """The numbers of `run_bench` beside what is promised."""
    rows = []
    for name, value in bench["numbers"].items():
        sign, target = run_bench.TARGETS[name]
        rows.append(
            (name.replace("_", " "), f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", f"{sign} {target:,}")
        )
    return table(("what", "measured", "promised"), rows)


def environment_numbers(rates: dict[str, float]) -> str:
    """The rates of `environments` beside what is promised."""
    rows = []
    for label, rate in rates.items():
        target = environments.TARGETS.get(label)
        rows.append((label, f"{rate:,.0f}", f">= {target:,}" if target else ""))
    return table(("what", "per second", "promised"), rows)


def gains(numbers: dict[str, Any]) -> str:
    """The numbers of `before_after`: rates of all games, and whole processes."""
    games = {
        row["game"]: {name: row["after"][name] / row["before"][name] for name in before_after.TITLES}
        for row in numbers["games"]
    }
    rows = []
    for name, title in before_after.TITLES.items():
        values = {game: by[name] for game, by in games.items()}
        least, most = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        cells = (f"{values[least]:.2f} ({least})", f"{values[most]:.2f} ({most})")
        below = sum(value < 0.97 for value in values.values())
        rows.append((title, f"{run_bench.geometric_mean(values.values()):.3f}", *cells, str(below)))
    processes = [
        (name, f"{old['seconds']:.2f}", f"{new['seconds']:.2f}", f"{old['MB']:.0f}", f"{new['MB']:.0f}")
        for name, (old, new) in numbers["processes"].items()
    ]
    return "\n\n".join(
        (
            f"Rate after / rate before, {len(games)} games, both measured in turn in one sitting, the best of several "
            "windows each.",
            table(("operation", "geometric mean", "least", "most", "games below 0.97"), rows),
            table(("whole process", "before, s", "after, s", "before, MB", "after, MB"), processes),
        )
    )


def own_games(bench: dict[str, Any]) -> str:
    """Rates of our own games."""
    rows = []
    for game in bench["games"]:
        rates = [f"{game[name] / 1000:,.0f}" for name in run_bench.TITLES]
        rows.append([game["game"].removeprefix("vgdl/"), *rates, f"{game['state_bytes']:,}"])
    return table(["game", *(f"{title}, k/s" for title in run_bench.TITLES.values()), "state bytes"], rows)


INTRODUCTION = """# Results: speed of the engine

Written by `make bench`. Every operation is tried several times on the same work and the best counts, because other
programs on the machine only ever make it slower. Python {python}, Numba {numba}, {processor}."""

BOUND = """## What bounds the slowest

`painter` is a level of twelve cells on which the reference itself has next to nothing to do: per tick nine rules are
evaluated, two dozen first sprites tested, seven effects executed and two sprites created or removed, in some 11,000
instructions of which no part stands out; rules that had a hit begin anew in the next tick. Games with many sprites that
move in every tick (`x-racer`, `lasers`) are bound by those updates, one for each sprite, as in the reference."""


def main() -> int:
    """Read the measured numbers and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("bench", type=Path, help="what run_bench.py --json wrote")
    parser.add_argument("environments", type=Path, help="what environments.py --json wrote")
    parser.add_argument("--peer", type=Path, help="folder with PEER_SPEED.tsv of the reference")
    parser.add_argument("--gain", type=Path, help="what before_after.py --json wrote")
    parser.add_argument("--gain-title", default="Before and after", help="heading of that part")
    parser.add_argument("--out", type=Path, required=True, help="Markdown file to write")
    options = parser.parse_args()
    bench = json.loads(options.bench.read_text(encoding="utf-8"))
    rates = json.loads(options.environments.read_text(encoding="utf-8"))
    parts = [
        INTRODUCTION.format(python=platform.python_version(), numba=metadata.version("numba"), processor=processor()),
        "## Beside what is promised",
        single_numbers(bench),
        "## Environments",
        environment_numbers(rates),
    ]
    if options.peer is not None and "peer_games" in bench:
        parts += ["## Beside the reference", against_the_reference(bench, run_bench.read_peer(options.peer)), BOUND]
    if options.gain is not None:
        parts += [f"## {options.gain_title}", gains(json.loads(options.gain.read_text(encoding="utf-8")))]
    parts += ["## Our own games", own_games(bench)]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
