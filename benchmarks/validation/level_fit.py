"""The fit of the judge of levels: weights with which hand-made levels come before generated ones of the same game.

Every measure of a level's text has a weight for being off to the upper and one for being off to the lower side, none
negative (being unlike a game's own levels is never rewarded). They minimise the logistic loss of pairs of a hand-made
and a generated level of one game (Bradley and Terry 1952), every game counting the same. People's votes about levels
(`level_votes`) are pairs like these, with weights of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from pcg.evaluators.fitness import LevelEvaluator
from pcg.evaluators.judging.level_features import NEVER_TOO_MUCH
from pcg.evaluators.judging.level_model import NAMES, LevelModel, spreads
from pcg.evaluators.judging.level_reference import DISTANCES, LIKENESSES
from pcg.evaluators.judging.levels import LevelJudge

Floats = NDArray[np.float64]
RIDGE = 0.003
"""Weight of the sum of squares of the weights beside the loss."""
PLAY = {"gap": 0.4, "start": 0.1, "beats": 0.1, "used": 0.2, "difficulty": 0.2}
"""Weights of the measures of plays. They are not fitted: levels that were bred for a gap say nothing against it."""
SHARE = 0.25
"""Share of the measures of plays in the value."""
INSISTED = frozenset({
    ("exact", "more"), ("beyond", "more"), ("foreign", "more"), ("targets", "less"), ("reachable", "less"),
    ("doors", "less"), ("roles", "more"), ("habits", "more"),
})  # fmt: skip
"""Faults that count whatever the fit says: two exits where there is always one, what counts out of reach, doors that
stand free, no enemy where there always is one, things that hang where they always stand. The generators of the
negatives rarely make them, and what is bred for this value would."""
INSISTENCE = 0.05
"""Share of these in the value of the text."""
HAND = "hand"
SOURCES = ("random", "constructive", "evolve")
"""The sources of generated levels."""
EMPHASIS = {"random": 0.5, "constructive": 1.5, "evolve": 1.0}
"""Weight of each source in the loss: levels of `random` are told apart by most measures anyway."""


@dataclass(frozen=True)
class Measured:
    """The measures of all levels of one game."""

    game: str
    levels: Mapping[str, list[tuple[Floats, Floats]]]
    """Source -> for each level its measures, and those of the levels that it is compared with."""
    own: Floats
    """Measures of the game's own levels, each against the others, shape (levels, measures)."""
    others: Mapping[str, list[list[int]]]
    """Source -> for each level the own levels that it is compared with."""


@dataclass(frozen=True)
class Preferences:
    """Pairs of levels of which people preferred one."""

    differences: Floats
    """Values of all measures of the level preferred less those of the other, shape (pairs, 2 * measures)."""
    weights: Floats
    """Weight of each pair in the loss, where a game and a source of V1 weigh `EMPHASIS`, shape (pairs,)."""


class Votes(Protocol):
    """Votes about levels, as `level_votes.VotedLevels` has them; spelled out here so that a fit needs no study."""

    def pairs(self, model: LevelModel, *, alone: bool = False) -> list[Preferences]:
        """Return the pairs that are fitted on, by the spreads of a model."""

    def provenance(self) -> dict[str, Any]:
        """Return where the votes are from."""


def blank_model() -> LevelModel:
    """Return a model that knows nothing yet."""
    ones, zeros = np.ones(len(NAMES)), np.zeros(len(NAMES))
    even = np.full((2, len(NAMES)), 0.5 / len(NAMES))
    return LevelModel(ones, zeros, ones, even, even, PLAY, SHARE, {})


def measure(game: str, evaluator: LevelEvaluator, levels: Mapping[str, Sequence[str]]) -> Measured:
    """Measure all levels of a game.

    Args:
        game: its name in the corpus.
        evaluator: of the game.
        levels: source -> texts; those that cannot be read are left out.
    """
    judge = LevelJudge(evaluator.text, evaluator.game.levels, model=blank_model())
    found: dict[str, list[tuple[Floats, Floats]]] = {}
    others: dict[str, list[list[int]]] = {}
    for source, texts in levels.items():
        views = [judge.view(text) for text in texts]
        found[source] = [judge.measures(view)[:2] for view in views]
        profiles = [judge.reference.profile(view) for view in views]
        others[source] = [judge.reference.others(judge.reference.nearest(one)) for one in profiles]
    return Measured(game, found, judge.own, others)


