"""Alpha-beta search, deepened step by step (Knuth and Moore 1975), for any number of players.

The search is a stack of frames in memory, so that it can pause at any node and go on. Every tick has a frame for each
player: first the player chooses, then the others answer, as bad for the player as they can (the paranoid search of
Sturtevant and Korf 2000). On a board for two, where all but one have no choice, that is plain alpha-beta; where players
move at once it is cautious: the others are taken to see the move. Chance is taken to fall as in one imagined future.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.protocol import (
    GROW,
    LOST,
    OK,
    WON,
    advance_state,
    copy_state,
    is_over,
    outcome,
)
from pcg.engine.kernel.random import next_int
from pcg.engine.kernel.runtime import call2_double, entry_point, inner, load64, store64, view_of
from pcg.evaluators.agents.kernel.decision import (
    actions_of,
    begin_decision,
    count_call,
    decision_at,
    imagine,
    own_actions,
)
from pcg.evaluators.agents.kernel.heuristics import lead

SURE = 1.0e12
"""Value of a win; one that comes sooner is worth a little more. Beyond what heuristics say."""

_BOUND = 1.0e300

ALPHABETA = np.dtype(
    [
        ("most", "i8"),  # ticks that the search looks ahead at most
        ("depth", "i8"),  # ticks that the present iteration looks ahead
        ("top", "i8"),  # number of the frame on top, -1: the iteration is done
        ("finished", "i8"),  # 1: there is nothing left to search
        ("chosen", "i8"),  # index of the best option of the last iteration
        ("frames", "i8"),  # address of FRAME records, one per tick and player, and one more
        ("options", "i8"),  # int64[frames, max_actions + 1]
        ("option_bytes", "i8"),  # of one frame
        ("joints", "i8"),  # int64[ticks, players]: the choices on the way to the frame on top
        ("states", "i8"),  # address of the states, one per tick and one more
        ("stride", "i8"),
    ],
    align=True,
)

FRAME = np.dtype(
    [
        ("level", "i8"),  # ticks below the root
        ("turn", "i8"),  # who chooses: 0 the player, 1 the one after it, ...
        ("next", "i8"),  # index of the next option to try
        ("count", "i8"),  # number of options
        ("best_option", "i8"),  # -1: none was tried to its end
        ("best", "f8"),
        ("alpha", "f8"),
        ("beta", "f8"),
    ],
    align=True,
)
FRAME_BYTES = FRAME.itemsize

search_at = view_of(ALPHABETA)
frame_view = view_of(FRAME)


@inner
def frame_at(search: int, number: int) -> int:
    """Address of a frame."""
    return search_at(search).frames + FRAME_BYTES * number


@inner
def option_at(search: int, number: int, index: int) -> int:
    """Address of an option of a frame."""
    s = search_at(search)
    return s.options + s.option_bytes * number + 8 * index


@inner
def open_frame(decision: int, level: int, turn: int) -> None:
    """Put a frame on top of the stack, with the bounds of the one below it; not for the root."""
    d = decision_at(decision)
    s = search_at(d.search)
    below = frame_view(frame_at(d.search, s.top))
    s.top = s.top + 1
    f = frame_view(frame_at(d.search, s.top))
    f.level = level
    f.turn = turn
    f.next = 0
    f.best_option = -1
    f.best = -_BOUND if turn == 0 else _BOUND
    f.alpha = below.alpha
    f.beta = below.beta
    f.count = actions_of(decision, s.states + s.stride * level, (d.player + turn) % d.players)
    for k in range(f.count):
        store64(option_at(d.search, s.top, k), load64(d.other + 8 * k))


@inner
def open_root(decision: int) -> None:
    """Begin an iteration, with the best option of the one before first."""
    d = decision_at(decision)
    s = search_at(d.search)
    first = option_at(d.search, 0, 0)
    best = load64(first + 8 * s.chosen)
    for k in range(s.chosen, 0, -1):
        store64(first + 8 * k, load64(first + 8 * (k - 1)))
    store64(first, best)
    s.chosen = 0
    s.top = 0
    f = frame_view(frame_at(d.search, 0))
    f.level = 0
    f.turn = 0
    f.next = 0
    f.best_option = -1
    f.best = -_BOUND
    f.alpha = -_BOUND
    f.beta = _BOUND


@inner
def close(decision: int, value: float) -> None:
    """Give the value of the option that the frame on top tries to that frame."""
    d = decision_at(decision)
    s = search_at(d.search)
    f = frame_view(frame_at(d.search, s.top))
    if f.turn == 0:
        if value > f.best:
            f.best = value
            f.best_option = f.next - 1
        f.alpha = max(f.alpha, value)
    else:
        f.best = min(f.best, value)
        f.beta = min(f.beta, value)


@inner
def value_of_leaf(decision: int, state: int, left: int) -> float:
    """Return the value of a state for the player where the search ends, `left` ticks before it has to."""
    d = decision_at(decision)
    if is_over(d.model, state) != 0:
        result = outcome(d.model, state, d.player)
        if result == WON:
            return SURE + left
        if result == LOST:
            return -SURE - left
        return lead(decision, state)
    return call2_double(d.heuristic, decision, state)


@inner
def try_option(decision: int, option: int) -> int:
    """Follow an option of the frame on top. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    f = frame_view(frame_at(d.search, s.top))
    joint = s.joints + 8 * d.players * f.level
    store64(joint + 8 * ((d.player + f.turn) % d.players), option)
    if f.turn < d.players - 1:
        open_frame(decision, f.level, f.turn + 1)
        return OK
    state = s.states + s.stride * f.level
    after = state + s.stride
    if copy_state(d.model, after, state) == GROW or advance_state(d.model, after, joint) == GROW:
        return GROW
    count_call(decision)
    level = f.level + 1
    if level == s.depth or is_over(d.model, after) != 0:
        close(decision, value_of_leaf(decision, after, s.depth - level))
    else:
        open_frame(decision, level, 0)
    return OK


