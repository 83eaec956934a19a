"""Levels of generators beside hand-made ones: judged, compared by their tile patterns, and told apart.

For each game and generator a search of so many processor seconds; its ten best different levels are measured: different
as runs tell levels apart, and, in a row of its own, by the same distance in every game.

- *divergence*: mean Jensen-Shannon divergence of windows of 1, 2 and 3 cells square from the game's own levels, over
  the same among these. 1: as like them as they are like each other.
- *unseen*: the same from a level that the generator was not shown: it works without one of the game's own levels, which
  is compared with its levels and with the other own ones (`--leave-out`).
- *originality*: least share of cells in which a level differs from each of the game's own, shifted and mirrored or not;
  beside it that of the game's own levels, each compared with the others.
- *value*: mean fitness of the ten, and what the judge says of their text and of that of the game's own levels; *AUC*:
  how often it prefers a hand-made level.
- *structures*: how many of the ten remain when of levels with one skeleton of walls all but one are left out.

Games that were measured are skipped when the program is called again. `portfolio` polishes towards the patterns that
the divergence is made of, so that for it the divergence is no independent witness; the unseen level and pictures are.

    python -m benchmarks.level_style measure --generators portfolio evolve --games dungeon zelda --seconds 30
    python -m benchmarks.level_style judge    # the judge has changed: the levels stay, what it says of texts is new
    python -m benchmarks.level_style table
    python -m benchmarks.level_style windows --games alchemy hunt    # what mending does to walls
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.levels_corpus import CORPUS, ROOT, games, open_game
from benchmarks.validation.split import fold, held_out
from pcg.engine.game import Game
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.levels import value_of
from pcg.evaluators.metrics.niches import niche_width
from pcg.evaluators.metrics.patterns import PatternStatistics, divergence_among, originality
from pcg.evaluators.metrics.scores import APART
from pcg.evaluators.metrics.skeletons import SHARED, StructuralShapes, skeleton_distance
from pcg.generators.levels import LevelContext, make_generator
from pcg.generators.levels.portfolio.families import FAMILIES
from pcg.generators.levels.portfolio.generator import PortfolioGenerator
from pcg.generators.levels.portfolio.local_structure import TOLERATED
from pcg.runs import LevelRun
from pcg.runs.archive import Archive, level_archive

STORE = ROOT / "runs" / "level-style"
SHOWN = 10
FIXED = "{} at {:.2f}"
"""Name under which the levels of a generator are kept that are different by the same distance in every game."""
GAMES = (
    "our dungeon", "boxes", "invaders", "digger", "crossing", "hunt", "zelda", "aliens", "frogs", "sokoban",
    "boulderdash", "pacman", "chase", "bait", "butterflies", "missilecommand", "roguelike", "realsokoban",
    "firecaster", "labyrinth",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Levels of one generator for one game."""

    game: str
    generator: str
    seconds: float
    tried: int
    feasible: int
    shown: int
    structures: int
    value: float
    text: float
    """Mean of what the judge says of the texts of the levels."""
    own_text: float
    """The same of the game's own levels."""
    auc: float
    divergence: float
    unseen: float
    """Of a level that was left out; NaN where none was."""
    originality: float
    """Mean over the levels."""
    copies: int
    """Levels whose originality is below 0.2."""
    own_originality: float
    levels: tuple[str, ...]


class WithoutLevel:
    """A game as generators see it, without one of its levels."""

    def __init__(self, game: Game, left_out: int) -> None:
        self.definition = game.definition
        self.levels = [text for k, text in enumerate(game.levels) if k != left_out]


@dataclass(frozen=True)
class Found:
    """A level that a search has kept."""

    level: str
    origin: str
    """Family or operator that made it."""
    evaluation: Evaluation


@dataclass(frozen=True)
class Search:
    """The outcome of a search for levels of one game."""

    best: tuple[Found, ...]
    """The best different levels, best first."""
    best_fixed: tuple[Found, ...]
    """The same, different by one distance in every game, `APART`."""
    tried: int
    feasible: int


