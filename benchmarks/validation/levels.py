"""V1: hand-made levels against generated ones, by the judge of levels.

For every game with frozen negatives (`negatives/levels.json.xz`: levels that `random`, `constructive` and `evolve` of
revision d7d1835 made) the chance that a hand-made level is judged better than a generated one (AUC: ties half, not
feasible 0), as the mean over games with a bootstrap interval over games; on the games that were held out from the fit
(`split.held_out`), and cross-validated by `split.fold` with weights fitted anew. The same for the judgement of the text
alone, which every level has, feasible or not: the difference is what finding wins costs.

    python benchmarks/validity.py levels --corpus ../shared/gvgai
    python benchmarks/validity.py levels --text              the judgement of texts only: a minute
    python benchmarks/validity.py levels --fit               fit and store the weights
    python benchmarks/validity.py levels --fit --votes DIR   the same with the votes of people (`level_votes`)
    python benchmarks/validity.py levels --freeze DIR        pack generated levels, a JSON file for each game

Evaluations are kept in a store, so that a run that was stopped goes on; another revision needs another store.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import lzma
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks.validation.level_fit import HAND, SOURCES, Measured, fit, measure, rows
from benchmarks.validation.level_votes import WEIGHT, VotedLevels, agreement, foretold, foretold_anew, read_voted
from benchmarks.validation.split import fold, held_out
from pcg.engine.game import load
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_model import FILE, LevelModel, default_model, enough
from pcg.evaluators.judging.levels import value_of

ROOT = Path(__file__).resolve().parents[2]
NEGATIVES = Path(__file__).with_name("negatives") / "levels.json.xz"
CORPUS = ROOT.parent / "shared" / "gvgai"
STORE = ROOT / "build" / "validity-levels.jsonl"
FOLDS = 5
RESAMPLES = 2000
EACH = 5
"""Levels of each source of a game."""
BARS = {"random": 0.95, "constructive": 0.90, "evolve": 0.85}

T = TypeVar("T")
Values = Mapping[str, Mapping[str, Sequence[float]]]
"""Game -> source -> value of each level."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this measure."""
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="folder with the corpus, its games in `games`")
    parser.add_argument("--text", action="store_true", help="only the judgement of texts")
    parser.add_argument("--fit", action="store_true", help="fit the weights and store them in the package")
    parser.add_argument("--votes", type=Path, nargs="+", metavar="DIR", help="fit on the votes of these studies too")
    parser.add_argument("--weight", type=float, default=WEIGHT, help="of a vote; a pair of levels weighs 0.04")
    parser.add_argument("--question", help="of the votes, where several were asked")
    parser.add_argument("--people", default="", help="real, simulated or all; without it real ones, if there are any")
    parser.add_argument("--every-game", action="store_true", help="fit on votes about games that are held out too")
    parser.add_argument("--model", type=Path, default=FILE, help="file of the weights that --fit writes")
    parser.add_argument("--freeze", type=Path, metavar="DIR", help="pack the levels of a folder as negatives")
    parser.add_argument("--games", nargs="+", metavar="GAME", help="only these, as in gridphysics/zelda")
    parser.add_argument("--minutes", type=float, help="evaluate nothing further after this time")
    parser.add_argument("--rounds", type=int, help=f"levels of each source of a game, at most {EACH}")
    parser.add_argument("--store", type=Path, default=STORE, help="file of evaluations")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")


