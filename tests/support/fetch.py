"""A sound small game that the tests of judging and presenting games share: coins to fetch, a ghost to avoid."""

FETCH = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        coin > Immovable
        ghost > RandomNPC cooldown=2
        hero > MovingAvatar
    InteractionSet
        hero wall > stepBack
        ghost wall > stepBack
        coin hero > killSprite scoreChange=1
        hero ghost > killSprite
    LevelMapping
        . > floor
        w > wall
        c > floor coin
        g > floor ghost
        A > floor hero
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=coin limit=0 win=True
"""
LEVEL = """
wwwwwwwwwwwwww
wA...........w
w....ww..c...w
w..w.....w...w
w..w..c..w.g.w
w.........c..w
wc..g...w....w
w............w
wwwwwwwwwwwwww
""".strip()
