"""Shares of votes by which generators are compared, as the level-generation competitions report them.

Khalifa, Perez-Liebana, Lucas, Togelius: General Video Game Level Generation (2016) had people play two levels by two
generators and choose the first, the second, both or neither; reported are how often each generator was preferred
and binomial tests of pairs of them. Here each share comes with intervals, each pair of groups with an exact sign test
(ties left out), the whole with an exact multinomial test, and p-values are corrected for their number (Holm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pcg.engine.vgdl.diagnostics import PcgError, did_you_mean
from pcg.evaluators.preferences.exact import clopper_pearson, holm, multinomial_test, sign_test
from pcg.evaluators.preferences.votes import FOUR_WAY, Vote, items_of, preferences
from pcg.evaluators.tournament.ratings import wilson


@dataclass(frozen=True, slots=True)
class GroupShare:
    """The record of one group against the others."""

    group: str
    shown: int
    """Votes on pairs of an item of this group and one of another."""
    preferred: int
    """Votes for this group alone."""
    both: int
    neither: int
    lost: int
    """Votes for the other alone."""
    share: float
    """Of the votes in which it was preferred, of all in which it was shown."""
    wilson: tuple[float, float]
    exact: tuple[float, float]
    """Clopper-Pearson."""
    liked: float
    """Share of the votes that were for it or for both."""
    p_value: float
    """Sign test: preferred against lost."""
    adjusted: float
    """The same after Holm's correction over the groups."""


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups beside each other."""

    one: str
    other: str
    for_one: int
    for_other: int
    both: int
    neither: int
    share: float
    """Of the votes for `one` among those for either alone; 0.5 without any."""
    interval: tuple[float, float]
    """Clopper-Pearson, of this share."""
    p_value: float
    """Sign test, two-sided."""
    adjusted: float
    """After Holm's correction over the pairs."""


@dataclass(frozen=True, slots=True)
class Shares:
    """All groups and pairs of groups. `even` is the p-value of all groups being preferred in proportion to how often
    they were shown in votes that were decided; `answers` counts the answers of all votes, within groups too.
    """

    groups: tuple[GroupShare, ...]
    pairs: tuple[GroupPair, ...]
    even: float
    answers: Mapping[str, int]
    within: int
    """Votes on two items of one group, which say nothing about groups."""


def check_groups(votes: Sequence[Vote], groups: Mapping[str, str]) -> None:
    """Refuse votes on items without a group.

    Raises:
        PcgError: naming the item and the nearest one that has a group.
    """
    for item in items_of(votes):
        check_group(item, groups)


def check_group(item: str, groups: Mapping[str, str]) -> None:
    """Refuse an item without a group; see `check_groups`."""
    if item not in groups:
        raise PcgError(f"the item `{item}` has no group" + did_you_mean(item, groups))


def shares(
    votes: Sequence[Vote], groups: Mapping[str, str], *, question: str | None = None, confidence: float = 0.95
) -> Shares:
    """Count votes for groups, with tests.

    Args:
        votes: any; see `preferences`.
        groups: item -> group.
        question: see `preferences`.
        confidence: of the intervals.

    Raises:
        PcgError: for an item without a group.

    >>> votes = [Vote(f"p{k}", "a1", "b1", "first" if k < 8 else "second") for k in range(10)]
    >>> found = shares(votes, {"a1": "a", "b1": "b"})
    >>> found.groups[0].preferred, found.groups[0].share, round(found.pairs[0].p_value, 3)
    (8, 0.8, 0.109)
    """
    chosen = preferences(votes, question)
    check_groups(chosen, groups)
    names = sorted({groups[item] for item in items_of(chosen)})
    table = {pair: dict.fromkeys(("one", "other", "both", "neither"), 0) for pair in combinations(names, 2)}
    answers, within = dict.fromkeys(FOUR_WAY, 0), 0
    for vote in chosen:
        answers[vote.answer] += 1
        first, second = groups[vote.first], groups[vote.second]
        if first == second:
            within += 1
            continue
        row = table[min(first, second), max(first, second)]
        if vote.answer in row:
            row[vote.answer] += 1
        else:
            row["one" if (vote.answer == "first") == (first < second) else "other"] += 1
    pairs = _pairs(table, confidence)
    found, decided = [], []
    for name in names:
        mine = [p for p in pairs if name in (p.one, p.other)]
        won = sum(p.for_one if p.one == name else p.for_other for p in mine)
        lost = sum(p.for_other if p.one == name else p.for_one for p in mine)
        both, neither = sum(p.both for p in mine), sum(p.neither for p in mine)
        shown = won + lost + both + neither
        decided.append(won + lost)
        found.append(
            GroupShare(
                name, shown, won, both, neither, lost, won / shown if shown else 0.0, wilson(won, shown, confidence),
                clopper_pearson(won, shown, confidence), (won + both) / shown if shown else 0.0, sign_test(won, lost),
                1.0,
            )
        )  # fmt: skip
    adjusted = holm({g.group: g.p_value for g in found})
    total = sum(decided)
    even = 1.0
    if total and len(names) > 1:
        even = multinomial_test([g.preferred for g in found], [shown / total for shown in decided])
    ranked = sorted(found, key=lambda g: (-g.share, g.group))
    return Shares(tuple(_with(g, adjusted[g.group]) for g in ranked), tuple(pairs), even, answers, within)


def _with(share: GroupShare, adjusted: float) -> GroupShare:
    values = {name: getattr(share, name) for name in GroupShare.__dataclass_fields__}
    return GroupShare(**{**values, "adjusted": adjusted})


def _pairs(table: Mapping[tuple[str, str], Mapping[str, int]], confidence: float) -> list[GroupPair]:
    shown = {pair: row for pair, row in table.items() if sum(row.values())}
    p_values = {"\0".join(pair): sign_test(row["one"], row["other"]) for pair, row in shown.items()}
    adjusted = holm(p_values)
    found = []
    for (one, other), row in shown.items():
        key, decided = f"{one}\0{other}", row["one"] + row["other"]
        found.append(
            GroupPair(
                one, other, row["one"], row["other"], row["both"], row["neither"],
                row["one"] / decided if decided else 0.5, clopper_pearson(row["one"], decided, confidence),
                p_values[key], adjusted[key],
            )
        )  # fmt: skip
    return found
