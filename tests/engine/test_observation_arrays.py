"""The memory of a state as arrays: no copies, no writing, and safe for as long as somebody looks."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from texts import BREEDERS, BREEDERS_LEVEL, game

from pcg.engine.arrays import NOT_HELD, sprite_table
from pcg.engine.game import load
from pcg.engine.kernel import layout as L


@pytest.fixture
def state():
    return load("dungeon").start(0, 1)


def test_a_table_of_all_sprites_equals_the_objects(state):
    for action in ("USE", "RIGHT", "DOWN", "USE", "LEFT"):
        state.advance(action)
    table = sprite_table(state)
    sprites = state.sprites()
    assert [(r["type"], r["id"], r["x"], r["y"], r["w"], r["h"]) for r in table] == [
        (s.type, s.id, s.x, s.y, s.w, s.h) for s in sprites
    ]
    assert [(r["ox"], r["oy"], r["speed"], r["hp"]) for r in table] == [
        (*s.orientation, s.speed, s.health) for s in sprites
    ]


def test_views_are_of_the_states_own_memory(state):
    arrays = state.arrays()
    moving, header = arrays.moving, arrays.header
    assert moving.ctypes.data == state.address + int(header["at_sprites"])
    assert arrays.level.ctypes.data == state.copy().arrays().level.ctypes.data  # one level for all states
    where = moving["x"].copy()
    for _ in range(30):
        state.advance("RIGHT")
    assert header["tick"] == state.tick == 29
    assert (moving["x"][: len(where)] != where).any()


def test_nothing_can_be_written(state):
    arrays = state.arrays()
    for view in (arrays.moving, arrays.level, arrays.mortal_alive, arrays.events):
        assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        arrays.moving["x"][0] = 7


def test_a_view_keeps_its_state_alive():
    game = load("dungeon")
    state = game.start(0, 1)
    context = weakref.ref(state.context)
    moving = state.arrays().moving
    ids = moving["id"].copy()
    del state, game
    gc.collect()
    assert context() is not None
    others = [load("dungeon").start(0, seed) for seed in range(70)]  # would be given the same memory
    assert len(others) == 70 and (moving["id"] == ids).all()
    del moving, others
    gc.collect()
    assert context() is None


def test_after_growing_new_views_show_the_state_and_old_ones_do_no_harm():
    state = game(BREEDERS, BREEDERS_LEVEL).start(0, 1)
    old = state.arrays()
    address = state.address
    while state.address == address:
        state.advance("NIL")
        assert state.tick < 300
    for _ in range(5):
        state.advance("NIL")
    assert len(old.moving) >= 0 and old.moving["id"].max() >= -1
    new = state.arrays()
    assert (new.moving["id"] >= 0).sum() + new.alive.sum() == len(state.sprites())


def test_dead_sprites_of_the_level_are_marked():
    state = load("boxes").start(level="wwwww\nwAboo\nw...w\nwwwww".replace("oo\n", "ow\n"), seed=1)
    arrays = state.arrays()
    names = state.context.tables.names
    marks = [names[t] for t in arrays.level["type"][arrays.alive]].count("mark")
    state.advance("RIGHT")
    state.advance("RIGHT")
    arrays = state.arrays()
    assert marks == 1
    assert [names[t] for t in arrays.level["type"][arrays.alive]].count("mark") == 0
    assert len(arrays.alive) == len(arrays.level) and len(arrays.mortal_alive) < len(arrays.level)


def test_resources_counters_and_events_are_there():
    text = """BasicGame square_size=10 no_counters=2
        SpriteSet
            coin > Resource limit=5
            avatar > MovingAvatar
        InteractionSet
            coin avatar > collectResource counter=3,4
        LevelMapping
            A > avatar
            c > coin
    """
    state = game(text, "Ac").start(0, 1)
    assert state.arrays().resources.shape == (0, 1)
    state.advance("RIGHT")
    arrays = state.arrays()
    assert arrays.counters.tolist() == [3, 4]
    avatar = arrays.moving[arrays.moving["player"] == 0][0]
    assert arrays.resources[avatar["res"]].tolist() == [1] and arrays.resources.min() > NOT_HELD
    assert arrays.events.dtype == L.EVENT and len(arrays.events) == 1
    assert arrays.events[0]["active_id"] == avatar["id"]
    assert np.shares_memory(arrays.events, arrays.events)
