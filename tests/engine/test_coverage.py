"""Coverage of a game by plays: every line of a game that was at work is noted, and no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from texts import PUSH, PUSH_LEVEL, game

from pcg.engine.coverage import Coverage, Rule, Watch, rules_of, summarise
from pcg.engine.game import Game
from pcg.engine.kernel.groups import effect_at, own_number
from pcg.engine.kernel.ids import ACTION_ID
from pcg.engine.kernel.layout import sprite_at
from pcg.engine.kernel.store import add_sprite, kill
from pcg.engine.vgdl import extensions, ontology
from pcg.engine.vgdl.ontology_params import Param

pytestmark = pytest.mark.kernel

BUSY = """BasicGame square_size=10 no_counters=1
    SpriteSet
        seed > Immovable
        ball > Missile orientation=LEFT physicstype=CONT speed=4
        bug > Chaser stype=avatar cooldown=3
        egg > Immovable
        chick > RandomNPC cooldown=2
        corn > Resource limit=3
        avatar > ShootAvatar stype=dart
        dart > Flicker limit=2
        wall > Immovable
    InteractionSet
        avatar wall > stepBack
        ball wall > wallBounce
        ball avatar > wallReverse
        bug wall > undoAll
        seed avatar > transformTo stype=egg
        egg avatar > transformTo stype=corn
        corn avatar > collectResource scoreChange=1
        bug dart > killSprite scoreChange=1
        chick dart > killBoth
        chick wall > reverseDirection
        TIME avatar > addHealthPoints timer=5 value=1
        seed TIME > transformToAll stype=egg stypeTo=chick timer=9 nextExecution=9
        wall dart > addTimer timer=2 ftype=spawnAbove stype=seed
        wall bug > killIfHasLess resource=corn limit=0
    LevelMapping
        A > avatar
        s > seed
        b > ball
        u > bug
        w > wall
        e > egg
    TerminationSet
        SpriteCounter stype=bug limit=0 win=True
        Timeout limit=60 win=False
"""
BUSY_LEVEL = "wwwwwwww\nwA.se.bw\nw...u..w\nww.w.w.w\nwsu..e.w\nwwwwwwww"
STOPPED = """BasicGame square_size=10
    SpriteSet
        gem > Immovable
        lock > Immovable
        avatar > MovingAvatar
    InteractionSet
        gem avatar > killSprite
        lock avatar > killSprite
    LevelMapping
        A > avatar
        g > gem
        l > lock
    TerminationSet
        StopCounter stype1=lock limit=1
        SpriteCounter stype=gem limit=0 win=True
        Timeout limit=9 win=False
"""


def play(played: Game, *actions: str) -> tuple[Coverage, set[str]]:
    """Return what a play on level 0 makes use of, also as the texts of those lines."""
    state = played.start(0, 1)
    watch = Watch(state, rules_of(played.definition))
    for action in actions:
        before = state.copy()
        state.advance(action)
        watch.tick(before, state, (ACTION_ID[action], 0))
    coverage = watch.coverage(state)
    return coverage, {coverage.rules[i].text for i in coverage.used}


def test_rules_are_the_types_effects_and_terminations_of_a_game():
    rules = rules_of(game(PUSH, PUSH_LEVEL).definition)
    assert Rule("effect", "undoAll", 12, "box box > undoAll") in rules
    assert Rule("avatar", "MovingAvatar", 5, "avatar > MovingAvatar") in rules
    assert Rule("sprite class", "Passive", 6, "box > Passive") in rules
    assert Rule("termination", "Timeout", 22, "Timeout limit=50 win=False") in rules


def test_a_play_makes_use_of_what_it_meets():
    played = game(PUSH, PUSH_LEVEL)
    types = {"floor > Immovable hidden=True", "hole > Immovable", "avatar > MovingAvatar", "box > Passive"}
    types.add("wall > Immovable")
    assert play(played, "RIGHT")[1] == types
    assert play(played, "LEFT")[1] == types | {"avatar wall > stepBack"}
    pushed = types | {"box avatar > bounceForward"}
    assert play(played, "RIGHT", "RIGHT")[1] == pushed
    assert play(played, "RIGHT", "RIGHT", "RIGHT")[1] >= pushed | {"box wall > undoAll"}


def test_effects_that_only_follow_from_others_in_the_same_tick_are_noted():
    played = game(BUSY, BUSY_LEVEL)
    _, used = play(played, "RIGHT", "RIGHT")
    # the seed becomes an egg, the egg corn, and the corn is taken, all in one tick
    chain = {"seed avatar > transformTo stype=egg", "egg avatar > transformTo stype=corn"}
    assert chain | {"corn avatar > collectResource scoreChange=1"} <= used


def test_the_termination_that_ends_the_game_is_noted_and_no_other():
    played = game(STOPPED, "Ag.l")
    wins, stop, timeout = (
        "SpriteCounter stype=gem limit=0 win=True",
        "StopCounter stype1=lock limit=1",
        "Timeout limit=9 win=False",
    )
    ends = {wins, stop, timeout}
    assert play(played, "NIL")[1] & ends == {stop}
    assert play(played, "RIGHT", "RIGHT", "RIGHT")[1] & ends == {wins, stop}
    assert play(played, *["NIL"] * 10)[1] & ends == {timeout, stop}
    assert play(game(STOPPED, "Ag.."), "RIGHT")[1] & ends == {wins}


def test_leaving_a_game_is_no_termination():
    played = game(STOPPED, "A...")
    ends = {"SpriteCounter stype=gem limit=0 win=True", "Timeout limit=9 win=False"}
    assert play(played, "NIL")[1] & ends == {"SpriteCounter stype=gem limit=0 win=True"}
    assert not play(played, "ESCAPE")[1] & ends


def test_watching_does_not_touch_the_play():
    played = game(BUSY, BUSY_LEVEL)
    watched, alone = played.start(0, 5), played.start(0, 5)
    watch = Watch(watched, rules_of(played.definition))
    for k in range(60):
        action = ("RIGHT", "USE", "DOWN", "LEFT", "USE", "UP")[k % 6]
        before = watched.copy()
        for state in (watched, alone):
            state.advance(action)
        watch.tick(before, watched, (ACTION_ID[action], 0))
    assert watched.to_bytes() == alone.to_bytes()


def test_plays_that_outgrow_their_memory_are_watched_on():
    crowd = """BasicGame square_size=10
    SpriteSet
        nest > SpawnPoint stype=bee cooldown=1 prob=1
        bee > Missile orientation=RIGHT speed=1
        avatar > MovingAvatar
    InteractionSet
        avatar EOS > stepBack
        bee EOS > stepBack
        bee avatar > killSprite
    LevelMapping
        n > nest
        A > avatar
    TerminationSet
        Timeout limit=99 win=True
