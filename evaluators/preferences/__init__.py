"""Preferences of people: pairwise votes, designs that choose the pairs, and models of the answers.

votes         the table of votes, and its files
designs       which pairs a participant is shown next; adaptive: by what the answers teach
davidson      utilities from votes (Bradley-Terry with ties)      intervals   how sure they are
posterior     intervals that hold under adaptive pairing          dispersion  what tastes of their own add to them
choices       utilities from choices of the best and worst of several     sets      which sets are shown
subgroups     whether subgroups of participants differ in their taste
shares        votes for groups, with exact tests                  rankings    other methods, as checks
mixed         the same for other people and other items: both as random effects
consistency   order, agreement, circles, suspicious participants  outcomes    whether winning matters
power         how many votes it takes                             simulation  participants with known tastes
model         what people like, from measurements of items (features): a weighted sum, or a gaussian_process
held_out      how well such a model predicts votes it did not see

Every name that users need is imported from here, the heavier ones on first use.
"""

from typing import TYPE_CHECKING

from pcg.engine.lazy_exports import lazy_exports as _lazy_exports
from pcg.evaluators.preferences.adaptive import DESIGNS, Adaptive, make_design
from pcg.evaluators.preferences.davidson import Fit, Prior, fit
from pcg.evaluators.preferences.designs import Balanced, Design, Full, Random, Tally, pairs_between
from pcg.evaluators.preferences.votes import (
    FOUR_WAY,
    TWO_WAY,
    PairCounts,
    Vote,
    count_votes,
    preferences,
    read_groups,
    read_votes,
    write_votes,
)

if TYPE_CHECKING:
    from pcg.evaluators.preferences.choices import Choice, ChoiceFit, ChoiceTable, choice_bootstrap, fit_choices
    from pcg.evaluators.preferences.consistency import (
        PositionBias,
        Suspicion,
        Transitivity,
        agreement_between_people,
        krippendorff_alpha,
        position_bias,
        suspicions,
        transitivity_of_all,
        transitivity_of_each,
    )
    from pcg.evaluators.preferences.features import feature_table, read_features
    from pcg.evaluators.preferences.intervals import Bootstrap, bootstrap, profile_intervals
    from pcg.evaluators.preferences.mixed import MixedEffects, mixed_choices, mixed_effects
    from pcg.evaluators.preferences.model import PreferenceModel, fit_model
    from pcg.evaluators.preferences.outcomes import OutcomeEffect, outcome_effect
    from pcg.evaluators.preferences.power import (
        MoreVotes,
        PowerPoint,
        more_choices,
        more_votes,
        simulate_power,
        votes_needed,
    )
    from pcg.evaluators.preferences.rankings import glicko, kendall, thurstone
    from pcg.evaluators.preferences.sets import SetDesign
    from pcg.evaluators.preferences.shares import shares as group_shares
    from pcg.evaluators.preferences.simulation import (
        Population,
        hidden_utilities,
        item_names,
        simulate_study,
        tie_parameter,
    )
    from pcg.evaluators.preferences.subgroups import compare_choices, compare_subgroups

_HOMES = {
    "Choice": "choices",
    "ChoiceFit": "choices",
    "SetDesign": "sets",
    "choice_bootstrap": "choices",
    "ChoiceTable": "choices",
    "fit_choices": "choices",
    "MixedEffects": "mixed",
    "mixed_choices": "mixed",
    "mixed_effects": "mixed",
    "Bootstrap": "intervals",
    "MoreVotes": "power",
    "OutcomeEffect": "outcomes",
    "Population": "simulation",
    "PositionBias": "consistency",
    "PowerPoint": "power",
    "PreferenceModel": "model",
    "Suspicion": "consistency",
    "Transitivity": "consistency",
    "agreement_between_people": "consistency",
    "bootstrap": "intervals",
    "compare_choices": "subgroups",
    "compare_subgroups": "subgroups",
    "feature_table": "features",
    "fit_model": "model",
    "glicko": "rankings",
    "group_shares": "shares:shares",
    "hidden_utilities": "simulation",
    "item_names": "simulation",
    "kendall": "rankings",
    "krippendorff_alpha": "consistency",
    "more_choices": "power",
    "more_votes": "power",
    "outcome_effect": "outcomes",
    "position_bias": "consistency",
    "profile_intervals": "intervals",
    "read_features": "features",
    "simulate_power": "power",
    "simulate_study": "simulation",
    "suspicions": "consistency",
    "thurstone": "rankings",
    "tie_parameter": "simulation",
    "transitivity_of_all": "consistency",
    "transitivity_of_each": "consistency",
    "votes_needed": "power",
}
"""Imported on first use: module and name."""

__all__ = [
    "DESIGNS",
    "FOUR_WAY",
    "TWO_WAY",
    "Adaptive",
    "Balanced",
    "Bootstrap",
    "Choice",
    "ChoiceFit",
    "ChoiceTable",
    "Design",
    "Fit",
    "Full",
    "MixedEffects",
    "MoreVotes",
    "OutcomeEffect",
    "PairCounts",
    "Population",
    "PositionBias",
    "PowerPoint",
    "PreferenceModel",
    "Prior",
    "Random",
    "SetDesign",
    "Suspicion",
    "Tally",
    "Transitivity",
    "Vote",
    "agreement_between_people",
    "bootstrap",
    "choice_bootstrap",
    "compare_choices",
    "compare_subgroups",
    "count_votes",
    "feature_table",
    "fit",
    "fit_choices",
    "fit_model",
    "glicko",
    "group_shares",
    "hidden_utilities",
    "item_names",
    "kendall",
    "krippendorff_alpha",
    "make_design",
    "mixed_choices",
    "mixed_effects",
    "more_choices",
    "more_votes",
    "outcome_effect",
    "pairs_between",
    "position_bias",
    "preferences",
    "profile_intervals",
    "read_features",
    "read_groups",
    "read_votes",
    "simulate_power",
    "simulate_study",
    "suspicions",
    "thurstone",
    "tie_parameter",
    "transitivity_of_all",
    "transitivity_of_each",
    "votes_needed",
    "write_votes",
]


__getattr__, __dir__ = _lazy_exports(__name__, _HOMES)
