"""Small games the tests of analysis and fitness share."""

LOCK = """
BasicGame
    SpriteSet
        floor > Immovable
        wall > Immovable
        moving >
            hero >
                poor > MovingAvatar
                rich > MovingAvatar
            rat > RandomNPC
        nest > SpawnPoint stype=rat
        gate > Door
        key > Immovable
        crate > Passive
        pit > Immovable
    InteractionSet
        moving wall > stepBack
        poor gate > stepBack
        gate rich > killSprite
        poor key > transformTo stype=rich killSecond=True
        hero rat > killSprite
        hero nest > stepBack
        crate hero > bounceForward
        pit crate > killBoth
        hero pit > killSprite
    LevelMapping
        . > floor
        w > wall
        A > floor poor
        g > floor gate
        k > floor key
        n > floor nest
        c > floor crate
        o > floor pit
    TerminationSet
        SpriteCounter stype=hero limit=0 win=False
        SpriteCounter stype=gate limit=0 win=True
        Timeout limit=500 win=False
"""

SWITCH = LOCK.replace("gate rich > killSprite", "hero gate > stepBack\n        crate pit > killAll stype=gate")
"""The same with a gate that opens when a crate is pushed into a pit."""

SHOOTER = """
BasicGame
    SpriteSet
        sky > Immovable
        shot > Missile orientation=UP singleton=True
        ship > Missile orientation=LEFT speed=0.5
        port > SpawnPoint stype=ship total=6
        gun > FlakAvatar stype=shot
    InteractionSet
        gun EOS > stepBack
        shot EOS > killSprite
        ship shot > killBoth scoreChange=2
        ship EOS > wrapAround
        gun ship > killSprite
    LevelMapping
        . > sky
        s > sky ship
        p > sky port
        A > sky gun
    TerminationSet
        SpriteCounter stype=gun limit=0 win=False
        MultiSpriteCounter stype1=ship stype2=port limit=0 win=True
"""


def with_forms(number: int) -> str:
    """`LOCK` with forms of a thing of which any two make a third; the last one opens the gate, two can be placed."""
    forms = [f"form{k}" for k in range(number)]
    turns = [
        f"{one} {other} > transformTo stype={third}"
        for one in forms
        for other in forms
        for third in forms
        if len({one, other, third}) == 3
    ]
    text = LOCK.replace("gate rich > killSprite", "\n        ".join([f"gate {forms[-1]} > killSprite", *turns]))
    chasers = [f"{form} > Chaser stype=gate" for form in forms]
    text = text.replace("gate > Door", "\n        ".join(["gate > Door", *chasers]))
    return text.replace("o > floor pit", "o > floor pit\n        0 > floor form0\n        1 > floor form1")
