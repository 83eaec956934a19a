"""Games that multiply, loop, or pile up: every tick ends within the bounds of docs/compatibility.md.

Time is not measured here: a tick's work is counted by the kernel, and the count is bounded.
"""

from __future__ import annotations

import pytest
from plays import assert_sound
from tiers import first_fast

from pcg.engine.game import load
from pcg.engine.kernel.runtime import COMPILED
from pcg.engine.state import Outcome, State

pytestmark = pytest.mark.kernel

TICKS = 12


def written(sprites: str, rules: str, *, header: str = "BasicGame square_size=10") -> str:
    """A game of `hero` and the given lines.

    In its levels `a`, `b` and `c` place one sprite of their name, `A` the hero on a `b`, `d` two `a` in one cell, `e`
    one of each.
    """
    names = [line.split()[0] for line in sprites.split("\n")]
    mapping = [f"A > {'b' if 'b' in names else ''} hero", "d > a a", f"e > {' '.join(names)}"]
    parts = {
        "SpriteSet": f"hero > MovingAvatar\n{sprites}",
        "LevelMapping": "\n".join([*mapping, *(f"{name} > {name}" for name in names)]),
        "InteractionSet": rules,
    }
    lines = [header]
    for name, body in parts.items():
        lines += [f"    {name}", *(f"        {line}" for line in body.split("\n"))]
    return "\n".join(lines) + "\n"


SPAWNERS = {
    "clones on one spot": ("a > Passive", "a a > cloneSprite"),
    "clones on one spot among many others": (
        "a > Passive\nb > Missile orientation=RIGHT",
        "a a > cloneSprite\nb EOS > wrapAround",
    ),
    "clones of clones, listed many times": ("a > Passive", "a a > cloneSprite repeat=1000"),
    "clones in four directions": (
        "a > Missile orientation=UP speed=0.3",
        "\n".join(f"a a > spawn{side} stype=a" for side in ("Left", "Right", "Above", "Below")),
    ),
    "a loop of transformations": (
        "a > Passive\nb > Passive\nc > Passive",
        "a b > spawn stype=b\nb a > transformTo stype=c\na c > spawn stype=b\nc a b > transformTo stype=a",
    ),
    "transformations of the dead": (
        # the dead are transformed again, and counted as killed again
        "a > Passive\nb > Immovable wMult=30 hMult=30\nc > Passive",
        "hero b > transformToAll stype=a stypeTo=c repeat=9\nhero b > transformToAll stype=c stypeTo=a repeat=9",
    ),
    "spawners of spawners": (
        "a > SpawnPoint stype=b cooldown=1\nb > SpawnPoint stype=a cooldown=1",
        "a EOS > killSprite",
    ),
    "spawners of several, of themselves": (
        "a > SpawnPointMultiSprite stypes=a,a,b,b,a,a\nb > Bomber stype=a cooldown=1",
        "a hero > killSprite",
    ),
    "a fire without end": ("a > Spreader limit=9 stype=a", "hero a > killSprite"),
    "timers that add up": ("a > Passive", "a a > addTimer timer=1000 ftype=spawn stype=a\na a > cloneSprite"),
    "timers that are due at once": (
        "a > Passive",
        "a TIME > addTimer timer=-1 ftype=transformToAll stype=a stypeTo=a\n"
        "a TIME > cloneSprite timer=1 repeating=True",
    ),
    "timed births": (
        "a > Passive",
        "a TIME > cloneSprite timer=1 repeating=True\na TIME > spawn stype=a timer=1 repeating=True",
    ),
    "births outside": (
        "a > Missile orientation=LEFT speed=3",
        "a EOS > cloneSprite\na EOS > spawn stype=a\na a > spawnLeft stype=a",
    ),
    "giants": (
        "a > Missile orientation=LEFT wMult=1000 hMult=1000\nb > Passive",
        "a b > cloneSprite\nb a > cloneSprite",
    ),
    "chasers of chasers": (
        "a > Chaser stype=a\nb > RandomPathAltChaser stype1=a,b",
        "a a > cloneSprite\nb a > cloneSprite",
    ),
    "bouncers on a heap": ("a > Missile orientation=LEFT", "a a > wallBounce\na a > cloneSprite"),
    "a resource for everyone": (
        "a > Resource limit=1000",
        "a a > collectResource killResource=False\na a > changeResource resource=a\na a > cloneSprite",
    ),
}
LEVEL = "d....b\n..A.e.\nb....a"
CROWD = "bbbbbbbbbbbbbbbbbbbb\nd.......A..........b"


