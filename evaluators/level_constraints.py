"""Parameters and constraints of an evaluation of levels, and bounds that are relaxed so that targets can be met.

The constraints are those of the genetic level generator of the GVGAI framework (Khalifa et al. 2016;
reference/generators 12.4). How levels are held against them is in `level_evaluation`; where the game's own levels do
not keep them, `own_levels` says what they keep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.agents import MAX_TICKS
from pcg.evaluators.parameters import Parameter, Setting
from pcg.evaluators.targets import Target

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("min_length", 20, "shortest winning play of a feasible level", 0, 2000, "ticks"),
    Parameter("target_length", 80, "winning plays from this length on count as fully long", 1, 2000, "ticks"),
    Parameter("max_length", 400, "plays end here unless the rules make winning take longer", 1, 2000, "ticks"),
    Parameter("start", 8, "a player who does nothing lives at least so long", 0, 2000, "ticks"),
    Parameter("survival", 40, "a player who looks one step ahead lives at least so long", 0, 2000, "ticks"),
    Parameter("min_cover", 0.05, "smallest share of the level that is not bare", 0.0, 1.0),
    Parameter("max_cover", 0.6, "largest share of the level that is not bare", 0.0, 1.0),
    Parameter("min_kinds", 0.5, "smallest share of the kinds of sprites that must occur", 0.0, 1.0),
    Parameter("nodes", 60_000, "states the solver may visit in games without chance", 1, 100_000_000, "states"),
    Parameter("budget", 500, "what MCTS may spend on a decision", 1, 10_000_000, "forward-model calls"),
    Parameter("planner_budget", 1500, "what the planner may spend on a decision", 1, 10_000_000, "forward-model calls"),
    Parameter(
        "search", 1_000_000, "most that the prover may spend on a level that nobody else wins", 0, 10**9, "calls"
    ),
    Parameter("attempts", 1, "plays of each capable agent before a level counts as not won", 1, 100),
    Parameter("weak_plays", 4, "plays of each weak agent", 1, 1000),
    Parameter("weight_gap", 0.4, "weight of the gap between capable and weak players", 0.0, 1.0),
    Parameter("weight_length", 0.2, "weight of the length of the winning play", 0.0, 1.0),
    Parameter("weight_variety", 0.25, "weight of the variety of what happens in the winning play", 0.0, 1.0),
    Parameter("weight_coverage", 0.15, "weight of the share of the level the winning play visits", 0.0, 1.0),
    Parameter("difficulty", 0.6, "difficulty at which levels are judged best (metric `difficulty`)", 0.0, 1.0),
    Parameter("fitness", "quality", "the fitness function of feasible levels: quality, skill, or one of your own"),
    Parameter(
        "prefer", "", "a preference model as JSON text; its estimate then takes the place of the fitness function"
    ),
)
"""Parameters of an evaluation, with their defaults."""

CONSTRAINTS: Mapping[str, str] = {
    "check": "the level check finds nothing, not even a warning",
    "avatar": "there is exactly one avatar",
    "goal": "no ending fires at once, and what winning needs is there",
    "cover": "the level is neither bare nor crammed",
    "kinds": "enough kinds of sprites occur",
    "start": "a player who does nothing is not lost in the first moments",
    "survival": "a player who looks one step ahead is not lost early",
    "idle": "doing nothing does not win, or (where waiting is rewarded, or costs points) less well than playing",
    "win": "a capable player wins, or the search that finds no win finds none in the game's own levels either",
    "length": "winning takes some time",
}
"""The constraints by name, in the order in which they are looked at; all values lie in [0, 1] and 1 means kept."""

_BOUNDED_BY: Mapping[str, tuple[str | None, str | None]] = {
    "solution_length": ("min_length", "max_length"),
    "cover": ("min_cover", "max_cover"),
    "kinds": ("min_kinds", None),
    "idle_ticks": ("start", None),
}
"""Metric -> the parameters that bound it from below and from above."""


def relax_bounds(
    settings: Mapping[str, Setting], given: Mapping[str, object], targets: Sequence[Target]
) -> dict[str, Setting]:
    """The settings of an evaluation with bounds moved so that targets can be met; what was `given` is not moved.

    Raises:
        PcgError: for a target that contradicts a given bound.
    """
    moved = dict(settings)
    for target in targets:
        if target.name == "solution_length" and target.low > MAX_TICKS:
            raise PcgError(f"target `{target}`: plays end after {MAX_TICKS} ticks")
        least, most = _BOUNDED_BY.get(target.name, (None, None))
        for name, wanted, beyond in ((least, target.high, 1), (most, target.low, -1)):
            if name is None or beyond * (float(moved[name]) - wanted) <= 0:
                continue
            if name in given:
                raise PcgError(
                    f"target `{target}` contradicts the evaluation's parameter {name}, which is {moved[name]}"
                )
            moved[name] = type(moved[name])(math.floor(wanted) if isinstance(moved[name], int) else wanted)
    if "max_length" not in given:
        # plays may go on until a little after the longest that is wanted
        longest = [w.high if w.high < math.inf else 2 * w.low for w in targets if w.name == "solution_length"]
        moved["max_length"] = max(int(moved["max_length"]), *(min(MAX_TICKS, math.ceil(x)) for x in longest), 0)
    return moved


def fitness_with_targets(quality: float, targets: Mapping[str, float]) -> float:
    """The fitness in [0, 1] of a feasible level: targets first, then quality.

    Where all targets are achieved it lies in [0.5, 1] and tells the quality; else below one half, mostly by how nearly
    the targets are met.
    """
    if not targets:
        return quality
    met = math.fsum(targets.values()) / len(targets)
    return 0.5 + 0.5 * quality if met >= 1.0 else 0.45 * met + 0.05 * quality
