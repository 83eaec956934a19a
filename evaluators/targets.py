"""Targets: bounds on numbers of a level, as in `solution_length=40..60, enemies=3, symmetry>=0.8`.

A target bounds a metric of the registry, how many sprites of a type (or of a branch of the sprite tree) the level
starts with, or whether a rule of the game takes effect in the winning play (`mechanics`). It tells how nearly a value
comes; what becomes of that is for a fitness function. Texts are read by `target_parsing`, contradictions found by
`target_feasibility`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.mechanics import MECHANIC, mechanics
from pcg.evaluators.metrics.registry import METRICS

SPRITE = "sprite."
"""Written before the name of a sprite type that is a metric's name as well."""

GROUPS = ("enemies", "goals", "collectables", "walls")
"""Metrics that are numbers of sprites at the start of the level."""


@dataclass(frozen=True, slots=True)
class Target:
    """A value wanted to lie in [`low`, `high`]; infinite bounds are none.

    >>> Target("solution_length", 40, 60).satisfaction(50)
    1.0
    >>> Target("solution_length", 40, 60).satisfaction(90)
    0.5
    >>> str(Target("symmetry", 0.8, float("inf")))
    'symmetry>=0.8'
    """

    name: str
    low: float
    high: float

    def satisfaction(self, value: float | None) -> float:
        """The satisfaction by `value`, in [0, 1]: 1 inside the bounds, falling with the distance from them.

        It is one half at a distance of half the nearer bound (of 1 from a bound of 0); 0 for a value that is not known.
        """
        if value is None or value != value:
            return 0.0
        distance = max(self.low - value, value - self.high, 0.0)
        if distance == 0.0:
            return 1.0
        bound = abs(self.low if value < self.low else self.high)
        # never quite 1, however near a large bound
        return min(1.0 / (1.0 + distance / (0.5 * bound or 1.0)), 1.0 - 1e-9)

    def achieved(self, value: float | None) -> bool:
        """Return True when `value` lies within the bounds."""
        return self.satisfaction(value) >= 1.0

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.name}={number_text(self.low)}"
        if math.isinf(self.high):
            return f"{self.name}>={number_text(self.low)}"
        if math.isinf(self.low):
            return f"{self.name}<={number_text(self.high)}"
        return f"{self.name}={number_text(self.low)}..{number_text(self.high)}"


def known_names(analysis: GameAnalysis) -> tuple[str, ...]:
    """Every name a target can have in a game: metrics, sprite types, mechanics."""
    types = [t.name for t in analysis.definition.types if types_in_levels(t.id, analysis) or t.id in analysis.concrete]
    sprites = [f"{SPRITE}{name}" if name in METRICS else name for name in types]
    return (*METRICS, *sprites, *(m.name for m in mechanics(analysis.definition)))


def sprites_of(name: str, analysis: GameAnalysis) -> frozenset[int] | None:
    """The types whose sprites at the start of a level a name counts; None for a name that counts no sprites.

    Raises:
        PcgError: for an unknown name.
    """
    if name in GROUPS:
        return group(name, analysis)
    if name in METRICS:
        return None
    if name.startswith(MECHANIC) and any(m.name == name for m in mechanics(analysis.definition)):
        return None
    of_game = analysis.definition.type_index.get(name.removeprefix(SPRITE))
    if of_game is None:
        hint = did_you_mean(name, known_names(analysis), "; `pcg metrics GAME` lists what can be a target")
        raise PcgError(f"there is no metric and no sprite `{name}`{hint}")
    return types_in_levels(of_game, analysis) or frozenset((of_game,))


def group(name: str, analysis: GameAnalysis) -> frozenset[int]:
    """The types of a group of `GROUPS`."""
    others = [t for t in analysis.concrete if not analysis.has(t, "avatar")]
    if name == "enemies":
        return frozenset(t for t in others if analysis.has(t, "harmful") and not analysis.has(t, "hazard"))
    role = {"goals": "goal", "collectables": "collectable", "walls": "wall"}[name]
    return frozenset(t for t in others if analysis.has(t, role))


def types_in_levels(type_id: int, analysis: GameAnalysis) -> frozenset[int]:
    """The types under a type that a level can start with."""
    placed = {t for tile in analysis.tiles for t in tile.types}
    return frozenset(t for t in placed if type_id in analysis.definition.types[t].path)


def target_value(
    name: str,
    analysis: GameAnalysis,
    metrics: Mapping[str, float],
    counts: Mapping[int, int] | None,
    fired: Iterable[str] | None,
) -> float | None:
    """The value of what a target names, None when it is not known.

    Args:
        name: of the target.
        analysis: of the game.
        metrics: what was measured.
        counts: sprites of each type at the start of the level, None when its text cannot be read.
        fired: names of the mechanics of the winning play, None without one.
    """
    if name in METRICS:
        return metrics.get(name)
    if name.startswith(MECHANIC):
        return None if fired is None else float(name in fired)
    types = sprites_of(name, analysis)
    return None if counts is None or types is None else sum(counts.get(t, 0) for t in types)


@dataclass(frozen=True, slots=True)
class TargetTally:
    """The number of levels that achieve a target."""

    target: Target
    achieved: int
    of: int


def tally_targets(targets: Sequence[Target], satisfactions: Sequence[Mapping[str, float]]) -> list[TargetTally]:
    """Count the levels that achieve each target.

    Args:
        targets: what was wanted.
        satisfactions: for each level, by the name of the target (`Evaluation.targets`).
    """
    return [
        TargetTally(target, sum(found.get(target.name, 0.0) >= 1.0 for found in satisfactions), len(satisfactions))
        for target in targets
    ]


def all_achieved(satisfactions: Mapping[str, float]) -> bool:
    """Return True when a level achieves everything that was wanted of it."""
    return all(value >= 1.0 for value in satisfactions.values())


def is_whole(name: str) -> bool:
    """True for a name whose values are whole numbers: counts, mechanics and some metrics."""
    metric = METRICS.get(name)
    return metric.whole if metric is not None else True


def number_text(value: float) -> str:
    return f"{value:.10g}"
