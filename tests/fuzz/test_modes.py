"""The same play with the compiler and without it, here and in another process: every byte of every state is equal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from choices import SeededChoices
from plays import begin, digest, from_json, light, ticks, to_json, trace
from random_games import RandomPlay, random_play

from pcg.engine.kernel.runtime import COMPILED

pytestmark = pytest.mark.kernel

PROGRAM = Path(__file__).parent / "traces.py"
SEEDS = range(5000, 5048)

CONTINUOUS = """BasicGame square_size=10
    SpriteSet
        ball > Missile orientation=RIGHT speed={speed} physicstype=CONT mass={mass} gravity=0.5 max_speed=-1
        goal > Walker physicstype=CONT max_speed={speed} jump_strength=3
        hero > {avatar} stype=ball angle_diff={angle} physicstype=CONT mass={mass} air_slowdown_factor={mass}
    InteractionSet
        ball wall > wallBounce
        hero goal > bounceDirection
        ball hero > bounceForward
        hero ball > pullWithIt
    LevelMapping
        b > ball
        g > goal
        A > hero
"""
AVATARS = (
    "CarAvatar",
    "LanderAvatar",
    "AimedAvatar",
    "SpaceshipAvatar",
    "PlatformerAvatar",
    "WizardAvatar",
    "BirdAvatar",
)
LEVEL = "wwwwwwww\nw.b.b..w\nw.A..g.w\nwwwwwwww"


def other_process(plays: list[RandomPlay] | None, *arguments: str, compiler: bool) -> str:
    """Return what the program `traces.py` writes, with the compiler or without it, after reading the plays."""
    environment = {**os.environ, "PCG_KERNELS": "aot" if compiler else "python"}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        input=None if plays is None else to_json(plays),
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def chosen(first: int, last: int) -> list[RandomPlay]:
    """The plays of some seeds, as far as plain Python can follow; the compiler decides how far that is."""
    if COMPILED:
        return [play for k in range(first, last) if (play := light(random_play(SeededChoices(k)))) is not None]
    return from_json(other_process(None, str(first), str(last), "--plays", compiler=True))


@pytest.mark.modes
def test_plays_are_the_same_with_the_compiler_and_without_it():
    plays = chosen(SEEDS.start, SEEDS.stop)
    here = [trace(play) for play in plays]
    there = json.loads(other_process(plays, compiler=not COMPILED))
    assert there == here
    assert sum(map(len, here)) > 300


def test_numbers_beyond_all_bounds_are_the_same_with_the_compiler_and_without_it():
    values = [("1", "1.0", "0.2"), ("Infinity", "1.0", "NaN"), ("1e300", "0", "Infinity"), ("NaN", "-0.0", "1e9")]
    actions = tuple((k % 6, 0) for k in range(12))
    plays = [
        RandomPlay(CONTINUOUS.format(avatar=name, speed=speed, mass=mass, angle=angle), LEVEL, 7, actions)
        for name in AVATARS
        for speed, mass, angle in values
    ]
    here = [trace(play) for play in plays]
    assert json.loads(other_process(plays, compiler=not COMPILED)) == here
    assert all(len(found) == len(actions) + 1 for found in here)


def test_states_restored_in_another_process_go_on_as_here():
    plays = chosen(6000, 6024)
    middles, ends = [], []
    for play in plays:
        state = begin(play)
        assert state is not None
        half = len(play.actions) // 2
        for number, action in enumerate(ticks(state, play)):
            if number == half:
                middles.append((play.game, state.to_bytes().hex(), play.actions[half:]))
            state.advance(action)
        ends.append(digest(state))
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1])\n"
        "from plays import digest, ticks; from random_games import RandomPlay; from pcg.engine.game import load\n"
        "found = []\n"
        "for text, data, actions in json.load(sys.stdin):\n"
        "    state = load(text, reading='gvgai').restore(bytes.fromhex(data)); assert state.to_bytes().hex() == data\n"
        "    for action in ticks(state, RandomPlay(text, '', 0, actions)): state.advance(action)\n"
        "    found.append(digest(state))\n"
        "json.dump(found, sys.stdout)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(PROGRAM.parent)], input=json.dumps(middles), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ends and len(ends) > 12
