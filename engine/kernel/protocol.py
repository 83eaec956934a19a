"""The forward-model protocol as compiled code sees it: a record of function addresses, and one caller for each.

A search kernel receives the address of a `MODEL` record and addresses of state blocks, and knows nothing else of the
engine behind them; so it is compiled once and serves VGDL, GDL and board games alike. All values are int64 except
where noted. State blocks come from a pool (`pcg.engine.model.Pool`) and may only be touched through these functions.
"""

from __future__ import annotations

import numpy as np

from pcg.engine.kernel.runtime import call2, call3, call3_double, call4, call5, inner, view_of

OK = 0
"""Status: done."""
GROW = 1
"""Status: the block was too small. Its content is now undefined; enlarge the pool and repeat from a copy."""

UNDECIDED, WON, LOST = 0, 1, -1
"""Outcomes of `outcome`."""

MODEL = np.dtype(
    [
        ("game", "i8"),
        ("players", "i8"),
        ("max_actions", "i8"),
        ("copy", "i8"),
        ("advance", "i8"),
        ("over", "i8"),
        ("outcome", "i8"),
        ("score", "i8"),
        ("actions", "i8"),
        ("key", "i8"),
        ("reseed", "i8"),
        ("features", "i8"),
        ("events", "i8"),
        # --- what only games on a grid of cells offer: 0 elsewhere ---
        ("columns", "i8"),
        ("rows", "i8"),
        ("cell", "i8"),
        ("map", "i8"),
        ("counts", "i8"),
        ("atoms", "i8"),  # 0: the engine does not say
        ("work", "i8"),  # 0: the engine does not say
        ("must_move", "i8"),  # 1: who has available actions takes one of them, as on boards; 0: NIL is always possible
    ],
    align=True,
)

model_at = view_of(MODEL)


@inner
def copy_state(model, to, source):
    """Make the block at `to` equal to the state at `source`; returns OK or GROW."""
    m = model_at(model)
    return call3(m.copy, m.game, to, source)


@inner
def advance_state(model, state, joint):
    """Play one tick. `joint` is the address of one int64 action code per player; returns OK or GROW.

    An action that is not available counts as NIL (code 0). Advancing a finished game changes nothing.
    """
    m = model_at(model)
    return call3(m.advance, m.game, state, joint)


@inner
def is_over(model, state):
    """1 when the game has ended, else 0."""
    m = model_at(model)
    return call2(m.over, m.game, state)


@inner
def outcome(model, state, player):
    """WON, LOST or UNDECIDED for the player."""
    m = model_at(model)
    return call3(m.outcome, m.game, state, player)


@inner
def score(model, state, player):
    """The player's score, float64."""
    m = model_at(model)
    return call3_double(m.score, m.game, state, player)


@inner
def legal_actions(model, state, player, out):
    """Write the available action codes (int64 each, NIL not included) to `out`; returns their number.

    At most `max_actions` are written; 0 when the game is over or the player cannot act.
    """
    m = model_at(model)
    return call4(m.actions, m.game, state, player, out)


@inner
def may_wait(model, count):
    """1 when NIL is a choice for a player with `count` available actions, in a game for several players."""
    return 1 if count == 0 or model_at(model).must_move == 0 else 0


@inner
def state_key(model, state):
    """A 64-bit hash: states that behave alike from here on have equal keys (time excluded where it cannot matter)."""
    m = model_at(model)
    return call2(m.key, m.game, state)


@inner
def reseed(model, state, seed):
    """Give the state its own random stream: what the copy of a state cannot know about the future."""
    m = model_at(model)
    return call3(m.reseed, m.game, state, seed)


@inner
def features(model, state, player, out, room):
    """Write at most `room` float64 features of the state to `out`; returns how many.

    VGDL: for each sprite type (by id) two numbers: how many are alive, and the distance of the nearest to the player's
    avatar in cells (-1 when there is none). Of hidden types, which are not observed, 0 and -1.
    """
    m = model_at(model)
    return call5(m.features, m.game, state, player, out, room)


@inner
def last_events(model, state, out, room):
    """Write the events of the last tick to `out`: from-avatar flag, active type, passive type, passive id (int64 each).

    Returns their number (at most `room`).
    """
    m = model_at(model)
    return call4(m.events, m.game, state, out, room)


@inner
def avatar_cell(model, state, player):
    """Cell (row * columns + column) of the player's avatar, -1 without one; only where the model has `columns`."""
    m = model_at(model)
    return call3(m.cell, m.game, state, player)


@inner
def map_types(model, state, flags, out):
    """In int8 out[cells] set at every sprite's cell the bits int8 flags[type]; only where the model has `columns`.

    Hidden types, which are not observed, set none.
    """
    m = model_at(model)
    return call4(m.map, m.game, state, flags, out)


@inner
def count_types(model, state, out):
    """Numbers of living sprites by type to int32 out[types]; returns the number of types. Needs `columns`.

    Hidden types are counted: what the rules count, for agents that read the rules and for evaluators. Agents that only
    observe ask for `features`.
    """
    m = model_at(model)
    return call3(m.counts, m.game, state, out)


@inner
def atoms(model, state, player, out, room):
    """Write at most `room` facts of the state (int64, from 0 to 2^31 - 1) to `out`; returns how many, -1 if not known.

    Equal numbers are equal facts. Hidden sprites are in none. The first is the player's avatar: its type, place and
    facing in one, 0 for none.
    """
    m = model_at(model)
    if m.atoms == 0:
        return -1
    return call5(m.atoms, m.game, state, player, out, room)


@inner
def work_of(model, state):
    """Return the cost of the last tick of a state, in executions of effects; 0 when the engine does not say."""
    m = model_at(model)
    if m.work == 0:
        return 0
    return call2(m.work, m.game, state)


__all__ = [
    "GROW",
    "LOST",
    "MODEL",
    "OK",
    "UNDECIDED",
    "WON",
    "advance_state",
    "avatar_cell",
    "atoms",
    "copy_state",
    "count_types",
    "features",
    "is_over",
    "last_events",
    "legal_actions",
    "map_types",
    "may_wait",
    "model_at",
    "outcome",
    "reseed",
    "score",
    "state_key",
    "work_of",
]