def run(args: argparse.Namespace) -> int:
    """Do what the arguments ask for."""
    if args.freeze is not None:
        return freeze(args.freeze)
    frozen = negatives()
    names = [name for name in frozen if not args.games or name in args.games]
    names = by_lot(names, "games")
    measured = {name: one for name in names if (one := measured_game(args.corpus, name, frozen[name])) is not None}
    model = default_model()
    found: dict[str, Any] = {}
    if args.fit:
        model = fit_and_store(args, [one for name, one in measured.items() if not held_out(name)], found)
    texts = {name: text_values(model, one) for name, one in measured.items()}
    report("text", texts, found)
    alone = {name: text_values(model, one, alone=True) for name, one in measured.items()}
    report("text, as if the games had no levels of their own", alone, found)
    crossed = cross_validated(args.corpus, measured)
    report("text, cross-validated", crossed, found, every=True)
    if not args.text and not args.fit:
        evaluated = evaluate(args, {name: frozen[name] for name in measured})
        report("evaluation", {name: fitnesses(one) for name, one in evaluated.items()}, found)
        both = {
            name: {s: [x["fitness"] for x in one[s] if x["feasible"]] for s in one} for name, one in evaluated.items()
        }
        report("evaluation of feasible levels", {n: v for n, v in both.items() if v[HAND]}, found)
        old = {name: {s: [x["skill"] for x in one[s]] for s in one} for name, one in evaluated.items()}
        report("evaluation with fitness=skill", old, found)
        shares = {
            s: float(np.mean([x["feasible"] for one in evaluated.values() for x in one[s]] or [0]))
            for s in (HAND, *SOURCES)
        }
        print("feasible: " + ", ".join(f"{source} {share:.0%}" for source, share in shares.items()))
        found["feasible"] = shares
    if args.json is not None:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


# -- levels ------------------------------------------------------------------------------------------------------------


def freeze(folder: Path) -> int:
    """Pack the levels of a folder of JSON files."""
    packed: dict[str, dict[str, list[str]]] = {}
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        packed[data["game"]] = {source: data[source][:EACH] for source in SOURCES}
    NEGATIVES.parent.mkdir(exist_ok=True)
    text = json.dumps(packed, indent=0, sort_keys=True)
    NEGATIVES.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(packed)} games: {NEGATIVES}, {NEGATIVES.stat().st_size:,} bytes")
    return 0


def negatives() -> dict[str, dict[str, list[str]]]:
    """Return the frozen levels: game -> source -> texts."""
    found: dict[str, dict[str, list[str]]] = json.loads(lzma.decompress(NEGATIVES.read_bytes()))
    return found


@cache
def evaluator_of(corpus: Path, name: str) -> LevelEvaluator | None:
    """Return the evaluator of a game of the corpus; None for one that is not there or has two players."""
    try:
        return LevelEvaluator(load(corpus / "games" / f"{name}.txt", reading="gvgai"))
    except PcgError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return None


def readable(evaluator: LevelEvaluator, texts: Iterable[str]) -> list[str]:
    """Return the texts that are levels of the game."""
    found = []
    for text in texts:
        try:
            evaluator.palette.parse(text)
        except PcgError:
            continue
        found.append(text)
    return found


