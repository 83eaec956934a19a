"""Agreement with people's judgements of 121 board games that they only read about: payoff, draws and fun.

    python benchmarks/validity.py boardgames ../shared/human --json predictions.json

DIR holds `boardgames.tsv` (the games) and `boardgames_judgements.tsv` (the judgements of some of them). Every game is
played by novices as people imagine it, a small model is fitted to the judgements that DIR has, and predicts all games:
{id: {"payoff", "draw", "fun"}}. The table that is printed cross-validates on the judged games, against baselines, with
intervals by bootstrap over games. The same seed gives the same numbers, whatever the number of workers.

Data: Collins et al., People use fast and flat simulation to reason about new games, Nature 655, 2026; MIT licence,
Copyright 2026 Katie Collins.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pcg
from pcg.engine.boards import MnkGame
from pcg.evaluators.judging.board_measures import LINES, RULES, BoardMeasures, measure_board_game
from pcg.evaluators.judging.board_people import FEWEST, QUESTIONS, STORED, BoardPeople, fit_people, stored_people
from pcg.evaluators.processes import processors

UNBOUNDED = 15
"""Rows and columns that stand for a board without bounds: more than plays between novices use."""
SEED = 1
REPEATS = 20
"""Shuffles of ten-fold cross-validation."""
DRAWS = 2000
"""Bootstrap samples of games."""

Numbers = NDArray[np.float64]
Predictor = Callable[[NDArray[np.int64], NDArray[np.int64]], Numbers]
"""A model that is fitted to some games, given by their numbers, and predicts others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="folder with boardgames.tsv and boardgames_judgements.tsv"
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the predictions of all games")
    parser.add_argument("--report", type=Path, metavar="OUT", help="write the cross-validated numbers")
    parser.add_argument("--workers", type=int, default=processors(), help="processes (default: one per processor)")
    parser.add_argument(
        "--players", choices=(LINES, RULES), default=LINES, help="players that know lines, or rules only"
    )
    parser.add_argument("--budget", type=int, help="plays of each game")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep the measures of the games, to go on later")
    parser.add_argument(
        "--expert", type=int, default=0, metavar="N", help="also N games by UCT with 400 playouts, slow"
    )
    parser.add_argument("--store", action="store_true", help="make the fit the one that comes with the toolkit")


