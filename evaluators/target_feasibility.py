"""A check of targets: a small integer program that no level can satisfy proves that they contradict each other.

The unknowns are how many cells hold each tile. That is exact for what tiles create and for bounds on numbers; a need
("with doors go keys") holds only where its base stands, which is written with a yes-or-no unknown. Shares of the cells
(density) bound the tiles from both sides, weakly enough to be true of every level that has them. The program is solved
by HiGHS (`scipy.optimize.milp`); a contradiction is narrowed down by leaving out one target after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.level_grid import BLOCKED, PUSH, palette
from pcg.evaluators.mechanics import MECHANIC, mechanics
from pcg.evaluators.metric_bounds import exclusion
from pcg.evaluators.metrics.registry import METRICS
from pcg.evaluators.metrics.text import PER_ROOM, may_fill
from pcg.evaluators.requirements import requirements
from pcg.evaluators.targets import Target, group, is_whole, number_text, sprites_of

MOST = 100_000
"""More sprites of a kind than any level has."""
SHARES = ("density", "cover", "leniency")
"""Metrics that are shares of a level's cells, for which the program has rows."""
_SLACK = 1e-6
_INFEASIBLE = 2
"""Status of a program that is proved to have no solution."""
_SECONDS = 2.0
"""Given up after so long: what is not proved contradictory is allowed."""

Counted = tuple[Target, frozenset[int]]
Row = tuple[Any, float, float]
"""A linear function of the unknowns, and its bounds."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bounds on the size of levels: widths and heights from the least to the greatest, in cells."""

    widths: tuple[float, float] = (1, math.inf)
    heights: tuple[float, float] = (1, math.inf)
    cells: float = math.inf

    def wanted(self, targets: Sequence[Target]) -> Sizes:
        """The sizes that targets leave."""
        sides = {"width": self.widths, "height": self.heights}
        for target in targets:
            if target.name in sides:
                low, high = sides[target.name]
                sides[target.name] = (max(low, math.ceil(target.low) if target.low > 1 else 1), min(high, target.high))
        return Sizes(sides["width"], sides["height"], self.cells)

    @property
    def least(self) -> float:
        """Fewest cells."""
        return self.widths[0] * self.heights[0]

    @property
    def most(self) -> float:
        """Most cells."""
        return min(self.cells, self.widths[1] * self.heights[1])

    @property
    def frame(self) -> float:
        """Most cells of a frame around a level."""
        return min(self.most, max(0, 2 * (self.widths[1] + self.heights[1]) - 4))

    def __str__(self) -> str:
        sides = [f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in (self.widths, self.heights)]
        if math.isinf(self.widths[1]) or math.isinf(self.heights[1]):
            return f"at most {self.cells:g} cells"
        return " by ".join(sides) + " cells"


