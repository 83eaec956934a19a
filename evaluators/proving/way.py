"""The way to what must be reached, as part of the estimate of an exploration (`way_kernel`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import Record
from pcg.evaluators.agents.subgoals import Subgoals
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.proving.way_kernel import (
    FIRST_TARGET,
    HINDRANCE,
    MOST_GATES,
    MOST_TARGETS,
    SOLID,
    WAY,
    way_to_targets,
)

PRICE = 6
"""Ticks that it takes to get something out of the way."""
FAR = 40
"""Ticks to where there is no way at all, besides the columns and rows of the level."""


@dataclass(frozen=True)
class Way:
    """Kinds of sprites that make up ways of a game.

    Args:
        solid: types that are no way.
        hindrances: types that must be pushed, opened or removed first.
        targets: types to go to, each with the weight of the way to its nearest sprite.
        gates: types among the hindrances that go only where something else is brought to them, together with that.
    """

    solid: tuple[int, ...]
    hindrances: tuple[int, ...]
    targets: tuple[tuple[int, float], ...]
    gates: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()

    @classmethod
    def of(cls, analysis: GameAnalysis, weights: Sequence[float], with_gates: bool = False) -> Way | None:
        """Return the ways of a game, None where nothing is to be gone to.

        Args:
            analysis: of the game.
            weights: of the features of a state (`win_distance.distance_weights`).
            with_gates: whether the way of what must be brought to a gate counts.
        """
        wanted = [(t, weights[2 * t + 1]) for t in analysis.concrete if weights[2 * t + 1] > 0]
        targets = tuple(sorted(wanted, key=lambda pair: -pair[1])[:MOST_TARGETS])
        if not targets or analysis.mobility != "freely":
            return None
        subgoals = Subgoals(analysis.definition)
        blocking = {t for avatar in analysis.avatars for t in subgoals.blocking(avatar)}
        removable = {r.victim for r in analysis.removals}
        pushable = set(analysis.having("pushable"))
        solid = blocking - removable - pushable
        gates = _gates(analysis, blocking - solid - pushable) if with_gates else ()
        return cls(tuple(sorted(solid)), tuple(sorted((blocking | pushable) - solid)), targets, gates)

    def prepare(self, model: Model, decision: Record) -> None:
        """Let the estimate of a decision go by the way; what it is so far counts without the distances of targets."""
        columns, rows = model.size
        cells = columns * rows
        way = Record(
            WAY, columns=columns, rows=rows, price=PRICE, far=columns + rows + FAR, targets=len(self.targets),
            rest=decision["heuristic"], rest_field=decision["field"],
        )  # fmt: skip
        flags = np.zeros(len(model.categories), dtype=np.int8)
        flags[list(self.solid)] |= SOLID
        flags[list(self.hindrances)] |= HINDRANCE
        for k, (kind, _) in enumerate(self.targets):
            flags[kind] |= FIRST_TARGET << k
        way.point("flags", flags)
        way["gates"] = len(self.gates)
        gate_flags = way.point("gate_flags", np.zeros(len(model.categories), dtype=np.int8))
        for k, (barred, clearing) in enumerate(self.gates):
            gate_flags[list(barred)] |= 1 << 2 * k
            gate_flags[list(clearing)] |= 2 << 2 * k
        way.point("gate_marks", np.zeros(cells, dtype=np.int8))
        way.point("gate_ways", np.zeros(max(1, len(self.gates)) * cells, dtype=np.int32))
        way.point("marks", np.zeros(cells, dtype=np.int8))
        way.point("distance", np.zeros(cells, dtype=np.int32))
        way.point("queue", np.zeros(cells + 1, dtype=np.int32))
        way.point("queued", np.zeros(cells, dtype=np.int8))
        way.point("weights", np.array([weight for _, weight in self.targets], dtype=np.float64))
        kept = decision._kept.get("weights")
        assert isinstance(kept, np.ndarray)
        for kind, _ in self.targets:
            kept[2 * kind + 1] = 0.0
        rest = decision._kept.get("field")
        if isinstance(rest, Record):
            way.own("rest_field", rest)
        decision.own("field", way)
        decision["heuristic"] = way_to_targets.address


def _gates(analysis: GameAnalysis, barring: Iterable[int]) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Types that bar the way until things are brought there that the avatar pushes, grouped by these things."""
    made: dict[int, set[int]] = {}
    for s in analysis.sources:
        if s.partner in analysis.avatars:
            made.setdefault(s.product, set()).add(s.maker)
    groups: dict[tuple[int, ...], list[int]] = {}
    for t in sorted(barring):
        partners = {r.partner for r in analysis.removals if r.victim == t and r.partner is not None}
        # what a touch sets rolling stands there before
        partners |= {maker for p in partners for maker in made.get(p, ())}
        clearing = tuple(sorted(p for p in partners if p in analysis.moved))
        if clearing and not partners & {*analysis.avatars, *own_products(analysis)}:
            groups.setdefault(clearing, []).append(t)
    return tuple((tuple(barred), clearing) for clearing, barred in groups.items())[:MOST_GATES]


def own_products(analysis: GameAnalysis) -> set[int]:
    """Types that the avatar itself brings forth: what it shoots, and what it strikes with."""
    return {s.product for s in analysis.sources if s.maker in analysis.avatars and s.partner is None}
