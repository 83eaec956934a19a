"""Reading targets: the text of `--target` as objects, with errors that name the column."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.target_feasibility import check_targets
from pcg.evaluators.targets import Target, is_whole, sprites_of

_ITEM = re.compile(r"\s*(?P<name>[^\s=<>]+)\s*(?P<sign>>=|<=|=)\s*(?P<value>\S+)\s*")
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_VALUE = re.compile(rf"(?P<low>{_NUMBER})(?:\.\.(?P<high>{_NUMBER}))?")


def parse_targets(text: str, analysis: GameAnalysis) -> tuple[Target, ...]:
    """Read targets, separated by commas, each a name, `=`, `>=` or `<=`, and a number or (after `=`) a range.

    A number after `=` means that number for what is counted, and for other metrics all that is written so when rounded
    to as many digits: `symmetry=0.8` is 0.75..0.85.

    Args:
        text: such as ``"solution_length=40..60, enemies=3, symmetry>=0.8"``.
        analysis: of the game, whose sprite types and rules can be named.

    Returns:
        One target per name, in the order of first mention; targets of the same name are put together.

    Raises:
        PcgError: for what cannot be read (with its column), unknown names (with the nearest known one), empty ranges,
            and targets that contradict each other, the metric's range, or the rules of the game.

    >>> import pcg
    >>> from pcg.evaluators.analysis import analyse
    >>> [str(target) for target in parse_targets("box=2..3, symmetry>=0.8", analyse(pcg.load("boxes").definition))]
    ['box=2..3', 'symmetry>=0.8']
    """
    found: dict[str, Target] = {}
    places: dict[str, int] = {}
    at = 0
    for part in text.split(","):
        start = at + len(part) - len(part.lstrip())
        if part.strip():
            target = _read(part, text, start, analysis)
            earlier = found.get(target.name)
            if earlier is not None:
                low, high = max(target.low, earlier.low), min(target.high, earlier.high)
                if low > high:
                    raise _error(text, start, f"`{target}` contradicts `{earlier}` in column {places[target.name] + 1}")
                target = Target(target.name, low, high)
            found[target.name] = target
            places.setdefault(target.name, start)
        elif text.strip():
            raise _error(text, min(start, len(text) - 1), "expected a target between commas, as in enemies=3")
        at += len(part) + 1
    targets = tuple(found.values())
    check_targets(targets, analysis)
    return targets


def resolve_targets(targets: str | Sequence[Target], analysis: GameAnalysis) -> tuple[Target, ...]:
    """Targets as text or as objects, checked against a game.

    Raises:
        PcgError: as `parse_targets`.
    """
    if isinstance(targets, str):
        return parse_targets(targets, analysis)
    for target in targets:
        sprites_of(target.name, analysis)
    check_targets(targets, analysis)
    return tuple(targets)


def _read(part: str, text: str, start: int, analysis: GameAnalysis) -> Target:
    match = _ITEM.fullmatch(part)
    if match is None:
        forms = "NAME=NUMBER, NAME=LOW..HIGH, NAME>=NUMBER or NAME<=NUMBER"
        raise _error(text, start, f"`{part.strip()}` is no target: expected {forms}")
    begin = start - (len(part) - len(part.lstrip()))
    name, sign, value = match["name"], match["sign"], match["value"]
    numbers = _VALUE.fullmatch(value)
    if numbers is None or (sign != "=" and numbers["high"] is not None):
        expected = "a number or a range such as 2..5" if sign == "=" else "a number"
        raise _error(text, begin + match.start("value"), f"`{value}` after `{name}{sign}`: expected {expected}")
    try:
        sprites_of(name, analysis)
    except PcgError as error:
        raise _error(text, begin + match.start("name"), str(error)) from None
    whole = is_whole(name)
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
    return Target(name, low, high)


def _error(text: str, column: int, message: str) -> PcgError:
    return PcgError(f"target, column {column + 1}: {message}\n    {text}\n    {' ' * column}^")
