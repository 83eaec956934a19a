"""Faults that the fuzzers and random games have found, each in the smallest game that shows it."""

from __future__ import annotations

import copy
import pickle

import pytest
from plays import assert_sound, look

from pcg.engine import context
from pcg.engine.game import Game, load
from pcg.engine.state import State
from pcg.engine.vgdl import read_game
from pcg.engine.vgdl.diagnostics import PcgError, VGDLError
from pcg.engine.vgdl.values import truncate

pytestmark = pytest.mark.kernel


def start(sprites: str, rules: str, level: str, *, header: str = "", ends: str = "", **signs: str) -> State:
    """A state of a game from the lines of its sets; `w` places a wall, `A` the hero, other signs what is given."""
    mapping = "\n".join(["A > hero", *(f"{sign} > {names}" for sign, names in signs.items())])
    parts = {"SpriteSet": sprites, "LevelMapping": mapping, "InteractionSet": rules, "TerminationSet": ends}
    lines = [f"BasicGame square_size=10 {header}"]
    for name, body in parts.items():
        lines += [f"    {name}", *(f"        {line.strip()}" for line in body.split("\n") if line.strip())]
    return load("\n".join(lines) + "\n", [level]).start(0, 5)


def played(state: State, ticks: int, action: str = "NIL") -> list[str]:
    """Return what can be seen of every tick of a play."""
    seen = []
    for _ in range(ticks):
        state.advance(action)
        seen.append(f"{state.rng} {state.aux} {[(s, s.orientation) for s in state.sprites()]}")
    assert_sound(state)
    return seen


# --- names of nothing ---

CHASERS = ["Chaser stype", "Fleeing stype", "LOSChaser stype", "PathChaser stype", "AlternateChaser stype1"]
CHASERS += ["RandomAltChaser stype1", "PathAltChaser stype1", "RandomPathAltChaser stype1"]


@pytest.mark.parametrize("more", ["", " randomTarget=True epsilon=0.3"])
@pytest.mark.parametrize("chaser", CHASERS)
def test_chasers_of_an_undefined_sprite_do_as_if_there_were_none(chaser, more):
    class_name, key = chaser.split()
    sprites = "hero > MovingAvatar\nnobody > Passive\nghost > {} {}={}" + more
    level, rules = "....\n.gA.\n....", "hero ghost > stepBack"
    nobody, phantom = (
        played(start(sprites.format(class_name, key, prey), rules, level, header="obs=wall", g="ghost"), 12)
        for prey in ("nobody", "phantom")
    )
    assert phantom == nobody


def test_a_bomber_with_nothing_to_drop_drops_nothing():
    # the numbers behind its empty list are those of the hero's weapons
    state = start("b > BomberRandomMissile cooldown=1\nhero > ShootAvatar stype=hero,hero", "", "b.\n.A", b="b")
    played(state, 5)
    assert sorted(s.name for s in state.sprites()) == ["b", "hero"]


def test_undefined_missiles_are_never_dropped_nor_replaced():
    state = start(
        "b > BomberRandomMissile stypeMissile=phantom,spectre cooldown=1\nx > Immovable\nhero > MovingAvatar",
        "hero x > updateSpawnType stype=hero spawnPoint=b",
        "b.\n.A",
        b="b",
        A="hero x",
    )
    played(state, 5)
    assert sorted(s.name for s in state.sprites()) == ["b", "hero", "x"]


def test_what_a_bomber_drops_can_be_any_of_many_types():
    many = "\n".join(f"t{k} > Immovable" for k in range(400))
    state = start(
        f"b > BomberRandomMissile stypeMissile=x,x cooldown=1\nx > Immovable\n{many}\nhero > MovingAvatar",
        "hero x > updateSpawnType stype=t399 spawnPoint=b\nhero x > updateSpawnType stype=t398 spawnPoint=b",
        "b.\n.A",
        b="b",
        A="hero x",
    )  # fmt: skip
    played(state, 20)
    # one x was there, one was dropped before there were rules; of the two entries each rule has found one
    assert {s.name for s in state.sprites()} == {"b", "hero", "x", "t398", "t399"} and len(state.sprites("x")) == 2


# --- numbers beyond reason ---


@pytest.mark.parametrize(
    ("value", "pixels"),
    [
        ("NaN", 0),
        ("Infinity", 2**31 - 1),
        ("-Infinity", -(2**31)),
        ("1e9", 2**31 - 1),
        ("1e308", 2**31 - 1),
        ("0.29", 2),
    ],
)
def test_sizes_are_cut_off_as_java_does(value, pixels):
    state = start(
        f"x > Missile orientation=LEFT wMult={value} hMult={value}\nhero > MovingAvatar",
        "x hero > stepBack\nx EOS > wrapAround",
        "x..\n..A",
        x="x",
    )
    played(state, 3)
    assert state.sprites("x")[0].w == pixels and truncate(-0.9) == 0
    look(state)


def test_numbers_that_java_cannot_read_count_nothing():
    state = start(
        "x > Missile orientation=RIGHT\nhero > MovingAvatar",
        "x hero > addHealthPoints scoreChange=99999999999 counter=1_0,99999999999\nx hero > stepBack scoreChange=+5",
        "x.A",
        header="no_counters=2",
        ends="Timeout limit=7 limits=99999999999,1",
        x="x",
    )
    played(state, 5)
    assert state.score > 0 and state.score % 5 == 0 and state.counters == (0, 0)


