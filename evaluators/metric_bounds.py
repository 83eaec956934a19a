"""Metrics that bound each other whatever the level: targets outside these bounds contradict each other.

Each relation says which values one metric can have when others lie in given ranges. They follow from the metrics'
definitions (`metrics.play`, `metrics.text`), so nothing is refused that some level could have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from pcg.evaluators.mechanics import MECHANIC
from pcg.evaluators.targets import Target

_PAIRS_AT_HALF = 3
"""As `metrics.play.HALF`: pairs of types at which `variety` is one half."""
_SLACK = 1e-9

Range = tuple[float, float]
Bound = Callable[[Mapping[str, Range], int], Range]
"""The range that ranges of other metrics leave, given the number of rules of the game."""


def _symmetry(of: Mapping[str, Range], rules: int) -> Range:
    sides = of["symmetry_horizontal"], of["symmetry_vertical"]
    return max(low for low, _ in sides), max(high for _, high in sides)


def _mechanics_share(of: Mapping[str, Range], rules: int) -> Range:
    low, high = of["mechanics"]
    return (math.ceil(low) / rules, math.floor(high) / rules if math.isfinite(high) else 1.0) if rules else (0.0, 0.0)


def _mechanics_named(of: Mapping[str, Range], rules: int) -> Range:
    named = [bounds for name, bounds in of.items() if name.startswith(MECHANIC)]
    return sum(low > 0 for low, _ in named), rules - sum(high < 1 for _, high in named)


def _variety(of: Mapping[str, Range], rules: int) -> Range:
    low, high = (1.0 - 2.0 ** (-pairs / _PAIRS_AT_HALF) for pairs in of["pairs"])
    return low, high


def _first_danger(of: Mapping[str, Range], rules: int) -> Range:
    return 0.0, of["solution_length"][1]


_ANY: Mapping[str, Range] = {
    "symmetry_horizontal": (0.0, 1.0),
    "symmetry_vertical": (0.0, 1.0),
    "mechanics": (0.0, math.inf),
    "pairs": (0.0, math.inf),
    "solution_length": (0.0, math.inf),
}
_RELATIONS: tuple[tuple[str, tuple[str, ...], Bound], ...] = (
    ("symmetry", ("symmetry_horizontal", "symmetry_vertical"), _symmetry),
    ("mechanics_share", ("mechanics",), _mechanics_share),
    ("mechanics", (MECHANIC,), _mechanics_named),
    ("variety", ("pairs",), _variety),
    ("first_danger", ("solution_length",), _first_danger),
)
"""A metric, those that bound it (a name, or how names begin), and how."""


def exclusion(targets: Sequence[Target], rules: int) -> str:
    """The reason why targets of metrics that bound each other cannot be met together, or "".

    Args:
        targets: each within the range of its metric.
        rules: number of rules of the game, as `mechanics` counts them.
    """
    for name, others, bound in _RELATIONS:
        wanted = [target for target in targets if target.name == name]
        given = [target for target in targets if any(target.name == o or (o == MECHANIC and target.name.startswith(o))
                                               for o in others)]  # fmt: skip
        if not wanted or not given:
            continue
        for one in wanted:
            if not _excluded(one, given, bound, rules):
                continue
            kept = list(given)
            for other in given:  # as few as it takes
                without = [target for target in kept if target is not other]
                if without and _excluded(one, without, bound, rules):
                    kept = without
            low, high = _range(kept, bound, rules)
            between = f"at least {low:.4g}" if math.isinf(high) else f"from {low:.4g} to {high:.4g}"
            names = " and ".join(f"`{target}`" for target in (one, *kept))
            return f"targets {names} contradict each other: with the latter, {name} is {between}"
    return ""


def _range(given: Sequence[Target], bound: Bound, rules: int) -> Range:
    of = dict(_ANY)
    for target in given:
        low, high = of.get(target.name, (0.0, math.inf))
        of[target.name] = (max(low, target.low), min(high, target.high))
    return bound(of, rules)


def _excluded(one: Target, given: Sequence[Target], bound: Bound, rules: int) -> bool:
    low, high = _range(given, bound, rules)
    return one.high < low - _SLACK or one.low > high + _SLACK


__all__ = ["exclusion"]
