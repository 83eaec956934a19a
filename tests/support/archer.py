"""An archer who walks to a cup; there is nothing to shoot at, but counting arrows makes another place of every shot."""

ARCHER = """\
BasicGame
    SpriteSet
        floor > Immovable color=GRAY
        dart > Missile color=YELLOW speed=0.5 singleton=True
        arrow > Resource color=GREEN value=50 limit=50
        hero > ShootAvatar color=BLUE stype=dart ammo=arrow cooldown=2
        cup > Immovable color=GOLD
        crate > Passive color=ORANGE
        hole > Immovable color=BLACK
        wall > Immovable color=BROWN
    InteractionSet
        hero wall > stepBack
        dart wall > killSprite
        arrow hero > collectResource
        cup hero > killSprite scoreChange=1
    LevelMapping
        . > floor
        A > floor hero arrow
        c > floor cup
        o > floor crate
        h > floor hole
        w > wall
    TerminationSet
        SpriteCounter stype=cup limit=0 win=True
"""
FIELD = "\n".join(["w" * 16, "w.............Aw", *["w..............w"] * 8, "w.c............w", "w" * 16])
"""Open ground between the archer and the cup."""