def check_targets(
    targets: Sequence[Target],
    analysis: GameAnalysis,
    cells: int | None = None,
    *,
    widths: tuple[int, int] | None = None,
    heights: tuple[int, int] | None = None,
) -> None:
    """Refuse targets that no level of the game can meet.

    Looked at are the ranges of the metrics; metrics that bound each other (`mechanics` and `mechanics_share`,
    symmetries, danger and the length of the play); and, together, sizes, numbers of sprites, density, cover and
    leniency: which tiles there are and what each creates, what an ending forbids at the start, what goes with what (a
    door with its key), how many cells there are to put it all, and how many ticks it takes to go to as many of them as
    is wanted. What is refused cannot be; not everything that cannot be is refused.

    Args:
        targets: of one game.
        analysis: of the game.
        cells: most cells that a level may have, None for any number.
        widths: least and greatest width of levels, whatever is wanted; None for any.
        heights: the same of their heights.

    Raises:
        PcgError: naming as few targets as contradict each other or the rules.
    """
    seen: dict[str, Target] = {}
    for target in targets:
        if target.low > target.high:
            raise PcgError(
                f"target `{target.name}`: {number_text(target.low)}..{number_text(target.high)} is an empty range"
            )
        earlier = seen.setdefault(target.name, target)
        if max(target.low, earlier.low) > min(target.high, earlier.high):
            raise PcgError(f"targets `{earlier}` and `{target}` contradict each other: no value is in both")
        metric = METRICS.get(target.name)
        low = metric.low if metric is not None else 0.0
        high = metric.high if metric is not None else 1.0 if target.name.startswith(MECHANIC) else None
        if is_whole(target.name) and math.isfinite(target.low) and math.ceil(target.low) > target.high:
            raise PcgError(f"target `{target}`: {target.name} is a whole number, and there is none in that range")
        if target.high < low or (high is not None and target.low > high):
            between = f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
            raise PcgError(f"target `{target}`: {target.name} is {between}")
    reason = exclusion(targets, len(mechanics(analysis.definition)))
    counted = [(target, types) for target in targets if (types := sprites_of(target.name, analysis)) is not None]
    if not reason and (
        counted or any(target.name in ("density", "cover", "leniency", "coverage") for target in targets)
    ):
        size = Sizes(widths or (1, math.inf), heights or (1, math.inf), math.inf if cells is None else cells)
        reason = contradiction(targets, counted, analysis, size)
    if reason:
        raise PcgError(reason)


def contradiction(targets: Sequence[Target], counted: Sequence[Counted], analysis: GameAnalysis, sizes: Sizes) -> str:
    """The reason why no level meets all targets, by the sprites that it starts with and the cells it has, or "".

    Args:
        targets: all that is wanted.
        counted: those that count sprites, each with the types that it counts.
        analysis: of the game.
        sizes: of levels, whatever is wanted.
    """
    for target, types in counted:
        if not types and target.low > 0:
            return f"target `{target}`: this game has no {target.name}"
    of = {target.name: types for target, types in counted}
    known: list[Counted] = [
        (target, of.get(target.name, frozenset()))
        for target in targets
        if target.name in of or target.name in SHARES or target.name in ("width", "height")
    ]
    program = _Program(analysis, sizes)
    if program.feasible(known, rules=True):
        return _too_short(targets, known, program)
    by_rules = program.feasible(known, rules=False)
    kept = _narrowed(known, lambda some: not program.feasible(some, rules=by_rules))
    names = " and ".join(f"`{target}`" for target, _ in kept)
    if by_rules:
        reasons = program.broken_by(kept)
        return f"target {names}: no level of this game can have that" + (f" ({reasons})" if reasons else "")
    if len(kept) == 1 and kept[0][0].name in of:
        target = kept[0][0]
        room = f", and a level has {_room(sizes)}" if not math.isinf(sizes.most) else ""
        return f"target {names}: the characters of the game's levels cannot make that number of {target.name}{room}"
    if len(kept) == 1:
        return f"target {names}: no level has that" + (f" in {sizes}" if not math.isinf(sizes.most) else "")
    if all(target.name in of for target, _ in kept):
        room = "" if math.isinf(sizes.most) or Sizes() == sizes else f" in {_room(sizes)}"
        return f"targets {names} contradict each other: no numbers of sprites meet them together{room}"
    room = f" of {sizes}" if not math.isinf(sizes.most) else ""
    return f"targets {names} contradict each other: no level{room} has room for them together"


def _room(sizes: Sizes) -> str:
    return f"at most {sizes.most:g} cells"


def _narrowed(targets: Sequence[Counted], excluded: Callable[[Sequence[Counted]], bool]) -> list[Counted]:
    """Leave out what a contradiction does not need."""
    kept = list(targets)
    for one in list(targets):
        without = [c for c in kept if c is not one]
        if excluded(without):
            kept = without
    return kept


