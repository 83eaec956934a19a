"""Classes and effects of one's own run at compiled speed beside the built-in ones."""

from __future__ import annotations

import pytest
from texts import game, positions

from pcg.engine.kernel.groups import effect_at, own_number, type_at
from pcg.engine.kernel.layout import sprite_at, state_at
from pcg.engine.kernel.physics import active, passive
from pcg.engine.kernel.store import add_sprite, kill
from pcg.engine.vgdl import extensions
from pcg.engine.vgdl.diagnostics import PcgError
from pcg.engine.vgdl.ontology_params import Param

pytestmark = pytest.mark.kernel

RULES = """BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        patrol > Sentry range=3 speed=1
        stone > Immovable
        crumb > Immovable
        wall > Immovable
    InteractionSet
        avatar wall > stepBack
        patrol wall > stepBack
        stone avatar > burst pieces=2 into=crumb scoreChange=5
    LevelMapping
        A > avatar
        p > patrol
        s > stone
    TerminationSet
        Timeout limit=50 win=True
"""


@pytest.fixture
def registered():
    @extensions.sprite_class(
        "Sentry",
        parent="RandomNPC",
        help="walks to and fro over a range",
        params=[Param("range", "int", 4, "cells one way", "cells", (1, 20))],
        stochastic=False,
    )
    def sentry(gm, st, a, action):
        passive(gm, st, a)
        p = sprite_at(a)
        reach = own_number(gm, type_at(gm, p.type).own_at, 0)
        way = 1.0 if (state_at(st).tick // int(reach)) % 2 == 0 else -1.0
        active(gm, st, a, way, 0.0, p.speed)
        return 0

    @extensions.effect(
        "burst",
        help="A falls into pieces",
        params=[
            Param("pieces", "int", 1, "how many", "sprites", (1, 9)),
            Param("into", "sprite", None, "what they are", required=True),
        ],
        needs_first=True,
        kills_first=True,
        creates=("into",),
    )
    def burst(gm, st, e, a, b):
        at = effect_at(gm, e).own_at
        p = sprite_at(a)
        for _ in range(int(own_number(gm, at, 0))):
            add_sprite(gm, st, int(own_number(gm, at, 1)), p.x, p.y, 0)
        kill(gm, st, a, 0)
        return 0

    yield
    extensions.unregister("Sentry")
    extensions.unregister("burst")


def test_a_class_of_ones_own_moves_by_its_own_rule(registered):
    state = game(RULES, "A.......\n...p....").start()
    xs = []
    for _ in range(7):
        state.advance("NIL")
        xs.append(positions(state, "patrol")[0][0])
    assert xs == [40, 50, 60, 50, 40, 30, 40]


def test_an_effect_of_ones_own_kills_creates_and_scores(registered):
    state = game(RULES, "As......").start()
    state.advance("RIGHT")
    assert positions(state, "stone") == []
    assert positions(state, "crumb") == [(10, 0), (10, 0)]
    assert state.score == 5


def test_a_class_without_a_function_runs_as_its_parent():
    from pcg.engine.vgdl import ontology

    ontology.register_sprite_class("Pebble", parent="Missile", help="a missile by another name", runnable=True)
    try:
        text = RULES.replace("Sentry range=3 speed=1", "Pebble orientation=RIGHT speed=1")
        text = text.replace("stone avatar > burst pieces=2 into=crumb scoreChange=5", "stone avatar > killSprite")
        state = game(text, "A.......\n...p....").start()
        for _ in range(3):
            state.advance("NIL")
        assert positions(state, "patrol") == [(50, 10)]
    finally:
        ontology.unregister("Pebble")


def test_what_is_only_declared_cannot_be_run():
    from pcg.engine.vgdl import ontology

    ontology.register_effect("sparkle", help="glitters", needs_first=True)
    try:
        text = RULES.replace("Sentry range=3 speed=1", "RandomNPC")
        text = text.replace("burst pieces=2 into=crumb", "sparkle")
        with pytest.raises(PcgError, match=r"sparkle.*cannot be run"):
            game(text, "As").start()
    finally:
        ontology.unregister("sparkle")
