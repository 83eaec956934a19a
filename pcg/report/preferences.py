"""Report of a preference study: a page with tables and figures.

`preference_report` writes `report.html`, the tables as CSV, all numbers in `numbers.csv`, and the figures as SVG into a
folder. Everything is worked out from the votes; equal votes give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pcg
from pcg.evaluators.preferences.consistency import (
    Limits,
    agreement_between_people,
    compared_parts,
    position_bias,
    transitivity_of_all,
)
from pcg.evaluators.preferences.intervals import SAMPLES
from pcg.evaluators.preferences.mixed import MixedEffects
from pcg.evaluators.preferences.rankings import agreement
from pcg.evaluators.preferences.shares import Shares
from pcg.evaluators.preferences.votes import Vote, read_groups, read_votes, write_votes
from pcg.report.base import PAGE, render_page
from pcg.report.figures import preferences as draw
from pcg.report.preference_analysis import Analysis, analyse_votes
from pcg.report.preference_numbers import numbers_csv
from pcg.report.preference_tables import p_text, tables

__all__ = ["analyse_votes", "preference_report", "read_groups", "read_votes", "render_preferences", "write_votes"]

SOME = 4
"""Items of a part that a finding names."""


def preference_report(
    votes: Sequence[Vote],
    groups: Mapping[str, str] | None,
    out: Path | str,
    *,
    title: str = "Which do people prefer?",
    question: str | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    passed: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    kinds: Mapping[str, Mapping[str, str]] | None = None,
) -> Path:
    """Write the report of a study into a folder; returns the path of the page.

    Args:
        votes: all, with the attention checks.
        groups: item -> group (generator), or None.
        out: folder, made if it does not exist.
        title: of the page.
        question: see `preferences`.
        samples: of the bootstrap.
        seed: of everything that is drawn.
        passed: attention check -> the answer that passes it.
        limits: from where on a participant is suspicious.
        kinds: see `analyse_votes`.

    Raises:
        PcgError: see `analyse_votes`.
    """
    found = analyse_votes(
        votes, groups, question=question, samples=samples, seed=seed, passed=passed, limits=limits, kinds=kinds
    )
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    files = {f"{name}.csv": table.csv() for name, table in tables(found).items()}
    files |= {f"{name}.svg": make(standalone=True) for name, (_, _, make) in figures(found).items()}
    files["numbers.csv"] = numbers_csv(found)
    files[PAGE] = render_preferences(found, title)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
    return out / PAGE


def render_preferences(found: Analysis, title: str) -> str:
    """Return the page as HTML."""
    from markupsafe import Markup

    drawings = {name: (head, note, Markup(make())) for name, (head, note, make) in figures(found).items()}
    return render_page(
        "preferences", version=pcg.__version__, title=title, lead=_lead(found), facts=_facts(found),
        tables=tables(found), figures=drawings, findings=_findings(found),
    )  # fmt: skip


# -- words -------------------------------------------------------------------------------------------------------------


def _lead(found: Analysis) -> str:
    best, second = found.ranking[0], found.ranking[1]
    sure = found.after.above(found.fit.counts.index[best], found.fit.counts.index[second])
    said = best_liked(best, second, sure, compared_parts((vote.first, vote.second) for vote in found.chosen))
    if found.between_groups:
        top = found.between_groups.groups[0]
        share = f"{top.share:.0%} of the votes in which it stood against another group"
        return f"{top.group} was preferred in {share}. {said}"
    return said


def best_liked(best: str, second: str, sure: float, parts: Sequence[Sequence[str]]) -> str:
    """Return the sentence about the two best-liked items.

    Args:
        best: the best-liked item.
        second: the next one.
        sure: probability that the first is better liked than the second.
        parts: of the items, as votes connect them.
    """
    said = f"The best-liked item is {best}; it is better liked than {second} with probability {sure:.0%}."
    if any((best in part) != (second in part) for part in parts):
        said += " No vote connects the two."
    return said


def parts_finding(parts: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return what is to be said where no votes connect some items with others: (heading, sentence), or nothing.

    Args:
        parts: of the items, as votes connect them.
    """
    if len(parts) < 2:
        return []
    named = "; ".join(", ".join(part[:SOME]) + (f" and {len(part) - SOME} more" if len(part) > SOME else "")
                      for part in parts)  # fmt: skip
    return [("Parts", f"No vote connects these {len(parts)} parts of the items: {named}. How items of different parts "
             "stand to one another is not known; that they are in one list says nothing about it.")]  # fmt: skip


def _facts(found: Analysis) -> list[tuple[str, str]]:
    seconds = sorted(v.seconds for v in found.chosen if v.seconds > 0)
    facts = [
        ("votes", f"{len(found.chosen):,}"),
        ("participants", f"{len({v.participant for v in found.chosen}):,}"),
        ("items", f"{len(found.fit.items):,}"),
    ]
    if found.groups:
        facts.append(("groups", f"{len({found.groups[i] for i in found.fit.items}):,}"))
    facts.append(("ties", f"{sum(v.preferred is None for v in found.chosen) / len(found.chosen):.0%}"))
    if seconds:
        facts.append(("median time", f"{seconds[len(seconds) // 2]:.0f} s"))
    facts.append(("suspicious", f"{sum(bool(s.reasons) for s in found.suspicious)}"))
    return facts


