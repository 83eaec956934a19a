"""Measures of an archive, as users write them: `density:0..0.5:20, solution_length:20..80:20, mechanic.key.*`.

A measure is a metric of the registry, a sprite type (how many the level starts with), or a mechanic (whether a rule
of the game takes effect in the winning play: two cells, no and yes; Charity, Green, Khalifa, Togelius: Mech-Elites,
2020). What can be told from the level's text is computed here without playing, so that emitters can aim at it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.analysis import GameAnalysis
from pcg.evaluators.evaluation import Evaluation
from pcg.evaluators.fitness import PARAMETERS
from pcg.evaluators.level_grid import Grid
from pcg.evaluators.mechanics import MECHANIC, mechanics
from pcg.evaluators.metrics.registry import METRICS, TEXT
from pcg.evaluators.metrics.text import TextMetrics
from pcg.evaluators.targets import known_names, sprites_of
from pcg.generators.levels.context import LevelContext

MOST_MEASURES = 64
_DEFAULTS = {p.name: float(p.default) for p in PARAMETERS if isinstance(p.default, int | float)}
_RANGES = {
    # From the shortest play that a feasible level may have to where longer ones are no better.
    "solution_length": (_DEFAULTS["min_length"], _DEFAULTS["target_length"]),
    "first_danger": (0.0, _DEFAULTS["target_length"]),
    "idle_ticks": (0.0, _DEFAULTS["max_length"]),
    "tortuosity": (1.0, 5.0),
}
"""Ranges of metrics that the registry leaves open, where nothing else is said."""

_ITEM = re.compile(r"(?P<name>[^\s:]+)(?:\s*:\s*(?P<range>[^\s:]*\.\.[^\s:]*))?(?:\s*:\s*(?P<cells>[^\s:.]+))?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")


@dataclass(frozen=True, slots=True)
class Measure:
    """One axis of an archive: a measure, and how its range is cut into cells of equal width.

    Values beyond the range count as the outermost cell's.

    >>> str(Measure("density", 0, 0.5, 20))
    'density:0..0.5:20'
    """

    name: str
    low: float
    high: float
    cells: int
    of_text: bool = False
    """True if the text alone tells the value."""

    @property
    def yes_or_no(self) -> bool:
        """True if it only tells if a mechanic takes effect."""
        return self.name.startswith(MECHANIC)

    def __str__(self) -> str:
        return f"{self.name}:{self.low:g}..{self.high:g}:{self.cells}"


def parse_measures(text: str, analysis: GameAnalysis, cells: int) -> tuple[Measure, ...]:
    """Read measures, separated by commas, each a name, perhaps `:LOW..HIGH`, perhaps `:CELLS`.

    Args:
        text: such as ``"density:0..0.5:20, solution_length"``. Names of mechanics may hold `*`, which stands for
            anything: `mechanic.*` is every rule of the game.
        analysis: of the game, whose sprites and mechanics can be named.
        cells: of a measure that does not say.

    Raises:
        PcgError: for what cannot be read, unknown names (with the nearest known one), empty ranges, a missing range of
            a measure without bounds, or one measure twice.
    """
    found: dict[str, Measure] = {}
    for part in text.split(","):
        for measure in _read(part.strip(), text, analysis, cells):
            if measure.name in found:
                raise PcgError(f"measures `{text}`: {measure.name} is there twice")
            found[measure.name] = measure
    if len(found) > MOST_MEASURES:
        raise PcgError(
            f"measures `{text}` are {len(found)} measures, expected at most {MOST_MEASURES}: "
            "name fewer mechanics, as in mechanic.*.avatar.*"
        )
    return tuple(found.values())


def _read(part: str, whole: str, analysis: GameAnalysis, cells: int) -> list[Measure]:
    match = _ITEM.fullmatch(part)
    if match is None:
        raise PcgError(f"measures `{whole}`: cannot read `{part}`, expected as in density:0..0.5:20")
    name = match["name"]
    if "*" in name:
        names = [m.name for m in mechanics(analysis.definition) if fnmatchcase(m.name, name)]
        if not names:
            raise PcgError(
                f"measures `{whole}`: no mechanic of the game is like `{name}`; `pcg metrics GAME` lists them"
            )
    else:
        if name not in METRICS:
            _check_name(name, whole, analysis)
        names = [name]
    if names[0].startswith(MECHANIC):
        if match["range"] or match["cells"]:
            raise PcgError(f"measures `{whole}`: {name} is yes or no, expected neither a range nor a number of cells")
        return [Measure(n, 0.0, 1.0, 2) for n in names]
    low, high = _range(name, match["range"], whole)
    number = cells if match["cells"] is None else _cells(match["cells"], part, whole)
    metric = METRICS.get(name)
    return [Measure(name, low, high, number, metric is None or metric.stage == TEXT)]


def _check_name(name: str, whole: str, analysis: GameAnalysis) -> None:
    known = known_names(analysis)
    if name not in known:
        hint = did_you_mean(name, known, "; `pcg metrics GAME` lists what there is")
        raise PcgError(f"measures `{whole}`: there is no measure `{name}`{hint}")


def _range(name: str, given: str | None, whole: str) -> tuple[float, float]:
    if given is None:
        metric = METRICS.get(name)
        if metric is not None and metric.high is not None and math.isfinite(metric.low):
            return metric.low, metric.high
        if name in _RANGES:
            return _RANGES[name]
        raise PcgError(f"measures `{whole}`: {name} has no bounds of its own, expected a range, as in {name}:0..20")
    ends = given.split("..")
    if len(ends) != 2 or not all(_NUMBER.fullmatch(end) for end in ends):
        raise PcgError(f"measures `{whole}`: cannot read the range `{given}` of {name}, expected as in {name}:0..20")
    low, high = float(ends[0]), float(ends[1])
    if low >= high:
        raise PcgError(f"measures `{whole}`: the range {given} of {name} is empty")
    return low, high


def _cells(text: str, part: str, whole: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise PcgError(f"measures `{whole}`: `{text}` in `{part}` is no number of cells, expected 1 to 10000")
    return int(text)


class Measuring:
    """Values of some measures for levels of one game."""

    def __init__(self, context: LevelContext, measures: Sequence[Measure]) -> None:
        self.context = context
        self.measures = tuple(measures)
        self._types = {
            m.name: sorted(sprites_of(m.name, context.analysis) or ())
            for m in measures if m.of_text and m.name not in METRICS
        }  # fmt: skip
        self._text: TextMetrics | None = None
        if any(m.of_text and m.name in METRICS for m in measures):
            self._text = context.text
        self._metric_names = [m.name for m in self.measures if m.of_text and m.name in METRICS]

    def of_text(self, grid: Grid) -> list[float | None]:
        """Return the values that the level's tiles tell; None for what they do not."""
        metrics = self._metrics(grid)
        counts = self.context.palette.count_types(grid) if self._types else {}
        return [
            float(sum(counts.get(t, 0) for t in self._types[m.name])) if m.name in self._types else metrics.get(m.name)
            for m in self.measures
        ]

    def _metrics(self, grid: Grid) -> Mapping[str, float]:
        """The metrics of the text that are measures."""
        return {} if self._text is None else self._text.measure(grid, self._metric_names)

    def of(self, grid: Grid, evaluation: Evaluation) -> tuple[float, ...]:
        """All values. One that is not known, for target of a winning play, counts as the lowest."""
        found = [evaluation.measure(m.name) for m in self.measures]
        if any(value is None and m.of_text for value, m in zip(found, self.measures, strict=True)):
            seen = self.of_text(grid)
            found = [own if own is not None else text for own, text in zip(found, seen, strict=True)]
        values = []
        for m, value in zip(self.measures, found, strict=True):
            values.append(float(value) if value is not None and math.isfinite(value) else m.low)
        return tuple(values)
