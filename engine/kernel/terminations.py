"""Terminations: when a game ends and who has won (reference/terminations 4)."""

from __future__ import annotations

from pcg.engine.kernel.groups import alive_of, group_at, int_at, type_at
from pcg.engine.kernel.ids import TERMINATION_ID
from pcg.engine.kernel.layout import (
    AVATAR_AT,
    SCORE_AT,
    TERMINATION_BYTES,
    WIN_AT,
    context_at,
    state_at,
    termination_view,
)
from pcg.engine.kernel.runtime import inner, load32, load_double, store32

_COUNTER = TERMINATION_ID["SpriteCounter"]
_MORE = TERMINATION_ID["SpriteCounterMore"]
_MULTI = TERMINATION_ID["MultiSpriteCounter"]
_TIMEOUT = TERMINATION_ID["Timeout"]
_STOP = TERMINATION_ID["StopCounter"]
_LOSES, _WINS = 0, 1


@inner
def sum_alive(gm, st, te):
    """Sum of the living sprites of a termination's types."""
    total = 0
    if te.stype1 >= 0:
        total += alive_of(gm, st, te.stype1)
    if te.stype2 >= 0:
        total += alive_of(gm, st, te.stype2)
    if te.stype3 >= 0:
        total += alive_of(gm, st, te.stype3)
    return total


@inner
def kinds_alive(gm, st, t):
    """Entries of sub(t) with living sprites and a non-empty group of their own."""
    ty = type_at(gm, t)
    kinds = 0
    for i in range(ty.sub_n):
        u = int_at(gm, ty.sub_at + i)
        if alive_of(gm, st, u) > 0 and group_at(st, u).count > 0:
            kinds += 1
    return kinds


@inner
def win_by_score(gm, st, player):
    """count_score: the highest score wins, if it is not 0 (reference/terminations 4.3)."""
    g = context_at(gm)
    best = load_double(st + SCORE_AT)
    zero = best == 0.0
    for other in range(1, g.players):
        value = load_double(st + SCORE_AT + 8 * other)
        if value != 0.0:
            zero = False
            if value > best:
                best = value
    return 1 if not zero and load_double(st + SCORE_AT + 8 * player) == best else 0


@inner
def win_by_counter(gm, st, te, player):
    """Timeout with use_counter, the reference's reading of it (reference/terminations 4.2)."""
    g = context_at(gm)
    counters = st + state_at(st).at_counters
    if te.compare != 0:
        equal = 1
        for i in range(1, g.n_counters):
            if load32(counters + 4 * i) != load32(counters):
                equal = 0
        if player == 0:
            return 1 - equal
        return equal
    if g.players != g.n_counters or player != 0 or te.list_n < g.players:
        return 0
    last = g.players - 1
    return 1 if load32(counters + 4 * last) == int_at(gm, te.list_at + last) else 0


@inner
def fires(gm, st, te):
    """1 when a termination ends the game now."""
    s = state_at(st)
    if te.kind == _TIMEOUT:
        return 1 if s.tick >= te.limit else 0
    total = sum_alive(gm, st, te)
    if te.kind == _STOP:
        held = s.can_end
        if te.min_flag != 0:
            s.can_end = 1 if total <= te.limit else 0
        else:
            s.can_end = 1 if total != te.limit else 0
        if s.can_end != held:
            # those before it in the list have yet to see this
            s.recount = 2
        return 0
    if s.can_end == 0:
        return 0
    if te.kind == _COUNTER:
        return 1 if total <= te.limit else 0
    if te.kind == _MORE:
        return 1 if total >= te.limit else 0
    if te.kind == _MULTI:
        return 1 if total == te.limit or (te.min_flag != 0 and total > te.limit) else 0
    return 1 if total == te.limit and kinds_alive(gm, st, te.stype1) == te.sub_types else 0


@inner
def termination_phase(gm, st):
    """Terminations in order, the first that fires decides; then the engine's own time limit."""
    g = context_at(gm)
    s = state_at(st)
    quiet = s.recount == 0
    for i in range(g.n_terminations):
        if s.ended != 0:
            break
        te = termination_view(g.terminations + TERMINATION_BYTES * i)
        if quiet and te.kind != _TIMEOUT:
            # all others look only at numbers of sprites
            continue
        if fires(gm, st, te) != 0:
            s.ended = 1
            for player in range(g.players):
                won = te.win0 if player == 0 else te.win1
                if te.count_score != 0:
                    won = win_by_score(gm, st, player)
                if te.kind == _TIMEOUT and te.use_counter != 0:
                    won = win_by_counter(gm, st, te, player)
                if load32(st + AVATAR_AT + 4 * player) >= 0:
                    store32(st + WIN_AT + 4 * player, _WINS if won != 0 else _LOSES)
    s.recount = 1 if s.recount == 2 else 0
    if s.tick >= g.max_tick or s.work > g.max_work:
        s.ended = 1
        for player in range(g.players):
            if load32(st + WIN_AT + 4 * player) != _WINS:
                store32(st + WIN_AT + 4 * player, _LOSES)
