"""What a user wants levels to be like: `solution_length=40..60, enemies=3, symmetry>=0.8`.

A want bounds one number: a metric of the registry, how many sprites of a type (or of a branch of the sprite tree) the
level starts with, or whether a rule of the game takes effect in the winning play (`mechanics`). Wants are read, checked
against the game's rules, and say how nearly a value comes; what becomes of that is for a fitness function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pcg.engine.vgdl.diagnostics import PcgError, nearest
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.mechanics import MECHANIC, mechanics
from pcg.evaluators.metric_bounds import exclusion
from pcg.evaluators.metrics.registry import METRICS

SPRITE = "sprite."
"""Written before the name of a sprite type that is a metric's name as well."""

GROUPS = ("enemies", "goals", "collectables", "walls")
"""Metrics that are numbers of sprites at the start of the level."""

_ITEM = re.compile(r"\s*(?P<name>[^\s=<>]+)\s*(?P<sign>>=|<=|=)\s*(?P<value>\S+)\s*")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_VALUE = re.compile(rf"(?P<low>{_NUMBER})(?:\.\.(?P<high>{_NUMBER}))?")


@dataclass(frozen=True, slots=True)
class Want:
    """A value wanted to lie in [`low`, `high`]; infinite bounds are none.

    >>> Want("solution_length", 40, 60).satisfaction(50)
    1.0
    >>> Want("solution_length", 40, 60).satisfaction(90)
    0.5
    >>> str(Want("symmetry", 0.8, float("inf")))
    'symmetry>=0.8'
    """

    name: str
    low: float
    high: float

    def satisfaction(self, value: float | None) -> float:
        """How nearly `value` is what is wanted, in [0, 1]: 1 inside the bounds, falling with the distance from them.

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
        """Whether `value` is what is wanted."""
        return self.satisfaction(value) >= 1.0

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.name}={_text(self.low)}"
        if math.isinf(self.high):
            return f"{self.name}>={_text(self.low)}"
        if math.isinf(self.low):
            return f"{self.name}<={_text(self.high)}"
        return f"{self.name}={_text(self.low)}..{_text(self.high)}"


def parse_wants(text: str, analysis: GameAnalysis) -> tuple[Want, ...]:
    """Read wants, separated by commas, each a name, `=`, `>=` or `<=`, and a number or (after `=`) a range.

    A number after `=` means that number for what is counted, and for other metrics all that is written so when rounded
    to as many digits: `symmetry=0.8` is 0.75..0.85.

    Args:
        text: such as ``"solution_length=40..60, enemies=3, symmetry>=0.8"``.
        analysis: of the game, whose sprite types and rules can be named.

    Returns:
        One want per name, in the order of first mention; wants of the same name are put together.

    Raises:
        PcgError: for what cannot be read (with its column), unknown names (with the nearest known one), empty ranges,
            and wants that contradict each other, the metric's range, or the rules of the game.
    """
    found: dict[str, Want] = {}
    places: dict[str, int] = {}
    at = 0
    for part in text.split(","):
        start = at + len(part) - len(part.lstrip())
        if part.strip():
            want = _read(part, text, start, analysis)
            earlier = found.get(want.name)
            if earlier is not None:
                low, high = max(want.low, earlier.low), min(want.high, earlier.high)
                if low > high:
                    raise _error(text, start, f"`{want}` contradicts `{earlier}` in column {places[want.name] + 1}")
                want = Want(want.name, low, high)
            found[want.name] = want
            places.setdefault(want.name, start)
        elif text.strip():
            raise _error(text, min(start, len(text) - 1), "expected a want between commas, as in enemies=3")
        at += len(part) + 1
    wants = tuple(found.values())
    check_wants(wants, analysis)
    return wants


def settle_wants(wants: str | Sequence[Want], analysis: GameAnalysis) -> tuple[Want, ...]:
    """Wants as text or as objects, checked against a game.

    Raises:
        PcgError: as `parse_wants`.
    """
    if isinstance(wants, str):
        return parse_wants(wants, analysis)
    for want in wants:
        sprites_of(want.name, analysis)
    check_wants(wants, analysis)
    return tuple(wants)


def known_names(analysis: GameAnalysis) -> tuple[str, ...]:
    """Every name a want can have in a game: metrics, sprite types, mechanics."""
    types = [t.name for t in analysis.definition.types if _starting(t.id, analysis) or t.id in analysis.concrete]
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
        near = nearest(name, known_names(analysis))
        hint = f", did you mean `{near}`?" if near else "; `pcg metrics GAME` lists what can be wanted"
        raise PcgError(f"there is no metric and no sprite `{name}`{hint}")
    return _starting(of_game, analysis) or frozenset((of_game,))


def group(name: str, analysis: GameAnalysis) -> frozenset[int]:
    """The types of a group of `GROUPS`."""
    others = [t for t in analysis.concrete if not analysis.has(t, "avatar")]
    if name == "enemies":
        return frozenset(t for t in others if analysis.has(t, "harmful") and not analysis.has(t, "hazard"))
    role = {"goals": "goal", "collectables": "collectable", "walls": "wall"}[name]
    return frozenset(t for t in others if analysis.has(t, role))


def _starting(type_id: int, analysis: GameAnalysis) -> frozenset[int]:
    """The types under a type that a level can start with."""
    placed = {t for tile in analysis.tiles for t in tile.types}
    return frozenset(t for t in placed if type_id in analysis.definition.types[t].path)


def wanted_value(
    name: str,
    analysis: GameAnalysis,
    metrics: Mapping[str, float],
    counts: Mapping[int, int] | None,
    fired: Iterable[str] | None,
) -> float | None:
    """The value of what a want names, None when it is not known.

    Args:
        name: of the want.
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
class Tally:
    """How many of some levels achieve a want."""

    want: Want
    achieved: int
    of: int


