"""Speed of rule sheets, beside a peer's numbers: playouts per CPU second, one at a time and 64 at a time.

    python benchmarks/gdl.py SHEETS... [--peer PEER_SPEED.tsv] [--seconds 0.5] [--json FILE]

The peer's table has the columns `game`, `prover_playouts_s` and `propnet_playouts_s`; without it the factors are empty.
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

from pcg.engine.gdl.benchmark import SheetSpeed, measure, read_peer, warm_up
from pcg.engine.vgdl.diagnostics import PcgError

PAPER = ("ticTacToeLarge", "connect4", "connect5", "breakthroughSmall", "pacman3p")


def main() -> None:
    """Measure the sheets that are named and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("sheets", nargs="+", type=Path)
    options.add_argument("--peer", type=Path)
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    peer = read_peer(given.peer) if given.peer else {}
    warm_up()
    print(f"{'game':22} {'load s':>7} {'single/s':>12} {'x prover':>9} {'x net':>6} {'batched/s':>12} {'x net':>7}")
    speeds: list[SheetSpeed] = []
    for path in given.sheets:
        try:
            speed = measure(path, given.seconds)
        except PcgError as error:
            print(error)
            continue
        speeds.append(speed)
        print(line(speed, peer.get(speed.game, {})), flush=True)
    summary(speeds, peer)
    if given.json:
        given.json.write_text(json.dumps([speed.as_dict() for speed in speeds], indent=1) + "\n", encoding="utf-8")


def factor(rate: float, peer: dict[str, float], column: str) -> float | None:
    """Return the ratio to the peer's rate; None when the peer has none."""
    return rate / peer[column] if peer.get(column) else None


def line(speed: SheetSpeed, peer: dict[str, float]) -> str:
    """One row of the table."""

    def shown(value: float | None, width: int, digits: int = 0) -> str:
        return f"{value:{width},.{digits}f}" if value is not None else " " * width

    single, batched = speed.playouts_per_s, speed.batched_playouts_per_s
    return (
        f"{speed.game:22} {speed.load_s:7.2f} {single:12,.0f} {shown(factor(single, peer, 'prover_playouts_s'), 9)} "
        f"{shown(factor(single, peer, 'propnet_playouts_s'), 6, 1)} {batched:12,.0f} "
        f"{shown(factor(batched, peer, 'propnet_playouts_s'), 7, 1)}"
    )


def summary(speeds: list[SheetSpeed], peer: dict[str, dict[str, float]]) -> None:
    """Requirements on the engine, and its results."""
    quick = sum(speed.load_s <= 2.0 for speed in speeds)
    print(f"\n{quick} of {len(speeds)} sheets play their first playout within 2 s of processor time")
    known = [factor(s.playouts_per_s, peer.get(s.game, {}), "prover_playouts_s") for s in speeds]
    factors = [f for f in known if f is not None]
    if factors:
        print(f"one at a time, times the prover: median {statistics.median(factors):,.0f}, least {min(factors):,.1f}")
    for column, rate in (("one at a time", "playouts_per_s"), ("64 at a time", "batched_playouts_per_s")):
        found = [
            (factor(getattr(s, rate), peer.get(s.game, {}), "propnet_playouts_s"), s.game)
            for s in speeds
            if s.game in PAPER
        ]
        least = min(((f, game) for f, game in found if f is not None), default=None)
        if least is not None:
            print(f"{column}, times the peer's network on the games of the study: least {least[0]:.1f} ({least[1]})")


if __name__ == "__main__":
    main()
