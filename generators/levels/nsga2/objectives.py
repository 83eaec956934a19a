"""Objectives of a search: measures with a direction each, as users write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.targets import known_names, sprites_of, target_value

OWN = ("fitness", "targets")
"""Objectives beside the metrics: the fitness, and the degree to which targets are met."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A measure that is to be large, or small."""

    name: str
    small: bool = False

    def value(self, evaluation: Evaluation, analysis: GameAnalysis, counts: Mapping[int, int]) -> float | None:
        """Return the value of a level, None when it was not measured.

        Args:
            evaluation: of the level.
            analysis: of the game.
            counts: the sprites the level starts with, by type.
        """
        if self.name == "fitness":
            return evaluation.fitness
        if self.name == "targets":
            return sum(evaluation.targets.values()) / len(evaluation.targets) if evaluation.targets else 1.0
        fired = evaluation.mechanics if evaluation.winner else None
        return target_value(self.name, analysis, evaluation.metrics, counts, fired)

    def __str__(self) -> str:
        return f"-{self.name}" if self.small else self.name


def parse_objectives(text: str, analysis: GameAnalysis, where: str) -> tuple[Objective, ...]:
    """Objectives from a text like ``solution_length, -density, symmetry``; a minus marks what is to be small.

    Names are those that targets can have: metrics, sprite types (their number at the start), mechanics; or `fitness`,
    or `targets` for how nearly all targets are met.

    Raises:
        PcgError: for unknown or repeated names, or an empty list.
    """
    found: list[Objective] = []
    for part in text.split(","):
        name = part.strip()
        small = name.startswith("-")
        name = name.lstrip("+-").strip()
        if not name:
            raise PcgError(f"{where} is {text!r}, expected names between commas, as in solution_length,-density")
        if name not in OWN:
            try:
                sprites_of(name, analysis)
            except PcgError:
                hint = did_you_mean(name, (*OWN, *known_names(analysis)))
                raise PcgError(f"{where} is {text!r}: `{name}` is no measure of this game{hint}") from None
        if any(name == other.name for other in found):
            raise PcgError(f"{where} is {text!r}: `{name}` occurs twice")
        found.append(Objective(name, small))
    return tuple(found)
