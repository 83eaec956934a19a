"""Constraints on levels, gathered from parameters and targets, and posed to the solver as a problem.

The same aims serve a level made from nothing, the repair of a given one and the completion of a partial one; they
differ in which tiles may stand where, and in what is tried first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.parameters import Parameter
from pcg.evaluators.targets import Target, sprites_of
from pcg.generators.levels.asp.problem import MOST_WORK, SYMMETRIES, Problem
from pcg.generators.levels.context import LevelContext
from pcg.generators.levels.object_placement import KEEP_AWAY

SYMMETRY_TARGETS: Mapping[str, tuple[str, ...]] = {
    "symmetry_horizontal": ("horizontal",),
    "symmetry_vertical": ("vertical",),
    "symmetry_both": ("horizontal", "vertical", "rotational"),
    "symmetry": ("horizontal",),
}
"""Metric -> the mirror images it is about; of two the solver takes the first."""

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("max_moves", 0, "the level can be won in at most so many moves; 0: not asked for", 0, 500, "moves"),
    Parameter("min_moves", 0, "... and not in fewer than so many (with max_moves)", 0, 500, "moves"),
    Parameter("min_path", 0, "every goal is at least so many steps from the avatar", 0, 500, "steps"),
    Parameter("max_path", 0, "every goal is at most so many steps from the avatar; 0: not asked for", 0, 500, "steps"),
    Parameter("symmetry", "none", "how walls are mirrored", choices=tuple(SYMMETRIES)),
    Parameter("pockets", False, "whether cells may be closed off from the avatar"),
    Parameter("keys_first", True, "whether what opens a door must lie before it"),
    Parameter("seconds", 30.0, "give up a level after this time", 0.1, 3600.0, "seconds"),
    Parameter("conflicts", 2_000_000, "give up a level after so many dead ends; the same on every machine", 100, 10**9),
)
"""Parameters of everything that solves for levels."""


@dataclass(frozen=True)
class LevelConstraints:
    """Constraints on a level. Moves of (0, 0) and steps of (0, None) ask for nothing."""

    moves: tuple[int, int] = (0, 0)
    path: tuple[int, int | None] = (0, None)
    symmetry: str = "none"
    pockets: bool = False
    keys_first: bool = True
    targets: tuple[Target, ...] = ()
    moves_text: str = ""
    """In which words the bound on moves was asked for."""
    must_plan: bool = True
    """True if a game that cannot be planned is refused (else the bound is left to those who judge the level)."""
    lenient: bool = False
    """True if hope is enough, as for levels made by people: one key for the first of several doors, pits that something
    may be pushed into."""
    reach: bool = True
    """True if all that has to be reached must be within the reach that can be told without playing."""
    polish: bool = True
    """True if doors stand in walls, what harms keeps away and boxes keep out of corners, as far as that is possible."""
    ignored: tuple[str, ...] = field(default=())
    """Wants that say nothing a solver could aim at; they are left to those who judge the level."""

    @classmethod
    def of(cls, settings: Mapping[str, object], targets: Sequence[Target]) -> LevelConstraints:
        """Return the constraints in settings (of `PARAMETERS`) and targets.

        Raises:
            PcgError: for bounds that contradict each other.
        """
        low, high = int(str(settings["min_moves"])), int(str(settings["max_moves"]))
        least, most = int(str(settings["min_path"])), int(str(settings["max_path"]))
        if low and not high:
            raise PcgError(f"min_moves is {low}, expected max_moves beside it")
        if low > high:
            raise PcgError(f"min_moves is {low}, expected at most max_moves, which is {high}")
        if most and least > most:
            raise PcgError(f"min_path is {least}, expected at most max_path, which is {most}")
        text, must = f"won in {low} to {high} moves" if low else f"won in at most {high} moves", True
        ignored = []
        for target in targets:
            if target.name == "solution_length":
                if high == 0:
                    must = False
                    low, high = _whole(target)
                    text = (
                        f"won in {low} to {high} moves ({target})" if low else f"won in at most {high} moves ({target})"
                    )
                else:
                    wanted = _whole(target)
                    low, high = max(low, wanted[0]), min(high, wanted[1]) or high
                    text = f"won in {low} to {high} moves ({target})"
            elif target.name not in SYMMETRY_TARGETS and target.name not in ("width", "height", "density"):
                ignored.append(target.name)
        return cls(
            (low, high), (least, most or None), str(settings["symmetry"]), bool(settings["pockets"]),
            bool(settings["keys_first"]), tuple(targets), text, must, ignored=tuple(ignored),
        )  # fmt: skip


def _whole(target: Target) -> tuple[int, int]:
    """A target of moves as a range; without an upper bound, half as many more."""
    low = max(0, math.ceil(target.low)) if target.low > -math.inf else 0
    high = math.floor(target.high) if target.high < math.inf else low + low // 2 + 10
    return low, max(1, high)


def plannable(context: LevelContext) -> bool:
    """Return whether winning a game can be planned move by move."""
    from pcg.generators.levels.asp.transition_model import puzzle_rules

    try:
        puzzle_rules(context.analysis)
    except PcgError:
        return False
    return True


def moving(context: LevelContext, tile: int) -> bool:
    """Return whether a tile holds what moves by itself, which no plan can reckon with."""
    return any(context.analysis.has(c, "mover") for c in context.palette.tiles[tile].content)


def build_problem(
    context: LevelContext, shape: tuple[int, int], level_constraints: LevelConstraints, tiles: Iterable[int], *,
    ground: Grid | None = None,
) -> Problem:  # fmt: skip
    """Return a problem with all constraints in it.

    Args:
        context: of the game.
        shape: rows and columns.
        level_constraints: what is asked for.
        tiles: what may stand inside the frame, avatar and ground included.
        ground: a level whose lanes and grounds are kept, if any.

    Raises:
        PcgError: the aims do not suit the game or the size.
    """
    problem = Problem(context, *shape, bridges=level_constraints.lenient)
    problem.everywhere(tiles)
    if ground is not None:
        _keep_ground(problem, ground)
    problem.one_avatar()
    problem.required()
    if level_constraints.reach:
        problem.reach()
    if not level_constraints.pockets and context.analysis.mobility == "freely":
        problem.no_pockets(firm=not context.has_portals)
    if level_constraints.keys_first:
        problem.keys_first(any_order=not level_constraints.lenient)
    low, most = level_constraints.path
    if low or most is not None:
        words = f"at least {low}" if most is None else f"{low} to {most}" if low else f"at most {most}"
        problem.path(low, most, f"every goal {words} steps from the avatar")
    problem.symmetric(level_constraints.symmetry)
    for target in level_constraints.targets:
        _put_target(problem, target)
    if level_constraints.polish:
        problem.gates_in_walls()
        problem.keep_away(KEEP_AWAY)
        problem.room_to_push()
    low, high = level_constraints.moves
    if high and (level_constraints.must_plan or (plannable(context) and shape[0] * shape[1] * high <= MOST_WORK)):
        problem.solvable(low, high, level_constraints.moves_text)
    return problem


def _put_target(problem: Problem, target: Target) -> None:
    types = sprites_of(target.name, problem.context.analysis)
    low = max(0, math.ceil(target.low)) if target.low > -math.inf else 0
    if types is not None:
        problem.number_of(
            types, low, math.floor(target.high) if target.high < math.inf else None, str(target), asked=True
        )
    elif target.name == "density":
        problem.density(max(0.0, target.low), min(1.0, target.high), str(target))
    elif target.name in SYMMETRY_TARGETS:
        problem.symmetry_share(SYMMETRY_TARGETS[target.name], max(0.0, target.low), min(1.0, target.high), str(target))


def _keep_ground(problem: Problem, ground: Grid) -> None:
    """Leave lanes as they are, keep traffic off the rest, and things on the ground they stand on."""
    context = problem.context
    under = np.array(context.ground_under)
    lanes = {lane.ground for lane in context.lanes}
    traffic = {t for lane in context.lanes for t in (lane.ground, *lane.movers)}
    several = len(context.palette.grounds) > 1
    for y, x in np.ndindex(ground.shape):
        tile, here = int(ground[y, x]), int(under[ground[y, x]])
        allowed = problem.allowed((y, x))
        if here in lanes:
            if tile not in context.palette.avatars:
                problem.restrict((y, x), {tile})
            continue
        kept = allowed - traffic
        if several:
            kept = frozenset(
                t for t in kept if t == context.filler or t in context.frame or context.ground_under[t] == here
                or (t not in context.palette.grounds and context.ground_under[t] == context.palette.empty)
            )  # fmt: skip
        problem.restrict((y, x), kept or allowed)
