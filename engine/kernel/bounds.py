"""Bounds that no game can exceed: checked tables, and limits on the work of a tick.

A state holds a bounded number of sprites, and a tick executes a bounded number of effects; a tick that wants more is
cut short and ends the game (docs/compatibility.md, Bounds). With ``PCG_BOUNDSCHECK=1`` numbers of types, effects, pool
entries and slots are held against their tables as well.
"""

from __future__ import annotations

from pcg.engine.kernel.layout import context_at, state_at
from pcg.engine.kernel.protocol import GROW
from pcg.engine.kernel.runtime import inner

BOUNDS = 2
"""Status: an index left its table (only found with bounds checks on)."""
MAX_SPRITES = 10000
"""The reference adds no sprite beyond this count. A sprite killed twice in a tick is taken off the count twice."""
MAX_MOVING = 16000
"""Moving sprites a state can hold, whatever the count says."""
MAX_ROOM = 16384
"""A block with room for so many moving sprites is not replaced by a larger one."""
MAX_WORK = 10_000_000
"""Executions of effects, more than half a second of them, after which a tick is cut short and the game over.

A context may ask for less (`CONTEXT.max_work`, `CONTEXT.max_moving`): evaluators of generated games do.
"""


# --- tables ---


@inner
def within(gm, index, n):
    """`index` if it lies in a table of n entries, else 0 after noting the violation."""
    if index < 0 or index >= n:
        context_at(gm).violations += 1
        return 0
    return index


@inner
def inside(st, index, n):
    """`within` for the sections of a state: a violation sets the status."""
    if index < 0 or index >= n:
        state_at(st).status = BOUNDS
        return 0
    return index


# --- work ---


@inner
def outgrow(st):
    """Ask for a larger block; in the largest one the game ends as if it had done too much work."""
    s = state_at(st)
    if s.room < MAX_ROOM:
        s.status = GROW
    else:
        s.work = MAX_WORK + 1


@inner
def charge_walk(gm, st):
    """Count a walk over a type's sprites as work."""
    s = state_at(st)
    s.work += (s.slots + context_at(gm).n_level) >> 4
