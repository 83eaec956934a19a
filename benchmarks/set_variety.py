"""Variety of the sets of levels that runs keep, with variety counting and without, beside that of people's sets.

For each game one search makes levels; of what it finds two sets of ten are chosen, by `run.variety` as it is and by 0.
Of each set the table has the mean fitness, the mean distance of its levels from one another (`level_distance`; runs
choose by a distance that sees walls, too), and the mean distance from each of the game's own levels to the nearest of
the set, which is the less the more of what designers do it has something like. Games have at least three levels of
their own.

    python -m benchmarks.set_variety --games bazaar siege --evaluations 150
    python -m benchmarks.set_variety --corpus ../shared/gvgai/games --games zelda frogs aliens --seconds 45
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from pcg.engine.game import Game, load
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.metrics.likeness import LevelShape
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.skeletons import StructuralShapes
from pcg.generators.levels import make_generator
from pcg.generators.levels.context import LevelContext
from pcg.runs import LevelRun
from pcg.runs.archive import level_archive

SHOWN = 10
"""Levels of a set."""
Found = tuple[str, Evaluation]


def opened(name: str, corpus: Path | None) -> Game:
    """Load one of our games, or one of the corpus where it has one of that name for one player."""
    files = sorted(corpus.rglob(f"{name}.txt")) if corpus is not None else []
    games = (load(file, reading="gvgai") for file in files)
    return next((game for game in games if game.players == 1), None) or load(name)


def searched(game: Game, evaluations: int, seconds: float, seed: int) -> tuple[list[Found], LevelContext]:
    """Return the levels that the default generator makes within a budget, evaluated, and what it knows of the game."""
    generator, evaluator = make_generator(LevelRun.generator, game, seed=seed), LevelEvaluator(game)
    found: list[Found] = []
    started = time.process_time()
    while len(found) < evaluations and time.process_time() - started < seconds:
        (candidate,) = generator.ask(1)
        evaluation = evaluator.evaluate(candidate.level, seed)
        generator.tell([candidate], [evaluation])
        found.append((candidate.level, evaluation))
    return found, generator.context


def chosen(context: LevelContext, found: Sequence[Found], weight: float) -> list[Found]:
    """Return the set that a run keeps of what was found."""
    own = context.example_texts
    shapes = StructuralShapes(context.palette, context.examples, niche_width(own, LevelRun.distance))
    archive = level_archive(
        SHOWN, shapes, own, weight, lambda number: {"number": number, "level": found[number][0]},
        lambda event: found[event["number"]],
    )  # fmt: skip
    for number, (_, evaluation) in enumerate(found):
        archive.add(number, evaluation.feasible, evaluation.fitness, evaluation.constraint)
    return archive.best()


def spread(levels: Sequence[LevelShape]) -> float:
    """Return the mean distance of levels from one another, in [0, 1]; NaN for fewer than two."""
    return float(np.mean([one.distance(other) for one, other in combinations(levels, 2)] or [np.nan]))


def measured(levels: Sequence[Found], own: Sequence[LevelShape]) -> tuple[float, float, float]:
    """Return the mean fitness of a set, its spread, and the mean distance from the own levels to the nearest of it."""
    shapes = [LevelShape(text) for text, _ in levels]
    nearest = [min(shape.distance(one) for shape in shapes) for one in own]
    return float(np.mean([e.fitness for _, e in levels])), spread(shapes), float(np.mean(nearest))


def row(name: str, tried: str, values: Sequence[float]) -> str:
    """Return a line of the table: two of each measure, and the spread of the own levels."""
    cells = [f"{one:.3f}, {other:.3f}" for one, other in zip(values[:-1:2], values[1::2], strict=True)]
    return f"| {name} | {tried} | {cells[0]} | {cells[1]} | {values[-1]:.3f} | {cells[2]} |"


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", required=True)
    parser.add_argument("--corpus", type=Path, help="folder of games that are not ours")
    parser.add_argument("--evaluations", type=int, default=150, help="levels tried for each game, at most")
    parser.add_argument("--seconds", type=float, default=1e9, help="processor time for each game, at most")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| game | tried | fitness, without and with | spread | own | from own levels to the nearest |")
    print("|---|---:|---|---|---:|---|")
    rows = []
    for name in given.games:
        game = opened(name, given.corpus)
        found, context = searched(game, given.evaluations, given.seconds, given.seed)
        shapes = [LevelShape(text) for text in context.example_texts]
        sets = [chosen(context, found, weight) for weight in (0.0, LevelRun.variety)]
        if len(shapes) < 3 or len(sets[0]) < 3:
            print(f"| {name} | {len(found)} | too few levels | | | |", flush=True)
            continue
        rows.append((*chain(*zip(*(measured(levels, shapes) for levels in sets), strict=True)), spread(shapes)))
        print(row(name, str(len(found)), rows[-1]), flush=True)
    if rows:
        print(row("mean", "", np.mean(rows, axis=0).tolist()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
