"""Playing a recorded list of actions: the decision is the next entry of an array."""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import entry_point, load64, view_of
from pcg.evaluators.agents.kernel.decision import begin_decision, decision_at

RECORDING = np.dtype(
    [
        ("actions", "i8"),  # int64[count]: action codes
        ("count", "i8"),
        ("at", "i8"),  # how many have been played
    ],
    align=True,
)

recording_at = view_of(RECORDING)


@entry_point("i8(i8, i8)")
def decide_replay(decision: int, state: int) -> int:
    """Choose the next action of the recording; NIL after its end and in a finished game."""
    d = decision_at(decision)
    r = recording_at(d.search)
    if begin_decision(decision, state) == 1:
        if r.at < r.count:
            d.chosen = load64(r.actions + 8 * r.at)
        r.at = r.at + 1
    return OK