def search(game: Game, name: str, seconds: float, seed: int, left_out: int | None) -> Search:
    """Return the best different levels that a generator finds, chosen as in runs of `pcg levels`.

    Args:
        game: that levels are made for.
        name: of the generator.
        seconds: of processor time.
        seed: of everything.
        left_out: number of a level that the generator does not see; None to show it all.
    """
    seen = WithoutLevel(game, left_out) if left_out is not None else game
    context = LevelContext.of(seen)
    generator = make_generator(name, context, seed=seed)
    evaluator = LevelEvaluator(game)
    log: list[Found] = []
    archive, fixed = (
        _archive(log, StructuralShapes(context.palette, context.examples, width), context.example_texts)
        for width in (niche_width(context.example_texts), APART)
    )
    started = time.process_time()
    while time.process_time() - started < seconds:
        (candidate,) = generator.ask(1)
        evaluation = evaluator.evaluate(candidate.level, seed)
        log.append(Found(candidate.level, candidate.origin, evaluation))
        for kept in (archive, fixed):
            kept.add(len(log) - 1, evaluation.feasible, evaluation.fitness, evaluation.constraint)
        generator.tell([candidate], [evaluation])
    return Search(tuple(archive.best()), tuple(fixed.best()), len(log), archive.feasible)


def _archive(log: Sequence[Found], shapes: StructuralShapes, own: Sequence[str]) -> Archive[Found]:
    """Return an archive of levels that are found, different from the scale of their shapes on, as runs keep them."""
    return level_archive(
        SHOWN, shapes, own, LevelRun.variety, lambda number: {"number": number, "level": log[number].level},
        lambda event: log[event["number"]],
    )  # fmt: skip


def area_under_curve(better: Sequence[float], worse: Sequence[float]) -> float:
    """Return how often one of the first is larger than one of the second, ties counted half."""
    first, second = np.asarray(better)[:, None], np.asarray(worse)[None, :]
    return float(((first > second) + 0.5 * (first == second)).mean())


def structures(grids: Sequence[NDArray[np.int16]], masks: Sequence[NDArray[np.bool_] | None]) -> int:
    """Return how many levels remain when all but one of those with one skeleton are left out."""
    kept: list[int] = []
    for k in range(len(grids)):
        same = False
        for other in kept:
            one, two = masks[k], masks[other]
            same |= one is not None and two is not None and skeleton_distance(one, two) < SHARED
        if not same:
            kept.append(k)
    return len(kept)


def measure(name: str, file: Path | None, generator: str, seconds: float, seed: int, leave_out: bool) -> list[Row]:
    """Measure one generator for one game; nothing for a game with fewer than two levels of its own.

    The second row is that of the levels that are different by the same distance in every game.
    """
    game = open_game(name, file)
    number = len(LevelContext.of(game).examples)
    if number < 2:
        return []
    left_out = number - 1 if leave_out else None
    found = search(game, generator, seconds, seed, left_out)
    fixed = replace(found, best=found.best_fixed)
    named = ((generator, found), (FIXED.format(generator, APART), fixed))
    return [row_of(name, game, title, seconds, one, left_out) for title, one in named]


