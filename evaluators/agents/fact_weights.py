"""Weights of the facts of a game, as in inverse document frequency: rare facts weigh more, seen in random playouts.

Facts that are true or not by the clock alone (walls, step counters, whose turn it is) are the same in all playouts
after the same number of moves. They say nothing about how a game stands, but would make all states look alike: in a
maze, most facts are walls. So they weigh nothing, and of the others rare ones weigh more than common ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcg.engine.elementary import logarithms
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.random import scramble
from pcg.engine.kernel.runtime import invoke3
from pcg.engine.model import Model
from pcg.evaluators.agents.compiled import Array, Record, grow_model
from pcg.evaluators.agents.kernel.decision import DECISION
from pcg.evaluators.agents.kernel.fact_sampling import FACT_SAMPLE, sample_facts

PLAYOUTS = 32
"""Random playouts looked at."""
MOST_STATES = 4096
"""States after which no further playout is begun."""
_MOST_TICKS = 512
_MOST_FACTS = 1 << 22


@dataclass(frozen=True)
class FactWeights:
    """Weights of the facts of a game.

    Attributes:
        weights: float64 (facts,), by number of the fact; 0 for those that the clock alone decides.
        other: weight of facts that no playout has seen.
        mean: float64 (facts,), share of the states in which each fact holds.
        facts: most facts that held in one state.
    """

    weights: Array
    other: float
    mean: Array
    facts: int


def weigh_facts(model: Model, state: int, moves: Record, seed: int, weighting: str = "frequency") -> FactWeights:
    """Look at the facts of random playouts.

    Args:
        model: the game.
        state: address of the state that playouts start from.
        moves: a JOINT_PLAYOUT record prepared for the model.
        seed: of the playouts.
        weighting: "frequency" (the logarithm of one over the share of the states in which the fact holds) or "none"
            (1 for all that say something).
    """
    ticks, numbers, counts = _observe(model, state, moves, seed)
    facts = int(numbers.max()) + 1 if len(numbers) else 0
    if facts > _MOST_FACTS:  # facts are not numbered from 0 on: all weigh the same
        return FactWeights(np.zeros(0), 1.0, np.zeros(0), int(counts.max(initial=0)))
    where = np.repeat(ticks, counts)
    total = len(ticks)
    held = np.bincount(numbers, minlength=facts)
    states_at = np.bincount(ticks)
    # a fact is decided by the clock when at every tick it holds in all states seen or in none
    cells, times = np.unique(where * max(1, facts) + numbers, return_counts=True)
    always = times == states_at[cells // max(1, facts)]
    undecided = np.zeros(facts, dtype=bool)
    undecided[(cells % max(1, facts))[~always]] = True
    mean = held / max(1, total)
    if weighting == "frequency":
        weights = np.where(undecided, -logarithms(np.maximum(mean, 1e-300)), 0.0)
        other = float(logarithms(total + 1))
        weights[held == 0] = other
    else:
        weights = undecided.astype(np.float64)
        weights[held == 0] = other = 1.0
    return FactWeights(weights, other, mean, int(counts.max(initial=0)))


def _observe(model: Model, state: int, moves: Record, seed: int) -> tuple[Array, Array, Array]:
    """Of every state of the playouts its tick, the numbers of its facts (one after the other) and how many they are."""
    ticks: list[Array] = []
    numbers: list[Array] = []
    counts: list[Array] = []
    room = 1 << 16
    decision = Record(DECISION, model=model.address, players=model.players, random=scramble(seed), budget=1 << 62)
    decision.point("joint", np.zeros(model.players, dtype=np.int64))
    decision.own("search", moves)
    record = Record(FACT_SAMPLE, ticks=_MOST_TICKS)
    lengths = record.point("lengths", np.zeros(_MOST_TICKS + 1, dtype=np.int64))
    seen = 0
    for _ in range(PLAYOUTS):
        while True:
            had = decision["random"]
            size = model.room
            decision.point_to_pool("work", model.pool(1))
            record["room"] = room
            found = record.point("facts", np.zeros(room, dtype=np.int64))
            answer = int(invoke3(sample_facts.address, decision.address, record.address, state))
            if answer == -GROW:
                grow_model(model, size)
            elif answer < 0:
                room *= 2
            else:
                break
            decision["random"] = had
        used = lengths[:answer].copy()
        ticks.append(np.arange(answer))
        counts.append(used)
        numbers.append(found[: int(used.sum())].copy())
        seen += answer
        if seen >= MOST_STATES:
            break
    return np.concatenate(ticks), np.concatenate(numbers), np.concatenate(counts)
