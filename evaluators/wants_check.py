"""Whether any level has the wanted numbers of sprites: a small integer program, and the reason when none has.

The unknowns are how many cells hold each tile. That is exact for what tiles create and for bounds on numbers; a need
("with doors go keys") holds only where its base stands, which is written with a yes-or-no unknown. The program is
solved by HiGHS (`scipy.optimize.milp`); a contradiction is narrowed down by leaving out one want after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.level_grid import palette
from pcg.evaluators.requirements import requirements
from pcg.evaluators.wants import Want

MOST = 100_000
"""More sprites of a kind than any level has."""

Counted = tuple[Want, frozenset[int]]


def contradiction(counted: Sequence[Counted], analysis: GameAnalysis, cells: int | None) -> str:
    """Why no level starts with sprites in the wanted numbers, or "".

    Args:
        counted: wants, each with the types whose sprites it counts.
        analysis: of the game.
        cells: most cells a level may have, None for any number.
    """
    for want, types in counted:
        if not types and want.low > 0:
            return f"want `{want}`: this game has no {want.name}"
    program = _Program(analysis, cells)
    if program.feasible(counted, rules=True):
        return ""
    by_rules = program.feasible(counted, rules=False)
    kept = list(counted)
    for one in list(counted):
        without = [c for c in kept if c is not one]
        if not program.feasible(without, rules=by_rules):
            kept = without
    names = " and ".join(f"`{want}`" for want, _ in kept)
    if by_rules:
        reasons = program.broken_by(kept)
        return f"want {names}: no level of this game can have that" + (f" ({reasons})" if reasons else "")
    if len(kept) == 1:
        want = kept[0][0]
        room = f", and a level has at most {cells} cells" if cells is not None else ""
        return f"want {names}: the characters of the game's levels cannot make that number of {want.name}{room}"
    return f"wants {names} contradict each other: no numbers of sprites meet them together"


class _Program:
    """The integer program of one game. Unknowns: cells with each tile, then for each need whether its base stands."""

    def __init__(self, analysis: GameAnalysis, cells: int | None) -> None:
        self.palette = palette(analysis)
        self.required = requirements(analysis)
        self.cells = cells
        self.tiles = len(self.palette.tiles)
        self.width = self.tiles + len(self.required.needs)

    def feasible(self, counted: Sequence[Counted], *, rules: bool) -> bool:
        """Whether some level meets the wants, and what the rules require of every level."""
        rows = [(self._number(types), want.low, want.high) for want, types in counted]
        if rules:
            rows += self._rules()
        return self._solve(rows)

    def broken_by(self, counted: Sequence[Counted]) -> str:
        """The first rule that alone excludes the wants, as text."""
        wanted = [(self._number(types), want.low, want.high) for want, types in counted]
        for rule in self.required.counts:
            if not self._solve([*wanted, self._bounds(rule.types, rule.minimum, rule.maximum)]):
                return rule.reason
        return "; ".join(need.reason for need in self.required.needs if any(need.base in t or need.other in t
                                                                            for _, t in counted))  # fmt: skip

    def _number(self, types: frozenset[int] | tuple[int, ...]) -> Any:
        row = np.zeros(self.width)
        row[: self.tiles] = self.palette.type_counts[:, sorted(types)].sum(axis=1)
        return row

    def _bounds(self, types: tuple[int, ...], low: int, high: int | None) -> tuple[Any, float, float]:
        return self._number(types), float(low), np.inf if high is None else float(high)

    def _rules(self) -> list[tuple[Any, float, float]]:
        rows = [self._bounds(rule.types, rule.minimum, rule.maximum) for rule in self.required.counts]
        for k, need in enumerate(self.required.needs):
            base, other = self._number((need.base,)), self._number((need.other,))
            stands = np.zeros(self.width)
            stands[self.tiles + k] = 1.0
            rows.append((base - MOST * stands, -np.inf, 0.0))
            # other >= first + (base - 1) * each where the base stands; without it base and the rest are 0
            rows.append((other - need.each * base - (need.first - need.each) * stands, 0.0, np.inf))
        return rows

    def _solve(self, rows: Sequence[tuple[Any, float, float]]) -> bool:
        from scipy.optimize import Bounds, LinearConstraint, milp

        most = np.full(self.width, float(MOST))
        most[self.tiles :] = 1.0
        rows = list(rows)
        if self.cells is not None:
            every = np.zeros(self.width)
            every[: self.tiles] = 1.0
            rows.append((every, 0.0, float(self.cells)))
        matrix, low, high = (np.array(part) for part in zip(*rows, strict=True)) if rows else (None, None, None)
        constraints = () if matrix is None else LinearConstraint(matrix, low, high)
        found = milp(np.zeros(self.width), constraints=constraints, integrality=np.ones(self.width),
                     bounds=Bounds(0.0, most))  # fmt: skip
        return bool(found.status != 2)  # 2: proved infeasible
