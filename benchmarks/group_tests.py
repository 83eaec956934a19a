"""False alarms of tests that compare two generators by people's votes, and what they find where something is.

    python benchmarks/group_tests.py --studies 150
    python benchmarks/group_tests.py --studies 100 --shown four --worst

Simulated people judge pairs of an item of each group. Items differ from their group, and people in their taste for a
group, by normal deviates (`--apart`, `--taste`, in log odds); the groups themselves differ by `--worth`. Counted are
studies in which a test says that the groups differ, at 5 %: the sign test of all votes (`preferences.shares`), and the
model with participants and items as random effects (`preferences.mixed`) with the normal and Student's distribution.
Without a difference (`--worth 0`) 5 in 100 should. The last column is how many of the model's 95 % intervals hold the
true difference. With `--shown four` they choose the best, with `--worst` the worst too, of sets of two items of each
group, and the sign test is of the group of the best; `--first` is what standing in the first place adds.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from pcg.evaluators.preferences.choices import Choice
from pcg.evaluators.preferences.exact import sign_test
from pcg.evaluators.preferences.mixed import mixed_choices, mixed_effects
from pcg.evaluators.preferences.votes import Vote

SIZES = ((20, 6, 4), (40, 8, 6), (60, 10, 10))
"""Participants, votes of each, items of each group."""


def effects(rng: np.random.Generator, people: int, items: int, options: argparse.Namespace) -> tuple[Any, Any]:
    """Return the utilities of the items of both groups, and the tastes of participants by group."""
    own = rng.normal(0, options.apart, (2, items)) + np.array([[options.worth], [0.0]])
    return own, rng.normal(0, options.taste, (people, 2))


def study(rng: np.random.Generator, size: tuple[int, int, int], options: argparse.Namespace) -> list[Vote]:
    """Return the votes of a simulated study; items are named by group and number."""
    people, pairs, items = size
    own, tastes = effects(rng, people, items, options)
    votes = []
    for person in range(people):
        for _ in range(pairs):
            item = rng.integers(items, size=2)
            odds = own[0, item[0]] - own[1, item[1]] + tastes[person, 0] - tastes[person, 1]
            names = f"a{item[0]}", f"b{item[1]}"
            swapped = bool(rng.random() < 0.5)
            odds += -options.first if swapped else options.first
            for_a = bool(rng.random() < expit(odds))
            shown = names[::-1] if swapped else names
            votes.append(Vote(f"p{person}", *shown, "first" if for_a != swapped else "second"))
    return votes


def study_of_sets(rng: np.random.Generator, size: tuple[int, int, int], options: argparse.Namespace) -> list[Choice]:
    """Return the choices of a simulated study of sets of four."""
    people, sets, items = size
    own, tastes = effects(rng, people, items, options)
    choices = []
    for person in range(people):
        for _ in range(sets):
            group = rng.permutation([0, 0, 1, 1])
            item = np.zeros(4, int)
            for k in (0, 1):
                item[group == k] = rng.choice(items, 2, replace=False)
            u = own[group, item] + tastes[person, group] + options.first * (np.arange(4) == 0)
            best = int(rng.choice(4, p=softmax(u)))
            worst = int(rng.choice(4, p=softmax(np.where(np.arange(4) == best, -np.inf, -u))))
            names = tuple(f"{'ab'[g]}{k}" for g, k in zip(group, item, strict=True))
            choices.append(Choice(f"p{person}", names, names[best], names[worst] if options.worst else ""))
    return choices


def main() -> None:
    """Print a table with a row for each size of study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=150)
    parser.add_argument("--apart", type=float, default=0.5)
    parser.add_argument("--taste", type=float, default=0.5)
    parser.add_argument("--worth", type=float, default=0.0)
    parser.add_argument("--first", type=float, default=0.0)
    parser.add_argument("--shown", choices=("pair", "four"), default="pair")
    parser.add_argument("--worst", action="store_true")
    parser.add_argument("--sizes", type=int, default=len(SIZES), help="how many of the sizes, from the smallest on")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("participants  votes  items  studies  sign test  model, normal  model, Student  held")
    for size in SIZES[: options.sizes]:
        rng = np.random.default_rng([options.seed, *size])
        fitted, found = 0, np.zeros(4)
        for _ in range(options.studies):
            if options.shown == "four":
                choices = study_of_sets(rng, size, options)
                preferred = [choice.best for choice in choices]
                model = mixed_choices(choices, {item: item[0] for choice in choices for item in choice.items})
            else:
                votes = study(rng, size, options)
                preferred = [vote.preferred or "" for vote in votes]
                model = mixed_effects(votes, {name: name[0] for vote in votes for name in (vote.first, vote.second)})
            if model is None:
                continue
            fitted += 1
            wins = sum(item.startswith("a") for item in preferred)
            worth = model.differences[0]
            normal = abs(worth.estimate) > 1.96 * worth.error
            held = worth.interval[0] <= options.worth <= worth.interval[1]
            found += (sign_test(wins, len(preferred) - wins) < 0.05, normal, worth.p_value < 0.05, held)
        rates = "".join(f"{rate:>{width}.1%}" for rate, width in zip(found / fitted, (11, 15, 16, 6), strict=True))
        print(f"{size[0]:>12}{size[1]:>7}{size[2]:>7}{fitted:>9}{rates}", flush=True)


if __name__ == "__main__":
    main()
