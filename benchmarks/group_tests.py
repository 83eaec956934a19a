"""False alarms of tests that compare two generators by people's votes, and what they find where something is.

    python benchmarks/group_tests.py --studies 150

Simulated people judge pairs of an item of each group. Items differ from their group, and people in their taste for a
group, by normal deviates (`--apart`, `--taste`, in log odds); the groups themselves differ by `--worth`. Counted are
studies in which a test says that the groups differ, at 5 %: the sign test of all votes (`preferences.shares`), and the
model with participants and items as random effects (`preferences.mixed`) with the normal and Student's distribution.
Without a difference (`--worth 0`) 5 in 100 should.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import expit

from pcg.evaluators.preferences.exact import sign_test
from pcg.evaluators.preferences.mixed import mixed_effects
from pcg.evaluators.preferences.votes import Vote

SIZES = ((20, 6, 4), (40, 8, 6), (60, 10, 10))
"""Participants, votes of each, items of each group."""


def study(rng: np.random.Generator, size: tuple[int, int, int], options: argparse.Namespace) -> list[Vote]:
    """Return the votes of a simulated study; items are named by group and number."""
    people, pairs, items = size
    own = rng.normal(0, options.apart, (2, items)) + np.array([[options.worth], [0.0]])
    tastes = rng.normal(0, options.taste, (people, 2))
    votes = []
    for person in range(people):
        for _ in range(pairs):
            item = rng.integers(items, size=2)
            odds = own[0, item[0]] - own[1, item[1]] + tastes[person, 0] - tastes[person, 1]
            names = f"a{item[0]}", f"b{item[1]}"
            swapped = bool(rng.random() < 0.5)
            for_a = bool(rng.random() < expit(odds))
            shown = names[::-1] if swapped else names
            votes.append(Vote(f"p{person}", *shown, "first" if for_a != swapped else "second"))
    return votes


def main() -> None:
    """Print a table with a row for each size of study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=150)
    parser.add_argument("--apart", type=float, default=0.5)
    parser.add_argument("--taste", type=float, default=0.5)
    parser.add_argument("--worth", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("participants  votes  items  studies  sign test  model, normal  model, Student")
    for size in SIZES:
        rng = np.random.default_rng([options.seed, *size])
        fitted, found = 0, np.zeros(3)
        for _ in range(options.studies):
            votes = study(rng, size, options)
            model = mixed_effects(votes, {name: name[0] for vote in votes for name in (vote.first, vote.second)})
            if model is None:
                continue
            fitted += 1
            wins = sum((vote.preferred or "").startswith("a") for vote in votes)
            worth = model.differences[0]
            normal = abs(worth.estimate) > 1.96 * worth.error
            found += (sign_test(wins, len(votes) - wins) < 0.05, normal, worth.p_value < 0.05)
        rates = "".join(f"{rate:>{width}.1%}" for rate, width in zip(found / fitted, (11, 15, 16), strict=True))
        print(f"{size[0]:>12}{size[1]:>7}{size[2]:>7}{fitted:>9}{rates}", flush=True)


if __name__ == "__main__":
    main()
