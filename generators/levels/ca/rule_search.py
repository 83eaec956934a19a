"""Rules of automata found by evolution: the quality of the areas they make, and the search for good ones.

A rule is good when its areas have about the share of rock that is wanted, hang together, and have long ways through
them (Ashlock 2015; Pech, Hingston, Masek, Lam: Evolving cellular automata for maze generation, 2015).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from pcg.evaluators.level_grid import steps_over
from pcg.generators.levels import automata
from pcg.generators.levels.automata import Rock, Table

TRIAL = (18, 24)
"""Height and width of the areas rules are tried on."""
TRIALS = 2
STEPS = 8
"""Steps an evolved automaton takes, in trials and in levels."""
STATES = 4
"""States of a fashion automaton; which of them are rock is settled by the shares they come to."""


def terrain_quality(rock: Rock, share: float) -> float:
    """Return the quality of an area: 1 for the wanted share of rock, 1 for one open space, up to 1 for long ways."""
    labels, _ = ndimage.label(~rock)
    sizes = np.bincount(labels.ravel())[1:]
    if not sizes.size:
        return -1.0
    connected = float(sizes.max() / sizes.sum())
    space = labels == int(sizes.argmax()) + 1
    ways = min(1.0, _eccentricity(space) / (2.0 * sum(rock.shape)))
    return 1.0 - 4.0 * abs(float(rock.mean()) - share) + connected + ways


def _eccentricity(space: Rock) -> int:
    """Steps from the first cell of a space to the farthest."""
    y, x = np.argwhere(space)[0].tolist()
    return int(steps_over(space, space, (y, x)).max())


def evolve_table(rng: np.random.Generator, share: float) -> Table:
    """A table for areas with about `share` rock."""
    starts = rng.random((TRIALS, *TRIAL)) < 0.45

    def fitness(table: NDArray[np.bool_]) -> float:
        return float(np.mean([terrain_quality(rock, share) for rock in automata.run(starts, table, STEPS)]))

    def mutate(table: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
        flips = rng.random(table.shape) < 1.5 / table.size
        return table ^ flips

    return automata.evolve(rng, lambda r: r.random((2, 9)) < (np.arange(9) / 9.0), mutate, fitness)


def evolve_fashion(rng: np.random.Generator, share: float) -> NDArray[np.float64]:
    """Scores of a fashion automaton for areas with about `share` rock."""
    starts = rng.integers(0, STATES, (TRIALS, *TRIAL))

    def fitness(scores: NDArray[np.float64]) -> float:
        ends = [automata.fashion_automaton(start, scores, STEPS) for start in starts]
        return float(np.mean([terrain_quality(rock_states(end, share), share) for end in ends]))

    def mutate(scores: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        changed = np.where(rng.random(scores.shape) < 1.5 / scores.size, rng.random(scores.shape), scores)
        return changed

    return automata.evolve(rng, lambda r: r.random((STATES, STATES)), mutate, fitness, generations=4)


def rock_states(states: NDArray[np.int64], share: float) -> Rock:
    """The cells of those states that together come nearest to the wanted share."""
    shares = np.bincount(states.ravel(), minlength=STATES) / states.size
    subsets = [[s for s in range(STATES) if k >> s & 1] for k in range(1, (1 << STATES) - 1)]
    chosen = min(subsets, key=lambda group: (abs(float(shares[group].sum()) - share), len(group), group))
    return np.isin(states, chosen)
