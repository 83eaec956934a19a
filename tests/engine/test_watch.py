"""The sprites that look different from tick to tick, found in compiled code: it is what the sprites' records say."""

from __future__ import annotations

import numpy as np
import pytest

from pcg.engine.game import load
from pcg.engine.kernel import layout as L
from pcg.engine.state import State
from pcg.engine.watch import Watch

Look = tuple[int, int, int, int, int, float, float]


def looks(state: State) -> dict[int, Look]:
    """Return the looks of every sprite that can be seen, by id, read from the records one by one."""
    found = {}
    for _, r in state.records():
        if not int(r["bits"]) & L.DISABLED:
            found[int(r["id"])] = tuple(r[name].item() for name in ("type", "x", "y", "w", "h", "ox", "oy"))
    return found  # type: ignore[return-value]


def level_looks(state: State) -> dict[int, Look]:
    """Return the looks of the sprites that are kept once per level, dead ones included: what a watch starts from."""
    names = ("type", "x", "y", "w", "h", "ox", "oy")
    return {int(r["id"]): tuple(r[name].item() for name in names) for r in state.arrays().level}  # type: ignore[misc]


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["boxes", "crossing", "digger", "dungeon", "hunt", "invaders", "portals", "survival"])
def test_changes_lead_from_one_tick_to_the_next(name: str) -> None:
    game = load(name)
    state = game.start(0, seed=3)
    watch, shown, rng = Watch(state), level_looks(state), np.random.default_rng(5)
    for _ in range(80):
        changes = watch.changes(state)
        for was, *_ in changes:
            if was >= 0:
                shown.pop(was, None)
        for _, id, *look in changes:
            if id >= 0:
                shown[id] = tuple(look)  # type: ignore[assignment]
        assert shown == looks(state)
        assert watch.changes(state) == []
        avatar = state.avatar
        assert watch.avatar == (-1 if avatar is None else avatar.type)
        assert watch.health == (0 if avatar is None else avatar.health)
        if state.is_over:
            break
        state.advance(str(rng.choice(state.actions)) if state.actions else "NIL")


def test_a_change_of_belongings_is_noticed_once() -> None:
    game = load("dungeon")
    state = game.start(0, seed=1)
    watch, rng = Watch(state), np.random.default_rng(1)
    watch.changes(state)
    noticed = 0
    for _ in range(1500):
        before = {} if state.avatar is None else state.avatar.resources
        if state.is_over:
            state = game.start(0, seed=int(rng.integers(1000)))
            watch = Watch(state)
            watch.changes(state)
            continue
        state.advance(str(rng.choice(state.actions)))
        watch.changes(state)
        after = {} if state.avatar is None else state.avatar.resources
        assert watch.holds_changed == (before != after)
        noticed += watch.holds_changed
        watch.changes(state)
        assert not watch.holds_changed
    assert noticed


def test_a_play_that_outgrows_the_memory_is_watched_on() -> None:
    """Nests that send out a bee a tick: more slots than there is room for at first."""
    text = """
BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        nest > SpawnPoint stype=bee total=400 cooldown=1 color=RED
        bee > RandomNPC color=GOLD
        cat > MovingAvatar color=ORANGE
    LevelMapping
        . > floor
        n > floor nest
        A > floor cat
    InteractionSet
        cat EOS > stepBack
        bee EOS > stepBack
    TerminationSet
        Timeout limit=500 win=False
"""
    game = load(text)
    state = game.start("\n".join(["nnnnnnnn", "........", "A......."]), seed=1)
    watch, shown = Watch(state), level_looks(state)
    for _ in range(40):
        for was, id, *look in sorted(watch.changes(state), key=lambda change: change[1] >= 0):
            if was >= 0 and was != id:
                shown.pop(was, None)
            if id >= 0:
                shown[id] = tuple(look)  # type: ignore[assignment]
        assert shown == looks(state)
        state.advance("NIL")
    assert state.header.slots > 64
