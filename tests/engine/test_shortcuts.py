"""Work that the engine saves itself: what is not looked at again, or in another way, changes no byte of a state."""

from __future__ import annotations

import random

import pytest
from texts import game

from pcg.engine import context as contexts
from pcg.engine.arrays import view_memory
from pcg.engine.game import Game, builtin_games, load
from pcg.engine.kernel import layout as L
from pcg.engine.kernel.random import scramble
from pcg.engine.native.replay import Native, random_play

CRATES = """
BasicGame square_size=20
    SpriteSet
        floor > Immovable hidden=True
        hole > Immovable
        star > Immovable
        avatar > MovingAvatar
        box > Passive
        bee > RandomNPC speed=0.5
        wall > Immovable
    InteractionSet
        avatar wall > stepBack
        bee wall > stepBack
        box avatar > bounceForward repeat=4
        box wall box > undoAll
        box hole > killBoth scoreChange=1
        star avatar > killSprite scoreChange=2
        avatar star > spawnIfHasLess resource=star stype=bee limit=0
        bee box > reverseDirection
        bee box > flipDirection
        avatar bee > subtractHealthPoints
        avatar bee > addHealthPoints value=1
        bee bee > turnAround
        hole bee > setSpeedForAll stype=bee value=0.3
    LevelMapping
        . > floor
        o > floor hole
        b > floor box
        f > floor bee
        * > floor star
        A > floor avatar
        w > wall
    TerminationSet
        SpriteCounter stype=box limit=0 win=True
        Timeout limit=300 win=False
"""
CRATES_LEVEL = """\
wwwwwwwwwwww
wA.b..*..f.w
w..bb.o....w
w.*..b..f..w
w.f..o..b..w
w....b..*..w
wwwwwwwwwwww
"""

pytestmark = pytest.mark.kernel


def checksums(made: Game, level: int = 0) -> list[tuple[int, ...]]:
    """Checksums of whole states, tick by tick, of a few random plays."""
    plays = [random_play(made.players, seed, 120) for seed in range(4)]
    return [record.checksums for record in Native().play(made.context(level), plays)]


@pytest.mark.parametrize("crowd", [16, 0])
def test_a_pair_that_was_found_apart_needs_no_second_look(crowd, monkeypatch):
    monkeypatch.setattr(contexts, "_MANY", crowd)
    made, other = game(CRATES, CRATES_LEVEL), game(CRATES, CRATES_LEVEL)
    again = [bool(bits & L.N_AGAIN) for bits in made.tables.entries["bits"].tolist()]
    # three repetitions of one line, and the second of two lines
    assert sum(again) == 4
    other.tables.entries["bits"] &= ~L.N_AGAIN
    assert made.start(0, 1).header.grid == (0 if crowd else 1)
    assert checksums(made) == checksums(other)


def test_level_sprites_know_their_neighbours():
    seen = 0
    for name in builtin_games():
        made = load(name)
        context = made.context(0)
        sprites, block, columns = context.level_sprites, context.level.block_size, context.level.width
        record = view_memory(context, context.address, L.CONTEXT, 1)[0]
        if int(record["n_level"]) == 0:
            continue
        mates = view_memory(context, int(record["level_mates"]), "i8", int(record["n_level"]))
        cells: dict[int, list[int]] = {}
        for k, sprite in enumerate(sprites):
            cells.setdefault(int(sprite["y"]) // block * columns + int(sprite["x"]) // block, []).append(k)
        for listed in cells.values():
            for k in listed:
                if sprites[k]["w"] > block or sprites[k]["h"] > block:
                    assert mates[k] == -1
                    continue
                near = [int(sprites[j]["type"]) & 63 for j in listed]
                others = [int(sprites[j]["type"]) & 63 for j in listed if j != k]
                assert int(sprites[k]["near"]) & (1 << 64) - 1 == sum(1 << t for t in set(near))
                assert int(mates[k]) & (1 << 64) - 1 == sum(1 << t for t in set(others))
                seen += bool(others)
    assert seen > 100


SPRINGS = """
BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        nest > SpawnPoint stype=egg prob=PROB cooldown=3
        egg > Immovable
        avatar > MovingAvatar
    InteractionSet
        avatar EOS > stepBack
    LevelMapping
        . > floor
        n > floor nest
        A > floor avatar
    TerminationSet
        Timeout limit=50 win=True
"""


@pytest.mark.parametrize("probability", ["0", "0.01", "0.3", "1"])
def test_every_producer_draws_one_number_in_every_tick(probability):
    made = game(SPRINGS.replace("PROB", probability), "Annnn\nnn.nn\n.n..n")
    state = made.start(0, 11)
    draw, word, expected = random.Random(1), scramble(11), 0
    begun = None
    for tick in range(40):
        state.advance(draw.choice(["NIL", "LEFT", "RIGHT"]))
        for _ in range(10):
            word = (word * 0x5DEECE66D + 0xB) & (1 << 48) - 1
            begun = tick if begun is None else begun
            if (word >> 24) / (1 << 24) < float(probability) and (begun + tick) % 3 == 0:
                expected += 1
        assert int(state.header.rng) == word
        assert len(state.sprites("egg")) == expected
