"""A whole game played by compiled agents without returning to Python, hence without the GIL.

The game is played on two state blocks in turn, so that a tick whose block turned out too small leaves the state before
it intact; the caller then enlarges what was too small and calls again. Nothing here depends on the agents' kernels:
they are called by address.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import GROW, OK, advance_state, copy_state, is_over, last_events, outcome, score
from pcg.engine.kernel.runtime import entry_point, inner, load64, store64, store_double, view_of
from pcg.evaluators.agents.kernel.decision import decision_at, take_decision

AGENT_GROW, LOG_FULL = 2, 3
"""Answers of `play_out` besides OK and GROW: an agent's memory is too small; the log of events is full."""

EVENT_WORDS = 4
"""Words of one event, see `kernel.protocol.last_events`."""

PLAY = np.dtype(
    [
        ("model", "i8"),
        ("players", "i8"),
        ("live", "i8"),  # address of the state now
        ("next", "i8"),  # address of the block for the state after this tick
        ("agents", "i8"),  # int64[players]: addresses of DECISION records
        ("ticks", "i8"),  # ticks played
        ("max_ticks", "i8"),
        ("pause_at", "i8"),  # return OK after so many ticks in all
        ("decided", "i8"),  # number of players whose action of this tick is chosen already
        ("actions", "i8"),  # int64[max_ticks][players]: what was played
        ("log", "i8"),  # int64[log_room][EVENT_WORDS]: events, in order
        ("log_room", "i8"),
        ("log_used", "i8"),
        ("over", "i8"),  # at the end: 1 when the game has ended
        ("scores", "i8"),  # float64[players], at the end
        ("outcomes", "i8"),  # int64[players], at the end
    ],
    align=True,
)

play_at = view_of(PLAY)


@inner
def choose(play: int) -> int:
    """Ask the agents for their actions of this tick, each once. OK or AGENT_GROW."""
    p = play_at(play)
    while p.decided < p.players:
        agent = load64(p.agents + 8 * p.decided)
        if take_decision(agent, p.live) == GROW:
            return AGENT_GROW
        store64(p.actions + 8 * (p.ticks * p.players + p.decided), decision_at(agent).chosen)
        p.decided = p.decided + 1
    return OK


@inner
def append_events(play: int, state: int) -> int:
    """Append the events of the state's last tick to the log. OK or LOG_FULL."""
    p = play_at(play)
    left = p.log_room - p.log_used
    count = last_events(p.model, state, p.log + 8 * EVENT_WORDS * p.log_used, left)
    if count >= left:  # there may have been more
        return LOG_FULL
    p.log_used = p.log_used + count
    return OK


@inner
def advance_copy(play: int) -> int:
    """Play the chosen actions on a copy, log the events, and make the copy the live state. OK, GROW or LOG_FULL."""
    p = play_at(play)
    if copy_state(p.model, p.next, p.live) == GROW:
        return GROW
    if advance_state(p.model, p.next, p.actions + 8 * p.ticks * p.players) == GROW:
        return GROW
    status = append_events(play, p.next)
    if status != OK:
        return status
    live = p.live
    p.live = p.next
    p.next = live
    return OK


@inner
def report(play: int, state: int) -> None:
    """Write whether the state's game has ended, and every player's score and outcome, to the record."""
    p = play_at(play)
    p.over = is_over(p.model, state)
    for player in range(p.players):
        store_double(p.scores + 8 * player, score(p.model, state, player))
        store64(p.outcomes + 8 * player, outcome(p.model, state, player))


@entry_point("i8(i8)")
def play_out(play: int) -> int:
    """Play until the game ends, `max_ticks` or `pause_at`; after another answer than OK the play can go on."""
    p = play_at(play)
    while p.ticks < p.max_ticks and p.ticks < p.pause_at and is_over(p.model, p.live) == 0:
        status = choose(play)
        if status == OK:
            status = advance_copy(play)
        if status != OK:
            return status
        p.decided = 0
        p.ticks = p.ticks + 1
    report(play, p.live)
    return OK


@entry_point("i8(i8, i8)")
def measure(play: int, state: int) -> int:
    """Write scores and outcomes of any state of the model to the record; returns 1 when its game has ended."""
    report(play, state)
    return play_at(play).over


@entry_point("i8(i8, i8)")
def log_events(play: int, state: int) -> int:
    """`append_events`, for Python."""
    return append_events(play, state)


@entry_point("i8(i8, i8, i8)")
def duplicate(model: int, to: int, source: int) -> int:
    """`copy_state`, for Python."""
    return copy_state(model, to, source)
