"""Comparisons of levels as files for `pcg prefer fit`, and as what pages tell of the preference behind them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pcg.breeding.preference import LearntPreference
from pcg.evaluators.metrics.registry import METRICS
from pcg.evaluators.preferences import Vote, write_votes
from pcg.runs.store import write_whole

_TOLD = 6
"""Measures of the preference that are told."""
_SURE = 1.0
"""A weight is told when it is at least so many of its standard deviations from 0."""


def write_comparisons(
    folder: Path, votes: Iterable[Vote], measures: Mapping[str, Mapping[str, float]], names: Sequence[str]
) -> None:
    """Write `votes.csv` and `features.csv`, the tables of `pcg prefer fit`.

    Args:
        folder: of the run.
        votes: on levels.
        measures: of these levels, by the names that the votes use.
        names: of the measures that are written; what is not known of a level stays empty.
    """
    write_votes(list(votes), folder / "votes.csv")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", *names])
    for item, values in measures.items():
        writer.writerow([item, *(values.get(name, "") for name in names)])
    write_whole(folder / "features.csv", text.getvalue())


def told_preference(preference: LearntPreference) -> list[dict[str, Any]]:
    """Return the measures that a preference is sure to like or dislike: `name`, `weight`, `help`, strongest first."""
    doubts = preference.doubts
    sure = {n: w for n, w in preference.weights.items() if abs(w) >= _SURE * doubts[n] and n in METRICS}
    best = sorted(sure, key=lambda n: -abs(sure[n]))[:_TOLD]
    return [{"name": n, "weight": sure[n], "help": METRICS[n].help} for n in best]
