"""Effects on motion, against numbers obtained from the reference for hand-made sprites (reference/effects 10.14)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from texts import game

from pcg.engine.kernel import effects_motion as motion
from pcg.engine.kernel.runtime import entry_point, invoke6

pytestmark = pytest.mark.kernel

RULES = """BasicGame square_size=10
    SpriteSet
        avatar > MovingAvatar
        ball > Missile physicstype=CONT orientation=RIGHT
        heavy > Missile physicstype=CONT orientation=RIGHT gravity=2
        crate > Missile orientation=RIGHT
        wall > Passive
    InteractionSet
        crate wall > stepBack pixelPerfect=True
        ball wall > wallStop
        ball wall > bounceDirection
        ball wall > wallBounce
        heavy wall > wallReverse
        crate wall > pullWithIt
        crate wall > bounceForward
        crate EOS > turnAround
        crate EOS > wrapAround offset=0.55
        wall crate > bounceForward
        ball wall > bounceDirection maxBounceAngleDeg=45
    LevelMapping
        A > avatar
        b > ball
        h > heavy
        c > crate
        w > wall
    TerminationSet
        Timeout limit=10 win=True
"""
LEVEL = "Abhcwww............."
LEVEL = LEVEL + "\n" + "." * 20 + "\n" + "." * 20
STEP_BACK, WALL_STOP, BOUNCE_DIRECTION, WALL_BOUNCE, WALL_REVERSE, PULL, PUSH, TURN, WRAP = range(9)
BOUNCE_45 = 10


@entry_point("i8(i8, i8, i8, i8, i8, i8)")
def run_effect(gm, st, e, a, hits, n):
    b = motion.load64(hits)
    if e == STEP_BACK:
        motion.step_back(gm, st, e, a, b)
    elif e == WALL_STOP:
        motion.wall_stop(gm, st, a, b)
    elif e in (BOUNCE_DIRECTION, BOUNCE_45):
        motion.bounce_direction(gm, e, a, b)
    elif e == WALL_BOUNCE:
        return motion.bounce_batch(gm, st, a, hits, n, 0)
    elif e == WALL_REVERSE:
        return motion.bounce_batch(gm, st, a, hits, n, 1)
    elif e == PULL:
        motion.pull_with_it(gm, st, e, a, b)
    elif e == PUSH:
        motion.bounce_forward(gm, st, a, b)
    elif e == TURN:
        motion.turn_around(gm, st, a)
    elif e == WRAP:
        motion.wrap_around(gm, st, e, a)
    return 1


@dataclass
class Scene:
    """A of one kind and up to three Bs, set up by hand."""

    state: object
    kind: str

    def __post_init__(self):
        self.context = self.state.context
        names = self.context.tables.names
        self.rows = self.context.moving(self.state.address)
        self.a = next(i for i, r in enumerate(self.rows) if names[int(r["type"])] == self.kind)
        self.bs = [i for i, r in enumerate(self.rows) if names[int(r["type"])] == "wall"]

    def put(self, slot, rect, last, direction=None, speed=None):
        r = self.rows[slot]
        r["x"], r["y"], r["w"], r["h"] = rect
        r["lx"], r["ly"], r["lw"], r["lh"] = (*(last or rect[:2]), rect[2], rect[3])
        r["lastmove"] = 1
        if direction is not None:
            r["ox"], r["oy"] = direction
        if speed is not None:
            r["speed"] = speed

    def address(self, slot):
        head = self.context.header(self.state.address)
        return self.state.address + int(head["at_sprites"]) + slot * self.context.tables.stride

    def run(self, effect, count):
        hits = np.array([self.address(s) for s in self.bs[:count]] or [0], np.int64)
        at = int(hits.ctypes.data)
        return invoke6(
            run_effect.address, self.context.address, self.state.address, effect, self.address(self.a), at, count
        )

    @property
    def after(self):
        r = self.rows[self.a]
        return (int(r["x"]), int(r["y"])), (float(r["ox"]), float(r["oy"])), float(r["speed"])


def box(x, y, w=10, h=10):
    return (x, y, w, h)


D5 = (0.9701425001453319, 0.24253562503633297)
VECTORS = [
    # name, effect, kind, A rect, last, direction, speed, [B rect, last, direction, speed], corner, direction, speed, n
    ("flush against the wall", STEP_BACK, "crate", box(57, 40), (45, 40), (1, 0), 1, [(box(60, 42), None, None, None)],
     (50, 40), (1, 0), 1, 1),
    ("diagonal steps back", STEP_BACK, "crate", box(57, 44), (45, 40), (1, 0), 1, [(box(60, 42), None, None, None)],
     (45, 40), (1, 0), 1, 1),
    ("stops at the side", WALL_STOP, "ball", box(57, 40), (45, 40), (0.6, 0.8), 5, [(box(60, 42), None, None, None)],
     (50, 40), (0, 1), 4, 1),
    ("stops on top", WALL_STOP, "ball", box(57, 44), (57, 36), (0.6, 0.8), 5, [(box(60, 50), None, None, None)],
     (57, 40), (1, 0), 3, 1),
    ("paddle from the side", BOUNCE_DIRECTION, "ball", box(57, 43), (45, 40), D5, 12,
     [(box(60, 40, 10, 20), None, None, None)], (57, 43), (-0.9781476007338057, -0.20791169081775931), 12, 1),
    ("paddle from above", BOUNCE_45, "ball", box(33, 57), (30, 45), (D5[1], D5[0]), 12,
     [(box(30, 60, 40, 10), None, None, None)], (33, 57), (-0.45399049973954675, -0.8910065241883679), 12, 1),
    ("two walls count as one", WALL_BOUNCE, "ball", box(57, 43), (45, 40), D5, 12,
     [(box(60, 40), None, None, None), (box(60, 50), None, None, None)], (45, 40), (-D5[0], D5[1]), 12, 2),
    ("corner hit from the left", WALL_BOUNCE, "ball", box(57, 45), (49, 41),
     (0.8944271909999159, 0.4472135954999579), 9,
     [(box(60, 50), None, None, None)], (49, 41), (-0.8944271909999159, 0.4472135954999579), 9, 1),
    ("nearest of three", WALL_BOUNCE, "ball", box(53, 45), (49, 37), (0.4472135954999579, 0.8944271909999159), 9,
     [(box(60, 50), None, None, None), (box(50, 50), None, None, None), (box(60, 40), None, None, None)],
     (49, 37), (-0.4472135954999579, 0.8944271909999159), 9, 1),
    ("reverses at a wall", WALL_REVERSE, "heavy", box(57, 43), (45, 40), (0.6, 0.8), 10,
     [(box(60, 40), None, None, None)], (45, 40), (-1, 0), 6, 1),
    ("lands with at least its gravity", WALL_REVERSE, "heavy", box(57, 43), (57, 30), (0, 1), 10,
     [(box(50, 50, 20, 10), None, None, None)], (57, 30), (0, 0), 2, 1),
    ("rides on the grid", PULL, "crate", box(50, 40), None, (0, 1), 1, [(box(53, 40), (50, 40), None, 0.35)],
     (53, 40), (0, 1), 1, 1),
    ("rides in continuous physics", PULL, "ball", box(50, 40), None, (0.6, 0.8), 1,
     [(box(53, 44, 10, 12), (50, 44), None, 0.35)], (53, 32), (0.6, 0), 1, 1),
    ("is pushed on", PUSH, "crate", box(50, 40), None, (0, 1), 1, [(box(43, 40), (40, 40), (1, 0), 0.35)],
     (53, 40), (1, 0), 1, 1),
    ("is pushed back by what faces the other way", PUSH, "crate", box(50, 40), None, (0, 1), 1,
     [(box(43, 40), (40, 40), (-1, 0), 0)], (40, 40), (-1, 0), 1, 1),
    ("turns round and steps down", TURN, "crate", box(57, 10), (50, 10), (1, 0), 0.75, [], (50, 24), (-1, 0), 0.75, 1),
    ("wraps to the right edge", WRAP, "crate", box(-7, 10), None, (-1, 0), 1, [], (184, 10), (-1, 0), 1, 1),
]  # fmt: skip


@pytest.mark.parametrize("case", VECTORS, ids=[v[0].replace(" ", "-") for v in VECTORS])
def test_motion_effect_equals_the_reference(case):
    _, effect, kind, rect, last, direction, speed, others, corner, facing, fast, times = case
    scene = Scene(game(RULES, LEVEL).start(), kind)
    effects = scene.context.tables.definition.effects
    names = ["stepBack", "wallStop", "bounceDirection", "wallBounce", "wallReverse", "pullWithIt", "bounceForward"]
    assert [e.name for e in effects][: len(names)] == names
    scene.put(scene.a, rect, last, direction, speed)
    for slot, (b_rect, b_last, b_dir, b_speed) in zip(scene.bs, others, strict=False):
        scene.put(slot, b_rect, b_last, b_dir, b_speed)
    assert scene.run(effect, len(others)) == times
    got_corner, got_facing, got_speed = scene.after
    assert got_corner == corner
    assert got_facing == facing
    assert got_speed == pytest.approx(fast, rel=1e-15)


def test_a_sprite_is_pulled_once_per_tick():
    scene = Scene(game(RULES, LEVEL).start(), "crate")
    scene.put(scene.a, box(50, 40), None, (0, 1), 1)
    scene.put(scene.bs[0], box(53, 40), (50, 40), None, 0.35)
    scene.run(PULL, 1)
    scene.rows[scene.a]["lastmove"] = 1
    scene.run(PULL, 1)
    assert scene.after[0] == (53, 40)
