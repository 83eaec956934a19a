"""Numbers of a preference report in one long table, for programs that recompute them.

`numbers.csv` has a row for each number: the table that it stands in, the row of that table, its name and its value.
The scripts that a study's export comes with (`analysis.py`, `analysis.R`) write the same table from the exported votes
and compare. Not in it is what is drawn by lot: bootstrap, permutations, simulated studies, ranks that are left open.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from pcg.evaluators.preferences.consistency import position_bias
from pcg.report.preference_analysis import Analysis

Number = tuple[str, str, str, float]
"""Table, row, name, value."""


def numbers_of(found: Analysis) -> list[Number]:
    """Return the numbers of a report that do not depend on random draws.

    Args:
        found: the analysis that the report shows.
    """
    return [*_facts(found), *_items(found), *_groups(found), *_group_effects(found), *_sets(found), *_rest(found)]


def numbers_csv(found: Analysis) -> str:
    """Return the numbers as CSV, with all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("table", "row", "name", "value"))
    writer.writerows(numbers_of(found))
    return text.getvalue()


def _facts(found: Analysis) -> Iterator[Number]:
    yield "facts", "", "votes", len(found.chosen)
    yield "facts", "", "participants", len({vote.participant for vote in found.chosen})
    yield "facts", "", "items", len(found.fit.items)
    yield "facts", "", "dispersion", found.after.dispersion
    yield "facts", "", "ties", sum(vote.preferred is None for vote in found.chosen) / len(found.chosen)


def _items(found: Analysis) -> Iterator[Number]:
    fitted = found.fit
    shown, wins, ties = fitted.counts.appearances(), fitted.counts.wins().sum(axis=1), fitted.counts.ties().sum(axis=1)
    intervals, wald = found.after.intervals(), fitted.wald()
    for k, item in enumerate(fitted.items):
        values = {
            "shown": shown[k], "preferred": wins[k], "ties": ties[k], "utility": found.after.mean[k],
            "low": intervals[k, 0], "high": intervals[k, 1], "bradley-terry": fitted.utilities[k],
            "wald-low": wald[k, 0], "wald-high": wald[k, 1],
        }  # fmt: skip
        for name, value in values.items():
            yield "items", item, name, float(value)


def _groups(found: Analysis) -> Iterator[Number]:
    if found.shares is None:
        return
    for g in found.shares.groups:
        values = {
            "shown": g.shown, "preferred": g.preferred, "both": g.both, "neither": g.neither, "other": g.lost,
            "share": g.share, "wilson-low": g.wilson[0], "wilson-high": g.wilson[1], "exact-low": g.exact[0],
            "exact-high": g.exact[1], "liked": g.liked, "p": g.p_value, "p-holm": g.adjusted,
        }  # fmt: skip
        for name, value in values.items():
            yield "groups", g.group, name, float(value)
    for p in found.shares.pairs:
        values = {
            "for-one": p.for_one, "for-other": p.for_other, "both": p.both, "neither": p.neither, "share": p.share,
            "exact-low": p.interval[0], "exact-high": p.interval[1], "p": p.p_value, "p-holm": p.adjusted,
        }  # fmt: skip
        for name, value in values.items():
            yield "group-pairs", f"{p.one} / {p.other}", name, float(value)


def _group_effects(found: Analysis) -> Iterator[Number]:
    if found.mixed is None:
        return
    for d in found.mixed.differences:
        for name, value in (("difference", d.estimate), ("error", d.error)):
            yield "group-effects", f"{d.one} / {d.other}", name, value
    position = {} if found.mixed.position is None else {"position": found.mixed.position[0]}
    for name, value in (position | {"items": found.mixed.items, "tastes": found.mixed.tastes}).items():
        yield "group-effects", "", name, value


def _sets(found: Analysis) -> Iterator[Number]:
    if found.sets is None:
        return
    names, after = found.sets
    intervals = after.intervals()
    for k, group in enumerate(names):
        yield "sets", group, "utility", float(after.mean[k])
        yield "sets", group, "low", float(intervals[k, 0])
        yield "sets", group, "high", float(intervals[k, 1])


def _rest(found: Analysis) -> Iterator[Number]:
    bias = position_bias(found.chosen, question=found.question)
    order = {"first": bias.first, "second": bias.second, "share": bias.share, "exact-low": bias.interval[0],
             "exact-high": bias.interval[1], "p": bias.p_value}  # fmt: skip
    for name, value in order.items():
        yield "order", "", name, float(value)
    for first, second, *counts in found.outcome.table:
        for name, count in zip(("first", "second", "both", "neither"), counts, strict=True):
            yield "outcomes", f"{first or 'open'} / {second or 'open'}", name, float(count)
    for kind, comparison in found.comparisons.items():
        for one in comparison.kinds:
            for name in ("participants", "votes", "ties", "first", "seconds"):
                number = float(getattr(one, name))
                if number == number:
                    yield f"by-{kind}", one.name, name, number