def tally_wants(wants: Sequence[Want], satisfactions: Sequence[Mapping[str, float]]) -> list[Tally]:
    """How many levels achieve each want.

    Args:
        wants: what was wanted.
        satisfactions: for each level, by the name of the want (`Evaluation.wants`).
    """
    return [
        Tally(want, sum(found.get(want.name, 0.0) >= 1.0 for found in satisfactions), len(satisfactions))
        for want in wants
    ]


def all_achieved(satisfactions: Mapping[str, float]) -> bool:
    """Whether a level achieves everything that was wanted of it."""
    return all(value >= 1.0 for value in satisfactions.values())


# -- reading -----------------------------------------------------------------------------------------------------------


def _read(part: str, text: str, start: int, analysis: GameAnalysis) -> Want:
    match = _ITEM.fullmatch(part)
    if match is None:
        raise _error(text, start, f"`{part.strip()}` is no want: expected NAME=NUMBER, NAME=LOW..HIGH, NAME>=NUMBER or "
                     "NAME<=NUMBER")  # fmt: skip
    begin = start - (len(part) - len(part.lstrip()))
    name, sign, value = match["name"], match["sign"], match["value"]
    numbers = _VALUE.fullmatch(value)
    if numbers is None or (sign != "=" and numbers["high"] is not None):
        expected = "a number or a range such as 2..5" if sign == "=" else "a number"
        raise _error(text, begin + match.start("value"), f"`{value}` after `{name}{sign}`: expected {expected}")
    try:
        types = sprites_of(name, analysis)
    except PcgError as error:
        raise _error(text, begin + match.start("name"), str(error)) from None
    metric = METRICS.get(name)
    whole = types is not None or name.startswith(MECHANIC) or (metric is not None and metric.whole)
    if any(numbers[part] and math.isinf(float(numbers[part])) for part in ("low", "high")):
        raise _error(text, begin + match.start("value"), f"a number in `{value[:20]}...` is too large")
    low, high = float(numbers["low"]), math.inf
    if numbers["high"] is not None:
        high = float(numbers["high"])
    elif sign == "<=":
        low, high = -math.inf, low
    elif sign == "=":
        high = low
        if not whole:
            digits = len(numbers["low"].partition(".")[2])
            low, high = (round(v, digits + 1) for v in (low - 0.5 * 10.0**-digits, high + 0.5 * 10.0**-digits))
    if low > high:
        raise _error(text, begin + match.start("value"), f"the range `{value}` is empty: {low:g} is more than {high:g}")
    if whole and not math.isinf(low) and not math.isinf(high) and math.ceil(low) > math.floor(high):
        raise _error(text, begin + match.start("value"), f"`{name}` is a whole number, and there is none in `{value}`")
    return Want(name, low, high)


def _error(text: str, column: int, message: str) -> PcgError:
    return PcgError(f"want, column {column + 1}: {message}\n    {text}\n    {' ' * column}^")


def _text(value: float) -> str:
    return f"{value:.10g}"


# -- contradictions ----------------------------------------------------------------------------------------------------


def check_wants(
    wants: Sequence[Want],
    analysis: GameAnalysis,
    cells: int | None = None,
    *,
    widths: tuple[int, int] | None = None,
    heights: tuple[int, int] | None = None,
) -> None:
    """Refuse wants that no level of the game can meet.

    Looked at are the ranges of the metrics; metrics that bound each other (`mechanics` and `mechanics_share`,
    symmetries, danger and the length of the play); and, together, sizes, numbers of sprites, density, cover and
    leniency: which tiles there are and what each creates, what an ending forbids at the start, what goes with what (a
    door with its key), how many cells there are to put it all, and how many ticks it takes to go to as many of them as
    is wanted. What is refused cannot be; not everything that cannot be is refused.

    Args:
        wants: of one game.
        analysis: of the game.
        cells: most cells that a level may have, None for any number.
        widths: least and greatest width of levels, whatever is wanted; None for any.
        heights: the same of their heights.

    Raises:
        PcgError: naming as few wants as contradict each other or the rules.
    """
    seen: dict[str, Want] = {}
    for want in wants:
        if want.low > want.high:
            raise PcgError(f"want `{want.name}`: {_text(want.low)}..{_text(want.high)} is an empty range")
        earlier = seen.setdefault(want.name, want)
        if max(want.low, earlier.low) > min(want.high, earlier.high):
            raise PcgError(f"wants `{earlier}` and `{want}` contradict each other: no value is in both")
        metric = METRICS.get(want.name)
        low = metric.low if metric is not None else 0.0
        high = metric.high if metric is not None else 1.0 if want.name.startswith(MECHANIC) else None
        if _is_whole(want.name, analysis) and math.isfinite(want.low) and math.ceil(want.low) > want.high:
            raise PcgError(f"want `{want}`: {want.name} is a whole number, and there is none in that range")
        if want.high < low or (high is not None and want.low > high):
            between = f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
            raise PcgError(f"want `{want}`: {want.name} is {between}")
    reason = exclusion(wants, len(mechanics(analysis.definition)))
    counted = [(want, types) for want in wants if (types := sprites_of(want.name, analysis)) is not None]
    if not reason and (counted or any(want.name in ("density", "cover", "leniency", "coverage") for want in wants)):
        from pcg.evaluators.target_feasibility import Sizes, contradiction

        size = Sizes(widths or (1, math.inf), heights or (1, math.inf), math.inf if cells is None else cells)
        reason = contradiction(wants, counted, analysis, size)
    if reason:
        raise PcgError(reason)


def _is_whole(name: str, analysis: GameAnalysis) -> bool:
    metric = METRICS.get(name)
    return metric.whole if metric is not None else True
