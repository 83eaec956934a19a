"""The registry of metrics: numbers measured of a level, each declared once, beside the function that measures it.

Targets (`pcg.evaluators.targets`), archives that spread levels over measures, tables and figures of reports and
`pcg metrics` read it. The toolkit's own metrics are declared in `text` (from the level's text), `play` (from its
winning play) and `agents` (from the plays of several agents). Users add their own with `metric`, in a program or in a
file named with ``--load``, or as entry points of the group ``pcg.metrics`` in an installed package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pcg.engine.registry import Registry
from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean

TEXT, PLAY, AGENTS, JUDGEMENT = "text", "play", "agents", "judgement"
STAGES: Mapping[str, str] = {
    TEXT: "of the level's text alone; known of every level that can be read",
    PLAY: "of the winning play; known of every level that was won",
    AGENTS: "of the plays of several agents, as far as an evaluation went",
    JUDGEMENT: "of what the judge of levels says; known of every feasible level",
}
"""Stages of an evaluation, of whose results metrics are computed."""

Measured = Callable[[Any], float | None]
"""A function of a `LevelText`, `WonPlay`, `AgentPlays` or `Judgement`, by the stage; None for what is not known."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure of a level: a number in [`low`, `high`], and the function that computes it.

    >>> METRICS["symmetry"].range
    '0..1'
    """

    name: str
    help: str
    low: float
    high: float | None
    """None: no upper bound."""
    compute: Measured
    unit: str = ""
    source: str = ""
    """Paper, or "" for what needs none."""
    stage: str = TEXT
    """One of `STAGES`."""
    whole: bool = False
    """True when the values are whole numbers."""

    def __call__(self, facts: Any) -> float | None:
        """Return the value for a level.

        Args:
            facts: a `LevelText`, `WonPlay`, `AgentPlays` or `Judgement`, by the stage.

        Raises:
            PcgError: when the function gives neither a number nor None.
        """
        value = self.compute(facts)
        if value is not None and (not isinstance(value, int | float) or math.isnan(value)):
            raise PcgError(f"metric `{self.name}` gave {value!r}, expected a number or None")
        return value

    @property
    def range(self) -> str:
        """The range as text."""
        return f"{self.low:g}.." + (f"{self.high:g}" if self.high is not None else "")


METRICS = Registry[Metric]("metric", group="pcg.metrics")
"""Every metric of a single level by name, in the order in which they are shown."""


def metric(
    name: str, help: str, low: float = 0.0, high: float | None = None, *, stage: str = TEXT, unit: str = "",
    source: str = "", whole: bool = False,
) -> Callable[[Measured], Metric]:  # fmt: skip
    """Declare the function below as a metric, and return the `Metric`, which is called like the function.

    Args:
        name: without blanks and without any of `= < > , : *`; not one that begins like a mechanic's or a sprite's.
        help: one line for `pcg metrics`.
        low: least value; negative infinity for none.
        high: greatest value, None for no bound.
        stage: what the function is given: "text" (a `LevelText`), "play" (a `WonPlay`), "agents" (an `AgentPlays`) or
            "judgement" (a `Judgement`).
        unit: such as "cells".
        source: the paper it is from.
        whole: values are whole numbers.

    Raises:
        PcgError: for a name that is taken or cannot be written in a target, or an unknown stage.

    >>> @metric("corners", "corners of the level that hold something", 0, 4, whole=True)
    ... def corners(level):
    ...     rows = level.text.splitlines()
    ...     return sum(char != "." for row in (rows[0], rows[-1]) for char in (row[0], row[-1]))
    >>> METRICS["corners"].range
    '0..4'
    >>> METRICS.unregister("corners")
    """
    if not name or any(c.isspace() or c in "=<>,:*" for c in name) or name.startswith(("mechanic.", "sprite.")):
        raise PcgError(
            f"a metric cannot be called {name!r}: expected a word without = < > , : * that does not begin with "
            "mechanic. or sprite."
        )
    if stage not in STAGES:
        hint = did_you_mean(stage, STAGES, f" (there are: {', '.join(STAGES)})")
        raise PcgError(f"metric `{name}`: unknown stage `{stage}`{hint}")
    if high is not None and low > high:
        raise PcgError(f"metric `{name}`: the range {low:g}..{high:g} is empty")

    def declare(compute: Measured) -> Metric:
        known = METRICS.loaded(name)
        if known is not None and _place(known.compute) == _place(compute):
            METRICS.unregister(name)  # its module is imported again, or a cell of a notebook run again
        return METRICS.register(name, Metric(name, help, low, high, compute, unit, source, stage, whole))

    return declare


def _place(function: Measured) -> tuple[str, str]:
    return function.__module__, function.__qualname__


def measure(stage: str, facts: Any, names: Iterable[str] | None = None) -> dict[str, float]:
    """Return all metrics of a stage that are known, by name.

    Args:
        stage: one of `STAGES`.
        facts: what its functions are given.
        names: only these, None for all.
    """
    wanted = None if names is None else frozenset(names)
    found = {}
    for one in METRICS.values():
        if one.stage == stage and (wanted is None or one.name in wanted):
            value = one(facts)
            if value is not None:
                found[one.name] = value
    return found