"""
    played = game(crowd, "nnnnnnnnnn\n" * 8 + "nn.....A..")
    assert "bee avatar > killSprite" not in play(played, *["NIL"] * 2)[1]
    assert "bee avatar > killSprite" in play(played, *["NIL"] * 12)[1]


INSIDE = """
import random, sys
sys.path.insert(0, sys.argv[1])
from test_coverage import BUSY, BUSY_LEVEL, Watch, rules_of
from texts import game
from pcg.engine.kernel import effects, interactions

executed = set()

def seen(function):
    def wrapped(gm, st, e, *rest):
        executed.add((gm, e))
        return function(gm, st, e, *rest)
    return wrapped

effects.apply = seen(effects.apply)
interactions.settle = seen(interactions.settle)
played = game(BUSY, BUSY_LEVEL)
first = len(played.definition.types)
names = set()
for seed in range(4):
    draw = random.Random(seed)
    state = played.start(0, seed)
    watch = Watch(state, rules_of(played.definition))
    truth = set()
    for k in range(60):
        executed.clear()
        before = state.copy()
        action = draw.choice([0, 1, 2, 3, 4, 5, 5, 5])
        state.advance(action)
        truth |= {e for gm, e in executed if gm == state.context.address}
        watch.tick(before, state, (action, 0))
        used = {i - first for i in watch.coverage(before).used if i >= first}
        assert used == truth, (seed, k, used ^ truth)
        if state.is_over:
            break
    names |= {played.definition.effects[e].name for e in truth}
print(len(names))
"""


def test_what_is_noted_is_what_the_kernel_executes():
    """Watched from inside, which only the kernel as plain Python allows: every tick, every effect, no more, no less."""
    here = str(Path(__file__).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-c", INSIDE, here],
        env={**os.environ, "PCG_KERNELS": "python"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 10  # so many different effects were at work


def test_effects_of_ones_own_are_watched():
    @extensions.effect(
        "burst",
        help="A falls into pieces",
        params=[Param("into", "sprite", None, "what they are", required=True)],
        needs_first=True,
        kills_first=True,
        creates=("into",),
    )
    def burst(gm, st, e, a, b):
        p = sprite_at(a)
        add_sprite(gm, st, int(own_number(gm, effect_at(gm, e).own_at, 0)), p.x, p.y, 0)
        kill(gm, st, a, 0)
        return 0

    try:
        text = STOPPED.replace("gem avatar > killSprite", "gem avatar > burst into=lock")
        _, used = play(game(text, "Ag.."), "RIGHT")
        assert {"gem avatar > burst into=lock", "lock avatar > killSprite"} <= used
        assert not {"gem avatar > burst into=lock", "lock avatar > killSprite"} & play(game(text, "A.g."), "RIGHT")[1]
    finally:
        extensions.unregister("burst")


def test_a_summary_counts_traces_games_and_lines():
    push, stopped = game(PUSH, PUSH_LEVEL), game(STOPPED, "Ag.l")
    plays = [
        ("a/push", play(push, "RIGHT")[0]),
        ("a/push", play(push, "LEFT")[0]),
        ("a/stopped", play(stopped, "RIGHT", "RIGHT")[0]),
    ]
    summary = summarise(plays)
    tallies = {(t.kind, t.name): t for t in summary.tallies}
    kills = tallies["effect", "killSprite"]
    assert (kills.traces_used, kills.games_used, kills.games, kills.lines_used, kills.lines) == (1, 1, 2, 1, 3)
    steps = tallies["effect", "stepBack"]
    assert (steps.traces_used, steps.games_used, steps.games, steps.lines_used, steps.lines) == (1, 1, 1, 1, 1)
    avatars = tallies["avatar", "MovingAvatar"]
    assert (avatars.traces_used, avatars.games_used, avatars.games) == (3, 2, 2)
    assert tallies["sprite class", "Chaser"].games == 0
    unused = {(name, rule.text) for name, rule in summary.unused}
    assert ("a/push", "box box > undoAll") in unused
    assert ("a/stopped", "lock avatar > killSprite") in unused
    assert ("a/stopped", "gem avatar > killSprite") not in unused


def test_a_summary_names_the_whole_ontology():
    names = {(t.kind, t.name) for t in summarise([]).tallies}
    known = {("avatar" if c.avatar else "sprite class", n) for n, c in ontology.SPRITE_CLASSES.items()}
    known |= {("effect", n) for n in ontology.EFFECTS} | {("termination", n) for n in ontology.TERMINATIONS}
    assert known <= names
