"""Coverage of the 95 % intervals of a study, for the pairings and sizes that studies have.

    python benchmarks/study_coverage.py --studies 200 --participants 5,10,20,50,100

Simulated people with known utilities (`--items`, `--spread`, one tie in three between equals) judge `--pairs` pairs
each, chosen by `adaptive` or `balanced` as a study chooses them; taste is the same for all unless `--taste` says
otherwise. Counted are utilities, differences of every two items, and ranks that lie in their intervals:

    wald        normal approximation around the estimate
    robust      the same with a covariance from what the votes of each participant say together, and Student's t
    spread      posterior under a normal prior whose width the votes tell too (`preferences.posterior`), a mixture over
                widths; in the row `one normal` of a normal distribution with its mean and covariance; `votes alone`
                without what people's own tastes add, `by itself` how much of the posterior intervals of ranks hold
    profile     profile likelihood (utilities only)
    basic       bootstrap over participants, basic intervals; ranks: quantiles of the samples
    percentile  bootstrap over participants, quantiles of the samples
    parametric  bootstrap of answers from the fitted model to the pairs that were shown, basic intervals

Bootstraps are left out with `--samples 0`. With `--shown four` they choose the best of `--pairs` sets of four by Luce's
law, with `--worst` the worst as well, and `choices.ChoiceTable.posterior` gives the intervals. With `--taste` the rows
`together` count differences of the utilities that fit what 20,000 such people choose, instead of the means of people's
own.

Every number is the mean over studies, with its own 95 % interval from the scatter between studies.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from pcg.evaluators.preferences import count_votes, fit, make_design
from pcg.evaluators.preferences.choices import Choice, ChoiceTable
from pcg.evaluators.preferences.davidson import Fit
from pcg.evaluators.preferences.intervals import bootstrap, profile_intervals
from pcg.evaluators.preferences.posterior import Posterior, posterior
from pcg.evaluators.preferences.sets import SetDesign
from pcg.evaluators.preferences.simulation import (
    Population,
    hidden_utilities,
    item_names,
    simulate_study,
    tie_parameter,
)
from pcg.evaluators.preferences.votes import Vote

MANY = 20_000
"""People of whom it is found what they say together."""


def robust_covariance(fitted: Fit, votes: list[Vote]) -> tuple[np.ndarray, int]:
    """The covariance of the utilities from the scores of participants (Liang, Zeger 1986), and how many there are."""
    n, k = len(fitted.items), len(fitted.parameters)
    scores: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(n + k))
    for vote in votes:
        i, j = fitted.counts.index[vote.first], fitted.counts.index[vote.second]
        odds = fitted.probabilities(vote.first, vote.second)
        preferred = {"first": 0.5, "second": -0.5}.get(vote.answer, 0.0)
        slope = preferred - 0.5 * (odds["first"] - odds["second"])
        own = scores[vote.participant]
        own[i] += slope
        own[j] -= slope
        if "tie" in fitted.parameters:
            own[n] += (vote.answer in ("both", "neither")) - odds["tie"]
    each = np.array(list(scores.values()))
    people = len(each)
    middle = each.T @ each * people / max(1, people - 1)
    return fitted.covariance @ middle @ fitted.covariance, people


def said_together(truth: np.ndarray, options: argparse.Namespace, seed: int, *, four: bool = False) -> np.ndarray:
    """Differences of the utilities that fit what `MANY` people with tastes of their own choose, each asked once."""
    names, rng, n = item_names(options.items), np.random.default_rng([seed, 42]), options.items
    own = truth + rng.normal(0, options.taste, (MANY, n))
    shown = rng.permuted(np.tile(np.arange(n), (MANY, 1)), axis=1)[:, : 4 if four else 2]
    liked = np.take_along_axis(own, shown, axis=1)
    if not four:
        people = Population(names, truth, {"tie": tie_parameter(1 / 3)})
        half = 0.5 * (liked[:, 0] - liked[:, 1])
        weights = np.exp(np.stack([half, -half, np.full(MANY, people.parameters["tie"])]))
        which = (rng.random(MANY) > np.cumsum(weights / weights.sum(axis=0), axis=0)).sum(axis=0)
        answers = np.array(["first", "second", "both"])[which]
        votes = [Vote("", names[a], names[b], str(c)) for (a, b), c in zip(shown, answers, strict=True)]
        utilities = fit(count_votes(votes, items=names)).utilities
    else:  # the best is the largest with Gumbel noise, the worst that of what is left with the signs turned
        places = np.arange(MANY)
        best = (liked + rng.gumbel(size=liked.shape)).argmax(axis=1)
        left = -liked + rng.gumbel(size=liked.shape)
        left[places, best] = -np.inf
        worst = left.argmax(axis=1)
        choices = [
            Choice("", tuple(names[k] for k in row), names[row[a]], names[row[b]] if options.worst else "")
            for row, a, b in zip(shown, best, worst, strict=True)
        ]
        utilities = ChoiceTable(choices, names).fit().utilities
    one, two = np.triu_indices(n, 1)
    return np.asarray(utilities[one] - utilities[two])


def without_tastes(after: Posterior) -> Posterior:
    """The posterior if answers of one person did not resemble each other."""
    return replace(after, covariance=after.covariance / after.dispersion, dispersion=1.0)


def held_by_itself(after: Posterior, ranks: np.ndarray, seed: int) -> float:
    """Return how much of the posterior the intervals of ranks hold, (items, 2): of whole ranks not 95 % exactly."""
    drawn = after.draw(4000, np.random.default_rng([seed, 43]))
    places = 1 + np.argsort(np.argsort(-drawn, axis=1), axis=1)
    return float(np.mean((ranks[:, 0] <= places) & (places <= ranks[:, 1])))


def look(design: str, participants: int, options: argparse.Namespace, seed: int) -> dict[str, float]:
    """Shares of intervals that hold the truth, in one study."""
    names = item_names(options.items)
    truth = hidden_utilities(options.items, options.spread, seed)
    population = Population(names, truth, {"tie": tie_parameter(1 / 3)}, taste=options.taste)
    votes = simulate_study(population, make_design(design, list(names), seed), participants, options.pairs, seed)
    fitted = fit(count_votes(votes, items=names))
    one, two = np.triu_indices(options.items, 1)
    apart = truth[one] - truth[two]
    centre = fitted.utilities[one] - fitted.utilities[two]
    found: dict[str, float] = {}

    def note(name: str, low: np.ndarray, high: np.ndarray, true: np.ndarray) -> None:
        found[name] = float(np.mean((low <= true) & (true <= high)))
        found[f"{name} width"] = float(np.median(high - low))

    n = options.items
    together = said_together(truth, options, seed) if options.taste else None
    reach = robust_covariance(fitted, votes)
    after = posterior(fitted, votes)
    found["dispersion"] = after.dispersion
    differences = np.eye(n)[one] - np.eye(n)[two]
    for name, made in (
        ("spread", after), ("one normal", replace(after, parts=())), ("votes alone", without_tastes(after)),
    ):  # fmt: skip
        ends = made.intervals()
        note(f"{name} utilities", ends[:, 0], ends[:, 1], truth)
        ends = made.combinations(differences)
        note(f"{name} differences", ends[:, 0], ends[:, 1], apart)
        if together is not None:
            note(f"{name} together", ends[:, 0], ends[:, 1], together)
    for name, covariance, factor in (
        ("wald", fitted.covariance, 1.959964),
        ("robust", reach[0], float(student.ppf(0.975, max(1, reach[1] - 1)))),
    ):
        at, c = fitted.utilities, covariance[:n, :n]
        errors = factor * np.sqrt(np.diagonal(c))
        note(f"{name} utilities", at - errors, at + errors, truth)
        errors = factor * np.sqrt(np.maximum(0, c[one, one] + c[two, two] - 2 * c[one, two]))
        note(f"{name} differences", at[one] - at[two] - errors, at[one] - at[two] + errors, apart)
        if together is not None:
            note(f"{name} together", at[one] - at[two] - errors, at[one] - at[two] + errors, together)
    after_ranks = after.ranks(seed=seed)
    found["spread ranks by itself"] = held_by_itself(after, after_ranks, seed)
    note("spread ranks", after_ranks[:, 0], after_ranks[:, 1], 1 + np.argsort(np.argsort(-truth)))
    alone = replace(after, parts=()).ranks(seed=seed)
    note("one normal ranks", alone[:, 0], alone[:, 1], 1 + np.argsort(np.argsort(-truth)))
    if not options.quick:
        profile = profile_intervals(fitted)
        note("profile utilities", profile[:, 0], profile[:, 1], truth)
    ranks = 1 + np.argsort(np.argsort(-truth))
    drawn_anew = (("participants", ("basic", "percentile")), ("parametric", ("parametric",)))
    for method, kinds in drawn_anew if options.samples else ():
        drawn = bootstrap(votes, names, method=method, samples=options.samples, seed=seed)
        for kind in kinds:
            for what, samples, at, true in (
                ("utilities", drawn.utilities, drawn.fit.utilities, truth),
                ("differences", drawn.utilities[:, one] - drawn.utilities[:, two], centre, apart),
            ):
                low, high = np.quantile(samples, [0.025, 0.975], axis=0)
                low, high = (low, high) if kind == "percentile" else (2 * at - high, 2 * at - low)
                note(f"{kind} {what}", low, high, true)
        inside = drawn.ranks()
        note(f"{kinds[0]} ranks", inside[:, 0], inside[:, 1], ranks)
    return found


def look_at_sets(design: str, participants: int, options: argparse.Namespace, seed: int) -> dict[str, float]:
    """Shares of intervals that hold the truth, in one study of sets of four."""
    names, rng = item_names(options.items), np.random.default_rng([seed, 41])
    truth = hidden_utilities(options.items, options.spread, seed)
    place, sets = {name: k for k, name in enumerate(names)}, SetDesign(design, names, 4, seed)

    def taste() -> np.ndarray:
        return truth + rng.normal(0, options.taste, options.items) if options.taste else truth

    def choose(person: str, shown: tuple[str, ...], own: np.ndarray) -> Choice:
        u = own[[place[name] for name in shown]]
        best = int(rng.choice(4, p=np.exp(u) / np.exp(u).sum()))
        odds = np.where(np.arange(4) == best, 0.0, np.exp(-u))
        worst = shown[int(rng.choice(4, p=odds / odds.sum()))] if options.worst else ""
        return Choice(person, shown, shown[best], worst)

    choices: list[Choice] = []
    for person in range(participants):
        own = taste()
        for _ in range(options.pairs):
            shown = sets.next_set(f"p{person}", choices)
            assert shown is not None
            choices.append(choose(f"p{person}", shown, own))
    after = ChoiceTable(choices, names).posterior()
    one, two = np.triu_indices(options.items, 1)
    differences = np.eye(options.items)[one] - np.eye(options.items)[two]
    ends = after.combinations(differences)
    apart, found = truth[one] - truth[two], {}
    open_ranks, ranks = after.ranks(seed=seed), 1 + np.argsort(np.argsort(-truth))
    looked = [
        ("differences", *ends.T, apart),
        ("utilities", *after.intervals().T, truth),
        ("ranks", *open_ranks.T, ranks),
        ("one normal ranks", *replace(after, parts=()).ranks(seed=seed).T, ranks),
    ]
    narrow = without_tastes(after).combinations(differences)
    looked.append(("votes alone differences", *narrow.T, apart))
    looked.append(("one normal differences", *replace(after, parts=()).combinations(differences).T, apart))
    if options.taste:
        said = said_together(truth, options, seed, four=True)
        looked += [("together", *ends.T, said), ("votes alone together", *narrow.T, said)]
    found["dispersion"], found["ranks by itself"] = after.dispersion, held_by_itself(after, open_ranks, seed)
    for name, low, high, true in looked:
        found[name] = float(np.mean((low <= true) & (true <= high)))
        found[f"{name} width"] = float(np.median(high - low))
    return found


def main() -> None:
    """Print a table for each pairing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", default="adaptive,balanced")
    parser.add_argument("--participants", default="5,10,20,50,100")
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first study")
    parser.add_argument("--items", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--taste", type=float, default=0.0)
    parser.add_argument("--shown", choices=("pair", "four"), default="pair")
    parser.add_argument("--worst", action="store_true")
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--quick", action="store_true", help="without the profile likelihood")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    everything = {}
    for design in options.designs.split(","):
        for participants in map(int, options.participants.split(",")):
            of = look if options.shown == "pair" else look_at_sets
            studies = [
                of(design, participants, options, seed)
                for seed in range(options.first, options.first + options.studies)
            ]
            for name in studies[0]:
                values = np.array([one[name] for one in studies])
                half = 1.96 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
                everything[f"{design} {participants} {name}"] = (float(values.mean()), float(half))
                if name == "dispersion":
                    print(f"{design:>9} {participants:>4}  {name:<24} {values.mean():6.3f}")
                elif name.endswith("by itself"):
                    print(f"{design:>9} {participants:>4}  {name:<24} {100 * values.mean():5.1f} %")
                elif not name.endswith("width"):
                    wide = float(np.mean([one[f"{name} width"] for one in studies]))
                    print(f"{design:>9} {participants:>4}  {name:<24} {100 * values.mean():5.1f} +- {100 * half:3.1f} %"
                          f"   width {wide:.2f}", flush=True)  # fmt: skip
            if options.json:
                options.json.write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
