"""Rules that a play makes use of: the first to act among those that are watched, and the termination that ended it.

A watched game is a CONTEXT record of its own, equal to the game's but for its effects: the watched ones are of the kind
of the first user's effect, `note`, which does nothing but write down that it was called. Until that happens a tick of
the watched game is a tick of the game itself. So the first effect noted in a tick is one that the game executes in it.
"""

from __future__ import annotations

from pcg.engine.kernel.groups import group_at
from pcg.engine.kernel.layout import TERMINATION_BYTES, context_at, termination_view
from pcg.engine.kernel.protocol import OK
from pcg.engine.kernel.runtime import call3, call4, entry_point, load64, store64
from pcg.engine.kernel.terminations import fires

NOTED_AT = 1
"""Place in `CONTEXT.extensions` that holds no address but the number of the effect that was noted first, or -1."""
OWN_KINDS = 2
"""Number of entries of a watched game's `extensions` before those of the game: `note`, and what it writes."""
TOO_SMALL = -2


@entry_point("i8(i8, i8, i8, i8, i8)")
def note(gm, st, e, a, b):
    """Stand-in for a watched effect."""
    noted = context_at(gm).extensions + 8 * NOTED_AT
    if load64(noted) < 0:
        store64(noted, e)
    return OK


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def first_watched(gm, st, before, copy, action0, action1):
    """Play a tick of a watched game from state `before` in block `st`.

    Returns the first watched effect that was executed, -1 for none, TOO_SMALL when the block has no room for the tick.
    """
    noted = context_at(gm).extensions + 8 * NOTED_AT
    store64(noted, -1)
    status = call3(copy, gm, st, before)
    if status == OK:
        status = call4(context_at(gm).advance, gm, st, action0, action1)
    first = load64(noted)
    return first if first >= 0 or status == OK else TOO_SMALL


@entry_point("i8(i8, i8, i8)")
def created(gm, st, out):
    """Write 1 for every type of which there has been a sprite up to a state, else 0 (int64 each)."""
    n = context_at(gm).n_types
    for t in range(n):
        store64(out + 8 * t, group_at(st, t).created)
    return n


@entry_point("i8(i8, i8)")
def fired(gm, st):
    """Number of the termination that has ended a game, -1 when none has. The state may be written to."""
    g = context_at(gm)
    for i in range(g.n_terminations):
        if fires(gm, st, termination_view(g.terminations + TERMINATION_BYTES * i)) != 0:
            return i
    return -1
