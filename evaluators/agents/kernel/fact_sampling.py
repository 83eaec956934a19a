"""One random playout, of which the facts of all states are written down."""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import GROW, atoms, is_over
from pcg.engine.kernel.runtime import entry_point, store64, view_of
from pcg.evaluators.agents.kernel.decision import advance_joint, decision_at, imagine
from pcg.evaluators.agents.kernel.joint_playout import draw_joint, list_moves

NO_ROOM = 9
"""Answer of `sample_facts`, negated: the facts of the playout do not fit."""

FACT_SAMPLE = np.dtype(
    [
        ("facts", "i8"),  # int64[room]: numbers of the facts, state after state
        ("room", "i8"),
        ("lengths", "i8"),  # int64[ticks + 1]: how many facts each state has
        ("ticks", "i8"),  # longest playout
    ],
    align=True,
)

sample_at = view_of(FACT_SAMPLE)


@entry_point("i8(i8, i8, i8)")
def sample_facts(decision: int, sample: int, state: int) -> int:
    """Play at random from a state; returns the number of states written down, or less than 0: GROW or NO_ROOM."""
    d = decision_at(decision)
    s = sample_at(sample)
    if imagine(decision, d.work, state) == GROW:
        return -GROW
    used = 0
    for tick in range(s.ticks + 1):
        left = s.room - used
        count = max(0, atoms(d.model, d.work, 0, s.facts + 8 * used, left))
        if count >= left:
            return -NO_ROOM
        store64(s.lengths + 8 * tick, count)
        used += count
        if is_over(d.model, d.work) != 0 or tick == s.ticks:
            return tick + 1
        list_moves(decision, d.search, d.work)
        draw_joint(decision, d.search)
        if advance_joint(decision, d.work) == GROW:
            return -GROW
    return 0
