"""Level makers: milliseconds per level for each generator that does not learn from being told, against sizes.

Every generator makes levels of every game in every size; the first level (for which examples are learnt, rules evolved
and compiled code loaded) is timed apart. Times are CPU time; the table has the median over all levels of a size.
Generators are peers of each other, with the random one as the yardstick.

    python benchmarks/level_makers.py [--generators A,B] [--games A,B] [--sizes 12x12,30x20,64x64] [--levels N] [--json]

A generator may have parameters: `--generators ca,ca:rule=mazes,wfc:size=3`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass

from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.generators.levels import GENERATORS, LevelContext, make_generator

GAMES = ("dungeon", "boxes", "digger", "survival", "crossing", "spire")
SIZES = ("12x12", "30x20", "64x64")
VARIANTS = ("ca:rule=mazes", "ca:rule=evolved", "noise:basis=simplex", "wfc:model=tiled", "wfc:size=3")


@dataclass(frozen=True, slots=True)
class Result:
    """One generator in one size."""

    generator: str
    size: str
    first: float
    """Milliseconds of the first level, the median over games."""
    median: float
    """Milliseconds per level after that."""
    slowest: float
    distinct: float
    """Share of the levels that are unlike all others."""
    sound: float
    """Share of the levels with everything their rules call for."""


def parameters(spec: str) -> tuple[str, dict[str, object]]:
    """Name and parameters of ``name:a=1,b=2``; further parameters are joined with ``+``."""
    name, _, rest = spec.partition(":")
    return name, {key: value for key, _, value in (part.partition("=") for part in rest.split("+") if part)}


def measure(spec: str, size: str, games: list[str], levels: int) -> Result:
    """Make levels and take the time."""
    name, params = parameters(spec)
    width, height = (int(side) for side in size.split("x"))
    fixed: dict[str, object] = {"min_width": width, "max_width": width, "min_height": height, "max_height": height}
    firsts, times, texts, sound = [], [], [], 0
    for game in games:
        context = LevelContext.of(load(game))
        generator = make_generator(name, context, seed=1, **fixed, **params)
        for number in range(levels + 1):
            before = time.process_time()
            (candidate,) = generator.ask(1)
            taken = 1000 * (time.process_time() - before)
            (times if number else firsts).append(taken)
            texts.append((game, candidate.level))
            counts = context.palette.count_types(context.palette.parse(candidate.level))
            sound += not context.requirements.shortfalls(counts)
    return Result(
        spec, size, statistics.median(firsts), statistics.median(times), max(times), len(set(texts)) / len(texts),
        sound / len(texts),
    )  # fmt: skip


def main() -> int:
    """Print the table."""
    names = [n for n, kind in GENERATORS.items() if not kind.learns]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--generators", default=",".join([*names, *VARIANTS]), help="names, with parameters after `:`")
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--sizes", default=",".join(SIZES), help="width x height")
    parser.add_argument("--levels", type=int, default=5, help="levels timed per game and size")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    games = options.games.split(",")
    make_generator("constructive", load(games[0]), seed=0).ask(1)  # what all share is loaded before
    results = []
    if not options.json:
        print(
            f"{'generator':<22} {'size':>7} {'first ms':>9} {'later ms':>9} {'slowest':>8} {'unlike':>8} {'sound':>6}"
        )
    for spec in options.generators.split(","):
        for size in options.sizes.split(","):
            try:
                one = measure(spec, size, games, options.levels)
            except PcgError as error:
                print(f"{spec} {size}: {error}", file=sys.stderr)
                continue
            results.append(one)
            if not options.json:
                print(
                    f"{one.generator:<22} {one.size:>7} {one.first:>9.1f} {one.median:>9.1f} {one.slowest:>8.1f} "
                    f"{one.distinct:>8.0%} {one.sound:>6.0%}",
                    flush=True,
                )
    if options.json:
        print(json.dumps([asdict(one) for one in results], indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
