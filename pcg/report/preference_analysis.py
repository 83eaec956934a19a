"""Analysis of a preference study: everything that its report shows, worked out from the votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pcg.engine.vgdl.diagnostics import PcgError
from pcg.evaluators.preferences.consistency import Limits, Suspicion, Transitivity, suspicions, transitivity_of_each
from pcg.evaluators.preferences.davidson import Fit, fit
from pcg.evaluators.preferences.intervals import SAMPLES, Bootstrap, bootstrap
from pcg.evaluators.preferences.mixed import MixedEffects, mixed_effects
from pcg.evaluators.preferences.outcomes import OutcomeEffect, outcome_effect
from pcg.evaluators.preferences.posterior import Posterior, posterior
from pcg.evaluators.preferences.power import PowerPoint, simulate_power
from pcg.evaluators.preferences.shares import Shares, check_groups, shares
from pcg.evaluators.preferences.subgroups import Comparison, compare_subgroups
from pcg.evaluators.preferences.votes import Vote, count_votes, preferences

_POWER_STUDIES = 20


@dataclass(frozen=True, slots=True)
class Analysis:
    """Results of a study, as the page shows them."""

    votes: Sequence[Vote]
    chosen: Sequence[Vote]
    groups: Mapping[str, str]
    question: str
    samples: Bootstrap
    after: Posterior
    """Utilities whose intervals hold under adaptive pairing, which the page shows."""
    shares: Shares | None
    mixed: MixedEffects | None
    """Groups compared with participants and items as random effects, where the votes carry it."""
    outcome: OutcomeEffect
    suspicious: Sequence[Suspicion]
    circles: Mapping[str, Transitivity]
    power: Sequence[PowerPoint]
    comparisons: Mapping[str, Comparison]
    """Comparisons of subgroups of participants, by the attribute that defines them."""
    sets: tuple[tuple[str, ...], Posterior] | None
    """Ranking of groups of items (generators, courses), from votes on items of two groups."""

    @property
    def fit(self) -> Fit:
        """Return the maximum-likelihood estimates."""
        return self.samples.fit

    @property
    def between_groups(self) -> Shares | None:
        """Return the shares of groups, if any vote was between two of them."""
        return self.shares if self.shares and any(group.shown for group in self.shares.groups) else None

    @property
    def ranking(self) -> list[str]:
        """Return the items, the best liked first."""
        return [self.fit.items[k] for k in np.argsort(-self.after.mean, kind="stable")]


def analyse_votes(
    votes: Sequence[Vote],
    groups: Mapping[str, str] | None = None,
    *,
    question: str | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    passed: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    power: bool = True,
    kinds: Mapping[str, Mapping[str, str]] | None = None,
) -> Analysis:
    """Analyse the votes of a study.

    Args:
        votes: all, with the attention checks.
        groups: item -> group (generator).
        question: see `preferences`.
        samples: of the bootstrap.
        seed: of the bootstrap and of the simulated studies.
        passed: attention check -> the answer that passes it.
        limits: from where on a participant is suspicious.
        power: whether to simulate studies of other sizes, which takes a second or two.
        kinds: what participants are told apart by, as "device" -> participant -> subgroup.

    Raises:
        PcgError: for no votes, several questions, or an item without a group.
    """
    chosen = preferences(votes, question)
    if not chosen:
        raise PcgError("there are no votes to report")
    if groups:
        check_groups(chosen, groups)
    found = bootstrap(chosen, samples=samples, seed=seed, question=question)
    fitted = found.fit
    return Analysis(
        votes, chosen, dict(groups or {}), chosen[0].question, found, posterior(fitted, chosen),
        shares(chosen, groups, question=question) if groups else None,
        mixed_effects(chosen, groups, question=question) if groups else None,
        outcome_effect(chosen, question=question),
        suspicions(votes, fitted, limits=limits, passed=passed, question=question),
        transitivity_of_each(chosen, question=question),
        _power(fitted, chosen, seed) if power else (),
        {name: compare_subgroups(chosen, kind, question=question, seed=seed) for name, kind in (kinds or {}).items()},
        _sets(chosen, groups or {}),
    )  # fmt: skip


def _sets(votes: Sequence[Vote], groups: Mapping[str, str]) -> tuple[tuple[str, ...], Posterior] | None:
    """Fit utilities of groups to the votes on items of two different ones."""
    between = [
        replace(vote, first=groups[vote.first], second=groups[vote.second])
        for vote in votes
        if vote.first in groups and groups[vote.first] != groups[vote.second]
    ]
    if not between:
        return None
    fitted = fit(count_votes(between))
    return fitted.items, posterior(fitted, between)


def _power(fitted: Fit, votes: Sequence[Vote], seed: int) -> list[PowerPoint]:
    """Simulate studies of several sizes with items, utilities, ties and pairs per participant like this one's."""
    people = len({vote.participant for vote in votes})
    items = len(fitted.items)
    # What is estimated scatters by its errors on top of what is true.
    spread = float(np.sqrt(max(0.01, fitted.utilities.var() - (fitted.errors**2).mean())))
    tied = sum(vote.preferred is None for vote in votes) / len(votes)
    each = max(1, min(round(len(votes) / people), items * (items - 1) // 2))
    sizes = sorted({max(2, round(people * factor)) for factor in (0.25, 0.5, 1, 2)})
    if max(sizes) * each > 40_000 or items > 60:
        return []
    return simulate_power(
        items, spread=spread, ties=min(tied, 0.9), pairs=each, participants=sizes, studies=_POWER_STUDIES, seed=seed
    )
