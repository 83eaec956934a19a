"""Moving sprites in lists by cell: a state begins to keep them when it is crowded, and only its speed changes."""

from __future__ import annotations

import pytest
from texts import game

from pcg.engine import context as contexts
from pcg.engine.kernel.cells import MANY_MOVING
from pcg.engine.kernel.layout import N_ONCE
from pcg.engine.state import State
from pcg.engine.vgdl import compiler

FLOOD = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        spring > SpawnPoint stype=start prob=1
        flow > Immovable
            start > Spreader spreadprob=1 stype=end
            end > Immovable
        pond > Passive
        drop > RandomNPC speed=0.3
        ball > Missile speed=0.4 orientation=RIGHT
        cannon > SpawnPoint stype=ball prob=0.5
        avatar > ShootAvatar stype=shot
        shot > Missile speed=0.7
        wall > Immovable
    LevelMapping
        A > floor avatar
        S > floor spring
        p > floor pond
        d > floor drop
        c > floor cannon
        . > floor
        w > wall
    InteractionSet
        avatar wall > stepBack
        drop wall > stepBack
        ball wall > reverseDirection
        ball drop > bounceForward
        shot wall > killSprite
        shot ball > killBoth scoreChange=1
        end pond > transformTo stype=drop scoreChange=2
        drop ball > turnAround
        flow wall > killSprite
        end spring > killSprite
    TerminationSet
        Timeout limit=400 win=True
"""
LEVEL = """\
wwwwwwwwwwwwww
wc...........w
w..p..S......w
w......p.....w
w..d......p.dw
w.....A......w
wc....p..d...w
w.S..........w
wwwwwwwwwwwwww
"""
TICKS = 90

pytestmark = pytest.mark.kernel


def looks(state: State, tick: int) -> tuple[int, float, list[str]]:
    """Play a tick; what there is then."""
    state.advance(("LEFT", "USE", "UP", "RIGHT", "USE", "DOWN")[tick // 2 % 6])
    return state.key(), state.score, [str(sprite) for sprite in state.sprites()]


def test_a_crowded_state_plays_on_as_one_with_lists_from_the_start(monkeypatch):
    state = game(FLOOD, LEVEL).start(0, 7)
    began, seen = [], []
    for tick in range(TICKS):
        began.append((int(state.header.slots) > MANY_MOVING, int(state.header.grid)))
        seen.append(looks(state, tick))
    assert began[0] == (False, 0) and began[-1] == (True, 1)
    assert all(crowded == bool(lists) for crowded, lists in began)
    assert len(seen[-1][2]) > 2 * MANY_MOVING and seen[-1][1] > 0
    monkeypatch.setattr(contexts, "_MANY", 0)
    other = game(FLOOD, LEVEL).start(0, 7)
    assert other.header.grid == 1
    assert [looks(other, tick) for tick in range(TICKS)] == seen


@pytest.mark.parametrize("way", ["copy", "bytes"])
def test_the_lists_go_with_a_state(way):
    own = game(FLOOD, LEVEL)
    state = own.start(0, 7)
    for tick in range(TICKS // 2):
        looks(state, tick)
    assert state.header.grid == 1
    other = state.copy() if way == "copy" else own.restore(state.to_bytes())
    for tick in range(TICKS // 2, TICKS):
        assert looks(other, tick) == looks(state, tick)


PILES = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        pump > SpawnPoint stype=drop prob=1
        water >
            drop > Missile speed=1 orientation=RIGHT
            puddle > Passive
        lid > Passive singleton=True
        avatar > ShootAvatar stype=shot
        shot > Missile speed=0.5
        gate > Passive
    LevelMapping
        A > floor avatar
        s > floor pump
        p > puddle
        g > gate gate gate gate gate gate gate gate gate
        . > floor
    InteractionSet
        drop EOS > reverseDirection
        drop gate > EFFECT
        puddle drop > killSprite scoreChange=1
        gate avatar > bounceForward
        puddle avatar > bounceForward
        avatar EOS > stepBack
        shot EOS > killSprite
        avatar drop > killSprite
    TerminationSet
        Timeout limit=400 win=True
"""
PILES_LEVEL = """\
s....g..p
sA...g..p
s...gg.pp
s....g..p
ss.g.g..p
"""


@pytest.mark.parametrize(
    "effect",
    [
        "killSprite scoreChange=2",
        "killBoth scoreChange=1",
        "transformTo stype=puddle scoreChange=1",
        "transformTo stype=puddle killSecond=True",
        "transformTo stype=lid scoreChange=1",
        "transformTo stype=drop forceOrientation=True",
    ],
)
def test_sprites_of_a_pile_meet_what_they_would_meet_one_by_one(effect, monkeypatch):
    """The hit that is remembered for a rectangle, also where what the first sprite becomes is refused (`lid`)."""
    monkeypatch.setattr(contexts, "_MANY", 0)
    text = PILES.replace("EFFECT", effect)
    state = game(text, PILES_LEVEL).start(0, 3)
    entries = state.context.tables.entries
    assert any(int(entry["bits"]) & N_ONCE for entry in entries)
    seen = [looks(state, tick) for tick in range(60)]
    never = property(lambda part: False, lambda part, value: None)
    monkeypatch.setattr(compiler.EffectPart, "removes_first", never)
    other = game(text, PILES_LEVEL).start(0, 3)
    assert not any(int(entry["bits"]) & N_ONCE for entry in other.context.tables.entries)
    assert [looks(other, tick) for tick in range(60)] == seen
    assert seen[-1][1] > 0 or "killSecond" in effect or "stype=drop" in effect