def row_of(name: str, game: Game, generator: str, seconds: float, found: Search, left_out: int | None = None) -> Row:
    """Return the measures of what a search has found for a game with at least two levels of its own."""
    context = LevelContext.of(game)
    own = context.examples
    levels = [one.level for one in found.best]
    value = float(np.mean([one.evaluation.fitness for one in found.best])) if found.best else 0.0
    tried, feasible = found.tried, found.feasible
    grids = [context.palette.parse(text) for text in levels]
    among = divergence_among(own) or math.nan
    own_originality = float(np.mean([originality(g, [o for o in own if o is not g]) for g in own]))
    judge = LevelEvaluator(game).judge
    own_values = [value_of(judge.parts(judge.view(text))) for text in judge.levels]
    if not levels:
        nothing = math.nan
        return Row(name, generator, seconds, tried, feasible, 0, 0, 0.0, nothing, float(np.mean(own_values)), nothing,
                   nothing, nothing, nothing, 0, own_originality, ())  # fmt: skip
    values = [value_of(judge.parts(judge.view(text))) for text in levels]
    shapes = StructuralShapes(context.palette, own, APART)
    known = [originality(grid, own) for grid in grids]
    unseen = math.nan
    if left_out is not None:
        hidden = PatternStatistics([own[-1]])
        among_unseen = np.mean([hidden.divergence(grid) for grid in own[:-1]])
        unseen = float(np.mean([hidden.divergence(grid) for grid in grids]) / among_unseen)
    statistics = PatternStatistics(own)
    return Row(
        name, generator, seconds, tried, feasible, len(levels),
        structures(grids, [shapes.mask(grid) for grid in grids]), round(value, 4), round(float(np.mean(values)), 4),
        round(float(np.mean(own_values)), 4), round(area_under_curve(own_values, values), 4),
        round(float(np.mean([statistics.divergence(grid) for grid in grids]) / among), 4), round(unseen, 4),
        round(float(np.mean(known)), 4), sum(one < 0.2 for one in known), round(own_originality, 4), tuple(levels),
    )  # fmt: skip


def judged_anew(row: Row, file: Path | None) -> Row:
    """Return a row with what the judge says now of the texts of its levels."""
    judge = LevelEvaluator(open_game(row.game, file)).judge
    own = [value_of(judge.parts(judge.view(text))) for text in judge.levels]
    values = [value_of(judge.parts(judge.view(text))) for text in row.levels]
    if not values:
        return row
    text, own_text = (round(float(np.mean(v)), 4) for v in (values, own))
    return replace(row, text=text, own_text=own_text, auc=round(area_under_curve(own, values), 4))


def stored(store: Path) -> dict[tuple[str, str], Row]:
    """Return the rows measured so far by game and generator."""
    path = store / "results.jsonl"
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        data = json.loads(line)
        rows[data["game"], data["generator"]] = Row(**{**data, "levels": tuple(data["levels"])})
    return rows


