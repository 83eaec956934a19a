"""Cellular automata over whole arrays: rock against open ground with rules by the number of neighbours, and fashion
automata with any number of states.

Cells look at their eight neighbours. Beyond the edge an area goes on as at its edge: with rock all round, areas as
small as most levels would grow over.

Johnson, Yannakakis, Togelius: Cellular automata for real-time generation of infinite cave levels (2010); Gardner and
Conway for rules written B3/S23; Ashlock: Evolvable fashion-based cellular automata for generating cavern systems
(2015).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcg.engine.vgdl.diagnostics import PcgError

Rock = NDArray[np.bool_]
Table = NDArray[np.bool_]
"""Shape (2, 9): whether a cell that is open (row 0) or rock (row 1) is rock after a step, by its number of rock
neighbours."""
States = NDArray[np.int64]

RULES: Mapping[str, tuple[str, float, int]] = {
    "majority": ("B5678/S45678", 0.45, 4),
    "anneal": ("B4678/S35678", 0.47, 12),
    "coral": ("B3/S45678", 0.45, 12),
    "cities": ("B45678/S2345", 0.42, 12),
    "mazes": ("B3/S12345", 0.08, 40),
    "corridors": ("B3/S1234", 0.08, 40),
}
"""Well-known rules by what they make: the rule, the share of rock to start with, and the steps it takes."""

_NOTATION = re.compile(r"B([0-8]*)/S([0-8]*)", re.IGNORECASE)


def parse_rule(text: str) -> Table:
    """The table of a rule: with B3/S23 open cells become rock with 3 rock neighbours, and rock stays with 2 or 3.

    Raises:
        PcgError: when the text is no such rule.

    >>> parse_rule("B3/S23")[:, 3].tolist()
    [True, True]
    """
    found = _NOTATION.fullmatch(text.strip())
    if found is None:
        raise PcgError(f"rule {text!r}: expected digits from 0 to 8 as in B3/S23, births before the stroke")
    table = np.zeros((2, 9), bool)
    for row, digits in enumerate(found.groups()):
        table[row, [int(d) for d in digits]] = True
    return table


def threshold_rule(birth: int, survival: int) -> Table:
    """Open cells become rock with at least `birth` rock neighbours, rock stays with at least `survival`."""
    numbers = np.arange(9)
    return np.stack([numbers >= birth, numbers >= survival])


def parse_table(text: str) -> Table:
    """A table written as 18 digits 0 or 1: first for open cells with 0 to 8 rock neighbours, then for rock.

    Raises:
        PcgError: when the text is anything else.
    """
    digits = text.replace(" ", "")
    if len(digits) != 18 or set(digits) - {"0", "1"}:
        raise PcgError(f"table {text!r}: expected 18 digits 0 or 1, nine for open cells and nine for rock")
    return np.array([d == "1" for d in digits]).reshape(2, 9)


def neighbours(rock: Rock) -> NDArray[np.int8]:
    """Return the number of rock cells among the eight around each cell, on the last two axes."""
    height, width = rock.shape[-2:]
    padded = np.pad(rock, [(0, 0)] * (rock.ndim - 2) + [(1, 1), (1, 1)], mode="edge").view(np.int8)
    rows = padded[..., :height, :] + padded[..., 1 : height + 1, :] + padded[..., 2:, :]
    total: NDArray[np.int8] = rows[..., :width] + rows[..., 1 : width + 1] + rows[..., 2:]
    return total - rock.view(np.int8)


def run(rock: Rock, table: Table, steps: int) -> Rock:
    """The rock after so many steps, or earlier if nothing changes any more; several areas at once work as well."""
    flat = table.ravel()
    for _ in range(steps):
        after = flat[neighbours(rock) + 9 * rock.view(np.int8)]
        if np.array_equal(after, rock):
            break
        rock = after
    return rock


def caves(
    rng: np.random.Generator, shape: tuple[int, int], density: float, steps: int, birth: int, survival: int
) -> Rock:
    """Smoothed noise of about the wanted density: the best of four attempts."""
    rock = run(rng.random((4, *shape)) < 0.3 + 0.4 * density, threshold_rule(birth, survival), steps)
    best: Rock = rock[int(np.abs(rock.mean(axis=(1, 2)) - density).argmin())]
    return best


def fashion_automaton(states: States, scores: NDArray[np.float64], steps: int) -> States:
    """A fashion automaton: every cell takes on the state of the most successful cell around it, itself included.

    Args:
        states: shape (height, width), 0 to n - 1.
        scores: shape (n, n); `scores[a, b]` is what a cell in state a gains from a neighbour in state b.
        steps: how often all cells follow the fashion.
    """
    height, width = states.shape
    for _ in range(steps):
        around = np.pad(states, 1, mode="edge")
        success = np.zeros(states.shape)
        for dy in range(3):
            for dx in range(3):
                if (dy, dx) != (1, 1):
                    success += scores[states, around[dy : dy + height, dx : dx + width]]
        near = np.pad(success, 1, mode="edge")
        best, after = success, states
        for dy in range(3):
            for dx in range(3):
                other = near[dy : dy + height, dx : dx + width]
                better = other > best
                best = np.where(better, other, best)
                after = np.where(better, around[dy : dy + height, dx : dx + width], after)
        if np.array_equal(after, states):
            break
        states = after
    return states


def evolve(
    rng: np.random.Generator, draw: Callable[[np.random.Generator], NDArray[Any]],
    mutate: Callable[[NDArray[Any], np.random.Generator], NDArray[Any]], fitness: Callable[[NDArray[Any]], float],
    *, generations: int = 12, offspring: int = 6,
) -> NDArray[Any]:  # fmt: skip
    """A rule evolved by a (1 + offspring) evolution strategy from the best of a first dozen.

    Args:
        rng: decides everything.
        draw: a random rule.
        mutate: returns a changed copy of a rule.
        fitness: returns how good a rule is.
        generations: how often the best one so far has offspring.
        offspring: how many each time.
    """
    parents = [draw(rng) for _ in range(12)]
    values = [fitness(p) for p in parents]
    best, value = parents[int(np.argmax(values))], max(values)
    for _ in range(generations):
        for _ in range(offspring):
            child = mutate(best, rng)
            achieved = fitness(child)
            if achieved >= value:
                best, value = child, achieved
    return best
