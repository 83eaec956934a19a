"""Plays of the PCG Benchmark's arcade rules, in compiled code.

A rule set is three kinds of pieces with a behaviour each, what happens where two pieces meet, and a goal. A play is one
of somebody who does nothing, who acts at random, or of flat Monte Carlo search with random playouts. Whatever a play
depends on is kept: the order in which pieces move and meet, that two pieces whose numbers are all equal do not meet,
that walls count as nearest for those who chase, and the two streams of random numbers, one of the rules and one of the
player, of which searching takes as well as playing. They come as the 32-bit words that numpy's generator would draw;
when a stream ends, the play is given up and begun anew with a longer one.
"""

from __future__ import annotations

import math

import numpy as np

from pcg.engine.kernel.runtime import copy_bytes, entry_point, inner, load8, load32, load_double, store32, view_of

KINDS = 3
"""Red, green and yellow."""
PIECES = 12
"""Most pieces: four of each kind."""
STILL, FLICKER, SHORT, LONG, ACROSS, UPRIGHT, CHASE, FLEE = range(8)
"""Behaviours."""
NOTHING, RANDOM, SEARCH = range(3)
"""Players."""
ACTIONS = 5
"""Left, right, up, down and none."""
PLAYER = 5 * 4
"""Bytes of the player in a state: cell, score, time, alive, none."""
PIECE = 5 * 4
"""Bytes of a piece in a state: cell, direction, age, alive, kind."""
STATE = PLAYER + PIECES * PIECE
PLAYED, STREAM_ENDED = range(2)
"""Results of `play`."""
_WORD = 0xFFFFFFFF

ARCADE = np.dtype(
    [
        ("width", "i8"),  # of the map with its frame
        ("cells", "i8"),
        ("open", "i8"),  # int8[cells]
        ("far", "i8"),  # int32[cells * cells]: steps from a cell, -1 for walls and what is not reached
        ("behaviours", "i8"),  # int32[KINDS]
        ("actions", "i8"),  # int32[4 * KINDS]: what happens where the player or a kind meets a kind
        ("scores", "i8"),  # int32[4 * KINDS]: points for it
        ("goal", "i8"),  # points to win by, or 0: to survive
        ("longest", "i8"),  # ticks of a play
        ("words", "i8"),  # uint32[word_count]: both streams begin alike
        ("word_count", "i8"),
        ("rules_at", "i8"),  # words that the rules have drawn
        ("player_at", "i8"),
        ("start", "i8"),  # a state
        ("pieces", "i8"),  # in it
        ("history", "i8"),  # states of the play, the last one with its end
        ("length", "i8"),  # states in it
        ("after", "i8"),  # states after each action
        ("trial", "i8"),  # a state
        ("wins", "i8"),  # int32[ACTIONS]
        ("visits", "i8"),  # int32[ACTIONS]
        ("playouts", "i8"),  # of a decision, without the first of each action
        ("logarithms", "i8"),  # float64[playouts + ACTIONS + 1]: of whole numbers
    ],
    align=True,
)

arcade_at = view_of(ARCADE)


@inner
def _below(arcade: int, of_player: int, bound: int) -> int:
    """Draw a number below a bound as numpy's generator does; -1 at the end of the stream."""
    a = arcade_at(arcade)
    threshold = (_WORD + 1 - bound) % bound
    while True:
        at = a.player_at if of_player else a.rules_at
        if at >= a.word_count:
            return -1
        if of_player:
            a.player_at = at + 1
        else:
            a.rules_at = at + 1
        product = (load32(a.words + 4 * at) & _WORD) * bound
        if (product & _WORD) >= threshold:
            return product >> 32


@inner
def _beside(arcade: int, cell: int, direction: int) -> int:
    a = arcade_at(arcade)
    if direction == 0:
        return cell - 1
    if direction == 1:
        return cell + 1
    if direction == 2:
        return cell - a.width
    if direction == 3:
        return cell + a.width
    return cell


@inner
def _move(arcade: int, thing: int, direction: int) -> int:
    """Move what has its cell first, unless a wall is in the way; whether it moved."""
    cell = _beside(arcade, load32(thing), direction)
    if load8(arcade_at(arcade).open + cell):
        store32(thing, cell)
        return 1
    return 0


