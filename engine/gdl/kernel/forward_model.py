"""The forward-model protocol for rule sheets: what search kernels call (`pcg.engine.kernel.protocol`).

An action code stands for the text of a move, the same for all roles. In games of several roles an agent may always do
nothing (NIL, code 0), which no rule sheet knows: here NIL *is* the last legal move of a role, and `actions` lists the
others. So a role has exactly its legal moves to choose from, each once, and a role that is not to move has NIL alone.
"""

from __future__ import annotations

from pcg.engine.gdl.kernel.single import (
    ENDED,
    RUNNING,
    copy_block,
    game_at,
    goal_of,
    held,
    legal_count,
    legal_move,
    make_move,
    moves_end,
    state_at,
    turn,
    words_end,
)
from pcg.engine.kernel.protocol import LOST, OK, UNDECIDED, WON
from pcg.engine.kernel.runtime import CHECKED, clear_low, entry_point, inner, load32, load64, low_bit, store64


@inner
def is_legal(gm, st, role, move):
    """1 when a move of the game is legal for a role."""
    g = game_at(gm)
    at = move - load64(g.role_move + 8 * role)
    at = held(gm, at, moves_end(gm, role) - load64(g.role_move + 8 * role)) if CHECKED else at
    word = st + g.at_outs + 8 * (load64(g.role_word + 8 * role) + (at >> 6))
    return (load64(word) >> (at & 63)) & 1


@inner
def move_of(gm, st, role, code):
    """The move that an action code stands for in a state: the last legal one for NIL and for what is not legal."""
    g = game_at(gm)
    if 0 < code <= g.code_count:
        move = load32(g.move_of + 4 * (role * (g.code_count + 1) + code))
        if move >= 0 and is_legal(gm, st, role, move) != 0:
            return move
    return legal_move(gm, st, role, legal_count(gm, st, role) - 1)


@entry_point("i8(i8, i8, i8)")
def copy(gm, to, source):
    """`protocol.copy_state`."""
    return copy_block(gm, to, source)


@entry_point("i8(i8, i8, i8)")
def advance_codes(gm, st, joint):
    """`protocol.advance_state`."""
    if state_at(st).status == RUNNING:
        # moves are read from the state before the first of them is made
        for role in range(game_at(gm).roles):
            make_move(gm, st, role, move_of(gm, st, role, load64(joint + 8 * role)))
        turn(gm, st)
    return OK


@entry_point("i8(i8, i8)")
def over(gm, st):
    """`protocol.is_over`."""
    return 0 if state_at(st).status == RUNNING else 1


@entry_point("i8(i8, i8, i8)")
def outcome(gm, st, player):
    """`protocol.outcome`: won with 100 or more than someone else and not less than anyone, lost with less or with 0."""
    if state_at(st).status != ENDED:
        return UNDECIDED
    own = goal_of(gm, st, player)
    more = 0
    less = 0
    for role in range(game_at(gm).roles):
        other = goal_of(gm, st, role)
        if other > own:
            less = 1
        elif other < own:
            more = 1
    if own >= 100 or (more != 0 and less == 0):
        return WON
    if own <= 0 or less != 0:
        return LOST
    return UNDECIDED


@entry_point("f8(i8, i8, i8)")
def score(gm, st, player):
    """`protocol.score`: the goal value, 0 where the rules give none."""
    return 1.0 * max(0, goal_of(gm, st, player))


@entry_point("i8(i8, i8, i8, i8)")
def actions(gm, st, player, out):
    """`protocol.legal_actions`."""
    g = game_at(gm)
    if state_at(st).status != RUNNING:
        return 0
    count = 0
    first = load64(g.role_word + 8 * player)
    for word in range(first, words_end(gm, player)):
        left = load64(st + g.at_outs + 8 * word)
        while left != 0:
            bit = low_bit(left)
            left = clear_low(left)
            move = load64(g.role_move + 8 * player) + 64 * (word - first) + bit
            move = held(gm, move, g.moves) if CHECKED else move
            store64(out + 8 * count, load32(g.codes + 4 * move))
            count += 1
    return count - 1 if g.roles > 1 else count


@entry_point("i8(i8, i8)")
def key(gm, st):
    """`protocol.state_key`: the facts that hold, hashed (Zobrist)."""
    g = game_at(gm)
    hashed = 0
    for word in range(g.fact_words):
        left = load64(st + g.at_facts + 8 * word)
        while left != 0:
            bit = low_bit(left)
            left = clear_low(left)
            fact = 64 * word + bit
            fact = held(gm, fact, g.facts) if CHECKED else fact
            hashed = hashed ^ load64(g.mixers + 8 * fact)
    return hashed


@entry_point("i8(i8, i8, i8)")
def reseed(gm, st, seed):
    """`protocol.reseed`; the rules draw nothing."""
    state_at(st).rng = seed
    return OK


@entry_point("i8(i8, i8, i8, i8, i8)")
def features(gm, st, player, out, room):
    """`protocol.features`: none that mean the same in all rule sheets."""
    return 0


@entry_point("i8(i8, i8, i8, i8)")
def events(gm, st, out, room):
    """`protocol.last_events`: rule sheets have none."""
    return 0


@entry_point("i8(i8, i8, i8, i8, i8)")
def atoms(gm, st, player, out, room):
    """`protocol.atoms`: 0, for there is no avatar, then 1 + the number of each fact that holds."""
    g = game_at(gm)
    if room < 1:
        return 0
    store64(out, 0)
    count = 1
    for word in range(g.fact_words):
        left = load64(st + g.at_facts + 8 * word)
        while left != 0 and count < room:
            bit = low_bit(left)
            left = clear_low(left)
            store64(out + 8 * count, 1 + 64 * word + bit)
            count += 1
    return count
