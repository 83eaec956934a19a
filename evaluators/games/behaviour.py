"""Behaviour descriptors of games: the numbers between which novelty search measures distances.

A fixed number of values in [0, 1], so that any two games can be compared, whatever their rules: for each effect of the
ontology in how many agents' plays it was executed, and for each agent of the ladder how its plays went.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pcg.engine.kernel.ids import EFFECT_ID
from pcg.engine.vgdl.definition import GameDefinition
from pcg.evaluators.games.trials import Rung, Trial

STATISTICS = ("wins", "deaths", "length", "cells", "score_changes", "entropy")
"""Of the plays of each agent: shares of wins and losses, ticks as a share of the longest possible, share of the cells
visited, share of the ticks that change the score, and entropy of the actions."""
_OTHER = "other"


def effect_names() -> tuple[str, ...]:
    """The effects that have a place of their own, those of the language; what users register shares the last one."""
    return (*EFFECT_ID, _OTHER)


def names(ladder: Sequence[Rung]) -> tuple[str, ...]:
    """Names of the values: `effect.<name>`, then `<agent>.<statistic>`."""
    return (
        *(f"effect.{name}" for name in effect_names()),
        *(f"{rung.name}.{statistic}" for rung in ladder for statistic in STATISTICS),
    )


def behaviour(
    definition: GameDefinition, plays: Sequence[Sequence[Trial]], agents: int, max_ticks: int
) -> tuple[float, ...]:
    """The values of a game, in the order of `names`.

    Args:
        definition: of the game.
        plays: of each agent that played, in the order of the ladder.
        agents: of the whole ladder; those that did not play have zeros.
        max_ticks: of a play.
    """
    place = {name: k for k, name in enumerate(effect_names())}
    other = place[_OTHER]
    of = [place.get(effect.name, other) for effect in definition.effects]
    fired = np.zeros(len(place))
    told = np.zeros((agents, len(STATISTICS)))
    for rung, trials in enumerate(plays):
        if not trials:
            continue
        seen = np.zeros(len(place))
        for e in np.flatnonzero(np.any([t.fired for t in trials], axis=0)):
            seen[of[e]] = 1.0
        fired += seen
        ticks = sum(t.ticks for t in trials)
        n = len(trials)
        told[rung] = (
            sum(t.won for t in trials) / n,
            sum(t.lost for t in trials) / n,
            ticks / (n * max_ticks),
            math.fsum(t.cells for t in trials) / n,
            sum(t.changes for t in trials) / max(1, ticks),
            math.fsum(t.entropy for t in trials) / n,
        )
    return tuple(float(x) for x in (*(fired / agents), *told.ravel()))