@pytest.mark.parametrize("speed", ["Infinity", "NaN", "1e300"])
def test_states_with_numbers_beyond_reason_have_a_key(speed):
    state = start(
        f"x > Missile orientation=RIGHT speed={speed} physicstype=CONT\nhero > MovingAvatar",
        "x EOS > wrapAround",
        "x.A",
        x="x",
    )
    played(state, 3)
    assert state.key() == state.copy().key()


@pytest.mark.parametrize("seed", range(6))
def test_a_chaser_knows_the_way_to_prey_far_away(seed):
    # the square of the distance does not fit into 64 bits
    game = start(
        "prey > Missile orientation=LEFT speed=2000000000 physicstype=CONT\n"
        "c > Chaser stype=prey orientation=RIGHT speed=2000000000 physicstype=CONT\nhero > MovingAvatar",
        "c hero > stepBack",
        "A.pc",
        c="c",
        p="prey",
    ).game
    state = game.start(0, seed)
    played(state, 2)
    (prey,), (chaser,) = state.sprites("prey"), state.sprites("c")
    assert chaser.x - prey.x > 3.1e9
    # a step to the left, not a random one
    assert chaser.orientation == (1.0, 0.0)


# --- rules ---


def test_a_stop_counter_lets_go_of_what_stands_before_it():
    state = start(
        "x > Passive timeToLive=2\ny > Passive timeToLive=5\nhero > MovingAvatar", "", "Axy",
        ends="SpriteCounter stype=x limit=0 win=True\nStopCounter stype1=y limit=1", x="x", y="y",
    )  # fmt: skip
    while not state.is_over and state.tick < 20:
        state.advance("NIL")
    # x is gone in tick 2, y in tick 5; the counter of x is asked before that of y, so it is tick 6
    assert state.tick == 6


def test_what_only_an_edge_rule_moves_has_a_last_place_of_its_own():
    # nothing but the edge moves an x; it goes down two cells in every tick, from where it lay, not from where it began
    state = start("x > Immovable\nhero > FlakAvatar stype=x", "x EOS > turnAround", "..\n.A")
    places = []
    for action in ("RIGHT", "USE", "NIL", "NIL"):
        state.advance(action)
        places += [(s.x, s.y) for s in state.sprites("x")]
    assert places == [(20, 30), (20, 50), (20, 70)]


# --- states in Python's hands ---

PUSH = ("b > Passive\nhero > MovingAvatar", "b hero > bounceForward")


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_by_python_are_copies(way):
    state = start(*PUSH, "A.b..", b="b")
    played(state, 2, "RIGHT")
    other = way(state)
    assert other.to_bytes() == state.to_bytes() and other.address != state.address
    before = state.to_bytes()
    played(other, 2, "RIGHT")
    assert state.to_bytes() == before != other.to_bytes()
    del other
    again = state.copy()
    assert again.address != state.address and again.to_bytes() == before


def test_a_game_can_be_sent_to_another_process():
    game = load("boxes")
    again = pickle.loads(pickle.dumps(game))
    assert (again.name, again.levels, again.reading, again.digest) == (
        game.name,
        game.levels,
        game.reading,
        game.digest,
    )
    assert again.restore(game.start(1, 2).to_bytes()).to_bytes() == game.start(1, 2).to_bytes()


def test_every_changed_byte_of_a_state_is_noticed():
    state = start(*PUSH, "A.b", b="b")
    data = state.to_bytes()
    for at in range(0, len(data), 7):
        changed = bytearray(data)
        changed[at] ^= 0x10
        with pytest.raises(PcgError):
            state.game.restore(bytes(changed))


def test_a_state_of_another_game_of_the_space_is_refused():
    text = (
        "GameSpace\n    SpriteSet\n        b > Missile speed=FAST\n        hero > MovingAvatar\n    LevelMapping\n"
        "        A > hero\n        b > b\n    ParameterSet\n        FAST > values=1:1:9\n"
    )
    slow, fast = (Game(read_game(text, reading="gvgai", parameters={"FAST": speed}), ["Ab"]) for speed in "13")
    with pytest.raises(PcgError, match="another game"):
        fast.restore(slow.start().to_bytes())
    assert slow.restore(slow.start().to_bytes()).tick == -1


# --- memory ---


def test_a_path_finder_for_too_large_a_level_is_refused():
    text = start("c > PathChaser stype=hero\nhero > MovingAvatar", "", "cA", header="obs=wall", c="c").game
    assert text.start("A" + "." * 99 + "\n" + ("." * 99 + "c\n") * 3).width == 100
    side = 101
    with pytest.raises(PcgError, match="too many for path chasers"):
        text.start("A" + "." * (side - 1) + ("\n" + "." * side) * (side - 1))


def test_large_blocks_do_not_come_by_the_dozen():
    state = start(*PUSH, "A.b", b="b")
    arena = context.Arena(state.context, 16_384)
    arena.take()
    assert sum(slab.nbytes for slab in arena._slabs) < 2 * max(arena.stride, 1 << 24)


@pytest.mark.parametrize("place", ["game", "level"])
def test_half_a_character_is_no_text(place):
    state = start(*PUSH, "A.b", b="b")
    text, level = state.game.definition.source, "A.b\n"
    with pytest.raises(VGDLError, match="half of a character 0xd800"):
        load(text + ("# \ud800" if place == "game" else ""), [level + ("\ud800" if place == "level" else "")]).start()
