"""Small games for tests of the engine, each for one behaviour."""

from __future__ import annotations

from pcg.engine.game import Game, load

PUSH = """BasicGame square_size=10
    SpriteSet
        floor > Immovable hidden=True
        hole > Immovable
        avatar > MovingAvatar
        box > Passive
        wall > Immovable
    InteractionSet
        avatar wall > stepBack
        box avatar > bounceForward
        box wall > undoAll
        box box > undoAll
        box hole > killSprite scoreChange=1
    LevelMapping
        . > floor
        o > floor hole
        b > floor box
        A > floor avatar
        w > wall
    TerminationSet
        SpriteCounter stype=box limit=0 win=True
        Timeout limit=50 win=False
"""
PUSH_LEVEL = "wwwwww\nwA.b.w\nw..o.w\nwwwwww"

BREEDERS = """BasicGame square_size=10
    SpriteSet
        nest > SpawnPoint stype=bee cooldown=1 prob=1
        bee > RandomNPC
        avatar > MovingAvatar
    InteractionSet
        avatar EOS > stepBack
        bee EOS > stepBack
    LevelMapping
        n > nest
        A > avatar
    TerminationSet
        Timeout limit=400 win=True
"""
BREEDERS_LEVEL = "nnnnnnnn\n........\n...A....\nnnnnnnnn"


def game(text: str, *levels: str) -> Game:
    """A game of a text and its levels."""
    return load(text, list(levels))


def positions(state, kind: str) -> list[tuple[int, int]]:
    """Top-left corners of the sprites of a type, in order of creation."""
    return [(s.x, s.y) for s in state.sprites(kind)]
