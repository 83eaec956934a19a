"""The form of every judgement: named parts in [0, 1], a sentence for each, and their weighted value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """One aspect of a judgement.

    Args:
        name: of the aspect, as in "composition".
        value: from 0 (as bad as can be) to 1.
        sentence: about this level or game, for a designer.
        weight: share in the value of the judgement, at least 0.
        source: paper or section that describes the measure; "" where it is the toolkit's own.
    """

    name: str
    value: float
    sentence: str
    weight: float = 1.0
    source: str = ""


@dataclass(frozen=True)
class Judgement:
    """Verdict of a judge on a level or a game.

    Args:
        feasible: whether it meets all constraints.
        value: from 0 to 1; 0 where it is not feasible.
        parts: aspects that the value is made of, in the judge's order.
        problem: the first constraint that is not met, as a sentence; "" where it is feasible.

    Example:
        >>> Judgement(True, 0.8, (Part("length", 0.8, "It takes 40 moves."),)).as_dict()["parts"]
        {'length': {'value': 0.8, 'weight': 1.0, 'sentence': 'It takes 40 moves.'}}
    """

    feasible: bool
    value: float
    parts: tuple[Part, ...]
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON object: `feasible`, `value`, `problem`, and `parts` by name."""
        parts: Mapping[str, Any] = {
            part.name: {"value": part.value, "weight": part.weight, "sentence": part.sentence} for part in self.parts
        }
        return {"feasible": self.feasible, "value": self.value, "problem": self.problem, "parts": parts}