def levels_of(evaluator: LevelEvaluator, generated: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the levels of each source that can be read, the game's own first."""
    every = {HAND: evaluator.game.levels[:EACH], **generated}
    return {source: readable(evaluator, texts) for source, texts in every.items()}


def measured_game(corpus: Path, name: str, generated: Mapping[str, Sequence[str]]) -> Measured | None:
    """Return the measures of the texts of a game's levels; None where the game cannot be used."""
    evaluator = evaluator_of(corpus, name)
    return None if evaluator is None else measure(name, evaluator, levels_of(evaluator, generated))


# -- fitting -----------------------------------------------------------------------------------------------------------


@cache
def own_measures(corpus: Path) -> dict[str, Any]:
    """Return the measures of the own levels of every one-player game of the corpus, by name."""
    rows = csv.reader((corpus / "games" / "all_games_sp.csv").open(encoding="utf-8"))
    found = {}
    for row in rows:
        name = row[1].removeprefix("examples/").removesuffix(".txt") if len(row) > 1 else ""
        evaluator = evaluator_of(corpus, name) if name else None
        if evaluator is not None:
            found[name] = measure(name, evaluator, {}).own
    return found


def fit_and_store(args: argparse.Namespace, games: Sequence[Measured], found: dict[str, Any]) -> LevelModel:
    """Fit a model as the arguments say, store it, and tell how it agrees with votes; returns it.

    Args:
        args: of the command.
        games: with generated levels.
        found: where the numbers are put.
    """
    voted = None
    if args.votes:
        voted = read_voted(
            args.votes, args.corpus, weight=args.weight, question=args.question, people=args.people,
            every_game=args.every_game,
        )  # fmt: skip
    model = fitted(args.corpus, games, voted=voted)
    args.model.write_text(json.dumps(model.to_json(), indent=1) + "\n", encoding="utf-8")
    default_model.cache_clear()
    print(f"fitted on {model.provenance['games']} games: {args.model}")
    if voted is not None:
        print("votes: " + json.dumps(voted.provenance()))
        without = fitted(args.corpus, games)
        others = [game for game in voted.games if game not in voted.fitted]
        told = {
            "fitted on, without votes": [vote for game in voted.fitted for vote in foretold(without, game)],
            "fitted on, anew by level": foretold_anew(lambda some: fitted(args.corpus, games, voted=some), voted),
            "held out, without votes": [vote for game in others for vote in foretold(without, game)],
            "held out": [vote for game in others for vote in foretold(model, game)],
        }
        found["votes"] = {name: agreement(votes) for name, votes in told.items()}
        for name, one in found["votes"].items():
            if one["votes"]:
                low, high = one["interval"]
                print(f"  {name:26} {one['share']:.3f} ({low:.3f} to {high:.3f})  {one['votes']} votes")
    return model


def fitted(
    corpus: Path, games: Sequence[Measured], without: int | None = None, voted: VotedLevels | None = None
) -> LevelModel:
    """Fit a model on some games, and its spreads on the levels of all games that are not held out.

    Args:
        corpus: folder of the corpus.
        games: with generated levels.
        without: the fold that is left out, in place of the games that are held out.
        voted: votes of people.
    """
    kept = {
        name: own for name, own in own_measures(corpus).items()
        if (not held_out(name) if without is None else fold(name, FOLDS) != without)
    }  # fmt: skip
    provenance = {
        "fitted_by": "python benchmarks/validity.py levels --fit",
        "hand_made": "own levels of GVGAI's one-player games that `benchmarks/validation/split.py` does not hold out",
        "generated": "benchmarks/validation/negatives/levels.json.xz (revision d7d1835)",
        "games": len(games),
        "games_for_spreads": len(kept),
        "share_of_play": "set, not fitted: levels that were bred for a gap say nothing against it",
    }
    return fit(games, list(kept.values()), provenance, voted)


def text_values(model: LevelModel, one: Measured, *, alone: bool = False) -> dict[str, list[float]]:
    """Return the value of each level's text by source."""
    every = rows(model, one, alone=alone)
    if alone or not len(one.own):
        return {
            source: (scores @ model.alone.ravel()).tolist() if len(scores) else [] for source, scores in every.items()
        }
    own = model.own_values(one.own)
    found: dict[str, list[float]] = {}
    for source, scores in every.items():
        values = zip(scores @ model.weights.ravel() if len(scores) else [], one.others[source], strict=True)
        found[source] = [min(float(value), enough(own[others])) for value, others in values]
    return found


def cross_validated(corpus: Path, measured: Mapping[str, Measured]) -> dict[str, dict[str, list[float]]]:
    """Return the values of texts, each game's by a model that was fitted without its fold."""
    found = {}
    for k in range(FOLDS):
        inside = [name for name in measured if fold(name, FOLDS) == k]
        outside = [one for name, one in measured.items() if fold(name, FOLDS) != k]
        if inside and outside:
            model = fitted(corpus, outside, without=k)
            found |= {name: text_values(model, measured[name]) for name in inside}
    return found


# -- evaluating --------------------------------------------------------------------------------------------------------


def evaluate(
    args: argparse.Namespace, frozen: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Evaluate the levels of all games, those of the store aside; game -> source -> evaluations.

    Goes round all games, one level of each source a round, levels in an order drawn by lot: whatever is done is a fair
    sample of all levels. What a round of a game has begun is evaluated to its end.
    """
    stored: dict[tuple[str, str, int], dict[str, Any]] = {}
    if args.store.exists():
        for line in args.store.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # a line that was cut off
                row = json.loads(line)
                stored[row["game"], row["source"], row["level"]] = row
    args.store.parent.mkdir(parents=True, exist_ok=True)
    deadline = None if args.minutes is None else time.monotonic() + 60 * args.minutes
    for turn in range(EACH if args.rounds is None else args.rounds):
        for name, generated in frozen.items():
            evaluator = evaluator_of(args.corpus, name)
            if evaluator is None or (deadline is not None and time.monotonic() > deadline):
                continue
            for source, texts in levels_of(evaluator, generated).items():
                order = by_lot(range(len(texts)), f"{name} {source}")
                key = name, source, order[turn] if turn < len(order) else -1
                if key[2] < 0 or key in stored:
                    continue
                stored[key] = {"game": name, "source": source, "level": key[2], **summary(evaluator, texts[key[2]])}
                with args.store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(stored[key]) + "\n")
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for (name, source, _), row in sorted(stored.items()):
        if name in frozen:
            found.setdefault(name, {each: [] for each in (HAND, *SOURCES)})[source].append(row)
    levels = {source: sum(len(one[source]) for one in found.values()) for source in (HAND, *SOURCES)}
    print("\nevaluated: " + ", ".join(f"{number} levels of {source}" for source, number in levels.items()))
    return found


def by_lot(things: Iterable[T], name: str) -> list[T]:
    """Return things in an order that depends on their names and the name of the lot alone."""
    return sorted(things, key=lambda thing: sha256(f"by lot {name} {thing}".encode()).digest())


def summary(evaluator: LevelEvaluator, text: str) -> dict[str, Any]:
    """Evaluate a level with the judge, and what the old quality says of it."""
    from pcg.evaluators.fitness_functions import fitness_of

    started = time.process_time()
    one = evaluator.evaluate(text, seed=1)
    skill = fitness_of("skill", one.metrics, evaluator.settings) if one.feasible and one.winner else 0.0
    broken = next((name for name, value in one.constraints.items() if value < 1), "")
    text_value = value_of(evaluator.judge.parts(evaluator.judge.view(text)))
    return {
        "feasible": one.feasible, "fitness": one.fitness, "skill": skill, "broken": broken, "text": text_value,
        "parts": {part.name: part.value for part in one.parts}, "winner": one.winner,
        "winnable": one.metrics.get("winnable"), "proof": one.metrics.get("proof"),
        "length": one.metrics.get("solution_length"), "calls": one.metrics.get("calls"),
        "seconds": round(time.process_time() - started, 2),
    }  # fmt: skip


def fitnesses(levels: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[float]]:
    """Return the fitness of each evaluated level by source."""
    return {source: [float(one["fitness"]) for one in found] for source, found in levels.items()}


# -- reporting ---------------------------------------------------------------------------------------------------------


def auc(better: Sequence[float], worse: Sequence[float]) -> float:
    """Return the chance that one of the first is greater than one of the second, ties counting half.

    >>> auc([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    a, b = np.asarray(better)[:, None], np.asarray(worse)[None]
    return float(((a > b) + 0.5 * (a == b)).mean())


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean."""
    drawn = np.random.default_rng(1).choice(np.asarray(values), (RESAMPLES, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def report(title: str, values: Values, found: dict[str, Any], *, every: bool = False) -> None:
    """Print the AUC against each source, of the held-out games (or of every game), and put them into `found`."""
    groups = {"all games": list(values)} if every else {
        "held out": [name for name in values if held_out(name)],
        "fitted on": [name for name in values if not held_out(name)],
    }  # fmt: skip
    print(f"\n{title}")
    for group, names in groups.items():
        for source in SOURCES:
            each = {
                name: auc(values[name][HAND], values[name][source])
                for name in names
                if values[name].get(source) and values[name][HAND]
            }
            if not each:
                continue
            mean, (low, high) = float(np.mean(list(each.values()))), interval(list(each.values()))
            row = f"{group:10} {source:14} {mean:.3f} ({low:.3f} to {high:.3f})"
            print(f"  {row}  {len(each)} games  bar {BARS[source]:.2f}")
            found.setdefault(title, {}).setdefault(group, {})[source] = {
                "auc": mean, "low": low, "high": high, "games": len(each), "each": each,
            }  # fmt: skip
