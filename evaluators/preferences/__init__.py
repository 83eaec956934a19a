"""Preferences of people: pairwise votes, designs that choose the pairs, and models of the answers.

votes         the table of votes, and its files
designs       which pairs a participant is shown next; adaptive: by what the answers teach
davidson      utilities from votes (Bradley-Terry with ties)      intervals   how sure they are
posterior     intervals that hold under adaptive pairing
subgroups     whether subgroups of participants differ in their taste
shares        votes for groups, with exact tests                  rankings    other methods, as checks
mixed         the same for other people and other items: both as random effects
consistency   order, agreement, circles, suspicious participants  outcomes    whether winning matters
power         how many votes it takes                             simulation  participants with known tastes
model         what people like, from measurements of items (features): a weighted sum, or a gaussian_process
held_out      how well such a model predicts votes it did not see
"""

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

__all__ = [
    "DESIGNS",
    "FOUR_WAY",
    "TWO_WAY",
    "Adaptive",
    "Balanced",
    "Design",
    "Fit",
    "Full",
    "PairCounts",
    "Prior",
    "Random",
    "Tally",
    "Vote",
    "count_votes",
    "fit",
    "make_design",
    "pairs_between",
    "preferences",
    "read_groups",
    "read_votes",
    "write_votes",
]