@inner
def _behave(arcade: int, piece: int, cell: int) -> int:
    """Let a piece act; `cell` is the player's. 0 when the stream of the rules has ended."""
    a = arcade_at(arcade)
    behaviour = load32(a.behaviours + 4 * load32(piece + 16))
    if load32(piece + 12) == 0 and behaviour != FLICKER:
        return 1
    age = load32(piece + 8) + 1
    store32(piece + 8, age)
    if behaviour == FLICKER:
        store32(piece + 12, 1 if (age // 5) % 2 == 0 else 0)
    elif SHORT <= behaviour <= LONG:
        if age % (5 if behaviour == SHORT else 10) == 1:
            drawn = _below(arcade, 0, 4)
            if drawn < 0:
                return 0
            store32(piece + 4, drawn)
        _move(arcade, piece, load32(piece + 4))
    elif ACROSS <= behaviour <= UPRIGHT:
        if age == 1:
            drawn = _below(arcade, 0, 2)
            if drawn < 0:
                return 0
            store32(piece + 4, drawn)
        if not _move(arcade, piece, load32(piece + 4) + (0 if behaviour == ACROSS else 2)):
            store32(piece + 4, 1 - load32(piece + 4))
    elif behaviour >= CHASE:
        steps = a.far + 4 * cell * a.cells
        best = 0
        for direction in range(1, 4):
            one = load32(steps + 4 * _beside(arcade, load32(piece), direction))
            known = load32(steps + 4 * _beside(arcade, load32(piece), best))
            if (one < known) if behaviour == CHASE else (one > known):
                best = direction
        _move(arcade, piece, best)
    return 1


@inner
def _meet(arcade: int, one: int, other: int, pair: int) -> int:
    """Let two things meet where they share a cell; points for it."""
    a = arcade_at(arcade)
    if load32(one) != load32(other):
        return 0
    action = load32(a.actions + 4 * pair)
    if action == 1 or action == 3:
        store32(one + 12, 0)
    if action >= 2:
        store32(other + 12, 0)
    return load32(a.scores + 4 * pair)


@inner
def _equal(one: int, other: int) -> int:
    for word in range(4):
        if load32(one + 4 * word) != load32(other + 4 * word):
            return 0
    return 1


@inner
def _won(arcade: int, state: int) -> int:
    a = arcade_at(arcade)
    if a.goal:
        return 1 if load32(state + 4) >= a.goal else 0
    return 1 if load32(state + 8) >= a.longest else 0


@inner
def _lost(arcade: int, state: int) -> int:
    a = arcade_at(arcade)
    if a.goal:
        return 1 if load32(state + 8) >= a.longest else 0
    return 1 if load32(state + 12) == 0 else 0


@inner
def _over(arcade: int, state: int) -> int:
    return 1 if _won(arcade, state) or _lost(arcade, state) else 0


@inner
def _advance(arcade: int, state: int, action: int) -> int:
    """Advance a state by a tick; 0 when the stream of the rules has ended."""
    a = arcade_at(arcade)
    if _over(arcade, state):
        return 1
    store32(state + 8, load32(state + 8) + 1)
    _move(arcade, state, action)
    first = state + PLAYER
    for k in range(a.pieces):
        if not _behave(arcade, first + k * PIECE, load32(state)):
            return 0
    score = load32(state + 4)
    for k in range(a.pieces):
        piece = first + k * PIECE
        if load32(piece + 12):
            score += _meet(arcade, state, piece, load32(piece + 16))
    for j in range(a.pieces):
        one = first + j * PIECE
        kind = load32(one + 16)
        for k in range(a.pieces):
            other = first + k * PIECE
            # a kind meets itself in both orders, and the kinds after it
            if load32(other + 16) >= kind and load32(one + 12) and load32(other + 12) and not _equal(one, other):
                score += _meet(arcade, one, other, KINDS * (1 + kind) + load32(other + 16))
    store32(state + 4, score)
    return 1


@inner
def _playout(arcade: int, state: int) -> int:
    """Act at random to the end: 1 for a win, 0 for none, -1 when a stream has ended."""
    while not _over(arcade, state):
        action = _below(arcade, 1, ACTIONS)
        if action < 0 or not _advance(arcade, state, action):
            return -1
    return _won(arcade, state)


@inner
def _search(arcade: int, state: int) -> int:
    """Return the action that flat Monte Carlo search tries most often; -1 when a stream has ended."""
    a = arcade_at(arcade)
    total = 0
    for action in range(ACTIONS):
        after = a.after + action * STATE
        copy_bytes(after, state, STATE)
        if not _advance(arcade, after, action):
            return -1
        copy_bytes(a.trial, after, STATE)
        won = _playout(arcade, a.trial)
        if won < 0:
            return -1
        store32(a.wins + 4 * action, won)
        store32(a.visits + 4 * action, 1)
        total += won
    for k in range(a.playouts):
        logarithm = load_double(a.logarithms + 8 * (k + ACTIONS))
        best = -1
        worth = -1.0
        for action in range(ACTIONS):
            share = load32(a.wins + 4 * action) / max(1, total)
            bound = share + math.sqrt(2.0) * math.sqrt(logarithm / load32(a.visits + 4 * action))
            if bound > worth:
                best = action
                worth = bound
        copy_bytes(a.trial, a.after + best * STATE, STATE)
        won = _playout(arcade, a.trial)
        if won < 0:
            return -1
        store32(a.wins + 4 * best, load32(a.wins + 4 * best) + won)
        store32(a.visits + 4 * best, load32(a.visits + 4 * best) + 1)
        total += won
    best = 0
    for action in range(1, ACTIONS):
        if load32(a.visits + 4 * action) > load32(a.visits + 4 * best):
            best = action
    return best


@entry_point("i8(i8, i8)")
def play(arcade: int, player: int) -> int:
    """Play from the start to the end; the states are the history."""
    a = arcade_at(arcade)
    a.rules_at = 0
    a.player_at = 0
    a.length = 1
    copy_bytes(a.history, a.start, STATE)
    while not _over(arcade, a.history + (a.length - 1) * STATE):
        state = a.history + (a.length - 1) * STATE
        action = ACTIONS - 1
        if player == RANDOM:
            action = _below(arcade, 1, ACTIONS)
        elif player == SEARCH:
            action = _search(arcade, state)
        if action < 0:
            return STREAM_ENDED
        copy_bytes(state + STATE, state, STATE)
        if not _advance(arcade, state + STATE, action):
            return STREAM_ENDED
        a.length += 1
    return PLAYED


@entry_point("i8(i8, i8)")
def ending(arcade: int, state: int) -> int:
    """Return whether a state is won (1) and whether it is lost (2), summed up."""
    return _won(arcade, state) + 2 * _lost(arcade, state)