def _findings(found: Analysis) -> list[tuple[str, str]]:
    """Return (heading, sentence) about what the votes can bear."""
    bias = position_bias(found.chosen, question=found.question)
    alpha = agreement_between_people(found.chosen, question=found.question)
    decided = agreement_between_people(found.chosen, question=found.question, ties=False)
    every = transitivity_of_all(found.chosen, question=found.question)
    side = "first" if bias.share >= 0.5 else "second"
    said = [
        *parts_finding(compared_parts((vote.first, vote.second) for vote in found.chosen)),
        (
            "Order",
            f"{bias.share:.1%} of the {bias.first + bias.second:,} decided votes were for the item shown first "
            f"(95 % interval {bias.interval[0]:.1%} to {bias.interval[1]:.1%}; sign test {p_text(bias.p_value)}; with "
            f"the utilities held {p_text(bias.effect_p_value)}). "
            + (f"The {side} place is an advantage." if bias.effect_p_value < 0.05 else "No effect of order is seen."),
        ),
        (
            "Agreement",
            "No pair was judged by two participants."
            if alpha != alpha
            else f"Krippendorff's alpha is {alpha:.2f} over all answers and {decided:.2f} over decided ones (1 is full "
            "agreement, 0 that of chance). Tastes differ, so low values are usual in preferences; they are no reason "
            "to distrust a ranking, but to ask many people.",
        ),
    ]
    if found.mixed and found.shares:
        said.append(("Groups", group_finding(found.mixed, found.shares)))
    circles = (
        f"{every.circular} of {every.triads} triads of majorities are circular; chance would make {every.chance:.0f}."
    )
    if every.zeta is not None:
        circles += f" Kendall's coefficient of consistence is {every.zeta:.2f}."
    if every.p_value is not None:
        circles += f" So few by chance: {p_text(every.p_value)}."
    said.append(("Circles", circles))
    if found.outcome.pairs:
        o = found.outcome
        said.append((
            "Winning",
            f"Of {o.pairs} pairs of which one play was won, {o.won} votes went to the item that was won, {o.lost} to "
            f"the other, {o.ties} to neither alone (sign test {p_text(o.p_value)}). With the items held, winning adds "
            f"{o.effect:+.2f} to the log odds (standard error {o.error:.2f}, {p_text(o.effect_p_value)}).",
        ))  # fmt: skip
    return said


def group_finding(modelled: MixedEffects, counted: Shares | None = None) -> str:
    """Return which groups differ for other people and items too, and which only as votes are counted.

    Args:
        modelled: with participants and items as random effects.
        counted: with every vote for itself.
    """
    p_values = {(p.one, p.other): p.adjusted for p in counted.pairs} if counted else {}
    holds = [f"{d.one} and {d.other}" for d in modelled.differences if d.adjusted < 0.05]
    only = [
        f"{d.one} and {d.other}"
        for d in modelled.differences
        if d.adjusted >= 0.05 and p_values.get((d.one, d.other), 1.0) < 0.05
    ]
    said = "No difference between groups is found that would hold for other participants and other items."
    if holds:
        said = f"Also for other participants and other items, a difference is found between {', '.join(holds)}."
    if only:
        said += (
            f" The sign test tells {', '.join(only)} apart, but it takes every vote for independent: it speaks of "
            "these items as these people judged them."
        )
    return said


# -- figures -----------------------------------------------------------------------------------------------------------


def figures(found: Analysis) -> dict[str, tuple[str, str, Callable[..., str]]]:
    """Return (heading, note, what draws it) by the names of their files."""
    fitted = found.fit
    order = [fitted.counts.index[item] for item in found.ranking]
    made: dict[str, tuple[str, str, Callable[..., str]]] = {
        "utilities": (
            "Utilities",
            "Of two items a difference of 1 means that the better one is preferred with odds of 2.7 to 1.",
            lambda **k: draw.utilities(fitted.items, found.after.mean, found.after.intervals(), found.groups, **k),
        )
    }
    if split := found.between_groups:
        made["groups"] = ("Votes by group", "Behind each name the number of votes.",
                          lambda **k: draw.group_votes(split, **k))  # fmt: skip
    made["wins"] = ("Who was preferred to whom", "Votes for the item of the row against that of the column.",
                    lambda **k: draw.win_matrix(fitted.counts, order, **k))  # fmt: skip
    bias = position_bias(found.chosen, question=found.question)
    made["position"] = ("Order", "", lambda **k: draw.position(bias, **k))
    if any(t.triads for t in found.circles.values()):
        made["circles"] = ("Circles", "Of the participants of whom three items are known in all three pairs.",
                           lambda **k: draw.circles(found.circles, **k))  # fmt: skip
    names, _, taus = agreement(found.chosen, fitted, question=found.question)
    made["methods"] = ("Do the methods agree?", "Kendall's tau between the rankings.",
                       lambda **k: draw.agreement_map(names, taus, **k))  # fmt: skip
    if found.power:
        made["power"] = ("How many votes?", "Simulated studies like this one, of other sizes.",
                         lambda **k: draw.power_curve(found.power, len(found.chosen), **k))  # fmt: skip
    return made
