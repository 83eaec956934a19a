"""Studies that never took place: participants with known hidden utilities, for piloting and for judging the analysis.

What is known to be true can be looked for: how many votes a study needs, whether intervals cover, which design learns
fastest. Every number follows from the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.davidson import Array, answer_probabilities
from pcg.evaluators.preferences.designs import Design, Tally
from pcg.evaluators.preferences.votes import FOUR_WAY, TWO_WAY, Vote


def tie_parameter(rate: float) -> float:
    """The tie parameter with which a pair of equally good items is a tie at this rate.

    >>> round(tie_parameter(0.5), 3)
    0.693
    """
    if not 0 < rate < 1:
        raise PcgError(f"the rate of ties is {rate}, expected a share above 0 and below 1")
    return float(np.log(2 * rate / (1 - rate)))


def hidden_utilities(items: int, spread: float, seed: int) -> Array:
    """Normal utilities with mean 0 and exactly this standard deviation, (items,).

    >>> round(float(hidden_utilities(12, 1.5, 1).std()), 6)
    1.5
    """
    drawn = np.random.default_rng([seed, 5]).normal(size=items)
    drawn -= drawn.mean()
    return np.asarray(drawn * (spread / drawn.std()))


@dataclass(frozen=True, eq=False)
class Population:
    """People who judge items.

    `parameters` are those of the model (`davidson.answer_probabilities`; without `tie` they never tie). `taste` is the
    standard deviation with which a participant's own utilities lie around those of all, `careless` the share of
    participants who answer at random.
    """

    items: tuple[str, ...]
    utilities: Array
    parameters: Mapping[str, float] = field(default_factory=dict)
    taste: float = 0.0
    careless: float = 0.0

    def participant(self, name: str, seed: int) -> Participant:
        """One of them; name and seed decide who."""
        rng = np.random.default_rng([seed, 6, *name.encode("utf-8")])
        own = self.utilities + self.taste * rng.normal(size=len(self.items)) if self.taste else self.utilities
        index = {item: k for k, item in enumerate(self.items)}
        return Participant(name, index, own, self.parameters, rng.random() < self.careless, rng)


@dataclass(eq=False)
class Participant:
    """Somebody who votes."""

    name: str
    index: Mapping[str, int]
    utilities: Array
    parameters: Mapping[str, float]
    careless: bool
    rng: np.random.Generator

    def vote(self, first: str, second: str, time: float = 0.0) -> Vote:
        """The answer to a pair."""
        i, j = self.index[first], self.index[second]
        if self.careless:
            answer = str(self.rng.choice(FOUR_WAY if "tie" in self.parameters else TWO_WAY))
        else:
            odds = answer_probabilities(float(self.utilities[i]), float(self.utilities[j]), self.parameters)
            chances = np.array([odds[name] for name in FOUR_WAY])
            answer = FOUR_WAY[int(self.rng.choice(4, p=chances / chances.sum()))]
        seconds = float(np.round(self.rng.lognormal(1.0 if self.careless else 3.7, 0.4), 1))
        return Vote(self.name, first, second, answer, time=time, seconds=seconds)


def simulate_study(
    population: Population,
    design: Design,
    participants: int,
    pairs: int,
    seed: int = 0,
    *,
    tally: Tally | None = None,
) -> list[Vote]:
    """Votes of participants one after another.

    Args:
        population: who is asked.
        design: chooses the pairs.
        participants: how many.
        pairs: for each.
        seed: of the answers.
        tally: filled with the votes, for the caller.
    """
    tally = tally if tally is not None else Tally(design.items)
    votes: list[Vote] = []
    for k in range(participants):
        somebody = population.participant(f"p{k:04d}", seed)
        asked = design.next_pairs(somebody.name, tally, pairs)
        own = [somebody.vote(first, second, 60.0 * (len(votes) + m)) for m, (first, second) in enumerate(asked)]
        tally.add(own)
        votes += own
    return votes


def item_names(count: int) -> tuple[str, ...]:
    """Names for simulated items, in order.

    >>> item_names(2)
    ('item01', 'item02')
    """
    width = max(2, len(str(count)))
    return tuple(f"item{k:0{width}d}" for k in range(1, count + 1))


def ranking_agreement(estimate: Sequence[float] | Array, truth: NDArray[np.float64]) -> float:
    """Kendall's tau between estimated and hidden utilities."""
    from pcg.evaluators.preferences.rankings import kendall

    return kendall(np.asarray(estimate, np.float64), truth)
