"""Report of a study of choices among several items: a page with tables, numbers and a figure.

The same files as those of `pcg.report.preferences`, from choices of the best (and the worst) of a set instead of votes
on pairs; `numbers.csv` has what the scripts of an export work out again.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

import pcg
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.choices import (
    Choice,
    ChoiceFit,
    ChoiceTable,
    choice_bootstrap,
)
from pcg.evaluators.preferences.consistency import compared_parts
from pcg.evaluators.preferences.davidson import Array
from pcg.evaluators.preferences.mixed import MixedEffects, mixed_choices
from pcg.evaluators.preferences.posterior import Posterior
from pcg.evaluators.preferences.power import more_choices
from pcg.evaluators.preferences.subgroups import Comparison, compare_choices
from pcg.report.base import PAGE, Cell, Column, Table, render_page
from pcg.report.base import interval_cell as _interval
from pcg.report.base import number_cell as _n
from pcg.report.base import signed_cell as _signed
from pcg.report.figures import preferences as draw
from pcg.report.preference_tables import TOGETHER, group_effects, neighbours, p_text, subgroups, together
from pcg.report.preferences import best_liked, group_finding, parts_finding

Number = tuple[str, str, str, float]
"""Table, row, name, value."""


@dataclass(frozen=True, eq=False)
class ChoiceAnalysis:
    """Results of a study of sets, as the page shows them."""

    choices: Sequence[Choice]
    groups: Mapping[str, str]
    failed: Mapping[str, tuple[int, int]]
    """Participant -> attention checks failed, and shown."""
    fit: ChoiceFit
    bootstrap: Array
    """Intervals of the utilities over participants drawn anew, (items, 2)."""
    after: Posterior
    sets: tuple[tuple[str, ...], Posterior] | None
    """Mean utilities of groups."""
    mixed: MixedEffects | None
    """Groups compared with participants and items as random effects, where the choices carry it."""
    comparisons: Mapping[str, Comparison]
    """Participants of several kinds, as "device" -> comparison."""

    @property
    def size(self) -> int:
        """Number of items of a set."""
        return max(len(choice.items) for choice in self.choices)

    @property
    def parts(self) -> list[list[str]]:
        """The items, as choices connect them."""
        return compared_parts(choice.items for choice in self.choices)

    @property
    def ranking(self) -> list[int]:
        """Places of the items in `fit`, the best liked first."""
        return [int(k) for k in np.argsort(-self.after.mean, kind="stable")]

    def counts(self) -> dict[str, tuple[int, int, int]]:
        """Return for each item how often it was shown, the best, and the worst."""
        shown = Counter(item for choice in self.choices for item in choice.items)
        best, worst = Counter(c.best for c in self.choices), Counter(c.worst for c in self.choices)
        return {item: (shown[item], best[item], worst[item]) for item in self.fit.items}

    def places(self) -> list[tuple[int, int]]:
        """Return for each place in the order shown how often the best and the worst stood there."""
        found = [choice.places for choice in self.choices]
        return [(sum(b == k for b, _ in found), sum(w == k for _, w in found)) for k in range(self.size)]

    def place_p_value(self) -> float:
        """Return the p-value of the chi-squared test that the best stands in all places equally often."""
        from scipy.stats import chisquare

        return float(chisquare([best for best, _ in self.places()]).pvalue)


def choice_report(
    choices: Sequence[Choice],
    groups: Mapping[str, str] | None,
    out: Path | str,
    *,
    title: str,
    samples: int = 1000,
    seed: int = 0,
    failed: Mapping[str, tuple[int, int]] | None = None,
    fast: float = 0.0,
    kinds: Mapping[str, Mapping[str, str]] | None = None,
) -> Path:
    """Write the report of a study of sets into a folder; returns the path of the page.

    Args:
        choices: all, without attention checks.
        groups: item -> group (generator), or None.
        out: folder, made if it does not exist.
        title: of the page.
        samples: of the bootstrap.
        seed: of the bootstrap.
        failed: participant -> attention checks failed, and shown.
        fast: seconds for a set below which a participant was too fast.
        kinds: what participants are told apart by, as "device" -> participant -> subgroup.

    Raises:
        PcgError: for no choices.
    """
    if not choices:
        raise PcgError("there are no votes to report")
    table = ChoiceTable(choices)
    fitted, drawn = choice_bootstrap(choices, samples=samples, seed=seed)
    after = table.posterior()
    # groups that were never shown together are held together by the prior alone
    several = groups and any(len({groups[item] for item in choice.items}) > 1 for choice in choices)
    sets = after.of_groups([groups[item] for item in table.items]) if groups and several else None
    mixed = mixed_choices(choices, groups) if groups else None
    compared = {name: compare_choices(choices, kind, seed=seed) for name, kind in (kinds or {}).items()}
    found = ChoiceAnalysis(choices, groups or {}, failed or {}, fitted, drawn, after, sets, mixed, compared)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    made = _tables(found, table, fast)
    told = "Of two items shown together, a difference of 1 means that the better one is chosen 2.7 times as often."
    figure = ("Utilities", told)
    from markupsafe import Markup

    svg = {
        own: draw.utilities(fitted.items, after.mean, after.intervals(), found.groups, standalone=own)
        for own in (True, False)
    }
    files = {f"{name}.csv": one.csv() for name, one in made.items()} | {"utilities.svg": svg[True]}
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("table", "row", "name", "value"), *numbers_of(found)])
    files["numbers.csv"] = text.getvalue()
    best, second = (fitted.items[k] for k in found.ranking[:2])
    sure = after.above(*found.ranking[:2])
    seconds = [choice.seconds for choice in choices if choice.seconds > 0]
    people = len({choice.participant for choice in choices})
    facts = [("sets judged", f"{len(choices):,}"), ("participants", f"{people:,}"), ("items", f"{len(table.items):,}")]
    facts += [("median time", f"{median(seconds):.0f} s")] if seconds else []
    files[PAGE] = render_page(
        "preferences", version=pcg.__version__, title=title, facts=facts, tables=made,
        lead=best_liked(best, second, sure, found.parts),
        figures={"utilities": (*figure, Markup(svg[False]))}, findings=_findings(found),
    )  # fmt: skip
    for name, content in files.items():
        (out / name).write_text(content, encoding="utf-8", newline="\n")
    return out / PAGE


def numbers_of(found: ChoiceAnalysis) -> list[Number]:
    """Return the numbers of a report that do not depend on random draws.

    Args:
        found: the analysis that the report shows.
    """
    fitted, after = found.fit, found.after
    people = len({choice.participant for choice in found.choices})
    facts = {"choices": len(found.choices), "participants": people, "items": len(fitted.items)}
    rows: list[Number] = [("facts", "", name, float(value)) for name, value in facts.items()]
    rows.append(("facts", "", "dispersion", after.dispersion))
    intervals, counts = after.intervals(), found.counts()
    for k, item in enumerate(fitted.items):
        reach = 1.959963984540054 * float(fitted.errors[k])
        values = dict(zip(("shown", "best", "worst"), counts[item], strict=True)) | {
            "utility": after.mean[k], "low": intervals[k, 0], "high": intervals[k, 1], "luce": fitted.utilities[k],
            "wald-low": fitted.utilities[k] - reach, "wald-high": fitted.utilities[k] + reach,
        }  # fmt: skip
        rows += [("items", item, name, float(value)) for name, value in values.items()]
    if found.sets:
        names, mean = found.sets
        for k, (name, ends) in enumerate(zip(names, mean.intervals(), strict=True)):
            rows += [("sets", name, "utility", float(mean.mean[k])), ("sets", name, "low", float(ends[0])),
                     ("sets", name, "high", float(ends[1]))]  # fmt: skip
    if found.mixed:
        rows += [("group-effects", f"{d.one} / {d.other}", name, value) for d in found.mixed.differences
                 for name, value in (("difference", d.estimate), ("error", d.error))]  # fmt: skip
        rows += [("group-effects", "", name, value) for name, value in
                 (("items", found.mixed.items), ("tastes", found.mixed.tastes))]  # fmt: skip
    for k, (best, worst) in enumerate(found.places()):
        rows += [("order", str(k + 1), "best", best), ("order", str(k + 1), "worst", worst)]
    rows += [(f"by-{kind}", one.name, name, float(getattr(one, name))) for kind, all_ in found.comparisons.items()
             for one in all_.kinds for name in ("participants", "votes", "first", "seconds")
             if getattr(one, name) == getattr(one, name)]  # fmt: skip
    return [*rows, ("order", "", "p", found.place_p_value())]


def _findings(found: ChoiceAnalysis) -> list[tuple[str, str]]:
    shares = ", ".join(f"{best / len(found.choices):.0%}" for best, _ in found.places())
    p = found.place_p_value()
    said = [
        *parts_finding(found.parts),
        ("Order", f"Of the best, {shares} stood in the first to the last place ({p_text(p)} for all alike). "
         + ("Places are not alike." if p < 0.05 else "No effect of order is seen.")),
        ("Model", "Each choice is one observation of Luce's model: of the items shown the best is chosen in proportion "
         "to exp(utility), the worst of those left in proportion to exp(-utility). It takes for granted that what else "
         "is shown does not change how two items compare, and that all participants have one taste; the bootstrap over "
         "participants does without the second."),
    ]  # fmt: skip
    if found.sets:
        modelled = f" {group_finding(found.mixed)}" if found.mixed else ""
        said.append(("Groups", "Groups are ranked by the mean utilities of their items: of these items, as these "
                     f"people judged them.{modelled}"))  # fmt: skip
    return said


def _tables(found: ChoiceAnalysis, table: ChoiceTable, fast: float) -> dict[str, Table]:
    fitted, after, counts = found.fit, found.after, found.counts()
    intervals, ranks = after.intervals(), after.ranks()
    rows = [
        [
            _n(place), Cell(fitted.items[k]), *([Cell(found.groups[fitted.items[k]])] if found.groups else []),
            _signed(float(after.mean[k])), _interval(intervals[k], "{:+.2f}"), Cell(f"{ranks[k, 0]}–{ranks[k, 1]}"),
            *(_n(count) for count in counts[fitted.items[k]]), _signed(float(fitted.utilities[k])),
            _interval(found.bootstrap[k], "{:+.2f}"),
        ]
        for place, k in enumerate(found.ranking, start=1)
    ]  # fmt: skip
    columns = [
        Column("place"), Column("item"), *([Column("group")] if found.groups else []),
        Column("utility", "log odds, 0 for the average item; mean of the posterior"),
        Column("95 % interval", "of the posterior; holds under adaptive pairing too"),
        Column("ranks", "places that are left open with 95 %, on average over the items"), Column("shown"),
        Column("best"), Column("worst"), Column("Luce", "maximum likelihood"),
        Column("bootstrap", "95 % interval, by participants"),
    ]  # fmt: skip
    note = f"Luce's choice model, under a normal prior whose width the choices tell. {together(after)}"
    made = {"items": Table("Items", columns, rows, note)}
    if found.sets:
        names, mean = found.sets
        ends, order = mean.intervals(), np.argsort(-mean.mean, kind="stable")
        rows = [[Cell(names[k]), _signed(float(mean.mean[k])), _interval(ends[k], "{:+.2f}")] for k in order]
        columns = [Column("group"), Column("utility", "mean of its items"), Column("95 % interval", "of the posterior")]
        made["sets"] = Table("Which set is preferred?", columns, rows, TOGETHER)
        of = [found.groups[item] for item in table.items]
        made["group-neighbours"] = replace(
            neighbours(more_choices(table, of), "sets", "with items of both"), title="Neighbours among the groups",
            note="Of these items, as these people judged them; for other items, more items are needed too.",
        )  # fmt: skip
    if found.mixed:
        made["group-effects"] = group_effects(found.mixed)
    made["neighbours"] = neighbours(more_choices(table), "sets", "with both")
    places = [[_n(k + 1), _n(best), _n(worst)] for k, (best, worst) in enumerate(found.places())]
    made["order"] = Table("Order", [Column("place"), Column("best"), Column("worst")], places)
    for kind, compared in found.comparisons.items():
        if len(compared.kinds) > 1:
            made[f"by-{kind}"] = subgroups(kind, compared, sets=True)
    made["participants"] = _participants(found, fast)
    return made


def _participants(found: ChoiceAnalysis, fast: float) -> Table:
    rows = []
    for who in dict.fromkeys(choice.participant for choice in found.choices):
        mine = [choice for choice in found.choices if choice.participant == who]
        most = Counter(choice.places[0] for choice in mine).most_common(1)[0][1]
        taken = median(choice.seconds for choice in mine)
        wrong, shown = found.failed.get(who, (0, 0))
        reasons = [text for text, there in (("fast", 0 < taken < fast), ("failed checks", wrong > 0),
                                            ("always one place", most == len(mine) >= 6)) if there]  # fmt: skip
        cells = [Cell(who), _n(len(mine)), _n(taken, f"{taken:.1f}"), _n(most / len(mine), f"{most / len(mine):.0%}"),
                 Cell(f"{wrong} of {shown}"), Cell(", ".join(reasons))]  # fmt: skip
        rows.append((-len(reasons), cells))
    columns = [
        Column("participant"), Column("sets"), Column("seconds", "median for a set"),
        Column("same place", "share of the most frequent"), Column("failed checks"), Column("reasons"),
    ]  # fmt: skip
    note = "Who stands out, first. Nobody is left out of the analysis for it."
    return Table("Participants", columns, [row for _, row in sorted(rows, key=lambda row: row[0])], note)