def _too_short(targets: Sequence[Target], known: Sequence[Counted], program: _Program) -> str:
    """The reason why no play is short enough to go to as many cells as is wanted, or "".

    An avatar is found on one cell after each tick, so `coverage` of what is `reachable` of the cells to walk on takes
    at least as many ticks, less one, as these are cells.
    """
    named = {target.name: target for target in targets}
    length, visited, reached = (named.get(name) for name in ("solution_length", "coverage", "reachable"))
    if length is None or visited is None or reached is None or math.isinf(length.high):
        return ""
    if program.analysis.mobility != "freely" or visited.low <= 0 or reached.low <= 0:
        return ""

    def ticks(some: Sequence[Counted]) -> float:
        return visited.low * reached.low * program.least_to_walk_on(some) - 1

    if ticks(known) <= length.high + _SLACK:
        return ""
    kept = _narrowed(known, lambda some: ticks(some) > length.high + _SLACK)
    names = " and ".join(f"`{target}`" for target in (length, visited, reached, *(target for target, _ in kept)))
    room = f" of {program.sizes}" if not math.isinf(program.sizes.most) else ""
    return f"targets {names} contradict each other: in levels{room} that takes at least {math.ceil(ticks(kept))} ticks"


class _Program:
    """The integer program of one game.

    Unknowns: cells with each tile; for each need whether its base stands; the cells of the frame, and how many of them
    are solid, and bare. Shares are of the cells inside the frame, and how much of a level is frame is left open.
    """

    def __init__(self, analysis: GameAnalysis, sizes: Sizes) -> None:
        self.analysis = analysis
        self.palette = palette(analysis)
        self.required = requirements(analysis)
        self.sizes = sizes
        self.tiles = len(self.palette.tiles)
        self.frame = self.tiles + len(self.required.all_needs)
        self.frame_solid, self.frame_bare = self.frame + 1, self.frame + 2
        self.width = self.frame + 3

    def feasible(self, wanted: Sequence[Counted], *, rules: bool) -> bool:
        """Return True when some level may meet the targets, and what the rules require of every level."""
        found = self._solve(self._wanted(wanted) + (self._rules() if rules else []), self._sizes(wanted))
        return bool(found.status != _INFEASIBLE)

    def least_to_walk_on(self, wanted: Sequence[Counted]) -> float:
        """Fewest cells to walk on of a level that meets the targets; 0 when that is not known."""
        goal = np.zeros(self.width)
        goal[: self.tiles] = self.palette.access <= PUSH
        found = self._solve(self._wanted(wanted), self._sizes(wanted), goal)
        bound = getattr(found, "mip_dual_bound", None)
        return max(0.0, float(bound)) if bound is not None and math.isfinite(bound) else 0.0

    def broken_by(self, wanted: Sequence[Counted]) -> str:
        """The first rule that alone excludes the targets, as text."""
        rows, sizes = self._wanted(wanted), self._sizes(wanted)
        for rule in self.required.counts:
            found = self._solve([*rows, self._bounds(rule.types, rule.minimum, rule.maximum)], sizes)
            if found.status == _INFEASIBLE:
                return rule.reason
        if not all(types for _, types in wanted):
            return ""  # not the numbers alone
        return "; ".join(need.reason for need in self.required.all_needs if any(need.base in t or need.other in t
                                                                            for _, t in wanted))  # fmt: skip

    def _sizes(self, wanted: Sequence[Counted]) -> Sizes:
        return self.sizes.wanted([target for target, _ in wanted])

    def _wanted(self, wanted: Sequence[Counted]) -> list[Row]:
        rows: list[Row] = []
        for target, types in wanted:
            if target.name in SHARES:
                rows += self._share(target)
            elif target.name not in ("width", "height"):
                rows.append((self._number(types), target.low, target.high))
        return rows

    def _share(self, target: Target) -> list[Row]:
        """Rows for a bound on a share of the cells; never more than is true of every level that has it."""
        low, high = max(0.0, target.low), min(1.0, target.high)
        access = self.palette.access
        if target.name == "leniency":  # 2 ^ (-10 dangers / cells to walk on)
            dangers = self._number(group("enemies", self.analysis))
            hazards = frozenset(t for t in self.analysis.concrete if self.analysis.has(t, "hazard"))
            dangers = dangers + 0.5 * self._number(hazards)
            room = self._cells_where(access <= PUSH)
            rows: list[Row] = []
            if low > 0:
                most = -math.log2(low) / PER_ROOM
                rows.append((dangers - most * room, -np.inf, most + _SLACK))  # one cell at least counts as room
            if high < 1:
                least = -math.log2(high) / PER_ROOM if high > 0 else MOST
                rows.append((dangers - least * room, -_SLACK, np.inf))
            return rows
        inside = self._cells_where(np.ones(self.tiles, bool))
        inside[self.frame] = -1.0
        if target.name == "density":
            solid = self._cells_where(access == BLOCKED)
            solid[self.frame_solid] = -1.0
            return [(solid - low * inside, -_SLACK, np.inf), (solid - high * inside, -np.inf, _SLACK)]
        bare = np.zeros(self.tiles, bool)
        bare[list(self.palette.grounds)] = True
        never = self._cells_where(bare)
        never[self.frame_bare] = -1.0
        perhaps = self._cells_where(bare | may_fill(self.palette))
        return [
            (never - (1.0 - low) * inside, -np.inf, _SLACK),
            (perhaps - (1.0 - high) * inside, -_SLACK, np.inf),
        ]

    def _cells_where(self, which: Any) -> Any:
        row = np.zeros(self.width)
        row[: self.tiles] = which
        return row

    def _number(self, types: frozenset[int] | tuple[int, ...]) -> Any:
        row = np.zeros(self.width)
        row[: self.tiles] = self.palette.type_counts[:, sorted(types)].sum(axis=1)
        return row

    def _bounds(self, types: tuple[int, ...], low: int, high: int | None) -> Row:
        return self._number(types), float(low), np.inf if high is None else float(high)

    def _rules(self) -> list[Row]:
        rows = [self._bounds(rule.types, rule.minimum, rule.maximum) for rule in self.required.counts]
        for k, need in enumerate(self.required.all_needs):
            base, other = self._number((need.base,)), self._number((need.other,))
            stands = np.zeros(self.width)
            stands[self.tiles + k] = 1.0
            rows.append((base - MOST * stands, -np.inf, 0.0))
            # other >= first + (base - 1) * each where the base stands; without it base and the rest are 0
            rows.append((other - need.each * base - (need.first - need.each) * stands, 0.0, np.inf))
        return rows

    def _solve(self, rows: Sequence[Row], sizes: Sizes, goal: Any = None) -> Any:
        from scipy.optimize import Bounds, LinearConstraint, milp

        most = np.full(self.width, float(MOST))
        most[self.tiles : self.frame] = 1.0
        most[self.frame :] = min(float(MOST), sizes.frame)
        every = self._cells_where(np.ones(self.tiles, bool))
        rows = [*rows, (every, float(min(sizes.least, MOST)), sizes.most)]
        for part in (self.frame_solid, self.frame_bare):  # of the frame no more is solid, or bare, than there is
            of_frame = np.zeros(self.width)
            of_frame[[part, self.frame]] = 1.0, -1.0
            rows.append((of_frame, -np.inf, 0.0))
        inner = self._cells_where(self.palette.access == BLOCKED)
        inner[self.frame_solid] = -1.0
        rows.append((inner, 0.0, np.inf))
        matrix, low, high = (np.array(part) for part in zip(*rows, strict=True))
        return milp(np.zeros(self.width) if goal is None else goal, constraints=LinearConstraint(matrix, low, high),
                    integrality=np.ones(self.width), bounds=Bounds(0.0, most),
                    options={"time_limit": _SECONDS})  # fmt: skip
