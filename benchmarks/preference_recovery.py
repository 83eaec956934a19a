"""Does the analysis of votes find the truth? Simulated studies with known utilities; every number follows from --seed.

    python benchmarks/preference_recovery.py                       # about six minutes of processor time
    python benchmarks/preference_recovery.py --studies 20 --json build/preferences.json

Three questions: how near the ranking comes to the true one, how many votes adaptive pairs need for the same ranking
as pairs by lot, and how often 95 % intervals hold the true utilities. And how long it takes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pcg.evaluators.preferences.adaptive import DESIGNS, make_design
from pcg.evaluators.preferences.davidson import fit
from pcg.evaluators.preferences.designs import Tally
from pcg.evaluators.preferences.intervals import METHODS, bootstrap, profile_intervals
from pcg.evaluators.preferences.simulation import (
    Population,
    hidden_utilities,
    item_names,
    ranking_agreement,
    simulate_study,
    tie_parameter,
)
from pcg.evaluators.preferences.votes import count_votes

ITEMS = 12
TIES = 0.25
"""Probability that the vote on two equally good items is a tie."""
PARTICIPANTS, PAIRS = 200, 10
SPREADS = (1.0, 1.5, 2.0)
GOAL = 0.9
STEP = 20
"""Votes between two looks at the ranking."""


def population(spread: float, seed: int) -> Population:
    return Population(item_names(ITEMS), hidden_utilities(ITEMS, spread, seed), {"tie": tie_parameter(TIES)})


def curves(design: str, spread: float, studies: int, seed: int) -> np.ndarray:
    """Kendall's tau after every `STEP` votes, shape (studies, looks)."""
    found = []
    for study in range(studies):
        people = population(spread, seed + study)
        votes = simulate_study(
            people, make_design(design, people.items, seed + study), PARTICIPANTS, PAIRS, seed + study
        )
        tally, taus = Tally(people.items), []
        for k in range(0, len(votes), STEP):
            tally.add(votes[k : k + STEP])
            taus.append(ranking_agreement(fit(tally.counts(), ties="together").utilities, people.utilities))
        found.append(taus)
    return np.array(found)


def first(mean: np.ndarray) -> int | None:
    """Votes from which on the mean stays at the goal or above."""
    below = np.flatnonzero(mean < GOAL)
    place = 0 if not len(below) else int(below[-1]) + 1
    return (place + 1) * STEP if place < len(mean) else None


def designs(studies: int, seed: int) -> list[dict[str, Any]]:
    rows = []
    for spread in SPREADS:
        for design in ("random", "balanced", "adaptive"):
            tau = curves(design, spread, studies, seed)
            rows.append(
                {"spread": spread, "design": design, "votes": first(tau.mean(axis=0)), "tau": float(tau[:, -1].mean()),
                 "tau_low": float(np.quantile(tau[:, -1], 0.1)), "half": float(tau[:, len(tau[0]) // 2].mean())}
            )  # fmt: skip
    return rows


def coverage(studies: int, seed: int, participants: int, pairs: int) -> dict[str, float]:
    """Share of the true utilities inside their 95 % intervals."""
    hits: dict[str, list[float]] = {}
    for study in range(studies):
        people = population(1.0, 10_000 + seed + study)
        votes = simulate_study(people, make_design("random", people.items, study), participants, pairs, seed + study)
        found = {}
        for method in METHODS:
            samples = bootstrap(votes, people.items, method=method, samples=500, seed=study)
            found[f"bootstrap, {method}"] = samples.intervals()
            found[f"percentiles, {method}"] = np.quantile(samples.utilities, [0.025, 0.975], axis=0).T
        found["Wald"], found["profile"] = samples.fit.wald(), profile_intervals(samples.fit)
        truth = people.utilities
        for name, ends in found.items():
            hits.setdefault(name, []).append(float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()))
    return {name: float(np.mean(values)) for name, values in hits.items()}


def seconds(work: Callable[[], object], repeat: int) -> float:
    work()
    begin = time.process_time()
    for _ in range(repeat):
        work()
    return (time.process_time() - begin) / repeat


def speed(seed: int) -> dict[str, float]:
    """Milliseconds of processor time."""
    found: dict[str, float] = {}
    for items, participants in ((12, 200), (50, 300), (300, 300)):
        names = item_names(items)
        people = Population(names, hidden_utilities(items, 1.0, seed), {"tie": tie_parameter(TIES)})
        votes = simulate_study(people, make_design("random", names, seed), participants, PAIRS, seed)
        counts, tally = count_votes(votes, names), Tally(names)
        tally.add(votes)
        found[f"fit of {items} items"] = 1000 * seconds(lambda c=counts: fit(c), 20)  # type: ignore[misc]
        for name in DESIGNS:
            design = make_design(name, names, seed)
            found[f"next pair of {items} items, {name}, {len(votes):,} votes"] = 1000 * seconds(
                lambda d=design, v=votes: d.next_pairs("new", v, 1),  # type: ignore[misc]
                20,
            )
        if items < 300:
            found[f"1,000 bootstrap samples of {items} items"] = 1000 * seconds(
                lambda v=votes, n=names: bootstrap(v, n),  # type: ignore[misc]
                1,
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--studies", type=int, default=100, help="of each design and spread")
    parser.add_argument("--coverage", type=int, default=200, help="studies for the coverage of intervals")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result: dict[str, Any] = {"studies": options.studies, "seed": options.seed}

    print(f"{ITEMS} items, {PARTICIPANTS} participants with {PAIRS} pairs each, {TIES:.0%} ties between equal items")
    print(
        f"\n{'spread':>6} {'design':>9} {'votes to tau 0.9':>17} {'of random':>10} {'tau at 1,000':>13} {'at 2,000':>9}"
    )
    result["designs"] = rows = designs(options.studies, options.seed)
    lot = {row["spread"]: row["votes"] for row in rows if row["design"] == "random"}
    for row in rows:
        base = lot[row["spread"]]
        share = f"{row['votes'] / base:.0%}" if row["votes"] and base else "-"
        numbers = f"{row['half']:13.3f} {row['tau']:9.3f}"
        print(f"{row['spread']:6} {row['design']:>9} {row['votes'] or 'more':>17} {share:>10} {numbers}")

    print("\n95 % intervals that hold the truth")
    result["coverage"] = {}
    for participants, pairs in ((20, 12), (40, 15), (100, 10), (200, 15)):
        found = coverage(options.coverage, options.seed, participants, pairs)
        result["coverage"][f"{participants} x {pairs}"] = found
        print(f"  {participants} participants x {pairs} pairs: " + ", ".join(f"{k} {v:.1%}" for k, v in found.items()))

    print("\nprocessor time, ms")
    result["speed"] = speed(options.seed)
    for name, value in result["speed"].items():
        print(f"  {name}: {value:.2f}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