def rows(model: LevelModel, of: Measured, *, alone: bool = False) -> dict[str, Floats]:
    """Return the values of all measures to both sides, shape (levels, 2 * measures) for each source.

    Args:
        model: of which the spreads count.
        of: the game.
        alone: compare with all games, as if this one had no levels.
    """
    nothing = np.zeros((0, len(NAMES)))
    unknown = np.array([name in LIKENESSES for name in NAMES])
    return {
        source: np.array([
            model.scores(model.deviations(np.where(unknown, np.nan, x), nothing) if alone else model.deviations(x, own))
            .ravel() for x, own in levels
        ])
        for source, levels in of.levels.items()
    }  # fmt: skip


def fit_weights(
    games: Sequence[Mapping[str, Floats]], ridge: float = RIDGE, *, alone: bool = False,
    voted: Sequence[Preferences] = (),
) -> Floats:  # fmt: skip
    """Return the weights, shape (2, measures), summing to 1.

    Args:
        games: of each the values of all measures for each source, as `rows` returns them.
        ridge: see `RIDGE`.
        alone: the values are those of levels that are compared with all games.
        voted: pairs that people judged.
    """
    pairs = [one.differences for one in voted]
    shares = [one.weights for one in voted]
    for game in games:
        for source in SOURCES:
            if source in game and len(game[source]) and len(game[HAND]):
                one = (game[HAND][:, None] - game[source][None]).reshape(-1, game[HAND].shape[1])
                pairs.append(one)
                shares.append(np.full(len(one), EMPHASIS[source] / len(one)))
    differences, share = np.concatenate(pairs), np.concatenate(shares)
    share /= share.sum()

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = differences @ weights
        slope = -share / (1.0 + np.exp(np.clip(margin, -500.0, 500.0)))
        value = float(share @ np.logaddexp(0.0, -margin) + ridge * weights @ weights)
        return value, slope @ differences + 2.0 * ridge * weights

    start = np.full(differences.shape[1], 0.1)
    upper = [0.0 if name in NEVER_TOO_MUCH else None for name in NAMES]
    upper += [0.0 if name in DISTANCES else None for name in NAMES]
    found = minimize(loss, start, jac=True, bounds=[(0.0, high) for high in upper], method="L-BFGS-B").x
    found[found < 1e-3 * found.max()] = 0.0
    fitted = (found / found.sum()).reshape(2, -1)
    insisted = np.array([[(name, side) in INSISTED for name in NAMES] for side in ("more", "less")], np.float64)
    if alone:
        insisted[:, [name in LIKENESSES for name in NAMES]] = 0.0
    weights: Floats = (1.0 - INSISTENCE) * fitted + INSISTENCE * insisted / insisted.sum()
    return weights


def fit(
    games: Sequence[Measured], own: Sequence[Floats], provenance: Mapping[str, Any], votes: Votes | None = None
) -> LevelModel:
    """Fit a model.

    Args:
        games: with generated levels.
        own: measures of the levels of all games that may be looked at, for the spreads.
        provenance: stored with it.
        votes: of people about levels; where they are from is stored with it too.
    """
    within, mean, between = spreads([one for one in own if len(one)])
    model = replace(blank_model(), within=within, mean=mean, between=between, provenance=provenance)
    pairs = {alone: votes.pairs(model, alone=alone) if votes is not None else [] for alone in (False, True)}
    weights = fit_weights([rows(model, one) for one in games], voted=pairs[False])
    alone = fit_weights([rows(model, one, alone=True) for one in games], alone=True, voted=pairs[True])
    if votes is not None:
        model = replace(model, provenance={**provenance, "people": votes.provenance()})
    return replace(model, weights=weights, alone=alone)
