"""Genotypes of grammatical evolution: codons for the mission, for its space and for the details, and what changes them.

Codons are read as in O'Neill and Ryan (2001): each takes one choice of the derivation, and reading starts over when
all are used. The three parts are read one by one, so that a change in the mission leaves the choices of the space where
they are (the ripple of one-point crossover stays within a part).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.generators.levels.grammar.decisions import CODON

PARTS = ("size", "mission", "space", "details")
FIXED: Mapping[str, int] = {"size": 2, "details": 2}
"""Parts that have a fixed number of codons."""


@dataclass(frozen=True, slots=True)
class Genome:
    """One genotype. All codons are whole numbers in [0, CODON)."""

    size: tuple[int, ...]
    """Decides width and height."""
    mission: tuple[int, ...]
    space: tuple[int, ...]
    details: tuple[int, ...]
    """Key of the random numbers that place what the mission does not."""

    def to_json(self) -> dict[str, list[int]]:
        """As a JSON object."""
        return {part: list(getattr(self, part)) for part in PARTS}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Genome:
        """The inverse of `to_json`."""
        return cls(*(tuple(int(codon) for codon in data[part]) for part in PARTS))


def draw(rng: np.random.Generator, codons: int) -> Genome:
    """A genotype of random codons, `codons` of them for the mission and as many for the space."""
    return Genome(*(tuple(rng.integers(0, CODON, FIXED.get(part, codons)).tolist()) for part in PARTS))


def cross(a: Genome, b: Genome, rng: np.random.Generator, used: Mapping[str, int]) -> Genome:
    """A child of two genotypes: one-point crossover within the codons in use of mission and space; size and details
    each from one of the two.

    Args:
        a: gives the heads.
        b: gives the tails.
        rng: draws the points.
        used: part -> how many of the first parent's codons are read at all (a cut beyond changes nothing).
    """
    parts = []
    for part in PARTS:
        first, second = getattr(a, part), getattr(b, part)
        if part in FIXED:
            parts.append(first if rng.random() < 0.5 else second)
            continue
        reach = max(1, min(used.get(part, len(first)), len(first)))
        point = int(rng.integers(0, reach + 1))
        parts.append((*first[:point], *second[point:]))
    return Genome(*parts)


def mutate(genome: Genome, rng: np.random.Generator, changes: int, used: Mapping[str, int]) -> Genome:
    """A copy with one to `changes` codons drawn anew, each in a part drawn first: the mission or the space half of the
    time, else the details or (rarely) the size.
    """
    parts = {part: list(getattr(genome, part)) for part in PARTS}
    for _ in range(1 + int(rng.integers(changes))):
        part = PARTS[int(rng.choice(len(PARTS), p=(0.05, 0.3, 0.3, 0.35)))]
        codons = parts[part]
        reach = len(codons) if part in FIXED else max(1, min(used.get(part, len(codons)), len(codons)))
        codons[int(rng.integers(reach))] = int(rng.integers(CODON))
    return Genome(*(tuple(parts[part]) for part in PARTS))