@inner
def search_on(decision: int) -> int:
    """Search until the iteration is done or the budget is spent. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    while s.top >= 0 and d.calls < d.budget:
        f = frame_view(frame_at(d.search, s.top))
        if f.next < f.count and f.alpha < f.beta:
            f.next = f.next + 1
            if try_option(decision, load64(option_at(d.search, s.top, f.next - 1))) == GROW:
                return GROW
        else:
            s.top = s.top - 1
            if s.top >= 0:
                close(decision, f.best)
    return OK


@inner
def begin(decision: int, state: int) -> int:
    """Copy the state to the root, and bring the options into random order, so that ties are broken at random."""
    d = decision_at(decision)
    s = search_at(d.search)
    if imagine(decision, s.states, state) == GROW:
        return GROW
    count = own_actions(decision, state)
    for k in range(count - 1, 0, -1):
        other = next_int(decision, k + 1)
        held = load64(d.own + 8 * k)
        store64(d.own + 8 * k, load64(d.own + 8 * other))
        store64(d.own + 8 * other, held)
    for k in range(count):
        store64(option_at(d.search, 0, k), load64(d.own + 8 * k))
    frame_view(frame_at(d.search, 0)).count = count
    s.finished = 1 if count == 1 else 0  # a forced move needs no search
    s.depth = 1
    s.chosen = 0
    open_root(decision)
    return OK


@entry_point("i8(i8, i8)")
def decide_alphabeta(decision: int, state: int) -> int:
    """Deepen until the depth is reached, the end is known, or the budget is spent. OK or GROW."""
    d = decision_at(decision)
    s = search_at(d.search)
    root = frame_view(frame_at(d.search, 0))
    if d.resume == 0:
        if begin_decision(decision, state) == 0:
            return OK
        if begin(decision, state) == GROW:
            return GROW
    while s.finished == 0 and d.calls < d.budget:
        if search_on(decision) == GROW:
            return GROW
        if s.top < 0:
            s.chosen = root.best_option
            if s.depth == s.most or root.best >= SURE or root.best <= -SURE:
                s.finished = 1
            else:
                s.depth = s.depth + 1
                open_root(decision)
    if is_over(d.model, state) == 0:
        # the first option of an unfinished iteration is the best of the one before
        best = s.chosen if s.finished == 1 else max(root.best_option, 0)
        d.chosen = load64(option_at(d.search, 0, best))
    return OK