def started(name: str) -> State:
    """The beginning of one of the games."""
    sprites, rules = SPAWNERS[name]
    game = load(written(sprites, rules, header="BasicGame square_size=10 obs=wall"), [LEVEL, CROWD])
    assert len([e for e in game.definition.effects if e.name != "addTimer"]) == len(rules.split("\n"))
    return game.start(1 if "others" in name else 0, 3)


@pytest.mark.parametrize("name", first_fast(SPAWNERS, 5, rest="fuzz"))
def test_a_game_that_multiplies_ends_every_tick(name, limits):
    state = started(name)
    rooms = set()
    for _ in range(TICKS):
        if state.is_over:
            break
        before = state.copy()
        state.advance("RIGHT")
        head = state.header
        assert head.slots <= limits.moving
        # a single step of the count can be no larger than a walk over all pairs
        assert head.work <= limits.work + (limits.moving**2 >> 5) + limits.moving
        rooms.add(head.room)
    assert max(rooms) < 2 * max(limits.moving, 16_384)
    assert state.is_over or len(state.sprites()) > limits.sprites // 10, "the game is harmless"
    assert_sound(state)
    if state.is_over:
        last = state.to_bytes()
        state.advance("RIGHT")
        assert state.to_bytes() == last
        before.advance("RIGHT")
        assert before.to_bytes() == last, "the tick that was too much is another one in a copy"


def test_a_tick_that_does_too_much_loses_the_game(limits):
    state = started("clones of clones, listed many times")
    while not state.is_over:
        state.advance("NIL")
    assert state.header.work > limits.work and state.winner is Outcome.PLAYER_LOSES and state.tick < TICKS


def test_a_tick_that_does_much_but_not_too_much_goes_on(limits):
    text = written("a > Passive", "a a > addHealthPoints value=1")
    side = 40 if COMPILED else 7
    text = text.replace("d > a a", "d > " + "a " * side)
    state = load(text, ["d.\nA."]).start()
    for _ in range(3):
        state.advance("NIL")
    assert not state.is_over and state.header.work >= side * (side - 1)
    assert {s.health for s in state.sprites("a")} == {3 * (side - 1)}


def test_a_level_of_as_many_sprites_as_there_can_be_is_played(limits):
    columns = limits.sprites // 10
    rows = ["a" * columns] * 9 + ["A" + "a" * (columns - 1)]
    text = written("a > RandomNPC", "a EOS > stepBack\nhero a > cloneSprite")
    state = load(text, ["\n".join(rows)]).start(0, 1)
    for _ in range(3):
        state.advance("UP")
    # the reference lets one more in than its limit says
    assert limits.sprites <= len(state.sprites()) <= limits.sprites + 1
    again = state.game.restore(state.to_bytes())
    state.advance("DOWN")
    again.advance("DOWN")
    assert again.to_bytes() == state.to_bytes()


def test_sprites_that_the_count_leaves_out_are_still_bounded(limits):
    state = started("transformations of the dead")
    counts = []
    for _ in range(TICKS):
        state.advance("RIGHT")
        counts.append(int(state.header.sprites))
        assert state.header.slots <= limits.moving and not state.is_over
    assert len(state.sprites()) > limits.sprites // 2 > 5 * max(counts)