def mean_interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """Return the 95 % interval of the mean by bootstrap over games."""
    known = np.asarray(values)
    picks = np.random.default_rng(seed).integers(len(known), size=(2000, len(known)))
    low, high = np.quantile(known[picks].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def unknown_windows(game: Game, seeds: int = 4) -> tuple[float, float, float]:
    """Return shares of cells whose window of walls and grounds (3 x 3) the game's own levels do not have.

    Args:
        game: with at least two levels of its own.
        seeds: drafts for each family of levels.

    Returns:
        The share of an own level that the others do not have, that of polished drafts, and that of these when mended.
    """
    generator = make_generator("portfolio", game, seed=1)
    assert isinstance(generator, PortfolioGenerator)
    structure = generator.structure
    before, after = [], []
    for name in ("pieces", "halves", "rows", "windows", "rooms", "walls"):
        for seed in range(seeds if name in generator.bandit.arms else 0):
            rng = np.random.default_rng(seed)
            family = FAMILIES[name]
            draft = generator._finished(family.make(generator.workshop, rng, []), rng, family.settles)
            draft = generator.polishing.polish(draft, rng, generator.integer("polish"))
            before.append(structure.unknown(draft).mean())
            after.append(structure.unknown(structure.mend(draft, rng)).mean())
    return structure.enough / TOLERATED, float(np.mean(before)), float(np.mean(after))


def interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """Return the same of the geometric mean."""
    low, high = mean_interval(np.log(np.asarray(values)).tolist(), seed)
    return math.exp(low), math.exp(high)


def table(rows: Mapping[tuple[str, str], Row], generators: Sequence[str]) -> str:
    """Return the results as Markdown: a line for each generator over the games that all have, then each game."""
    names = sorted({game for game, _ in rows if all((game, g) in rows for g in generators)})
    lines = [
        "| generator | games | with levels | value | divergence | unseen | originality | below 0.20 | AUC "
        "| structures |",
        "|---|---:|---:|---:|---|---:|---:|---:|---|---:|",
    ]
    groups = [("", names), (", held out", [n for n in names if held_out(n.removeprefix("our "))])]
    groups += [(f", fold {k}", [n for n in names if fold(n.removeprefix("our ")) == k]) for k in range(5)]
    for generator in generators:
        for title, group in groups if generator == generators[0] else groups[:2]:
            found = [rows[n, generator] for n in group if rows[n, generator].shown]
            if not found:
                continue
            divergences = [r.divergence for r in found]
            low, high = interval(divergences)
            aucs = [r.auc for r in found]
            least, most = mean_interval(aucs)
            unseen = [r.unseen for r in found if not math.isnan(r.unseen)]
            far = f"{math.exp(float(np.mean(np.log(unseen)))):.2f}" if unseen else ""
            lines.append(
                f"| {generator}{title} | {len(group)} | {len(found)} | {np.mean([r.value for r in found]):.3f} | "
                f"{math.exp(float(np.mean(np.log(divergences)))):.2f} ({low:.2f} to {high:.2f}) | {far} | "
                f"{np.mean([r.originality for r in found]):.2f} | {sum(r.copies for r in found)} of "
                f"{sum(r.shown for r in found)} | {np.mean(aucs):.2f} ({least:.2f} to {most:.2f}) | "
                f"{np.mean([r.structures for r in found]):.1f} |"
            )
    lines += [
        "",
        f"| game | tried | feasible | value | judge: text, own | AUC | divergence ({', '.join(generators)}) | "
        "originality, own | structures |",
        "|---|---:|---:|---:|---|---:|---|---|---:|",
    ]
    for name in names:
        first = rows[name, generators[0]]
        apart = ", ".join(f"{rows[name, g].divergence:.2f}" for g in generators)
        lines.append(
            f"| {name} | {first.tried} | {first.feasible} | {first.value:.2f} | {first.text:.2f}, "
            f"{first.own_text:.2f} | {first.auc:.2f} | {apart} | {first.originality:.2f}, "
            f"{first.own_originality:.2f} | {first.structures} of {first.shown} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "judge", "table", "show", "windows"))
    parser.add_argument("--generators", nargs="+", default=["portfolio"])
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--seconds", type=float, default=30.0, help="processor time for each game and generator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--leave-out", action="store_true", help="keep the last of a game's levels from the generator")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--store", type=Path, default=STORE)
    given = parser.parse_args()
    rows = stored(given.store)
    if given.what == "table":
        print(table(rows, given.generators))
        return 0
    if given.what == "show":
        for (name, generator), row in rows.items():
            if generator in given.generators and name in given.games:
                print(f"{name} {generator}", *row.levels, sep="\n\n")
        return 0
    known = games(given.corpus)
    if given.what == "windows":
        for name in given.games:
            place = name if name in known else f"our {name}"
            shares = unknown_windows(open_game(place, known[place]))
            print("| " + " | ".join([place, *(f"{share:.2f}" for share in shares)]) + " |", flush=True)
        return 0
    if given.what == "judge":
        judged = [judged_anew(row, known[row.game]) for row in rows.values()]
        text = "".join(json.dumps(asdict(row)) + "\n" for row in judged)
        (given.store / "results.jsonl").write_text(text, encoding="utf-8")
        return 0
    given.store.mkdir(parents=True, exist_ok=True)
    for name in given.games:
        place = name if name in known else f"our {name}"
        for generator in given.generators:
            if (place, generator) in rows:
                continue
            try:
                found = measure(place, known[place], generator, given.seconds, given.seed, given.leave_out)
            except PcgError as error:  # levels are generated for games with one player
                print(f"{place}: {error}", file=sys.stderr, flush=True)
                continue
            with (given.store / "results.jsonl").open("a", encoding="utf-8") as file:
                file.write("".join(json.dumps(asdict(row)) + "\n" for row in found))
            for row in found:
                print(
                    f"{place:16} {row.generator:17} {row.tried:4} tried {row.feasible:4} feasible  "
                    f"value {row.value:.2f}  text {row.text:.2f} (own {row.own_text:.2f})  AUC {row.auc:.2f}  "
                    f"divergence {row.divergence:.2f}  originality {row.originality:.2f} "
                    f"(own {row.own_originality:.2f})  {row.structures} structures of {row.shown}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