def read_games(folder: Path) -> dict[str, MnkGame]:
    """Return the games of a folder by their ids, in the order of the table."""
    with (folder / "boardgames.tsv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: game_of(row) for row in csv.DictReader(file, delimiter="\t")}


def game_of(row: Mapping[str, str]) -> MnkGame:
    """Return the game of a row of the table; `inf`, and boards of the kind `infinity`, are made large."""
    unbounded = row.get("kind") == "infinity"
    rows, columns = (
        max(UNBOUNDED, int(row[key]) if row[key] != "inf" else 0) if unbounded or row[key] == "inf" else int(row[key])
        for key in ("rows", "cols")
    )
    return MnkGame(
        rows,
        columns,
        (int(row["row_first"]), int(row["row_second"])),
        misere=row["row_loses"] == "1",
        lines=(row["first_lines"], row["second_lines"]),
        opening=(int(row["first_opens_with"]), int(row["second_opens_with"])),
    )


def read_judgements(folder: Path) -> dict[str, dict[str, Numbers]]:
    """Return the judgements, one number for each person: {id: {question: numbers}}."""
    found: dict[str, dict[str, Numbers]] = {}
    with (folder / "boardgames_judgements.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            numbers = np.array([float(number) for number in row["judgements"].split()])
            if row["question"] in QUESTIONS and len(numbers):
                found.setdefault(row["id"], {})[row["question"]] = numbers
    return found


def read_kinds(folder: Path) -> dict[str, str]:
    """Return the kind of every game by its id: the idea that its rules vary."""
    with (folder / "boardgames.tsv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: row.get("kind") or "" for row in csv.DictReader(file, delimiter="\t")}


def _measure(job: tuple[MnkGame, str, int | None]) -> BoardMeasures:
    game, players, budget = job
    return measure_board_game(game, seed=SEED, budget=budget, players=players)


def measure_all(
    games: Mapping[str, MnkGame], players: str, budget: int | None, workers: int, cache: Path | None = None
) -> dict[str, BoardMeasures]:
    """Measure games, side by side; what a cache file has of the same plays is not measured again."""
    kept: dict[str, Any] = json.loads(cache.read_text(encoding="utf-8")) if cache and cache.exists() else {}
    keys = {name: f"{game} {players} {budget} {SEED}" for name, game in games.items()}
    missing = [name for name in games if keys[name] not in kept]
    jobs = [(games[name], players, budget) for name in missing]
    if workers <= 1 or not jobs:
        _keep(kept, keys, missing, map(_measure, jobs), cache)
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            _keep(kept, keys, missing, pool.map(_measure, jobs), cache)
    return {name: BoardMeasures(**kept[keys[name]]) for name in games}


def _keep(
    kept: dict[str, Any],
    keys: Mapping[str, str],
    names: Sequence[str],
    measured: Iterable[BoardMeasures],
    cache: Path | None,
) -> None:
    """Keep measures as they come, so that a long measurement can go on where it was stopped."""
    for name, measures in zip(names, measured, strict=True):
        kept[keys[name]] = asdict(measures)
        if cache:
            cache.write_text(json.dumps(kept) + "\n", encoding="utf-8")


# --- cross-validation -------------------------------------------------------------------------------------------------


def r_squared(predictions: Numbers, answers: Numbers) -> float:
    """Coefficient of determination: 1 less squared errors by squared distances from the mean."""
    return float(1 - np.sum((predictions - answers) ** 2) / np.sum((answers - answers.mean()) ** 2))


def interval(predictions: Numbers, answers: Numbers) -> tuple[float, float]:
    """95 % interval of R2 by bootstrap over games."""
    rng = np.random.default_rng(SEED)
    picks = rng.integers(0, len(answers), (DRAWS, len(answers)))
    drawn = answers[picks]
    spread = np.sum((drawn - drawn.mean(axis=1, keepdims=True)) ** 2, axis=1)
    found = 1 - np.sum((predictions[picks] - drawn) ** 2, axis=1) / np.where(spread > 0, spread, np.nan)
    low, high = np.nanquantile(found, [0.025, 0.975])
    return float(low), float(high)


def leave_groups_out(predict: Predictor, groups: Sequence[str]) -> list[Numbers]:
    """Predictions of the games of each group from a model that saw the other groups only."""
    found = np.zeros(len(groups))
    for group in sorted(set(groups)):
        inside = np.array([name == group for name in groups])
        found[inside] = predict(np.flatnonzero(~inside), np.flatnonzero(inside))
    return [found]


def cross_validate(predict: Predictor, count: int, folds: int) -> list[Numbers]:
    """Predictions of all games from models that did not see them: once for leave-one-out, else for every shuffle.

    `predict(train, test)` fits on games by number and predicts others.
    """
    rng = np.random.default_rng(SEED)
    runs = []
    for _ in range(1 if folds >= count else REPEATS):
        order = np.arange(count) if folds >= count else rng.permutation(count)
        found = np.zeros(count)
        for test in np.array_split(order, min(folds, count)):
            found[test] = predict(np.setdiff1d(order, test), test)
        runs.append(found)
    return runs


def by_people(question: str, measures: Sequence[BoardMeasures], means: Mapping[str, Numbers]) -> Predictor:
    """Predictor of a question, for `cross_validate`."""

    def predict(train: NDArray[np.int64], test: NDArray[np.int64]) -> Numbers:
        answers = {name: np.full(len(train), np.nan) for name in QUESTIONS}
        answers[question] = means[question][train]
        empty = BoardPeople(dict.fromkeys(QUESTIONS, ()), (), {})
        people = fit_people([measures[k] for k in train], answers, fallback=empty, fewest=1)
        return np.array([people.predict_one(question, measures[k]) for k in test])

    return predict


def by_line(values: Numbers, answers: Numbers) -> Predictor:
    """Predictor that fits a line to one number per game: how far a baseline gets."""

    def predict(train: NDArray[np.int64], test: NDArray[np.int64]) -> Numbers:
        slope, constant = np.polyfit(values[train], answers[train], 1) if np.ptp(values[train]) else (0.0, np.nan)
        return slope * values[test] + constant if np.isfinite(constant) else np.full(len(test), answers[train].mean())

    return predict


def reliability(judgements: Sequence[Numbers]) -> float:
    """Squared correlation of the means of two halves of the people, Spearman-Brown corrected: the most R2 can be."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(100):
        halves = np.zeros((2, len(judgements)))
        for k, numbers in enumerate(judgements):
            order = rng.permutation(numbers)
            halves[:, k] = order[: len(order) // 2].mean(), order[len(order) // 2 :].mean()
        r = np.corrcoef(halves)[0, 1]
        found.append(2 * r / (1 + r))
    return float(np.mean(found))


def expert_results(job: tuple[MnkGame, int]) -> tuple[float, float]:
    """Payoff of the first player and share of draws between strong players (UCT, 400 playouts a move)."""
    game, count = job
    ends = []
    for k in range(count):
        agents = [pcg.make_agent("uct", seed=2 * k + seat, budget=10**9, playouts=400, player=seat) for seat in (0, 1)]
        ends.append(pcg.play(game, agents, seed=k).score[0])
    return float(np.mean(ends)), float(np.mean(np.array(ends) == 0))


def run(args: argparse.Namespace) -> int:
    """Measure, fit, predict, and print the cross-validated table."""
    started = time.perf_counter()
    games, judgements = read_games(args.folder), read_judgements(args.folder)
    ids = list(games)
    by_id = measure_all(games, args.players, args.budget, args.workers, args.cache)
    judged = [name for name in ids if name in judgements]
    means = {
        question: np.array([judgements[n][question].mean() if question in judgements[n] else np.nan for n in judged])
        for question in QUESTIONS
    }
    provenance = {
        "data": "Collins et al., People use fast and flat simulation to reason about new games, Nature 655, 2026",
        "licence": "MIT, Copyright 2026 Katie Collins",
        "games": len(judged),
        "command": "python benchmarks/validity.py boardgames DIR --store"
        + (f" --players {RULES}" if args.players == RULES else ""),
        "date": datetime.date.today().isoformat(),
    }
    known = [by_id[name] for name in judged]
    people = fit_people(known, means, None if args.store else stored_people(args.players), provenance)
    predictions = {name: people.predict(by_id[name]) for name in ids}
    if args.json:
        args.json.write_text(json.dumps(predictions, indent=1) + "\n", encoding="utf-8")
    if args.store:
        stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
        STORED.write_text(json.dumps(stored | {args.players: people.as_dict()}, indent=1) + "\n", encoding="utf-8")
    print(f"{len(ids)} games, {len(judged)} judged; measured in {time.perf_counter() - started:.0f} s")
    report = table(judged, games, known, judgements, means, args)
    if args.report:
        args.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def table(
    judged: Sequence[str],
    games: Mapping[str, MnkGame],
    measured: Sequence[BoardMeasures],
    judgements: Mapping[str, Mapping[str, Numbers]],
    means: Mapping[str, Numbers],
    args: argparse.Namespace,
) -> dict[str, Any]:
    """Print how well judgements are predicted of games that a model has not seen; returns the numbers."""
    expert: list[tuple[float, float]] = []
    kinds = read_kinds(args.folder)
    if args.expert:
        with ProcessPoolExecutor(max(1, args.workers), mp_context=get_context("spawn")) as pool:
            expert = list(pool.map(expert_results, [(games[name], args.expert) for name in judged]))
    report: dict[str, Any] = {"players": args.players, "judged": len(judged)}
    print(f"{'':8}{'':28}{'R2':>7}  {'95 % interval':>15}{'r^2':>7}")
    for question in QUESTIONS:
        asked = np.flatnonzero(np.isfinite(means[question]))
        if len(asked) <= FEWEST:
            print(f"{question:8}judgements of {len(asked)} games: too few to cross-validate")
            continue
        answers = means[question][asked]
        own = [measured[k] for k in asked]
        everything = {name: values[asked] for name, values in means.items()}
        model = by_people(question, own, everything)
        raw = np.array([{"payoff": m.payoff, "draw": m.draw, "fun": m.challenge}[question] for m in own])
        rows: dict[str, list[Numbers]] = {
            "leave one out": cross_validate(model, len(asked), len(asked)),
            f"ten-fold, {REPEATS} times": cross_validate(model, len(asked), 10),
            "fitted to all (no test)": [model(np.arange(len(asked)), np.arange(len(asked)))],
            f"a line on {'challenge' if question == 'fun' else 'the plays'} alone": cross_validate(
                by_line(raw, answers), len(asked), len(asked)
            ),
            "the mean": cross_validate(by_line(np.zeros(len(asked)), answers), len(asked), len(asked)),
        }
        groups = [kinds[judged[k]] for k in asked]
        if len(set(groups)) > 1:
            rows["leave one kind out"] = leave_groups_out(model, groups)
        if expert and question != "fun":
            strong = np.array([expert[k][question == "draw"] for k in asked])
            rows["a line on plays of UCT"] = cross_validate(by_line(strong, answers), len(asked), len(asked))
        report[question] = {"reliability": reliability([judgements[judged[k]][question] for k in asked])}
        for name, runs in rows.items():
            r2 = float(np.mean([r_squared(found, answers) for found in runs]))
            low, high = interval(np.mean(runs, axis=0), answers)
            squared = float(np.mean([max(0.0, np.corrcoef(found, answers)[0, 1]) ** 2 for found in runs]))
            report[question][name] = {"r2": r2, "interval": [low, high], "squared_correlation": squared}
            print(f"{question:8}{name:28}{r2:7.3f}  {low:7.3f}-{high:6.3f} {squared:7.3f}")
        print(f"{question:8}{'reliability of the means':28}{report[question]['reliability']:7.3f}")
        found = rows["leave one out"][0]
        for k in np.argsort(-abs(found - answers))[:5]:
            print(
                f"          {judged[asked[k]]} {games[judged[asked[k]]]}: people {answers[k]:.2f}, model {found[k]:.2f}"
            )
        report[question]["misses"] = [judged[asked[k]] for k in np.argsort(-abs(found - answers))[:5]]
    return report
