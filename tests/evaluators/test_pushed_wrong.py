"""Crates that can be pushed wrong, for something depends on them, and crates that one walks around."""

from __future__ import annotations

import pytest

from pcg.engine.game import load
from pcg.evaluators.judging.game_kinds import game_kinds
from pcg.evaluators.judging.pushed_wrong import can_be_pushed_wrong

GAME = """BasicGame
    SpriteSet
        lava  > Immovable
        coin  > Immovable
        mark  > Immovable
        crate > Passive
        blade > Flicker
        hero  > ShootAvatar stype=blade
    LevelMapping
        l > lava
        c > coin
        o > mark
        b > crate
        A > hero
    InteractionSet
        hero wall EOS > stepBack
        crate hero > bounceForward
        crate wall crate > undoAll
        hero lava > killSprite
        lava crate > killBoth
        coin hero > killSprite
    TerminationSet
        SpriteCounter stype=coin win=True
        SpriteCounter stype=hero
"""
OPEN = "wwwwwww\nwA.l.cw\nw.b...w\nw.....w\nwwwwwww"
"""Lava that one walks around."""
SHUT = "wwwwwww\nwAbl.cw\nw..l..w\nwwwwwww"
"""Lava that bars the way to the coin."""
MARKED = ("coin hero > killSprite", "mark crate > killSprite"), ("stype=coin win", "stype=mark win")
SHOT = ("coin hero > killSprite", "crate blade > killSprite"), ("stype=coin win", "stype=crate win")
GHOST = ("lava  > Immovable", "lava  > RandomNPC"), ("lava crate > killBoth", "lava crate > killSprite")
KEY = (
    ("hero  >", "key   > Immovable\n        armed > ShootAvatar stype=blade\n        hero  >"),
    ("coin hero > killSprite", "coin armed > killSprite\n        hero coin > stepBack"),
    ("hero lava >", "hero key > transformTo stype=armed\n        hero lava >"),
    ("c > coin", "c > coin\n        k > key"),
)


def wrong(*levels: str, changes: tuple[tuple[str, str], ...] = ()) -> bool:
    text = GAME
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    game = load(text, levels=list(levels))
    return can_be_pushed_wrong(game_kinds(game.definition, [game.read_level(k) for k in range(len(levels))]))


@pytest.mark.parametrize(
    ("levels", "needed"),
    [((OPEN,), False), ((SHUT,), True), ((OPEN, SHUT), True), ((OPEN, OPEN, SHUT), False)],
    ids=["open", "shut", "half", "a third"],
)
def test_what_fills_lava_is_needed_where_lava_bars_the_way(levels: tuple[str, ...], needed: bool) -> None:
    assert wrong(*levels) is needed


def test_what_an_end_counts_is_needed_on_open_ground() -> None:
    level = OPEN.replace("c", "o")
    assert wrong(level, changes=MARKED)


def test_what_is_shot_need_not_be_pushed() -> None:
    assert not wrong(OPEN, changes=SHOT)


def test_what_stops_a_danger_that_moves_is_needed_on_open_ground() -> None:
    assert wrong(OPEN, changes=GHOST)


def test_the_way_to_what_changes_the_avatar_counts() -> None:
    """Only who has the key takes coins, so a key behind lava has to be come by."""
    assert not wrong(OPEN.replace("A.", "Ak"), changes=KEY)
    assert wrong(SHUT.replace("l.cw", "l.kw").replace("w..l", "wc.l"), changes=KEY)
