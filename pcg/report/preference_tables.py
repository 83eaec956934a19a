"""Tables of the report of a preference study (`pcg.report.preferences`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pcg.evaluators.preferences.mixed import MixedEffects
from pcg.evaluators.preferences.outcomes import OutcomeEffect
from pcg.evaluators.preferences.posterior import Posterior
from pcg.evaluators.preferences.power import MoreVotes, PowerPoint, more_votes
from pcg.evaluators.preferences.rankings import agreement
from pcg.evaluators.preferences.shares import Shares
from pcg.evaluators.preferences.subgroups import Comparison
from pcg.report.base import Cell, Column, Table
from pcg.report.base import interval_cell as _interval
from pcg.report.base import number_cell as _n
from pcg.report.base import signed_cell as _signed
from pcg.report.preference_analysis import Analysis


def p_text(p: float) -> str:
    """Return a p-value as people write it.

    >>> p_text(0.00004), p_text(0.0213)
    ('p < 0.0001', 'p = 0.021')
    """
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def tables(found: Analysis) -> dict[str, Table]:
    """Return the tables by the names of their files."""
    made = {"items": _items(found)}
    if found.between_groups:
        made |= {"groups": _groups(found.between_groups), "group-pairs": _group_pairs(found.between_groups)}
    if found.mixed:
        made["group-effects"] = group_effects(found.mixed)
    if found.sets:
        made["sets"] = _set_table(*found.sets)
    made["neighbours"] = neighbours(more_votes(found.fit))
    if found.outcome.table:
        made["outcomes"] = _outcomes(found.outcome)
    if found.power:
        made["power"] = _power_table(found.power)
    for name, comparison in found.comparisons.items():
        if len(comparison.kinds) > 1:
            made[f"by-{name}"] = subgroups(name, comparison)
    made["participants"] = _participants(found)
    return made


TOGETHER = (
    "Where tastes differ, utilities and intervals are of what participants choose together; the mean of their own "
    "utilities lies further from 0, in the same order, and these are no 95 % intervals for it."
)


def together(after: Posterior) -> str:
    """Sentences on what utilities and intervals are of, and how much wider these are as people have own tastes."""
    wider = float(np.sqrt(after.dispersion)) - 1
    told = f" As answers of the same people resemble each other, intervals are {wider:.0%} wider."
    return TOGETHER + (told if wider >= 0.005 else "")


def _items(found: Analysis) -> Table:
    fitted = found.fit
    after, intervals, ranks = found.after.mean, found.after.intervals(), found.after.ranks()
    drawn, wald = found.samples.intervals(), fitted.wald()
    names, methods, _ = agreement(found.chosen, fitted, question=found.question)
    shown, wins, ties = fitted.counts.appearances(), fitted.counts.wins().sum(axis=1), fitted.counts.ties().sum(axis=1)
    rows = []
    for place, item in enumerate(found.ranking, start=1):
        k = fitted.counts.index[item]
        others = [_n(methods[m, k], f"{methods[m, k]:,.2f}" if name != "Glicko-2" else f"{methods[m, k]:,.0f}")
                  for m, name in enumerate(names) if m]  # fmt: skip
        rows.append([
            _n(place), Cell(item), *([Cell(found.groups[item])] if found.groups else []),
            _signed(float(after[k])), _interval(intervals[k], "{:+.2f}"), Cell(f"{ranks[k, 0]}–{ranks[k, 1]}"),
            _n(shown[k]), _n(wins[k]), _n(ties[k]), _signed(float(fitted.utilities[k])),
            _interval(drawn[k], "{:+.2f}"), _interval(wald[k], "{:+.2f}"), *others,
        ])  # fmt: skip
    columns = [
        Column("place", ""), Column("item", ""), *([Column("group", "")] if found.groups else []),
        Column("utility", "log odds, 0 for the average item; mean of the posterior"),
        Column("95 % interval", "of the posterior; holds under adaptive pairing too"),
        Column("ranks", "places that are left open with 95 %, on average over the items"), Column("shown", ""),
        Column("preferred", ""), Column("ties", ""), Column("Bradley-Terry", "maximum likelihood, with ties"),
        Column("bootstrap", "95 % interval, by participants"), Column("Wald", "95 % interval, from the curvature"),
        *(Column(name, "another way to rank; see docs/preferences.md") for name in names[1:]),
    ]  # fmt: skip
    about = ", ".join(f"{name} {value:+.2f}".replace("-", "−") for name, value in fitted.parameters.items())
    note = f"Bradley-Terry with ties (Davidson), under a normal prior whose width the votes tell. {about}"
    return Table("Items", columns, rows, f"{note.strip().rstrip('.')}. {together(found.after)}")


def _set_table(names: Sequence[str], after: Posterior) -> Table:
    order = np.argsort(-after.mean, kind="stable")
    intervals, ranks = after.intervals(), after.ranks()
    rows = []
    for place, k in enumerate(order, start=1):
        below = order[place] if place < len(order) else None
        sure = Cell("") if below is None else _n(after.above(k, below), f"{after.above(k, below):.1%}")
        rows.append([
            _n(place), Cell(names[k]), _signed(float(after.mean[k])), _interval(intervals[k], "{:+.2f}"),
            Cell(f"{ranks[k, 0]}–{ranks[k, 1]}"), sure,
        ])  # fmt: skip
    columns = [
        Column("place", ""), Column("group", ""), Column("utility", "log odds, 0 for the average group"),
        Column("95 % interval", "of the posterior; holds under adaptive pairing too"),
        Column("ranks", "places that are left open with 95 %, on average over the groups"),
        Column("above the next", "probability"),
    ]  # fmt: skip
    note = (
        f"Bradley-Terry with ties on the votes between groups: of these items, as these people judged them. {TOGETHER}"
    )
    return Table("Which set is preferred?", columns, rows, note)


def subgroups(name: str, found: Comparison, *, sets: bool = False) -> Table:
    """Return the table of the comparison of participants of several kinds.

    Args:
        name: of what tells them apart.
        found: the comparison.
        sets: it is of sets, of which there are no ties.
    """
    rows = [
        [
            Cell(one.name), _n(one.participants), _n(one.votes), *([] if sets else [_n(one.ties, f"{one.ties:.0%}")]),
            Cell("") if one.first != one.first else _n(one.first, f"{one.first:.0%}"),
            Cell("") if one.seconds != one.seconds else _n(one.seconds, f"{one.seconds:.1f}"),
        ]
        for one in found.kinds
    ]  # fmt: skip
    columns = [
        Column(name, ""), Column("participants", ""), Column("votes", ""),
        *([] if sets else [Column("ties", "share of the votes")]),
        Column("first", "share of the choices" if sets else "of the decided votes"),
        Column("seconds", "median for a set" if sets else "median for a pair"),
    ]  # fmt: skip
    note = "Too few participants to test whether tastes differ."
    if found.p_value is not None:
        note = f"All prefer the same items: permutation test over participants, {p_text(found.p_value)}."
    return Table(f"By {name}", columns, rows, note)


def _groups(found: Shares) -> Table:
    rows = [
        [
            Cell(g.group), _n(g.shown), _n(g.preferred), _n(g.both), _n(g.neither), _n(g.lost),
            _n(g.share, f"{g.share:.1%}"), _interval(g.wilson, "{:.1%}"), _interval(g.exact, "{:.1%}"),
            _n(g.liked, f"{g.liked:.1%}"), _n(g.p_value, f"{g.p_value:.3g}"), _n(g.adjusted, f"{g.adjusted:.3g}"),
        ]
        for g in found.groups
    ]  # fmt: skip
    columns = [
        Column("group", ""), Column("shown", "votes against other groups"), Column("preferred", ""),
        Column("both", ""), Column("neither", ""), Column("other", "votes for the other alone"),
        Column("share", "preferred of shown"), Column("Wilson", "95 % interval of the share"),
        Column("exact", "Clopper-Pearson"), Column("liked", "preferred or both"),
        Column("p", "sign test: preferred against other"), Column("p (Holm)", "corrected for the number of groups"),
    ]  # fmt: skip
    note = f"All groups preferred alike: exact multinomial test, {p_text(found.even)}."
    if found.within:
        note += f" {found.within} votes were on two items of one group and do not count here."
    return Table("Groups", columns, rows, note)


def _group_pairs(found: Shares) -> Table:
    rows = [
        [
            Cell(p.one), Cell(p.other), _n(p.for_one), _n(p.for_other), _n(p.both), _n(p.neither),
            _n(p.share, f"{p.share:.1%}"), _interval(p.interval, "{:.1%}"), _n(p.p_value, f"{p.p_value:.3g}"),
            _n(p.adjusted, f"{p.adjusted:.3g}"),
        ]
        for p in found.pairs
    ]  # fmt: skip
    columns = [
        Column("one", ""), Column("other", ""), Column("for one", ""), Column("for other", ""), Column("both", ""),
        Column("neither", ""), Column("share", "for one, of the decided votes"),
        Column("exact", "Clopper-Pearson, 95 %"), Column("p", "sign test"), Column("p (Holm)", ""),
    ]  # fmt: skip
    return Table("Group against group", columns, rows)


def group_effects(found: MixedEffects) -> Table:
    """Return the table of differences between groups, with participants and items as random effects."""
    rows = [
        [
            Cell(d.one), Cell(d.other), _signed(d.estimate), _n(d.error, f"{d.error:.2f}"),
            _interval(d.interval, "{:+.2f}"), _n(d.share, f"{d.share:.1%}"), _interval(d.share_interval, "{:.1%}"),
            _n(d.p_value, f"{d.p_value:.3g}"), _n(d.adjusted, f"{d.adjusted:.3g}"),
        ]
        for d in found.differences
    ]  # fmt: skip
    columns = [
        Column("one", ""), Column("other", ""), Column("difference", "log odds"), Column("error", "standard error"),
        Column("95 % interval", f"of the difference; Student's distribution, {found.degrees} degrees of freedom"),
        Column("chance", "that an average item of one is preferred to an average item of the other"),
        Column("interval", "95 %, of the chance"), Column("p", "of no difference"), Column("p (Holm)", ""),
    ]  # fmt: skip
    note = (
        "What the votes say of other participants and other items: both are random effects, so votes of one person or "
        f"on one item do not count as independent. Items of a group differ by {found.items:.2f}, tastes for a group "
        f"by {found.tastes:.2f} (standard deviations in log odds). "
    )
    if found.position is not None:
        note += f"Being shown first adds {found.position[0]:+.2f}; {found.left_out} ties are left out. "
        note += "Laplace's approximation, as in lme4."
    else:
        note += "Luce's model, each choice one observation; Laplace's approximation, as in TMB."
    return Table("Groups, for other participants and other items", columns, rows, note.replace(" -", " −"))


def neighbours(open_: Sequence[MoreVotes], what: str = "votes", about: str = "on this pair") -> Table:
    """Return the table of what would settle the order of neighbours.

    Args:
        open_: neighbours in the ranking.
        what: that settles it.
        about: which of these.
    """
    rows = [
        [
            Cell(m.one), Cell(m.other), _signed(m.difference), _n(m.error, f"{m.error:.2f}"),
            _n(m.p_value, f"{m.p_value:.3g}"),
            Cell("no difference") if m.votes is None else _n(m.votes, "settled" if m.votes == 0 else f"{m.votes:,}"),
        ]
        for m in open_
    ]  # fmt: skip
    columns = [
        Column("item", ""), Column("next", ""), Column("difference", "log odds"), Column("error", "standard error"),
        Column("p", "Wald"),
        Column(f"more {what}", f"{about}, to settle it at 5 % with power 80 %, were the difference as estimated"),
    ]  # fmt: skip
    return Table("Neighbours in the ranking", columns, rows)


def _outcomes(found: OutcomeEffect) -> Table:
    words = {"win": "won", "loss": "lost", "": "given up"}
    rows = [[Cell(words[first]), Cell(words[second]), *map(_n, numbers)] for first, second, *numbers in found.table]
    names = ("first play", "second play", "for first", "for second", "both", "neither")
    return Table("Votes by how the plays ended", [Column(name, "") for name in names], rows)


def _power_table(points: Sequence[PowerPoint]) -> Table:
    rows = [
        [_n(p.participants), _n(p.votes), *(_n(v, f"{v:.2f}") for v in (p.tau, p.tau_low, p.best, p.power, p.width))]
        for p in points
    ]
    columns = [
        Column("participants", ""), Column("votes", ""), Column("tau", "Kendall, with the true ranking; mean"),
        Column("tau, 9 of 10", "reached by nine studies in ten"), Column("best found", "share of the studies"),
        Column("pairs told apart", "significant at 5 %"), Column("half width", "of 95 % intervals"),
    ]  # fmt: skip
    note = "Simulated studies with utilities, ties and pairs per participant like those of this one."
    return Table("Had there been more votes, or fewer", columns, rows, note)


def _participants(found: Analysis) -> Table:
    rows = [
        [
            Cell(s.participant), _n(s.votes), Cell("") if s.seconds is None else _n(s.seconds, f"{s.seconds:.1f}"),
            _n(s.first, f"{s.first:.0%}"), _n(s.one_side, f"{s.one_side:.2g}"),
            _n(s.same_answer, f"{s.same_answer:.0%}"), Cell(f"{s.failed} of {s.checks}"),
            Cell("") if s.agreement is None else _n(s.agreement, f"{s.agreement:.0%}"),
            _n(s.against, f"{s.against:.2g}"),
            Cell(", ".join(s.reasons)),
        ]
        for s in found.suspicious
    ]  # fmt: skip
    columns = [
        Column("participant", ""), Column("votes", ""), Column("seconds", "median for a pair"),
        Column("first", "of the decided votes"), Column("p (side)", "sign test"),
        Column("same answer", "share of the most frequent"), Column("failed checks", ""),
        Column("agreement", "decided votes for the item that is better in all"),
        Column("p (agreement)", "of so little"), Column("reasons", ""),
    ]  # fmt: skip
    return Table("Participants", columns, rows, "Who stands out, first. Nobody is left out of the analysis for it.")
